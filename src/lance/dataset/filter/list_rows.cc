#include "lance/dataset/filter/list_rows.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/float_order.h"
#include "lance/dataset/filter/literal.h"

namespace lance::filter {

namespace {

using arrow::Type;
using ArrayPtr = std::shared_ptr<arrow::Array>;

template <typename Visit>
int64_t VisitOffsets(const arrow::Array& lists, const Visit& visit) {
  switch (lists.type_id()) {
    case Type::LIST:
      return visit(static_cast<const arrow::ListArray&>(lists));
    case Type::LARGE_LIST:
      return visit(static_cast<const arrow::LargeListArray&>(lists));
    default:
      return visit(static_cast<const arrow::FixedSizeListArray&>(lists));
  }
}

ArrayPtr ValuesOf(const arrow::Array& lists) {
  switch (lists.type_id()) {
    case Type::LIST:
      return static_cast<const arrow::ListArray&>(lists).values();
    case Type::LARGE_LIST:
      return static_cast<const arrow::LargeListArray&>(lists).values();
    default:
      return static_cast<const arrow::FixedSizeListArray&>(lists).values();
  }
}

}  // namespace

bool IsListType(const arrow::DataType& type) {
  return type.id() == Type::LIST || type.id() == Type::LARGE_LIST ||
         type.id() == Type::FIXED_SIZE_LIST;
}

std::shared_ptr<arrow::DataType> ElementTypeOf(const arrow::DataType& type) {
  return static_cast<const arrow::BaseListType&>(type).value_type();
}

arrow::Result<ListRows> ListRows::Make(const arrow::Datum& datum) {
  ListRows rows;
  rows.is_scalar_ = datum.is_scalar();
  if (rows.is_scalar_ && !datum.scalar()->is_valid) {
    ARROW_ASSIGN_OR_RAISE(rows.lists_, arrow::MakeArrayOfNull(datum.type(), 1));
  } else if (rows.is_scalar_) {
    ARROW_ASSIGN_OR_RAISE(rows.lists_, arrow::MakeArrayFromScalar(*datum.scalar(), 1));
  } else {
    rows.lists_ = datum.make_array();
  }
  rows.values_ = ValuesOf(*rows.lists_);
  return rows;
}

bool ListRows::IsValid(int64_t row) const { return lists_->IsValid(is_scalar_ ? 0 : row); }

int64_t ListRows::begin(int64_t row) const {
  if (!IsValid(row)) return 0;
  return VisitOffsets(*lists_, [&](const auto& lists) {
    return static_cast<int64_t>(lists.value_offset(is_scalar_ ? 0 : row));
  });
}

int64_t ListRows::end(int64_t row) const {
  if (!IsValid(row)) return 0;
  return begin(row) + VisitOffsets(*lists_, [&](const auto& lists) {
           return static_cast<int64_t>(lists.value_length(is_scalar_ ? 0 : row));
         });
}

bool HasEqualityCodes(const arrow::DataType& type) {
  return type.id() == Type::NA || (IsComparableType(type) && type.id() != Type::HALF_FLOAT);
}

arrow::Result<std::vector<std::vector<int32_t>>> EqualityCodes(
    const std::vector<ArrayPtr>& arrays) {
  const auto& type = arrays.front()->type();
  if (!HasEqualityCodes(*type)) {
    return arrow::Status::NotImplemented("lists of ", type->ToString(), " are not looked into yet");
  }
  std::vector<std::vector<int32_t>> codes(arrays.size());
  for (size_t i = 0; i < arrays.size(); ++i) {
    codes[i].assign(static_cast<size_t>(arrays[i]->length()), -1);
  }
  if (type->id() == Type::NA) return codes;
  ARROW_ASSIGN_OR_RAISE(ArrayPtr all, arrow::Concatenate(arrays));
  if (arrow::is_floating(type->id())) {
    ARROW_ASSIGN_OR_RAISE(all, TotalOrderKeys(*all));
  }
  ARROW_ASSIGN_OR_RAISE(const auto encoded, arrow::compute::DictionaryEncode(all));
  const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*encoded.make_array());
  const auto& numbers = static_cast<const arrow::Int32Array&>(*dictionary.indices());
  int64_t place = 0;
  for (auto& part : codes) {
    for (int32_t& code : part) {
      if (numbers.IsValid(place)) code = numbers.Value(place);
      ++place;
    }
  }
  return codes;
}

arrow::Result<std::vector<uint64_t>> RanksOf(const ArrayPtr& values) {
  ArrayPtr keys = values;
  if (arrow::is_floating(values->type_id())) {
    ARROW_ASSIGN_OR_RAISE(keys, TotalOrderKeys(*values));
  }
  ARROW_ASSIGN_OR_RAISE(const auto order, arrow::compute::SortIndices(
                                              *keys, arrow::compute::ArraySortOptions::Defaults()));
  const auto& places = static_cast<const arrow::UInt64Array&>(*order);
  std::vector<uint64_t> ranks(static_cast<size_t>(places.length()));
  for (int64_t i = 0; i < places.length(); ++i) {
    ranks[places.Value(i)] = static_cast<uint64_t>(i);
  }
  return ranks;
}

arrow::Result<std::shared_ptr<arrow::BooleanArray>> EqualLists(const arrow::Datum& left,
                                                               const arrow::Datum& right,
                                                               int64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(const ListRows lefts, ListRows::Make(left));
  ARROW_ASSIGN_OR_RAISE(const ListRows rights, ListRows::Make(right));
  ARROW_ASSIGN_OR_RAISE(const auto codes, EqualityCodes({lefts.values(), rights.values()}));
  arrow::BooleanBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(num_rows));
  for (int64_t row = 0; row < num_rows; ++row) {
    if (!lefts.IsValid(row) || !rights.IsValid(row)) {
      builder.UnsafeAppendNull();
      continue;
    }
    builder.UnsafeAppend(
        std::equal(codes[0].begin() + lefts.begin(row), codes[0].begin() + lefts.end(row),
                   codes[1].begin() + rights.begin(row), codes[1].begin() + rights.end(row)));
  }
  std::shared_ptr<arrow::BooleanArray> equal;
  ARROW_RETURN_NOT_OK(builder.Finish(&equal));
  return equal;
}

}  // namespace lance::filter
