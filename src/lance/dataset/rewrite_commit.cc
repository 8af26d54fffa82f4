#include "lance/dataset/rewrite_commit.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/rewrite_indices.h"
#include "lance/table/fragment_reuse.h"

namespace lance {

namespace {

constexpr int kMaxRecords = 20;  // made anew in one commit, because others recorded something

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
                                 const RewrittenIndices& indices, const RunContext& run) {
  table::Rewrite rewrite;
  indices.AddTo(&rewrite);
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

RoaringBitmap NewIds(const std::vector<ExecutedRewrite>& rewrites, uint64_t first_id) {
  RoaringBitmap ids;
  ids.AddRange(first_id, first_id + CountOutputs(rewrites));
  return ids;
}

bool TouchesSome(const table::Manifest& newest, std::vector<ExecutedRewrite> rewrites) {
  return !TakeConflicted(newest, &rewrites).empty();
}

/// Whether another rewrite has recorded itself meanwhile: a record of ours is then made anew.
bool HasOtherRecord(const Dataset& before, const Dataset& after) {
  const auto uuid = [](const Dataset& dataset) -> std::optional<Uuid> {
    const auto* entry = table::FindFragmentReuse(dataset.impl().manifest().indices);
    return entry == nullptr ? std::nullopt : std::optional(entry->uuid);
  };
  return uuid(before) != uuid(after);
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
  std::optional<uint64_t> first_id;
  for (int attempt = 0;; ++attempt) {
    ARROW_ASSIGN_OR_RAISE(Dataset latest, dataset.Checkout());
    const auto conflicted = TakeConflicted(latest.impl().manifest(), &rewrites);
    DropOutputs(job, impl, conflicted);
    result->tasks_conflicted += conflicted.size();
    if (rewrites.empty()) return AllConflicted(latest.impl().manifest());
    if (!first_id) {
      ARROW_ASSIGN_OR_RAISE(
          first_id, ReserveFragmentIds(latest, static_cast<uint32_t>(CountOutputs(rewrites)),
                                       job.options, run, result));
      ARROW_ASSIGN_OR_RAISE(latest, dataset.Checkout());
    }
    RewrittenIndices indices(impl.store);
    ARROW_RETURN_NOT_OK(indices.Write(latest.impl(), job, rewrites, *first_id, run));
    table::CommitRequest commit = MakeRewrite(job, rewrites, *first_id, indices, run);
    ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(job.options));
    auto committed = impl.Commit(std::move(commit), run);
    if (committed.ok()) {
      indices.KeepThoseOf(committed->impl().manifest());
      result->versions.push_back(committed->version());
      Count(rewrites, result);
      NoteUncovered(committed->impl().manifest(), job, NewIds(rewrites, *first_id), result);
      return committed;
    }
    if (CommitUnknown::From(committed.status()) != nullptr) indices.KeepAll();
    const auto* conflict = CommitConflict::From(committed.status());
    if (conflict == nullptr) return committed.status();
    // Whoever was in the way may have touched some of the tasks only, or none of them.
    ARROW_ASSIGN_OR_RAISE(const Dataset newest, dataset.Checkout());
    const bool is_worth_another =
        conflict->retryable() && (TouchesSome(newest.impl().manifest(), rewrites) ||
                                  (HasOtherRecord(latest, newest) && attempt < kMaxRecords));
    if (!is_worth_another) {
      result->tasks_conflicted += rewrites.size();
      DropOutputs(job, impl, rewrites);
      return committed.status();
    }
  }
}

}  // namespace lance
