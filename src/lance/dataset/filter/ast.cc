#include "lance/dataset/filter/ast.h"

#include <algorithm>

namespace lance::filter {

Span Join(Span first, Span last) {
  const size_t begin = std::min(first.offset, last.offset);
  return Span{begin, std::max(first.end(), last.end()) - begin};
}

bool Literal::operator==(const Literal& other) const {
  if (kind != other.kind) return false;
  switch (kind) {
    case Kind::kNull:
      return true;
    case Kind::kBoolean:
      return boolean == other.boolean;
    case Kind::kInteger:
      return negative == other.negative && magnitude == other.magnitude;
    case Kind::kFloat:
      return number == other.number;
    case Kind::kText:
    case Kind::kBinary:
      return text == other.text;
    case Kind::kDate:
      return days == other.days;
    case Kind::kTimestamp:
      return time == other.time;
  }
  return false;
}

const char* ToString(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return "=";
    case CompareOp::kNotEqual:
      return "<>";
    case CompareOp::kLess:
      return "<";
    case CompareOp::kLessEqual:
      return "<=";
    case CompareOp::kGreater:
      return ">";
    case CompareOp::kGreaterEqual:
      return ">=";
  }
  return "";
}

const char* ToString(ArithmeticOp op) {
  switch (op) {
    case ArithmeticOp::kAdd:
      return "+";
    case ArithmeticOp::kSubtract:
      return "-";
    case ArithmeticOp::kMultiply:
      return "*";
    case ArithmeticOp::kDivide:
      return "/";
    case ArithmeticOp::kModulo:
      return "%";
    case ArithmeticOp::kConcatenate:
      return "||";
    case ArithmeticOp::kShiftLeft:
      return "<<";
    case ArithmeticOp::kShiftRight:
      return ">>";
  }
  return "";
}

CompareOp Negate(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return CompareOp::kNotEqual;
    case CompareOp::kNotEqual:
      return CompareOp::kEqual;
    case CompareOp::kLess:
      return CompareOp::kGreaterEqual;
    case CompareOp::kLessEqual:
      return CompareOp::kGreater;
    case CompareOp::kGreater:
      return CompareOp::kLessEqual;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLess;
  }
  return op;
}

CompareOp Flip(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
    case CompareOp::kNotEqual:
      return op;
    case CompareOp::kLess:
      return CompareOp::kGreater;
    case CompareOp::kLessEqual:
      return CompareOp::kGreaterEqual;
    case CompareOp::kGreater:
      return CompareOp::kLess;
    case CompareOp::kGreaterEqual:
      return CompareOp::kLessEqual;
  }
  return op;
}

bool SameExpression(const Expression& left, const Expression& right) {
  if (left.kind != right.kind || left.children.size() != right.children.size()) return false;
  if (left.op != right.op || left.negated != right.negated || left.truth != right.truth) {
    return false;
  }
  if (left.column != right.column || left.is_exact_name != right.is_exact_name) return false;
  if (!(left.literal == right.literal)) return false;
  if (left.arithmetic != right.arithmetic || left.name != right.name ||
      left.is_try != right.is_try || left.ignores_case != right.ignores_case ||
      left.escape != right.escape || left.element != right.element) {
    return false;
  }
  for (size_t i = 0; i < left.children.size(); ++i) {
    if (!SameExpression(*left.children[i], *right.children[i])) return false;
  }
  return true;
}

}  // namespace lance::filter
