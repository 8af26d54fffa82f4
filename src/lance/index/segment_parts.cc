#include "lance/index/segment_parts.h"

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance::index {

arrow::Status AddOldRows(const BitmapFile& old, const RowMapping* mapping, const RunContext& run,
                         KeyedRows* rows) {
  ARROW_ASSIGN_OR_RAISE(const auto keys, rows->NumberKeys(old.keys()));
  const RowRanges all = RowRanges::All(static_cast<uint64_t>(old.keys().length()));
  return old.VisitRows(all, run, [&](int64_t place, const RowAddressMap& of_key) {
    return rows->rows(keys[static_cast<size_t>(place)]).AddMapped(of_key, mapping, run.stop_token);
  });
}

arrow::Status VisitNewRows(
    const NewScalarIndex& request, const RunContext& run,
    const std::function<arrow::Status(const arrow::Array&, const arrow::UInt64Array&)>& visit) {
  if (!request.rows) return arrow::Status::OK();
  const auto expected = arrow::schema(
      {arrow::field("value", request.column_type), arrow::field("row", arrow::uint64())});
  while (true) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_ASSIGN_OR_RAISE(const auto batch, request.rows->Next());
    if (!batch) return arrow::Status::OK();
    const auto values = batch->GetColumnByName("value");
    const auto rows = batch->GetColumnByName("row");
    if (!values || !rows || !values->type()->Equals(*request.column_type) ||
        rows->type_id() != arrow::Type::UINT64 || rows->null_count() > 0) {
      return InternalError("rows of an index of column " + request.column + " have schema " +
                           batch->schema()->ToString() + ", allowed " + expected->ToString());
    }
    ARROW_RETURN_NOT_OK(visit(*values, static_cast<const arrow::UInt64Array&>(*rows)));
  }
}

}  // namespace lance::index
