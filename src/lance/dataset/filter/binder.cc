#include "lance/dataset/filter/binder.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/canonical.h"
#include "lance/dataset/filter/filter_problem.h"
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

BoundExpression MakeNode(BoundKind kind) {
  BoundExpression node;
  node.kind = kind;
  return node;
}

BoundExpression MakeConstant(std::optional<bool> value) {
  BoundExpression node = MakeNode(BoundKind::kConstant);
  node.constant = value;
  return node;
}

BoundExpression MakeParent(BoundKind kind, BoundExpression child) {
  BoundExpression node = MakeNode(kind);
  node.children.push_back(std::move(child));
  return node;
}

BoundExpression MakeNot(BoundExpression child) {
  return MakeParent(BoundKind::kNot, std::move(child));
}

BoundExpression NegateIf(bool negated, BoundExpression node) {
  return negated ? MakeNot(std::move(node)) : std::move(node);
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
         kind == BoundKind::kIsTrue;
}

/// Walks over one tree. Borrows everything; thread-compatible.
class Binder {
 public:
  Binder(std::string_view sql, const std::vector<FilterColumn>& columns)
      : sql_(sql), columns_(columns) {}

  Result<BoundExpression> Bind(const Expression& expression) const {
    ARROW_ASSIGN_OR_RAISE(auto node, BindNode(expression));
    // A negated form is a kNot around the node that explain shows.
    BoundExpression& shown = node.kind == BoundKind::kNot ? node.children.front() : node;
    if (shown.text.empty() && NeedsText(shown.kind)) shown.text = Shorten(CanonicalSql(expression));
    return node;
  }

 private:
  // --- problems

  Status Problem(const Expression& place, const std::string& message) const {
    return FilterProblem(StatusCode::Invalid, sql_, place.span, message);
  }

  Status NotSupported(const Expression& place, const std::string& message) const {
    return FilterProblem(StatusCode::NotImplemented, sql_, place.span, message);
  }

  /// Add the place to the status of a conversion.
  Status AtPlace(const Expression& place, const Status& status) const {
    return FilterProblem(status.code(), sql_, place.span, status.message());
  }

  // --- columns

  const FilterColumn& ColumnOf(const Expression& expression) const {
    return columns_[static_cast<size_t>(expression.column_index)];
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

  BoundExpression ColumnNode(BoundKind kind, const Expression& column) const {
    BoundExpression node = MakeNode(kind);
    node.column = column.column_index;
    return node;
  }

  // --- nodes

  Result<BoundExpression> BindNode(const Expression& expression) const {
    switch (expression.kind) {
      case Kind::kLiteral:
        return BindTruthLiteral(expression);
      case Kind::kColumn:
        return BindTruthColumn(expression);
      case Kind::kNot: {
        ARROW_ASSIGN_OR_RAISE(auto child, Bind(*expression.children[0]));
        return MakeNot(std::move(child));
      }
      case Kind::kAnd:
        return BindChain(BoundKind::kAnd, expression);
      case Kind::kOr:
        return BindChain(BoundKind::kOr, expression);
      case Kind::kCompare:
        return BindCompare(*expression.children[0], expression.op, *expression.children[1]);
      case Kind::kBetween:
        return BindBetween(expression);
      case Kind::kIn:
        return BindIn(expression);
      case Kind::kIsNull:
        return BindIsNull(expression);
      case Kind::kIsTruth:
        return BindIsTruth(expression);
    }
    return Status::UnknownError("internal: expression of no kind");
  }

  Result<BoundExpression> BindTruthLiteral(const Expression& expression) const {
    const Literal& literal = expression.literal;
    if (literal.kind == Literal::Kind::kNull) return MakeConstant(std::nullopt);
    if (literal.kind == Literal::Kind::kBoolean) return MakeConstant(literal.boolean);
    return Problem(expression, "found " + Describe(literal) +
                                   ", expected a condition that is true or false; comparisons are "
                                   "joined with AND, as in a > 1 AND a < 5");
  }

  Result<BoundExpression> BindTruthColumn(const Expression& expression) const {
    if (IsBoolColumn(expression)) return ColumnNode(BoundKind::kColumn, expression);
    const FilterColumn& column = ColumnOf(expression);
    return Problem(expression, "found column " + CanonicalIdentifier(column.name) + " of type " +
                                   column.logical_type +
                                   ", expected a condition that is true or false");
  }

  Result<BoundExpression> BindChain(BoundKind kind, const Expression& expression) const {
    BoundExpression node = MakeNode(kind);
    node.children.reserve(expression.children.size());
    for (const ExpressionPtr& child : expression.children) {
      ARROW_ASSIGN_OR_RAISE(auto bound, Bind(*child));
      node.children.push_back(std::move(bound));
    }
    return node;
  }

  Result<BoundExpression> BindCompare(const Expression& left, CompareOp op,
                                      const Expression& right) const {
    if (IsNullLiteral(left) || IsNullLiteral(right)) return BindCompareNull(left, right);
    if (IsLiteral(left) && IsLiteral(right)) return FoldCompare(left, op, right);
    if (IsLiteral(left)) return BindCompare(right, Flip(op), left);
    if (left.kind == Kind::kColumn && IsLiteral(right)) {
      return BindCompareLiteral(left, op, right);
    }
    if (IsOtherColumn(left) && IsOtherColumn(right)) return BindCompareColumns(left, op, right);
    return BindCompareTruths(left, op, right);
  }

  /// NULL compares with everything to NULL; the other side must still make sense.
  Result<BoundExpression> BindCompareNull(const Expression& left, const Expression& right) const {
    for (const Expression* side : {&left, &right}) {
      if (IsLiteral(*side)) continue;
      if (side->kind == Kind::kColumn) {
        ARROW_RETURN_NOT_OK(CheckComparable(*side));
      } else {
        ARROW_RETURN_NOT_OK(Bind(*side).status());
      }
    }
    return MakeConstant(std::nullopt);
  }

  Result<BoundExpression> FoldCompare(const Expression& left, CompareOp op,
                                      const Expression& right) const {
    const auto order = CompareLiterals(left.literal, right.literal);
    if (!order.ok()) return AtPlace(right, order.status());
    return MakeConstant(Holds(op, *order));
  }

  Result<std::shared_ptr<arrow::Scalar>> Convert(const Expression& column,
                                                 const Expression& literal) const {
    ARROW_RETURN_NOT_OK(CheckComparable(column));
    auto scalar = ConvertLiteral(literal.literal, ColumnOf(column).name, ColumnOf(column).type);
    if (!scalar.ok()) return AtPlace(literal, scalar.status());
    return scalar;
  }

  Result<BoundExpression> BindCompareLiteral(const Expression& column, CompareOp op,
                                             const Expression& literal) const {
    BoundExpression node = ColumnNode(BoundKind::kCompareLiteral, column);
    node.op = op;
    ARROW_ASSIGN_OR_RAISE(node.literal, Convert(column, literal));
    node.text = Shorten(CanonicalLiteral(literal.literal));
    return node;
  }

  Result<BoundExpression> BindCompareColumns(const Expression& left, CompareOp op,
                                             const Expression& right) const {
    ARROW_RETURN_NOT_OK(CheckComparable(left));
    ARROW_RETURN_NOT_OK(CheckComparable(right));
    const FilterColumn& left_column = ColumnOf(left);
    const FilterColumn& right_column = ColumnOf(right);
    if (!left_column.type->Equals(*right_column.type)) {
      return NotSupported(right, "column " + CanonicalIdentifier(right_column.name) + " has type " +
                                     right_column.logical_type + ", column " +
                                     CanonicalIdentifier(left_column.name) + " has type " +
                                     left_column.logical_type +
                                     "; columns of different types cannot be compared yet");
    }
    BoundExpression node = ColumnNode(BoundKind::kCompareColumns, left);
    node.op = op;
    node.other_column = right.column_index;
    return node;
  }

  Result<BoundExpression> BindCompareTruths(const Expression& left, CompareOp op,
                                            const Expression& right) const {
    BoundExpression node = MakeNode(BoundKind::kCompareTruths);
    node.op = op;
    for (const Expression* side : {&left, &right}) {
      ARROW_ASSIGN_OR_RAISE(auto bound, Bind(*side));
      node.children.push_back(std::move(bound));
    }
    return node;
  }

  /// `x BETWEEN a AND b` is `x >= a AND x <= b`, also where a part is NULL.
  Result<BoundExpression> BindBetween(const Expression& between) const {
    const Expression& operand = *between.children[0];
    BoundExpression node = MakeNode(BoundKind::kAnd);
    for (const auto& [op, bound] : {std::pair(CompareOp::kGreaterEqual, &between.children[1]),
                                    std::pair(CompareOp::kLessEqual, &between.children[2])}) {
      ARROW_ASSIGN_OR_RAISE(auto side, BindCompare(operand, op, **bound));
      if (side.text.empty()) side.text = Shorten(CanonicalSql(between));
      node.children.push_back(std::move(side));
    }
    return NegateIf(between.negated, std::move(node));
  }

  Result<BoundExpression> BindIn(const Expression& in) const {
    const Expression& operand = *in.children[0];
    for (size_t i = 1; i < in.children.size(); ++i) {
      if (IsLiteral(*in.children[i])) continue;
      return NotSupported(*in.children[i], "the members of an IN list must be literals");
    }
    if (IsLiteral(operand)) return FoldIn(in);
    if (operand.kind != Kind::kColumn) {
      return NotSupported(operand, "the left side of IN must be a column");
    }
    BoundExpression node = ColumnNode(BoundKind::kIn, operand);
    for (size_t i = 1; i < in.children.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto member, Convert(operand, *in.children[i]));
      node.has_null = node.has_null || !member->is_valid;
      if (member->is_valid) node.members.push_back(std::move(member));
    }
    ARROW_ASSIGN_OR_RAISE(node.membership,
                          Membership::Make(node.members, ColumnOf(operand).type, node.has_null));
    node.text = ListText(in);
    return NegateIf(in.negated, std::move(node));
  }

  static std::string ListText(const Expression& in) {
    constexpr size_t kMaxShown = 5;
    std::string text = "(";
    for (size_t i = 1; i < in.children.size(); ++i) {
      if (i > kMaxShown) {
        return text + ", ... " + std::to_string(in.children.size() - 1) + " values)";
      }
      text += (i > 1 ? ", " : "") + Shorten(CanonicalLiteral(in.children[i]->literal));
    }
    return text + ")";
  }

  Result<BoundExpression> FoldIn(const Expression& in) const {
    bool is_found = false;
    bool is_unknown = false;
    for (size_t i = 1; i < in.children.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto same,
                            BindCompare(*in.children[0], CompareOp::kEqual, *in.children[i]));
      is_found = is_found || same.constant == true;
      is_unknown = is_unknown || !same.constant.has_value();
    }
    if (is_found) return NegateIf(in.negated, MakeConstant(true));
    if (is_unknown) return MakeConstant(std::nullopt);
    return MakeConstant(in.negated);
  }

  Result<BoundExpression> BindIsNull(const Expression& is) const {
    const Expression& operand = *is.children[0];
    if (IsLiteral(operand)) return MakeConstant(IsNullLiteral(operand) != is.negated);
    if (operand.kind == Kind::kColumn) {
      return NegateIf(is.negated, ColumnNode(BoundKind::kIsNull, operand));
    }
    ARROW_ASSIGN_OR_RAISE(auto child, Bind(operand));
    return NegateIf(is.negated, MakeParent(BoundKind::kIsUnknown, std::move(child)));
  }

  Result<BoundExpression> BindIsTruth(const Expression& is) const {
    ARROW_ASSIGN_OR_RAISE(auto child, Bind(*is.children[0]));
    child = NegateIf(!is.truth, std::move(child));
    return NegateIf(is.negated, MakeParent(BoundKind::kIsTrue, std::move(child)));
  }

  std::string_view sql_;
  const std::vector<FilterColumn>& columns_;
};

}  // namespace

Result<BoundExpression> BindFilter(std::string_view sql, const std::vector<FilterColumn>& columns,
                                   const Expression& expression) {
  if (IsNullLiteral(expression)) {
    return FilterProblem(StatusCode::Invalid, sql, expression.span,
                         "found NULL, expected a condition that is true or false");
  }
  return Binder(sql, columns).Bind(expression);
}

}  // namespace lance::filter
