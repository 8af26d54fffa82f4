#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/v20/page_builder.h"

namespace lance::format::v20 {

/// How pages of text or binary values are made. A plain value.
struct BinaryPageOptions {
  /// Whether pages with few distinct values get a dictionary.
  bool may_use_dictionary = false;
  Compression compression = Compression::kDefault;
  std::optional<int> compression_level;
};

/// Makes pages of text or binary values: Binary, Fsst, or a Dictionary of them (file-format 4.2).
class BinaryPageBuilder : public PageBuilder {
 public:
  BinaryPageBuilder(const BinaryPageOptions& options, arrow::MemoryPool* pool);

  arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  uint64_t num_rows() const override { return offsets_.size() / sizeof(uint64_t) - 1; }
  uint64_t pending_bytes() const override;
  uint64_t BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Result<ArrayEncoding> Build(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override;

  /// Append a row that is not null.
  void AppendValue(std::span<const std::byte> value);
  void AppendNull();

 private:
  template <typename Array>
  void AppendRows(const Array& array, int64_t begin, int64_t end);

  uint64_t OffsetAt(uint64_t row) const;
  void AppendOffset(uint64_t offset);
  void Reset();

  arrow::Result<std::optional<ArrayEncoding>> BuildDictionary(
      std::vector<std::shared_ptr<arrow::Buffer>>* buffers) const;
  arrow::Result<FixedValues> BuildBytes(std::vector<std::shared_ptr<arrow::Buffer>>* buffers);
  std::optional<std::string> CompressValues();

  BinaryPageOptions options_;
  arrow::MemoryPool* pool_;
  ByteBuffer offsets_;  // u64: 0, then where each row ends in bytes_
  ByteBuffer bytes_;
  std::vector<uint64_t> null_rows_;  // they have no bytes
};

}  // namespace lance::format::v20
