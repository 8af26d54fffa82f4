#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "arrow/type_fwd.h"

namespace lance::fuzz {

/// What a file of fewer than 1 MiB may take from the memory pool at once, rows being read in
/// batches.
inline constexpr int64_t kMaxPoolBytes = int64_t{256} << 20;

/// The most rows that are asked for at once. A forged row count is legal for all-null columns;
/// nobody has to read all of it at once.
inline constexpr uint64_t kMaxRowsAtOnce = 10'000;

/// What came of reading a file. A plain value.
struct ReadReport {
  /// Whether the file could be opened, and whether everything could be read.
  bool is_open = false;
  bool is_whole = false;
  /// A promise that was broken; empty: none was.
  std::string defect;
};

/// Open bytes as a data file and read what they claim to have: metadata, page descriptions, global
/// buffers, every field as a whole and by ranges, every column by itself. Every array is validated.
ReadReport ReadDataFile(std::span<const std::byte> bytes, arrow::MemoryPool* pool);

}  // namespace lance::fuzz
