#include "lance/dataset/rewrite_commit.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/index_refresh.h"
#include "lance/index/index_type.h"
#include "lance/index/zonemap.h"
#include "lance/table/index_rows.h"

namespace lance {

namespace {

/// The sources are those of the version that was read, and no row was lost or invented.
arrow::Status CheckRows(const ExecutedRewrite& rewrite, const Dataset::Impl& snapshot) {
  ARROW_RETURN_NOT_OK(CheckSources(*rewrite.sources, rewrite.name, snapshot.manifest()));
  const uint64_t live_rows = table::CountLiveRows(*rewrite.sources);
  if (rewrite.rows_out == live_rows) return arrow::Status::OK();
  return arrow::Status::Invalid(rewrite.name, " wrote ", rewrite.rows_out,
                                " rows, its sources have ", live_rows, " live rows");
}

/// Open an output file: it is there, has its size, and its footer says these rows and columns.
arrow::Status CheckOutput(const ExecutedRewrite& rewrite, const table::Fragment& fragment,
                          const Dataset::Impl& snapshot, const RunContext& run) {
  if (fragment.files.size() != 1 || fragment.deletion_file) {
    return arrow::Status::Invalid(
        "a new fragment of ", rewrite.name, " has ", fragment.files.size(), " data files",
        fragment.deletion_file ? " and a deletion file" : "", "; allowed: one data file");
  }
  const std::string path = "data/" + fragment.files.front().path;
  ARROW_ASSIGN_OR_RAISE(
      const auto file,
      format::DataFileReader::Open(snapshot.store, path, fragment.files.front().size_bytes,
                                   run.stop_token, run.memory_pool));
  if (file->num_rows() != fragment.physical_rows) {
    return arrow::Status::Invalid(path, " has ", file->num_rows(), " rows, its task says ",
                                  fragment.physical_rows);
  }
  ARROW_ASSIGN_OR_RAISE(const auto schema, format::ToArrowSchema(file->schema()));
  if (!schema->Equals(*snapshot.schema, /*check_metadata=*/false)) {
    return arrow::Status::Invalid(path, " has the columns ", schema->ToString(), ", the table has ",
                                  snapshot.schema->ToString());
  }
  return arrow::Status::OK();
}

arrow::Status CheckOutputs(const ExecutedRewrite& rewrite, const Dataset::Impl& snapshot,
                           const RunContext& run) {
  uint64_t rows = 0;
  for (const table::Fragment& fragment : *rewrite.outputs) {
    rows += fragment.physical_rows;
    ARROW_RETURN_NOT_OK(CheckOutput(rewrite, fragment, snapshot, run));
  }
  if (rows == rewrite.rows_out) return arrow::Status::OK();
  return arrow::Status::Invalid("the files of ", rewrite.name, " hold ", rows,
                                " rows, the result says ", rewrite.rows_out);
}

/// Split off what met another commit: a source that is gone or not what it was.
std::vector<ExecutedRewrite> TakeConflicted(const table::Manifest& latest,
                                            std::vector<ExecutedRewrite>* rewrites) {
  std::vector<ExecutedRewrite> conflicted;
  std::erase_if(*rewrites, [&](const ExecutedRewrite& one) {
    const bool is_untouched =
        std::all_of(one.sources->begin(), one.sources->end(), [&](const auto& source) {
          const table::Fragment* fragment = latest.FindFragment(source.id);
          return fragment != nullptr && *fragment == source;
        });
    if (!is_untouched) conflicted.push_back(one);
    return !is_untouched;
  });
  return conflicted;
}

void DropOutputs(const RewriteCommit& job, const Dataset::Impl& dataset,
                 const std::vector<ExecutedRewrite>& rewrites) {
  if (!job.owns_outputs) return;
  for (const ExecutedRewrite& one : rewrites) DeleteDataFiles(*dataset.store, *one.outputs);
}

uint64_t CountOutputs(const std::vector<ExecutedRewrite>& rewrites) {
  uint64_t num_fragments = 0;
  for (const ExecutedRewrite& one : rewrites) num_fragments += one.outputs->size();
  return num_fragments;
}

/// Reserve ids for all new fragments in a commit of its own. \return the first of them
arrow::Result<uint64_t> ReserveFragmentIds(const Dataset& dataset, uint32_t num_fragments,
                                           const CommitOptions& options, const RunContext& run,
                                           CompactionResult* result) {
  if (num_fragments == 0) return 0;  // no live row was left
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(
      dataset.version(), table::ReserveFragments{.num_fragments = num_fragments}, options, run);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  ARROW_ASSIGN_OR_RAISE(const table::LoadedManifest reserved,
                        table::Commit(dataset.impl().manifests(), std::move(commit), run));
  result->versions.push_back(reserved.manifest.version);
  CleanUpAfterCommit(dataset.impl(), reserved.manifest, run);
  return uint64_t{*reserved.manifest.max_fragment_id} - num_fragments + 1;
}

/// One Rewrite with a group for each, new fragments under their reserved ids.
table::CommitRequest MakeRewrite(const RewriteCommit& job,
                                 const std::vector<ExecutedRewrite>& rewrites, uint64_t first_id,
                                 const RunContext& run) {
  table::Rewrite rewrite;
  table::CommitRequest commit;
  for (const ExecutedRewrite& one : rewrites) {
    table::RewriteGroup group{.old_fragments = *one.sources, .new_fragments = *one.outputs};
    for (table::Fragment& fragment : group.new_fragments) fragment.id = first_id++;
    rewrite.groups.push_back(std::move(group));
    if (job.layout) commit.clustering.stamp_group_ids.push_back(one.group_id);
  }
  commit.clustering.define = job.layout;
  commit.transaction = MakeTransaction(job.read_version, std::move(rewrite), job.options, run);
  return commit;
}

void Count(const std::vector<ExecutedRewrite>& rewrites, CompactionResult* result) {
  for (const ExecutedRewrite& one : rewrites) {
    result->tasks_committed += 1;
    result->fragments_removed += one.sources->size();
    result->fragments_added += one.outputs->size();
    result->files_removed += one.files_removed;
    result->files_added += one.outputs->size();
    result->rows_rewritten += one.rows_out;
    result->bytes_read += one.bytes_read;
    result->bytes_written += one.bytes_written;
    result->reclaimable_bytes += one.source_bytes;
  }
}

arrow::Status AllConflicted(const table::Manifest& latest) {
  return WithDetail(
      arrow::Status::AlreadyExists("every task met another commit on its source fragments up to "
                                   "version ",
                                   latest.version, "; plan again"),
      std::make_shared<CommitConflict>(latest.version, "Rewrite", true));
}

/// Indices that do not answer for the new fragments: all but those that move along, and the key
/// columns' zonemaps, which a clustering run refreshes.
void NoteUncovered(const table::Manifest& manifest, const RewriteCommit& job,
                   uint64_t new_fragments, CompactionResult* result) {
  const auto is_refreshed = [&](const table::IndexMetadata& segment) {
    return job.layout && index::IsZonemap(segment) && !segment.field_ids.empty() &&
           std::find(job.layout->field_ids.begin(), job.layout->field_ids.end(),
                     segment.field_ids.front()) != job.layout->field_ids.end();
  };
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsSystemIndex(segment) || is_refreshed(segment)) continue;
    if (table::StoresStableRowIds(segment, manifest)) continue;
    const bool is_listed =
        std::any_of(result->uncovered_indices.begin(), result->uncovered_indices.end(),
                    [&](const UncoveredIndex& listed) { return listed.name == segment.name; });
    if (is_listed) continue;
    result->uncovered_indices.push_back(
        {.name = segment.name,
         .type = index::IndexTypeName(segment),
         .fragments = new_fragments,
         .refresh = IsBuiltHere(segment)
                        ? "index optimize (OptimizeIndices) mends it; until then seeds or full "
                          "reads stand in"
                        : "not in this version; the new fragments are read in full"});
  }
}

arrow::Status CheckRewrites(const std::vector<ExecutedRewrite>& rewrites,
                            const Dataset::Impl& snapshot, const RunContext& run) {
  for (const ExecutedRewrite& one : rewrites) {
    ARROW_RETURN_NOT_OK(CheckRows(one, snapshot));
    ARROW_RETURN_NOT_OK(CheckOutputs(one, snapshot, run));
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<Dataset> CheckOutPlanned(const Dataset& dataset, uint64_t read_version,
                                       const CallOptions& call) {
  if (dataset.version() == read_version) return dataset;
  return dataset.Checkout(Ref::Version(read_version), call);
}

arrow::Status CheckSources(const std::vector<table::Fragment>& sources, const std::string& name,
                           const table::Manifest& manifest) {
  if (sources.empty()) return arrow::Status::Invalid(name, " has no source fragments");
  for (const table::Fragment& source : sources) {
    const table::Fragment* fragment = manifest.FindFragment(source.id);
    if (fragment == nullptr || *fragment != source) {
      return arrow::Status::Invalid("fragment ", source.id, " of version ", manifest.version,
                                    " is not what ", name, " was planned for");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<Dataset> CommitRewrites(const Dataset& dataset, const RewriteCommit& job,
                                      std::vector<ExecutedRewrite> rewrites, const RunContext& run,
                                      CompactionResult* result) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_ASSIGN_OR_RAISE(const Dataset snapshot, CheckOutPlanned(dataset, job.read_version, {}));
  ARROW_RETURN_NOT_OK(CheckRewrites(rewrites, snapshot.impl(), run));
  uint64_t first_id = 0;
  for (bool is_reserved = false;; is_reserved = true) {
    ARROW_ASSIGN_OR_RAISE(const Dataset latest, dataset.Checkout());
    const auto conflicted = TakeConflicted(latest.impl().manifest(), &rewrites);
    DropOutputs(job, impl, conflicted);
    result->tasks_conflicted += conflicted.size();
    if (rewrites.empty()) return AllConflicted(latest.impl().manifest());
    if (!is_reserved) {
      ARROW_ASSIGN_OR_RAISE(
          first_id, ReserveFragmentIds(latest, static_cast<uint32_t>(CountOutputs(rewrites)),
                                       job.options, run, result));
    }
    table::CommitRequest commit = MakeRewrite(job, rewrites, first_id, run);
    ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(job.options));
    auto committed = impl.Commit(std::move(commit), run);
    if (committed.ok()) {
      result->versions.push_back(committed->version());
      Count(rewrites, result);
      NoteUncovered(committed->impl().manifest(), job, CountOutputs(rewrites), result);
      return committed;
    }
    const auto* conflict = CommitConflict::From(committed.status());
    if (conflict == nullptr) return committed.status();
    // Whoever was in the way may have touched some of the tasks only.
    ARROW_ASSIGN_OR_RAISE(const Dataset newest, dataset.Checkout());
    auto untouched = rewrites;
    const size_t num_touched = TakeConflicted(newest.impl().manifest(), &untouched).size();
    if (!conflict->retryable() || num_touched == 0) {
      result->tasks_conflicted += rewrites.size();
      DropOutputs(job, impl, rewrites);
      return committed.status();
    }
  }
}

}  // namespace lance
