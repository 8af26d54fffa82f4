#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/index/predicate.h"
#include "lance/index/prune.h"

namespace lance {

/// Which statistics a scan may use.
struct PruneOptions {
  bool use_zonemaps = true;
  bool use_seeds = true;
  /// Also count what each leaf alone would keep, for explain.
  bool count_leaves = false;
};

/// What pruning did, for statistics and explain.
struct PruneCounters {
  uint64_t indices_loaded = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t zones_tested = 0;
};

/// Prunes the fragments of one version for one predicate. Thread-compatible.
///
/// Zonemaps are loaded when made; a segment that cannot be used is reported as a warning and its
/// fragments are read in full. A fragment that no zonemap covers is pruned by its file's seed.
class FragmentPruner {
 public:
  static arrow::Result<FragmentPruner> Make(std::shared_ptr<const Dataset::Impl> dataset,
                                            std::shared_ptr<ObjectStore> store,
                                            const index::Predicate& predicate,
                                            const PruneOptions& options, const RunContext& run);

  /// Which rows of a fragment may match. Reads the seed when there is nothing better.
  arrow::Result<index::PrunedFragment> Prune(FragmentReader* fragment);

  /// Zones kept by one leaf alone over all fragments pruned so far, by the leaf's place in the
  /// tree.
  struct LeafCounts {
    std::string text;
    std::optional<std::string> index_name;
    bool used_seed = false;
    uint64_t zones_kept = 0;
    uint64_t zones_total = 0;
  };
  const std::vector<LeafCounts>& leaf_counts() const { return leaf_counts_; }
  const PruneCounters& counters() const { return counters_; }

 private:
  struct Segment {
    std::string index_name;
    std::shared_ptr<const index::ZonemapSegment> zones;
  };
  FragmentPruner() = default;

  void CountLeaf(size_t leaf, const index::FragmentZones* zones, const std::string& index_name,
                 uint64_t physical_rows);
  arrow::Status LoadSegments(const Dataset::Impl& dataset);
  arrow::Result<const index::FragmentZones*> ZonesOf(int32_t field_id, FragmentReader* fragment,
                                                     std::map<int32_t, index::FragmentZones>* seeds,
                                                     std::string* index_name);

  std::shared_ptr<const Dataset::Impl> dataset_;
  std::shared_ptr<ObjectStore> store_;
  std::optional<index::Pruner> pruner_;
  PruneOptions options_;
  RunContext run_;
  std::map<int32_t, std::vector<Segment>> segments_;  // by field id
  std::vector<const index::Predicate*> leaves_;
  std::vector<LeafCounts> leaf_counts_;
  PruneCounters counters_;
};

}  // namespace lance
