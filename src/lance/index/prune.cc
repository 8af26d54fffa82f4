#include "lance/index/prune.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/index/literal_comparison.h"

namespace lance::index {
namespace {

using Kind = Predicate::Kind;

/// The outcome of a predicate for a row; null is neither.
enum class Outcome { kTrue, kFalse };

/// A predicate whose literals are ready to be compared.
struct Node {
  Kind kind = Kind::kUnknown;
  std::vector<Node> children;
  int32_t field_id = -1;
  std::optional<LiteralComparison> comparison;  // kRange and kIn
  size_t leaf = 0;                              // of leaves: the place among them
};

bool IsLeaf(const Predicate& node) {
  return node.kind == Kind::kRange || node.kind == Kind::kIn || node.kind == Kind::kIsNull ||
         node.kind == Kind::kHasAny || node.kind == Kind::kHasAll;
}

void CollectLeaves(const Predicate& node, std::vector<const Predicate*>* leaves) {
  if (IsLeaf(node)) leaves->push_back(&node);
  for (const Predicate& child : node.children) CollectLeaves(child, leaves);
}

Node Compile(const Predicate& predicate, size_t* num_leaves) {
  Node node;
  node.kind = predicate.kind;
  node.field_id = predicate.field_id;
  for (const Predicate& child : predicate.children) {
    node.children.push_back(Compile(child, num_leaves));
  }
  if (IsLeaf(predicate)) node.leaf = (*num_leaves)++;
  switch (predicate.kind) {
    case Kind::kUnknown:
    case Kind::kAlwaysFalse:
    case Kind::kIsNull:
    case Kind::kHasAny:
    case Kind::kHasAll:
      break;
    case Kind::kRange:
    case Kind::kIn:
      node.comparison = LiteralComparison::Make(predicate);
      break;
    case Kind::kNot:
      if (predicate.children.size() != 1) node.kind = Kind::kUnknown;
      break;
    case Kind::kAnd:
    case Kind::kOr:
      break;
  }
  return node;
}

/// Collects rows that come in ascending order.
class RangeCollector {
 public:
  void Add(uint64_t begin, uint64_t end) {
    if (begin >= end) return;
    if (!ranges_.empty() && ranges_.back().end == begin) {
      ranges_.back().end = end;
    } else {
      ranges_.push_back({begin, end});
    }
  }
  RowRanges Finish() { return RowRanges::Make(std::move(ranges_)); }

 private:
  std::vector<RowRange> ranges_;
};

/// The rows of a zone that are in the fragment.
RowRange RowsOf(const ZoneList& zones, size_t i, uint64_t physical_rows) {
  const uint64_t begin = std::min(zones.zone_start(i), physical_rows);
  return {begin, begin + std::min(zones.zone_length(i), physical_rows - begin)};
}

/// The rows of zones that `may_hold` accepts, and the rows that are in no zone.
template <typename MayHold>
RowRanges RowsOfZones(const ZoneList& zones, uint64_t physical_rows, MayHold&& may_hold) {
  RangeCollector rows;
  uint64_t zoned_end = 0;
  for (size_t i = 0; i < zones.size(); ++i) {
    const RowRange range = RowsOf(zones, i, physical_rows);
    if (range.begin > zoned_end) rows.Add(zoned_end, range.begin);
    zoned_end = std::max(zoned_end, range.end);
    if (may_hold(i)) rows.Add(range.begin, range.end);
  }
  rows.Add(zoned_end, physical_rows);
  return rows.Finish();
}

/// The members of a bitmap that are rows of the fragment.
RowRanges ToRanges(const RoaringBitmap& offsets, uint64_t physical_rows) {
  RoaringBitmap inside;  // a few bytes can stand for four billion rows
  inside.AddRange(0, physical_rows);
  inside &= offsets;
  return RowRanges::FromAscending(inside.ToVector());
}

/// Prunes one fragment: finds the rows for which a node may have an outcome.
class Evaluation {
 public:
  Evaluation(uint64_t physical_rows, const ZoneLookup& lookup, const LeafRowsLookup& leaf_rows)
      : physical_rows_(physical_rows), lookup_(lookup), leaf_rows_(leaf_rows) {}

  RowRanges Rows(const Node& node, Outcome outcome) {
    switch (node.kind) {
      case Kind::kUnknown:
        return All();
      case Kind::kAlwaysFalse:
        return outcome == Outcome::kFalse ? All() : RowRanges();
      case Kind::kNot:
        return Rows(node.children[0], outcome == Outcome::kTrue ? Outcome::kFalse : Outcome::kTrue);
      case Kind::kAnd:
      case Kind::kOr:
        return RowsOfChildren(node, outcome);
      case Kind::kRange:
      case Kind::kIn:
        return NamedRows(node, outcome, RowsOfComparison(node, outcome));
      case Kind::kIsNull:
        return NamedRows(node, outcome, RowsOfIsNull(node, outcome));
      case Kind::kHasAny:
      case Kind::kHasAll:
        return NamedRows(node, outcome, All());
    }
    return All();
  }

  /// The zones with the fewest rows among those that the predicate can use; null: none.
  const FragmentZones* FindFinest(const Node& node) const {
    const FragmentZones* finest = nullptr;
    if (node.comparison || node.kind == Kind::kIsNull) finest = UsableZones(node);
    for (const Node& child : node.children) {
      const FragmentZones* candidate = FindFinest(child);
      if (candidate && (!finest || candidate->rows_per_zone < finest->rows_per_zone)) {
        finest = candidate;
      }
    }
    return finest;
  }

  uint64_t zones_tested() const { return zones_tested_; }

 private:
  RowRanges All() const { return RowRanges::All(physical_rows_); }

  /// AND is true where all children are, OR is false where all children are: the same intersection.
  RowRanges RowsOfChildren(const Node& node, Outcome outcome) {
    const bool all_must = (node.kind == Kind::kAnd) == (outcome == Outcome::kTrue);
    RowRanges rows = all_must ? All() : RowRanges();
    for (const Node& child : node.children) {
      if (all_must && rows.empty()) break;
      const RowRanges of_child = Rows(child, outcome);
      rows = all_must ? rows.Intersect(of_child) : rows.Union(of_child);
    }
    return rows;
  }

  /// What is left of a leaf's rows when an index names those for which it can have the outcome.
  RowRanges NamedRows(const Node& node, Outcome outcome, RowRanges rows) const {
    const LeafRows* named = leaf_rows_ ? leaf_rows_(node.leaf) : nullptr;
    if (named == nullptr) return rows;
    if (outcome == Outcome::kTrue) return rows.Intersect(named->may_be_true);
    return named->may_be_false ? rows.Intersect(*named->may_be_false) : rows;
  }

  RowRanges RowsOfComparison(const Node& node, Outcome outcome) {
    if (!node.comparison) return All();
    const FragmentZones* zones = UsableZones(node);
    if (!zones) return All();
    zones_tested_ += zones->zones.size();
    const LiteralComparison& comparison = *node.comparison;
    if (outcome == Outcome::kTrue) {
      comparison.MayBeTrue(zones->zones, &may_be_true_);
      return RowsOfZones(zones->zones, physical_rows_,
                         [&](size_t i) { return may_be_true_[i] != 0; });
    }
    return RowsOfZones(zones->zones, physical_rows_, [&](size_t i) {
      return comparison.MayBeFalse(ReadZoneFacts(zones->zones, i));
    });
  }

  RowRanges RowsOfIsNull(const Node& node, Outcome outcome) const {
    const FragmentZones* zones = UsableZones(node);
    if (!zones) return All();
    const ZoneList& list = zones->zones;
    if (!zones->null_offsets) {
      return RowsOfZones(list, physical_rows_, [&](size_t i) {
        return outcome == Outcome::kTrue ? list.null_count(i) > 0
                                         : list.null_count(i) < list.zone_length(i);
      });
    }
    const RowRanges nulls = ToRanges(*zones->null_offsets, physical_rows_);
    const RowRanges in_no_zone = RowsOfZones(list, physical_rows_, [](size_t) { return false; });
    return in_no_zone.Union(outcome == Outcome::kTrue ? nulls : nulls.Complement(physical_rows_));
  }

  const FragmentZones* UsableZones(const Node& leaf) const {
    const FragmentZones* zones = lookup_ ? lookup_(leaf.field_id) : nullptr;
    if (!zones || zones->zones.empty()) return nullptr;
    const bool comparable = !leaf.comparison || !leaf.comparison->type() ||
                            zones->zones.type()->Equals(*leaf.comparison->type());
    return comparable ? zones : nullptr;
  }

  uint64_t physical_rows_;
  const ZoneLookup& lookup_;
  const LeafRowsLookup& leaf_rows_;
  uint64_t zones_tested_ = 0;
  std::vector<uint8_t> may_be_true_;  // of the leaf at hand; kept for its memory
};

/// How many blocks of some rows each hold a row of a set.
uint64_t CountBlocks(const RowRanges& rows, uint64_t rows_per_block) {
  uint64_t count = 0;
  uint64_t next = 0;  // the first block that is not counted yet
  for (const RowRange& range : rows.ranges()) {
    const uint64_t first = std::max(range.begin / rows_per_block, next);
    const uint64_t end = CeilDiv(range.end, rows_per_block);
    if (first >= end) continue;
    count += end - first;
    next = end;
  }
  return count;
}

/// The zones of which any row is a candidate.
uint64_t CountKept(const ZoneList& zones, const RowRanges& candidates, uint64_t physical_rows) {
  if (candidates.empty()) return 0;
  uint64_t kept = 0;
  for (size_t i = 0; i < zones.size(); ++i) {
    kept += candidates.Intersects(RowsOf(zones, i, physical_rows)) ? 1 : 0;
  }
  return kept;
}

}  // namespace

class Pruner::Impl {
 public:
  explicit Impl(const Predicate& predicate) {
    size_t num_leaves = 0;
    root_ = Compile(predicate, &num_leaves);
  }

  PrunedFragment Prune(uint64_t physical_rows, const ZoneLookup& zones,
                       const LeafRowsLookup& leaf_rows) const {
    Evaluation evaluation(physical_rows, zones, leaf_rows);
    PrunedFragment result;
    result.candidates = evaluation.Rows(root_, Outcome::kTrue);
    result.zones_tested = evaluation.zones_tested();
    const FragmentZones* finest = evaluation.FindFinest(root_);
    result.used_zones = finest != nullptr;
    if (!finest) {
      result.zones_total = CeilDiv(physical_rows, kDefaultRowsPerZone);
      result.zones_kept = CountBlocks(result.candidates, kDefaultRowsPerZone);
      return result;
    }
    result.zones_total = finest->zones.size();
    result.zones_kept = CountKept(finest->zones, result.candidates, physical_rows);
    return result;
  }

 private:
  Node root_;
};

Pruner::Pruner(const Predicate& predicate) : impl_(std::make_unique<const Impl>(predicate)) {}
Pruner::Pruner(Pruner&&) noexcept = default;
Pruner& Pruner::operator=(Pruner&&) noexcept = default;
Pruner::~Pruner() = default;

PrunedFragment Pruner::Prune(uint64_t physical_rows, const ZoneLookup& zones,
                             const LeafRowsLookup& leaf_rows) const {
  return impl_->Prune(physical_rows, zones, leaf_rows);
}

PrunedFragment PruneFragment(const Predicate& predicate, uint64_t physical_rows,
                             const ZoneLookup& zones, const LeafRowsLookup& leaf_rows) {
  return Pruner(predicate).Prune(physical_rows, zones, leaf_rows);
}

std::vector<const Predicate*> LeavesOf(const Predicate& predicate) {
  std::vector<const Predicate*> leaves;
  CollectLeaves(predicate, &leaves);
  return leaves;
}

bool HasNot(const Predicate& predicate) {
  return predicate.kind == Kind::kNot || std::ranges::any_of(predicate.children, HasNot);
}

bool ZoneMayMatch(const Predicate& leaf, const Zone& zone) {
  switch (leaf.kind) {
    case Kind::kAlwaysFalse:
      return false;
    case Kind::kIsNull:
      return zone.null_count > 0;
    case Kind::kRange:
    case Kind::kIn: {
      const auto comparison = LiteralComparison::Make(leaf);
      return !comparison || comparison->MayBeTrue(ReadZoneFacts(zone));
    }
    case Kind::kUnknown:
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
    case Kind::kHasAny:
    case Kind::kHasAll:
      return true;
  }
  return true;
}

std::vector<uint8_t> ZonesThatMayMatch(const Predicate& leaf, const ZoneList& zones) {
  std::vector<uint8_t> may(zones.size(), leaf.kind == Kind::kAlwaysFalse ? 0 : 1);
  if (leaf.kind == Kind::kIsNull) {
    for (size_t i = 0; i < may.size(); ++i) may[i] = zones.null_count(i) > 0 ? 1 : 0;
    return may;
  }
  const auto comparison = LiteralComparison::Make(leaf);
  if (!comparison || zones.empty()) return may;
  const bool is_comparable = !comparison->type() || zones.type()->Equals(*comparison->type());
  if (is_comparable) comparison->MayBeTrue(zones, &may);
  return may;
}

}  // namespace lance::index
