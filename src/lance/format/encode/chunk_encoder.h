#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/file_version.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// The bytes of a chunk that do not belong to its values, about: its metadata word and its header.
inline constexpr uint64_t kChunkOverheadBytes = 12;

/// The reference's aim for the values of a chunk, and so ours where a choice is left.
inline constexpr uint64_t kTargetChunkBytes = 8186;

/// The most values that chunks of most encodings get: one row must not cost much to read.
inline constexpr uint64_t kTargetChunkValues = 4096;

/// The most values that readers take in a chunk (file-format 8.1).
inline constexpr uint64_t kMaxChunkValues = 32768;

/// A size with the padding behind it.
constexpr uint64_t PaddedBytes(uint64_t size) { return (size + 7) / 8 * 8; }

/// Makes the value buffers of mini-block chunks (file-format 9, context "mini"). Immutable; borrows
/// the page's values.
class ChunkEncoder {
 public:
  virtual ~ChunkEncoder() = default;

  /// Describe the encoding.
  virtual void Describe(lance_pb::encodings21::CompressiveEncoding* encoding) const = 0;

  /// How many value buffers a chunk has.
  virtual size_t num_buffers() const = 0;

  /// The values of the page.
  virtual uint64_t num_values() const = 0;

  /// The most values that a chunk which begins at value `first` should have: 1 or more.
  virtual uint64_t MaxValues(uint64_t first) const = 0;

  /// Bound the bytes of a chunk's buffers, each padded.
  virtual uint64_t BytesBound(uint64_t first, uint64_t count) const = 0;

  /// Append the buffers of values [first, first + count).
  ///
  /// \param buffers num_buffers() empty strings
  virtual arrow::Status Encode(uint64_t first, uint64_t count,
                               std::vector<std::string>* buffers) const = 0;

  /// Estimate the bytes of all chunks, padding and headers included: what encodings are compared
  /// by.
  virtual uint64_t estimated_bytes() const = 0;
};

/// Flat: values as they are.
///
/// \param member_bits the widths of packed struct members; empty: no packed struct
std::unique_ptr<ChunkEncoder> MakeFlatEncoder(const PageValues& values,
                                              std::vector<uint64_t> member_bits = {});

/// FixedSizeList{Flat}. \pre values came from CollectFixedSizeLists
std::unique_ptr<ChunkEncoder> MakeFixedSizeListEncoder(const PageValues& values,
                                                       const ValueShape& shape);

/// Describe nested fixed-size lists. \return where their items are to be described
lance_pb::encodings21::CompressiveEncoding* DescribeLists(
    const PageValues& values, const ValueShape& shape,
    lance_pb::encodings21::CompressiveEncoding* encoding);

/// InlineBitpacking.
///
/// \param widths the bits that each group of 1024 values needs
std::unique_ptr<ChunkEncoder> MakeBitpackingEncoder(const PageValues& values,
                                                    std::vector<uint8_t> widths);

/// Rle. \pre IsIntegerWidth(values.bits_per_value)
std::unique_ptr<ChunkEncoder> MakeRunEncoder(const PageValues& values, FileVersion version);

/// ByteStreamSplit. \pre 32 or 64 bits
std::unique_ptr<ChunkEncoder> MakeByteStreamSplitEncoder(const PageValues& values);

/// Variable.
///
/// \param chunk_bytes the aim for a chunk's offsets and bytes
/// \param fsst_table the symbol table with which the values are compressed already; empty: they are
///   not
std::unique_ptr<ChunkEncoder> MakeVariableEncoder(const PageValues& values, uint64_t chunk_bytes,
                                                  std::string fsst_table = {});

}  // namespace lance::format
