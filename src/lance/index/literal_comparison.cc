#include "lance/index/literal_comparison.h"

#include <algorithm>

#include "arrow/api.h"

namespace lance::index {

namespace {

ZoneFacts MakeZoneFacts(const OrderedValue& min, const OrderedValue& max, uint64_t not_ordinary,
                        uint32_t nan_count, uint64_t zone_length) {
  ZoneFacts facts{.min = min, .max = max};
  const bool both_known = min.is_known() && max.is_known();
  facts.min_known = both_known && min.is_ordinary();
  facts.max_known = both_known && max.is_ordinary();
  facts.may_hold_nan = nan_count > 0 || min.is_nan() || max.is_nan();
  const bool all_counted = not_ordinary >= zone_length;
  facts.may_hold_ordinary = !all_counted || min.is_ordinary() || max.is_ordinary();
  return facts;
}

}  // namespace

bool AsksOfValues(const Predicate& leaf, const arrow::DataType& type) {
  const auto fits = [&](const std::shared_ptr<arrow::Scalar>& literal) {
    return literal != nullptr && literal->is_valid && literal->type->Equals(type);
  };
  const auto end_fits = [&](const std::optional<Bound>& end) { return !end || fits(end->value); };
  switch (leaf.kind) {
    case Predicate::Kind::kIsNull:
      return true;
    case Predicate::Kind::kRange:
      return end_fits(leaf.lower) && end_fits(leaf.upper);
    case Predicate::Kind::kIn:
      return std::all_of(leaf.values.begin(), leaf.values.end(), fits);
    case Predicate::Kind::kUnknown:
    case Predicate::Kind::kAlwaysFalse:
    case Predicate::Kind::kAnd:
    case Predicate::Kind::kOr:
    case Predicate::Kind::kNot:
    case Predicate::Kind::kHasAny:
    case Predicate::Kind::kHasAll:
      return false;
  }
  return false;
}

ZoneFacts ReadZoneFacts(const Zone& zone) {
  return MakeZoneFacts(zone.min ? ToOrderedValue(*zone.min) : OrderedValue(),
                       zone.max ? ToOrderedValue(*zone.max) : OrderedValue(),
                       uint64_t{zone.null_count} + zone.nan_count, zone.nan_count,
                       zone.zone_length);
}

ZoneFacts ReadZoneFacts(const ZoneList& zones, size_t i) {
  return MakeZoneFacts(zones.min(i), zones.max(i),
                       uint64_t{zones.null_count(i)} + zones.nan_count(i), zones.nan_count(i),
                       zones.zone_length(i));
}

std::optional<LiteralComparison> LiteralComparison::Make(const Predicate& leaf) {
  LiteralComparison comparison;
  if (leaf.kind == Predicate::Kind::kIn) {
    if (!comparison.KeepList(leaf)) return std::nullopt;
  } else if (leaf.kind == Predicate::Kind::kRange) {
    if (!comparison.KeepEnd(leaf.lower, &comparison.lower_) ||
        !comparison.KeepEnd(leaf.upper, &comparison.upper_)) {
      return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
  comparison.negative_nan_inside_ = comparison.NanIsInside(OrderedValue::Kind::kNegativeNan);
  comparison.positive_nan_inside_ = comparison.NanIsInside(OrderedValue::Kind::kPositiveNan);
  return comparison;
}

/// \return false for a literal that zones cannot be compared with
bool LiteralComparison::Keep(const std::shared_ptr<arrow::Scalar>& literal, OrderedValue* value) {
  if (!literal) return false;
  *value = ToOrderedValue(*literal);
  if (!value->is_known()) return false;
  if (!type_) type_ = literal->type;
  literals_.push_back(literal);
  return literal->type->Equals(*type_);
}

bool LiteralComparison::KeepEnd(const std::optional<Bound>& bound, std::optional<End>* end) {
  if (!bound) return true;
  OrderedValue value;
  if (!Keep(bound->value, &value)) return false;
  *end = End{value, bound->inclusive};
  return true;
}

bool LiteralComparison::KeepList(const Predicate& leaf) {
  is_list_ = true;
  for (const auto& literal : leaf.values) {
    if (!Keep(literal, &list_.emplace_back())) return false;
  }
  std::sort(list_.begin(), list_.end());
  return true;
}

/// Whether NaNs of one sign make the leaf true.
bool LiteralComparison::NanIsInside(OrderedValue::Kind sign) const {
  const OrderedValue nan{.kind = sign};
  if (is_list_) return std::binary_search(list_.begin(), list_.end(), nan);
  const bool above = !lower_ || (lower_->inclusive ? nan >= lower_->value : nan > lower_->value);
  const bool below = !upper_ || (upper_->inclusive ? nan <= upper_->value : nan < upper_->value);
  return above && below;
}

/// Whether the literals reach into the zone's span of ordinary values.
bool LiteralComparison::OrdinaryMayBeInside(const ZoneFacts& zone) const {
  if (is_list_) {
    // NaN members sort to the ends of the list: the search must start at an ordinary one.
    const OrderedValue least{.kind = OrderedValue::Kind::kOrdinary};
    const auto first =
        std::lower_bound(list_.begin(), list_.end(), zone.min_known ? zone.min : least);
    return first != list_.end() && first->is_ordinary() && (!zone.max_known || *first <= zone.max);
  }
  if (lower_) {
    if (lower_->value.kind == OrderedValue::Kind::kPositiveNan) return false;
    if (zone.max_known &&
        !(lower_->inclusive ? zone.max >= lower_->value : zone.max > lower_->value)) {
      return false;
    }
  }
  if (upper_) {
    if (upper_->value.kind == OrderedValue::Kind::kNegativeNan) return false;
    if (zone.min_known &&
        !(upper_->inclusive ? zone.min <= upper_->value : zone.min < upper_->value)) {
      return false;
    }
  }
  return true;
}

/// Whether every ordinary value that the zone may hold makes the leaf true.
bool LiteralComparison::OrdinariesAreInside(const ZoneFacts& zone) const {
  if (!zone.min_known || !zone.max_known) return false;
  if (is_list_) {
    return zone.min == zone.max && std::binary_search(list_.begin(), list_.end(), zone.min);
  }
  const bool above =
      !lower_ || (lower_->inclusive ? zone.min >= lower_->value : zone.min > lower_->value);
  const bool below =
      !upper_ || (upper_->inclusive ? zone.max <= upper_->value : zone.max < upper_->value);
  return above && below;
}

bool LiteralComparison::MayBeTrue(const ZoneFacts& zone) const {
  return (zone.may_hold_ordinary && OrdinaryMayBeInside(zone)) ||
         (zone.may_hold_nan && (negative_nan_inside_ || positive_nan_inside_));
}

LiteralSpan LiteralComparison::Span() const {
  LiteralSpan span;
  if (is_list_ && !list_.empty()) return {.low = list_.front(), .high = list_.back()};
  if (lower_) span.low = lower_->value;
  if (upper_) span.high = upper_->value;
  return span;
}

void LiteralComparison::MayBeTrue(const ZoneList& zones, std::vector<uint8_t>* may) const {
  may->assign(zones.size(), 1);
  ScreenZones(zones, Span(), may->data());
  for (size_t i = 0; i < zones.size(); ++i) {
    if ((*may)[i] != 0) (*may)[i] = MayBeTrue(ReadZoneFacts(zones, i)) ? 1 : 0;
  }
}

bool LiteralComparison::MayBeFalse(const ZoneFacts& zone) const {
  return (zone.may_hold_ordinary && !OrdinariesAreInside(zone)) ||
         (zone.may_hold_nan && !(negative_nan_inside_ && positive_nan_inside_));
}

}  // namespace lance::index
