#include "lance/dataset/filter/parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "lance/dataset/filter/cast_type.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/dataset/filter/lexer.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/filter/temporal_literal.h"

namespace lance::filter {

namespace {

using arrow::Result;
using arrow::Status;
using arrow::StatusCode;
using Kind = Expression::Kind;

/// How tightly an operator binds; operands of one level are parsed with that level as minimum.
enum Precedence {
  kAnything = 0,
  kOr,
  kAnd,
  kNot,
  kIs,
  kLike,
  kCompare,
  kShift,
  kAdd,
  kMultiply,
  kCastSuffix,
  kNotSupported
};

constexpr std::array<std::pair<std::string_view, CompareOp>, 8> kCompareSymbols = {{
    {"=", CompareOp::kEqual},
    {"==", CompareOp::kEqual},
    {"<>", CompareOp::kNotEqual},
    {"!=", CompareOp::kNotEqual},
    {"<", CompareOp::kLess},
    {"<=", CompareOp::kLessEqual},
    {">", CompareOp::kGreater},
    {">=", CompareOp::kGreaterEqual},
}};

/// The reference binds || as tightly as *.
constexpr std::array<std::pair<std::string_view, ArithmeticOp>, 8> kArithmeticSymbols = {{
    {"+", ArithmeticOp::kAdd},
    {"-", ArithmeticOp::kSubtract},
    {"*", ArithmeticOp::kMultiply},
    {"/", ArithmeticOp::kDivide},
    {"%", ArithmeticOp::kModulo},
    {"||", ArithmeticOp::kConcatenate},
    {"<<", ArithmeticOp::kShiftLeft},
    {">>", ArithmeticOp::kShiftRight},
}};

constexpr std::array<std::string_view, 6> kOtherOperators = {"&", "|", "^", "->", "<=>", "~"};

/// Words that follow an operand in parts of the dialect which come later.
constexpr std::array<std::string_view, 4> kPatternWords = {"SIMILAR", "RLIKE", "REGEXP", "GLOB"};

/// Calls with a grammar of their own, which the reference refuses, and what to write for them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSpecialCalls = {{
    {"EXTRACT", "date_part('year', x)"},
    {"SUBSTR", "left(x, n), right(x, n) or split_part(x, ',', n)"},
    {"SUBSTRING", "left(x, n), right(x, n) or split_part(x, ',', n)"},
    {"TRIM", "btrim(x), ltrim(x) or rtrim(x)"},
    {"OVERLAY", "concat() of left() and right(), or replace()"},
    {"FLOOR", "x >= 3 AND x < 4 for floor(x) = 3, or trunc(x), the same for numbers from 0 on"},
    {"CEIL", "x > 2 AND x <= 3 for ceil(x) = 3, or trunc(x), the same for numbers up to 0"},
}};

/// \return "": a word of the dialect
std::string_view ReplacementOf(std::string_view word) {
  for (const auto& [call, replacement] : kSpecialCalls) {
    if (EqualsIgnoringCase(call, word)) return replacement;
  }
  return "";
}

const CompareOp* FindCompareSymbol(std::string_view symbol) {
  for (const auto& [text, op] : kCompareSymbols) {
    if (text == symbol) return &op;
  }
  return nullptr;
}

const ArithmeticOp* FindArithmeticSymbol(std::string_view symbol) {
  for (const auto& [text, op] : kArithmeticSymbols) {
    if (text == symbol) return &op;
  }
  return nullptr;
}

Precedence PrecedenceOf(ArithmeticOp op) {
  if (op == ArithmeticOp::kShiftLeft || op == ArithmeticOp::kShiftRight) return kShift;
  return op == ArithmeticOp::kAdd || op == ArithmeticOp::kSubtract ? kAdd : kMultiply;
}

std::string Cased(std::string_view word, int (*change)(int)) {
  std::string changed(word);
  for (char& c : changed) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return changed;
}

bool IsOneOf(std::string_view word, const auto& words) {
  return std::any_of(words.begin(), words.end(), [word](std::string_view candidate) {
    return EqualsIgnoringCase(word, candidate);
  });
}

bool IsTextToken(const Token& token) {
  return token.kind == TokenKind::kText || token.kind == TokenKind::kDoubleQuotedText;
}

std::string DescribeToken(const Token& token) {
  return token.kind == TokenKind::kEnd ? "the end of the filter" : Shorten(token.text);
}

/// A Pratt parser: a prefix, then operators as long as they bind tighter than the caller's.
/// Thread-compatible.
class Parser {
 public:
  Parser(std::string_view sql, std::vector<Token> tokens) : sql_(sql), tokens_(std::move(tokens)) {}

  Result<ExpressionPtr> ParseAll() {
    if (Peek().kind == TokenKind::kEnd) {
      return Problem(Peek().span, "the filter is empty, expected an expression such as a > 5");
    }
    ARROW_ASSIGN_OR_RAISE(auto expression, ParseExpression(kAnything));
    if (Peek().kind != TokenKind::kEnd) return Expected("AND, OR or the end of the filter");
    return expression;
  }

 private:
  // --- tokens

  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }

  const Token& Take() {
    const Token& token = Peek();
    if (token.kind != TokenKind::kEnd) ++position_;
    return token;
  }

  static bool IsWord(const Token& token, std::string_view keyword) {
    return token.kind == TokenKind::kWord && EqualsIgnoringCase(token.text, keyword);
  }

  static bool IsSymbol(const Token& token, std::string_view symbol) {
    return token.kind == TokenKind::kSymbol && token.text == symbol;
  }

  bool AcceptWord(std::string_view keyword) {
    if (!IsWord(Peek(), keyword)) return false;
    Take();
    return true;
  }

  bool AcceptSymbol(std::string_view symbol) {
    if (!IsSymbol(Peek(), symbol)) return false;
    Take();
    return true;
  }

  // --- problems
  //
  // These and the parsers of operands are kept out of line: inlined, their strings would make the
  // frames of the functions that recurse several times as large.

  [[gnu::noinline]] Status Problem(Span place, std::string_view message) const {
    return FilterProblem(StatusCode::Invalid, sql_, place, std::string(message));
  }

  [[gnu::noinline]] Status Expected(std::string_view what) const {
    return Problem(Peek().span,
                   "found " + DescribeToken(Peek()) + ", expected " + std::string(what));
  }

  [[gnu::noinline]] Status NotSupported(Span place, std::string_view what) const {
    return FilterProblem(StatusCode::NotImplemented, sql_, place,
                         std::string(what) + " not supported yet; " + kAllowedNow);
  }

  [[gnu::noinline]] Status OperatorNotSupported() const {
    return NotSupported(Peek().span, "the operator " + Shorten(Peek().text) + " is");
  }

  // --- nodes

  [[gnu::noinline]] static ExpressionPtr MakeNode(Kind kind, Span span) {
    auto node = std::make_unique<Expression>();
    node->kind = kind;
    node->span = span;
    return node;
  }

  static ExpressionPtr MakeLiteral(Literal literal, Span span) {
    auto node = MakeNode(Kind::kLiteral, span);
    node->literal = std::move(literal);
    return node;
  }

  static ExpressionPtr MakeBoolean(bool value, Span span) {
    Literal literal;
    literal.kind = Literal::Kind::kBoolean;
    literal.boolean = value;
    return MakeLiteral(std::move(literal), span);
  }

  /// Hang `child` below `node`; long chains of operators must not make trees too high to walk.
  [[gnu::noinline]] Status AddChild(Expression* node, ExpressionPtr child) const {
    node->depth = std::max(node->depth, child->depth + 1);
    node->span = Join(node->span, child->span);
    if (node->depth > Expression::kMaxDepth) {
      return Problem(child->span, "the filter is more than " +
                                      std::to_string(Expression::kMaxDepth) +
                                      " operators deep, which is the most allowed");
    }
    node->children.push_back(std::move(child));
    return Status::OK();
  }

  /// AND and OR are kept flat: an operand of the same kind gives its children.
  [[gnu::noinline]] Status AddToChain(Expression* chain, ExpressionPtr operand) const {
    if (operand->kind != chain->kind) return AddChild(chain, std::move(operand));
    for (ExpressionPtr& child : operand->children) {
      ARROW_RETURN_NOT_OK(AddChild(chain, std::move(child)));
    }
    return Status::OK();
  }

  // --- expressions

  Result<ExpressionPtr> ParseExpression(Precedence minimum) {
    ARROW_ASSIGN_OR_RAISE(auto left, ParsePrefix());
    while (NextPrecedence() > minimum) {
      ARROW_ASSIGN_OR_RAISE(left, ParseInfix(std::move(left)));
    }
    return left;
  }

  /// How tightly the next token binds as an operator; kAnything when it is none.
  Precedence NextPrecedence() const {
    const Token& token = Peek();
    if (token.kind == TokenKind::kSymbol) {
      if (FindCompareSymbol(token.text) != nullptr) return kCompare;
      if (const auto* op = FindArithmeticSymbol(token.text)) return PrecedenceOf(*op);
      if (token.text == "::") return kCastSuffix;
      return IsOneOf(token.text, kOtherOperators) ? kNotSupported : kAnything;
    }
    if (IsWord(token, "OR")) return kOr;
    if (IsWord(token, "AND")) return kAnd;
    if (IsWord(token, "IS")) return kIs;
    const Token& word = IsWord(token, "NOT") ? Peek(1) : token;
    if (IsWord(word, "IN") || IsWord(word, "BETWEEN")) return kCompare;
    if (IsWord(word, "LIKE") || IsWord(word, "ILIKE")) return kLike;
    if (word.kind == TokenKind::kWord && IsOneOf(word.text, kPatternWords)) return kNotSupported;
    return kAnything;
  }

  Result<ExpressionPtr> ParseInfix(ExpressionPtr left) {
    const Token& token = Peek();
    if (NextPrecedence() == kNotSupported) return OperatorNotSupported();
    if (token.kind == TokenKind::kSymbol) return ParseSymbol(std::move(left));
    if (IsWord(token, "OR")) return ParseChain(Kind::kOr, kOr, std::move(left));
    if (IsWord(token, "AND")) return ParseChain(Kind::kAnd, kAnd, std::move(left));
    if (IsWord(token, "IS")) return ParseIs(std::move(left));
    const bool negated = AcceptWord("NOT");
    if (AcceptWord("IN")) return ParseIn(std::move(left), negated);
    if (NextPrecedence() == kLike) return ParseLike(std::move(left), negated);
    Take();  // BETWEEN: the precedence said so
    return ParseBetween(std::move(left), negated);
  }

  Result<ExpressionPtr> ParseChain(Kind kind, Precedence precedence, ExpressionPtr left) {
    Take();
    ARROW_ASSIGN_OR_RAISE(auto right, ParseExpression(precedence));
    // Appending in place keeps ten thousand operands linear.
    ExpressionPtr chain = std::move(left);
    if (chain->kind != kind) {
      auto node = MakeNode(kind, chain->span);
      ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(chain)));
      chain = std::move(node);
    }
    ARROW_RETURN_NOT_OK(AddToChain(chain.get(), std::move(right)));
    return chain;
  }

  Result<ExpressionPtr> ParseSymbol(ExpressionPtr left) {
    const std::string_view symbol = Peek().text;
    if (symbol == "::") return ParseCastSuffix(std::move(left));
    if (FindArithmeticSymbol(symbol) != nullptr) return ParseArithmetic(std::move(left));
    return ParseComparison(std::move(left));
  }

  Result<ExpressionPtr> ParseArithmetic(ExpressionPtr left) {
    auto node = MakeNode(Kind::kArithmetic, left->span);
    node->arithmetic = *FindArithmeticSymbol(Take().text);
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(left)));
    ARROW_ASSIGN_OR_RAISE(auto right, ParseExpression(PrecedenceOf(node->arithmetic)));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(right)));
    return node;
  }

  Result<ExpressionPtr> ParseComparison(ExpressionPtr left) {
    auto node = MakeNode(Kind::kCompare, left->span);
    node->op = *FindCompareSymbol(Take().text);
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(left)));
    ARROW_ASSIGN_OR_RAISE(auto right, ParseExpression(kCompare));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(right)));
    return node;
  }

  [[gnu::noinline]] Result<ExpressionPtr> ParseIs(ExpressionPtr operand) {
    Take();
    const bool negated = AcceptWord("NOT");
    const Token& word = Peek();
    if (IsWord(word, "DISTINCT")) return ParseIsDistinct(std::move(operand), negated);
    const bool is_truth = IsWord(word, "TRUE") || IsWord(word, "FALSE");
    if (!is_truth && !IsWord(word, "NULL")) {
      return Expected("NULL, TRUE, FALSE or DISTINCT FROM");
    }
    auto node = MakeNode(is_truth ? Kind::kIsTruth : Kind::kIsNull, Join(operand->span, word.span));
    node->negated = negated;
    node->truth = !IsWord(word, "FALSE");
    Take();
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    return node;
  }

  Result<ExpressionPtr> ParseIsDistinct(ExpressionPtr left, bool negated) {
    Take();
    if (!AcceptWord("FROM")) return Expected("FROM");
    auto node = MakeNode(Kind::kIsDistinct, left->span);
    node->negated = negated;
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(left)));
    ARROW_RETURN_NOT_OK(Descend(node->span));
    ARROW_ASSIGN_OR_RAISE(auto right, ParseExpression(kIs));
    --nesting_;
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(right)));
    return node;
  }

  Result<ExpressionPtr> ParseLike(ExpressionPtr operand, bool negated) {
    auto node = MakeNode(Kind::kLike, operand->span);
    node->negated = negated;
    node->ignores_case = IsWord(Take(), "ILIKE");
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    ARROW_ASSIGN_OR_RAISE(auto pattern, ParseExpression(kLike));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(pattern)));
    if (!AcceptWord("ESCAPE")) return node;
    const Token& escape = Peek();
    if (!IsTextToken(escape)) return Expected("the escape character as a text such as '!'");
    node->escape = Unquote(escape.text);
    if (node->escape.size() != 1) {
      return Problem(escape.span, "found " + Shorten(escape.text) +
                                      " as escape character, allowed is one ASCII character");
    }
    node->span = Join(node->span, Take().span);
    return node;
  }

  Result<ExpressionPtr> ParseIn(ExpressionPtr operand, bool negated) {
    auto node = MakeNode(Kind::kIn, operand->span);
    node->negated = negated;
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    if (!IsSymbol(Peek(), "(")) return Expected("a list in parentheses such as (1, 2)");
    ARROW_RETURN_NOT_OK(Descend(Take().span));
    if (IsWord(Peek(), "SELECT")) return Problem(Peek().span, "found a subquery, expected values");
    do {
      ARROW_ASSIGN_OR_RAISE(auto member, ParseExpression(kAnything));
      ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(member)));
    } while (AcceptSymbol(","));
    node->span = Join(node->span, Peek().span);
    if (!AcceptSymbol(")")) return Expected(", or )");
    --nesting_;
    return node;
  }

  Result<ExpressionPtr> ParseBetween(ExpressionPtr operand, bool negated) {
    auto node = MakeNode(Kind::kBetween, operand->span);
    node->negated = negated;
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    ARROW_ASSIGN_OR_RAISE(auto low, ParseExpression(kCompare));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(low)));
    if (!AcceptWord("AND")) return Expected("AND and the upper bound of BETWEEN");
    ARROW_ASSIGN_OR_RAISE(auto high, ParseExpression(kCompare));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(high)));
    return node;
  }

  // --- prefixes

  Result<ExpressionPtr> ParsePrefix() {
    const Token& token = Peek();
    if (IsSymbol(token, "(")) return ParseParentheses();
    if (IsSymbol(token, "-")) return ParseMinus();
    if (IsWord(token, "NOT")) return ParseNot();
    return ParseOperand();
  }

  /// A column or a literal.
  [[gnu::noinline]] Result<ExpressionPtr> ParseOperand() {
    const Token& token = Peek();
    switch (token.kind) {
      case TokenKind::kEnd:
        return Expected("a column or a value");
      case TokenKind::kWord:
        return ParseWord();
      case TokenKind::kSymbol:
        return IsSymbol(token, "[") ? ParseArray(token.span) : SymbolProblem();
      case TokenKind::kQuotedIdentifier:
        Take();
        return ParseColumn(token.span, Unquote(token.text), /*is_exact_name=*/true);
      case TokenKind::kNumber:
        Take();
        return MakeLiteral(ParseNumber(token.text), token.span);
      case TokenKind::kText:
      case TokenKind::kDoubleQuotedText:
        Take();
        return MakeLiteral(TextLiteral(token), token.span);
      case TokenKind::kBinary:
        Take();
        return MakeLiteral(BinaryLiteral(token), token.span);
    }
    return Expected("a column or a value");
  }

  static Literal TextLiteral(const Token& token) {
    Literal literal;
    literal.kind = Literal::Kind::kText;
    literal.text = Unquote(token.text);
    literal.double_quoted = token.kind == TokenKind::kDoubleQuotedText;
    return literal;
  }

  static Literal BinaryLiteral(const Token& token) {
    const bool is_quoted = token.text.back() == '\'';
    Literal literal;
    literal.kind = Literal::Kind::kBinary;
    literal.text = DecodeHex(token.text.substr(2, token.text.size() - (is_quoted ? 3 : 2)));
    return literal;
  }

  Status SymbolProblem() const {
    const Token& token = Peek();
    if (token.text == "~") return OperatorNotSupported();
    if (token.text == "?" || token.text == ":" || token.text == "$" || token.text == "@") {
      return Problem(token.span, "found the placeholder " + std::string(token.text) +
                                     ", expected a value; filters take no parameters");
    }
    return Expected("a column or a value");
  }

  /// Guard the constructs that recurse for every token of their own.
  [[gnu::noinline]] Status Descend(Span place) {
    if (++nesting_ <= kMaxNesting) return Status::OK();
    return Problem(place, "parentheses, NOT and minus nest more than " +
                              std::to_string(kMaxNesting) + " deep, which is the most allowed");
  }

  Result<ExpressionPtr> ParseParentheses() {
    ARROW_RETURN_NOT_OK(Descend(Take().span));
    ARROW_ASSIGN_OR_RAISE(auto inner, ParseExpression(kAnything));
    if (IsSymbol(Peek(), ","))
      return Problem(Peek().span, "found a list, expected one value and )");
    if (!AcceptSymbol(")")) return Expected(")");
    --nesting_;
    return inner;
  }

  Result<ExpressionPtr> ParseMinus() {
    const Span minus = Take().span;
    ARROW_RETURN_NOT_OK(Descend(minus));
    ARROW_ASSIGN_OR_RAISE(auto operand, ParsePrefix());
    --nesting_;
    if (operand->kind == Kind::kLiteral) {
      ARROW_RETURN_NOT_OK(Negate(minus, operand.get()));
      return operand;
    }
    auto node = MakeNode(Kind::kNegative, minus);
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    return node;
  }

  [[gnu::noinline]] Status Negate(Span minus, Expression* operand) const {
    const Literal::Kind kind = operand->literal.kind;
    if (kind != Literal::Kind::kInteger && kind != Literal::Kind::kFloat) {
      return Problem(operand->span,
                     "found " + Describe(operand->literal) + " after -, expected a number");
    }
    operand->literal = NegateNumber(std::move(operand->literal));
    operand->span = Join(minus, operand->span);
    return Status::OK();
  }

  Result<ExpressionPtr> ParseNot() {
    const Span span = Take().span;
    ARROW_RETURN_NOT_OK(Descend(span));
    ARROW_ASSIGN_OR_RAISE(auto operand, ParseExpression(kNot));
    --nesting_;
    auto node = MakeNode(Kind::kNot, span);
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    return node;
  }

  Result<ExpressionPtr> ParseWord() {
    const Token& word = Peek();
    if (IsWord(word, "TRUE") || IsWord(word, "FALSE")) {
      Take();
      return MakeBoolean(IsWord(word, "TRUE"), word.span);
    }
    if (IsWord(word, "NULL")) return MakeLiteral(Literal(), Take().span);
    if (IsWord(word, "CASE")) {
      return Problem(
          word.span,
          "CASE is not part of the filter dialect; write the conditions with AND and OR, "
          "or choose a value by coalesce(), nullif() or nvl2()");
    }
    if (!IsBareIdentifier(word.text)) {
      return Expected("a column or a value; a column of that name is written `" +
                      std::string(word.text) + "`");
    }
    if (IsWord(word, "TIMESTAMP") && IsSymbol(Peek(1), "(")) return ParseTimestampWithPrecision();
    if (IsTextToken(Peek(1))) return ParseTypedLiteral();
    if (IsWord(word, "ARRAY") && IsSymbol(Peek(1), "[")) return ParseArray(Take().span);
    if (IsSymbol(Peek(1), "(")) return ParseCall();
    Take();
    return ParseColumn(word.span, std::string(word.text), /*is_exact_name=*/false);
  }

  /// [1, 2], whose elements are literals, and the elements that follow it.
  Result<ExpressionPtr> ParseArray(Span start) {
    ARROW_RETURN_NOT_OK(Descend(Take().span));
    auto node = MakeNode(Kind::kArray, start);
    while (!IsSymbol(Peek(), "]")) {
      if (!node->children.empty() && !AcceptSymbol(",")) return Expected(", or ]");
      const Span place = Peek().span;
      ARROW_ASSIGN_OR_RAISE(auto element, ParsePrefix());
      if (element->kind != Kind::kLiteral) {
        return Problem(place,
                       "found an expression in an array, allowed are literals; a call of "
                       "make_array() takes expressions");
      }
      ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(element)));
    }
    node->span = Join(node->span, Take().span);
    --nesting_;
    return ParseAccess(std::move(node));
  }

  /// A column, and the fields and elements that follow it.
  Result<ExpressionPtr> ParseColumn(Span span, std::string name, bool is_exact_name) {
    auto node = MakeNode(Kind::kColumn, span);
    node->column = std::move(name);
    node->is_exact_name = is_exact_name;
    return ParseAccess(std::move(node));
  }

  /// The fields and elements that follow a value.
  Result<ExpressionPtr> ParseAccess(ExpressionPtr node) {
    for (;;) {
      if (AcceptSymbol(".")) {
        ARROW_ASSIGN_OR_RAISE(node, ParseFieldName(std::move(node)));
      } else if (AcceptSymbol("[")) {
        ARROW_ASSIGN_OR_RAISE(node, ParseSubscript(std::move(node)));
      } else {
        return node;
      }
    }
  }

  Result<ExpressionPtr> ParseFieldName(ExpressionPtr operand) {
    const Token& token = Peek();
    const bool is_quoted = token.kind == TokenKind::kQuotedIdentifier;
    if (!is_quoted && token.kind != TokenKind::kWord) return Expected("the name of a field");
    return MakeField(std::move(operand), is_quoted ? Unquote(token.text) : std::string(token.text),
                     Take().span);
  }

  [[gnu::noinline]] Result<ExpressionPtr> MakeField(ExpressionPtr operand, std::string name,
                                                    Span place) const {
    auto node = MakeNode(Kind::kField, place);
    node->name = std::move(name);
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    return node;
  }

  /// ['field'] or [place].
  Result<ExpressionPtr> ParseSubscript(ExpressionPtr operand) {
    if (IsTextToken(Peek())) {
      const Token& text = Take();
      if (!AcceptSymbol("]")) return Expected("]");
      return MakeField(std::move(operand), Unquote(text.text), text.span);
    }
    const Span place = Peek().span;
    ARROW_RETURN_NOT_OK(Descend(place));
    ARROW_ASSIGN_OR_RAISE(auto index, ParseExpression(kAnything));
    --nesting_;
    if (!AcceptSymbol("]")) return Expected("]; slices are not part of the dialect");
    return MakeElement(std::move(operand), std::move(index), place);
  }

  [[gnu::noinline]] Result<ExpressionPtr> MakeElement(ExpressionPtr operand, ExpressionPtr index,
                                                      Span place) const {
    const Literal& number = index->literal;
    const bool is_literal = index->kind == Kind::kLiteral;
    auto node = MakeNode(is_literal ? Kind::kElement : Kind::kCall, place);
    if (is_literal) {
      if (number.kind != Literal::Kind::kInteger || number.magnitude > INT64_MAX) {
        return Problem(place, "found " + Describe(number) +
                                  ", expected the name of a field as a text or the place of a list "
                                  "element as an integer");
      }
      node->element = static_cast<int64_t>(number.magnitude) * (number.negative ? -1 : 1);
    } else {
      node->name = "array_element";
    }
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    if (!is_literal) ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(index)));
    return node;
  }

  // --- calls

  Result<ExpressionPtr> ParseCall() {
    const Token& word = Take();
    if (const auto replacement = ReplacementOf(word.text); !replacement.empty()) {
      return Problem(word.span, "found " + Shorten(word.text) +
                                    ", which is not part of the filter dialect; write " +
                                    std::string(replacement));
    }
    ARROW_RETURN_NOT_OK(Descend(Take().span));
    if (IsWord(word, "CAST") || IsWord(word, "TRY_CAST")) return ParseCast(word);
    auto node = MakeNode(Kind::kCall, word.span);
    node->name = Cased(word.text, std::tolower);
    while (!IsSymbol(Peek(), ")")) {
      if (!node->children.empty() && !AcceptSymbol(",")) return Expected(", or )");
      ARROW_ASSIGN_OR_RAISE(auto argument, ParseExpression(kAnything));
      ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(argument)));
    }
    node->span = Join(node->span, Take().span);
    --nesting_;
    return ParseAccess(std::move(node));
  }

  /// The rest of CAST( or TRY_CAST(.
  Result<ExpressionPtr> ParseCast(const Token& word) {
    ARROW_ASSIGN_OR_RAISE(auto operand, ParseExpression(kAnything));
    if (!AcceptWord("AS")) return Expected("AS and a type");
    auto node = MakeNode(Kind::kCast, word.span);
    node->is_try = IsWord(word, "TRY_CAST");
    ARROW_RETURN_NOT_OK(ParseTypeName(&node->name));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    node->span = Join(node->span, Peek().span);
    if (!AcceptSymbol(")")) return Expected(")");
    --nesting_;
    return node;
  }

  Result<ExpressionPtr> ParseCastSuffix(ExpressionPtr operand) {
    auto node = MakeNode(Kind::kCast, Take().span);
    ARROW_RETURN_NOT_OK(ParseTypeName(&node->name));
    ARROW_RETURN_NOT_OK(AddChild(node.get(), std::move(operand)));
    return node;
  }

  /// A type of CAST: a word, UNSIGNED, numbers in parentheses.
  Status ParseTypeName(std::string* name) {
    const Span start = Peek().span;
    if (Peek().kind != TokenKind::kWord) return Expected(kCastTypesText);
    *name = Cased(Take().text, std::toupper);
    if (AcceptWord("UNSIGNED")) *name += " UNSIGNED";
    if (AcceptSymbol("(")) {
      *name += '(';
      do {
        if (name->back() != '(') *name += ", ";
        if (Peek().kind != TokenKind::kNumber) return Expected("a number");
        *name += Take().text;
      } while (AcceptSymbol(","));
      if (!AcceptSymbol(")")) return Expected(")");
      *name += ')';
    }
    if (MakeCastType(*name) != nullptr) return Status::OK();
    return Problem(Span{start.offset, Peek().span.offset - start.offset},
                   "found the type " + Shorten(*name) + ", expected " + kCastTypesText);
  }

  /// DATE '...' or TIMESTAMP '...'.
  Result<ExpressionPtr> ParseTypedLiteral() {
    constexpr const char* kOtherLiterals =
        "typed literals other than DATE '...', TIMESTAMP '...' and X'...' are";
    const Token& type = Take();
    if (IsWord(type, "DATE")) return MakeDate(type.span, Take());
    if (IsWord(type, "TIMESTAMP")) return MakeTimestamp(type.span, Take(), 6);
    if (IsWord(type, "INTERVAL")) {
      return FilterProblem(StatusCode::NotImplemented, sql_, Join(type.span, Peek().span),
                           std::string(kOtherLiterals) +
                               " not supported yet; compute the time beforehand, and write it as "
                               "DATE '...' or TIMESTAMP '...'");
    }
    return NotSupported(Join(type.span, Peek().span), kOtherLiterals);
  }

  /// TIMESTAMP(0|3|6|9) '...'.
  Result<ExpressionPtr> ParseTimestampWithPrecision() {
    const Span start = Take().span;
    Take();  // (
    const Token& digits = Take();
    constexpr std::string_view kPrecisions = "0369";
    if (digits.text.size() != 1 || kPrecisions.find(digits.text) == std::string_view::npos) {
      return Problem(digits.span, "found " + DescribeToken(digits) +
                                      " as precision of TIMESTAMP, allowed are 0, 3, 6 and 9");
    }
    if (!AcceptSymbol(")")) return Expected(")");
    if (!IsTextToken(Peek())) return Expected("a text such as '2024-01-31 12:00:00'");
    return MakeTimestamp(start, Take(), digits.text.front() - '0');
  }

  Result<ExpressionPtr> MakeDate(Span start, const Token& text) const {
    Literal literal;
    literal.kind = Literal::Kind::kDate;
    literal.text = Unquote(text.text);
    const auto days = ParseDateText(literal.text);
    if (!days) {
      return Problem(text.span,
                     "found " + Shorten(text.text) + ", expected a date such as '2024-01-31'");
    }
    literal.days = *days;
    return MakeLiteral(std::move(literal), Join(start, text.span));
  }

  Result<ExpressionPtr> MakeTimestamp(Span start, const Token& text, int precision) const {
    Literal literal;
    literal.kind = Literal::Kind::kTimestamp;
    literal.text = Unquote(text.text);
    const auto time = ParseTimestampText(literal.text, precision);
    if (!time) {
      return Problem(text.span, "found " + Shorten(text.text) +
                                    ", expected a time such as '2024-01-31 12:00:00', with an "
                                    "offset '2024-01-31 12:00:00Z' or '...-05:00'");
    }
    literal.time = *time;
    return MakeLiteral(std::move(literal), Join(start, text.span));
  }

  std::string_view sql_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  int nesting_ = 0;
};

}  // namespace

Result<ExpressionPtr> ParseFilter(std::string_view sql) {
  ARROW_ASSIGN_OR_RAISE(auto tokens, Tokenize(sql));
  return Parser(sql, std::move(tokens)).ParseAll();
}

}  // namespace lance::filter
