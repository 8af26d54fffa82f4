#include "lance/dataset/row_order.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/dataset/filter/float_order.h"

namespace lance {
namespace {

using arrow::Datum;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using TablePtr = std::shared_ptr<arrow::Table>;

/// Values in a form that Arrow sorts as this library orders them.
arrow::Result<ArrayPtr> SortableValues(const ArrayPtr& values) {
  if (arrow::is_floating(values->type_id())) return filter::TotalOrderKeys(*values);
  if (values->type_id() == arrow::Type::DICTIONARY) {
    const auto& type = static_cast<const arrow::DictionaryType&>(*values->type());
    ARROW_ASSIGN_OR_RAISE(const auto plain, arrow::compute::Cast(values, type.value_type()));
    return plain.make_array();
  }
  return values;
}

arrow::Result<ArrayPtr> KeyOf(const arrow::ChunkedArray& column) {
  arrow::ArrayVector chunks = column.chunks();
  if (chunks.empty()) {
    ARROW_ASSIGN_OR_RAISE(chunks.emplace_back(), arrow::MakeEmptyArray(column.type()));
  }
  ARROW_ASSIGN_OR_RAISE(const auto values, arrow::Concatenate(chunks));
  return SortableValues(values);
}

arrow::compute::SortOrder DirectionOf(bool ascending) {
  return ascending ? arrow::compute::SortOrder::Ascending : arrow::compute::SortOrder::Descending;
}

arrow::Result<ArrayPtr> OrderOfOne(const ArrayPtr& key, const ColumnOrdering& ordering) {
  const arrow::compute::ArraySortOptions options(
      DirectionOf(ordering.ascending), ordering.nulls_first ? arrow::compute::NullPlacement::AtStart
                                                            : arrow::compute::NullPlacement::AtEnd);
  return arrow::compute::SortIndices(*key, options);
}

/// Sorting takes one place of nulls for all columns, so each that has some is told apart by a key
/// of its own.
arrow::Result<ArrayPtr> OrderOfSeveral(const arrow::ArrayVector& keys,
                                       const std::vector<ColumnOrdering>& order_by) {
  arrow::FieldVector fields;
  arrow::ArrayVector columns;
  std::vector<bool> directions;
  const auto add = [&](ArrayPtr key, bool ascending) {
    fields.push_back(arrow::field(std::to_string(fields.size()), key->type()));
    columns.push_back(std::move(key));
    directions.push_back(ascending);
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i]->null_count() > 0) {
      ARROW_ASSIGN_OR_RAISE(const auto is_null, arrow::compute::IsNull(keys[i]));
      add(is_null.make_array(), /*ascending=*/!order_by[i].nulls_first);
    }
    add(keys[i], order_by[i].ascending);
  }
  std::vector<arrow::compute::SortKey> sort_keys;
  sort_keys.reserve(directions.size());
  for (size_t i = 0; i < directions.size(); ++i) {
    sort_keys.emplace_back(std::to_string(i), DirectionOf(directions[i]));  // as `add` named it
  }
  const auto rows = arrow::RecordBatch::Make(arrow::schema(std::move(fields)), keys[0]->length(),
                                             std::move(columns));
  return arrow::compute::SortIndices(Datum(rows), arrow::compute::SortOptions(sort_keys));
}

}  // namespace

arrow::Result<TablePtr> SortRows(const TablePtr& table,
                                 const std::vector<ColumnOrdering>& order_by) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  arrow::ArrayVector keys;
  const auto num_outputs = static_cast<size_t>(table->num_columns()) - order_by.size();
  for (size_t i = 0; i < order_by.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(keys.emplace_back(),
                          KeyOf(*table->column(static_cast<int>(num_outputs + i))));
  }
  ARROW_ASSIGN_OR_RAISE(const auto order, keys.size() == 1 ? OrderOfOne(keys[0], order_by[0])
                                                           : OrderOfSeveral(keys, order_by));
  ARROW_ASSIGN_OR_RAISE(const auto sorted, arrow::compute::Take(table, order));
  return sorted.table();
}

arrow::Result<KeyBound> KeyBound::Make(const arrow::Table& first_rows,
                                       const std::vector<ColumnOrdering>& order_by) {
  KeyBound bound;
  bound.ordering_ = order_by.front();
  bound.place_ = first_rows.num_columns() - static_cast<int>(order_by.size());
  bound.is_only_ = order_by.size() == 1;
  ARROW_ASSIGN_OR_RAISE(const auto key,
                        KeyOf(*first_rows.column(bound.place_)->Slice(first_rows.num_rows() - 1)));
  ARROW_ASSIGN_OR_RAISE(bound.last_, key->GetScalar(0));
  return bound;
}

arrow::Result<Datum> KeyBound::MayBeFirst(const ArrayPtr& values) const {
  if (!last_->is_valid) {
    // Of nulls more may come only where another ordering decides among them.
    if (!ordering_.nulls_first) {
      if (is_only_) return arrow::compute::IsValid(values);
      return Datum(true);
    }
    if (is_only_) return Datum(false);
    return arrow::compute::IsNull(values);
  }
  ARROW_ASSIGN_OR_RAISE(const auto key, SortableValues(values));
  // Sorting is stable: a row that is equal to the last comes behind it.
  const std::string compare =
      std::string(ordering_.ascending ? "less" : "greater") + (is_only_ ? "" : "_equal");
  ARROW_ASSIGN_OR_RAISE(const auto is_before,
                        arrow::compute::CallFunction(compare, {key, Datum(last_)}));
  if (key->null_count() == 0) return is_before;
  return arrow::compute::CallFunction("coalesce", {is_before, Datum(ordering_.nulls_first)});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeyBound::Keep(
    const std::shared_ptr<arrow::RecordBatch>& batch) const {
  ARROW_ASSIGN_OR_RAISE(const Datum mask, MayBeFirst(batch->column(place_)));
  if (mask.is_scalar()) {
    return mask.scalar_as<arrow::BooleanScalar>().value ? batch : batch->Slice(0, 0);
  }
  if (mask.array_as<arrow::BooleanArray>()->true_count() == batch->num_rows()) return batch;
  ARROW_ASSIGN_OR_RAISE(const Datum kept, arrow::compute::Filter(batch, mask));
  return kept.record_batch();
}

}  // namespace lance
