#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lance/base/row_ranges.h"
#include "lance/index/predicate.h"
#include "lance/index/zone.h"

namespace lance::index {

/// Finds the zones that may be used for a column of the fragment at hand; null: none.
using ZoneLookup = std::function<const FragmentZones*(int32_t field_id)>;

/// What an index that names rows says about one leaf in the fragment at hand. A plain value.
struct LeafRows {
  /// Offsets for which the leaf may be TRUE.
  RowRanges may_be_true;
  /// Offsets for which it may be FALSE, which only NOT asks for; no value: any.
  std::optional<RowRanges> may_be_false;
};

/// Finds what an index says about a leaf, by the leaf's place among the leaves of the predicate,
/// from left to right; null: nothing. What zones say holds as well.
using LeafRowsLookup = std::function<const LeafRows*(size_t leaf)>;

/// The leaves of a predicate from left to right.
std::vector<const Predicate*> LeavesOf(const Predicate& predicate);

/// Whether a predicate has a NOT anywhere.
bool HasNot(const Predicate& predicate);

/// Which rows of one fragment may match. A plain value.
struct PrunedFragment {
  /// Offsets that may match; every match is inside. They need the filter itself.
  RowRanges candidates;
  /// Zones of the fragment, counted on the finest zones that the predicate could use; without any
  /// each 8,192 rows are one.
  uint64_t zones_total = 0;
  uint64_t zones_kept = 0;
  /// Whether any statistics were used.
  bool used_zones = false;
  /// Zones that were compared with a literal.
  uint64_t zones_tested = 0;
};

/// A predicate made ready for pruning many fragments. Immutable.
class Pruner {
 public:
  explicit Pruner(const Predicate& predicate);
  Pruner(Pruner&&) noexcept;
  Pruner& operator=(Pruner&&) noexcept;
  ~Pruner();

  /// Prune one fragment. See PruneFragment.
  PrunedFragment Prune(uint64_t physical_rows, const ZoneLookup& zones,
                       const LeafRowsLookup& leaf_rows = {}) const;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

/// Prune one fragment with three-valued logic (zonemap-and-indices 3.3, 3.4).
///
/// Pure. Doubtful statistics never prune: a null or NaN bound is read as unknown, and rows in no
/// zone stay candidates. For more than a few fragments make a Pruner once.
PrunedFragment PruneFragment(const Predicate& predicate, uint64_t physical_rows,
                             const ZoneLookup& zones, const LeafRowsLookup& leaf_rows = {});

/// Whether a zone may hold a row for which the leaf is true. Exposed for checks.
bool ZoneMayMatch(const Predicate& leaf, const Zone& zone);

/// The same of many zones: one byte each, 1 or 0.
std::vector<uint8_t> ZonesThatMayMatch(const Predicate& leaf, const ZoneList& zones);

}  // namespace lance::index
