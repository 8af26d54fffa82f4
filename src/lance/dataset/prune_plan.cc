#include "lance/dataset/prune_plan.h"

#include <set>
#include <utility>

#include "lance/base/checked_math.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/seed.h"

namespace lance {

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
  if (options.use_zonemaps) ARROW_RETURN_NOT_OK(pruner.LoadSegments(*pruner.dataset_));
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

void FragmentPruner::CountLeaf(size_t leaf, const index::FragmentZones* zones,
                               const std::string& index_name, uint64_t physical_rows) {
  LeafCounts& counts = leaf_counts_[leaf];
  if (zones == nullptr) {
    const uint64_t unknown = CeilDiv(physical_rows, index::kDefaultRowsPerZone);
    counts.zones_kept += unknown;
    counts.zones_total += unknown;
    return;
  }
  counts.used_seed |= index_name.empty();
  if (!index_name.empty()) counts.index_name = index_name;
  counts.zones_total += zones->zones.size();
  for (const index::Zone& zone : zones->zones) {
    counts.zones_kept += index::ZoneMayMatch(*leaves_[leaf], zone) ? 1 : 0;
  }
}

arrow::Result<index::PrunedFragment> FragmentPruner::Prune(FragmentReader* fragment) {
  const uint64_t physical_rows = fragment->fragment().physical_rows;
  struct Found {
    const index::FragmentZones* zones;
    std::string index_name;  // "": a seed
  };
  std::map<int32_t, index::FragmentZones> seeds;  // those this fragment needs
  std::map<int32_t, Found> found;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const int32_t field_id = leaves_[i]->field_id;
    if (!found.contains(field_id)) {
      Found& one = found[field_id];
      ARROW_ASSIGN_OR_RAISE(one.zones, ZonesOf(field_id, fragment, &seeds, &one.index_name));
    }
    if (options_.count_leaves) {
      CountLeaf(i, found[field_id].zones, found[field_id].index_name, physical_rows);
    }
  }
  auto pruned = pruner_->Prune(physical_rows, [&](int32_t field_id) {
    const auto place = found.find(field_id);
    return place == found.end() ? nullptr : place->second.zones;
  });
  counters_.zones_tested += pruned.zones_tested;
  return pruned;
}

}  // namespace lance
