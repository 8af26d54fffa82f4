#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/v20/page_builder.h"

namespace lance::format::v20 {

/// Makes pages of packed structs: rows of fixed-width members without nulls (file-format 4.2).
class PackedPageBuilder : public PageBuilder {
 public:
  /// \return NotImplemented + UnsupportedFeature naming a member that is not of whole bytes
  static arrow::Result<std::unique_ptr<PackedPageBuilder>> Make(const arrow::DataType& type,
                                                                arrow::MemoryPool* pool);

  arrow::Result<int64_t> Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  uint64_t num_rows() const override { return num_rows_; }
  uint64_t pending_bytes() const override { return rows_.size(); }
  uint64_t BytesOf(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Result<ArrayEncoding> Build(std::vector<std::shared_ptr<arrow::Buffer>>* buffers) override;

 private:
  explicit PackedPageBuilder(arrow::MemoryPool* pool) : rows_(pool) {}

  std::vector<PackedMember> members_;
  std::vector<uint64_t> member_bytes_;
  uint64_t row_bytes_ = 0;
  ByteBuffer rows_;
  uint64_t num_rows_ = 0;
};

}  // namespace lance::format::v20
