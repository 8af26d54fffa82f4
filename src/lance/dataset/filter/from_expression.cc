#include "lance/dataset/filter/from_expression.h"

#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/compute/expression.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/foreign_call.h"
#include "lance/dataset/filter/scalar_sql.h"

namespace lance::filter {

namespace {

using arrow::Status;
using Foreign = arrow::compute::Expression;
using SqlResult = arrow::Result<std::string>;

SqlResult LiteralSql(const arrow::Scalar& scalar) {
  if (!scalar.is_valid) return std::string("NULL");
  const auto sql = ScalarSql(scalar);
  return sql ? SqlResult(*sql) : SqlResult(NoSqlFor("the literal " + scalar.ToString()));
}

SqlResult ReferenceSql(const arrow::FieldRef& reference) {
  std::vector<std::string> names;
  const auto* nested = reference.nested_refs();
  const std::vector<arrow::FieldRef> refs =
      nested == nullptr ? std::vector<arrow::FieldRef>{reference} : *nested;
  for (const arrow::FieldRef& ref : refs) {
    if (ref.name() == nullptr) {
      return Status::Invalid("filter: found the reference ", reference.ToString(),
                             ", expected the names of columns and members");
    }
    names.push_back(*ref.name());
  }
  return PathSql(names);
}

/// The name of a type in arrow_cast(). \return NotImplemented for types that it has not
SqlResult CastTypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return std::string("Boolean");
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return "Int" + std::to_string(type.bit_width());
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
      return "UInt" + std::to_string(type.bit_width());
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return "Float" + std::to_string(type.bit_width());
    case arrow::Type::STRING:
      return std::string("Utf8");
    case arrow::Type::LARGE_STRING:
      return std::string("LargeUtf8");
    case arrow::Type::BINARY:
      return std::string("Binary");
    case arrow::Type::DATE32:
      return std::string("Date32");
    default:
      return NoSqlFor("a cast to " + type.ToString());
  }
}

/// is_in() finds null where the set has one, and is false, not unknown, where it finds nothing.
SqlResult IsInSql(const std::string& value, const arrow::compute::SetLookupOptions& options) {
  if (options.value_set.is_scalar()) return NoSqlFor("is_in with a scalar as its set");
  std::vector<std::string> members;
  bool has_null = false;
  for (const auto& chunk : options.value_set.chunks()) {
    for (int64_t i = 0; i < chunk->length(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto scalar, chunk->GetScalar(i));
      has_null = has_null || !scalar->is_valid;
      if (!scalar->is_valid) continue;
      ARROW_ASSIGN_OR_RAISE(auto sql, LiteralSql(*scalar));
      members.push_back(std::move(sql));
    }
  }
  using Options = arrow::compute::SetLookupOptions;
  const auto behaviour = options.GetNullMatchingBehavior();
  if (behaviour == Options::INCONCLUSIVE) {
    if (has_null) members.emplace_back("NULL");
    return MembershipSql(value, members);
  }
  if (behaviour == Options::EMIT_NULL) {
    if (members.empty()) return NoSqlFor("is_in that gives null");
    return MembershipSql(value, members);
  }
  std::string sql = "(" + MembershipSql(value, members) + " IS TRUE)";
  if (has_null && behaviour == Options::MATCH) sql = "(" + sql + " OR " + value + " IS NULL)";
  return sql;
}

/// Matches whose pattern is an option of the call.
SqlResult MatchSql(const std::string& function, const std::string& value,
                   const arrow::compute::MatchSubstringOptions& options) {
  const std::string pattern = TextSql(options.pattern);
  if (function == "match_like") {
    return "(" + value + (options.ignore_case ? " ILIKE " : " LIKE ") + pattern + ")";
  }
  if (function == "match_substring_regex") {
    return "regexp_like(" + value + ", " + pattern + (options.ignore_case ? ", 'i')" : ")");
  }
  if (options.ignore_case) return NoSqlFor(function + " that ignores case");
  return CallSql(function == "match_substring" ? "contains" : function, {value, pattern});
}

SqlResult Write(const Foreign& expression, int depth);

/// Options of calls under which the dialect's own form would give something else.
Status CheckOptions(const std::string& name, const arrow::compute::FunctionOptions* options) {
  const auto* nulls = dynamic_cast<const arrow::compute::NullOptions*>(options);
  if (nulls != nullptr && nulls->nan_is_null) return NoSqlFor(name + " of NaN");
  const auto* elements = dynamic_cast<const arrow::compute::ElementWiseAggregateOptions*>(options);
  if (elements != nullptr && !elements->skip_nulls) return NoSqlFor(name + " that minds nulls");
  const auto* cast = dynamic_cast<const arrow::compute::CastOptions*>(options);
  if (cast != nullptr && cast->allow_int_overflow) return NoSqlFor("a cast that is not safe");
  return Status::OK();
}

/// x, where a call is if_else(is_valid(x), a, b).
const Foreign* NullAskedFor(const Foreign::Call& call) {
  if (call.function_name != "if_else" || call.arguments.size() != 3) return nullptr;
  const Foreign::Call* condition = call.arguments[0].call();
  const bool asks = condition != nullptr && condition->function_name == "is_valid" &&
                    condition->arguments.size() == 1;
  return asks ? &condition->arguments[0] : nullptr;
}

bool IsChain(const std::string& function) {
  return function == "and_kleene" || function == "or_kleene";
}

/// The arguments of a call. (a AND b) AND c has three: long conditions are made so and are not
/// deep.
std::vector<const Foreign*> OperandsOf(const Foreign::Call& call) {
  std::vector<const Foreign*> operands;
  std::vector<const Foreign*> waiting;  // last first
  const auto wait = [&](const Foreign::Call& of) {
    for (auto it = of.arguments.rbegin(); it != of.arguments.rend(); ++it) waiting.push_back(&*it);
  };
  wait(call);
  while (!waiting.empty()) {
    const Foreign* next = waiting.back();
    waiting.pop_back();
    const Foreign::Call* inner = next->call();
    if (inner != nullptr && IsChain(call.function_name) &&
        inner->function_name == call.function_name) {
      wait(*inner);
    } else {
      operands.push_back(next);
    }
  }
  return operands;
}

SqlResult WriteCall(const Foreign::Call& call, int depth) {
  ARROW_RETURN_NOT_OK(CheckOptions(call.function_name, call.options.get()));
  if (const Foreign* asked = NullAskedFor(call)) {
    ARROW_ASSIGN_OR_RAISE(const std::string value, Write(*asked, depth + 2));
    ARROW_ASSIGN_OR_RAISE(const std::string then, Write(call.arguments[1], depth + 1));
    ARROW_ASSIGN_OR_RAISE(const std::string otherwise, Write(call.arguments[2], depth + 1));
    return ChoiceByNullSql(value, then, otherwise);
  }
  std::vector<std::string> arguments;
  for (const Foreign* argument : OperandsOf(call)) {
    ARROW_ASSIGN_OR_RAISE(arguments.emplace_back(), Write(*argument, depth + 1));
  }
  const std::string& name = call.function_name;
  const auto* options = call.options.get();
  if (const auto* set = dynamic_cast<const arrow::compute::SetLookupOptions*>(options)) {
    if (name != "is_in") return NoSqlFor("the function " + name);
    return IsInSql(arguments[0], *set);
  }
  if (const auto* match = dynamic_cast<const arrow::compute::MatchSubstringOptions*>(options)) {
    return MatchSql(name, arguments[0], *match);
  }
  if (const auto* cast = dynamic_cast<const arrow::compute::CastOptions*>(options)) {
    ARROW_ASSIGN_OR_RAISE(const std::string type, CastTypeName(*cast->to_type.type));
    return "arrow_cast(" + arguments[0] + ", '" + type + "')";
  }
  return CallSql(name, arguments);
}

SqlResult Write(const Foreign& expression, int depth) {
  if (depth > kMaxForeignDepth) {
    return Status::Invalid("filter: the expression is more than ", kMaxForeignDepth,
                           " calls deep, which is the most allowed");
  }
  if (const arrow::Datum* literal = expression.literal()) {
    if (literal->is_scalar()) return LiteralSql(*literal->scalar());
    return NoSqlFor("a literal that is no single value");
  }
  if (const arrow::FieldRef* reference = expression.field_ref()) return ReferenceSql(*reference);
  if (const Foreign::Call* call = expression.call()) return WriteCall(*call, depth);
  return Status::Invalid("filter: the expression is empty");
}

}  // namespace

SqlResult SqlOf(const Foreign& expression) { return Write(expression, 1); }

}  // namespace lance::filter
