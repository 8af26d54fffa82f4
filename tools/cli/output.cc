#include "output.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "arrow/util/utf8.h"

namespace lancectl {

namespace {

/// The bytes of the character that a text begins with; 0 when it is no UTF-8 or a control
/// character.
size_t PrintableBytes(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
  for (size_t length = 2; length <= std::min<size_t>(text.size(), 4); ++length) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    if (!arrow::util::ValidateUTF8(data, static_cast<int64_t>(length))) continue;
    const bool is_control = byte(0) == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
    return is_control ? 0 : length;
  }
  return 0;
}

std::string Escape(std::string_view text, std::string_view kept) {
  std::string printable;
  while (!text.empty()) {
    const size_t length = kept.find(text[0]) == kept.npos ? PrintableBytes(text) : 1;
    if (length == 0) {
      constexpr char kDigits[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[0]);
      printable += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    printable += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return printable;
}

}  // namespace

std::string Printable(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
  return is_plain ? text : Escape(text, "");
}

std::string PrintableMessage(const std::string& text) { return Escape(text, "\n"); }

void PrintJson(const nlohmann::ordered_json& json) {
  std::cout << json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

namespace {

/// How many places a text takes: characters, as far as each takes one.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

TablePrinter::TablePrinter(std::vector<std::string> heading)
    : heading_(std::move(heading)), widths_(heading_.size(), 0) {
  std::ranges::transform(heading_, heading_.begin(), Printable);
  Widen(heading_);
}

void TablePrinter::Widen(const std::vector<std::string>& row) {
  for (size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], WidthOf(row[i]));
}

void TablePrinter::PrintLine(const std::vector<std::string>& row) const {
  std::string line;
  for (size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += "  ";
    line += row[i];
    if (i + 1 < row.size()) line.append(widths_[i] - WidthOf(row[i]), ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);  // cells at the end may be empty
  std::cout << line << '\n';
}

void TablePrinter::Print(std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows) {
    std::ranges::transform(row, row.begin(), Printable);
    Widen(row);
  }
  if (!std::exchange(has_heading_, true)) PrintLine(heading_);
  for (const auto& row : rows) PrintLine(row);
}

void PrintTable(std::vector<std::string> heading, std::vector<std::vector<std::string>> rows) {
  TablePrinter(std::move(heading)).Print(std::move(rows));
}

std::string JoinNames(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

std::string WithCommas(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t place = text.size(); place > 3;) {
    place -= 3;
    text.insert(place, ",");
  }
  return text;
}

std::string Counted(uint64_t count, const std::string& one, const std::string& many) {
  return WithCommas(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

std::string Lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : static_cast<char>(c);
  });
  return text;
}

}  // namespace lancectl
