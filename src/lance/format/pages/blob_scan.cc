#include <cstring>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/format/pages/page_scan.h"

namespace lance::format {
namespace {

// Descriptors are packed values of these members (file-format 8.6).
enum Member : size_t { kPosition = 0, kSize = 1 };

const LeafPath& DescriptorPath() {
  static const LeafPath path{.layers = {PathLayer{}}};
  return path;
}

/// See MakeBlobScan.
class BlobScan : public PageScan {
 public:
  BlobScan(const LeafScope& scope, PageRead read, HeaderSlot slot)
      : scope_(scope),
        layers_(*slot.header->layout.blob_layers),
        descriptors_(MakeMiniBlockScan(scope, DescriptorPath(), std::move(read), slot)) {}

  void PlanHeader(RangeBatch* batch) override { descriptors_->PlanHeader(batch); }
  arrow::Status PlanIndex(RangeBatch* batch) override { return descriptors_->PlanIndex(batch); }
  arrow::Status PlanData(RangeBatch* batch) override { return descriptors_->PlanData(batch); }

  uint64_t EstimateValues() const override { return descriptors_->EstimateValues(); }

  arrow::Status Decode(RangeBatch* batch, LeafBuilder* out) override {
    LeafBuilder descriptors(scope_.target.shape, out->values()->bytes.pool());
    ARROW_RETURN_NOT_OK(descriptors_->Decode(batch, &descriptors));
    ValueBuffer* const values = descriptors.values();
    std::vector<uint16_t> def(values->num_values);
    for (uint64_t i = 0; i < values->num_values; ++i) {
      ARROW_RETURN_NOT_OK(TakeLevel(i, values, &def[i]));
    }
    out->AppendDef(def);
    return AppendValues(*values, 0, values->num_values, out->values());
  }

 private:
  /// Split descriptor `i` into its level and a position and size that are 0 for nulls.
  arrow::Status TakeLevel(uint64_t i, ValueBuffer* values, uint16_t* def) const {
    std::byte* const position_at = values->members[kPosition].bytes.data() + i * sizeof(uint64_t);
    const auto position = LoadLittleEndian<uint64_t>(position_at);
    const auto size =
        LoadLittleEndian<uint64_t>(values->members[kSize].bytes.data() + i * sizeof(uint64_t));
    if (size > 0) {
      *def = 0;
      if (position <= scope_.file_size && size <= scope_.file_size - position) {
        return arrow::Status::OK();
      }
      return arrow::Status::SerializationError("blob ", i, " of those read is [", position, ", +",
                                               size, "), the file has ", scope_.file_size,
                                               " bytes");
    }
    // A blob of no bytes at position 0 is empty; elsewhere the position is the levels.
    const uint64_t rep = position & 0xFFFF;
    const uint64_t claimed_def = position >> 16;
    if (rep != 0 || claimed_def > layers_.max_def) {
      return arrow::Status::SerializationError(
          "blob ", i, " of those read has levels ", rep, " and ", claimed_def,
          ", the page's layers have 0 and ", layers_.max_def, " at most");
    }
    *def = layers_.canonical[claimed_def];
    std::memset(position_at, 0, sizeof(uint64_t));
    return arrow::Status::OK();
  }

  const LeafScope& scope_;
  const PageLayers& layers_;
  std::unique_ptr<PageScan> descriptors_;
};

}  // namespace

std::unique_ptr<PageScan> MakeBlobScan(const LeafScope& scope, PageRead read, HeaderSlot slot) {
  return std::make_unique<BlobScan>(scope, std::move(read), std::move(slot));
}

}  // namespace lance::format
