#include "lance/format/levels/storage_array.h"

#include <utility>

#include "arrow/api.h"

namespace lance::format {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;
using TypePtr = std::shared_ptr<arrow::DataType>;

template <typename View, typename Builder>
arrow::Result<DataPtr> CopyViews(const DataPtr& data, const TypePtr& wanted,
                                 arrow::MemoryPool* pool) {
  const View views(data);
  Builder builder(wanted, pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(views.length()));
  for (int64_t i = 0; i < views.length(); ++i) {
    ARROW_RETURN_NOT_OK(views.IsNull(i) ? builder.AppendNull() : builder.Append(views.GetView(i)));
  }
  std::shared_ptr<arrow::ArrayData> plain;
  ARROW_RETURN_NOT_OK(builder.FinishInternal(&plain));
  return plain;
}

/// Whether arrays of two types are laid out alike once their children are.
bool IsSameLayout(const arrow::DataType& type, const arrow::DataType& wanted) {
  if (type.id() != wanted.id() || type.num_fields() != wanted.num_fields()) return false;
  switch (type.id()) {
    case arrow::Type::STRUCT:
      return true;
    case arrow::Type::FIXED_SIZE_LIST:
      return static_cast<const arrow::FixedSizeListType&>(type).list_size() ==
             static_cast<const arrow::FixedSizeListType&>(wanted).list_size();
    case arrow::Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
      const auto& wanted_dictionary = static_cast<const arrow::DictionaryType&>(wanted);
      return dictionary.index_type()->Equals(wanted_dictionary.index_type()) &&
             dictionary.value_type()->Equals(wanted_dictionary.value_type());
    }
    default:
      return false;
  }
}

/// Give the children their wanted types, then the array itself when they all have them.
arrow::Result<DataPtr> ConvertChildren(DataPtr data, const TypePtr& wanted,
                                       arrow::MemoryPool* pool) {
  if (!IsSameLayout(*data->type, *wanted)) return data;
  DataPtr converted = data->Copy();
  for (int i = 0; i < wanted->num_fields(); ++i) {
    const TypePtr& child_type = wanted->field(i)->type();
    DataPtr& child = converted->child_data[static_cast<size_t>(i)];
    ARROW_ASSIGN_OR_RAISE(child, ToStorageArray(child, child_type, pool));
    if (!child->type->Equals(*child_type)) return data;
  }
  converted->type = wanted;
  return converted;
}

}  // namespace

DataPtr UnwrapExtension(DataPtr data) {
  while (data->type->id() == arrow::Type::EXTENSION) {
    data = data->Copy();
    data->type = static_cast<const arrow::ExtensionType&>(*data->type).storage_type();
  }
  return data;
}

arrow::Result<DataPtr> ToStorageArray(DataPtr data, const TypePtr& wanted,
                                      arrow::MemoryPool* pool) {
  data = UnwrapExtension(std::move(data));
  if (data->type->Equals(*wanted)) return data;
  const auto from = data->type->id();
  const auto to = wanted->id();
  if (from == arrow::Type::STRING_VIEW && to == arrow::Type::STRING) {
    return CopyViews<arrow::StringViewArray, arrow::StringBuilder>(data, wanted, pool);
  }
  if (from == arrow::Type::BINARY_VIEW && to == arrow::Type::BINARY) {
    return CopyViews<arrow::BinaryViewArray, arrow::BinaryBuilder>(data, wanted, pool);
  }
  return ConvertChildren(std::move(data), wanted, pool);
}

}  // namespace lance::format
