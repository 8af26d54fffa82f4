#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace lance::format {

/// 1 to 8 bytes that one code stands for.
struct FsstSymbol {
  uint64_t value = 0;  ///< first byte lowest, zeros behind the last
  uint32_t length = 0;

  bool operator==(const FsstSymbol&) const = default;
};

/// Finds the symbol that stands at the front of some bytes, in constant time and without branches.
/// Immutable, share freely.
///
/// Symbols of 3 bytes and more have a slot each, found by their first 3 bytes, so a set of symbols
/// has at most one of a slot. Shorter ones are in a table of all pairs of bytes. A long symbol wins
/// over a short one. About 160 KiB, so it belongs on the heap.
class FsstMatcher {
 public:
  /// What stands at the front. A plain value in one word:
  /// bits 0-7 code | 8-9 bytes it is written as | 11 the text ends | 12-15 bytes of text it covers.
  struct Match {
    uint32_t packed = 0;

    uint32_t code() const { return packed & 0xff; }
    uint32_t code_bytes() const { return packed >> 8 & 3; }
    uint32_t is_end() const { return packed >> 11 & 1; }
    uint32_t text_bytes() const { return packed >> 12; }
    bool is_escape() const { return code_bytes() == 2; }
  };

  /// Ends texts for FindTerminated. No UTF-8 text has it.
  static constexpr uint8_t kTerminator = 0xff;

  static constexpr uint32_t kSlotBits = 11;
  static constexpr uint32_t kNumSlots = 1u << kSlotBits;
  /// Symbols this long and longer have a slot.
  static constexpr uint32_t kMinSlotBytes = 3;

  /// The slot of all symbols and texts that start with the first 3 bytes of `value`.
  static uint32_t SlotOf(uint64_t value) {
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15;  // the golden ratio: spreads into the high bits
    return static_cast<uint32_t>((value << 40) * kMix >> (64 - kSlotBits));
  }

  /// Make a matcher of distinct symbols; their places are their codes.
  ///
  /// \pre at most 255, no two symbols of 3 bytes and more share a slot
  explicit FsstMatcher(std::span<const FsstSymbol> symbols);

  /// Whether no symbol contains the terminator, so that FindTerminated may be called.
  bool takes_terminators() const { return takes_terminators_; }

  /// Match the front of a text. What no symbol covers is an escape of one byte.
  ///
  /// \param word the next 8 bytes, first byte lowest; what is behind the text's end does not matter
  /// \param remaining bytes of the text, at least 1
  Match Find(uint64_t word, uint64_t remaining) const;

  /// Match the front of a text that a terminator ends, without branches.
  ///
  /// \param word the next 8 bytes; at the text's end the terminator and what is behind it
  /// \pre takes_terminators(), and the text has none inside
  Match FindTerminated(uint64_t word) const {
    const Slot& slot = slots_[SlotOf(word)];
    const uint32_t short_match = short_matches_[word & 0xffff];
    const uint32_t long_match = slot.match;
    // Which it is cannot be guessed: both are loaded so that compilers make it a conditional move.
    return {(word ^ slot.value) << slot.unused_bits == 0 ? long_match : short_match};
  }

 private:
  static constexpr uint64_t kNumPairs = 1u << 16;

  struct Slot {
    uint64_t value;
    uint32_t unused_bits;  // of `value`
    uint32_t match;
  };

  void AddShortMatches(std::span<const FsstSymbol> symbols);
  void AddSlots(std::span<const FsstSymbol> symbols);

  bool takes_terminators_;
  std::array<Slot, kNumSlots> slots_;
  // By the next two bytes; behind them by the last byte of a text.
  std::array<uint16_t, kNumPairs + 256> short_matches_;
};

}  // namespace lance::format
