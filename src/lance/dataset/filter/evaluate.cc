#include "lance/dataset/filter/evaluate.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/float_order.h"
#include "lance/dataset/filter/list_rows.h"

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

bool IsFloat(const arrow::Array& array) { return arrow::is_floating(array.type_id()); }

/// Rows for which values are computed at once: a value may be a text of many KiB.
constexpr int64_t kRowsAtOnce = 4096;

/// Whether any node computes values: more than truths of the columns as they are.
bool ComputesValues(const BoundExpression& node) {
  const auto is_computed = [](const BoundValue& value) {
    return value.kind != BoundValue::Kind::kColumn && value.kind != BoundValue::Kind::kConstant;
  };
  return std::ranges::any_of(node.values, is_computed) ||
         std::ranges::any_of(node.children, ComputesValues);
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
      case Kind::kTruth:
        return AsTruth(node.values[0]);
      case Kind::kCompareValues:
        return CompareValues(node);
      case Kind::kSameValues:
        return SameValues(node);
      case Kind::kInValues:
        return InValues(node);
      case Kind::kIsNullValue:
        return IsNullValue(node.values[0]);
    }
    return arrow::Status::UnknownError("internal: filter node of no kind");
  }

  arrow::Result<Datum> Value(const BoundValue& value) const {
    switch (value.kind) {
      case BoundValue::Kind::kConstant:
        return Datum(value.constant);
      case BoundValue::Kind::kColumn:
        return Datum(ColumnAt(value.column));
      case BoundValue::Kind::kField:
        return Field(value);
      case BoundValue::Kind::kElement:
        return Element(value);
      case BoundValue::Kind::kCast:
        return Cast(value);
      case BoundValue::Kind::kCall:
        return CallValue(value);
      case BoundValue::Kind::kCondition: {
        ARROW_ASSIGN_OR_RAISE(auto truth, Run(*value.condition));
        return Datum(std::move(truth));
      }
    }
    return arrow::Status::UnknownError("internal: value of no kind");
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

  // --- values

  arrow::Result<std::shared_ptr<arrow::Array>> ArrayOf(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(const Datum datum, Value(value));
    return ToArray(datum, num_rows_);
  }

  arrow::Result<Datum> Field(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(const auto parent, ArrayOf(value.arguments[0]));
    const auto& fields = static_cast<const arrow::StructArray&>(*parent);
    ARROW_ASSIGN_OR_RAISE(auto field, fields.GetFlattenedField(static_cast<int>(value.place)));
    return Datum(std::move(field));
  }

  arrow::Result<Datum> Element(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(const auto lists, ArrayOf(value.arguments[0]));
    ARROW_ASSIGN_OR_RAISE(auto elements, ElementOf(*lists, value.place));
    return Datum(std::move(elements));
  }

  arrow::Result<Datum> Cast(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(const Datum operand, Value(value.arguments[0]));
    auto cast = CastValue(operand, value.type, value.is_try);
    return cast.ok() ? cast : WithContext(cast.status(), "filter: " + value.text);
  }

  arrow::Result<Datum> CallValue(const BoundValue& value) const {
    std::vector<Datum> arguments;
    for (const BoundValue& argument : value.arguments) {
      ARROW_ASSIGN_OR_RAISE(arguments.emplace_back(), Value(argument));
    }
    if (arguments.empty()) arguments.emplace_back(num_rows_);
    auto result = value.function(arguments);
    return result.ok() ? result : WithContext(result.status(), "filter: " + value.text);
  }

  BooleanResult AsTruth(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(auto array, ArrayOf(value));
    return std::static_pointer_cast<arrow::BooleanArray>(std::move(array));
  }

  BooleanResult CompareValues(const BoundExpression& node) const {
    const BoundValue& left = node.values[0];
    const BoundValue& right = node.values[1];
    if (IsListType(*left.type)) return CompareLists(node);
    ARROW_ASSIGN_OR_RAISE(const auto lefts, ArrayOf(left));
    if (!IsFloat(*lefts) || right.kind != BoundValue::Kind::kConstant) {
      ARROW_ASSIGN_OR_RAISE(const auto rights, ArrayOf(right));
      if (IsFloat(*lefts)) return CompareFloats(node.op, *lefts, *rights);
      return Call(KernelName(node.op), {lefts, rights});
    }
    if (!right.constant->is_valid) return Constant(std::nullopt);
    return CompareFloatsWithLiteral(node.op, *lefts, *right.constant);
  }

  BooleanResult CompareLists(const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(const Datum left, Value(node.values[0]));
    ARROW_ASSIGN_OR_RAISE(const Datum right, Value(node.values[1]));
    ARROW_ASSIGN_OR_RAISE(auto equal, EqualLists(left, right, num_rows_));
    return node.op == CompareOp::kEqual ? equal : Call("invert", {equal});
  }

  /// True where both are equal or both null; never null.
  BooleanResult SameValues(const BoundExpression& node) const {
    BoundExpression equal = node;
    equal.op = CompareOp::kEqual;
    ARROW_ASSIGN_OR_RAISE(auto same, CompareValues(equal));
    ARROW_ASSIGN_OR_RAISE(same, Call("coalesce", {same, Datum(false)}));
    ARROW_ASSIGN_OR_RAISE(const auto left, IsNullValue(node.values[0]));
    ARROW_ASSIGN_OR_RAISE(const auto right, IsNullValue(node.values[1]));
    ARROW_ASSIGN_OR_RAISE(const auto both, Call("and", {left, right}));
    return Call("or", {same, both});
  }

  BooleanResult InValues(const BoundExpression& node) const {
    ARROW_ASSIGN_OR_RAISE(const auto values, ArrayOf(node.values[0]));
    return node.membership->Test(values);
  }

  BooleanResult IsNullValue(const BoundValue& value) const {
    ARROW_ASSIGN_OR_RAISE(const auto values, ArrayOf(value));
    return Call("is_null", {values});
  }

  const std::vector<std::shared_ptr<arrow::Array>>& columns_;
  int64_t num_rows_;
};

}  // namespace

BooleanResult Evaluate(const BoundExpression& expression,
                       const std::vector<std::shared_ptr<arrow::Array>>& columns, int64_t num_rows,
                       const arrow::StopToken& stop) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  if (num_rows <= kRowsAtOnce || !ComputesValues(expression)) {
    return Evaluation(columns, num_rows).Run(expression);
  }
  arrow::ArrayVector parts;
  for (int64_t begin = 0; begin < num_rows; begin += kRowsAtOnce) {
    ARROW_RETURN_NOT_OK(stop.Poll());
    const int64_t length = std::min(kRowsAtOnce, num_rows - begin);
    arrow::ArrayVector some;
    for (const auto& column : columns) some.push_back(column->Slice(begin, length));
    ARROW_ASSIGN_OR_RAISE(parts.emplace_back(), Evaluation(some, length).Run(expression));
  }
  ARROW_ASSIGN_OR_RAISE(auto all, arrow::Concatenate(parts));
  return std::static_pointer_cast<arrow::BooleanArray>(std::move(all));
}

arrow::Result<Datum> EvaluateValue(const BoundValue& value,
                                   const std::vector<std::shared_ptr<arrow::Array>>& columns,
                                   int64_t num_rows) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  return Evaluation(columns, num_rows).Value(value);
}

}  // namespace lance::filter
