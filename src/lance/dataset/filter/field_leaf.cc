#include "lance/dataset/filter/field_leaf.h"

#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/scalar_sql.h"
#include "lance/index/ordered_value.h"

namespace lance::filter {

namespace {

using index::Bound;
using index::Predicate;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

/// `values` is the constant, or its two zeros in ascending order.
void SetBounds(CompareOp op, const std::vector<ScalarPtr>& values, Predicate* range) {
  switch (op) {
    case CompareOp::kEqual:
      range->lower = Bound{values.front(), true};
      range->upper = Bound{values.back(), true};
      return;
    case CompareOp::kLess:
      range->upper = Bound{values.front(), false};
      return;
    case CompareOp::kLessEqual:
      range->upper = Bound{values.back(), true};
      return;
    case CompareOp::kGreater:
      range->lower = Bound{values.back(), false};
      return;
    case CompareOp::kGreaterEqual:
      range->lower = Bound{values.front(), true};
      return;
    case CompareOp::kNotEqual:
      return;
  }
}

}  // namespace

Predicate MakeLeaf(Predicate::Kind kind, std::string text) {
  Predicate leaf;
  leaf.kind = kind;
  leaf.text = std::move(text);
  return leaf;
}

Predicate MakeNot(Predicate child) {
  Predicate node;
  node.kind = Predicate::Kind::kNot;
  node.children.push_back(std::move(child));
  return node;
}

Predicate ComparisonLeaf(const AskedField& field, CompareOp op, const ScalarPtr& constant,
                         const std::string& constant_text) {
  if (op == CompareOp::kNotEqual) {
    Predicate either;
    either.kind = Predicate::Kind::kOr;
    for (const CompareOp side : {CompareOp::kLess, CompareOp::kGreater}) {
      either.children.push_back(ComparisonLeaf(field, side, constant, constant_text));
    }
    return either;
  }
  Predicate leaf =
      MakeLeaf(Predicate::Kind::kRange, field.path + " " + ToString(op) + " " + constant_text);
  leaf.field_id = field.id;
  const auto values = index::WithBothZeros(constant);
  if (op == CompareOp::kEqual && values.size() > 1) {
    leaf.kind = Predicate::Kind::kIn;
    leaf.values = values;
  } else {
    SetBounds(op, values, &leaf);
  }
  return leaf;
}

Predicate TruthLeaf(const AskedField& field, bool wanted) {
  return ComparisonLeaf(field, CompareOp::kEqual, std::make_shared<arrow::BooleanScalar>(wanted),
                        wanted ? "TRUE" : "FALSE");
}

Predicate IsNullLeaf(const AskedField& field, bool wanted) {
  Predicate leaf = MakeLeaf(Predicate::Kind::kIsNull, field.path + " IS NULL");
  leaf.field_id = field.id;
  return wanted ? leaf : MakeNot(std::move(leaf));
}

std::string TextOf(const arrow::Scalar& constant) {
  const arrow::Type::type id = constant.type->id();
  // Digits that tell floats apart are more than people want to see.
  if (arrow::is_floating(id) || arrow::is_decimal(id)) return constant.ToString();
  return ScalarSql(constant).value_or(constant.ToString());
}

std::string TextOf(const std::vector<ScalarPtr>& members) {
  constexpr size_t kMaxShown = 5;
  std::string text = "(";
  for (size_t i = 0; i < members.size(); ++i) {
    if (i == kMaxShown) return text + ", ... " + std::to_string(members.size()) + " values)";
    text += (i > 0 ? ", " : "") + TextOf(*members[i]);
  }
  return text + ")";
}

Predicate InLeaf(const AskedField& field, const std::vector<ScalarPtr>& members, bool has_null,
                 const std::string& members_text, bool wanted) {
  const std::string text = field.path + " IN " + members_text;
  // `x NOT IN (1, NULL)` is never TRUE; `x IN (1, NULL)` is TRUE where `x IN (1)` is.
  if ((has_null && !wanted) || members.empty()) {
    return MakeLeaf(Predicate::Kind::kAlwaysFalse, text);
  }
  Predicate leaf = MakeLeaf(Predicate::Kind::kIn, text);
  leaf.field_id = field.id;
  for (const ScalarPtr& member : members) {
    const auto values = index::WithBothZeros(member);
    leaf.values.insert(leaf.values.end(), values.begin(), values.end());
  }
  return wanted ? leaf : MakeNot(std::move(leaf));
}

}  // namespace lance::filter
