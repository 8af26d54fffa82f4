#include "lance/dataset/filter/evaluate.h"

#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/dataset/filter/float_order.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using Kind = BoundExpression::Kind;
using BooleanPtr = std::shared_ptr<arrow::BooleanArray>;
using BooleanResult = arrow::Result<BooleanPtr>;

const char* KernelName(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return "equal";
    case CompareOp::kNotEqual:
      return "not_equal";
    case CompareOp::kLess:
      return "less";
    case CompareOp::kLessEqual:
      return "less_equal";
    case CompareOp::kGreater:
      return "greater";
    case CompareOp::kGreaterEqual:
      return "greater_equal";
  }
  return "equal";
}

bool IsFloat(const arrow::Array& array) {
  return array.type_id() == arrow::Type::FLOAT || array.type_id() == arrow::Type::DOUBLE;
}

BooleanResult Call(const char* kernel, std::vector<Datum> arguments) {
  ARROW_ASSIGN_OR_RAISE(const auto result, arrow::compute::CallFunction(kernel, arguments));
  return result.array_as<arrow::BooleanArray>();
}

/// Evaluates one tree over one set of rows. Borrows everything; thread-compatible.
class Evaluation {
 public:
  Evaluation(const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t num_rows)
      : columns_(columns), num_rows_(num_rows) {}

  BooleanResult Run(const BoundExpression& node) const {
    switch (node.kind) {
      case Kind::kConstant:
        return Constant(node.constant);
      case Kind::kColumn:
        return std::static_pointer_cast<arrow::BooleanArray>(ColumnAt(node.column));
      case Kind::kNot:
        return CallOnChild("invert", node);
      case Kind::kAnd:
        return Chain("and_kleene", /*settled=*/false, node);
      case Kind::kOr:
        return Chain("or_kleene", /*settled=*/true, node);
      case Kind::kCompareLiteral:
        return CompareLiteral(node);
      case Kind::kCompareColumns:
        return CompareColumns(node);
      case Kind::kCompareTruths:
        return CompareTruths(node);
      case Kind::kIn:
        return node.membership->Test(ColumnAt(node.column));
      case Kind::kIsNull:
        return Call("is_null", {ColumnAt(node.column)});
      case Kind::kIsUnknown:
        return CallOnChild("is_null", node);
      case Kind::kIsTrue:
        return IsTrue(node);
    }
    return arrow::Status::UnknownError("internal: filter node of no kind");
  }

 private:
  const std::shared_ptr<arrow::Array>& ColumnAt(int column) const {
    return columns_[static_cast<size_t>(column)];
  }

  BooleanResult Constant(std::optional<bool> value) const {
    const arrow::BooleanScalar scalar(value.value_or(false), arrow::boolean());
    ARROW_ASSIGN_OR_RAISE(auto array, value ? arrow::MakeArrayFromScalar(scalar, num_rows_)
                                            : arrow::MakeArrayOfNull(arrow::boolean(), num_rows_));
    return std::static_pointer_cast<arrow::BooleanArray>(array);
  }

  BooleanResult CallOnChild(const char* kernel, const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(auto child, Run(node.children[0]));
    return Call(kernel, {child});
  }

  /// Join children until all rows are settled: false for AND, true for OR.
  BooleanResult Chain(const char* kernel, bool settled, const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(auto joined, Run(node.children[0]));
    for (size_t i = 1; i < node.children.size(); ++i) {
      const int64_t num_settled =
          settled ? joined->true_count() : num_rows_ - joined->null_count() - joined->true_count();
      if (num_settled == num_rows_) break;
      ARROW_ASSIGN_OR_RAISE(auto child, Run(node.children[i]));
      ARROW_ASSIGN_OR_RAISE(joined, Call(kernel, {joined, child}));
    }
    return joined;
  }

  BooleanResult CompareLiteral(const BoundExpression& node) const {
    const auto& values = ColumnAt(node.column);
    if (IsFloat(*values)) return CompareFloatsWithLiteral(node.op, *values, *node.literal);
    return Call(KernelName(node.op), {values, node.literal});
  }

  BooleanResult CompareColumns(const BoundExpression& node) const {
    const auto& left = ColumnAt(node.column);
    const auto& right = ColumnAt(node.other_column);
    if (IsFloat(*left)) return CompareFloats(node.op, *left, *right);
    return Call(KernelName(node.op), {left, right});
  }

  BooleanResult CompareTruths(const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(auto left, Run(node.children[0]));
    ARROW_ASSIGN_OR_RAISE(auto right, Run(node.children[1]));
    return Call(KernelName(node.op), {left, right});
  }

  BooleanResult IsTrue(const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(auto child, Run(node.children[0]));
    if (child->null_count() == 0) return child;
    return Call("coalesce", {child, Datum(false)});
  }

  const std::vector<std::shared_ptr<arrow::Array>>& columns_;
  int64_t num_rows_;
};

}  // namespace

BooleanResult Evaluate(const BoundExpression& expression,
                       const std::vector<std::shared_ptr<arrow::Array>>& columns,
                       int64_t num_rows) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  return Evaluation(columns, num_rows).Run(expression);
}

}  // namespace lance::filter
