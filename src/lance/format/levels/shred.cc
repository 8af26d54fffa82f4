#include "lance/format/levels/shred.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/util/bit_util.h"
#include "lance/base/status_detail.h"
#include "lance/format/levels/slot_levels.h"
#include "lance/format/levels/storage_array.h"
#include "lance/format/levels/text.h"

namespace lance::format {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;

/// One bit a row of a dictionary array: whether its index and what it stands for are valid.
arrow::Result<std::shared_ptr<arrow::Buffer>> DictionaryValidity(
    const arrow::DictionaryArray& array, arrow::MemoryPool* pool) {
  const arrow::Array& values = *array.dictionary();
  ARROW_ASSIGN_OR_RAISE(auto bits, arrow::AllocateEmptyBitmap(array.length(), pool));
  for (int64_t i = 0; i < array.length(); ++i) {
    if (array.IsNull(i)) continue;
    const int64_t index = array.GetValueIndex(i);
    if (index < 0 || index >= values.length()) {
      return arrow::Status::Invalid("dictionary index is ", index, ", the dictionary has ",
                                    values.length(), " values");
    }
    if (values.IsValid(index)) arrow::bit_util::SetBit(bits->mutable_data(), i);
  }
  return bits;
}

/// Take some ranges of an array: a slice when it is one, else a copy.
arrow::Result<DataPtr> TakeRanges(const DataPtr& data, const ListItems& items,
                                  arrow::MemoryPool* pool) {
  if (items.ranges.empty()) return data->Slice(0, 0);
  const auto& [begin, end] = items.ranges.front();
  if (items.ranges.size() == 1) return data->Slice(begin, end - begin);
  arrow::ArrayVector slices;
  for (const auto& [first, behind] : items.ranges) {
    slices.push_back(arrow::MakeArray(data->Slice(first, behind - first)));
  }
  ARROW_ASSIGN_OR_RAISE(const auto whole, arrow::Concatenate(slices, pool));
  return whole->data();
}

bool IsOfKind(const arrow::DataType& type, const FieldNode& node) {
  switch (node.kind) {
    case FieldKind::kList:
      return type.id() == node.type->id();
    case FieldKind::kMap:
      return type.id() == arrow::Type::MAP;
    case FieldKind::kStruct:
      return type.id() == arrow::Type::STRUCT &&
             static_cast<size_t>(type.num_fields()) == node.children.size();
    case FieldKind::kFixedSizeListOfStruct:
      return type.id() == arrow::Type::FIXED_SIZE_LIST &&
             static_cast<const arrow::FixedSizeListType&>(type).list_size() ==
                 static_cast<const arrow::FixedSizeListType&>(*node.type).list_size();
    case FieldKind::kLeaf:
    case FieldKind::kPackedStruct:
    case FieldKind::kBlob:
    case FieldKind::kBlobV2:
      break;
  }
  return type.Equals(*node.type);
}

/// Walks an array from its root and puts together what its leaves see.
class Shredder {
 public:
  Shredder(std::vector<LeafPath> paths, arrow::MemoryPool* pool)
      : paths_(std::move(paths)), pool_(pool) {}

  arrow::Status Visit(const FieldNode& node, DataPtr data, SlotLevels slots) {
    const size_t name_length = name_.size();
    name_ += (name_.empty() ? "" : ".") + node.name;
    data = UnwrapExtension(std::move(data));
    if (node.is_column()) {
      ARROW_ASSIGN_OR_RAISE(data, ToStorageArray(std::move(data), node.type, pool_));
    }
    if (!IsOfKind(*data->type, node)) {
      return arrow::Status::Invalid("field \"", name_, "\" has type ", data->type->ToString(),
                                    "; its schema says ", node.type->ToString());
    }
    ARROW_RETURN_NOT_OK(VisitLayer(node, data, std::move(slots)));
    name_.resize(name_length);
    return arrow::Status::OK();
  }

  std::vector<ShreddedLeaf> TakeLeaves(uint64_t num_rows) {
    for (ShreddedLeaf& leaf : leaves_) leaf.num_rows = num_rows;
    return std::move(leaves_);
  }

 private:
  arrow::Status VisitLayer(const FieldNode& node, const DataPtr& data, SlotLevels slots) {
    switch (node.kind) {
      case FieldKind::kList:
      case FieldKind::kMap:
        return VisitList(node, *data, std::move(slots));
      case FieldKind::kFixedSizeListOfStruct:
        return VisitFixedSizeList(node, *data, std::move(slots));
      case FieldKind::kStruct:
        if (!node.children.empty()) return VisitStruct(node, *data, std::move(slots));
        return VisitEmptyStruct(node, data, std::move(slots));
      case FieldKind::kPackedStruct:
      case FieldKind::kBlobV2:
        return VisitPackedStruct(node, data, std::move(slots));
      case FieldKind::kLeaf:
      case FieldKind::kBlob:
        break;
    }
    return VisitLeaf(node, data, std::move(slots));
  }

  arrow::Status VisitList(const FieldNode& node, const arrow::ArrayData& data, SlotLevels slots) {
    auto items = AddList(data, &slots);
    if (!items.ok()) return WithContext(items.status(), "field \"" + name_ + "\"");
    ARROW_RETURN_NOT_OK(CheckNullable(node, items->has_null));
    ARROW_ASSIGN_OR_RAISE(auto child, TakeRanges(data.child_data[0], *items, pool_));
    return Visit(node.children[0], std::move(child), std::move(slots));
  }

  arrow::Status VisitFixedSizeList(const FieldNode& node, const arrow::ArrayData& data,
                                   SlotLevels slots) {
    ARROW_RETURN_NOT_OK(AddItemLayer(node, data, &slots));
    const int64_t dimension = static_cast<const arrow::FixedSizeListType&>(*node.type).list_size();
    RepeatSlots(static_cast<uint32_t>(dimension), &slots);
    auto child = data.child_data[0]->Slice(data.offset * dimension, data.length * dimension);
    return Visit(node.children[0], std::move(child), std::move(slots));
  }

  arrow::Status VisitStruct(const FieldNode& node, const arrow::ArrayData& data, SlotLevels slots) {
    ARROW_RETURN_NOT_OK(AddItemLayer(node, data, &slots));
    for (size_t i = 0; i < node.children.size(); ++i) {
      auto child = data.child_data[i]->Slice(data.offset, data.length);
      const bool is_last = i + 1 == node.children.size();
      ARROW_RETURN_NOT_OK(Visit(node.children[i], std::move(child),
                                is_last ? std::move(slots) : SlotLevels(slots)));
    }
    return arrow::Status::OK();
  }

  arrow::Status VisitEmptyStruct(const FieldNode& node, const DataPtr& data, SlotLevels slots) {
    // The only page of such a column is that of a column that is all null (file-format 8.3).
    if (paths_[leaves_.size()].layers.size() == 1 && data->GetNullCount() > 0) {
      return arrow::Status::Invalid("field \"", name_, "\" is a struct without members that has ",
                                    data->GetNullCount(),
                                    " null values, which data files cannot hold");
    }
    return VisitLeaf(node, data, std::move(slots));
  }

  arrow::Status VisitPackedStruct(const FieldNode& node, const DataPtr& data, SlotLevels slots) {
    const arrow::StructArray structs(data);
    for (int i = 0; i < structs.num_fields(); ++i) {
      const auto member = structs.field(i);
      if (member->null_count() == 0) continue;
      for (int64_t row = 0; row < structs.length(); ++row) {
        if (!member->IsNull(row) || structs.IsNull(row)) continue;
        return arrow::Status::Invalid("member \"", structs.struct_type()->field(i)->name(),
                                      "\" of the packed struct \"", name_,
                                      "\" has null values, which packed structs cannot hold");
      }
    }
    return VisitLeaf(node, data, std::move(slots));
  }

  arrow::Status VisitLeaf(const FieldNode& node, const DataPtr& data, SlotLevels slots) {
    ARROW_RETURN_NOT_OK(AddItemLayer(node, *data, &slots));
    const LeafPath& path = paths_[leaves_.size()];
    ToCanonical(path, &slots);
    const auto checked = CheckText(*data, HiddenValues(path, slots.def));
    ARROW_RETURN_NOT_OK(WithContext(checked, "field \"" + name_ + "\""));
    ShreddedLeaf leaf;
    leaf.num_entries = slots.num_entries;
    leaf.rep = std::move(slots.rep);
    leaf.def = std::move(slots.def);
    leaf.values.push_back(arrow::MakeArray(data));
    leaves_.push_back(std::move(leaf));
    return arrow::Status::OK();
  }

  /// Put the nulls of an item layer into the levels.
  arrow::Status AddItemLayer(const FieldNode& node, const arrow::ArrayData& data,
                             SlotLevels* slots) {
    if (data.type->id() == arrow::Type::NA) {
      return CheckNullable(node, AddNulls(nullptr, 0, slots));
    }
    if (data.type->id() == arrow::Type::DICTIONARY && data.dictionary->GetNullCount() > 0) {
      const arrow::DictionaryArray array(data.Copy());
      auto validity = DictionaryValidity(array, pool_);
      if (!validity.ok()) return WithContext(validity.status(), "field \"" + name_ + "\"");
      return CheckNullable(node, AddNulls((*validity)->data(), 0, slots));
    }
    if (data.GetNullCount() == 0) {
      AddAllValid(slots);
      return arrow::Status::OK();
    }
    return CheckNullable(node, AddNulls(data.buffers[0]->data(), data.offset, slots));
  }

  arrow::Status CheckNullable(const FieldNode& node, bool has_null) const {
    if (!has_null || node.nullable) return arrow::Status::OK();
    return arrow::Status::Invalid("field \"", name_,
                                  "\" has null values, but its schema says that it has none");
  }

  std::vector<LeafPath> paths_;
  arrow::MemoryPool* pool_;
  std::string name_;
  std::vector<ShreddedLeaf> leaves_;
};

}  // namespace

arrow::Result<std::vector<ShreddedLeaf>> ShredField(const FieldNode& node,
                                                    const std::shared_ptr<arrow::Array>& array,
                                                    arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto paths, PathsOf(node));
  const auto num_rows = static_cast<uint64_t>(array->length());
  Shredder shredder(std::move(paths), pool);
  ARROW_RETURN_NOT_OK(shredder.Visit(node, array->data(), SlotLevels(num_rows)));
  return shredder.TakeLeaves(num_rows);
}

}  // namespace lance::format
