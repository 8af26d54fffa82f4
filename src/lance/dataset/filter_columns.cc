#include "lance/dataset/filter_columns.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/bit_run_reader.h"

namespace lance {

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadFilterColumns(
    const Dataset::Impl& dataset, const filter::BoundFilter& filter, BlobForm blob_form,
    FragmentReader* fragment, const ReadSystemColumn& read_system, const RowRanges& rows) {
  const format::LanceSchema& schema = dataset.manifest().schema;
  std::vector<const format::FieldNode*> fields;
  arrow::FieldVector arrow_fields;
  for (const filter::FilterColumn& column : filter.columns()) {
    if (column.field_id < 0) continue;
    fields.push_back(column.field != nullptr ? column.field.get()
                                             : dataset.FindField(column.field_id));
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
  auto range = rows.ranges().begin();
  int64_t range_begin = 0;  // the place of the range's first row among all rows
  const auto keep = [&](int64_t place, int64_t count) {
    while (count > 0) {
      while (place >= range_begin + static_cast<int64_t>(range->size())) {
        range_begin += static_cast<int64_t>((range++)->size());
      }
      const uint64_t begin = range->begin + static_cast<uint64_t>(place - range_begin);
      const auto taken = std::min(count, range_begin + static_cast<int64_t>(range->size()) - place);
      kept.push_back({begin, begin + static_cast<uint64_t>(taken)});
      place += taken;
      count -= taken;
    }
  };
  const uint8_t* const bits = mask.values()->data();
  arrow::internal::VisitSetBitRunsVoid(
      mask.null_bitmap_data(), mask.offset(), mask.length(), [&](int64_t valid, int64_t length) {
        arrow::internal::VisitSetBitRunsVoid(
            bits, mask.offset() + valid, length,
            [&](int64_t place, int64_t count) { keep(valid + place, count); });
      });
  return RowRanges::Make(std::move(kept));
}

RowRanges SliceRows(const RowRanges& rows, uint64_t begin, uint64_t end) {
  std::vector<RowRange> kept;
  uint64_t position = 0;
  for (const RowRange& range : rows.ranges()) {
    const uint64_t from = std::max(begin, position);
    const uint64_t to = std::min(end, position + range.size());
    if (from < to) kept.push_back({range.begin + from - position, range.begin + to - position});
    position += range.size();
  }
  return RowRanges::Make(std::move(kept));
}

}  // namespace lance
