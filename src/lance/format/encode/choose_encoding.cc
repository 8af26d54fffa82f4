#include "lance/format/encode/choose_encoding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "lance/base/checked_math.h"
#include "lance/format/encode/general_compressor.h"
#include "lance/format/encodings/unsigned_dispatch.h"

namespace lance::format {
namespace {

/// Pages below this are not worth a general compressor (file-format 9.6).
constexpr uint64_t kMinGeneralBytes = 4096;
/// Pages below this, and values no longer than that, are not worth a symbol table.
constexpr uint64_t kMinFsstBytes = 32768;
constexpr uint64_t kMinFsstLongest = 5;
/// Values longer than this are worth a general compressor that nobody asked for.
constexpr uint64_t kLongValueBytes = 32768;
/// Pages with fewer values are not worth a dictionary, and none has more items.
constexpr uint64_t kMinDictionaryValues = 100;
constexpr uint64_t kMaxDictionaryItems = 100'000;
/// The chunks of compressed text: shorter ones do not compress. 2.1 chunks hold 32 KiB.
constexpr uint64_t kGeneralChunkBytes = 16384;
/// A longer target would not fit a 2.1 chunk.
constexpr uint64_t kMaxChunkBytes21 = 32768;

using EncoderPtr = std::unique_ptr<ChunkEncoder>;

bool IsGeneral(Compression compression) {
  return compression == Compression::kLz4 || compression == Compression::kZstd;
}

/// Take a candidate when it is smaller.
void KeepSmaller(EncoderPtr candidate, EncoderPtr* best) {
  if (candidate->estimated_bytes() < (*best)->estimated_bytes()) *best = std::move(candidate);
}

/// Compress the chunks of `inner` as the hints ask, if that pays.
arrow::Status KeepCompressed(EncoderPtr inner, const EncodingRequest& request, EncoderPtr* best) {
  if (inner->estimated_bytes() < kMinGeneralBytes) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(
      auto compressor,
      GeneralCompressor::Make(
          IsGeneral(request.hints.compression) ? request.hints.compression : Compression::kZstd,
          request.hints.compression_level));
  ARROW_ASSIGN_OR_RAISE(auto candidate,
                        MakeGeneralEncoder(std::move(inner), std::move(compressor)));
  KeepSmaller(std::move(candidate), best);
  return arrow::Status::OK();
}

bool CanSplitBytes(const PageValues& values, const EncodingHints& hints) {
  return (values.bits_per_value == 32 || values.bits_per_value == 64) &&
         hints.byte_stream_split != ByteStreamSplitMode::kOff;
}

/// Compress values as they are, and split, as the hints allow.
arrow::Status KeepCompressedIntegers(const PageValues& values, const EncodingRequest& request,
                                     EncoderPtr* best) {
  const bool can_split = CanSplitBytes(values, request.hints);
  if (!can_split || request.hints.byte_stream_split == ByteStreamSplitMode::kAuto) {
    ARROW_RETURN_NOT_OK(KeepCompressed(MakeFlatEncoder(values), request, best));
  }
  if (!can_split) return arrow::Status::OK();
  return KeepCompressed(MakeByteStreamSplitEncoder(values), request, best);
}

/// Whether runs may be stored, and would be smaller than `other_bytes`.
bool AreRunsWorthTrying(const PageValues& values, uint64_t num_runs, uint64_t other_bytes,
                        const EncodingHints& hints) {
  const auto n = static_cast<double>(values.num_values);
  if (hints.rle_threshold && static_cast<double>(num_runs) >= *hints.rle_threshold * n) {
    return false;
  }
  return num_runs * (values.bits_per_value / 8 + 1) < other_bytes;
}

/// Whether values may be numbered. Releases 0.39.0 to 14.0.2 read dictionaries of 32 and 64 bits in
/// 2.1 files, too, though the reference writes only those of 128 bits there.
bool CanHaveDictionary(const PageValues& values) {
  return values.bits_per_value == 32 || values.bits_per_value == 64 || values.bits_per_value == 128;
}

/// The most items with which packed codes can be smaller than what values take otherwise; any
/// number when runs of codes can be.
uint64_t MaxItems(uint64_t num_values, uint64_t other_bytes, std::optional<uint64_t> num_runs) {
  constexpr uint64_t kCodeRunBytes = 5;
  const uint64_t bits = other_bytes * 8 / num_values;
  const bool can_be_runs = num_runs && *num_runs * kCodeRunBytes < other_bytes;
  if (can_be_runs || bits > 32) return std::numeric_limits<uint64_t>::max();
  return (uint64_t{1} << bits) / 2;
}

uint64_t RawBytes(const PageValues& values) {
  return values.num_bytes() +
         (values.is_variable() ? (values.num_values + 1) * (values.offset_bits / 8) : 0);
}

uint64_t VariableChunkBytes(const EncodingRequest& request, uint64_t fallback) {
  const uint64_t wanted = request.hints.mini_chunk_bytes;
  if (wanted == EncodingHints{}.mini_chunk_bytes) return fallback;
  const bool fits = request.version == FileVersion::k2_2 || wanted < kMaxChunkBytes21;
  return fits ? std::min<uint64_t>(wanted, 1 << 20) : fallback;
}

bool AllowsFsst(const LengthStatistics& lengths, const EncodingHints& hints) {
  if (hints.compression == Compression::kFsst) return lengths.total > 0;
  return hints.compression == Compression::kDefault && lengths.longest >= kMinFsstLongest &&
         lengths.total >= kMinFsstBytes;
}

}  // namespace

arrow::Result<IntegerChoice> ChooseIntegerEncoding(const PageValues& values,
                                                   const EncodingRequest& request) {
  IntegerChoice choice{MakeFlatEncoder(values), std::nullopt};
  EncoderPtr& best = choice.encoder;
  const EncodingHints& hints = request.hints;
  if (hints.compression == Compression::kNone) return choice;
  IntegerStatistics statistics = MeasureIntegers(values);
  choice.num_runs = statistics.num_runs;
  KeepSmaller(MakeBitpackingEncoder(values, std::move(statistics.widths)), &best);
  const bool try_runs =
      AreRunsWorthTrying(values, statistics.num_runs, best->estimated_bytes(), hints);
  if (try_runs) KeepSmaller(MakeRunEncoder(values, request.version), &best);
  if (!IsGeneral(hints.compression)) return choice;
  if (try_runs) {
    ARROW_RETURN_NOT_OK(KeepCompressed(MakeRunEncoder(values, request.version), request, &best));
  }
  ARROW_RETURN_NOT_OK(KeepCompressedIntegers(values, request, &best));
  return choice;
}

arrow::Result<MiniBlockValues> ChooseFixedEncoding(const PageValues& values,
                                                   std::span<const uint16_t> slots,
                                                   const EncodingRequest& request) {
  MiniBlockValues best;
  std::optional<uint64_t> num_runs;
  if (IsIntegerWidth(values.bits_per_value)) {
    ARROW_ASSIGN_OR_RAISE(IntegerChoice choice, ChooseIntegerEncoding(values, request));
    best.encoder = std::move(choice.encoder);
    num_runs = choice.num_runs;
  } else {
    best.encoder = MakeFlatEncoder(values);
    if (IsGeneral(request.hints.compression)) {
      ARROW_RETURN_NOT_OK(KeepCompressed(MakeFlatEncoder(values), request, &best.encoder));
    }
  }
  if (!CanHaveDictionary(values)) return best;
  ARROW_ASSIGN_OR_RAISE(
      MiniBlockValues dictionary,
      ChooseDictionary(
          values, slots,
          {best.estimated_bytes(), MaxItems(values.num_values, best.estimated_bytes(), num_runs)},
          request));
  return dictionary.encoder != nullptr ? std::move(dictionary) : std::move(best);
}

arrow::Result<MiniBlockValues> ChooseDictionary(const PageValues& values,
                                                std::span<const uint16_t> slots,
                                                const DictionaryBounds& bounds,
                                                const EncodingRequest& request) {
  MiniBlockValues chosen;
  const EncodingHints& hints = request.hints;
  if (values.num_values < kMinDictionaryValues) return chosen;
  const auto most =
      static_cast<uint64_t>(hints.dict_size_ratio * static_cast<double>(RawBytes(values)));
  const uint64_t max_bytes = std::min(most, bounds.other_bytes);
  const DictionaryLimits limits = {
      .max_items =
          std::min({values.num_values / hints.dict_divisor, kMaxDictionaryItems, bounds.max_items}),
      .max_bytes = values.is_variable() ? std::min(max_bytes, hints.dict_max_bytes) : max_bytes};
  auto distinct = FindDistinctValues(values, slots, limits, request.pool);
  if (!distinct) return chosen;
  chosen.distinct = std::make_unique<ValueDictionary>(*std::move(distinct));
  chosen.codes = std::make_unique<PageValues>(chosen.distinct->CodeValues());
  ARROW_ASSIGN_OR_RAISE(IntegerChoice codes, ChooseIntegerEncoding(*chosen.codes, request));
  ARROW_ASSIGN_OR_RAISE(EncodedDictionary encoded,
                        EncodeDictionaryItems(chosen.distinct->items, hints, request.version));
  if (codes.encoder->estimated_bytes() + encoded.bytes.size() >= max_bytes) return chosen;
  chosen.encoder = std::move(codes.encoder);
  chosen.dictionary = std::make_unique<EncodedDictionary>(std::move(encoded));
  return chosen;
}

arrow::Result<MiniBlockValues> ChooseVariableEncoding(const PageValues& values,
                                                      std::span<const uint16_t> slots,
                                                      const LengthStatistics& lengths,
                                                      const EncodingRequest& request) {
  const EncodingHints& hints = request.hints;
  MiniBlockValues best;
  best.encoder =
      MakeVariableEncoder(values, VariableChunkBytes(request, EncodingHints{}.mini_chunk_bytes));
  const uint64_t uncompressed_bytes = best.estimated_bytes();
  const bool is_long = hints.compression == Compression::kDefault &&
                       lengths.longest > kLongValueBytes && lengths.total >= kMinFsstBytes;
  if (IsGeneral(hints.compression) || is_long) {
    ARROW_RETURN_NOT_OK(
        KeepCompressed(MakeVariableEncoder(values, VariableChunkBytes(request, kGeneralChunkBytes)),
                       request, &best.encoder));
  }
  const uint64_t plain_bytes = best.estimated_bytes();
  std::optional<FsstTrial> fsst;
  uint64_t fsst_bytes = plain_bytes;
  if (AllowsFsst(lengths, hints)) {
    fsst.emplace(values);
    fsst_bytes = uncompressed_bytes - lengths.total + fsst->estimated_bytes();
    if (fsst_bytes >= plain_bytes) fsst.reset();
  }
  ARROW_ASSIGN_OR_RAISE(
      MiniBlockValues dictionary,
      ChooseDictionary(values, slots, {.other_bytes = std::min(plain_bytes, fsst_bytes)}, request));
  if (dictionary.encoder != nullptr) return dictionary;
  if (!fsst) return best;
  ARROW_ASSIGN_OR_RAISE(FsstValues compressed, fsst->Compress(request.pool));
  best.fsst = std::make_unique<FsstValues>(std::move(compressed));
  best.encoder = MakeVariableEncoder(best.fsst->values,
                                     VariableChunkBytes(request, EncodingHints{}.mini_chunk_bytes),
                                     best.fsst->table);
  return best;
}

}  // namespace lance::format
