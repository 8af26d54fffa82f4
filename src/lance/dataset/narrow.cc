#include "lance/dataset/narrow.h"

#include <utility>

#include "arrow/api.h"

namespace lance {

namespace {

const arrow::StructType& StructOf(const arrow::DataType& type) {
  return static_cast<const arrow::StructType&>(type);
}

/// Whether values of two types are put together alike: structs, or lists of one kind.
bool HaveOneForm(const arrow::DataType& left, const arrow::DataType& right) {
  if (left.id() != right.id()) return false;
  if (left.id() == arrow::Type::FIXED_SIZE_LIST) {
    return static_cast<const arrow::FixedSizeListType&>(left).list_size() ==
           static_cast<const arrow::FixedSizeListType&>(right).list_size();
  }
  return left.id() == arrow::Type::STRUCT || left.id() == arrow::Type::LIST ||
         left.id() == arrow::Type::LARGE_LIST;
}

/// The place of a child of a type in another of that form; lists have one. -1: none.
int PlaceOf(const std::string& child, const arrow::DataType& type) {
  return type.id() == arrow::Type::STRUCT ? StructOf(type).GetFieldIndex(child) : 0;
}

std::shared_ptr<arrow::ArrayData> NarrowData(const std::shared_ptr<arrow::ArrayData>& data,
                                             const std::shared_ptr<arrow::DataType>& part) {
  if (data->type->Equals(*part)) return data;
  auto narrowed = data->Copy();
  narrowed->type = part;
  narrowed->child_data.clear();
  for (const auto& member : part->fields()) {
    const int place = PlaceOf(member->name(), *data->type);
    narrowed->child_data.push_back(
        NarrowData(data->child_data[static_cast<size_t>(place)], member->type()));
  }
  return narrowed;
}

}  // namespace

bool HoldsMembersOf(const arrow::DataType& type, const arrow::DataType& part) {
  if (type.Equals(part)) return true;
  if (!HaveOneForm(type, part)) return false;
  for (const auto& member : part.fields()) {
    const int place = PlaceOf(member->name(), type);
    if (place < 0 || !HoldsMembersOf(*type.field(place)->type(), *member->type())) return false;
  }
  return true;
}

std::shared_ptr<arrow::Array> NarrowTo(const std::shared_ptr<arrow::Array>& array,
                                       const std::shared_ptr<arrow::DataType>& part) {
  return arrow::MakeArray(NarrowData(array->data(), part));
}

arrow::Result<std::shared_ptr<arrow::Array>> MemberOf(std::shared_ptr<arrow::Array> array,
                                                      const std::vector<std::string>& path) {
  for (const std::string& name : path) {
    const int place =
        array->type_id() == arrow::Type::STRUCT ? StructOf(*array->type()).GetFieldIndex(name) : -1;
    if (place < 0) {
      return arrow::Status::UnknownError("internal: no member ", name, " in ",
                                         array->type()->ToString());
    }
    ARROW_ASSIGN_OR_RAISE(array,
                          static_cast<const arrow::StructArray&>(*array).GetFlattenedField(place));
  }
  return array;
}

}  // namespace lance
