#include "lance/format/encodings/fsst_training.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "lance/base/check.h"
#include "lance/format/encodings/fsst.h"

namespace lance::format {

namespace {

constexpr uint64_t kSampleBytes = 1 << 15;
/// More of one value is not sampled at one place, so that long values do not crowd out the others.
constexpr uint64_t kMaxPieceBytes = 512;
constexpr uint32_t kMaxSymbols = FsstSymbolTable::kEscape;
constexpr uint32_t kMaxSymbolBytes = 8;

/// Generations of the table, and the share of the sample that each looks at, in 128ths. Early ones
/// only find the rough symbols that later ones join.
constexpr std::array<uint32_t, 5> kShares = {8, 38, 68, 98, 128};

/// Pieces of values, back to back, with room behind the last for loads of 8 bytes.
struct Sample {
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> ends;

  void Add(std::span<const std::byte> piece) {
    const auto* begin = reinterpret_cast<const uint8_t*>(piece.data());
    bytes.insert(bytes.end(), begin, begin + piece.size());
    ends.push_back(bytes.size());
  }
};

/// The value that holds the byte at `position`. \pre it is in one of them
uint64_t ValueAt(uint64_t position, OffsetView offsets, uint64_t num_values) {
  uint64_t low = 0;
  uint64_t high = num_values;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    (offsets.at(middle) <= position ? low : high) = middle;
  }
  return low;
}

Sample TakeSample(std::span<const std::byte> bytes, OffsetView offsets, uint64_t num_values) {
  const uint64_t begin = offsets.at(0);
  const uint64_t num_bytes = offsets.at(num_values) - begin;
  const uint64_t bytes_per_piece =
      std::clamp<uint64_t>(num_bytes / std::max<uint64_t>(num_values, 1), 1, kMaxPieceBytes);
  const uint64_t num_pieces = kSampleBytes / bytes_per_piece;
  const double step = std::max(static_cast<double>(bytes_per_piece),
                               static_cast<double>(num_bytes) / static_cast<double>(num_pieces));
  Sample sample;
  uint64_t next = begin;  // bytes before it are sampled or left out
  for (uint64_t i = 0; sample.bytes.size() < kSampleBytes; ++i) {
    const uint64_t position =
        std::max(next, begin + static_cast<uint64_t>(step * static_cast<double>(i)));
    if (position >= begin + num_bytes) break;
    const uint64_t value = ValueAt(position, offsets, num_values);
    const uint64_t value_begin = offsets.at(value);
    const uint64_t piece_begin =
        std::max(next, position - (position - value_begin) % kMaxPieceBytes);
    next = std::min(piece_begin + kMaxPieceBytes, offsets.at(value + 1));
    sample.Add(bytes.subspan(piece_begin, next - piece_begin));
  }
  sample.bytes.resize(sample.bytes.size() + kMaxSymbolBytes);
  return sample;
}

/// How often symbols, and symbols one behind the other, occur. Symbols are numbered by their codes;
/// bytes without a symbol come behind them.
class Counts {
 public:
  static constexpr uint32_t kNumIds = kMaxSymbols + 256;

  Counts() : single_(kNumIds), pairs_(size_t{kNumIds} * kRowIds) {}

  void Clear() {
    std::fill(single_.begin(), single_.end(), 0);
    std::fill(pairs_.begin(), pairs_.end(), 0);
  }
  void Add(uint32_t id) { ++single_[id]; }
  void AddPair(uint32_t first, uint32_t second) { ++pairs_[first * kRowIds + second]; }
  uint32_t single(uint32_t id) const { return single_[id]; }

  /// Call `visit(second, count)` for all that occur behind `first`.
  template <typename Visitor>
  void ForEachPair(uint32_t first, Visitor&& visit) const {
    constexpr uint32_t kPerWord = sizeof(uint64_t) / sizeof(uint16_t);
    const uint16_t* const row = &pairs_[size_t{first} * kRowIds];
    for (uint32_t i = 0; i < kRowIds; i += kPerWord) {
      uint64_t word;  // most of a row is zeros
      std::memcpy(&word, row + i, sizeof(word));
      if (word == 0) continue;
      for (uint32_t second = i; second < i + kPerWord; ++second) {
        if (row[second] != 0) visit(second, row[second]);
      }
    }
  }

 private:
  static constexpr uint32_t kRowIds = (kNumIds + 3) / 4 * 4;
  // A sample has less than 2^16 bytes.
  static_assert(kSampleBytes + kMaxPieceBytes < 1 << 16);

  std::vector<uint16_t> single_;
  std::vector<uint16_t> pairs_;
};

/// Symbols that the next table may have, each once, with what it would save.
class Candidates {
 public:
  struct Candidate {
    FsstSymbol symbol;
    uint64_t gain = 0;
  };

  Candidates() : table_(kInitialSlots) {}

  void Add(const FsstSymbol& symbol, uint64_t gain) {
    if (2 * ++num_added_ > table_.size()) Rehash();
    Slot(symbol).gain += gain;
  }

  /// The most gainful, the best first; ties in the order of their bytes.
  std::vector<Candidate> Best(size_t num_wanted) const {
    std::vector<Candidate> best;
    for (const Candidate& candidate : table_) {
      if (candidate.gain != 0) best.push_back(candidate);
    }
    num_wanted = std::min(num_wanted, best.size());
    std::partial_sort(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(num_wanted),
                      best.end(), IsBetter);
    best.resize(num_wanted);
    return best;
  }

 private:
  static constexpr size_t kInitialSlots = 1 << 12;

  static bool IsBetter(const Candidate& a, const Candidate& b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.symbol.length != b.symbol.length) return a.symbol.length > b.symbol.length;
    return a.symbol.value < b.symbol.value;
  }

  /// Its place, or a free one that is its from now on.
  Candidate& Slot(const FsstSymbol& symbol) {
    const uint64_t hash = (symbol.value ^ symbol.length) * 0x9e3779b97f4a7c15;
    size_t at = (hash >> 32) & (table_.size() - 1);
    while (table_[at].gain != 0 && table_[at].symbol != symbol) at = (at + 1) & (table_.size() - 1);
    table_[at].symbol = symbol;
    return table_[at];
  }

  void Rehash() {
    std::vector<Candidate> old(2 * table_.size());
    old.swap(table_);
    for (const Candidate& candidate : old) {
      if (candidate.gain != 0) Slot(candidate.symbol) = candidate;
    }
  }

  std::vector<Candidate> table_;
  size_t num_added_ = 0;
};

FsstSymbol Join(const FsstSymbol& front, const FsstSymbol& back) {
  const uint32_t length = std::min(front.length + back.length, kMaxSymbolBytes);
  uint64_t value = front.value;
  if (front.length < kMaxSymbolBytes) value |= back.value << (8 * front.length);
  return {value, length};
}

/// The greedy search: codes the sample with a table, makes a better table of what it saw.
class Trainer {
 public:
  explicit Trainer(const Sample& sample) : sample_(sample) {}

  std::vector<FsstSymbol> Train() {
    for (const uint32_t share : kShares) {
      Count(share);
      Select(share);
    }
    return std::move(symbols_);
  }

 private:
  FsstSymbol SymbolOf(uint32_t id) const {
    return id < kMaxSymbols ? symbols_[id] : FsstSymbol{id - kMaxSymbols, 1};
  }

  void Count(uint32_t share) {
    counts_.Clear();
    const auto matcher = std::make_unique<const FsstMatcher>(symbols_);
    uint64_t begin = 0;
    for (size_t i = 0; i < sample_.ends.size(); ++i) {
      const uint64_t end = sample_.ends[i];
      // Pieces spread over the whole sample, whatever the share.
      if ((i * 37) % 128 < share) CountPiece(*matcher, begin, end);
      begin = end;
    }
  }

  void CountPiece(const FsstMatcher& matcher, uint64_t begin, uint64_t end) {
    std::optional<uint32_t> previous;
    while (begin < end) {
      uint64_t word;
      std::memcpy(&word, &sample_.bytes[begin], sizeof(word));
      const FsstMatcher::Match match = matcher.Find(word, end - begin);
      const auto byte_id = static_cast<uint32_t>(kMaxSymbols + (word & 0xff));
      const uint32_t id = match.is_escape() ? byte_id : match.code();
      counts_.Add(id);
      if (previous) counts_.AddPair(*previous, id);
      // The first byte alone, too: later tables may want it as a symbol of its own.
      if (match.text_bytes() > 1) {
        counts_.Add(byte_id);
        if (previous) counts_.AddPair(*previous, byte_id);
      }
      previous = id;
      begin += match.text_bytes();
    }
  }

  /// Make the next table. What occurs less often than a few times in a full sample is noise.
  void Select(uint32_t share) {
    const uint64_t min_count =
        std::max<uint64_t>(1, 5 * share * sample_.bytes.size() / (128 * kSampleBytes));
    Candidates candidates;
    for (uint32_t id = 0; id < Counts::kNumIds; ++id) {
      const uint32_t count = counts_.single(id);
      if (count == 0) continue;
      const FsstSymbol symbol = SymbolOf(id);
      // Without a symbol of its own a byte costs two: worth more than its length says.
      const uint64_t weight = symbol.length == 1 ? 8 : symbol.length;
      if (count >= min_count) candidates.Add(symbol, weight * count);
      // The last generation only picks the best of what there is.
      if (share == kShares.back() || symbol.length == kMaxSymbolBytes) continue;
      counts_.ForEachPair(id, [&](uint32_t second, uint32_t pair_count) {
        if (pair_count < min_count) return;
        const FsstSymbol joined = Join(symbol, SymbolOf(second));
        candidates.Add(joined, uint64_t{joined.length} * pair_count);
      });
    }
    Pick(candidates);
  }

  void Pick(const Candidates& candidates) {
    constexpr size_t kNumWanted = 2 * kMaxSymbols;  // some find their slot taken
    symbols_.clear();
    std::array<bool, FsstMatcher::kNumSlots> is_taken{};
    for (const auto& [symbol, gain] : candidates.Best(kNumWanted)) {
      if (symbols_.size() == kMaxSymbols) return;
      if (symbol.length >= FsstMatcher::kMinSlotBytes) {
        bool& slot = is_taken[FsstMatcher::SlotOf(symbol.value)];
        if (slot) continue;
        slot = true;
      }
      symbols_.push_back(symbol);
    }
  }

  const Sample& sample_;
  std::vector<FsstSymbol> symbols_;
  Counts counts_;
};

}  // namespace

std::vector<FsstSymbol> ChooseFsstSymbols(std::span<const std::byte> bytes, OffsetView offsets,
                                          uint64_t num_values) {
  if (num_values == 0 || offsets.at(num_values) == offsets.at(0)) return {};
  LANCE_DCHECK(offsets.at(num_values) <= bytes.size());
  const Sample sample = TakeSample(bytes, offsets, num_values);
  return Trainer(sample).Train();
}

}  // namespace lance::format
