#include "lance/dataset/filter/binder.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/bind_value.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/filter_problem.h"
#include "lance/dataset/filter/list_rows.h"
#include "lance/dataset/filter/literal.h"

namespace lance::filter {

namespace {

using arrow::Result;
using arrow::Status;
using arrow::StatusCode;
using BoundKind = BoundExpression::Kind;
using Kind = Expression::Kind;

bool IsLiteral(const Expression& expression) { return expression.kind == Kind::kLiteral; }

bool IsNullLiteral(const Expression& expression) {
  return IsLiteral(expression) && expression.literal.kind == Literal::Kind::kNull;
}

/// The place of a node that may be negated: `out`, or a child of the kNot that `out` becomes.
BoundExpression* PlaceFor(bool negated, BoundExpression* out) {
  if (!negated) return out;
  out->kind = BoundKind::kNot;
  return &out->children.emplace_back();
}

void SetConstant(std::optional<bool> value, BoundExpression* out) {
  out->kind = BoundKind::kConstant;
  out->constant = value;
}

bool Holds(CompareOp op, int order) {
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kNotEqual:
      return order != 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

/// Whether explain shows a node of this kind by its text; the others are shown by their parts.
bool NeedsText(BoundKind kind) {
  return kind == BoundKind::kConstant || kind == BoundKind::kCompareColumns ||
         kind == BoundKind::kCompareTruths || kind == BoundKind::kIsUnknown ||
         kind == BoundKind::kIsTrue || kind == BoundKind::kTruth ||
         kind == BoundKind::kCompareValues || kind == BoundKind::kSameValues ||
         kind == BoundKind::kInValues || kind == BoundKind::kIsNullValue;
}

/// Walks over one tree. Borrows everything; thread-compatible.
///
/// Nodes are bound where they stay: returned by value they would fill the stack of a deep
/// recursion.
class Binder : public ValueBinder {
 public:
  using ValueBinder::ValueBinder;

  Status BindCondition(const Expression& expression, BoundExpression* out) const override {
    return Bind(expression, out);
  }

  Status Bind(const Expression& expression, BoundExpression* out) const {
    ARROW_RETURN_NOT_OK(BindNode(expression, out));
    // A negated form is a kNot around the node that explain shows.
    BoundExpression* shown = out->kind == BoundKind::kNot ? &out->children.front() : out;
    SetText(expression, shown);
    return Status::OK();
  }

 private:
  [[gnu::noinline]] static void SetText(const Expression& expression, BoundExpression* node) {
    if (node->text.empty() && NeedsText(node->kind)) {
      node->text = Shorten(CanonicalSql(expression));
    }
  }

  bool IsBoolColumn(const Expression& expression) const {
    if (expression.kind != Kind::kColumn) return false;
    const auto& type = ColumnOf(expression).type;
    return type != nullptr && type->id() == arrow::Type::BOOL;
  }

  bool IsOtherColumn(const Expression& expression) const {
    return expression.kind == Kind::kColumn && !IsBoolColumn(expression);
  }

  Status CheckComparable(const Expression& expression) const {
    const FilterColumn& column = ColumnOf(expression);
    if (column.type != nullptr && IsComparableType(*column.type)) return Status::OK();
    return NotSupported(expression, NotComparable(column.name, column.logical_type));
  }

  static void SetColumn(BoundKind kind, const Expression& column, BoundExpression* out) {
    out->kind = kind;
    out->column = column.column_index;
  }

  // --- nodes

  Status BindNode(const Expression& expression, BoundExpression* out) const {
    switch (expression.kind) {
      case Kind::kLiteral:
        return BindTruthLiteral(expression, out);
      case Kind::kColumn:
        return BindTruthColumn(expression, out);
      case Kind::kNot:
        return Bind(*expression.children[0], PlaceFor(/*negated=*/true, out));
      case Kind::kAnd:
        return BindChain(BoundKind::kAnd, expression, out);
      case Kind::kOr:
        return BindChain(BoundKind::kOr, expression, out);
      case Kind::kCompare:
        return BindCompare(*expression.children[0], expression.op, *expression.children[1], out);
      case Kind::kBetween:
        return BindBetween(expression, PlaceFor(expression.negated, out));
      case Kind::kIn:
        return BindIn(expression, PlaceFor(expression.negated, out));
      case Kind::kIsNull:
        return BindIsNull(expression, PlaceFor(expression.negated, out));
      case Kind::kIsTruth:
        return BindIsTruth(expression, PlaceFor(expression.negated, out));
      case Kind::kIsDistinct:
        return BindIsSame(expression, PlaceFor(!expression.negated, out));
      case Kind::kLike:
        return BindLike(expression, PlaceFor(expression.negated, out));
      case Kind::kArithmetic:
      case Kind::kNegative:
      case Kind::kCast:
      case Kind::kCall:
      case Kind::kField:
      case Kind::kElement:
      case Kind::kArray:
        return BindTruthValue(expression, out);
    }
    return Status::UnknownError("internal: expression of no kind");
  }

  [[gnu::noinline]] Status BindTruthLiteral(const Expression& expression,
                                            BoundExpression* out) const {
    const Literal& literal = expression.literal;
    if (literal.kind == Literal::Kind::kNull) {
      SetConstant(std::nullopt, out);
      return Status::OK();
    }
    if (literal.kind == Literal::Kind::kBoolean) {
      SetConstant(literal.boolean, out);
      return Status::OK();
    }
    return Problem(expression, "found " + Describe(literal) +
                                   ", expected a condition that is true or false; comparisons are "
                                   "joined with AND, as in a > 1 AND a < 5");
  }

  [[gnu::noinline]] Status BindTruthColumn(const Expression& expression,
                                           BoundExpression* out) const {
    if (IsBoolColumn(expression)) {
      SetColumn(BoundKind::kColumn, expression, out);
      return Status::OK();
    }
    const FilterColumn& column = ColumnOf(expression);
    return Problem(expression, "found column " + CanonicalIdentifier(column.name) + " of type " +
                                   column.logical_type +
                                   ", expected a condition that is true or false");
  }

  /// Whether the node is a condition by its form, so that it is bound as one.
  bool IsCondition(const Expression& expression) const {
    switch (expression.kind) {
      case Kind::kLiteral:
        return expression.literal.kind == Literal::Kind::kBoolean;
      case Kind::kColumn:
        return IsBoolColumn(expression);
      case Kind::kArithmetic:
      case Kind::kNegative:
      case Kind::kCast:
      case Kind::kCall:
      case Kind::kField:
      case Kind::kElement:
      case Kind::kArray:
        return false;
      default:
        return true;
    }
  }

  [[gnu::noinline]] Status BindTruthValue(const Expression& expression,
                                          BoundExpression* out) const {
    BoundValue value;
    ARROW_RETURN_NOT_OK(BindValue(expression, {}, &value));
    if (value.type->id() != arrow::Type::BOOL) {
      return Problem(expression, "found a value of type " + value.type->ToString() +
                                     ", expected a condition that is true or false");
    }
    out->kind = BoundKind::kTruth;
    out->values.push_back(std::move(value));
    return Status::OK();
  }

  Status BindChain(BoundKind kind, const Expression& expression, BoundExpression* out) const {
    out->kind = kind;
    out->children.reserve(expression.children.size());
    for (const ExpressionPtr& child : expression.children) {
      ARROW_RETURN_NOT_OK(Bind(*child, &out->children.emplace_back()));
    }
    return Status::OK();
  }

  Status BindCompare(const Expression& left, CompareOp op, const Expression& right,
                     BoundExpression* out) const {
    if (IsNullLiteral(left)) return BindCompareNull(right, out);
    if (IsNullLiteral(right)) return BindCompareNull(left, out);
    if (IsLiteral(left) && IsLiteral(right)) return FoldCompare(left, op, right, out);
    if (IsTimeBesideDate(left, right) || IsTimeBesideDate(right, left)) {
      return BindCompareValues(left, op, right, out);
    }
    if (IsPlainColumn(left) && IsLiteral(right)) {
      return BindCompareLiteral(left, op, right, out);
    }
    if (IsLiteral(left) && IsPlainColumn(right)) {
      return BindCompareLiteral(right, Flip(op), left, out);
    }
    if (IsOtherColumn(left) && IsOtherColumn(right) && HaveOneType(left, right)) {
      return BindCompareColumns(left, op, right, out);
    }
    if (!IsCondition(left) || !IsCondition(right)) return BindCompareValues(left, op, right, out);
    out->kind = BoundKind::kCompareTruths;
    out->op = op;
    out->children.reserve(2);
    ARROW_RETURN_NOT_OK(Bind(left, &out->children.emplace_back()));
    return Bind(right, &out->children.emplace_back());
  }

  bool IsTimeBesideDate(const Expression& column, const Expression& literal) const {
    return column.kind == Kind::kColumn && IsLiteral(literal) &&
           literal.literal.kind == Literal::Kind::kTimestamp && ColumnOf(column).type != nullptr &&
           ColumnOf(column).type->id() == arrow::Type::DATE32;
  }

  /// A column that is compared as it is stored.
  bool IsPlainColumn(const Expression& expression) const {
    if (expression.kind != Kind::kColumn) return false;
    const auto& type = ColumnOf(expression).type;
    return type == nullptr || type->id() != arrow::Type::DICTIONARY;
  }

  bool HaveOneType(const Expression& left, const Expression& right) const {
    const FilterColumn& left_column = ColumnOf(left);
    const FilterColumn& right_column = ColumnOf(right);
    return IsPlainColumn(left) && left_column.type != nullptr && right_column.type != nullptr &&
           !IsListType(*left_column.type) && left_column.type->Equals(*right_column.type);
  }

  [[gnu::noinline]] Status BindCompareValues(const Expression& left, CompareOp op,
                                             const Expression& right, BoundExpression* out) const {
    out->values.resize(2);
    ARROW_RETURN_NOT_OK(BindPair(left, right, &out->values[0], &out->values[1]));
    out->kind = BoundKind::kCompareValues;
    out->op = op;
    if (IsListType(*out->values[0].type) && op != CompareOp::kEqual && op != CompareOp::kNotEqual) {
      return NotSupported(
          left, "lists are compared by = and <> only, not yet by " + std::string(ToString(op)));
    }
    SetCompareLiteral(PutConstantRight(out) ? left : right, out);
    return Status::OK();
  }

  /// Have the constant of a comparison on its right: with a constant floats compare in another way
  /// than with a value of each row, on whichever side it was written. \return whether it moved
  static bool PutConstantRight(BoundExpression* comparison) {
    std::vector<BoundValue>& values = comparison->values;
    if (values[0].kind != BoundValue::Kind::kConstant ||
        values[1].kind == BoundValue::Kind::kConstant) {
      return false;
    }
    std::swap(values[0], values[1]);
    comparison->op = Flip(comparison->op);
    return true;
  }

  /// Make a comparison of a column with a constant one that statistics can answer.
  static void SetCompareLiteral(const Expression& written, BoundExpression* comparison) {
    const BoundValue& column = comparison->values[0];
    const BoundValue& constant = comparison->values[1];
    if (column.kind != BoundValue::Kind::kColumn || constant.kind != BoundValue::Kind::kConstant ||
        !constant.constant->is_valid || column.type->id() == arrow::Type::BOOL ||
        !IsComparableType(*column.type)) {
      return;
    }
    comparison->kind = BoundKind::kCompareLiteral;
    comparison->column = column.column;
    comparison->literal = constant.constant;
    comparison->text = Shorten(CanonicalSql(written));
    comparison->values.clear();
  }

  [[gnu::noinline]] Status BindIsSame(const Expression& is, BoundExpression* out) const {
    out->kind = BoundKind::kSameValues;
    out->values.resize(2);
    ARROW_RETURN_NOT_OK(
        BindPair(*is.children[0], *is.children[1], &out->values[0], &out->values[1]));
    PutConstantRight(out);
    return Status::OK();
  }

  [[gnu::noinline]] Status BindLike(const Expression& like, BoundExpression* out) const {
    out->kind = BoundKind::kTruth;
    return BindPattern(like, &out->values.emplace_back());
  }

  /// NULL compares with everything to NULL; the other side must still make sense.
  Status BindCompareNull(const Expression& other, BoundExpression* out) const {
    if (other.kind == Kind::kColumn) {
      ARROW_RETURN_NOT_OK(CheckComparable(other));
    } else if (!IsLiteral(other)) {
      const auto unused = std::make_unique<BoundValue>();
      ARROW_RETURN_NOT_OK(BindValue(other, {}, unused.get()));
    }
    SetConstant(std::nullopt, out);
    return Status::OK();
  }

  [[gnu::noinline]] Status FoldCompare(const Expression& left, CompareOp op,
                                       const Expression& right, BoundExpression* out) const {
    const auto order = CompareLiterals(left.literal, right.literal);
    if (!order.ok()) return AtPlace(right, order.status());
    SetConstant(Holds(op, *order), out);
    return Status::OK();
  }

  Result<std::shared_ptr<arrow::Scalar>> Convert(const Expression& column,
                                                 const Expression& literal) const {
    ARROW_RETURN_NOT_OK(CheckComparable(column));
    auto scalar = ConvertLiteral(literal.literal, ColumnOf(column).name, ColumnOf(column).type);
    if (!scalar.ok()) return AtPlace(literal, scalar.status());
    return scalar;
  }

  [[gnu::noinline]] Status BindCompareLiteral(const Expression& column, CompareOp op,
                                              const Expression& literal,
                                              BoundExpression* out) const {
    SetColumn(BoundKind::kCompareLiteral, column, out);
    out->op = op;
    ARROW_ASSIGN_OR_RAISE(out->literal, Convert(column, literal));
    out->text = Shorten(CanonicalLiteral(literal.literal));
    return Status::OK();
  }

  [[gnu::noinline]] Status BindCompareColumns(const Expression& left, CompareOp op,
                                              const Expression& right, BoundExpression* out) const {
    ARROW_RETURN_NOT_OK(CheckComparable(left));
    ARROW_RETURN_NOT_OK(CheckComparable(right));
    SetColumn(BoundKind::kCompareColumns, left, out);
    out->op = op;
    out->other_column = right.column_index;
    return Status::OK();
  }

  /// `x BETWEEN a AND b` is `x >= a AND x <= b`, also where a part is NULL.
  Status BindBetween(const Expression& between, BoundExpression* out) const {
    out->kind = BoundKind::kAnd;
    out->children.reserve(2);
    constexpr std::array<CompareOp, 2> kOps = {CompareOp::kGreaterEqual, CompareOp::kLessEqual};
    for (size_t i = 0; i < kOps.size(); ++i) {
      BoundExpression* side = &out->children.emplace_back();
      ARROW_RETURN_NOT_OK(
          BindCompare(*between.children[0], kOps[i], *between.children[i + 1], side));
      SetText(between, side);
    }
    return Status::OK();
  }

  [[gnu::noinline]] Status BindIn(const Expression& in, BoundExpression* out) const {
    const Expression& operand = *in.children[0];
    const bool all_literals = std::all_of(in.children.begin() + 1, in.children.end(),
                                          [](const auto& member) { return IsLiteral(*member); });
    if (all_literals && IsLiteral(operand)) return FoldIn(in, out);
    const bool is_time_beside_date =
        std::any_of(in.children.begin() + 1, in.children.end(),
                    [&](const auto& member) { return IsTimeBesideDate(operand, *member); });
    if (!all_literals || !IsPlainColumn(operand) || is_time_beside_date) {
      return BindInValues(in, out);
    }
    SetColumn(BoundKind::kIn, operand, out);
    for (size_t i = 1; i < in.children.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto member, Convert(operand, *in.children[i]));
      out->has_null = out->has_null || !member->is_valid;
      if (member->is_valid) out->members.push_back(std::move(member));
    }
    out->text = ListText(in);
    ARROW_ASSIGN_OR_RAISE(out->membership,
                          Membership::Make(out->members, ColumnOf(operand).type, out->has_null));
    return Status::OK();
  }

  static std::string ListText(const Expression& in) {
    constexpr size_t kMaxShown = 5;
    std::string text = "(";
    for (size_t i = 1; i < in.children.size(); ++i) {
      if (i > kMaxShown) {
        return text + ", ... " + std::to_string(in.children.size() - 1) + " values)";
      }
      text += (i > 1 ? ", " : "") + Shorten(CanonicalSql(*in.children[i]));
    }
    return text + ")";
  }

  /// A list of whatever: constants are looked up, others compared one after the other.
  [[gnu::noinline]] Status BindInValues(const Expression& in, BoundExpression* out) const {
    std::vector<BoundValue> list;
    ARROW_RETURN_NOT_OK(BindList(in, &list));
    const auto is_constant = [](const BoundValue& value) {
      return value.kind == BoundValue::Kind::kConstant;
    };
    if (!std::all_of(list.begin() + 1, list.end(), is_constant) || IsListType(*list[0].type)) {
      return ChainMembers(list, out);
    }
    out->kind = BoundKind::kInValues;
    for (size_t i = 1; i < list.size(); ++i) {
      out->has_null = out->has_null || !list[i].constant->is_valid;
      if (list[i].constant->is_valid) out->members.push_back(std::move(list[i].constant));
    }
    ARROW_ASSIGN_OR_RAISE(out->membership,
                          Membership::Make(out->members, list[0].type, out->has_null));
    out->values.push_back(std::move(list[0]));
    return Status::OK();
  }

  static Status ChainMembers(const std::vector<BoundValue>& list, BoundExpression* out) {
    out->kind = BoundKind::kOr;
    out->children.reserve(list.size() - 1);
    for (size_t i = 1; i < list.size(); ++i) {
      BoundExpression& same = out->children.emplace_back();
      same.kind = BoundKind::kCompareValues;
      same.values = {list[0], list[i]};
      PutConstantRight(&same);
      same.text = "IN";
    }
    if (out->children.size() > 1) return Status::OK();
    BoundExpression only = std::move(out->children.front());
    *out = std::move(only);
    return Status::OK();
  }

  Status FoldIn(const Expression& in, BoundExpression* out) const {
    bool is_found = false;
    bool is_unknown = false;
    for (size_t i = 1; i < in.children.size(); ++i) {
      BoundExpression same;
      ARROW_RETURN_NOT_OK(BindCompare(*in.children[0], CompareOp::kEqual, *in.children[i], &same));
      is_found = is_found || same.constant == true;
      is_unknown = is_unknown || !same.constant.has_value();
    }
    SetConstant(is_found, out);
    if (!is_found && is_unknown) SetConstant(std::nullopt, out);
    return Status::OK();
  }

  Status BindIsNull(const Expression& is, BoundExpression* out) const {
    const Expression& operand = *is.children[0];
    if (IsLiteral(operand)) {
      SetConstant(IsNullLiteral(operand), out);
      return Status::OK();
    }
    if (operand.kind == Kind::kColumn) {
      SetColumn(BoundKind::kIsNull, operand, out);
      return Status::OK();
    }
    if (!IsCondition(operand)) {
      out->kind = BoundKind::kIsNullValue;
      return BindValue(operand, {}, &out->values.emplace_back());
    }
    out->kind = BoundKind::kIsUnknown;
    return Bind(operand, &out->children.emplace_back());
  }

  Status BindIsTruth(const Expression& is, BoundExpression* out) const {
    out->kind = BoundKind::kIsTrue;
    return Bind(*is.children[0], PlaceFor(!is.truth, &out->children.emplace_back()));
  }
};

}  // namespace

Result<BoundValue> BindValueExpression(std::string_view sql,
                                       const std::vector<FilterColumn>& columns,
                                       const Expression& expression,
                                       const std::shared_ptr<arrow::DataType>& type) {
  BoundValue value;
  ARROW_RETURN_NOT_OK(Binder(sql, columns).BindRoot(expression, type, &value));
  return value;
}

Result<BoundExpression> BindFilter(std::string_view sql, const std::vector<FilterColumn>& columns,
                                   const Expression& expression) {
  if (IsNullLiteral(expression)) {
    return FilterProblem(StatusCode::Invalid, sql, expression.span,
                         "found NULL, expected a condition that is true or false");
  }
  BoundExpression bound;
  ARROW_RETURN_NOT_OK(Binder(sql, columns).Bind(expression, &bound));
  return bound;
}

}  // namespace lance::filter
