#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lance::table {

/// Parse a decimal number that fills the whole text. \return no value: something else, or too large
inline std::optional<uint64_t> ParseDecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace lance::table
