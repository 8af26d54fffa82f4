#include "lance/dataset/filter/canonical.h"

#include <array>
#include <charconv>
#include <cmath>

#include "lance/dataset/filter/lexer.h"

namespace lance::filter {

namespace {

std::string Quoted(const std::string& text, char quote) {
  std::string quoted(1, quote);
  for (const char byte : text) {
    quoted.push_back(byte);
    if (byte == quote) quoted.push_back(quote);
  }
  quoted.push_back(quote);
  return quoted;
}

std::string HexLiteral(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text = "X'";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text.push_back(kDigits[value >> 4]);
    text.push_back(kDigits[value & 15]);
  }
  return text + "'";
}

std::string FloatText(double number) {
  // The dialect has no word for infinity; a number beyond the range is one.
  if (std::isinf(number)) return number < 0 ? "-1e999" : "1e999";
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string text(buffer.data(), end);
  // Without a point or an exponent it would read as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string TimestampText(const Literal& literal) {
  const int precision = literal.time.precision;
  const std::string suffix = precision == 6 ? "" : "(" + std::to_string(precision) + ")";
  return "TIMESTAMP" + suffix + " " + Quoted(literal.text, '\'');
}

/// Writes one tree. Thread-compatible.
class Writer {
 public:
  std::string Take() && { return std::move(sql_); }

  void Write(const Expression& expression) {
    switch (expression.kind) {
      case Expression::Kind::kLiteral:
        sql_ += CanonicalLiteral(expression.literal);
        return;
      case Expression::Kind::kColumn:
        sql_ += expression.is_exact_name ? Quoted(expression.column, '`')
                                         : CanonicalIdentifier(expression.column);
        return;
      case Expression::Kind::kNot:
        sql_ += "NOT ";
        WriteOperandOfNot(Child(expression, 0));
        return;
      case Expression::Kind::kAnd:
      case Expression::Kind::kOr:
        return WriteChain(expression);
      case Expression::Kind::kCompare:
        WriteOperand(Child(expression, 0));
        sql_ += std::string(" ") + ToString(expression.op) + " ";
        return WriteOperand(Child(expression, 1));
      case Expression::Kind::kIn:
        return WriteIn(expression);
      case Expression::Kind::kBetween:
        WriteOperand(Child(expression, 0));
        sql_ += expression.negated ? " NOT BETWEEN " : " BETWEEN ";
        WriteOperand(Child(expression, 1));
        sql_ += " AND ";
        return WriteOperand(Child(expression, 2));
      case Expression::Kind::kIsNull:
      case Expression::Kind::kIsTruth:
      case Expression::Kind::kIsDistinct:
        return WriteIs(expression);
      case Expression::Kind::kLike:
        return WriteLike(expression);
      case Expression::Kind::kArithmetic:
        WriteOperand(Child(expression, 0));
        sql_ += std::string(" ") + ToString(expression.arithmetic) + " ";
        return WriteOperand(Child(expression, 1));
      case Expression::Kind::kNegative:
        sql_ += "-(";
        Write(Child(expression, 0));
        sql_ += ')';
        return;
      case Expression::Kind::kCast:
        sql_ += expression.is_try ? "TRY_CAST(" : "CAST(";
        Write(Child(expression, 0));
        sql_ += " AS " + expression.name + ")";
        return;
      case Expression::Kind::kCall:
        sql_ += expression.name;
        return WriteList(expression, 0);
      case Expression::Kind::kField:
        Write(Child(expression, 0));
        sql_ += '.' + CanonicalIdentifier(expression.name);
        return;
      case Expression::Kind::kElement:
        Write(Child(expression, 0));
        sql_ += '[' + std::to_string(expression.element) + ']';
        return;
      case Expression::Kind::kArray:
        return WriteList(expression, 0, '[', ']');
    }
  }

 private:
  using Kind = Expression::Kind;

  static const Expression& Child(const Expression& expression, size_t index) {
    return *expression.children[index];
  }

  void WriteInParentheses(const Expression& expression) {
    sql_ += '(';
    Write(expression);
    sql_ += ')';
  }

  /// Operands of everything but AND, OR and NOT stand bare only when they are one value.
  void WriteOperand(const Expression& operand) {
    switch (operand.kind) {
      case Kind::kLiteral:
      case Kind::kColumn:
      case Kind::kCast:
      case Kind::kCall:
      case Kind::kField:
      case Kind::kElement:
      case Kind::kArray:
        return Write(operand);
      default:
        return WriteInParentheses(operand);
    }
  }

  void WriteOperandOfNot(const Expression& operand) {
    if (operand.kind == Kind::kAnd || operand.kind == Kind::kOr) return WriteInParentheses(operand);
    Write(operand);
  }

  void WriteChain(const Expression& chain) {
    const char* separator = "";
    for (const ExpressionPtr& child : chain.children) {
      sql_ += separator;
      separator = chain.kind == Kind::kAnd ? " AND " : " OR ";
      if (chain.kind == Kind::kAnd && child->kind == Kind::kOr) {
        WriteInParentheses(*child);
      } else {
        Write(*child);
      }
    }
  }

  void WriteIn(const Expression& in) {
    WriteOperand(Child(in, 0));
    sql_ += in.negated ? " NOT IN " : " IN ";
    WriteList(in, 1);
  }

  /// The children from `first` on, in parentheses.
  void WriteList(const Expression& list, size_t first, char open = '(', char close = ')') {
    sql_ += open;
    for (size_t i = first; i < list.children.size(); ++i) {
      if (i > first) sql_ += ", ";
      Write(Child(list, i));
    }
    sql_ += close;
  }

  void WriteLike(const Expression& like) {
    WriteOperand(Child(like, 0));
    sql_ += like.negated ? " NOT" : "";
    sql_ += like.ignores_case ? " ILIKE " : " LIKE ";
    WriteOperand(Child(like, 1));
    if (!like.escape.empty()) sql_ += " ESCAPE " + Quoted(like.escape, '\'');
  }

  void WriteIs(const Expression& is) {
    WriteOperand(Child(is, 0));
    sql_ += is.negated ? " IS NOT " : " IS ";
    if (is.kind == Kind::kIsDistinct) {
      sql_ += "DISTINCT FROM ";
      return WriteOperand(Child(is, 1));
    }
    sql_ += is.kind == Kind::kIsNull ? "NULL" : (is.truth ? "TRUE" : "FALSE");
  }

  std::string sql_;
};

}  // namespace

std::string CanonicalSql(const Expression& expression) {
  Writer writer;
  writer.Write(expression);
  return std::move(writer).Take();
}

std::string CanonicalLiteral(const Literal& literal) {
  switch (literal.kind) {
    case Literal::Kind::kNull:
      return "NULL";
    case Literal::Kind::kBoolean:
      return literal.boolean ? "TRUE" : "FALSE";
    case Literal::Kind::kInteger:
      return (literal.negative ? "-" : "") + std::to_string(literal.magnitude);
    case Literal::Kind::kFloat:
      return FloatText(literal.number);
    case Literal::Kind::kText:
      return Quoted(literal.text, '\'');
    case Literal::Kind::kBinary:
      return HexLiteral(literal.text);
    case Literal::Kind::kDate:
      return "DATE " + Quoted(literal.text, '\'');
    case Literal::Kind::kTimestamp:
      return TimestampText(literal);
  }
  return {};
}

std::string CanonicalIdentifier(const std::string& name) {
  return IsBareIdentifier(name) ? name : Quoted(name, '`');
}

}  // namespace lance::filter
