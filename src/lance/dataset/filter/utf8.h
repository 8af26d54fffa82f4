#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lance::filter {

// Texts as characters. Bytes that are no UTF-8 count as characters of their own.

/// The number of characters.
int64_t CountCharacters(std::string_view text);

/// Where the character number `count` begins, from 0; the end of the text when it has fewer, 0 when
/// `count` is negative.
size_t OffsetOfCharacter(std::string_view text, int64_t count);

/// The numbers of the characters.
std::vector<uint32_t> CharactersOf(std::string_view text);

/// A character as UTF-8. \pre character <= 0x10ffff
std::string EncodeCharacter(uint32_t character);

}  // namespace lance::filter
