#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/filter/ast.h"

namespace lance::filter {

/// What a token is.
enum class TokenKind {
  kEnd,               // the end of the text, or a ';': what follows is ignored
  kWord,              // a keyword or a bare identifier
  kQuotedIdentifier,  // `x`
  kNumber,            // 12, 1.5, .5, 1e3
  kText,              // 'x'
  kDoubleQuotedText,  // "x": text, not an identifier
  kBinary,            // X'0A' or 0x0A
  kSymbol             // operators and punctuation
};

/// One token of a filter. Borrows the text.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  Span span;
  std::string_view text;  // as written, with its quotes
};

/// Cut a filter's text into tokens; the last one is kEnd.
///
/// Comments (`-- ...` to the end of the line, `/* ... */`) are blanks. The tokens borrow `sql`.
///
/// \return Invalid with FilterError for text that is not UTF-8, for an open quote or comment, a
///   malformed number or binary literal, or a character that no token starts with
/// Source: zonemap-and-indices 11.2.
arrow::Result<std::vector<Token>> Tokenize(std::string_view sql);

/// The content of a quoted token: without its quotes, doubled quotes made single.
std::string Unquote(std::string_view quoted);

/// Whether the word is `keyword` (given in upper case), ignoring case.
bool EqualsIgnoringCase(std::string_view word, std::string_view keyword);

/// Whether `name` can stand in a filter without backticks.
bool IsBareIdentifier(std::string_view name);

}  // namespace lance::filter
