#include "lance/dataset/prune_plan.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "lance/dataset/index_coverage.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/index_type.h"
#include "lance/index/seed.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

/// Rows that are read as fast as an index is searched: those of one page of a btree, twice.
constexpr uint64_t kRowsWorthNoSearch = 8192;

/// "btree", "bitmap", "labellist", "bloomfilter".
std::string LowerIndexTypeName(const table::IndexMetadata& segment) {
  std::string name = index::IndexTypeName(segment);
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

}  // namespace

arrow::Status FragmentPruner::LoadSegments(const Dataset::Impl& dataset) {
  std::set<int32_t> field_ids;
  for (const index::Predicate* leaf : leaves_) field_ids.insert(leaf->field_id);
  for (const int32_t field_id : field_ids) {
    for (const table::IndexMetadata* segment : ZonemapSegmentsOf(dataset.manifest(), field_id)) {
      bool was_cached = false;
      auto loaded = LoadZonemapCached(dataset, store_, *segment, run_, &was_cached);
      if (!loaded.ok()) {
        if (loaded.status().IsCancelled()) return loaded.status();
        Warn(run_, "index_unusable", loaded.status().message() + "; the index is not used");
        continue;
      }
      ++(was_cached ? counters_.cache_hits : counters_.cache_misses);
      if (!was_cached) ++counters_.indices_loaded;
      segments_[field_id].push_back({segment->name, std::move(*loaded)});
    }
  }
  return arrow::Status::OK();
}

arrow::Status FragmentPruner::PrepareSearch(bool asks_false) {
  auto reuse = LoadFragmentReuse(*dataset_, run_);
  if (!reuse.ok()) {
    if (reuse.status().IsCancelled()) return reuse.status();
    Warn(run_, "index_unusable",
         "where rewritten rows went cannot be read: " + reuse.status().message() +
             "; indices that name rows are not used");
    return arrow::Status::OK();
  }
  LeafSearch search(dataset_, leaves_, asks_false, *std::move(reuse), run_);
  if (search.has_segments()) search_ = std::move(search);
  return arrow::Status::OK();
}

arrow::Result<FragmentPruner> FragmentPruner::Make(std::shared_ptr<const Dataset::Impl> dataset,
                                                   std::shared_ptr<ObjectStore> store,
                                                   const index::Predicate& predicate,
                                                   const PruneOptions& options,
                                                   const RunContext& run) {
  FragmentPruner pruner;
  pruner.dataset_ = std::move(dataset);
  pruner.store_ = std::move(store);
  pruner.pruner_.emplace(predicate);
  pruner.options_ = options;
  pruner.run_ = run;
  pruner.leaves_ = index::LeavesOf(predicate);
  for (const auto* leaf : pruner.leaves_) pruner.leaf_counts_.push_back({.text = leaf->text});
  if (!options.use_indices) return pruner;
  ARROW_RETURN_NOT_OK(pruner.LoadSegments(*pruner.dataset_));
  ARROW_RETURN_NOT_OK(pruner.PrepareSearch(index::HasNot(predicate)));
  return pruner;
}

arrow::Result<const index::FragmentZones*> FragmentPruner::ZonesOf(
    int32_t field_id, FragmentReader* fragment, std::map<int32_t, index::FragmentZones>* seeds,
    std::string* index_name) {
  const auto segments = segments_.find(field_id);
  if (segments != segments_.end()) {
    for (const Segment& segment : segments->second) {
      const index::FragmentZones* zones = segment.zones->Find(fragment->fragment().id);
      if (zones == nullptr) continue;
      *index_name = segment.index_name;
      return zones;
    }
  }
  if (!options_.use_seeds) return nullptr;
  const auto seen = seeds->find(field_id);
  if (seen != seeds->end()) return &seen->second;
  // Files of 2.0 map nested fields, too, but nothing has a seed of them.
  const format::FieldNode* field = dataset_->FindField(field_id);
  if (field == nullptr || field->kind != format::FieldKind::kLeaf) return nullptr;
  ARROW_ASSIGN_OR_RAISE(const auto file, fragment->FileOf(field_id));
  if (file == nullptr) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto seed,
                        index::ReadSeed(*file, fragment->fragment(), field_id, field->type, run_));
  if (!seed) return nullptr;
  return &seeds->emplace(field_id, std::move(*seed)).first->second;
}

arrow::Result<std::optional<index::ZoneList>> FragmentPruner::ZonesOf(int32_t field_id,
                                                                      FragmentReader* fragment) {
  std::map<int32_t, index::FragmentZones> seeds;
  std::string index_name;
  ARROW_ASSIGN_OR_RAISE(const index::FragmentZones* zones,
                        ZonesOf(field_id, fragment, &seeds, &index_name));
  return zones == nullptr ? std::nullopt : std::optional(zones->zones);
}

void FragmentPruner::CountLeaf(size_t leaf, const Zones& found,
                               const std::optional<LeafSearch::Answer>& answer,
                               uint64_t physical_rows) {
  LeafCounts& counts = leaf_counts_[leaf];
  counts.is_exact &= answer && answer->is_exact;
  if (answer) {
    counts.index_name = answer->segment->name;
    counts.index_type = LowerIndexTypeName(*answer->segment);
  } else if (found.zones != nullptr && !found.index_name.empty() && counts.index_type.empty()) {
    counts.index_name = found.index_name;
    counts.index_type = "zonemap";
  }
  counts.used_seed |= found.zones != nullptr && found.index_name.empty();
  const auto may_hold = [&](uint64_t begin, uint64_t length) {
    return !answer || answer->rows.may_be_true.Intersects({begin, begin + length});
  };
  if (found.zones == nullptr) {
    for (uint64_t begin = 0; begin < physical_rows; begin += index::kDefaultRowsPerZone) {
      ++counts.zones_total;
      counts.zones_kept += may_hold(begin, index::kDefaultRowsPerZone) ? 1 : 0;
    }
    return;
  }
  const index::ZoneList& zones = found.zones->zones;
  counts.zones_total += zones.size();
  const std::vector<uint8_t> may_match = index::ZonesThatMayMatch(*leaves_[leaf], zones);
  for (size_t i = 0; i < zones.size(); ++i) {
    const bool is_kept = may_match[i] != 0 && may_hold(zones.zone_start(i), zones.zone_length(i));
    counts.zones_kept += is_kept ? 1 : 0;
  }
}

arrow::Result<FragmentPruner::Answers> FragmentPruner::AskIndices(const ZonesByField& zones,
                                                                  const RowRanges& left_by_zones,
                                                                  FragmentReader* fragment) {
  if (!search_ || left_by_zones.empty()) return Answers();
  const uint64_t num_left = left_by_zones.num_rows();
  const bool is_few = rows_left_by_zones_ + num_left <= kRowsWorthNoSearch;
  if (is_few) rows_left_by_zones_ += num_left;
  SystemColumnReader columns(fragment, table::HasStableRowIds(dataset_->manifest()), run_);
  Answers answers(leaves_.size());
  bool is_any_answered = false;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (is_few && zones.at(leaves_[i]->field_id).zones != nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(answers[i], search_->Ask(i, fragment->fragment(), &columns));
    is_any_answered |= answers[i].has_value();
  }
  if (!is_any_answered) answers.clear();
  return answers;
}

arrow::Result<index::PrunedFragment> FragmentPruner::Prune(FragmentReader* fragment) {
  const uint64_t physical_rows = fragment->fragment().physical_rows;
  std::map<int32_t, index::FragmentZones> seeds;  // those this fragment needs
  ZonesByField found;
  for (const index::Predicate* leaf : leaves_) {
    if (found.contains(leaf->field_id)) continue;
    Zones& one = found[leaf->field_id];
    ARROW_ASSIGN_OR_RAISE(one.zones, ZonesOf(leaf->field_id, fragment, &seeds, &one.index_name));
  }
  const auto zones_of = [&](int32_t field_id) {
    const auto place = found.find(field_id);
    return place == found.end() ? nullptr : place->second.zones;
  };
  index::PrunedFragment pruned = pruner_->Prune(physical_rows, zones_of);
  counters_.zones_tested += pruned.zones_tested;
  ARROW_ASSIGN_OR_RAISE(Answers answers, AskIndices(found, pruned.candidates, fragment));
  if (!answers.empty()) {
    pruned = pruner_->Prune(physical_rows, zones_of, [&](size_t leaf) {
      return answers[leaf] ? &answers[leaf]->rows : nullptr;
    });
  }
  if (options_.count_leaves) {
    answers.resize(leaves_.size());
    for (size_t i = 0; i < leaves_.size(); ++i) {
      CountLeaf(i, found.at(leaves_[i]->field_id), answers[i], physical_rows);
    }
  }
  return pruned;
}

}  // namespace lance
