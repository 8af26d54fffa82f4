#include "lance/format/levels/layers.h"

#include <limits>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

/// What a row may be made of at most: pages count their entries in 32 bits.
constexpr uint64_t kMaxEntriesPerRow = std::numeric_limits<uint32_t>::max();

/// The definition levels that a layer owns in memory.
uint16_t NumLevels(const PathLayer& layer) { return layer.is_list ? 2 : 1; }

PathLayer LayerOf(const FieldNode& node) {
  switch (node.kind) {
    case FieldKind::kList:
    case FieldKind::kMap:
      return {.is_list = true};
    case FieldKind::kFixedSizeListOfStruct: {
      const auto& type = static_cast<const arrow::FixedSizeListType&>(*node.type);
      return {.dimension = static_cast<uint32_t>(type.list_size())};
    }
    case FieldKind::kLeaf:
    case FieldKind::kStruct:
    case FieldKind::kPackedStruct:
    case FieldKind::kBlob:
    case FieldKind::kBlobV2:
      break;
  }
  return {};
}

/// Walks a field from the root and notes the layers above every leaf.
class PathCollector {
 public:
  arrow::Status Visit(const FieldNode& node) {
    if (above_.size() >= kMaxDepth) {
      return arrow::Status::Invalid("field \"", node.name, "\" is nested ", above_.size() + 1,
                                    " deep; allowed: ", kMaxDepth);
    }
    above_.push_back(&node);
    ARROW_RETURN_NOT_OK(CheckLayers(node));
    if (node.is_column()) {
      AddPath();
    } else {
      for (const FieldNode& child : node.children) ARROW_RETURN_NOT_OK(Visit(child));
    }
    above_.pop_back();
    return arrow::Status::OK();
  }

  std::vector<LeafPath> TakePaths() { return std::move(paths_); }

 private:
  /// Far above what schemas may have; keeps levels in 16 bits.
  static constexpr size_t kMaxDepth = 1000;

  void AddPath() {
    LeafPath path;
    for (auto node = above_.rbegin(); node != above_.rend(); ++node) {
      path.layers.push_back(LayerOf(**node));
    }
    paths_.push_back(std::move(path));
  }

  arrow::Status CheckLayers(const FieldNode& node) const {
    bool has_list = false;
    bool has_fixed_size_list = false;
    uint64_t entries = 1;
    for (const FieldNode* const above : above_) {
      const PathLayer layer = LayerOf(*above);
      if (layer.dimension == 0 || layer.dimension > kMaxEntriesPerRow / entries) {
        return arrow::Status::Invalid("field \"", node.name, "\" has dimension ", layer.dimension,
                                      " in lists of fixed size; allowed: 1 to ", kMaxEntriesPerRow,
                                      " items in a row");
      }
      entries *= layer.dimension;
      has_list |= layer.is_list;
      has_fixed_size_list |= above->kind == FieldKind::kFixedSizeListOfStruct;
    }
    if (!has_list || !has_fixed_size_list) return arrow::Status::OK();
    return UnsupportedError(
        "lists and fixed-size lists of struct in each other",
        "field \"" + node.name + "\" has a list and a fixed-size list of struct in each other");
  }

  std::vector<const FieldNode*> above_;  // outermost first
  std::vector<LeafPath> paths_;
};

bool CanHoldNull(LayerKind kind) {
  return kind == LayerKind::kNullableItem || kind == LayerKind::kNullableList ||
         kind == LayerKind::kNullAndEmptyList;
}

bool CanHoldEmpty(LayerKind kind) {
  return kind == LayerKind::kEmptyableList || kind == LayerKind::kNullAndEmptyList;
}

bool IsListKind(LayerKind kind) {
  return kind != LayerKind::kAllValidItem && kind != LayerKind::kNullableItem;
}

/// Number the levels of a page. \pre kinds are the path's layers
PageLayers NumberLevels(std::vector<LayerKind> kinds, const LeafPath& path) {
  PageLayers page;
  page.canonical = {0};
  bool is_inside_lists = false;
  uint16_t null_level = 1;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const PathLayer& layer = path.layers[i];
    if (layer.is_list && !is_inside_lists) {
      page.max_visible_def = static_cast<uint16_t>(page.canonical.size() - 1);
      is_inside_lists = true;
    }
    if (CanHoldNull(kinds[i])) page.canonical.push_back(null_level);
    if (CanHoldEmpty(kinds[i])) page.canonical.push_back(null_level + 1);
    null_level += NumLevels(layer);
  }
  page.kinds = std::move(kinds);
  page.max_rep = path.max_rep();
  page.max_def = static_cast<uint16_t>(page.canonical.size() - 1);
  if (!is_inside_lists) page.max_visible_def = page.max_def;
  return page;
}

LayerKind ChooseListKind(bool has_null, bool has_empty) {
  if (has_null) return has_empty ? LayerKind::kNullAndEmptyList : LayerKind::kNullableList;
  return has_empty ? LayerKind::kEmptyableList : LayerKind::kAllValidList;
}

}  // namespace

uint16_t LeafPath::max_rep() const {
  uint16_t num_lists = 0;
  for (const PathLayer& layer : layers) num_lists += layer.is_list ? 1 : 0;
  return num_lists;
}

uint16_t LeafPath::max_def() const { return static_cast<uint16_t>(null_level(layers.size()) - 1); }

uint16_t LeafPath::max_visible_def() const {
  uint16_t num_levels = 0;
  for (const PathLayer& layer : layers) {
    if (layer.is_list) break;
    num_levels += NumLevels(layer);
  }
  return num_levels;
}

uint16_t LeafPath::null_level(size_t i) const {
  LANCE_DCHECK(i <= layers.size());
  uint16_t level = 1;
  for (size_t k = 0; k < i; ++k) level += NumLevels(layers[k]);
  return level;
}

uint64_t LeafPath::entries_per_row() const {
  uint64_t entries = 1;
  for (const PathLayer& layer : layers) entries *= layer.dimension;
  return entries;
}

arrow::Result<std::vector<LeafPath>> PathsOf(const FieldNode& node) {
  PathCollector collector;
  ARROW_RETURN_NOT_OK(collector.Visit(node));
  return collector.TakePaths();
}

arrow::Result<PageLayers> ParsePageLayers(std::span<const int> kinds, const LeafPath& path) {
  if (kinds.size() != path.layers.size()) {
    return arrow::Status::SerializationError("the page has ", kinds.size(),
                                             " layers, its column has ", path.layers.size());
  }
  std::vector<LayerKind> parsed;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] < static_cast<int>(LayerKind::kAllValidItem) ||
        kinds[i] > static_cast<int>(LayerKind::kNullAndEmptyList)) {
      return arrow::Status::SerializationError("layer ", i, " of the page is ", kinds[i],
                                               "; allowed: 1 to 6");
    }
    parsed.push_back(static_cast<LayerKind>(kinds[i]));
    if (IsListKind(parsed.back()) != path.layers[i].is_list) {
      const char* const expected = path.layers[i].is_list ? "2, 4, 5, 6" : "1, 3";
      return arrow::Status::SerializationError("layer ", i, " of the page is ", kinds[i],
                                               "; its column allows ", expected);
    }
  }
  return NumberLevels(std::move(parsed), path);
}

PageLayers ChoosePageLayers(const LeafPath& path, const std::vector<bool>& has_level) {
  LANCE_DCHECK(has_level.size() == size_t{path.max_def()} + 1);
  std::vector<LayerKind> kinds;
  size_t level = 1;
  for (const PathLayer& layer : path.layers) {
    if (layer.is_list) {
      kinds.push_back(ChooseListKind(has_level[level], has_level[level + 1]));
    } else {
      kinds.push_back(has_level[level] ? LayerKind::kNullableItem : LayerKind::kAllValidItem);
    }
    level += NumLevels(layer);
  }
  return NumberLevels(std::move(kinds), path);
}

}  // namespace lance::format
