#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset.h"
#include "lance/optimize.h"

namespace lance {

/// How ordinary compaction makes new files from old ones.
enum class CompactionMode {
  kReencode,         ///< Read the rows and write them again.
  kTryBinaryCopy,    ///< Copy pages as they are where that is possible, else write rows again.
  kForceBinaryCopy,  ///< Copy pages as they are, or fail.
};

/// The published name: "reencode", "try_binary_copy", "force_binary_copy".
std::string ToString(CompactionMode mode);

/// Options of ordinary compaction, which keeps the order of rows. A plain value; names and defaults
/// of pylance. Source: table-format 10.1.
///
/// What is unset comes from the table's `lance.compaction.*` config, else from the defaults.
struct CompactionOptions {
  /// Rows that a fragment should have; smaller ones are merged with neighbours. Default 1,048,576.
  std::optional<uint64_t> target_rows_per_fragment;
  /// Soft upper bound of a data file's size. Default 90 GiB.
  std::optional<uint64_t> max_bytes_per_file;
  /// How much to rewrite in this call; tasks are taken in order while they fit.
  SourceBudget budget;
  /// Default kReencode.
  std::optional<CompactionMode> compaction_mode;
  /// Rewrite fragments of which many rows are deleted, whatever their size. Default true.
  std::optional<bool> materialize_deletions;
  /// How many is many: a share of the rows, which must be exceeded; 1 or more: never. Default 0.1.
  std::optional<double> materialize_deletions_threshold;
  /// Leave indices as they are and record where the rows went: faster now, slower to read until
  /// OptimizeIndices catches up. NotImplemented on tables with stable row ids. Default false.
  std::optional<bool> defer_index_remap;
  /// Most rows that are read at once. Default 8,192.
  std::optional<uint64_t> batch_size;
  /// Most bytes that are read at once when pages are copied. Default 16 MiB.
  std::optional<uint64_t> binary_copy_read_batch_bytes;
  /// Fragments that stay as they are, and keep their neighbours apart. Unknown ids are ignored.
  std::vector<uint64_t> excluded_fragment_ids;
  /// Version of the new data files; "": the table's. Another one is NotImplemented: tables with
  /// files of several versions are not read.
  std::string data_storage_version;
  /// How to commit.
  CommitOptions commit;
};

/// What one task replaces by what. A plain value; names of pylance.
struct CompactionMetrics {
  /// Fragments that go.
  uint64_t fragments_removed = 0;
  /// Fragments that come.
  uint64_t fragments_added = 0;
  /// Data files and deletion files that go.
  uint64_t files_removed = 0;
  /// Data files that come.
  uint64_t files_added = 0;
};

/// One compaction task, executed but not committed. Immutable.
class RewriteResult {
 public:
  /// The version that it read.
  uint64_t read_version() const;
  /// What it would change.
  CompactionMetrics metrics() const;
  /// Whether its commit leaves indices as they are.
  bool defers_index_remap() const;
  /// The fragments to replace.
  const std::vector<FragmentMetadata>& original_fragments() const;
  /// The new fragments, not yet numbered.
  const std::vector<FragmentMetadata>& new_fragments() const;

  /// A tagged, versioned envelope for another process.
  arrow::Result<std::string> Serialize() const;
  /// The inverse. \return SerializationError saying what is wrong
  static arrow::Result<RewriteResult> Parse(std::string_view bytes);

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit RewriteResult(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Neighbouring fragments to merge, or one to clean of deleted rows. Complete in itself. Immutable.
class CompactionTask {
 public:
  /// The version that was planned on.
  uint64_t read_version() const;
  /// Fragments to replace, in manifest order.
  const std::vector<FragmentMetadata>& fragments() const;

  /// Read the live rows in their order and write them; commits nothing.
  ///
  /// \param dataset any handle of the table: the plan's version is checked out
  /// \return Invalid when a source is not what the plan saw; NotImplemented when pages must be
  ///   copied and cannot be
  arrow::Result<RewriteResult> Execute(const Dataset& dataset, const CallOptions& call = {}) const;

  /// A tagged, versioned envelope for another process.
  arrow::Result<std::string> Serialize() const;
  /// The inverse. \return SerializationError saying what is wrong
  static arrow::Result<CompactionTask> Parse(std::string_view bytes);

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit CompactionTask(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// What to rewrite. Immutable; a pure function of version and options.
class CompactionPlan {
 public:
  /// The version it was made for.
  uint64_t read_version() const;
  /// Tasks in manifest order; none when nothing is worth one. They are independent of each other.
  const std::vector<CompactionTask>& tasks() const;
  /// All tasks together.
  CompactionSize totals() const;
  /// What the budget left out.
  CompactionSize remaining() const;
  /// The budget that ended planning early.
  const std::optional<CompactionStop>& stopped_by() const;
  /// The options in force.
  const CompactionOptions& options() const;

  /// A tagged, versioned envelope for another process.
  arrow::Result<std::string> Serialize() const;
  /// The inverse. \return SerializationError saying what is wrong
  static arrow::Result<CompactionPlan> Parse(std::string_view bytes);

  /// The inside; for the library only.
  struct Impl;
  /// Wrap an inside; for the library only.
  explicit CompactionPlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Plan ordinary compaction. Reads no rows. Source: table-format 10.2.
arrow::Result<CompactionPlan> PlanCompaction(const Dataset& dataset,
                                             const CompactionOptions& options = {},
                                             const CallOptions& call = {});

/// Commit results of one plan, all or some. Source: table-format 10.4.
///
/// Every output file is opened and its rows and schema checked before anything changes. Results
/// whose sources met another commit are left out and counted; when all did, AlreadyExists +
/// CommitConflict. Files of results that did not land stay: only who made them knows whether they
/// landed before.
arrow::Result<CompactionResult> CommitCompaction(const Dataset& dataset,
                                                 const std::vector<RewriteResult>& results,
                                                 const CommitOptions& commit = {},
                                                 const CallOptions& call = {});

/// A request of either kind.
using CompactionRequest = std::variant<CompactionOptions, ClusteringCompactionOptions>;

/// Read a request from the flat keys of docs/guide/json.md "clustering_plan". Without
/// `compaction_mode` it is one for clustering on a declared table, else an ordinary one.
///
/// \return Invalid naming a key that is unknown, does not fit the mode, or has a wrong value
arrow::Result<CompactionRequest> ParseCompactionRequest(const Dataset& dataset,
                                                        std::string_view json);

/// Plan, execute and commit. A call that finds nothing to do creates no version.
///
/// After a conflict with another commit it plans again, as often as the commit options say.
arrow::Result<CompactionResult> Compact(const Dataset& dataset, const CompactionRequest& request,
                                        const CallOptions& call = {});

/// A plan; docs/guide/json.md "compaction_plan".
std::string ToJson(const CompactionPlan& plan);

}  // namespace lance
