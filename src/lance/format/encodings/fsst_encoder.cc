#include "lance/format/encodings/fsst_encoder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "lance/base/check.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/encodings/fsst_training.h"

namespace lance::format {

namespace {

/// Runs of values that are compressed in turns, a symbol of each. The next symbol of one run can
/// only be looked for when the last is known: runs fill each other's waits.
constexpr uint32_t kNumLanes = 8;
/// Input that is compressed in one go; it and its codes stay in the cache.
constexpr uint64_t kBlockBytes = 1 << 16;
/// A code is written together with the byte that would follow an escape.
constexpr uint64_t kLaneSlack = 8;

/// One run of values and how far it has come.
struct Lane {
  const std::byte* at = nullptr;
  const std::byte* end = nullptr;  // of the value
  std::byte* out = nullptr;
  std::byte* out_begin = nullptr;
  uint64_t value = 0;
  uint64_t end_value = 0;

  bool is_done() const { return value == end_value; }
};

class BlockCompressor {
 public:
  /// \param ends for each value where it ends; in the run that Lane::out_begin starts, until the
  ///   block is done
  BlockCompressor(const FsstMatcher& matcher, std::span<const std::byte> bytes, OffsetView offsets,
                  uint64_t* ends)
      : matcher_(matcher), bytes_(bytes), offsets_(offsets), ends_(ends) {}

  /// Compress values [begin, end) and append them.
  void Compress(uint64_t begin, uint64_t end, ByteBuffer* out) {
    StartLanes(begin, end);
    bool all_live = std::none_of(lanes_.begin(), lanes_.end(), [](const Lane& l) { return l.is_done(); });
    while (all_live) all_live = StepAll();
    Drain();
    for (const Lane& lane : lanes_) {
      const uint64_t position = out->size();
      out->Append({lane.out_begin, lane.out});
      for (; begin < lane.end_value; ++begin) ends_[begin] += position;
    }
  }

 private:
  void StartLanes(uint64_t begin, uint64_t end) {
    const uint64_t block_begin = offsets_.at(begin);
    const uint64_t block_bytes = offsets_.at(end) - block_begin;
    codes_.Clear();
    std::byte* out = codes_.Grow(2 * block_bytes + kNumLanes * kLaneSlack);
    for (uint32_t i = 0; i < kNumLanes; ++i) {
      const uint64_t lane_end_byte = block_begin + block_bytes / kNumLanes * (i + 1);
      const uint64_t lane_end =
          i + 1 == kNumLanes ? end : FirstValueFrom(lane_end_byte, begin, end);
      lanes_[i] = {.out = out, .out_begin = out, .value = begin, .end_value = lane_end};
      out += 2 * (offsets_.at(lane_end) - offsets_.at(begin)) + kLaneSlack;
      if (begin < lane_end) StartValue(&lanes_[i]);
      begin = lane_end;
    }
  }

  /// The first of values [low, high) that starts at or behind a position, else `high`.
  uint64_t FirstValueFrom(uint64_t position, uint64_t low, uint64_t high) const {
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (offsets_.at(middle) < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Go to the first value that is not empty, from where the lane stands.
  void StartValue(Lane* lane) {
    do {
      lane->at = bytes_.data() + offsets_.at(lane->value);
      lane->end = bytes_.data() + offsets_.at(lane->value + 1);
      if (lane->at != lane->end) return;
      EndValue(lane);
    } while (!lane->is_done());
  }

  void EndValue(Lane* lane) {
    ends_[lane->value] = static_cast<uint64_t>(lane->out - lane->out_begin);
    ++lane->value;
  }

  /// \return whether all have more
  bool StepAll() {
    bool all_live = true;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < kNumLanes; ++i) all_live &= Step(&lanes_[i]);
    return all_live;
  }

  void Drain() {
    std::array<Lane*, kNumLanes> live;
    size_t num_live = 0;
    for (Lane& lane : lanes_) {
      if (!lane.is_done()) live[num_live++] = &lane;
    }
    while (num_live > 0) {
      for (size_t i = 0; i < num_live;) {
        if (Step(live[i])) {
          ++i;
        } else {
          live[i] = live[--num_live];
        }
      }
    }
  }

  /// Write one code. \return whether the lane has more
  [[gnu::always_inline]] bool Step(Lane* lane) {
    const uint64_t word = LoadWord(lane->at);
    const auto remaining = static_cast<uint64_t>(lane->end - lane->at);
    const FsstMatcher::Match match = matcher_.Find(word, remaining);
    const auto code = static_cast<uint16_t>(match.code() | word << 8);
    std::memcpy(lane->out, &code, sizeof(code));
    lane->out += 1 + match.is_escape();
    lane->at += match.length();
    if (lane->at != lane->end) return true;
    EndValue(lane);
    if (lane->is_done()) return false;
    StartValue(lane);
    return !lane->is_done();
  }

  uint64_t LoadWord(const std::byte* at) const {
    uint64_t word = 0;
    const auto left = static_cast<size_t>(bytes_.data() + bytes_.size() - at);
    std::memcpy(&word, at, std::min(left, sizeof(word)));
    return word;
  }

  const FsstMatcher& matcher_;
  std::span<const std::byte> bytes_;
  OffsetView offsets_;
  uint64_t* ends_;
  ByteBuffer codes_;  // of the lanes, each with room for its worst case
  std::array<Lane, kNumLanes> lanes_;
};

}  // namespace

FsstEncoder FsstEncoder::Train(std::span<const std::byte> bytes, OffsetView offsets,
                               uint64_t num_values) {
  return FsstEncoder(ChooseFsstSymbols(bytes, offsets, num_values));
}

FsstEncoder::FsstEncoder(std::vector<FsstSymbol> symbols)
    : symbols_(std::move(symbols)), matcher_(std::make_shared<const FsstMatcher>(symbols_)) {}

std::string FsstEncoder::SerializedTable() const {
  // Terminator and suffix limit only matter to encoders that use them: 0.
  std::string table = {static_cast<char>(symbols_.size()), 0, 0, 1, 'T', 'S', 'S', 'F'};
  for (const FsstSymbol& symbol : symbols_) {
    for (uint32_t i = 0; i < 8; ++i) table.push_back(static_cast<char>(symbol.value >> (8 * i)));
  }
  for (const FsstSymbol& symbol : symbols_) table.push_back(static_cast<char>(symbol.length));
  table.resize(FsstSymbolTable::kStoredBytes);
  return table;
}

void FsstEncoder::Compress(std::span<const std::byte> bytes, OffsetView offsets,
                           uint64_t num_values, ByteBuffer* out,
                           std::vector<uint64_t>* ends) const {
  ends->resize(ends->size() + num_values);
  BlockCompressor block(*matcher_, bytes, offsets, ends->data() + (ends->size() - num_values));
  uint64_t begin = 0;
  while (begin < num_values) {
    // Whole values, at least one.
    const uint64_t block_end = offsets.at(begin) + kBlockBytes;
    uint64_t end = begin + 1;
    while (end < num_values && offsets.at(end + 1) <= block_end) ++end;
    block.Compress(begin, end, out);
    begin = end;
  }
}

}  // namespace lance::format
