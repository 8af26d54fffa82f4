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
#include "lance/dataset/leaf_search.h"
#include "lance/index/predicate.h"
#include "lance/index/prune.h"
#include "lance/index/zonemap.h"

namespace lance {

/// Which statistics a scan may use.
struct PruneOptions {
  /// Zonemaps, and indices that name rows.
  bool use_indices = true;
  bool use_seeds = true;
  /// Also count what each leaf alone would keep, for explain.
  bool count_leaves = false;
};

/// What pruning by zones did, for statistics and explain.
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
///
/// Indices that name rows are asked where zones do not answer as well: a column whose zones leave
/// at most 8,192 rows of the fragments so far is not looked up, since a search reads as much.
class FragmentPruner {
 public:
  static arrow::Result<FragmentPruner> Make(std::shared_ptr<const Dataset::Impl> dataset,
                                            std::shared_ptr<ObjectStore> store,
                                            const index::Predicate& predicate,
                                            const PruneOptions& options, const RunContext& run);

  /// The zones of a column that the predicate asks about. Reads the seed when there is nothing
  /// better. \return no value: there are none, or the pruner may not use them
  arrow::Result<std::optional<index::ZoneList>> ZonesOf(int32_t field_id, FragmentReader* fragment);

  /// Which rows of a fragment may match. Reads the seed when there is nothing better.
  arrow::Result<index::PrunedFragment> Prune(FragmentReader* fragment);

  /// Zones kept by one leaf alone over all fragments pruned so far, by the leaf's place in the
  /// tree.
  struct LeafCounts {
    std::string text;
    std::optional<std::string> index_name;
    std::string index_type;  // "zonemap", "btree" ...; "" without an index
    bool used_seed = false;
    /// Whether an exact index answered in every fragment.
    bool is_exact = true;
    uint64_t zones_kept = 0;
    uint64_t zones_total = 0;
  };
  const std::vector<LeafCounts>& leaf_counts() const { return leaf_counts_; }
  const PruneCounters& counters() const { return counters_; }
  /// What indices that name rows cost; null: none was there to ask.
  const SearchCounters* search_counters() const { return search_ ? &search_->counters() : nullptr; }

 private:
  struct Segment {
    std::string index_name;
    std::shared_ptr<const index::ZonemapSegment> zones;
  };
  FragmentPruner() = default;

  /// The zones of one column in the fragment at hand.
  struct Zones {
    const index::FragmentZones* zones = nullptr;
    std::string index_name;  // "": a seed
  };
  using ZonesByField = std::map<int32_t, Zones>;
  using Answers = std::vector<std::optional<LeafSearch::Answer>>;

  void CountLeaf(size_t leaf, const Zones& zones, const std::optional<LeafSearch::Answer>& answer,
                 uint64_t physical_rows);
  /// Ask the indices about the leaves, as far as it is worth it.
  ///
  /// \return by leaf; empty: none answers
  arrow::Result<Answers> AskIndices(const ZonesByField& zones, const RowRanges& left_by_zones,
                                    FragmentReader* fragment);
  arrow::Status LoadSegments(const Dataset::Impl& dataset);
  arrow::Status PrepareSearch(bool asks_false);
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
  std::optional<LeafSearch> search_;  // no value: no index that names rows
  uint64_t rows_left_by_zones_ = 0;   // of columns that were not looked up for it
  std::vector<LeafCounts> leaf_counts_;
  PruneCounters counters_;
};

}  // namespace lance
