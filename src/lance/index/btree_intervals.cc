#include "lance/index/btree_intervals.h"

#include <algorithm>

#include "arrow/api.h"

namespace lance::index {
namespace {

std::optional<ValueInterval::End> EndOf(const std::optional<Bound>& bound) {
  if (!bound) return std::nullopt;
  return ValueInterval::End{ToOrderedValue(*bound->value), bound->inclusive};
}

bool IsEmpty(const ValueInterval& interval) {
  if (!interval.lower || !interval.upper) return false;
  return interval.IsBelow(interval.lower->value) || interval.IsAbove(interval.upper->value);
}

}  // namespace

std::vector<ValueInterval> IntervalsOf(const Predicate& leaf) {
  if (leaf.kind == Predicate::Kind::kRange) {
    const ValueInterval interval{EndOf(leaf.lower), EndOf(leaf.upper)};
    return IsEmpty(interval) ? std::vector<ValueInterval>() : std::vector{interval};
  }
  std::vector<OrderedValue> values;
  values.reserve(leaf.values.size());
  for (const auto& literal : leaf.values) values.push_back(ToOrderedValue(*literal));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<ValueInterval> intervals;
  intervals.reserve(values.size());
  for (const OrderedValue& value : values) {
    intervals.push_back({ValueInterval::End{value, true}, ValueInterval::End{value, true}});
  }
  return intervals;
}

}  // namespace lance::index
