#include "lance/format/field_writer.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/check.h"
#include "lance/base/status_detail.h"
#include "lance/format/encode/array_size.h"
#include "lance/format/encode/column_writer.h"

namespace lance::format {
namespace {

/// What a leaf is below. A plain value.
struct LeafPlace {
  /// The names from the field to the leaf.
  std::string name;
  /// Whether the leaf and each field around it may be null, innermost first.
  std::vector<bool> nullable_layers;
};

/// Note the places of a field's leaves, in the order of LeavesOf.
void PlaceLeaves(const FieldNode& node, LeafPlace place, std::vector<LeafPlace>* places) {
  place.name += (place.name.empty() ? "" : ".") + node.name;
  place.nullable_layers.insert(place.nullable_layers.begin(), node.nullable);
  if (node.is_column()) {
    places->push_back(std::move(place));
    return;
  }
  for (const FieldNode& child : node.children) PlaceLeaves(child, place, places);
}

/// Writes the leaves of a field as columns.
class ShreddingFieldWriter : public FieldWriter {
 public:
  ShreddingFieldWriter(const FieldNode& node, const FieldWriterOptions& options)
      : node_(node), options_(options) {}

  arrow::Status Prepare(FileVersion version, PageSink* sink) {
    const std::vector<const FieldNode*> leaves = LeavesOf(node_);
    ARROW_ASSIGN_OR_RAISE(std::vector<LeafPath> paths, PathsOf(node_));
    std::vector<LeafPlace> places;
    PlaceLeaves(node_, {}, &places);
    LANCE_DCHECK(leaves.size() == paths.size() && leaves.size() == places.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      auto hints = ParseEncodingHints(node_, *leaves[i]);
      if (!hints.ok()) return WithContext(hints.status(), "field \"" + places[i].name + "\"");
      ARROW_ASSIGN_OR_RAISE(auto column,
                            MakeColumn({.leaf = *leaves[i],
                                        .name = std::move(places[i].name),
                                        .path = std::move(paths[i]),
                                        .nullable_layers = std::move(places[i].nullable_layers),
                                        .version = version,
                                        .hints = *hints,
                                        .options = options_,
                                        .sink = sink}));
      columns_.push_back(std::move(column));
    }
    return arrow::Status::OK();
  }

  arrow::Status Write(const std::shared_ptr<arrow::Array>& array) override {
    ARROW_RETURN_NOT_OK(Append(array));
    for (const auto& column : columns_) ARROW_RETURN_NOT_OK(column->LetGoOfInput());
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    for (const auto& column : columns_) ARROW_RETURN_NOT_OK(column->Finish());
    return arrow::Status::OK();
  }

  uint64_t pending_bytes() const override {
    uint64_t bytes = 0;
    for (const auto& column : columns_) bytes += column->pending_bytes();
    return bytes;
  }

  std::vector<ColumnMetadata> TakeColumns() override {
    std::vector<ColumnMetadata> columns;
    for (const auto& column : columns_) columns.push_back(column->TakeColumn());
    return columns;
  }

 private:
  arrow::Status Append(const std::shared_ptr<arrow::Array>& array) {
    if (array->length() == 0) return arrow::Status::OK();
    // Levels take memory, and so do values that are not one range of the input: cut first.
    const bool is_large = EstimateArrayBytes(*array->data()) > options_.max_page_bytes;
    if (is_large && array->length() > 1) {
      const int64_t half = array->length() / 2;
      ARROW_RETURN_NOT_OK(Append(array->Slice(0, half)));
      return Append(array->Slice(half));
    }
    ARROW_ASSIGN_OR_RAISE(auto leaves, ShredField(node_, array, options_.pool));
    LANCE_DCHECK(leaves.size() == columns_.size());
    for (size_t i = 0; i < leaves.size(); ++i) {
      ARROW_RETURN_NOT_OK(columns_[i]->Append(std::move(leaves[i])));
    }
    return arrow::Status::OK();
  }

  static arrow::Result<std::unique_ptr<ColumnWriter>> MakeColumn(ColumnRequest request) {
    switch (request.leaf.kind) {
      case FieldKind::kBlob:
        return MakeBlobWriter(std::move(request));
      case FieldKind::kBlobV2:
        return UnsupportedError("writing blob v2 columns",
                                "field \"" + request.name +
                                    "\" is a blob v2 column, which this version does not write");
      case FieldKind::kLeaf:
      case FieldKind::kStruct:
      case FieldKind::kList:
      case FieldKind::kMap:
      case FieldKind::kFixedSizeListOfStruct:
      case FieldKind::kPackedStruct:
        break;
    }
    return MakeLeafWriter(std::move(request));
  }

  FieldNode node_;
  FieldWriterOptions options_;
  std::vector<std::unique_ptr<ColumnWriter>> columns_;
};

// Larger pages would only cost memory; the bound keeps sums of sizes far from wrapping.
constexpr uint64_t kMaxPageBytes = uint64_t{1} << 30;

}  // namespace

arrow::Result<std::unique_ptr<FieldWriter>> MakeFieldWriter(const FieldNode& node,
                                                            FileVersion version,
                                                            const FieldWriterOptions& options,
                                                            PageSink* sink) {
  FieldWriterOptions checked = options;
  checked.max_page_bytes = std::clamp<uint64_t>(options.max_page_bytes, 1, kMaxPageBytes);
  if (checked.pool == nullptr) checked.pool = arrow::default_memory_pool();
  auto writer = std::make_unique<ShreddingFieldWriter>(node, checked);
  ARROW_RETURN_NOT_OK(writer->Prepare(version, sink));
  return writer;
}

}  // namespace lance::format
