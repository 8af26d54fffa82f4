#include "lance/testing/equal_arrays.h"

#include <utility>

#include "arrow/api.h"

namespace lance::testing {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;

/// A nested type with a child of another type.
std::shared_ptr<arrow::DataType> WithField(const arrow::DataType& type, int i,
                                           const std::shared_ptr<arrow::DataType>& child) {
  arrow::FieldVector fields = type.fields();
  fields[static_cast<size_t>(i)] = type.field(i)->WithType(child);
  switch (type.id()) {
    case arrow::Type::LIST:
      return arrow::list(fields[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(fields[0]);
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(fields[0]);
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(fields[0],
                                    static_cast<const arrow::FixedSizeListType&>(type).list_size());
    default:
      return arrow::struct_(fields);
  }
}

/// The values that a dictionary array's indices name.
arrow::Result<DataPtr> Decode(const DataPtr& data) {
  const arrow::DictionaryArray array(data);
  ARROW_ASSIGN_OR_RAISE(auto builder, arrow::MakeBuilder(array.dictionary()->type()));
  const arrow::ArraySpan values(*array.dictionary()->data());
  for (int64_t i = 0; i < array.length(); ++i) {
    ARROW_RETURN_NOT_OK(array.IsNull(i)
                            ? builder->AppendNull()
                            : builder->AppendArraySlice(values, array.GetValueIndex(i), 1));
  }
  ARROW_ASSIGN_OR_RAISE(const auto decoded, builder->Finish());
  return decoded->data();
}

DataPtr Plain(const DataPtr& data) {
  DataPtr result = data->Copy();
  if (data->type->id() == arrow::Type::DICTIONARY) {
    // As long as what a parent's offset counts from.
    result->offset = 0;
    result->length = data->offset + data->length;
    result->null_count = arrow::kUnknownNullCount;
    return Decode(result).ValueOrDie()->Slice(data->offset, data->length);
  }
  for (size_t i = 0; i < result->child_data.size(); ++i) {
    DataPtr& child = result->child_data[i];
    child = Plain(child);
    if (child->type->Equals(data->child_data[i]->type)) continue;
    result->type = WithField(*result->type, static_cast<int>(i), child->type);
  }
  return result;
}

}  // namespace

std::shared_ptr<arrow::Array> WithoutDictionaries(const std::shared_ptr<arrow::Array>& array) {
  return arrow::MakeArray(Plain(array->data()));
}

std::string Difference(const std::shared_ptr<arrow::Array>& actual,
                       const std::shared_ptr<arrow::Array>& expected) {
  const auto left = WithoutDictionaries(actual);
  const auto right = WithoutDictionaries(expected);
  if (!left->type()->Equals(right->type())) {
    return "type " + left->type()->ToString() + " is not " + right->type()->ToString();
  }
  if (left->Equals(*right, arrow::EqualOptions::Defaults().nans_equal(true))) return "";
  return "actual:\n" + left->ToString() + "\nexpected:\n" + right->ToString();
}

}  // namespace lance::testing
