#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/encode/fsst_values.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/encode/value_dictionary.h"
#include "lance/format/encode/value_statistics.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// How the values of a mini-block page are stored. Move-only; borrows the page's values and owns
/// all else that the encoder borrows.
struct MiniBlockValues {
  std::unique_ptr<ChunkEncoder> encoder;
  /// Null: values are stored themselves.
  std::unique_ptr<EncodedDictionary> dictionary;
  std::unique_ptr<ValueDictionary> distinct;
  std::unique_ptr<PageValues> codes;
  std::unique_ptr<FsstValues> fsst;

  uint64_t estimated_bytes() const {
    return encoder->estimated_bytes() + (dictionary != nullptr ? dictionary->bytes.size() : 0);
  }
};

// Each candidate is costed in bytes; the smallest wins, of equal ones the first in the order of
// file-format 11.4's simplicity: plain, packed, runs, dictionary, FSST, general compression.

/// How integers are stored, and their runs of equal values. Move-only.
struct IntegerChoice {
  std::unique_ptr<ChunkEncoder> encoder;
  /// No value: not counted.
  std::optional<uint64_t> num_runs;
};

/// Choose for integers, floats and whatever has 8, 16, 32 or 64 bits, without a dictionary.
arrow::Result<IntegerChoice> ChooseIntegerEncoding(const PageValues& values,
                                                   const EncodingRequest& request);

/// Choose for values of fixed width: no fixed-size lists, no packed structs.
///
/// \param slots as PageLevels::slots
arrow::Result<MiniBlockValues> ChooseFixedEncoding(const PageValues& values,
                                                   std::span<const uint16_t> slots,
                                                   const EncodingRequest& request);

/// Choose for values of variable width.
arrow::Result<MiniBlockValues> ChooseVariableEncoding(const PageValues& values,
                                                      std::span<const uint16_t> slots,
                                                      const LengthStatistics& lengths,
                                                      const EncodingRequest& request);

/// When a dictionary pays. A plain value.
struct DictionaryBounds {
  /// What the values take without one.
  uint64_t other_bytes = 0;
  /// With more items codes alone take more.
  uint64_t max_items = std::numeric_limits<uint64_t>::max();
};

/// Find a dictionary that makes values smaller. \return no encoder: there is none
arrow::Result<MiniBlockValues> ChooseDictionary(const PageValues& values,
                                                std::span<const uint16_t> slots,
                                                const DictionaryBounds& bounds,
                                                const EncodingRequest& request);

/// Values of variable width as full-zip pages store them. Move-only; `values` borrows.
struct FullZipValues {
  /// Null: the page's values are stored themselves.
  std::unique_ptr<PageValues> compressed;
};

/// Choose for values of variable width in full-zip pages.
///
/// \param slots as PageLevels::slots
/// \param[out] encoding what was chosen
arrow::Result<FullZipValues> ChooseFullZipEncoding(
    const PageValues& values, std::span<const uint16_t> slots, const LengthStatistics& lengths,
    const EncodingRequest& request, lance_pb::encodings21::CompressiveEncoding* encoding);

}  // namespace lance::format
