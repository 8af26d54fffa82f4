#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/index/ordered_value.h"
#include "lance/index/predicate.h"
#include "lance/index/zone.h"
#include "lance/index/zone_screen.h"

namespace lance::index {

/// What one zone's statistics say, with everything doubtful read as unknown.
struct ZoneFacts {
  OrderedValue min;  // used only when min_known
  OrderedValue max;
  bool min_known = false;         // no ordinary value is below `min`
  bool max_known = false;         // no ordinary value is above `max`
  bool may_hold_ordinary = true;  // values that are neither null nor NaN
  bool may_hold_nan = true;       // of either sign: released files do not say which
};

/// Whether a leaf is about nulls, or a range or list whose literals are all valid and of a type:
/// what indices of ordered values answer.
bool AsksOfValues(const Predicate& leaf, const arrow::DataType& type);

/// Read a zone's statistics. Borrows its bounds.
ZoneFacts ReadZoneFacts(const Zone& zone);
ZoneFacts ReadZoneFacts(const ZoneList& zones, size_t i);

/// One comparison with literals that zones can be tested against: a range or a list. Immutable.
///
/// A row is true when its value is inside, false when it is another value, neither when it is null.
class LiteralComparison {
 public:
  /// \return no value when the leaf is of another kind, or a literal has no order or is null
  static std::optional<LiteralComparison> Make(const Predicate& leaf);

  /// The literals' type; null when there is no literal.
  const std::shared_ptr<arrow::DataType>& type() const { return type_; }

  /// Whether a zone may hold a row for which the leaf is true (zonemap-and-indices 3.3).
  bool MayBeTrue(const ZoneFacts& zone) const;

  /// The same of all zones of a list, fast: one byte each, 1 or 0.
  ///
  /// \pre the list's bounds are of type(), when there is one
  void MayBeTrue(const ZoneList& zones, std::vector<uint8_t>* may) const;

  /// Whether a zone may hold a row for which the leaf is false.
  bool MayBeFalse(const ZoneFacts& zone) const;

 private:
  struct End {
    OrderedValue value;
    bool inclusive;
  };

  LiteralComparison() = default;
  bool Keep(const std::shared_ptr<arrow::Scalar>& literal, OrderedValue* value);
  bool KeepEnd(const std::optional<Bound>& bound, std::optional<End>* end);
  bool KeepList(const Predicate& leaf);
  /// The ends between which all literals are; unknown: open.
  LiteralSpan Span() const;
  bool NanIsInside(OrderedValue::Kind sign) const;
  bool OrdinaryMayBeInside(const ZoneFacts& zone) const;
  bool OrdinariesAreInside(const ZoneFacts& zone) const;

  std::shared_ptr<arrow::DataType> type_;
  std::vector<std::shared_ptr<arrow::Scalar>> literals_;  // what the values below borrow from
  bool is_list_ = false;
  std::vector<OrderedValue> list_;  // ascending
  std::optional<End> lower_;
  std::optional<End> upper_;
  bool negative_nan_inside_ = false;
  bool positive_nan_inside_ = false;
};

}  // namespace lance::index
