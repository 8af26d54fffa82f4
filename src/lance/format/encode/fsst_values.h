#pragma once

#include <cstdint>
#include <string>

#include "arrow/result.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/encodings/fsst_encoder.h"

namespace lance::format {

/// Values of variable width, each compressed with one symbol table. Move-only.
struct FsstValues {
  std::string table;
  PageValues values;
};

/// A symbol table for the values of one page, tried on some of them. Borrows the values.
class FsstTrial {
 public:
  /// Learn a table. The sample depends on the values only, so equal pages give equal bytes.
  explicit FsstTrial(const PageValues& values);

  /// Estimate the bytes of all values when they are compressed, without offsets, with the table.
  uint64_t estimated_bytes() const { return estimated_bytes_; }

  /// Compress all values. \return CapacityError when they exceed what their offsets can hold
  arrow::Result<FsstValues> Compress(arrow::MemoryPool* pool) const;

 private:
  const PageValues& values_;
  FsstEncoder encoder_;
  uint64_t estimated_bytes_ = 0;
};

}  // namespace lance::format
