#include "lance/dataset/leaf_search.h"

#include <algorithm>
#include <utility>

#include "lance/dataset/progress_reporter.h"
#include "lance/index/address_mapping.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

/// Above this share of a segment's rows a search costs more than it saves: it reads values and the
/// numbers of rows, 8 bytes each, to spare the scan the other rows of the filter's column. All
/// other columns are read only where the filter passes, with or without an index.
constexpr double kMostShareWorthASearch = 1.0 / 3;

constexpr uint64_t kNumbersOfOneEntry = 1ull << 32;

/// Adds the low halves of the numbers of an entry that are among `wanted`, ascending from `base`.
///
/// What an index claims is not listed as it stands: a few bytes can stand for four billion rows.
void AddNumbers(const index::RowAddressMap& rows, uint32_t entry_id, RoaringBitmap wanted,
                uint64_t base, std::vector<RowRange>* ranges) {
  const auto entry = std::ranges::lower_bound(rows.entries, entry_id, {},
                                              &index::RowAddressMap::Entry::fragment_id);
  if (entry == rows.entries.end() || entry->fragment_id != entry_id) return;
  if (entry->offsets) wanted &= *entry->offsets;
  const RowRanges found = RowRanges::FromAscending(wanted.ToVector(), base);
  ranges->insert(ranges->end(), found.ranges().begin(), found.ranges().end());
}

/// The rows of one fragment in a map of addresses.
RowRanges OffsetsIn(const index::RowAddressMap& rows, const table::Fragment& fragment) {
  RoaringBitmap all;
  all.AddRange(0, fragment.physical_rows);
  std::vector<RowRange> offsets;
  AddNumbers(rows, static_cast<uint32_t>(fragment.id), std::move(all), 0, &offsets);
  return RowRanges::Make(std::move(offsets));
}

/// The ids of a sequence that are in a map.
std::vector<RowRange> IdsIn(const index::RowAddressMap& rows,
                            const table::RowIdSequence& sequence) {
  std::map<uint32_t, RoaringBitmap> held;
  for (const table::RowIdSequence::Run& run : sequence.runs()) {
    const uint64_t end = run.first_id + run.length;
    auto entry = std::ranges::lower_bound(rows.entries, run.first_id / kNumbersOfOneEntry, {},
                                          &index::RowAddressMap::Entry::fragment_id);
    for (; entry != rows.entries.end(); ++entry) {
      const uint64_t base = entry->fragment_id * kNumbersOfOneEntry;
      if (base >= end) break;
      held[entry->fragment_id].AddRange(std::max(run.first_id, base) - base,
                                        std::min(end - base, kNumbersOfOneEntry));
    }
  }
  std::vector<RowRange> ids;
  for (auto& [entry_id, numbers] : held) {
    AddNumbers(rows, entry_id, std::move(numbers), entry_id * kNumbersOfOneEntry, &ids);
  }
  return ids;
}

/// The rows of a fragment whose ids are in a map.
RowRanges OffsetsOf(const index::RowAddressMap& rows, const table::RowIdSequence& sequence) {
  const std::vector<RowRange> ids = IdsIn(rows, sequence);
  std::vector<RowRange> offsets;
  for (const table::RowIdSequence::Run& run : sequence.runs()) {
    const uint64_t end = run.first_id + run.length;
    auto range = std::ranges::upper_bound(ids, run.first_id, {}, &RowRange::end);
    for (; range != ids.end() && range->begin < end; ++range) {
      const uint64_t from = std::max(range->begin, run.first_id) - run.first_id;
      const uint64_t to = std::min(range->end, end) - run.first_id;
      offsets.push_back({run.first_row + from, run.first_row + to});
    }
  }
  return RowRanges::Make(std::move(offsets));
}

}  // namespace

LeafSearch::LeafSearch(std::shared_ptr<const Dataset::Impl> dataset,
                       std::vector<const index::Predicate*> leaves, bool asks_false,
                       std::shared_ptr<const table::FragmentReuse> reuse, const RunContext& run)
    : dataset_(std::move(dataset)),
      leaves_(std::move(leaves)),
      reuse_(std::move(reuse)),
      run_(run),
      asks_false_(asks_false),
      has_stable_row_ids_(table::HasStableRowIds(dataset_->manifest())) {
  const table::Manifest& manifest = dataset_->manifest();
  for (const index::Predicate* leaf : leaves_) {
    if (segments_.contains(leaf->field_id)) continue;
    for (ScalarSegment& segment : ScalarSegmentsOf(manifest, leaf->field_id, reuse_.get())) {
      segments_[leaf->field_id].push_back({.described = std::move(segment)});
    }
  }
}

bool LeafSearch::NamesRowsById(const Segment& segment) const {
  return has_stable_row_ids_ && segment.opened->index->domain() == index::RowDomain::kRowId;
}

arrow::Status LeafSearch::Settle(const arrow::Status& outcome, Segment* segment) {
  if (outcome.ok() || outcome.IsCancelled()) return outcome;
  segment->is_unusable = true;
  const std::string name = "index " + segment->described.metadata->name;
  const std::string& message = outcome.message();
  Warn(run_, "index_unusable",
       (message.starts_with(name) ? "" : name + ": ") + message + "; the index is not used");
  return arrow::Status::OK();
}

arrow::Result<bool> LeafSearch::Open(Segment* segment) {
  if (segment->is_unusable || segment->opened != nullptr) return !segment->is_unusable;
  bool was_cached = false;
  auto opened = OpenScalarCached(*dataset_, *segment->described.metadata, run_, &was_cached);
  if (!opened.ok()) {
    ARROW_RETURN_NOT_OK(Settle(opened.status(), segment));
    return false;
  }
  segment->opened = *std::move(opened);
  ++(was_cached ? counters_.cache_hits : counters_.cache_misses);
  if (was_cached) return true;
  ++counters_.indices_loaded;
  const IoCounters& reads = *segment->opened->reads;
  counters_.requests += reads.requests;
  counters_.iops += reads.iops;
  counters_.bytes_read += reads.bytes_read;
  return true;
}

arrow::Result<std::optional<index::LeafMatches>> LeafSearch::SearchOnce(size_t leaf,
                                                                        Segment* segment) {
  ARROW_ASSIGN_OR_RAISE(const bool is_open, Open(segment));
  if (!is_open) return std::nullopt;
  const index::ScalarIndex& index = *segment->opened->index;
  if (!index.Answers(*leaves_[leaf])) return std::nullopt;
  const auto share = index.EstimateShare(*leaves_[leaf]);
  if (share && *share > kMostShareWorthASearch) return std::nullopt;
  const IoCounters& reads = *segment->opened->reads;
  const uint64_t requests = reads.requests;
  const uint64_t iops = reads.iops;
  const uint64_t bytes_read = reads.bytes_read;
  const auto nulls = asks_false_ ? index::NullRows::kNamed : index::NullRows::kLeftOut;
  auto matches = index.Search(*leaves_[leaf], nulls, run_);
  ++counters_.searches;
  counters_.requests += reads.requests - requests;
  counters_.iops += reads.iops - iops;
  counters_.bytes_read += reads.bytes_read - bytes_read;
  if (matches.ok()) return *std::move(matches);
  ARROW_RETURN_NOT_OK(Settle(matches.status(), segment));
  return std::nullopt;
}

arrow::Result<const LeafSearch::Found*> LeafSearch::Search(size_t leaf, Segment* segment) {
  const auto known = found_.find({leaf, segment});
  if (known != found_.end()) return &known->second;
  ARROW_ASSIGN_OR_RAISE(auto matches, SearchOnce(leaf, segment));
  Found& found = found_[{leaf, segment}];
  if (!matches) return &found;
  found.is_answered = true;
  found.matches = *std::move(matches);
  if (reuse_ != nullptr && !NamesRowsById(*segment)) {
    found.matches.rows = index::MapRows(found.matches.rows, *reuse_);
    if (found.matches.null_rows) {
      found.matches.null_rows = index::MapRows(*found.matches.null_rows, *reuse_);
    }
  }
  return &found;
}

arrow::Result<LeafSearch::Answer> LeafSearch::Translate(const Found& found, const Segment& segment,
                                                        const table::Fragment& fragment,
                                                        SystemColumnReader* columns) const {
  const table::RowIdSequence* sequence = nullptr;
  if (NamesRowsById(segment)) {
    ARROW_ASSIGN_OR_RAISE(sequence, columns->RowIds());
  }
  const auto rows_of = [&](const index::RowAddressMap& map) {
    return sequence != nullptr ? OffsetsOf(map, *sequence) : OffsetsIn(map, fragment);
  };
  const index::LeafMatches& matches = found.matches;
  Answer answer{
      {.may_be_true = rows_of(matches.rows)}, matches.is_exact, segment.described.metadata};
  if (!asks_false_ || !matches.is_exact) return answer;
  RowRanges others = answer.rows.may_be_true.Complement(fragment.physical_rows);
  if (matches.null_rows) {
    others = others.Intersect(rows_of(*matches.null_rows).Complement(fragment.physical_rows));
  }
  answer.rows.may_be_false = std::move(others);
  return answer;
}

arrow::Result<std::optional<LeafSearch::Answer>> LeafSearch::Ask(size_t leaf,
                                                                 const table::Fragment& fragment,
                                                                 SystemColumnReader* columns) {
  const auto place = segments_.find(leaves_[leaf]->field_id);
  if (place == segments_.end()) return std::nullopt;
  for (Segment& segment : place->second) {
    if (segment.is_unusable ||
        !segment.described.coverage.Contains(static_cast<uint32_t>(fragment.id))) {
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(const Found* found, Search(leaf, &segment));
    if (!found->is_answered) continue;
    auto answer = Translate(*found, segment, fragment, columns);
    if (answer.ok()) return *std::move(answer);
    ARROW_RETURN_NOT_OK(Settle(answer.status(), &segment));
  }
  return std::nullopt;
}

}  // namespace lance
