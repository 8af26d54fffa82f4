#include "lance/dataset/filter/lexer.h"

#include <algorithm>
#include <array>
#include <memory>

#include "arrow/util/utf8.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/status_detail.h"

namespace lance::filter {

namespace {

using arrow::Status;
using arrow::StatusCode;

/// Longest first, so that "<=" is not read as "<".
constexpr std::array<std::string_view, 11> kLongSymbols = {
    "<=>", "<>", "<=", ">=", "!=", "==", "||", "::", "<<", ">>", "->"};
constexpr std::string_view kShortSymbols = "=<>+-*/%(),.[]{}&|^~?:@#$!\\";

/// Words that mean something in front of or behind an operand, so that a column of that name needs
/// backticks.
constexpr std::array<std::string_view, 12> kReservedWords = {
    "AND", "BETWEEN", "CASE", "FALSE", "ILIKE", "IN", "IS", "LIKE", "NOT", "NULL", "OR", "TRUE"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool IsWordStart(char c) {
  const char upper = ToUpper(c);
  return (upper >= 'A' && upper <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c); }

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// Walks over the text once. Thread-compatible.
class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  arrow::Result<std::vector<Token>> Run() {
    ARROW_RETURN_NOT_OK(CheckUtf8());
    for (;;) {
      ARROW_RETURN_NOT_OK(SkipBlanks());
      if (position_ == sql_.size() || sql_[position_] == ';') break;
      ARROW_RETURN_NOT_OK(ReadToken());
    }
    tokens_.push_back(Token{TokenKind::kEnd, Span{position_, 0}, {}});
    return std::move(tokens_);
  }

 private:
  char At(size_t position) const { return position < sql_.size() ? sql_[position] : '\0'; }

  Status Problem(size_t begin, size_t end, const std::string& message) const {
    return FilterProblem(StatusCode::Invalid, sql_, Span{begin, end - begin}, message);
  }

  Status CheckUtf8() const {
    arrow::util::InitializeUTF8();
    if (arrow::util::ValidateUTF8(sql_)) return Status::OK();
    size_t good = 0;
    while (const size_t length = CharacterLength(good)) good += length;
    // No excerpt: the text cannot be shown.
    return Status(StatusCode::Invalid,
                  "filter: byte " + std::to_string(good) + " is not part of a UTF-8 character",
                  std::make_shared<FilterError>(good, 1));
  }

  /// Length of the valid UTF-8 character at `position`, 0 when there is none.
  size_t CharacterLength(size_t position) const {
    for (size_t length = 1; length <= 4 && position + length <= sql_.size(); ++length) {
      if (arrow::util::ValidateUTF8(sql_.substr(position, length))) return length;
    }
    return 0;
  }

  Status SkipBlanks() {
    for (;;) {
      while (position_ < sql_.size() && IsBlank(sql_[position_])) ++position_;
      if (sql_.substr(position_, 2) == "--") {
        while (position_ < sql_.size() && sql_[position_] != '\n') ++position_;
      } else if (sql_.substr(position_, 2) == "/*") {
        const size_t end = sql_.find("*/", position_ + 2);
        if (end == std::string_view::npos) {
          return Problem(position_, sql_.size(), "the comment is never closed, expected */");
        }
        position_ = end + 2;
      } else {
        return Status::OK();
      }
    }
  }

  Status ReadToken() {
    const char c = sql_[position_];
    const char next = At(position_ + 1);
    if ((c == 'x' || c == 'X') && next == '\'') return ReadQuotedBinary();
    if (c == '0' && next == 'x') return ReadHexNumber();
    if (IsWordStart(c)) return ReadWord();
    if (IsDigit(c) || (c == '.' && IsDigit(next))) return ReadNumber();
    switch (c) {
      case '\'':
        return ReadQuoted(TokenKind::kText, "text");
      case '"':
        return ReadQuoted(TokenKind::kDoubleQuotedText, "text");
      case '`':
        return ReadQuoted(TokenKind::kQuotedIdentifier, "column name");
      default:
        return ReadSymbol();
    }
  }

  void Push(TokenKind kind, size_t end) {
    tokens_.push_back(
        Token{kind, Span{position_, end - position_}, sql_.substr(position_, end - position_)});
    position_ = end;
  }

  Status ReadWord() {
    size_t end = position_;
    while (IsWordPart(At(end))) ++end;
    Push(TokenKind::kWord, end);
    return Status::OK();
  }

  size_t SkipDigits(size_t position) const {
    while (IsDigit(At(position))) ++position;
    return position;
  }

  Status ReadNumber() {
    size_t end = SkipDigits(position_);
    if (At(end) == '.') end = SkipDigits(end + 1);
    if (At(end) == 'e' || At(end) == 'E') {
      const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
      if (IsDigit(At(end + 1 + sign))) end = SkipDigits(end + 1 + sign);
    }
    if (IsWordPart(At(end))) {
      while (IsWordPart(At(end))) ++end;
      return Problem(position_, end,
                     "found " + Shorten(sql_.substr(position_, end - position_)) +
                         ", expected a number such as 12, 1.5 or 1e3");
    }
    Push(TokenKind::kNumber, end);
    return Status::OK();
  }

  Status ReadHexNumber() {
    size_t end = position_ + 2;
    while (IsWordPart(At(end))) ++end;
    return PushBinary(sql_.substr(position_ + 2, end - position_ - 2), end);
  }

  Status ReadQuotedBinary() {
    const size_t close = sql_.find('\'', position_ + 2);
    if (close == std::string_view::npos) {
      return Problem(position_, sql_.size(), "the binary literal is never closed, expected '");
    }
    return PushBinary(sql_.substr(position_ + 2, close - position_ - 2), close + 1);
  }

  Status PushBinary(std::string_view digits, size_t end) {
    const bool all_hex = std::all_of(digits.begin(), digits.end(), IsHexDigit);
    if (!all_hex || digits.size() % 2 != 0) {
      return Problem(position_, end,
                     "found " + Shorten(sql_.substr(position_, end - position_)) +
                         ", expected an even number of hexadecimal digits such as X'0A'");
    }
    Push(TokenKind::kBinary, end);
    return Status::OK();
  }

  Status ReadQuoted(TokenKind kind, const char* what) {
    const char quote = sql_[position_];
    size_t end = position_ + 1;
    for (;; ++end) {
      if (end >= sql_.size()) {
        return Problem(position_, sql_.size(),
                       std::string("the ") + what + " is never closed, expected " + quote);
      }
      if (sql_[end] != quote) continue;
      if (At(end + 1) != quote) break;
      ++end;  // a doubled quote is part of the content
    }
    Push(kind, end + 1);
    return Status::OK();
  }

  Status ReadSymbol() {
    for (const std::string_view symbol : kLongSymbols) {
      if (sql_.substr(position_, symbol.size()) == symbol) {
        Push(TokenKind::kSymbol, position_ + symbol.size());
        return Status::OK();
      }
    }
    if (kShortSymbols.find(sql_[position_]) == std::string_view::npos) {
      return Problem(position_, position_ + 1,
                     "found a control character, expected a column, a value or an operator");
    }
    Push(TokenKind::kSymbol, position_ + 1);
    return Status::OK();
  }

  std::string_view sql_;
  size_t position_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

arrow::Result<std::vector<Token>> Tokenize(std::string_view sql) { return Lexer(sql).Run(); }

std::string Unquote(std::string_view quoted) {
  const char quote = quoted.front();
  std::string content;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    content.push_back(quoted[i]);
    if (quoted[i] == quote) ++i;
  }
  return content;
}

bool EqualsIgnoringCase(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char left, char right) { return ToUpper(left) == ToUpper(right); });
}

bool IsBareIdentifier(std::string_view name) {
  if (name.empty() || !IsWordStart(name.front())) return false;
  if (!std::all_of(name.begin(), name.end(), IsWordPart)) return false;
  return std::none_of(kReservedWords.begin(), kReservedWords.end(),
                      [name](std::string_view word) { return EqualsIgnoringCase(name, word); });
}

}  // namespace lance::filter
