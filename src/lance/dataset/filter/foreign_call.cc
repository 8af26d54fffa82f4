#include "lance/dataset/filter/foreign_call.h"

#include <map>
#include <string_view>

#include "lance/base/status_detail.h"

namespace lance::filter {

namespace {

/// Operators between two operands or more.
const std::map<std::string_view, std::string_view>& Operators() {
  static const std::map<std::string_view, std::string_view> operators = {
      {"equal", "="},
      {"not_equal", "<>"},
      {"less", "<"},
      {"lt", "<"},
      {"less_equal", "<="},
      {"lte", "<="},
      {"greater", ">"},
      {"gt", ">"},
      {"greater_equal", ">="},
      {"gte", ">="},
      {"and", "AND"},
      {"and_kleene", "AND"},
      {"or", "OR"},
      {"or_kleene", "OR"},
      {"add", "+"},
      {"add_checked", "+"},
      {"subtract", "-"},
      {"subtract_checked", "-"},
      {"multiply", "*"},
      {"multiply_checked", "*"},
      {"divide", "/"},
      {"divide_checked", "/"},
      {"modulus", "%"},
      {"xor", "<>"},
      {"shift_left", "<<"},
      {"shift_left_checked", "<<"},
      {"shift_right", ">>"},
      {"shift_right_checked", ">>"},
      {"like", "LIKE"},
      {"is_distinct_from", "IS DISTINCT FROM"},
      {"concat", "||"},
      {"is_not_distinct_from", "IS NOT DISTINCT FROM"}};
  return operators;
}

/// Functions by their names in the dialect.
const std::map<std::string_view, std::string_view>& Functions() {
  static const std::map<std::string_view, std::string_view> functions = {
      {"is_nan", "isnan"},
      {"utf8_lower", "lower"},
      {"lower", "lower"},
      {"utf8_upper", "upper"},
      {"upper", "upper"},
      {"utf8_length", "length"},
      {"char_length", "length"},
      {"utf8_reverse", "reverse"},
      {"abs", "abs"},
      {"abs_checked", "abs"},
      {"coalesce", "coalesce"},
      {"sqrt", "sqrt"},
      {"starts_with", "starts_with"},
      {"ends_with", "ends_with"},
      {"contains", "contains"},
      {"power", "power"},
      {"ln", "ln"},
      {"exp", "exp"},
      {"max_element_wise", "greatest"},
      {"min_element_wise", "least"}};
  return functions;
}

/// Forms with one operand.
std::string UnarySql(const std::string& name, const std::string& operand) {
  if (name == "not" || name == "invert") return "(NOT " + operand + ")";
  if (name == "is_null") return "(" + operand + " IS NULL)";
  if (name == "is_valid" || name == "is_not_null") return "(" + operand + " IS NOT NULL)";
  if (name == "negate" || name == "negate_checked") return "(-(" + operand + "))";
  return "";
}

std::string Join(const std::vector<std::string>& parts, const std::string& separator) {
  std::string joined;
  for (const std::string& part : parts) joined += (joined.empty() ? "" : separator) + part;
  return joined;
}

}  // namespace

arrow::Status NoSqlFor(const std::string& part) {
  return UnsupportedError(part + " of an expression in a filter",
                          part +
                              " of an expression has no form in the filter dialect; give the "
                              "condition as SQL text");
}

arrow::Result<std::string> CallSql(const std::string& name,
                                   const std::vector<std::string>& arguments) {
  if (arguments.size() == 1) {
    const std::string sql = UnarySql(name, arguments[0]);
    if (!sql.empty()) return sql;
  }
  const auto op = Operators().find(name);
  if (op != Operators().end() && arguments.size() > 1) {
    return "(" + Join(arguments, " " + std::string(op->second) + " ") + ")";
  }
  const auto function = Functions().find(name);
  if (function != Functions().end()) {
    return std::string(function->second) + "(" + Join(arguments, ", ") + ")";
  }
  return NoSqlFor("the function " + name);
}

std::string MembershipSql(const std::string& value, const std::vector<std::string>& members) {
  if (members.empty()) return "(1 = 0)";
  return "(" + value + " IN (" + Join(members, ", ") + "))";
}

std::string ChoiceByNullSql(const std::string& value, const std::string& if_valid,
                            const std::string& if_null) {
  if (if_null == "NULL" && if_valid.starts_with("(" + value + " IN (")) return if_valid;
  return "nvl2(" + value + ", " + if_valid + ", " + if_null + ")";
}

std::string PathSql(const std::vector<std::string>& names) {
  std::string path;
  for (const std::string& name : names) {
    if (!path.empty()) path += '.';
    path += '`';
    for (const char c : name) path += c == '`' ? std::string("``") : std::string(1, c);
    path += '`';
  }
  return path;
}

}  // namespace lance::filter
