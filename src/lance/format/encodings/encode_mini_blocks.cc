#include <vector>

#include "lance/base/check.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/chunk_size.h"
#include "lance/format/encodings/codec.h"
#include "lance/format/encodings/flat.h"
#include "lance/format/encodings/inline_bitpacking.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance/format/encodings/variable.h"

namespace lance::format {

namespace {

/// Whether a group that does not shrink still fits a chunk with its levels.
bool FitPackedGroups(uint32_t bits_per_value, uint32_t level_bytes_per_value) {
  const uint64_t largest = bits_per_value / 8 + PackedGroupBytes(bits_per_value);
  return ChunkBytesBound(kGroupValues, largest, level_bytes_per_value) <= kMaxChunkBytes;
}

arrow::Result<EncodedMiniBlocks> EncodeFixedMiniBlocks(const ValueBuffer& values,
                                                       uint32_t level_bytes_per_value) {
  const uint32_t bits = values.bits_per_value;
  if (IsIntegerWidth(bits) && FitPackedGroups(bits, level_bytes_per_value)) {
    const std::vector<uint32_t> widths = ChooseGroupWidths(values);
    if (InlineBitpackedBytes(bits, widths) < values.bytes.size()) {
      return EncodeInlineBitpackingMiniBlocks(values, widths);
    }
  }
  return EncodeFlatMiniBlocks(values, level_bytes_per_value);
}

}  // namespace

arrow::Result<EncodedMiniBlocks> EncodeMiniBlocks(const ValueBuffer& values,
                                                  uint32_t level_bytes_per_value,
                                                  uint32_t offset_bits) {
  if (values.is_variable()) {
    LANCE_DCHECK(offset_bits == 32 || offset_bits == 64);
    LANCE_DCHECK(values.num_values == 0 || values.offsets.size() == values.num_values + 1);
    return EncodeVariableMiniBlocks(values, level_bytes_per_value, offset_bits);
  }
  LANCE_DCHECK(values.bits_per_value == 1 || values.bits_per_value % 8 == 0);
  LANCE_DCHECK(values.bytes.size() == (values.num_values * values.bits_per_value + 7) / 8);
  return EncodeFixedMiniBlocks(values, level_bytes_per_value);
}

}  // namespace lance::format
