#include "lance/format/encode/fsst_values.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "lance/format/encodings/fsst.h"

namespace lance::format {
namespace {

// Places all over the page whose values are compressed to learn what the table is worth, and the
// bytes that each place has at least.
constexpr uint64_t kTrialPlaces = 16;
constexpr uint64_t kTrialBytes = 2048;

OffsetView OffsetsOf(const PageValues& values) { return {values.offsets, values.offset_bits}; }

template <typename Offset>
arrow::Status SetOffsets(const std::vector<uint64_t>& ends, PageValues* out) {
  if (!ends.empty() && ends.back() > std::numeric_limits<Offset>::max() / 2) {
    return arrow::Status::CapacityError("the compressed values of a page have ", ends.back(),
                                        " bytes, their offsets hold ",
                                        std::numeric_limits<Offset>::max() / 2);
  }
  auto* const offsets =
      reinterpret_cast<Offset*>(out->offset_storage.Grow((ends.size() + 1) * sizeof(Offset)));
  offsets[0] = 0;
  for (size_t i = 0; i < ends.size(); ++i) offsets[i + 1] = static_cast<Offset>(ends[i]);
  return arrow::Status::OK();
}

}  // namespace

FsstTrial::FsstTrial(const PageValues& values)
    : values_(values),
      encoder_(FsstEncoder::Train(values.bytes, OffsetsOf(values), values.num_values)) {
  uint64_t plain_bytes = 0;
  ByteBuffer compressed(values.byte_storage.pool());
  std::vector<uint64_t> ends;
  for (uint64_t place = 0; place < kTrialPlaces; ++place) {
    const uint64_t first = values.num_values * place / kTrialPlaces;
    const uint64_t behind = values.num_values * (place + 1) / kTrialPlaces;
    uint64_t last = first;
    while (last < behind && values.offset(last) - values.offset(first) < kTrialBytes) ++last;
    plain_bytes += values.offset(last) - values.offset(first);
    encoder_.Compress(values.bytes, OffsetsOf(values).Skip(first), last - first, &compressed,
                      &ends);
  }
  const double ratio = static_cast<double>(compressed.size()) /
                       static_cast<double>(std::max<uint64_t>(plain_bytes, 1));
  estimated_bytes_ = static_cast<uint64_t>(static_cast<double>(values.num_bytes()) * ratio) +
                     FsstSymbolTable::kStoredBytes;
}

arrow::Result<FsstValues> FsstTrial::Compress(arrow::MemoryPool* pool) const {
  FsstValues compressed{encoder_.SerializedTable(), PageValues(pool)};
  PageValues& out = compressed.values;
  out.num_values = values_.num_values;
  out.offset_bits = values_.offset_bits;
  std::vector<uint64_t> ends;
  ends.reserve(values_.num_values);
  out.byte_storage.Reserve(estimated_bytes_ + estimated_bytes_ / 8);
  encoder_.Compress(values_.bytes, OffsetsOf(values_), values_.num_values, &out.byte_storage,
                    &ends);
  ARROW_RETURN_NOT_OK(out.offset_bits == 64 ? SetOffsets<uint64_t>(ends, &out)
                                            : SetOffsets<uint32_t>(ends, &out));
  out.UseStorage();
  return compressed;
}

}  // namespace lance::format
