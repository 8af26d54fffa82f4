#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

// Values of the bits that code asks for (table-format 6.1).
inline constexpr uint64_t kDeletionFilesFlag = 1;
inline constexpr uint64_t kStableRowIdsFlag = 2;
inline constexpr uint64_t kV2DataFilesFlag = 4;
inline constexpr uint64_t kTableConfigFlag = 8;
inline constexpr uint64_t kBasePathsFlag = 16;
inline constexpr uint64_t kNoTransactionFileFlag = 32;
inline constexpr uint64_t kCoveredIndexMetadataFlag = 128;
inline constexpr uint64_t kMixedDataVersionsFlag = 256;
inline constexpr uint64_t kLineageInColumnsFlag = 2048;
inline constexpr uint64_t kFieldIdsNeverReusedFlag = 32768;
inline constexpr uint64_t kObjectMetadataFlag = 131072;

/// Whether the rows of a table are called by ids that stay (table-format 8.2).
bool HasStableRowIds(const Manifest& manifest);

/// What this version does about one bit.
struct FeatureFlag {
  int bit;
  std::string_view name;
  bool can_read;   // with the bit in the reader word
  bool can_write;  // with the bit in either word
  bool is_paired;  // in both words or in none; anything else is corruption
  bool is_sticky;  // stays in all later versions
};

/// The bits that have a name, ascending. Every other bit refuses reading and writing.
std::span<const FeatureFlag> KnownFeatureFlags();

/// Check whether this version may read the table.
///
/// \return NotImplemented + UnsupportedFeature naming the lowest bit that stands in the way, or
///   SerializationError for words that contradict each other
arrow::Status CheckReadable(const Manifest& manifest);

/// Check whether this version may commit on top of a manifest; includes CheckReadable.
///
/// \return NotImplemented + UnsupportedFeature naming the lowest bit that stands in the way
arrow::Status CheckWritable(const Manifest& manifest);

/// Both words of a manifest.
struct FeatureFlags {
  uint64_t reader = 0;
  uint64_t writer = 0;

  bool operator==(const FeatureFlags&) const = default;
};

/// The words that a manifest must have by its content, with the sticky bits that it has already.
FeatureFlags ComputeFlags(const Manifest& manifest);

}  // namespace lance::table
