#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

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
/// over a short one.
class FsstMatcher {
 public:
  /// What stands at the front. A plain value in one word:
  /// bits 0-7 code | bit 8 it is an escape | bits 12-15 bytes of the input it covers.
  struct Match {
    uint32_t packed = 0;

    uint32_t code() const { return packed & 0xff; }
    uint32_t is_escape() const { return packed >> 8 & 1; }
    uint32_t length() const { return packed >> 12; }
  };

  static constexpr uint32_t kSlotBits = 11;
  static constexpr uint32_t kNumSlots = 1u << kSlotBits;
  /// Symbols this long and longer have a slot.
  static constexpr uint32_t kMinSlotLength = 3;

  /// The slot of all symbols and texts that start with the first 3 bytes of `value`.
  static uint32_t SlotOf(uint64_t value) {
    constexpr uint64_t kMix = 0x9e3779b97f4a7c15;  // the golden ratio: spreads into the high bits
    return static_cast<uint32_t>((value << 40) * kMix >> (64 - kSlotBits));
  }

  /// Make a matcher of at most 255 distinct symbols; their places are their codes.
  ///
  /// \pre no two symbols of 3 bytes and more share a slot
  explicit FsstMatcher(std::span<const FsstSymbol> symbols);

  /// Match the front of a text; what no symbol covers is an escape of one byte.
  ///
  /// \param word the next 8 bytes, first byte lowest; what is behind the text's end does not matter
  /// \param remaining bytes of the text, at least 1
  Match Find(uint64_t word, uint64_t remaining) const {
    const Slot& slot = slots_[SlotOf(word)];
    const uint64_t pair = remaining > 1 ? word & 0xffff : kNumPairs + (word & 0xff);
    const uint32_t short_match = short_matches_[pair];
    const bool is_long =
        ((word ^ slot.value) << slot.unused_bits) == 0 && slot.length <= remaining;
    return {is_long ? slot.match : short_match};
  }

 private:
  static constexpr uint64_t kNumPairs = 1u << 16;

  struct Slot {
    uint64_t value;
    uint8_t unused_bits;
    uint8_t length;
    uint16_t match;
  };

  void AddSlots(std::span<const FsstSymbol> symbols);

  std::array<Slot, kNumSlots> slots_;
  // By the next two bytes; behind them by the last byte of a text.
  std::vector<uint16_t> short_matches_;
};

}  // namespace lance::format
