#include <cstring>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance/format/encode/column_writer.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance/format/encode/page_levels.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Where a payload is. Size 0: none; then the position is 0 for an empty payload, else the
/// definition level shifted by 16.
struct BlobDescriptor {
  uint64_t position = 0;
  uint64_t size = 0;
};

constexpr uint64_t kDescriptorBits = 8 * sizeof(BlobDescriptor);

/// Buffers descriptors until they make a page.
class BlobWriter : public ColumnWriter {
 public:
  explicit BlobWriter(ColumnRequest request) : request_(std::move(request)) {
    column_.encoding = PlainColumnEncoding();
  }

  arrow::Status Append(ShreddedLeaf leaf) override {
    uint64_t entry = 0;
    for (const auto& array : leaf.values) {
      const auto& blobs = static_cast<const arrow::LargeBinaryArray&>(*array);
      for (int64_t i = 0; i < blobs.length(); ++i, ++entry) {
        const uint16_t level = leaf.def.empty() ? 0 : leaf.def[entry];
        ARROW_RETURN_NOT_OK(AppendBlob(level, level == 0 ? blobs.GetView(i) : ""));
        if (pending_bytes() >= request_.options.max_page_bytes) ARROW_RETURN_NOT_OK(Finish());
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status Finish() override {
    if (descriptors_.empty()) return arrow::Status::OK();
    const std::vector<std::shared_ptr<arrow::Array>> no_values;
    const PageRows rows = {.leaf = request_.leaf,
                           .path = request_.path,
                           .num_rows = descriptors_.size(),
                           .num_entries = descriptors_.size(),
                           .rep = {},
                           .def = levels_,
                           .values = no_values};
    const PageLevels levels = MakePageLevels(rows);
    NumberDescriptors(levels);
    pb::PageLayout layout;
    SetLayers(levels, layout.mutable_blob_layout());
    ARROW_ASSIGN_OR_RAISE(const auto buffers,
                          WriteDescriptors(layout.mutable_blob_layout()->mutable_inner_layout()));
    ARROW_RETURN_NOT_OK(
        WritePage(PackEncoding(layout.SerializeAsString(), "lance.encodings21.PageLayout"), buffers,
                  descriptors_.size(), request_.sink, &column_));
    descriptors_.clear();
    levels_.clear();
    return arrow::Status::OK();
  }

  uint64_t pending_bytes() const override { return descriptors_.size() * sizeof(BlobDescriptor); }

  ColumnMetadata TakeColumn() override { return std::move(column_); }

 private:
  arrow::Status AppendBlob(uint16_t level, std::string_view payload) {
    BlobDescriptor descriptor;
    if (!payload.empty()) {
      ARROW_ASSIGN_OR_RAISE(const ByteRange range, request_.sink->AppendBuffer(payload));
      descriptor = {range.offset, range.length};
    }
    descriptors_.push_back(descriptor);
    levels_.push_back(level);
    return arrow::Status::OK();
  }

  /// Put the levels into the descriptors, as the page numbers them.
  void NumberDescriptors(const PageLevels& levels) {
    for (size_t i = 0; i < levels.def.size(); ++i) {
      if (levels.def[i] != 0) descriptors_[i].position = uint64_t{levels.def[i]} << 16;
    }
  }

  arrow::Result<std::vector<ByteBuffer>> WriteDescriptors(pb::PageLayout* layout) const {
    PageLevels levels;  // descriptors have none of their own
    levels.layers.kinds = {LayerKind::kAllValidItem};
    levels.num_rows = descriptors_.size();
    levels.num_entries = levels.num_visible = levels.num_valid = descriptors_.size();
    PageValues values(request_.options.pool);
    values.num_values = descriptors_.size();
    values.bits_per_value = kDescriptorBits;
    values.bytes = std::as_bytes(std::span(descriptors_));
    const auto encoder = MakeFlatEncoder(values, {64, 64});
    const EncodingRequest request = {
        .version = request_.version, .hints = request_.hints, .pool = request_.options.pool};
    return WriteMiniBlocks(levels, *encoder, nullptr, request, layout);
  }

  ColumnRequest request_;
  std::vector<BlobDescriptor> descriptors_;
  std::vector<uint16_t> levels_;
  ColumnMetadata column_;
};

}  // namespace

arrow::Result<std::unique_ptr<ColumnWriter>> MakeBlobWriter(ColumnRequest request) {
  if (request.path.max_rep() > 0 || request.path.entries_per_row() > 1) {
    return UnsupportedError("blobs in lists", "field \"" + request.name +
                                                  "\" holds blobs in lists, which cannot be read");
  }
  return std::make_unique<BlobWriter>(std::move(request));
}

}  // namespace lance::format
