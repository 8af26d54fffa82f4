#include "lance/testing/validate_layout.h"

#include <memory>
#include <utility>

#include "arrow/api.h"

namespace lance::testing {
namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

/// A type of the same layout whose values may be anything.
TypePtr WithoutRanges(const TypePtr& type);

arrow::FieldVector WithoutRanges(const arrow::FieldVector& fields) {
  arrow::FieldVector replaced;
  for (const auto& field : fields)
    replaced.push_back(field->WithType(WithoutRanges(field->type())));
  return replaced;
}

TypePtr WithoutRanges(const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
      return arrow::int64();
    case arrow::Type::TIME32:
      return arrow::int32();
    case arrow::Type::DECIMAL128:
      return arrow::fixed_size_binary(16);
    case arrow::Type::DECIMAL256:
      return arrow::fixed_size_binary(32);
    case arrow::Type::LIST:
      return arrow::list(WithoutRanges(type->fields())[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(WithoutRanges(type->fields())[0]);
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(WithoutRanges(type->fields())[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          WithoutRanges(type->fields())[0],
          static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    case arrow::Type::STRUCT:
      return arrow::struct_(WithoutRanges(type->fields()));
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(*type);
      return arrow::dictionary(dictionary.index_type(), WithoutRanges(dictionary.value_type()));
    }
    default:
      return type;
  }
}

std::shared_ptr<arrow::ArrayData> WithoutRanges(const arrow::ArrayData& data) {
  auto copy = data.Copy();
  copy->type = WithoutRanges(data.type);
  for (auto& child : copy->child_data) child = WithoutRanges(*child);
  if (copy->dictionary != nullptr) copy->dictionary = WithoutRanges(*copy->dictionary);
  return copy;
}

}  // namespace

arrow::Status ValidateLayout(const arrow::Array& array) {
  return arrow::MakeArray(WithoutRanges(*array.data()))->ValidateFull();
}

}  // namespace lance::testing
