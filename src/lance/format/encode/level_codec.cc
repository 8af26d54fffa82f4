#include "lance/format/encode/level_codec.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance_encodings21.pb.h"

namespace lance::format {
namespace {

constexpr uint32_t kLevelBits = 16;
constexpr uint64_t kLevelBytes = 2;
constexpr uint64_t kMaxRunLength = 255;
constexpr uint64_t kRunBytes = 3;  // the level and its length
constexpr uint64_t kRunBlockHeader = 8;

/// Whether the last, short group of a packed block is packed, too.
bool PacksTail(uint64_t num_tail, uint32_t width) {
  return PackedGroupBytes(width) < num_tail * kLevelBytes;
}

uint64_t PackedBytes(uint64_t count, uint32_t width) {
  const uint64_t num_tail = count % kGroupValues;
  const uint64_t tail_bytes =
      PacksTail(num_tail, width) ? PackedGroupBytes(width) : num_tail * kLevelBytes;
  return count / kGroupValues * PackedGroupBytes(width) + tail_bytes;
}

uint64_t CountRuns(std::span<const uint16_t> levels) {
  uint64_t changes = 0;
  for (size_t i = 1; i < levels.size(); ++i) changes += levels[i] != levels[i - 1] ? 1 : 0;
  return changes + 1;
}

void AppendPacked(std::span<const uint16_t> levels, uint32_t width, std::string* out) {
  std::byte packed[PackedGroupBytes(kLevelBits)];
  const auto append = [&](const uint16_t* group) {
    PackGroup(kLevelBits, width, reinterpret_cast<const std::byte*>(group), packed);
    out->append(reinterpret_cast<const char*>(packed), PackedGroupBytes(width));
  };
  for (; levels.size() >= kGroupValues; levels = levels.subspan(kGroupValues)) {
    append(levels.data());
  }
  if (!PacksTail(levels.size(), width)) {
    out->append(reinterpret_cast<const char*>(levels.data()), levels.size_bytes());
    return;
  }
  uint16_t padded[kGroupValues] = {};
  std::memcpy(padded, levels.data(), levels.size_bytes());
  append(padded);
}

}  // namespace

LevelCodec::LevelCodec(std::span<const uint16_t> levels, uint64_t block_levels, FileVersion version)
    : levels_(levels) {
  LANCE_DCHECK(!levels.empty() && levels.size() <= UINT32_MAX && block_levels > 0);
  uint16_t all_bits = 0;
  for (const uint16_t level : levels) all_bits |= level;
  width_ = static_cast<uint32_t>(std::bit_width(all_bits));
  const uint64_t n = levels.size();
  const uint64_t num_full_blocks = n / block_levels;
  const uint64_t packed_bytes =
      num_full_blocks * PackedBytes(block_levels, width_) + PackedBytes(n % block_levels, width_);
  estimated_bytes_ = n * kLevelBytes;
  if (packed_bytes < estimated_bytes_) {
    kind_ = Kind::kPacked;
    estimated_bytes_ = packed_bytes;
  }
  if (version != FileVersion::k2_2) return;
  const uint64_t run_bytes = (num_full_blocks + 1) * (kRunBlockHeader + kRunBytes) +
                             (CountRuns(levels) + n / kMaxRunLength) * kRunBytes;
  if (run_bytes >= estimated_bytes_) return;
  kind_ = Kind::kRuns;
  estimated_bytes_ = run_bytes;
  for (size_t i = 0; i < n; ++i) {
    if (i == 0 || levels[i] != levels[i - 1]) run_starts_.push_back(static_cast<uint32_t>(i));
  }
}

void LevelCodec::Describe(lance_pb::encodings21::CompressiveEncoding* encoding) const {
  switch (kind_) {
    case Kind::kFlat:
      encoding->mutable_flat()->set_bits_per_value(kLevelBits);
      return;
    case Kind::kPacked: {
      auto* packing = encoding->mutable_out_of_line_bitpacking();
      packing->set_uncompressed_bits_per_value(kLevelBits);
      packing->mutable_values()->mutable_flat()->set_bits_per_value(width_);
      return;
    }
    case Kind::kRuns: {
      auto* rle = encoding->mutable_rle();
      rle->mutable_values()->mutable_flat()->set_bits_per_value(kLevelBits);
      rle->mutable_run_lengths()->mutable_flat()->set_bits_per_value(8);
    }
  }
}

template <typename Visit>
void LevelCodec::ForEachRun(uint64_t first, uint64_t count, Visit&& visit) const {
  auto next = std::ranges::upper_bound(run_starts_, first);  // the run behind the first one
  const uint64_t end = first + count;
  for (uint64_t at = first; at < end;) {
    const uint64_t run_end = next == run_starts_.end() ? end : std::min<uint64_t>(end, *next);
    for (uint64_t from = at; from < run_end; from += kMaxRunLength) {
      visit(levels_[at], std::min(kMaxRunLength, run_end - from));
    }
    at = run_end;
    if (next != run_starts_.end()) ++next;
  }
}

uint64_t LevelCodec::BlockBytes(uint64_t first, uint64_t count) const {
  switch (kind_) {
    case Kind::kFlat:
      return count * kLevelBytes;
    case Kind::kPacked:
      return PackedBytes(count, width_);
    case Kind::kRuns:
      break;
  }
  uint64_t num_runs = 0;
  ForEachRun(first, count, [&](uint16_t, uint64_t) { ++num_runs; });
  return kRunBlockHeader + num_runs * kRunBytes;
}

void LevelCodec::AppendBlock(uint64_t first, uint64_t count, std::string* out) const {
  const auto levels = levels_.subspan(first, count);
  switch (kind_) {
    case Kind::kFlat:
      out->append(reinterpret_cast<const char*>(levels.data()), levels.size_bytes());
      return;
    case Kind::kPacked:
      AppendPacked(levels, width_, out);
      return;
    case Kind::kRuns:
      break;
  }
  std::string values;
  std::string lengths;
  ForEachRun(first, count, [&](uint16_t level, uint64_t length) {
    AppendLittleEndian(level, &values);
    lengths.push_back(static_cast<char>(length));
  });
  AppendLittleEndian(uint64_t{values.size()}, out);
  *out += values;
  *out += lengths;
}

}  // namespace lance::format
