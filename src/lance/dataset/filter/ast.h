#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lance::filter {

/// Bytes of a filter's text. A plain value.
struct Span {
  size_t offset = 0;
  size_t length = 0;

  /// First byte after the span.
  size_t end() const { return offset + length; }
};

/// The smallest span that holds both.
Span Join(Span first, Span last);

/// A date and time as written: seconds since 1970-01-01 on the wall clock, or on the clock of UTC
/// plus `offset_seconds` when the text has an offset. A plain value.
struct WrittenTime {
  int64_t seconds = 0;
  int32_t nanoseconds = 0;  // 0 to 999'999'999, cut to `precision`
  int precision = 6;        // fractional digits that count: 0, 3, 6 or 9
  std::optional<int32_t> offset_seconds;

  bool operator==(const WrittenTime&) const = default;
};

/// A value as written in a filter. A plain value.
struct Literal {
  /// What was written.
  enum class Kind { kNull, kBoolean, kInteger, kFloat, kText, kBinary, kDate, kTimestamp };

  Kind kind = Kind::kNull;
  bool boolean = false;
  bool negative = false;       // kInteger; never with magnitude 0
  uint64_t magnitude = 0;      // kInteger
  double number = 0;           // kFloat
  int32_t days = 0;            // kDate, since 1970-01-01
  WrittenTime time;            // kTimestamp
  std::string text;            // kText, kBinary: the value; kDate, kTimestamp: as written
  bool double_quoted = false;  // kText: written "x"; the binder refuses it when x is a column

  /// Compare what was meant; quotes do not count.
  bool operator==(const Literal& other) const;
};

/// How two values are compared.
enum class CompareOp { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// The operator's text, for example "<=".
const char* ToString(CompareOp op);

/// The operator that is true where `op` is false: `<` gives `>=`.
CompareOp Negate(CompareOp op);

/// The operator for exchanged sides: `<` gives `>`.
CompareOp Flip(CompareOp op);

/// How two values are computed into one.
enum class ArithmeticOp {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kConcatenate,
  kShiftLeft,
  kShiftRight
};

/// The operator's text, for example "+".
const char* ToString(ArithmeticOp op);

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// One node of a parsed filter. A plain value; trees are at most kMaxDepth high.
///
/// Children: kNot, kIsNull, kIsTruth, kNegative, kCast, kField, kElement: the operand. kAnd, kOr:
/// two or more, none of the same kind. kCompare, kIsDistinct, kArithmetic: left, right. kBetween:
/// operand, low, high. kIn: operand, then the members. kLike: operand, pattern. kCall: the
/// arguments. kArray: the elements, literals all.
struct Expression {
  /// What the node is; says what its children are.
  enum class Kind {
    kLiteral,
    kColumn,
    kNot,
    kAnd,
    kOr,
    kCompare,
    kIn,
    kBetween,
    kIsNull,
    kIsTruth,
    kIsDistinct,
    kLike,
    kArithmetic,
    kNegative,
    kCast,
    kCall,
    kField,
    kElement,
    kArray
  };

  /// Highest tree, so that recursion over it is safe on any stack. Not above kMaxNesting, so that
  /// the canonical text of every tree can be parsed.
  static constexpr int kMaxDepth = 500;

  Kind kind = Kind::kLiteral;
  Span span;
  int depth = 1;
  Literal literal;                   // kLiteral
  std::string column;                // kColumn: the name
  bool is_exact_name = false;        // kColumn: written in backticks, so case counts
  int column_index = -1;             // kColumn: position in the list of ResolveColumns
  CompareOp op = CompareOp::kEqual;  // kCompare
  bool negated = false;  // kIn, kBetween, kIsNull, kIsTruth, kIsDistinct, kLike: with NOT
  bool truth = true;     // kIsTruth: IS TRUE or IS FALSE
  ArithmeticOp arithmetic = ArithmeticOp::kAdd;  // kArithmetic
  std::string name;     // kCall: the function, in lower case; kField: the field; kCast: the type
  bool is_try = false;  // kCast: TRY_CAST, which gives NULL for what does not convert
  bool ignores_case = false;  // kLike: ILIKE
  std::string escape;         // kLike: the character of ESCAPE; "": a backslash
  int64_t element = 0;        // kElement: the place, from 1; negative: from the end
  std::vector<ExpressionPtr> children;
};

/// Whether two trees mean the same; spans and resolved columns do not count.
bool SameExpression(const Expression& left, const Expression& right);

}  // namespace lance::filter
