#include "lance/dataset/filter/prefix_leaf.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/filter/asked_field.h"
#include "lance/dataset/filter/like_pattern.h"

namespace lance::filter {

namespace {

using index::Bound;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

/// How a regular expression says that texts begin; "": not known.
///
/// Ends at the first character that means something else than itself.
std::string RegexPrefix(std::string_view pattern) {
  if (!pattern.starts_with('^') || pattern.find('|') != pattern.npos) return "";
  pattern.remove_prefix(1);
  const size_t end = pattern.find_first_of("\\.+*?()[]{}^$");
  std::string prefix(pattern.substr(0, end));
  const bool may_be_left_out =
      end != pattern.npos && std::string_view("*?{").find(pattern[end]) != std::string_view::npos;
  // Bytes of one character begin with the only one that is no continuation.
  while (may_be_left_out && !prefix.empty()) {
    const bool is_first = (static_cast<unsigned char>(prefix.back()) & 0xc0) != 0x80;
    prefix.pop_back();
    if (is_first) break;
  }
  return prefix;
}

/// What a call says of the start of texts; no value: nothing.
std::optional<LikePrefix> PrefixOf(const BoundValue& call) {
  const arrow::Scalar& constant = *call.arguments[1].constant;
  if (!constant.is_valid || !arrow::is_base_binary_like(constant.type->id())) return std::nullopt;
  const std::string text(static_cast<const arrow::BaseBinaryScalar&>(constant).view());
  if (call.name == kLikeName) return PrefixOfLike(text);
  if (call.name == "starts_with") return LikePrefix{text, false};
  if (call.name == "regexp_like") return LikePrefix{RegexPrefix(text), false};
  return std::nullopt;
}

/// The least text above all that begin with a prefix, in the order of bytes; no value: none.
std::optional<std::string> Successor(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  ++prefix.back();
  return prefix;
}

ScalarPtr TextOf(std::string text, const arrow::DataType& type) {
  if (type.id() == arrow::Type::LARGE_STRING) {
    return std::make_shared<arrow::LargeStringScalar>(std::move(text));
  }
  return std::make_shared<arrow::StringScalar>(std::move(text));
}

/// A field of texts, perhaps as the other type of text, which has the same order; else no value.
std::optional<AskedField> TextField(const BoundValue& value,
                                    const std::vector<FilterColumn>& columns) {
  const bool is_cast = value.kind == BoundValue::Kind::kCast && arrow::is_string(value.type->id());
  const BoundValue& text = is_cast ? value.arguments[0] : value;
  return arrow::is_string(text.type->id()) ? FieldOf(text, columns) : std::nullopt;
}

}  // namespace

std::optional<index::Predicate> ToPrefixLeaf(const BoundValue& call,
                                             const std::vector<FilterColumn>& columns) {
  if (call.kind != BoundValue::Kind::kCall || call.arguments.size() != 2) return std::nullopt;
  const auto field = TextField(call.arguments[0], columns);
  if (!field || call.arguments[1].kind != BoundValue::Kind::kConstant) {
    return std::nullopt;
  }
  const auto prefix = PrefixOf(call);
  if (!prefix || (prefix->text.empty() && !prefix->is_whole)) return std::nullopt;
  index::Predicate leaf;
  leaf.kind = index::Predicate::Kind::kRange;
  leaf.field_id = field->id;
  leaf.text = call.text;
  leaf.lower = Bound{TextOf(prefix->text, *field->type), true};
  if (prefix->is_whole) {
    leaf.upper = leaf.lower;
  } else if (auto end = Successor(prefix->text)) {
    leaf.upper = Bound{TextOf(*std::move(end), *field->type), false};
  }
  return leaf;
}

}  // namespace lance::filter
