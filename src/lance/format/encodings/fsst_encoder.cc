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

/// Text of one lane that is compressed in one go. All that a round touches stays in the cache.
constexpr uint64_t kLaneBytes = 1 << 14;

/// Values that are compressed in one go, and how far that has come. Positions are those of
/// RoundCompressor's buffers.
struct Lane {
  uint64_t text = 0;
  uint64_t text_end = 0;
  uint64_t code = 0;
  uint64_t code_begin = 0;
  uint64_t value = 0;

  bool is_done() const { return text == text_end; }
};

/// Compresses values in rounds. The next symbol of a value can only be looked for when the last is
/// known, so a round has four lanes that fill each other's waits. No step has a branch: a lane's
/// values stand one behind the other, a terminator behind each.
class RoundCompressor {
 public:
  /// \param ends for each value where it ends is written there
  RoundCompressor(const FsstMatcher& matcher, std::span<const std::byte> bytes, OffsetView offsets,
                  uint64_t* ends)
      : matcher_(matcher), bytes_(bytes), offsets_(offsets), ends_(ends) {}

  /// Compress some of the values [begin, end) and append them. \return the first that is left
  uint64_t Compress(uint64_t begin, uint64_t end, ByteBuffer* out) {
    const uint64_t left = offsets_.at(end) - offsets_.at(begin) + (end - begin);
    const uint64_t lane_bytes = std::min(kLaneBytes, left / lanes_.size() + 1);
    text_.Clear();
    codes_.Clear();
    bool takes_terminators = matcher_.takes_terminators();
    uint64_t round_end = begin;
    for (Lane& lane : lanes_) {
      lane = MakeLane(round_end, end, lane_bytes, &round_end);
      takes_terminators = takes_terminators && !HasTerminatorInside(lane, round_end);
    }
    text_.Grow(sizeof(uint64_t));  // behind the last terminator, loaded with it
    if (takes_terminators) {
      CompressLanes();
    } else {
      for (Lane& lane : lanes_) CompressChecked(&lane);
    }
    for (const Lane& lane : lanes_) {
      AppendCodes(lane, begin, out);
      begin = lane.value;
    }
    return round_end;
  }

 private:
  /// Take values [begin, end) until they have enough bytes.
  Lane MakeLane(uint64_t begin, uint64_t end, uint64_t lane_bytes, uint64_t* lane_end) {
    Lane lane = {.text = text_.size(), .value = begin};
    for (; begin < end && text_.size() - lane.text < lane_bytes; ++begin) {
      const uint64_t first = offsets_.at(begin);
      const uint64_t length = offsets_.at(begin + 1) - first;
      std::byte* const text = text_.Grow(length + 1);
      if (length > 0) std::memcpy(text, bytes_.data() + first, length);
      text[length] = std::byte{FsstMatcher::kTerminator};
    }
    *lane_end = begin;
    lane.text_end = text_.size();
    lane.code_begin = lane.code = codes_.size();
    // The worst case, and what is written behind a last code.
    codes_.Grow(2 * (lane.text_end - lane.text) + 1);
    return lane;
  }

  bool HasTerminatorInside(const Lane& lane, uint64_t lane_end) const {
    const uint64_t first = offsets_.at(lane.value);
    const uint64_t length = offsets_.at(lane_end) - first;
    // No bytes may have no place either.
    return length > 0 &&
           std::memchr(bytes_.data() + first, FsstMatcher::kTerminator, length) != nullptr;
  }

  void CompressLanes() {
    // Copies: codes are bytes and may alias all that is not local.
    auto [a, b, c, d] = lanes_;
    const Tables tables = {matcher_, text_.data(), codes_.data(), ends_};
    while (!a.is_done() && !b.is_done() && !c.is_done() && !d.is_done()) {
      Step(tables, &a);
      Step(tables, &b);
      Step(tables, &c);
      Step(tables, &d);
    }
    lanes_ = {a, b, c, d};
    for (Lane& lane : lanes_) {
      Lane last = lane;
      while (!last.is_done()) Step(tables, &last);
      lane = last;
    }
  }

  struct Tables {
    const FsstMatcher& matcher;
    const std::byte* text;
    std::byte* codes;
    uint64_t* ends;
  };

  /// Write one code, or end a value.
  [[gnu::always_inline]] static void Step(const Tables& tables, Lane* lane) {
    uint64_t word;
    std::memcpy(&word, tables.text + lane->text, sizeof(word));
    const FsstMatcher::Match match = tables.matcher.FindTerminated(word);
    tables.codes[lane->code] = static_cast<std::byte>(match.code());
    tables.codes[lane->code + 1] = static_cast<std::byte>(word);
    lane->code += match.code_bytes();
    lane->text += match.text_bytes();
    tables.ends[lane->value] = lane->code;
    lane->value += match.is_end();
  }

  /// Compress a lane whose bytes may be anything.
  void CompressChecked(Lane* lane) {
    while (!lane->is_done()) {
      uint64_t remaining = offsets_.at(lane->value + 1) - offsets_.at(lane->value);
      while (remaining > 0) {
        uint64_t word;
        std::memcpy(&word, text_.data() + lane->text, sizeof(word));
        const FsstMatcher::Match match = matcher_.Find(word, remaining);
        codes_.data()[lane->code] = static_cast<std::byte>(match.code());
        codes_.data()[lane->code + 1] = static_cast<std::byte>(word);
        lane->code += match.code_bytes();
        lane->text += match.text_bytes();
        remaining -= match.text_bytes();
      }
      ++lane->text;
      ends_[lane->value++] = lane->code;
    }
  }

  void AppendCodes(const Lane& lane, uint64_t first_value, ByteBuffer* out) {
    const uint64_t shift = out->size() - lane.code_begin;  // wraps when it is below 0
    for (uint64_t i = first_value; i < lane.value; ++i) ends_[i] += shift;
    out->Append(codes_.span().subspan(lane.code_begin, lane.code - lane.code_begin));
  }

  const FsstMatcher& matcher_;
  std::span<const std::byte> bytes_;
  OffsetView offsets_;
  uint64_t* ends_;
  ByteBuffer text_;
  ByteBuffer codes_;
  std::array<Lane, 4> lanes_;
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
  RoundCompressor round(*matcher_, bytes, offsets, ends->data() + (ends->size() - num_values));
  for (uint64_t begin = 0; begin < num_values;) begin = round.Compress(begin, num_values, out);
}

}  // namespace lance::format
