#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/optimize.h"
#include "lance/table/clustering_metadata.h"

namespace lance {

/// A rewrite whose files are there, ready to be committed. What it points to outlives the commit.
struct ExecutedRewrite {
  std::string name;                                       // for messages: "task 3"
  const std::vector<table::Fragment>* sources = nullptr;  // descriptors of the version it read
  const std::vector<table::Fragment>* outputs = nullptr;  // ids still 0
  uint64_t rows_out = 0;
  uint64_t source_bytes = 0;
  uint64_t files_removed = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  std::string group_id;  // of a clustering rewrite
  /// Of a clustering rewrite: where each live row of the sources, in their order, is among all new
  /// rows; null: nobody kept it, and indices cannot follow.
  std::shared_ptr<const std::vector<uint32_t>> places;
};

/// What is common to rewrites that are committed together.
struct RewriteCommit {
  uint64_t read_version = 0;
  /// The layout that the outputs are stamped with; no value: rows kept their order, no stamp.
  std::optional<table::LayoutDefinition> layout;
  CommitOptions options;
  /// Leave the addresses in indices as they are and record where the rows went (table-format 10.5).
  bool defers_index_remap = false;
  /// Delete the files of rewrites that cannot land. Only for files that were made for this commit:
  /// a result that comes from elsewhere may have been committed before.
  bool owns_outputs = false;
};

/// Commit rewrites as one Rewrite with a group for each (table-format 5.5, 10.4).
///
/// Every output file is opened and its rows and schema checked before anything changes. Fragment
/// ids are reserved in a commit of its own. Rewrites whose sources met another commit are left out;
/// when all did, AlreadyExists + CommitConflict.
///
/// \param result counts what was committed, and rewrites that met another commit
/// \return the version that holds them
arrow::Result<Dataset> CommitRewrites(const Dataset& dataset, const RewriteCommit& commit,
                                      std::vector<ExecutedRewrite> rewrites, const RunContext& run,
                                      CompactionResult* result);

/// The version that a plan read, whatever handle the caller has.
arrow::Result<Dataset> CheckOutPlanned(const Dataset& dataset, uint64_t read_version,
                                       const CallOptions& call);

/// Check that a version has fragments exactly as a plan saw them: a difference is an error, not a
/// guess (contract section 6 "Execute").
///
/// \param name of the task, for messages
arrow::Status CheckSources(const std::vector<table::Fragment>& sources, const std::string& name,
                           const table::Manifest& manifest);

}  // namespace lance
