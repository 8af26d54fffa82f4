#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/buffer_builder.h"
#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/v20/page_builder.h"
#include "lance/format/v20/validity_builder.h"

namespace lance::format::v20 {

/// Makes pages of primitives, fixed-size lists of them, and the null type: Nullable over
/// FixedSizeList over Flat (file-format 4.2).
class FixedPageBuilder : public PageBuilder {
 public:
  /// \return NotImplemented + UnsupportedFeature for a type of another kind
  static arrow::Result<std::unique_ptr<FixedPageBuilder>> Make(const arrow::DataType& type,
                                                               arrow::MemoryPool* pool);

  arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  uint64_t num_rows() const override { return levels_[0].num_slots(); }
  uint64_t pending_bytes() const override;
  uint64_t BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Result<ArrayEncoding> Build(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override;

 private:
  FixedPageBuilder(uint64_t bits_per_value, std::vector<uint32_t> dimensions,
                   arrow::MemoryPool* pool);

  arrow::Status AppendValues(const arrow::Array& values, int64_t begin, int64_t end);
  arrow::Result<std::shared_ptr<arrow::Buffer>> FinishValues();

  uint64_t bits_per_value_;  // 0: the null type, which has no values
  std::vector<uint32_t> dimensions_;
  uint64_t items_per_row_ = 1;
  std::vector<ValidityBuilder> levels_;   // rows, then the items of each list
  arrow::TypedBufferBuilder<bool> bits_;  // values of 1 bit
  ByteBuffer bytes_;                      // other values
};

}  // namespace lance::format::v20
