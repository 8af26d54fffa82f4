#include "lance/dataset/filter/filter_problem.h"

#include <algorithm>
#include <memory>

#include "lance/status_detail.h"

namespace lance::filter {

namespace {

constexpr size_t kMaxQuotedBytes = 64;
constexpr size_t kBytesBeforePlace = 40;
constexpr size_t kBytesAfterPlace = 40;

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Move `position` down to the first byte of its character.
size_t CharacterStart(std::string_view text, size_t position) {
  while (position > 0 && position < text.size() && IsContinuation(text[position])) --position;
  return position;
}

/// Characters, which is what a caret line counts.
size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !IsContinuation(byte); }));
}

/// The text on one line: line ends, tabs and other control bytes become blanks.
std::string OnOneLine(std::string_view text) {
  std::string line(text);
  for (char& byte : line) {
    if (static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F) byte = ' ';
  }
  return line;
}

/// The line with the text around the place, and the line with the caret.
std::string Excerpt(std::string_view sql, Span place) {
  const size_t begin =
      place.offset <= kBytesBeforePlace ? 0 : CharacterStart(sql, place.offset - kBytesBeforePlace);
  const size_t end = CharacterStart(sql, std::min(sql.size(), place.offset + kBytesAfterPlace));
  const std::string before =
      (begin > 0 ? "..." : "") + OnOneLine(sql.substr(begin, place.offset - begin));
  const std::string after =
      OnOneLine(sql.substr(place.offset, end - place.offset)) + (end < sql.size() ? "..." : "");
  const size_t marked_end = std::min(end, place.end());
  const size_t carets = marked_end > place.offset
                            ? CountCharacters(sql.substr(place.offset, marked_end - place.offset))
                            : 1;
  return "  " + before + after + "\n  " + std::string(CountCharacters(before), ' ') +
         std::string(std::max<size_t>(carets, 1), '^');
}

}  // namespace

arrow::Status FilterProblem(arrow::StatusCode code, std::string_view sql, Span place,
                            const std::string& message) {
  place.offset = std::min(place.offset, sql.size());
  place.length = std::min(place.length, sql.size() - place.offset);
  return arrow::Status(code, "filter: " + OnOneLine(message) + "\n" + Excerpt(sql, place),
                       std::make_shared<FilterError>(place.offset, place.length));
}

std::string Shorten(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return std::string(text);
  return std::string(text.substr(0, CharacterStart(text, kMaxQuotedBytes))) + "...";
}

}  // namespace lance::filter
