#include "lance/dataset/filter/item_leaf.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/cast.h"
#include "lance/dataset/filter/asked_field.h"

namespace lance::filter {

namespace {

using index::Predicate;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using TypePtr = std::shared_ptr<arrow::DataType>;

enum class Question { kHas, kHasAny, kHasAll };

struct NamedQuestion {
  std::string_view name;
  Question question;
};

constexpr std::array<NamedQuestion, 9> kQuestions = {{{"array_has", Question::kHas},
                                                      {"array_contains", Question::kHas},
                                                      {"list_has", Question::kHas},
                                                      {"list_contains", Question::kHas},
                                                      {"array_has_any", Question::kHasAny},
                                                      {"list_has_any", Question::kHasAny},
                                                      {"arrays_overlap", Question::kHasAny},
                                                      {"array_has_all", Question::kHasAll},
                                                      {"list_has_all", Question::kHasAll}}};

std::optional<Question> FindQuestion(const BoundValue& call) {
  if (call.kind != BoundValue::Kind::kCall || call.arguments.size() != 2) return std::nullopt;
  const auto found =
      std::find_if(kQuestions.begin(), kQuestions.end(),
                   [&](const NamedQuestion& known) { return known.name == call.name; });
  return found == kQuestions.end() ? std::nullopt : std::optional(found->question);
}

/// The type of a list's items; null for another type.
TypePtr ItemType(const arrow::DataType& type) {
  if (type.id() != arrow::Type::LIST && type.id() != arrow::Type::LARGE_LIST) return nullptr;
  return static_cast<const arrow::BaseListType&>(type).value_type();
}

/// Whether two values that differ still differ when both are of the other type.
bool KeepsValuesApart(const arrow::DataType& from, const arrow::DataType& to) {
  const auto both = [&](auto is_kind) { return is_kind(from.id()) && is_kind(to.id()); };
  return from.Equals(to) || both([](auto id) { return arrow::is_integer(id); }) ||
         both([](auto id) { return arrow::is_floating(id); }) ||
         both([](auto id) { return arrow::is_base_binary_like(id); });
}

/// The field of which a value is made: itself, or its items in a wider type.
std::optional<AskedField> ListField(const BoundValue& value,
                                    const std::vector<FilterColumn>& columns) {
  const bool is_cast = value.kind == BoundValue::Kind::kCast && !value.is_try;
  auto field = FieldOf(is_cast ? value.arguments[0] : value, columns);
  if (!field) return std::nullopt;
  const TypePtr items = ItemType(*field->type);
  const TypePtr wider = ItemType(*value.type);
  return items && wider && KeepsValuesApart(*items, *wider) ? field : std::nullopt;
}

/// A literal as an item; null when no item can be it.
ScalarPtr AsItem(const ScalarPtr& literal, const TypePtr& item_type) {
  if (literal->type->Equals(*item_type)) return literal;
  if (!literal->is_valid) return arrow::MakeNullScalar(item_type);
  if (!KeepsValuesApart(*item_type, *literal->type)) return nullptr;
  const auto item = arrow::compute::Cast(arrow::Datum(literal), item_type);
  if (!item.ok()) return nullptr;  // does not fit
  const auto again = arrow::compute::Cast(*item, literal->type);
  return again.ok() && again->scalar()->Equals(*literal) ? item->scalar() : nullptr;
}

/// The literals that a question is about; empty for NULL.
std::vector<ScalarPtr> LiteralsOf(Question question, const arrow::Scalar& constant) {
  if (!constant.is_valid) return {};
  if (question == Question::kHas) return {constant.GetSharedPtr()};
  if (!ItemType(*constant.type)) return {};
  std::vector<ScalarPtr> literals;
  const arrow::Array& items = *static_cast<const arrow::BaseListScalar&>(constant).value;
  for (int64_t i = 0; i < items.length(); ++i) {
    auto item = items.GetScalar(i);
    if (!item.ok()) return {};
    literals.push_back(*std::move(item));
  }
  return literals;
}

}  // namespace

std::optional<Predicate> ToItemLeaf(const BoundValue& call,
                                    const std::vector<FilterColumn>& columns) {
  const auto question = FindQuestion(call);
  if (!question) return std::nullopt;
  const auto field = ListField(call.arguments[0], columns);
  if (!field || call.arguments[1].kind != BoundValue::Kind::kConstant) return std::nullopt;
  Predicate leaf;
  leaf.kind = *question == Question::kHasAll ? Predicate::Kind::kHasAll : Predicate::Kind::kHasAny;
  leaf.field_id = field->id;
  leaf.text = call.text;
  for (const ScalarPtr& literal : LiteralsOf(*question, *call.arguments[1].constant)) {
    ScalarPtr item = AsItem(literal, ItemType(*field->type));
    if (!item) return std::nullopt;
    leaf.values.push_back(std::move(item));
  }
  return leaf.values.empty() ? std::nullopt : std::optional(std::move(leaf));
}

}  // namespace lance::filter
