#include "lance/dataset/filter/to_predicate.h"

#include <iterator>
#include <map>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/asked_field.h"
#include "lance/dataset/filter/cast_leaf.h"
#include "lance/dataset/filter/field_leaf.h"
#include "lance/dataset/filter/item_leaf.h"
#include "lance/dataset/filter/literal.h"
#include "lance/dataset/filter/prefix_leaf.h"

namespace lance::filter {

namespace {

using index::Predicate;
using BoundKind = BoundExpression::Kind;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

/// The constant of a comparison that statistics can answer; null for other values.
ScalarPtr ComparableConstant(const BoundValue& value) {
  const bool is_comparable = value.kind == BoundValue::Kind::kConstant &&
                             value.constant->is_valid && IsComparableType(*value.type);
  return is_comparable ? value.constant : nullptr;
}

/// Whether a predicate is a range that is open on one side.
bool IsHalfRange(const Predicate& predicate) {
  return predicate.kind == Predicate::Kind::kRange &&
         predicate.lower.has_value() != predicate.upper.has_value();
}

/// Make one range of every two comparisons of one column in opposite directions.
///
/// Sharper than the two: a zone with NaNs is kept for a range that is open on a side.
std::vector<Predicate> MergeRanges(std::vector<Predicate> children) {
  std::vector<Predicate> merged;
  std::map<std::pair<int32_t, bool>, size_t> unmatched;  // field id, has a lower bound
  for (Predicate& child : children) {
    if (!IsHalfRange(child)) {
      merged.push_back(std::move(child));
      continue;
    }
    const bool is_lower = child.lower.has_value();
    const auto opposite = unmatched.find({child.field_id, !is_lower});
    if (opposite == unmatched.end()) {
      unmatched.emplace(std::pair(child.field_id, is_lower), merged.size());
      merged.push_back(std::move(child));
      continue;
    }
    Predicate& range = merged[opposite->second];
    (is_lower ? range.lower : range.upper) = is_lower ? child.lower : child.upper;
    range.text += " AND " + child.text;
    unmatched.erase(opposite);
  }
  return merged;
}

/// Extracts from one tree. Borrows everything.
///
/// Nodes are made where they stay: returned by value they would fill the stack of a deep recursion.
class Extraction {
 public:
  explicit Extraction(const std::vector<FilterColumn>& columns) : columns_(columns) {}

  /// The rows for which the node is TRUE (`wanted`), or for which it is FALSE.
  ///
  /// Asking for FALSE is how a NOT goes inward; NULL rows are in neither.
  void Where(const BoundExpression& node, bool wanted, Predicate* out) const {
    switch (node.kind) {
      case BoundKind::kNot:
        return Where(node.children[0], !wanted, out);
      case BoundKind::kAnd:
        return Chain(wanted ? Predicate::Kind::kAnd : Predicate::Kind::kOr, node, wanted, out);
      case BoundKind::kOr:
        return Chain(wanted ? Predicate::Kind::kOr : Predicate::Kind::kAnd, node, wanted, out);
      case BoundKind::kIsTrue:
        // FALSE for both FALSE and NULL, which no statistics tell.
        if (wanted) return Where(node.children[0], true, out);
        break;
      case BoundKind::kConstant:
      case BoundKind::kColumn:
      case BoundKind::kCompareLiteral:
      case BoundKind::kCompareColumns:
      case BoundKind::kCompareTruths:
      case BoundKind::kIn:
      case BoundKind::kIsNull:
      case BoundKind::kIsUnknown:
      case BoundKind::kTruth:
      case BoundKind::kCompareValues:
      case BoundKind::kSameValues:
      case BoundKind::kInValues:
      case BoundKind::kIsNullValue:
        break;
    }
    SetLeaf(node, wanted, out);
  }

 private:
  AskedField Field(int column) const {
    return FieldOfColumn(columns_[static_cast<size_t>(column)]);
  }

  /// Join the children: flat, without what is never TRUE, and with ranges merged.
  void Chain(Predicate::Kind kind, const BoundExpression& node, bool wanted, Predicate* out) const {
    out->kind = kind;
    for (const BoundExpression& bound : node.children) {
      Where(bound, wanted, &out->children.emplace_back());
      if (AbsorbLast(out)) return;
    }
    Finish(out);
  }

  /// Simplify a chain by its newest child. \return whether the whole chain is settled
  [[gnu::noinline]] static bool AbsorbLast(Predicate* chain) {
    Predicate last = std::move(chain->children.back());
    chain->children.pop_back();
    if (last.kind == Predicate::Kind::kAlwaysFalse) {
      if (chain->kind == Predicate::Kind::kOr) {
        chain->text = last.text;
        return false;
      }
      *chain = std::move(last);
      return true;
    }
    if (last.kind == chain->kind) {
      std::move(last.children.begin(), last.children.end(), std::back_inserter(chain->children));
    } else {
      chain->children.push_back(std::move(last));
    }
    return false;
  }

  [[gnu::noinline]] static void Finish(Predicate* chain) {
    if (chain->children.empty()) {
      chain->kind = Predicate::Kind::kAlwaysFalse;  // with the text of a child that is
      return;
    }
    chain->text.clear();
    if (chain->kind == Predicate::Kind::kAnd) {
      chain->children = MergeRanges(std::move(chain->children));
    }
    if (chain->children.size() > 1) return;
    Predicate only = std::move(chain->children.front());
    *chain = std::move(only);
  }

  /// System columns have no statistics.
  bool IsSystemColumn(const BoundExpression& node) const {
    return node.column >= 0 && Field(node.column).id < 0;
  }

  [[gnu::noinline]] void SetLeaf(const BoundExpression& node, bool wanted, Predicate* out) const {
    if (IsSystemColumn(node)) {
      *out = Unknown(node, wanted);
      out->text = "(" + Field(node.column).path + ")";
      return;
    }
    switch (node.kind) {
      case BoundKind::kConstant:
        *out = Constant(node, wanted);
        return;
      case BoundKind::kColumn:
        *out = TruthLeaf(Field(node.column), wanted);
        return;
      case BoundKind::kCompareLiteral:
        *out = ComparisonLeaf(Field(node.column), wanted ? node.op : Negate(node.op), node.literal,
                              node.text);
        return;
      case BoundKind::kIn:
        *out = InLeaf(Field(node.column), node.members, node.has_null, node.text, wanted);
        return;
      case BoundKind::kIsNull:
        *out = IsNullLeaf(Field(node.column), wanted);
        return;
      case BoundKind::kTruth:
        *out = Truth(node, wanted);
        return;
      case BoundKind::kNot:
      case BoundKind::kAnd:
      case BoundKind::kOr:
      case BoundKind::kIsTrue:
      case BoundKind::kCompareColumns:
      case BoundKind::kCompareTruths:
      case BoundKind::kIsUnknown:
      case BoundKind::kSameValues:
        *out = Unknown(node, wanted);
        return;
      case BoundKind::kCompareValues:
        *out = CompareValues(node, wanted);
        return;
      case BoundKind::kInValues:
        *out = InValues(node, wanted);
        return;
      case BoundKind::kIsNullValue:
        *out = IsNullValue(node, wanted);
        return;
    }
  }

  Predicate CompareValues(const BoundExpression& node, bool wanted) const {
    const CompareOp op = wanted ? node.op : Negate(node.op);
    const auto field = FieldOf(node.values[0], columns_);
    const ScalarPtr constant = ComparableConstant(node.values[1]);
    if (field && constant) return ComparisonLeaf(*field, op, constant, TextOf(*constant));
    return ToCastLeaf(node, op, columns_).value_or(Unknown(node, wanted));
  }

  Predicate InValues(const BoundExpression& node, bool wanted) const {
    const auto field = FieldOf(node.values[0], columns_);
    if (!field) return Unknown(node, wanted);
    return InLeaf(*field, node.members, node.has_null, TextOf(node.members), wanted);
  }

  Predicate IsNullValue(const BoundExpression& node, bool wanted) const {
    const auto field = FieldOf(node.values[0], columns_);
    return field ? IsNullLeaf(*field, wanted) : Unknown(node, wanted);
  }

  Predicate Truth(const BoundExpression& node, bool wanted) const {
    if (const auto field = FieldOf(node.values[0], columns_)) return TruthLeaf(*field, wanted);
    if (auto prefix = ToPrefixLeaf(node.values[0], columns_)) {
      return wanted ? *std::move(prefix) : Unknown(node, wanted);
    }
    auto leaf = ToItemLeaf(node.values[0], columns_);
    if (!leaf) return Unknown(node, wanted);
    return wanted ? *std::move(leaf) : MakeNot(*std::move(leaf));
  }

  static Predicate Unknown(const BoundExpression& node, bool wanted) {
    return MakeLeaf(Predicate::Kind::kUnknown, wanted ? node.text : "NOT (" + node.text + ")");
  }

  /// NULL is neither TRUE nor FALSE.
  static Predicate Constant(const BoundExpression& node, bool wanted) {
    if (node.constant == wanted) return Unknown(node, wanted);
    return MakeLeaf(Predicate::Kind::kAlwaysFalse, node.text);
  }

  const std::vector<FilterColumn>& columns_;
};

}  // namespace

Predicate ToPredicate(const BoundExpression& expression, const std::vector<FilterColumn>& columns) {
  Predicate predicate;
  Extraction(columns).Where(expression, true, &predicate);
  return predicate;
}

}  // namespace lance::filter
