#pragma once

#include <optional>
#include <vector>

#include "lance/index/ordered_value.h"
#include "lance/index/predicate.h"

namespace lance::index {

/// Values from one to another. A plain value; borrows its literals.
struct ValueInterval {
  /// One end.
  struct End {
    OrderedValue value;
    bool inclusive = true;
  };

  std::optional<End> lower;  // no value: open
  std::optional<End> upper;

  /// Whether all of it is above a value. \pre known
  bool IsAbove(const OrderedValue& value) const {
    return lower && (lower->inclusive ? value < lower->value : value <= lower->value);
  }
  /// Whether all of it is below a value. \pre known
  bool IsBelow(const OrderedValue& value) const {
    return upper && (upper->inclusive ? value > upper->value : value >= upper->value);
  }
};

/// The first number of [begin, end) for which `holds`, as it then does for all that follow; else
/// `end`.
template <typename Int, typename Holds>
Int FirstThat(Int begin, Int end, const Holds& holds) {
  while (begin < end) {
    const Int middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

/// The values that make a range or a list TRUE: ascending, disjoint, none empty.
///
/// \pre literals are valid and have an order. Borrows them.
std::vector<ValueInterval> IntervalsOf(const Predicate& leaf);

}  // namespace lance::index
