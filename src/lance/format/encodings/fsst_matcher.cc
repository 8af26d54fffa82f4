#include "lance/format/encodings/fsst_matcher.h"

#include <algorithm>

#include "lance/base/check.h"
#include "lance/format/encodings/fsst.h"

namespace lance::format {

namespace {

constexpr uint16_t PackMatch(uint64_t code, uint32_t code_bytes, uint32_t text_bytes) {
  return static_cast<uint16_t>(code | code_bytes << 8 | text_bytes << 12);
}

constexpr uint16_t kEscapeMatch = PackMatch(FsstSymbolTable::kEscape, 2, 1);
constexpr uint16_t kEndMatch = PackMatch(FsstSymbolTable::kEscape, 0, 1) | 1 << 11;

bool HasTerminator(const FsstSymbol& symbol) {
  for (uint32_t i = 0; i < symbol.length; ++i) {
    if ((symbol.value >> (8 * i) & 0xff) == FsstMatcher::kTerminator) return true;
  }
  return false;
}

}  // namespace

FsstMatcher::FsstMatcher(std::span<const FsstSymbol> symbols)
    : takes_terminators_(std::none_of(symbols.begin(), symbols.end(), HasTerminator)) {
  LANCE_DCHECK(symbols.size() <= FsstSymbolTable::kEscape);
  short_matches_.fill(kEscapeMatch);
  AddShortMatches(symbols);
  AddSlots(symbols);
}

void FsstMatcher::AddShortMatches(std::span<const FsstSymbol> symbols) {
  const auto add_byte = [this](uint64_t byte, uint16_t match) {
    for (uint64_t pair = byte; pair < kNumPairs; pair += 256) short_matches_[pair] = match;
    short_matches_[kNumPairs + byte] = match;
  };
  if (takes_terminators_) add_byte(kTerminator, kEndMatch);
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].length == 1) add_byte(symbols[code].value, PackMatch(code, 1, 1));
  }
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    if (symbols[code].length == 2) short_matches_[symbols[code].value] = PackMatch(code, 1, 2);
  }
}

void FsstMatcher::AddSlots(std::span<const FsstSymbol> symbols) {
  // An empty slot holds 3 bytes that belong to another slot, so nothing ever matches it.
  constexpr uint32_t kUnusedBits = 64 - 8 * kMinSlotBytes;
  uint64_t elsewhere = 1;
  while (SlotOf(elsewhere) == SlotOf(0)) ++elsewhere;
  slots_.fill({.value = 0, .unused_bits = kUnusedBits, .match = kEscapeMatch});
  slots_[SlotOf(0)].value = elsewhere;
  for (uint64_t code = 0; code < symbols.size(); ++code) {
    const FsstSymbol& symbol = symbols[code];
    if (symbol.length < kMinSlotBytes) continue;
    Slot& slot = slots_[SlotOf(symbol.value)];
    LANCE_DCHECK(slot.match == kEscapeMatch);
    slot = {.value = symbol.value,
            .unused_bits = 64 - 8 * symbol.length,
            .match = PackMatch(code, 1, symbol.length)};
  }
}

FsstMatcher::Match FsstMatcher::Find(uint64_t word, uint64_t remaining) const {
  Match match = FindTerminated(word);
  if (match.text_bytes() > remaining) {
    // It goes on behind the end, so look for a shorter one.
    match = {short_matches_[remaining > 1 ? word & 0xffff : kNumPairs + (word & 0xff)]};
  }
  return match.is_end() != 0 ? Match{kEscapeMatch} : match;  // a byte like others
}

}  // namespace lance::format
