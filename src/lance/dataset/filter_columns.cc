#include "lance/dataset/filter_columns.h"

#include <string>
#include <utility>

#include "arrow/api.h"

namespace lance {

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadFilterColumns(
    const Dataset::Impl& dataset, const filter::BoundFilter& filter, BlobForm blob_form,
    FragmentReader* fragment, const ReadSystemColumn& read_system, const RowRanges& rows) {
  const format::LanceSchema& schema = dataset.manifest().schema;
  std::vector<const format::FieldNode*> fields;
  arrow::FieldVector arrow_fields;
  for (const std::string& name : filter.column_names()) {
    const format::SchemaField* field = schema.FindTopLevel(name);
    if (field == nullptr) continue;
    fields.push_back(dataset.FindField(field->id));
    arrow_fields.push_back(format::ToArrowField(WithBlobForm(*fields.back(), blob_form)));
  }
  ARROW_ASSIGN_OR_RAISE(auto columns, fragment->ReadColumns(fields, rows));
  for (const std::string& name : filter.column_names()) {
    const auto system = FindSystemColumn(schema, name);
    if (!system) continue;
    ARROW_ASSIGN_OR_RAISE(auto values, read_system(*system, rows));
    arrow_fields.push_back(arrow::field(name, arrow::uint64()));
    columns.push_back(std::move(values));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(arrow_fields)),
                                  static_cast<int64_t>(rows.num_rows()), std::move(columns));
}

RowRanges KeepTrue(const RowRanges& rows, const arrow::BooleanArray& mask) {
  std::vector<RowRange> kept;
  int64_t position = 0;
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t offset = range.begin; offset < range.end; ++offset, ++position) {
      if (mask.IsNull(position) || !mask.Value(position)) continue;
      if (!kept.empty() && kept.back().end == offset) {
        ++kept.back().end;
      } else {
        kept.push_back({offset, offset + 1});
      }
    }
  }
  return RowRanges::Make(std::move(kept));
}

}  // namespace lance
