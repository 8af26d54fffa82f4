#include "arrow/compute/expression.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/reader.h"
#include "bindings.h"
#include "lance/filter.h"
#include "status_error.h"

namespace lance::python {

namespace {

namespace cp = arrow::compute;
namespace nb = nanobind;

/// How many calls may be in each other: Arrow reads them by recursion.
constexpr int kMaxDepth = 5'000;

/// Check the depth of a serialized expression: a file whose metadata tells calls and their ends.
arrow::Status CheckDepth(const std::shared_ptr<arrow::Buffer>& serialized) {
  arrow::io::BufferReader source(serialized);
  ARROW_ASSIGN_OR_RAISE(const auto file, arrow::ipc::RecordBatchFileReader::Open(&source));
  const auto metadata = file->schema()->metadata();
  if (metadata == nullptr) return arrow::Status::Invalid("filter: the expression has no parts");
  int depth = 0;
  for (const std::string& key : metadata->keys()) {
    if (key == "call" && ++depth > kMaxDepth) {
      return arrow::Status::Invalid("filter: the expression is more than ", kMaxDepth,
                                    " calls deep, which is the most allowed");
    }
    if (key == "end") --depth;
  }
  return arrow::Status::OK();
}

/// The options of a call as the reference, which reads expressions by way of Substrait, takes them:
/// is_in is IN, which no null is in, and a cast that does not fit is an error.
std::shared_ptr<cp::FunctionOptions> SqlOptions(const std::shared_ptr<cp::FunctionOptions>& given) {
  if (const auto* set = dynamic_cast<const cp::SetLookupOptions*>(given.get())) {
    return std::make_shared<cp::SetLookupOptions>(set->value_set,
                                                  cp::SetLookupOptions::INCONCLUSIVE);
  }
  if (const auto* cast = dynamic_cast<const cp::CastOptions*>(given.get())) {
    return std::make_shared<cp::CastOptions>(cp::CastOptions::Safe(cast->to_type));
  }
  return given;
}

cp::Expression WithSqlOptions(const cp::Expression& expression) {
  const cp::Expression::Call* call = expression.call();
  if (call == nullptr) return expression;
  std::vector<cp::Expression> arguments;
  for (const cp::Expression& argument : call->arguments) {
    arguments.push_back(WithSqlOptions(argument));
  }
  return cp::call(call->function_name, std::move(arguments), SqlOptions(call->options));
}

/// The SQL of a condition that pyarrow serialized.
arrow::Result<std::string> SqlOf(const std::shared_ptr<arrow::Buffer>& serialized) {
  ARROW_RETURN_NOT_OK(CheckDepth(serialized));
  ARROW_ASSIGN_OR_RAISE(const cp::Expression expression, cp::Deserialize(serialized));
  const Filter filter(WithSqlOptions(expression));
  ARROW_RETURN_NOT_OK(filter.problem());
  return filter.sql();
}

arrow::Result<std::string> SqlOfSubstrait(const std::shared_ptr<arrow::Buffer>& serialized) {
  ARROW_ASSIGN_OR_RAISE(const Filter filter, Filter::FromSubstrait(serialized));
  return filter.sql();
}

std::shared_ptr<arrow::Buffer> BufferOf(const nb::bytes& bytes) {
  return arrow::Buffer::FromString(std::string(bytes.c_str(), bytes.size()));
}

}  // namespace

void BindExpression(nb::module_& m) {
  m.def(
      "expression_sql", [](const nb::bytes& bytes) { return ValueOrThrow(SqlOf(BufferOf(bytes))); },
      nb::arg("bytes"));
  m.def(
      "substrait_sql",
      [](const nb::bytes& bytes) { return ValueOrThrow(SqlOfSubstrait(BufferOf(bytes))); },
      nb::arg("bytes"));
}

}  // namespace lance::python
