#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lance/clustering/planner.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/optimize.h"
#include "lance/table/clustering_metadata.h"

namespace lance {

/// One task as the planner made it, complete in itself.
struct ClusteringCompactionTask::Impl {
  std::string plan_id;
  uint32_t task_id = 0;
  uint64_t read_version = 0;
  std::vector<table::Fragment> sources;  // descriptors of the read version, in manifest order
  std::vector<uint64_t> source_fragment_ids;
  uint64_t source_rows = 0;
  uint64_t source_bytes = 0;
  std::string reason;
  ClusteringSpec spec;
  table::LayoutDefinition layout;
  uint64_t target_rows_per_fragment = 0;
  uint64_t max_bytes_per_file = 0;
  std::optional<uint64_t> rows_per_zone;  // of zonemaps that the run creates
};

/// One executed task.
struct ClusteringRewriteResult::Impl {
  std::string plan_id;
  uint32_t task_id = 0;
  uint64_t rows_in = 0;
  uint64_t rows_out = 0;
  std::string group_id;
  std::vector<table::Fragment> fragments;  // ids still 0
  std::vector<FragmentMetadata> new_fragments;
  /// As in ExecutedRewrite: for indices that name rows by address, 4 bytes a row; null: the version
  /// that it read has none.
  std::shared_ptr<const std::vector<uint32_t>> places;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

/// One plan.
struct ClusteringCompactionPlan::Impl {
  std::string plan_id;
  std::string table_uri;
  uint64_t read_version = 0;
  ClusteringSpec spec;
  table::LayoutDefinition layout;
  ClusteringCompactionOptions options;  // as resolved
  std::vector<ClusteringCompactionTask> tasks;
  CompactionSize totals;
  CompactionSize remaining;
  std::optional<CompactionStop> stopped_by;
  std::vector<LeftOutFragment> left_out;
  std::vector<ZonemapOutcome> zonemaps;
};

/// Default file size bound of a writer (table-format 10.1).
inline constexpr uint64_t kDefaultMaxBytesPerFile = 90ull << 30;

/// Rows of a new fragment when nobody says (table-format 10.1).
inline constexpr uint64_t kDefaultTargetRowsPerFragment = 1ull << 20;

/// Check that an option is not 0. \return Invalid naming it
arrow::Status CheckNotZero(const std::optional<uint64_t>& value, const char* name);

/// Take an unset option from the table's `lance.compaction.*` config.
///
/// \return Invalid naming a key whose value is malformed or 0
arrow::Status TakeFromConfig(const table::Manifest& manifest, const char* name,
                             std::optional<uint64_t>* option);

/// Check options by themselves. \return Invalid naming option, value and what is allowed
arrow::Status CheckCompactionOptions(const ClusteringCompactionOptions& options);

/// Fill in what is unset from the table's `lance.compaction.*` config, then from the defaults.
///
/// \return Invalid naming a config key whose value is malformed or 0
arrow::Result<ClusteringCompactionOptions> ResolveCompactionOptions(
    const ClusteringCompactionOptions& options, const table::Manifest& manifest);

/// What the planner sees of a version, and what is left out of it.
struct PlannerInput {
  std::vector<clustering::PlannerFragment> fragments;
  std::vector<LeftOutFragment> left_out;
};

/// Describe a version's fragments to the planner. Pure.
///
/// \return Invalid naming a fragment of which rows or bytes are not known
arrow::Result<PlannerInput> DescribeForPlanner(const table::Manifest& manifest,
                                               const IndexCoverage& coverage, bool take_over);

/// The same, with coverage as it is now.
arrow::Result<PlannerInput> DescribeForPlanner(const Dataset::Impl& dataset, bool take_over,
                                               const RunContext& run);

/// Check that no index would lose coverage by the tasks of a plan, as IndexPolicy::kStrict asks.
///
/// \return Invalid naming an index and the ways out
arrow::Status CheckNothingUncovered(const ClusteringCompactionPlan::Impl& plan,
                                    const table::Manifest& manifest,
                                    const IndexCoverage& coverage);

/// Rows that a plan without budgets would rewrite.
CompactionSize RewritableSize(const std::vector<clustering::PlannerFragment>& fragments,
                              const ClusteringCompactionOptions& resolved);

/// The tasks of a plan that bring the table nearer to its layout (clustering::MakesProgress).
arrow::Result<std::vector<ClusteringCompactionTask>> ProgressingTasks(
    const ClusteringCompactionPlan& plan, const Dataset::Impl& dataset, const RunContext& run);

/// Commit results as one Rewrite, without the zonemap step.
///
/// \param owns_outputs as in RewriteCommit
/// \param result counts what was committed, and tasks whose sources met another commit
/// \return the version that holds them; see CommitClusteringCompaction for failures
arrow::Result<Dataset> CommitResults(const Dataset& dataset, const ClusteringCompactionPlan& plan,
                                     const std::vector<ClusteringRewriteResult>& results,
                                     bool owns_outputs, const RunContext& run,
                                     CompactionResult* result);

/// Refresh the zonemaps of the key columns and note the outcome; failure does not undo anything.
Dataset FinishWithZonemaps(Dataset dataset, const ClusteringSpec& spec,
                           const ClusteringCompactionOptions& options, const RunContext& run,
                           CompactionResult* result);

}  // namespace lance
