#include "lance/dataset/filter_maker.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/filter/scalar_sql.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/ordered_value.h"
#include "lance/scan.h"

namespace lance {
namespace {

/// An element of an array, all of which have one type: 5 would be an integer beside 5.5.
std::string ElementSql(std::string sql, const arrow::DataType& type) {
  const bool is_whole = sql.find_first_of(".e'") == std::string::npos;
  return arrow::is_floating(type.id()) && is_whole ? sql + ".0" : sql;
}

}  // namespace

arrow::Result<FilterMaker> FilterMaker::Make(const Dataset& dataset, uint64_t seed,
                                             const CallOptions& call) {
  FilterMaker maker(seed);
  for (const Field& field : ChooseFields(dataset.impl())) {
    Column column{field.sql, field.node->kind == format::FieldKind::kList, {}};
    ARROW_ASSIGN_OR_RAISE(column.literals, maker.LiteralsOf(dataset, field.sql, call));
    if (column.is_list && !CanAskForItems(dataset, column)) continue;
    maker.columns_.push_back(std::move(column));
  }
  return maker;
}

std::string FilterMaker::Next() {
  std::string sql = Leaf();
  for (uint64_t more = Below(3); more > 0; --more) {
    sql = (Below(8) == 0 ? "NOT " : "") + ("(" + sql) + (Below(2) == 0 ? " AND " : " OR ") +
          Leaf() + ")";
  }
  return sql;
}

std::vector<FilterMaker::Field> FilterMaker::ChooseFields(const Dataset::Impl& dataset) {
  Fields fields;
  for (const format::FieldNode& node : dataset.fields) {
    AddFields(dataset, {&node, filter::CanonicalIdentifier(node.name)}, &fields);
  }
  return fields.with_statistics.empty() ? fields.all : fields.with_statistics;
}

void FilterMaker::AddFields(const Dataset::Impl& dataset, const Field& field, Fields* fields) {
  const format::FieldNode& node = *field.node;
  if (node.kind == format::FieldKind::kStruct) {
    for (const format::FieldNode& member : node.children) {
      const std::string sql = field.sql + "." + filter::CanonicalIdentifier(member.name);
      AddFields(dataset, {&member, sql}, fields);
    }
    return;
  }
  const table::Manifest& manifest = dataset.manifest();
  const bool is_named = !ScalarSegmentsOf(manifest, node.id).empty();
  const bool has_order = node.kind == format::FieldKind::kLeaf && index::HasOrder(*node.type);
  const bool is_list_with_index = node.kind == format::FieldKind::kList && is_named;
  if (!has_order && !is_list_with_index) return;
  fields->all.push_back(field);
  const bool is_key = dataset.clustering_spec && dataset.FindField(node.id) != nullptr &&
                      std::ranges::find(dataset.clustering_spec->columns, node.name) !=
                          dataset.clustering_spec->columns.end();
  if (is_key || is_named || !ZonemapSegmentsOf(manifest, node.id).empty()) {
    fields->with_statistics.push_back(field);
  }
}

bool FilterMaker::CanAskForItems(const Dataset& dataset, const Column& column) {
  if (column.literals.empty()) return false;
  const std::string sql = "array_has(" + column.sql + ", " + column.literals.front() + ")";
  return filter::BoundFilter::Make(sql, dataset.impl().manifest().schema).ok();
}

arrow::Result<std::vector<std::string>> FilterMaker::LiteralsOf(const Dataset& dataset,
                                                                const std::string& sql,
                                                                const CallOptions& call) {
  constexpr uint64_t kMostRows = 64;
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, dataset.CountRows(std::nullopt, call));
  TakeRequest request{.computed_columns = {{.name = "value", .expression = sql}}};
  for (uint64_t i = 0; i < std::min(kMostRows, num_rows); ++i) {
    request.rows.push_back(Below(num_rows));
  }
  ARROW_ASSIGN_OR_RAISE(const auto rows, Take(dataset, request, call));
  std::vector<std::string> literals;
  for (const auto& chunk : rows->column(0)->chunks()) {
    std::shared_ptr<arrow::Array> values = chunk;
    if (chunk->type_id() == arrow::Type::LIST) {
      ARROW_ASSIGN_OR_RAISE(values, static_cast<const arrow::ListArray&>(*chunk).Flatten());
    } else if (chunk->type_id() == arrow::Type::LARGE_LIST) {
      ARROW_ASSIGN_OR_RAISE(values, static_cast<const arrow::LargeListArray&>(*chunk).Flatten());
    }
    const auto most_values = static_cast<int64_t>(kMostRows);
    for (int64_t i = 0; i < std::min(values->length(), most_values); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto scalar, values->GetScalar(i));
      auto text = filter::ScalarSql(*scalar);
      if (!text) continue;
      literals.push_back(values == chunk ? *text : ElementSql(*text, *values->type()));
    }
  }
  return literals;
}

std::string FilterMaker::Leaf() {
  const Column& column = columns_[Below(columns_.size())];
  const auto literal = [&] { return column.literals[Below(column.literals.size())]; };
  if (column.literals.empty() || Below(10) == 0) {
    return column.sql + (Below(2) == 0 ? " IS NULL" : " IS NOT NULL");
  }
  if (column.is_list) {
    constexpr std::array<const char*, 2> kFunctions = {"array_has_any", "array_has_all"};
    if (Below(2) == 0) return "array_has(" + column.sql + ", " + literal() + ")";
    // Not [a, b]: there 5 and 5.5 have two types, and infinity is no literal.
    return std::string(kFunctions[Below(2)]) + "(" + column.sql + ", make_array(" + literal() +
           ", " + literal() + "))";
  }
  constexpr std::array<const char*, 7> kOperators = {
      " = ", " = ", " < ", " <= ", " > ", " >= ", " <> "};
  switch (Below(4)) {
    case 0:
      return column.sql + " BETWEEN " + literal() + " AND " + literal();
    case 1:
      return column.sql + " IN (" + literal() + ", " + literal() + ", " + literal() + ")";
    default:
      return column.sql + kOperators[Below(kOperators.size())] + literal();
  }
}

}  // namespace lance
