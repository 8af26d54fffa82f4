#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/encoder.h"

namespace lance {

/// Hard upper bounds for the source rows that one call rewrites; 0 is Invalid, no value is none.
struct SourceBudget {
  /// Fragments.
  std::optional<uint64_t> max_source_fragments;
  /// Live rows.
  std::optional<uint64_t> max_source_rows;
  /// Bytes of data files.
  std::optional<uint64_t> max_source_bytes;
};

/// What a clustering run does about indices that cannot follow rows to their new places.
enum class IndexPolicy {
  kKeep,    ///< They lose the new fragments, which are then read in full; the result names them.
  kStrict,  ///< The run is refused before any work.
};

/// Options of clustering maintenance. A plain value. Source: contract section 6 "Options".
///
/// Unset target_rows_per_fragment, max_bytes_per_file and budgets come from the table's
/// `lance.compaction.*` config, else 1,048,576 rows and no budget.
struct ClusteringCompactionOptions {
  /// Rows of one new fragment.
  std::optional<uint64_t> target_rows_per_fragment;
  /// How large a sorted group may grow; no value: the larger of 32 x target_rows_per_fragment and a
  /// quarter of the table's live rows.
  std::optional<uint64_t> target_rows_per_group;
  /// Soft upper bound of a data file's size.
  std::optional<uint64_t> max_bytes_per_file;
  /// How much to rewrite in this call.
  SourceBudget budget;
  /// A sorted group is rewritten only for so much new data, as a share of its rows; 0 or more.
  double min_merge_ratio = 0.25;
  /// Rewrite every fragment.
  bool full = false;
  /// Also rewrite fragments that another provider stamped.
  bool take_over = false;
  /// What to do about indices that cannot follow.
  IndexPolicy index_policy = IndexPolicy::kKeep;
  /// Rows per zone of zonemaps that the call creates; no value: 8,192.
  std::optional<uint64_t> rows_per_zone;
  /// How to commit.
  CommitOptions commit;
};

/// An amount of work. A plain value.
struct CompactionSize {
  /// Fragments.
  uint64_t fragments = 0;
  /// Live rows.
  uint64_t rows = 0;
  /// Bytes of data files.
  uint64_t bytes = 0;
};

/// The budget that ended planning early. A plain value.
struct CompactionStop {
  /// Name of the option.
  std::string budget;
  /// What it allows.
  uint64_t allowed = 0;
  /// What the next fragment would have needed.
  uint64_t needed = 0;
  /// Which fragment that is.
  uint64_t next_fragment_id = 0;
};

/// A fragment that maintenance leaves alone. A plain value.
struct LeftOutFragment {
  /// Which fragment.
  uint64_t fragment_id = 0;
  /// "other_provider" or "unknown_index".
  std::string reason;
  /// Who or what holds it back.
  std::string detail;
};

/// What the call did to one zonemap. A plain value.
struct ZonemapOutcome {
  /// The key column.
  std::string column;
  /// "create", "extend" or "none".
  std::string action;
  /// Fragments that it covers now.
  uint64_t covered_fragments = 0;
  /// Why it could not be refreshed; no value: it was.
  std::optional<std::string> error;
};

/// An index that the rewrite left without the new fragments. A plain value.
struct UncoveredIndex {
  /// Its name.
  std::string name;
  /// Its type.
  std::string type;
  /// Fragments that it does not answer for.
  uint64_t fragments = 0;
  /// How to bring it up to date.
  std::string refresh;
};

/// What maintenance did. A plain value. Fields: docs/guide/json.md.
struct CompactionResult {
  /// The newest version; the same as before when nothing was committed.
  Dataset dataset;
  /// "cluster", or the CompactionMode of an ordinary compaction.
  std::string mode = "cluster";
  /// The last version committed; no value: nothing was.
  std::optional<uint64_t> version;
  /// All versions committed, ascending.
  std::vector<uint64_t> versions;
  /// Fragments that were replaced.
  uint64_t fragments_removed = 0;
  /// Fragments that replaced them.
  uint64_t fragments_added = 0;
  /// Data files that were replaced; with an ordinary compaction deletion files, too.
  uint64_t files_removed = 0;
  /// Data files that replaced them.
  uint64_t files_added = 0;
  /// Live rows rewritten.
  uint64_t rows_rewritten = 0;
  /// Bytes read from storage.
  uint64_t bytes_read = 0;
  /// Bytes of data files written.
  uint64_t bytes_written = 0;
  /// Wall time.
  double seconds = 0;
  /// Tasks planned over all passes.
  uint64_t tasks_planned = 0;
  /// Tasks committed.
  uint64_t tasks_committed = 0;
  /// Tasks that met another commit.
  uint64_t tasks_conflicted = 0;
  /// The budget that stopped it; no value: nothing is left that is worth a rewrite.
  std::optional<CompactionStop> stopped_by;
  /// What is still under-clustered or mergeable.
  CompactionSize remaining;
  /// Zonemaps of the key columns.
  std::vector<ZonemapOutcome> zonemaps;
  /// Other indices that lost coverage.
  std::vector<UncoveredIndex> uncovered_indices;
  /// Bytes of data files that no current fragment uses any more because of this call.
  uint64_t reclaimable_bytes = 0;
};

/// One rewrite, executed but not committed. Immutable.
class ClusteringRewriteResult {
 public:
  /// The plan it belongs to.
  const std::string& plan_id() const;
  /// The task it came from.
  uint32_t task_id() const;
  /// Live rows of the sources.
  uint64_t rows_in() const;
  /// Rows written.
  uint64_t rows_out() const;
  /// The new fragments, not yet numbered.
  const std::vector<FragmentMetadata>& new_fragments() const;

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit ClusteringRewriteResult(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// One rewrite to do: sources and layout. Immutable.
class ClusteringCompactionTask {
 public:
  /// The plan it belongs to.
  const std::string& plan_id() const;
  /// Its number in the plan, from 0.
  uint32_t task_id() const;
  /// Fragments to replace, in manifest order.
  const std::vector<uint64_t>& source_fragment_ids() const;
  /// Their live rows.
  uint64_t source_rows() const;
  /// Bytes of their data files.
  uint64_t source_bytes() const;
  /// "stale" or "merge_partial".
  const std::string& reason() const;

  /// Read, sort and write; commits nothing.
  ///
  /// \param dataset any handle of the table: the plan's version is checked out
  /// \return Invalid when a source is not what the plan saw
  arrow::Result<ClusteringRewriteResult> Execute(const Dataset& dataset,
                                                 const CallOptions& call = {}) const;

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit ClusteringCompactionTask(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What to rewrite. Immutable; a pure function of version and options.
class ClusteringCompactionPlan {
 public:
  /// SHA-256 in hex over table, version, declaration and options.
  const std::string& plan_id() const;
  /// The version it was made for.
  uint64_t read_version() const;
  /// The declared layout.
  const ClusteringSpec& spec() const;
  /// Rewrites in manifest order; none when nothing is worth one.
  const std::vector<ClusteringCompactionTask>& tasks() const;
  /// All tasks together.
  CompactionSize totals() const;
  /// What is still under-clustered or mergeable after this plan.
  CompactionSize remaining() const;
  /// The budget that ended planning early.
  const std::optional<CompactionStop>& stopped_by() const;
  /// Fragments left alone, and why.
  const std::vector<LeftOutFragment>& left_out() const;
  /// What would become of the key columns' zonemaps.
  const std::vector<ZonemapOutcome>& zonemaps() const;
  /// The options in force.
  const ClusteringCompactionOptions& options() const;
  /// Where the table lies.
  const std::string& table_uri() const;

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit ClusteringCompactionPlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Plans with options that were checked once. Immutable.
class ClusteringCompactionPlanner {
 public:
  /// Check options. \return Invalid naming the option, its value and what is allowed
  static arrow::Result<ClusteringCompactionPlanner> Make(ClusteringCompactionOptions options = {});
  /// Plan. Reads no data. \return Invalid on an undeclared table, naming the ways on
  arrow::Result<ClusteringCompactionPlan> Plan(const Dataset& dataset,
                                               const CallOptions& call = {}) const;

 private:
  explicit ClusteringCompactionPlanner(ClusteringCompactionOptions options)
      : options_(std::move(options)) {}
  ClusteringCompactionOptions options_;
};

/// Plan in one call.
arrow::Result<ClusteringCompactionPlan> PlanClusteringCompaction(
    const Dataset& dataset, const ClusteringCompactionOptions& options = {},
    const CallOptions& call = {});

/// Commit any subset of a plan's results, then bring the key columns' zonemaps up to date.
///
/// Every output file is opened and its rows and schema checked before anything changes. Results
/// whose sources met another commit are left out and counted; when all did, AlreadyExists +
/// CommitConflict. When only the zonemap step fails the rewrite stands and the result says so.
/// Source: contract section 6 "Commit", "Against other commits".
arrow::Result<CompactionResult> CommitClusteringCompaction(
    const Dataset& dataset, const ClusteringCompactionPlan& plan,
    const std::vector<ClusteringRewriteResult>& results, const CallOptions& call = {});

/// Plan, execute and commit until nothing is worth a rewrite or a budget is spent.
///
/// A call that finds nothing to do and all zonemaps up to date creates no version.
arrow::Result<CompactionResult> CompactFilesWithClustering(
    const Dataset& dataset, const ClusteringCompactionOptions& options = {},
    const CallOptions& call = {});

}  // namespace lance
