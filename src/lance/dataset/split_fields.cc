#include "lance/dataset/split_fields.h"

#include <utility>

#include "arrow/api.h"
#include "arrow/buffer_builder.h"
#include "lance/base/status_detail.h"

namespace lance {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

/// \return whether anything of the field is left
bool Prune(const LeafFilter& keeps, format::FieldNode* node) {
  if (node->is_column()) return keeps(*node);
  std::erase_if(node->children, [&](format::FieldNode& child) { return !Prune(keeps, &child); });
  if (node->children.empty()) return false;
  *node = format::WithTypeOfChildren(std::move(*node));
  return true;
}

bool HaveSameNulls(const std::vector<ArrayPtr>& parts) {
  const arrow::Array& first = *parts[0];
  for (const ArrayPtr& part : parts) {
    if (part->null_count() != first.null_count()) return false;
  }
  if (first.null_count() == 0) return true;
  for (int64_t row = 0; row < first.length(); ++row) {
    for (const ArrayPtr& part : parts) {
      if (part->IsNull(row) != first.IsNull(row)) return false;
    }
  }
  return true;
}

/// Null where every part is; null when none is.
arrow::Result<std::shared_ptr<arrow::Buffer>> JoinValidity(const std::vector<ArrayPtr>& parts,
                                                           arrow::MemoryPool* pool) {
  for (const ArrayPtr& part : parts) {
    if (part->null_count() == 0) return nullptr;
  }
  const int64_t length = parts[0]->length();
  arrow::TypedBufferBuilder<bool> builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(length));
  for (int64_t row = 0; row < length; ++row) {
    bool is_valid = false;
    for (const ArrayPtr& part : parts) is_valid = is_valid || part->IsValid(row);
    builder.UnsafeAppend(is_valid);
  }
  return builder.Finish();
}

arrow::Result<ArrayPtr> JoinStructs(const format::FieldNode& field,
                                    const std::vector<ArrayPtr>& parts, arrow::MemoryPool* pool) {
  // Where nulls differ, a value below a null struct must not come to light.
  const bool is_same = HaveSameNulls(parts);
  arrow::ArrayVector children;
  for (const format::FieldNode& child : field.children) {
    std::vector<ArrayPtr> found;
    for (const ArrayPtr& part : parts) {
      const auto& array = static_cast<const arrow::StructArray&>(*part);
      const int i = array.struct_type()->GetFieldIndex(child.name);
      if (i < 0) continue;
      if (is_same) {
        found.push_back(array.field(i));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(auto flat, array.GetFlattenedField(i, pool));
      found.push_back(std::move(flat));
    }
    ARROW_ASSIGN_OR_RAISE(
        auto joined, found.empty() ? arrow::MakeArrayOfNull(child.type, parts[0]->length(), pool)
                                   : JoinParts(child, found, pool));
    children.push_back(std::move(joined));
  }
  ARROW_ASSIGN_OR_RAISE(auto validity, JoinValidity(parts, pool));
  return std::make_shared<arrow::StructArray>(field.type, parts[0]->length(), std::move(children),
                                              std::move(validity));
}

template <typename ListArray>
arrow::Result<ArrayPtr> JoinLists(const format::FieldNode& field,
                                  const std::vector<ArrayPtr>& parts, arrow::MemoryPool* pool) {
  const auto& first = static_cast<const ListArray&>(*parts[0]);
  using Offset = typename ListArray::offset_type;
  arrow::TypedBufferBuilder<Offset> offsets(pool);
  ARROW_RETURN_NOT_OK(offsets.Append(0));
  const int64_t length = first.length();
  const bool is_same = HaveSameNulls(parts);
  for (int64_t row = 0; row < length; ++row) {
    for (const ArrayPtr& part : parts) {
      const auto& list = static_cast<const ListArray&>(*part);
      if (is_same && list.value_length(row) == first.value_length(row)) continue;
      return arrow::Status::SerializationError(
          "column ", field.name, " has parts in several data files, and they say that list ", row,
          " has ", first.value_length(row), " and ", list.value_length(row), " items");
    }
    ARROW_RETURN_NOT_OK(offsets.Append(first.value_offset(row + 1) - first.value_offset(0)));
  }
  std::vector<ArrayPtr> items;
  for (const ArrayPtr& part : parts) {
    const auto& list = static_cast<const ListArray&>(*part);
    const Offset begin = list.value_offset(0);
    items.push_back(list.values()->Slice(begin, list.value_offset(length) - begin));
  }
  ARROW_ASSIGN_OR_RAISE(auto values, JoinParts(field.children[0], items, pool));
  ARROW_ASSIGN_OR_RAISE(auto finished, offsets.Finish());
  ARROW_ASSIGN_OR_RAISE(auto validity, JoinValidity(parts, pool));
  return std::make_shared<ListArray>(field.type, length, std::move(finished), std::move(values),
                                     std::move(validity));
}

}  // namespace

format::FieldNode KeepLeaves(const format::FieldNode& field, const LeafFilter& keeps) {
  format::FieldNode kept = field;
  Prune(keeps, &kept);
  return kept;
}

arrow::Result<ArrayPtr> JoinParts(const format::FieldNode& field,
                                  const std::vector<ArrayPtr>& parts, arrow::MemoryPool* pool) {
  if (parts.size() == 1 && parts[0]->type()->Equals(*field.type)) return parts[0];
  switch (field.kind) {
    case format::FieldKind::kStruct:
      return JoinStructs(field, parts, pool);
    case format::FieldKind::kList:
      return field.type->id() == arrow::Type::LARGE_LIST
                 ? JoinLists<arrow::LargeListArray>(field, parts, pool)
                 : JoinLists<arrow::ListArray>(field, parts, pool);
    default:
      return UnsupportedError("columns split over data files",
                              "field " + field.name + " of type " + field.type->ToString() +
                                  " has parts in several data files, or not all of its parts");
  }
}

}  // namespace lance
