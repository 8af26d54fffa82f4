#include <algorithm>
#include <cstring>

#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// InlineBitpacking chunks: the width, then one packed group.
class BitpackingEncoder : public ChunkEncoder {
 public:
  BitpackingEncoder(const PageValues& values, std::vector<uint8_t> widths)
      : values_(values),
        bits_(static_cast<uint32_t>(values.bits_per_value)),
        widths_(std::move(widths)) {
    LANCE_DCHECK(widths_.size() == CeilDiv(values.num_values, kGroupValues));
    for (const uint8_t width : widths_) {
      estimated_bytes_ += PaddedBytes(GroupBytes(width)) + kChunkOverheadBytes;
    }
  }

  void Describe(pb::CompressiveEncoding* encoding) const override {
    encoding->mutable_inline_bitpacking()->set_uncompressed_bits_per_value(bits_);
  }

  size_t num_buffers() const override { return 1; }
  uint64_t num_values() const override { return values_.num_values; }
  uint64_t MaxValues(uint64_t) const override { return kGroupValues; }

  uint64_t BytesBound(uint64_t first, uint64_t count) const override {
    // Chunks are groups, unless levels make them smaller; those lie in a group or span two.
    const uint64_t last = (first + count - 1) / kGroupValues;
    return PaddedBytes(GroupBytes(std::max(widths_[first / kGroupValues], widths_[last])));
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    const std::byte* group = values_.bytes.data() + first * (bits_ / 8);
    const uint32_t width = ChunkWidth(first, count);
    std::byte padded[kGroupValues * 8];
    if (count < kGroupValues) {
      std::memset(padded, 0, sizeof(padded));
      std::memcpy(padded, group, count * (bits_ / 8));
      group = padded;
    }
    std::byte packed[8 + PackedGroupBytes(64)] = {};
    packed[0] = static_cast<std::byte>(width);
    PackGroup(bits_, width, group, packed + bits_ / 8);
    (*buffers)[0].append(reinterpret_cast<const char*>(packed), GroupBytes(width));
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override { return estimated_bytes_; }

 private:
  uint64_t GroupBytes(uint32_t width) const { return bits_ / 8 + PackedGroupBytes(width); }

  uint32_t ChunkWidth(uint64_t first, uint64_t count) const {
    const uint64_t group = first / kGroupValues;
    const bool is_group =
        first % kGroupValues == 0 && (count == kGroupValues || first + count == values_.num_values);
    if (is_group) return widths_[group];
    const uint64_t width = bits_ / 8;
    return LargestBitWidth(bits_, values_.bytes.subspan(first * width, count * width));
  }

  const PageValues& values_;
  uint32_t bits_;
  std::vector<uint8_t> widths_;
  uint64_t estimated_bytes_ = 0;
};

constexpr uint64_t kMaxRunLength = 255;

/// Rle chunks: the values of runs, and their lengths.
class RunEncoder : public ChunkEncoder {
 public:
  RunEncoder(const PageValues& values, FileVersion version)
      : values_(values),
        width_(values.bits_per_value / 8),
        // Longer chunks save headers; 2.1 files keep to what the reference writes.
        chunk_values_(version == FileVersion::k2_2 ? kMaxChunkValues : kTargetChunkValues) {
    DispatchUnsigned(static_cast<uint32_t>(values.bits_per_value),
                     [&]<typename T>(T) { FindRuns<T>(); });
    uint64_t num_stored_runs = 0;
    ForEachRun(0, values.num_values, [&](uint64_t, uint64_t) { ++num_stored_runs; });
    const uint64_t num_chunks = CeilDiv(values.num_values, chunk_values_) +
                                num_stored_runs * (width_ + 1) / kTargetChunkBytes;
    estimated_bytes_ = num_stored_runs * (width_ + 1) + num_chunks * (kChunkOverheadBytes + 8);
  }

  void Describe(pb::CompressiveEncoding* encoding) const override {
    auto* rle = encoding->mutable_rle();
    rle->mutable_values()->mutable_flat()->set_bits_per_value(values_.bits_per_value);
    rle->mutable_run_lengths()->mutable_flat()->set_bits_per_value(8);
  }

  size_t num_buffers() const override { return 2; }
  uint64_t num_values() const override { return values_.num_values; }

  uint64_t MaxValues(uint64_t first) const override {
    const uint64_t end = std::min(values_.num_values, first + chunk_values_);
    const uint64_t max_runs = kTargetChunkBytes / (width_ + 1);
    uint64_t num_runs = 0;
    uint64_t count = 0;
    ForEachRun(first, end - first, [&](uint64_t, uint64_t length) {
      if (++num_runs <= max_runs) count += length;
    });
    return std::max<uint64_t>(count, 2);
  }

  uint64_t BytesBound(uint64_t first, uint64_t count) const override {
    uint64_t num_runs = 0;
    ForEachRun(first, count, [&](uint64_t, uint64_t) { ++num_runs; });
    return PaddedBytes(num_runs * width_) + PaddedBytes(num_runs);
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    ForEachRun(first, count, [&](uint64_t value, uint64_t length) {
      (*buffers)[0].append(reinterpret_cast<const char*>(values_.bytes.data()) + value * width_,
                           width_);
      (*buffers)[1].push_back(static_cast<char>(length));
    });
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override { return estimated_bytes_; }

 private:
  template <typename T>
  void FindRuns() {
    T last = 0;
    for (uint64_t i = 0; i < values_.num_values; ++i) {
      T value;
      std::memcpy(&value, values_.bytes.data() + i * sizeof(T), sizeof(T));
      if (i == 0 || value != last) starts_.push_back(static_cast<uint32_t>(i));
      last = value;
    }
  }

  /// Call `visit(index of the value, length)` for the stored runs of some values.
  template <typename Visit>
  void ForEachRun(uint64_t first, uint64_t count, Visit&& visit) const {
    auto next = std::ranges::upper_bound(starts_, first);
    const uint64_t end = first + count;
    for (uint64_t at = first; at < end;) {
      const uint64_t run_end = next == starts_.end() ? end : std::min<uint64_t>(end, *next);
      for (uint64_t from = at; from < run_end; from += kMaxRunLength) {
        visit(at, std::min(kMaxRunLength, run_end - from));
      }
      at = run_end;
      if (next != starts_.end()) ++next;
    }
  }

  const PageValues& values_;
  uint64_t width_;
  uint64_t chunk_values_;
  std::vector<uint32_t> starts_;
  uint64_t estimated_bytes_ = 0;
};

/// ByteStreamSplit chunks: the first bytes of all values, then the second ones, and so on.
class ByteStreamSplitEncoder : public ChunkEncoder {
 public:
  explicit ByteStreamSplitEncoder(const PageValues& values)
      : values_(values), width_(values.bits_per_value / 8) {
    LANCE_DCHECK(width_ == 4 || width_ == 8);
  }

  void Describe(pb::CompressiveEncoding* encoding) const override {
    encoding->mutable_byte_stream_split()->mutable_values()->mutable_flat()->set_bits_per_value(
        values_.bits_per_value);
  }

  size_t num_buffers() const override { return 1; }
  uint64_t num_values() const override { return values_.num_values; }
  uint64_t MaxValues(uint64_t) const override { return 4096 / width_; }

  uint64_t BytesBound(uint64_t, uint64_t count) const override {
    return PaddedBytes(count * width_);
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    const std::byte* const from = values_.bytes.data() + first * width_;
    std::string& out = (*buffers)[0];
    out.resize(count * width_);
    for (uint64_t k = 0; k < width_; ++k) {
      char* const stream = out.data() + k * count;
      for (uint64_t i = 0; i < count; ++i) stream[i] = static_cast<char>(from[i * width_ + k]);
    }
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override {
    return values_.num_values * width_ +
           CeilDiv(values_.num_values, MaxValues(0)) * kChunkOverheadBytes;
  }

 private:
  const PageValues& values_;
  uint64_t width_;
};

}  // namespace

std::unique_ptr<ChunkEncoder> MakeBitpackingEncoder(const PageValues& values,
                                                    std::vector<uint8_t> widths) {
  return std::make_unique<BitpackingEncoder>(values, std::move(widths));
}

std::unique_ptr<ChunkEncoder> MakeRunEncoder(const PageValues& values, FileVersion version) {
  return std::make_unique<RunEncoder>(values, version);
}

std::unique_ptr<ChunkEncoder> MakeByteStreamSplitEncoder(const PageValues& values) {
  return std::make_unique<ByteStreamSplitEncoder>(values);
}

}  // namespace lance::format
