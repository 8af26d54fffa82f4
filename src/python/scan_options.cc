#include "scan_options.h"

#include <optional>
#include <string>
#include <utility>

namespace lance::python {

namespace {

/// Columns to sort by: names, and which of them descend and have their nulls first, by place.
std::vector<ColumnOrdering> TakeOrdering(Keywords* keywords) {
  std::vector<std::string> names;
  std::vector<uint64_t> descending, nulls_first;
  keywords->Take("order_by", &names)
      .Take("descending", &descending)
      .Take("nulls_first", &nulls_first);
  std::vector<ColumnOrdering> order_by;
  for (std::string& name : names) order_by.push_back({.column_name = std::move(name)});
  for (const uint64_t place : descending) order_by.at(place).ascending = false;
  for (const uint64_t place : nulls_first) order_by.at(place).nulls_first = true;
  return order_by;
}

}  // namespace

std::vector<ComputedColumn> TakeComputedColumns(Keywords* keywords) {
  std::vector<std::string> names, expressions;
  keywords->Take("computed_names", &names).Take("expressions", &expressions);
  std::vector<ComputedColumn> columns;
  for (size_t i = 0; i < names.size(); ++i) columns.push_back({names[i], expressions.at(i)});
  return columns;
}

ScanOptions ScanOptionsOf(nanobind::kwargs arguments) {
  ScanOptions options;
  std::optional<std::string> filter;
  Keywords keywords(std::move(arguments));
  options.order_by = TakeOrdering(&keywords);
  options.computed_columns = TakeComputedColumns(&keywords);
  keywords.Take("columns", &options.columns)
      .Take("fragment_ids", &options.fragment_ids)
      .Take("include_deleted_rows", &options.include_deleted_rows)
      .Take("batch_size_bytes", &options.batch_size_bytes)
      .Take("filter", &filter)
      .Take("limit", &options.limit)
      .Take("offset", &options.offset)
      .Take("batch_size", &options.batch_size)
      .Take("with_row_id", &options.with_row_id)
      .Take("with_row_address", &options.with_row_address)
      .Take("blob_handling", &options.blob_handling)
      .Take("use_scalar_index", &options.use_scalar_index)
      .Take("use_stats", &options.use_stats)
      .Finish();
  if (filter) options.filter = Filter(std::move(*filter));
  return options;
}

}  // namespace lance::python
