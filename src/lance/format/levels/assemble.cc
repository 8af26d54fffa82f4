#include "lance/format/levels/assemble.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/levels/check_levels.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/leaf_array.h"
#include "lance/format/levels/level_scan.h"
#include "lance/format/levels/text.h"

namespace lance::format {
namespace {

using DataPtr = std::shared_ptr<arrow::ArrayData>;
using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsTypeOf(const TypePtr& type, const DataPtr& data) {
  return type == data->type || type->Equals(*data->type);
}

/// The type of a nested array whose children may be blobs that became descriptors.
TypePtr WithChildTypes(const TypePtr& type, const std::vector<DataPtr>& children) {
  arrow::FieldVector fields = type->fields();
  bool is_same = true;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (IsTypeOf(fields[i]->type(), children[i])) continue;
    fields[i] = fields[i]->WithType(children[i]->type);
    is_same = false;
  }
  if (is_same) return type;
  switch (type->id()) {
    case arrow::Type::LIST:
      return arrow::list(fields[0]);
    case arrow::Type::LARGE_LIST:
      return arrow::large_list(fields[0]);
    case arrow::Type::MAP:
      return std::make_shared<arrow::MapType>(
          fields[0], static_cast<const arrow::MapType&>(*type).keys_sorted());
    case arrow::Type::FIXED_SIZE_LIST:
      return arrow::fixed_size_list(
          fields[0], static_cast<const arrow::FixedSizeListType&>(*type).list_size());
    default:
      return arrow::struct_(std::move(fields));
  }
}

/// Builds the array of a field from the root on.
class Assembler {
 public:
  Assembler(std::vector<LeafPath> paths, std::vector<LeafColumn> leaves, arrow::MemoryPool* pool)
      : paths_(std::move(paths)), leaves_(std::move(leaves)), pool_(pool) {}

  arrow::Status Check(const std::vector<const FieldNode*>& nodes, uint64_t num_rows) const {
    for (size_t i = 0; i < leaves_.size(); ++i) {
      auto checked = CheckLevels(paths_[i], leaves_[i], num_rows);
      if (checked.ok() && HasValues(*LeafTypeOf(*nodes[i], leaves_[i]))) {
        checked = CheckNumValues(paths_[i], leaves_[i]);
      }
      ARROW_RETURN_NOT_OK(WithContext(checked, "field \"" + nodes[i]->name + "\""));
    }
    return arrow::Status::OK();
  }

  /// Build the array of a node below `depth` layers, whose next leaf is next_leaf_.
  arrow::Result<DataPtr> Visit(const FieldNode& node, size_t depth, uint64_t num_slots) {
    const LayerScan scan = ScanOf(next_leaf_, depth);
    if (!node.nullable && !IsNeverNull(node) && HasLevel(scan.null_level, leaves_[next_leaf_])) {
      return arrow::Status::SerializationError(
          "field \"", node.name, "\" has null values, but its schema says that it has none");
    }
    switch (node.kind) {
      case FieldKind::kList:
      case FieldKind::kMap:
        return VisitList(node, depth, num_slots);
      case FieldKind::kFixedSizeListOfStruct:
        return VisitFixedSizeList(node, depth, num_slots);
      case FieldKind::kStruct:
        if (!node.children.empty()) return VisitStruct(node, depth, num_slots);
        break;
      case FieldKind::kLeaf:
      case FieldKind::kPackedStruct:
      case FieldKind::kBlob:
      case FieldKind::kBlobV2:
        break;
    }
    return VisitLeaf(node, scan, num_slots);
  }

 private:
  /// Whether the next leaf's own nulls mean nothing: null arrays do not say what they hold, and
  /// columns of structs without members are written as if all were null (file-format 8.3).
  bool IsNeverNull(const FieldNode& node) const {
    return node.type->id() == arrow::Type::NA ||
           (node.kind == FieldKind::kStruct && node.children.empty() &&
            paths_[next_leaf_].layers.size() == 1);
  }

  LayerScan ScanOf(size_t leaf, size_t depth) const {
    return MakeLayerScan(paths_[leaf], paths_[leaf].layers.size() - 1 - depth);
  }

  /// The validity of the layer at `depth`, from the next leaf.
  arrow::Result<Validity> ItemValidity(const FieldNode& node, const LayerScan& scan,
                                       uint64_t num_slots) const {
    // What is null because of a layer outside is a dummy, which need not be null itself; only the
    // dummies of dictionary arrays may point nowhere.
    if (!node.nullable && node.type->id() != arrow::Type::DICTIONARY) return Validity{};
    return MakeItemValidity(scan, leaves_[next_leaf_], num_slots, pool_);
  }

  arrow::Result<DataPtr> VisitList(const FieldNode& node, size_t depth, uint64_t num_slots) {
    if (node.kind == FieldKind::kMap && node.children[0].children.size() != 2) {
      return arrow::Status::Invalid("map \"", node.name, "\" is read with ",
                                    node.children[0].children.size(),
                                    " children of its entries; allowed: key and value together");
    }
    const LeafColumn& leaf = leaves_[next_leaf_];
    const LayerScan scan = ScanOf(next_leaf_, depth);
    const uint64_t num_items = CountSlots(ScanOf(next_leaf_, depth + 1), leaf);
    const bool is_large = node.type->id() == arrow::Type::LARGE_LIST;
    if (!is_large && num_items > std::numeric_limits<int32_t>::max()) {
      return arrow::Status::CapacityError(
          "the lists of field \"", node.name, "\" have ", num_items, " items, type ",
          node.type->ToString(), " holds 2147483647 in one array; read fewer rows at once");
    }
    ARROW_ASSIGN_OR_RAISE(ListSlots lists, MakeListSlots(scan, leaf, num_slots, is_large, pool_));
    if (!node.nullable) lists.validity = {};
    ARROW_ASSIGN_OR_RAISE(DataPtr items, Visit(node.children[0], depth + 1, num_items));
    std::vector<DataPtr> children = {std::move(items)};
    TypePtr type = WithChildTypes(node.type, children);
    return arrow::ArrayData::Make(std::move(type), static_cast<int64_t>(num_slots),
                                  {std::move(lists.validity.bits), std::move(lists.offsets)},
                                  std::move(children), lists.validity.null_count);
  }

  arrow::Result<DataPtr> VisitFixedSizeList(const FieldNode& node, size_t depth,
                                            uint64_t num_slots) {
    const auto dimension = static_cast<const arrow::FixedSizeListType&>(*node.type).list_size();
    ARROW_ASSIGN_OR_RAISE(Validity validity,
                          ItemValidity(node, ScanOf(next_leaf_, depth), num_slots));
    ARROW_ASSIGN_OR_RAISE(DataPtr items, Visit(node.children[0], depth + 1,
                                               num_slots * static_cast<uint64_t>(dimension)));
    return MakeParent(node, num_slots, std::move(validity), {std::move(items)});
  }

  arrow::Result<DataPtr> VisitStruct(const FieldNode& node, size_t depth, uint64_t num_slots) {
    const size_t first = next_leaf_;
    const LayerScan scan = ScanOf(first, depth);
    ARROW_ASSIGN_OR_RAISE(Validity validity, ItemValidity(node, scan, num_slots));
    // All levels are compared before the members take them.
    size_t sibling = first;
    for (const FieldNode& child : node.children) {
      if (sibling != first &&
          !HaveSameSlots(scan, leaves_[first], ScanOf(sibling, depth), leaves_[sibling])) {
        return arrow::Status::SerializationError("members \"", node.children[0].name, "\" and \"",
                                                 child.name, "\" of struct \"", node.name,
                                                 "\" have different lists or nulls above them");
      }
      sibling += LeavesOf(child).size();
    }
    std::vector<DataPtr> members;
    for (const FieldNode& child : node.children) {
      ARROW_ASSIGN_OR_RAISE(DataPtr member, Visit(child, depth + 1, num_slots));
      members.push_back(std::move(member));
    }
    return MakeParent(node, num_slots, std::move(validity), std::move(members));
  }

  DataPtr MakeParent(const FieldNode& node, uint64_t num_slots, Validity validity,
                     std::vector<DataPtr> children) const {
    TypePtr type = WithChildTypes(node.type, children);
    return arrow::ArrayData::Make(std::move(type), static_cast<int64_t>(num_slots),
                                  {std::move(validity.bits)}, std::move(children),
                                  validity.null_count);
  }

  arrow::Result<DataPtr> VisitLeaf(const FieldNode& node, const LayerScan& scan,
                                   uint64_t num_slots) {
    const LeafPath& path = paths_[next_leaf_];
    LeafColumn& leaf = leaves_[next_leaf_];
    Validity validity;
    if (!IsNeverNull(node)) {
      ARROW_ASSIGN_OR_RAISE(validity, ItemValidity(node, scan, num_slots));
    }
    ++next_leaf_;
    auto array = MakeLeafArray(node, num_slots, std::move(validity), &leaf, pool_);
    if (!array.ok()) return WithContext(array.status(), "field \"" + node.name + "\"");
    const auto checked = CheckText(**array, HiddenValues(path, leaf.def));
    if (!checked.ok()) {
      return arrow::Status::SerializationError("field \"", node.name, "\": ", checked.message());
    }
    return array;
  }

  std::vector<LeafPath> paths_;
  std::vector<LeafColumn> leaves_;
  arrow::MemoryPool* pool_;
  size_t next_leaf_ = 0;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> AssembleField(const FieldNode& node, uint64_t num_rows,
                                                           std::vector<LeafColumn> leaves,
                                                           arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto paths, PathsOf(node));
  if (leaves.size() != paths.size()) {
    return InternalError("field \"" + node.name + "\" has " + std::to_string(paths.size()) +
                         " leaves, not " + std::to_string(leaves.size()));
  }
  Assembler assembler(std::move(paths), std::move(leaves), pool);
  ARROW_RETURN_NOT_OK(assembler.Check(LeavesOf(node), num_rows));
  ARROW_ASSIGN_OR_RAISE(auto data, assembler.Visit(node, 0, num_rows));
  return arrow::MakeArray(std::move(data));
}

}  // namespace lance::format
