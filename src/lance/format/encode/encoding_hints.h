#pragma once

#include <cstdint>
#include <optional>

#include "arrow/result.h"
#include "lance/format/field_tree.h"

namespace lance::format {

/// A general compressor, as field metadata ask for it.
enum class Compression : uint8_t { kDefault, kNone, kLz4, kZstd, kFsst };
/// Whether values are split into byte streams before they are compressed.
enum class ByteStreamSplitMode : uint8_t { kOff, kOn, kAuto };
/// Which layout pages must have.
enum class StructuralEncoding : uint8_t { kDefault, kMiniBlock, kFullZip };

/// What the metadata of a leaf say about its encoding. A plain value.
///
/// Source: file-format 3.4, which has the keys.
struct EncodingHints {
  Compression compression = Compression::kDefault;
  std::optional<int> compression_level;
  std::optional<double> rle_threshold;
  ByteStreamSplitMode byte_stream_split = ByteStreamSplitMode::kAuto;
  uint64_t dict_divisor = 2;
  double dict_size_ratio = 0.8;
  uint64_t dict_max_bytes = 8ull << 20;
  Compression dict_compression = Compression::kLz4;
  std::optional<int> dict_compression_level;
  uint64_t mini_chunk_bytes = 4096;
  /// Read from the top-level field.
  StructuralEncoding structural = StructuralEncoding::kDefault;
};

/// Read the hints of a leaf.
///
/// \param top the top-level field that the leaf is below, or the leaf itself
/// \return Invalid naming the key, its value and what is allowed
arrow::Result<EncodingHints> ParseEncodingHints(const FieldNode& top, const FieldNode& leaf);

}  // namespace lance::format
