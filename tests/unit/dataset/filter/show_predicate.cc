#include "show_predicate.h"

#include <cmath>
#include <string>
#include <vector>

#include "arrow/api.h"

namespace lance::filter {

using index::Predicate;

namespace {

std::string ShowScalar(const arrow::Scalar& scalar) {
  const bool is_negative_zero = scalar.type->id() == arrow::Type::DOUBLE &&
                                static_cast<const arrow::DoubleScalar&>(scalar).value == 0 &&
                                std::signbit(static_cast<const arrow::DoubleScalar&>(scalar).value);
  return is_negative_zero ? "-0" : scalar.ToString();
}

std::string ShowAll(const std::vector<Predicate>& predicates) {
  std::string text;
  for (const Predicate& predicate : predicates) {
    text += (text.empty() ? "" : ", ") + Show(predicate);
  }
  return text;
}

}  // namespace

std::string Show(const Predicate& predicate) {
  const std::string column = "c" + std::to_string(predicate.field_id);
  switch (predicate.kind) {
    case Predicate::Kind::kUnknown:
      return "unknown";
    case Predicate::Kind::kAlwaysFalse:
      return "false";
    case Predicate::Kind::kAnd:
      return "and(" + ShowAll(predicate.children) + ")";
    case Predicate::Kind::kOr:
      return "or(" + ShowAll(predicate.children) + ")";
    case Predicate::Kind::kNot:
      return "not(" + ShowAll(predicate.children) + ")";
    case Predicate::Kind::kIsNull:
      return column + " null";
    case Predicate::Kind::kRange: {
      std::string text = column;
      const auto& lower = predicate.lower;
      const auto& upper = predicate.upper;
      text += lower ? (lower->inclusive ? "[" : "(") + ShowScalar(*lower->value) : "(";
      text += ",";
      return text + (upper ? ShowScalar(*upper->value) + (upper->inclusive ? "]" : ")") : ")");
    }
    case Predicate::Kind::kHasAny:
    case Predicate::Kind::kHasAll:
    case Predicate::Kind::kIn: {
      const bool is_all = predicate.kind == Predicate::Kind::kHasAll;
      std::string text = column + (predicate.kind == Predicate::Kind::kIn ? " in {"
                                   : is_all                               ? " all {"
                                                                          : " any {");
      for (const auto& value : predicate.values) {
        text += (text.back() == '{' ? "" : ",") + ShowScalar(*value);
      }
      return text + "}";
    }
  }
  return "";
}

}  // namespace lance::filter
