#include "lance/dataset/filter/utf8.h"

namespace lance::filter {

namespace {

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

/// The bytes of the character that begins at `offset`.
size_t LengthAt(std::string_view text, size_t offset) {
  constexpr size_t kMostBytes = 4;
  size_t length = 1;
  while (length < kMostBytes && offset + length < text.size() &&
         IsContinuation(text[offset + length])) {
    ++length;
  }
  return length;
}

}  // namespace

int64_t CountCharacters(std::string_view text) {
  int64_t count = 0;
  for (size_t offset = 0; offset < text.size(); offset += LengthAt(text, offset)) ++count;
  return count;
}

size_t OffsetOfCharacter(std::string_view text, int64_t count) {
  size_t offset = 0;
  for (; count > 0 && offset < text.size(); --count) offset += LengthAt(text, offset);
  return offset;
}

std::vector<uint32_t> CharactersOf(std::string_view text) {
  std::vector<uint32_t> characters;
  for (size_t offset = 0; offset < text.size();) {
    const size_t length = LengthAt(text, offset);
    const auto first = static_cast<unsigned char>(text[offset]);
    uint32_t character = length == 1 ? first : first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
      character = character << 6 | (static_cast<unsigned char>(text[offset + i]) & 0x3f);
    }
    characters.push_back(character);
    offset += length;
  }
  return characters;
}

std::string EncodeCharacter(uint32_t character) {
  const auto tail = [&](int shift) {
    return static_cast<char>(0x80 | ((character >> shift) & 0x3f));
  };
  if (character < 0x80) return {static_cast<char>(character)};
  if (character < 0x800) return {static_cast<char>(0xc0 | character >> 6), tail(0)};
  if (character < 0x10000) return {static_cast<char>(0xe0 | character >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | character >> 18), tail(12), tail(6), tail(0)};
}

}  // namespace lance::filter
