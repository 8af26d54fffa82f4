#pragma once

#include <cstdint>
#include <memory>

#include "arrow/buffer_builder.h"
#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// Collects which slots are valid. Takes no memory until the first null comes. Thread-compatible.
class ValidityBuilder {
 public:
  explicit ValidityBuilder(arrow::MemoryPool* pool) : bits_(pool) {}

  uint64_t num_slots() const { return num_slots_; }
  uint64_t num_nulls() const { return static_cast<uint64_t>(bits_.false_count()); }
  uint64_t pending_bytes() const { return static_cast<uint64_t>(bits_.length()) / 8; }

  /// Append the validity of the rows [begin, end) of an array.
  arrow::Status Append(const arrow::Array& array, int64_t begin, int64_t end);

  /// How the nulls of the slots are stored; none are for no slots, as for only nulls.
  Nulls nulls() const;

  /// The bits, and start over. \return null when no slot is null
  arrow::Result<std::shared_ptr<arrow::Buffer>> Finish();

 private:
  arrow::TypedBufferBuilder<bool> bits_;
  uint64_t num_slots_ = 0;
};

}  // namespace lance::format::v20
