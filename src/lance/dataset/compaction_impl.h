#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lance/compaction.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/rewrite_commit.h"
#include "lance/format/file_version.h"

namespace lance {

/// Ordinary compaction with every option decided. A plain value.
struct ResolvedCompaction {
  uint64_t target_rows_per_fragment = 0;
  uint64_t max_bytes_per_file = 0;
  SourceBudget budget;
  CompactionMode mode = CompactionMode::kReencode;
  bool materialize_deletions = true;
  double materialize_deletions_threshold = 0;
  bool defer_index_remap = false;
  uint64_t batch_size = 0;
  uint64_t copy_batch_bytes = 0;
  std::vector<uint64_t> excluded_fragment_ids;
  format::FileVersion version = format::kDefaultFileVersion;
};

/// Check options by themselves. \return Invalid naming option, value and what is allowed;
///   NotImplemented for what this version has not
arrow::Status CheckCompactionOptions(const CompactionOptions& options);

/// Check that indices may be left as they are.
///
/// \return NotImplemented on tables with stable row ids
arrow::Status CheckDeferrable(bool defer_index_remap, const table::Manifest& manifest);

/// Fill in what is unset from the table's config, then from the defaults.
///
/// \return Invalid naming a config key whose value is malformed
arrow::Result<ResolvedCompaction> ResolveCompaction(const CompactionOptions& options,
                                                    const table::Manifest& manifest);

/// The same as options, all of them set.
CompactionOptions AsOptions(const ResolvedCompaction& resolved);

/// The options as JSON with flat keys.
std::string OptionsToJson(const CompactionOptions& options);

/// The inverse of OptionsToJson; absent keys and nulls are unset. \return Invalid naming the key
arrow::Result<CompactionOptions> OptionsFromJson(std::string_view json);

/// What the planner sees of a fragment. A plain value.
struct CompactionCandidate {
  uint64_t id = 0;
  uint64_t physical_rows = 0;
  uint64_t live_rows = 0;
  uint64_t size_bytes = 0;         // of its data files
  std::vector<size_t> covered_by;  // index segments, ascending
  /// An index of a type that nobody here knows answers for it, by address.
  bool is_held_back = false;
};

/// Tasks, each a run of neighbours by their places among the candidates, and what ended planning.
struct PlannedCompaction {
  std::vector<std::vector<size_t>> tasks;
  std::optional<CompactionStop> stopped_by;
};

/// Group fragments (table-format 10.2). Pure.
PlannedCompaction GroupFragments(const std::vector<CompactionCandidate>& fragments,
                                 const ResolvedCompaction& options);

/// One task, complete in itself.
struct CompactionTask::Impl {
  uint64_t read_version = 0;
  std::vector<table::Fragment> sources;  // descriptors of the read version, in manifest order
  std::vector<FragmentMetadata> fragments;
  ResolvedCompaction options;
};

/// One executed task.
struct RewriteResult::Impl {
  uint64_t read_version = 0;
  std::vector<table::Fragment> sources;
  std::vector<table::Fragment> outputs;  // ids still 0
  std::vector<FragmentMetadata> original_fragments;
  std::vector<FragmentMetadata> new_fragments;
  uint64_t rows_out = 0;
  uint64_t bytes_read = 0;
  CompactionMode mode = CompactionMode::kReencode;
  bool defers_index_remap = false;
};

/// One plan.
struct CompactionPlan::Impl {
  uint64_t read_version = 0;
  ResolvedCompaction resolved;
  CompactionOptions options;
  std::vector<CompactionTask> tasks;
  CompactionSize totals;
  CompactionSize remaining;
  std::optional<CompactionStop> stopped_by;
};

/// Wrap a task.
CompactionTask MakeCompactionTask(uint64_t read_version, std::vector<table::Fragment> sources,
                                  ResolvedCompaction options);

/// Show the fragments of a result, and wrap it.
RewriteResult MakeRewriteResult(RewriteResult::Impl impl);

/// Delete the files of a result that is not committed.
void DiscardResult(const Dataset& dataset, const RewriteResult& result);

}  // namespace lance
