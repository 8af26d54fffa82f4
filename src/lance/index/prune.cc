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
RowRange RowsOf(const Zone& zone, uint64_t physical_rows) {
  const uint64_t begin = std::min(zone.zone_start, physical_rows);
  return {begin, begin + std::min(zone.zone_length, physical_rows - begin)};
}

/// The rows of zones that `may_hold` accepts, and the rows that are in no zone.
template <typename MayHold>
RowRanges RowsOfZones(const FragmentZones& zones, uint64_t physical_rows, MayHold&& may_hold) {
  RangeCollector rows;
  uint64_t zoned_end = 0;
  for (const Zone& zone : zones.zones) {
    const RowRange range = RowsOf(zone, physical_rows);
    if (range.begin > zoned_end) rows.Add(zoned_end, range.begin);
    zoned_end = std::max(zoned_end, range.end);
    if (may_hold(zone)) rows.Add(range.begin, range.end);
  }
  rows.Add(zoned_end, physical_rows);
  return rows.Finish();
}

/// The members of a bitmap that are rows of the fragment.
RowRanges ToRanges(const RoaringBitmap& offsets, uint64_t physical_rows) {
  RangeCollector rows;
  for (const uint32_t offset : offsets.ToVector()) {
    if (offset < physical_rows) rows.Add(offset, uint64_t{offset} + 1);
  }
  return rows.Finish();
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
    return rows.Intersect(outcome == Outcome::kTrue ? named->may_be_true : named->may_be_false);
  }

  RowRanges RowsOfComparison(const Node& node, Outcome outcome) {
    if (!node.comparison) return All();
    const FragmentZones* zones = UsableZones(node);
    if (!zones) return All();
    zones_tested_ += zones->zones.size();
    const LiteralComparison& comparison = *node.comparison;
    return RowsOfZones(*zones, physical_rows_, [&](const Zone& zone) {
      const ZoneFacts facts = ReadZoneFacts(zone);
      return outcome == Outcome::kTrue ? comparison.MayBeTrue(facts) : comparison.MayBeFalse(facts);
    });
  }

  RowRanges RowsOfIsNull(const Node& node, Outcome outcome) const {
    const FragmentZones* zones = UsableZones(node);
    if (!zones) return All();
    if (!zones->null_offsets) {
      return RowsOfZones(*zones, physical_rows_, [&](const Zone& zone) {
        return outcome == Outcome::kTrue ? zone.null_count > 0 : zone.null_count < zone.zone_length;
      });
    }
    const RowRanges nulls = ToRanges(*zones->null_offsets, physical_rows_);
    const RowRanges in_no_zone =
        RowsOfZones(*zones, physical_rows_, [](const Zone&) { return false; });
    return in_no_zone.Union(outcome == Outcome::kTrue ? nulls : nulls.Complement(physical_rows_));
  }

  const FragmentZones* UsableZones(const Node& leaf) const {
    const FragmentZones* zones = lookup_ ? lookup_(leaf.field_id) : nullptr;
    if (!zones || zones->zones.empty()) return nullptr;
    const auto& bound = zones->zones.front().min;
    const bool comparable = !leaf.comparison || !leaf.comparison->type() || !bound ||
                            bound->type->Equals(*leaf.comparison->type());
    return comparable ? zones : nullptr;
  }

  uint64_t physical_rows_;
  const ZoneLookup& lookup_;
  const LeafRowsLookup& leaf_rows_;
  uint64_t zones_tested_ = 0;
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
    result.zones_kept = static_cast<uint64_t>(
        std::count_if(finest->zones.begin(), finest->zones.end(), [&](const Zone& zone) {
          return result.candidates.Intersects(RowsOf(zone, physical_rows));
        }));
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

}  // namespace lance::index
