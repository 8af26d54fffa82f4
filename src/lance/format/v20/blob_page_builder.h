#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/field_writer.h"
#include "lance/format/v20/page_builder.h"

namespace lance::format::v20 {

/// Writes the payloads of blobs as they come, and makes pages of where they are: PackedStruct of
/// position and size (file-format 4.2). null: (1, 0); empty: (0, 0).
class BlobPageBuilder : public PageBuilder {
 public:
  BlobPageBuilder(PageSink* payloads, arrow::MemoryPool* pool)
      : payloads_(payloads), descriptors_(pool) {}

  arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  uint64_t num_rows() const override { return descriptors_.size() / kDescriptorBytes; }
  uint64_t pending_bytes() const override { return descriptors_.size(); }
  uint64_t BytesOf(const arrow::Array&, int64_t begin, int64_t end) const override {
    return static_cast<uint64_t>(end - begin) * kDescriptorBytes;
  }
  arrow::Result<ArrayEncoding> Build(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override;

 private:
  static constexpr uint64_t kDescriptorBytes = 16;

  PageSink* payloads_;
  ByteBuffer descriptors_;
};

}  // namespace lance::format::v20
