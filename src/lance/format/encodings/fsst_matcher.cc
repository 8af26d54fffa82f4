#include "lance/format/encodings/fsst_matcher.h"

#include "lance/base/check.h"
#include "lance/format/encodings/fsst.h"

namespace lance::format {

namespace {

constexpr uint16_t PackMatch(uint64_t code, uint32_t length) {
  return static_cast<uint16_t>(code | length << 12);
}

constexpr uint16_t kEscapeMatch = PackMatch(FsstSymbolTable::kEscape, 1) | 1 << 8;

}  // namespace

FsstMatcher::FsstMatcher(std::span<const FsstSymbol> symbols)
    : short_matches_(kNumPairs + 256, kEscapeMatch) {
  LANCE_DCHECK(symbols.size() <= FsstSymbolTable::kEscape);
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].length != 1) continue;
    // Whatever the second byte is, and at the end of a text.
    for (uint64_t pair = symbols[code].value; pair < kNumPairs; pair += 256) {
      short_matches_[pair] = PackMatch(code, 1);
    }
    short_matches_[kNumPairs + symbols[code].value] = PackMatch(code, 1);
  }
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].length == 2) short_matches_[symbols[code].value] = PackMatch(code, 2);
  }
  AddSlots(symbols);
}

void FsstMatcher::AddSlots(std::span<const FsstSymbol> symbols) {
  // An empty slot holds 3 bytes that belong to another slot, so nothing ever matches it.
  static_assert(kNumSlots > 1);
  uint64_t elsewhere = 1;
  while (SlotOf(elsewhere) == SlotOf(0)) ++elsewhere;
  slots_.fill({.value = 0, .unused_bits = 40, .length = 3, .match = kEscapeMatch});
  slots_[SlotOf(0)].value = elsewhere;
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    const FsstSymbol& symbol = symbols[code];
    if (symbol.length < kMinSlotLength) continue;
    Slot& slot = slots_[SlotOf(symbol.value)];
    LANCE_DCHECK(slot.match == kEscapeMatch);
    slot = {.value = symbol.value,
            .unused_bits = static_cast<uint8_t>(64 - 8 * symbol.length),
            .length = static_cast<uint8_t>(symbol.length),
            .match = PackMatch(code, symbol.length)};
  }
}

}  // namespace lance::format
