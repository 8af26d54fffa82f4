#include "lance/dataset/row_changes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/row_ids.h"
#include "lance/dataset/zonemaps.h"
#include "lance/table/backoff.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

constexpr int kMaxOperationRetries = 10;  // table-format 4.1
// An operation that lost races has waited for its commit already; slots as long as that would add
// up to the whole time.
constexpr std::chrono::milliseconds kMostOfASlot{50};

bool CertainlyNotCommitted(const arrow::Status& status) {
  return CommitUnknown::From(status) == nullptr;
}

}  // namespace

void RowDeletions::Add(uint64_t address) {
  by_fragment_[address >> 32].Add(static_cast<uint32_t>(address));
  ++num_rows_;
}

void RowDeletions::AddAll(const arrow::Array& addresses) {
  const auto& values = static_cast<const arrow::UInt64Array&>(addresses);
  for (int64_t i = 0; i < values.length(); ++i) Add(values.Value(i));
}

void RowDeletions::Move(uint64_t address) {
  Add(address);
  moved_.push_back(address);
}

void RowDeletions::MoveAll(const arrow::Array& addresses) {
  const auto& values = static_cast<const arrow::UInt64Array&>(addresses);
  for (int64_t i = 0; i < values.length(); ++i) Move(values.Value(i));
}

arrow::Result<DeletedFragments> DeletedFragments::Write(const Dataset::Impl& dataset,
                                                        const RowDeletions& deletions,
                                                        const RunContext& run) {
  struct Change {
    const table::Fragment* before = nullptr;
    const RoaringBitmap* rows = nullptr;
    std::optional<table::Fragment> after;
    bool is_made = false;
  };
  std::vector<Change> changes;
  for (const auto& [id, rows] : deletions.by_fragment()) {
    const table::Fragment* fragment = dataset.manifest().FindFragment(id);
    if (fragment == nullptr) {
      return InternalError("rows of fragment " + std::to_string(id) + ", which is not there");
    }
    changes.push_back({.before = fragment, .rows = &rows});
  }
  // Side by side: a file takes little work, and long until it is durable.
  const arrow::Status status =
      ParallelFor(static_cast<int>(changes.size()), run.num_threads, run.stop_token, [&](int i) {
        Change& change = changes[static_cast<size_t>(i)];
        ARROW_ASSIGN_OR_RAISE(change.after, DeleteRows(*dataset.store, *change.before, *change.rows,
                                                       dataset.manifest().version, run));
        change.is_made = true;
        return arrow::Status::OK();
      });
  DeletedFragments fragments;
  fragments.store_ = dataset.store;
  for (Change& change : changes) {
    if (change.after) {
      fragments.updated_.push_back(*std::move(change.after));
    } else if (change.is_made) {
      fragments.removed_.push_back(change.before->id);
    }
  }
  ARROW_RETURN_NOT_OK(status);  // the files that were written go again
  return fragments;
}

DeletedFragments::~DeletedFragments() {
  if (store_ == nullptr) return;
  for (const table::Fragment& fragment : updated_) DropDeletionFile(*store_, fragment);
}

void DeletedFragments::KeepNamed(const table::Manifest& landed) {
  std::erase_if(updated_, [&](const table::Fragment& fragment) {
    const table::Fragment* found = landed.FindFragment(fragment.id);
    return found != nullptr && found->deletion_file == fragment.deletion_file;
  });
}

arrow::Status CheckChangeable(const Dataset::Impl& dataset) {
  const table::Manifest& manifest = dataset.manifest();
  ARROW_RETURN_NOT_OK(table::CheckWritable(manifest));
  ARROW_RETURN_NOT_OK(table::CheckClusteringOfNewManifest(manifest, manifest));
  return arrow::Status::OK();
}

arrow::Result<FragmentWriterOptions> ChangedRowsOptions(const Dataset::Impl& dataset) {
  const table::Manifest& manifest = dataset.manifest();
  FragmentWriterOptions options;
  ARROW_ASSIGN_OR_RAISE(options.version, format::ParseFileVersion(manifest.data_storage_version));
  options.seeds = ChooseSeedColumns(&manifest, manifest.schema, dataset.clustering_spec);
  return options;
}

arrow::Status VisitRows(const Dataset& dataset, std::vector<std::string> columns,
                        const std::optional<Filter>& filter, const CallOptions& call,
                        const std::function<arrow::Status(const arrow::RecordBatch&)>& visit) {
  columns.emplace_back("_rowaddr");
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner,
                        dataset.Scan({.columns = std::move(columns),
                                      .filter = filter,
                                      .blob_handling = BlobHandling::kBinary}));
  ARROW_ASSIGN_OR_RAISE(const auto reader, scanner.ToReader(call));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(visit(*batch));
  }
}

namespace {

/// What became of a commit decides over its deletion files; in doubt all stay.
void KeepWhatMayBeNamed(const arrow::Result<Dataset>& committed, DeletedFragments* written) {
  if (committed.ok()) {
    written->KeepNamed(committed->impl().manifest());
  } else if (!CertainlyNotCommitted(committed.status())) {
    written->Keep();
  }
}

/// A commit that changes rows, and the deletion files that were written for it.
struct ChangedRows {
  table::CommitRequest commit;
  DeletedFragments written;
};

/// As MakeChangedRowsCommit; deletion files are deleted again unless they are kept.
arrow::Result<ChangedRows> PrepareChangedRows(const Dataset& dataset, const RowDeletions& deletions,
                                              std::vector<table::Fragment> new_fragments,
                                              std::vector<int32_t> changed_fields,
                                              const CommitOptions& options, const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  const auto retry = MakeRetryPolicy(options);
  arrow::Status prepared = retry.status();
  if (prepared.ok()) {
    prepared = CarryLineage(impl.store, impl.manifest(), deletions.moved(), RowsMoved::kChanged,
                            run, &new_fragments);
  }
  auto written = prepared.ok() ? DeletedFragments::Write(impl, deletions, run)
                               : arrow::Result<DeletedFragments>(prepared);
  if (!written.ok()) {
    DeleteDataFiles(*impl.store, new_fragments);
    return written.status();
  }
  table::CommitRequest commit;
  commit.transaction =
      MakeTransaction(dataset.version(),
                      table::Update{.removed_fragment_ids = written->removed(),
                                    .updated_fragments = written->updated(),
                                    .new_fragments = std::move(new_fragments),
                                    .fields_for_preserving_frag_bitmap = std::move(changed_fields),
                                    .mode = table::UpdateMode::kRewriteRows},
                      options, run);
  commit.affected_rows = deletions.by_fragment();
  commit.retry = *retry;
  return ChangedRows{std::move(commit), *std::move(written)};
}

}  // namespace

arrow::Result<table::CommitRequest> MakeChangedRowsCommit(
    const Dataset& dataset, const RowDeletions& deletions,
    std::vector<table::Fragment> new_fragments, std::vector<int32_t> changed_fields,
    const CommitOptions& options, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(ChangedRows changed,
                        PrepareChangedRows(dataset, deletions, std::move(new_fragments),
                                           std::move(changed_fields), options, run));
  changed.written.Keep();
  return std::move(changed.commit);
}

arrow::Result<Dataset> CommitChangedRows(const Dataset& dataset, const RowDeletions& deletions,
                                         std::vector<table::Fragment> new_fragments,
                                         std::vector<int32_t> changed_fields,
                                         const CommitOptions& options, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(ChangedRows changed,
                        PrepareChangedRows(dataset, deletions, new_fragments,
                                           std::move(changed_fields), options, run));
  auto committed = dataset.impl().Commit(std::move(changed.commit), run);
  KeepWhatMayBeNamed(committed, &changed.written);
  if (!committed.ok() && CertainlyNotCommitted(committed.status())) {
    DeleteDataFiles(*dataset.impl().store, new_fragments);
  }
  return committed;
}

arrow::Result<Dataset> CommitDelete(const Dataset& dataset, const RowDeletions& deletions,
                                    std::string predicate, const CommitOptions& options,
                                    const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_ASSIGN_OR_RAISE(auto written, DeletedFragments::Write(impl, deletions, run));
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(dataset.version(),
                                       table::Delete{.updated_fragments = written.updated(),
                                                     .deleted_fragment_ids = written.removed(),
                                                     .predicate = std::move(predicate)},
                                       options, run);
  commit.affected_rows = deletions.by_fragment();
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  auto committed = impl.Commit(std::move(commit), run);
  KeepWhatMayBeNamed(committed, &written);
  return committed;
}

/// The limits, and where the time stands.
struct OperationRetry::State {
  Dataset dataset;
  CallOptions call;
  RunContext run;
  table::Backoff backoff;
  int retries_left;
  std::chrono::nanoseconds started;  // of the attempt at hand
  std::chrono::nanoseconds deadline;
};

OperationRetry::OperationRetry(const Dataset& dataset, const CommitOptions& options,
                               const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  const auto now = run.clock->Steady();
  state_ = std::make_unique<State>(State{dataset, call, run, table::Backoff(run.random),
                                         std::min(options.max_retries, kMaxOperationRetries), now,
                                         now + options.timeout});
}

OperationRetry::~OperationRetry() = default;

arrow::Result<Dataset> OperationRetry::Again(const arrow::Status& failure) {
  const auto* conflict = CommitConflict::From(failure);
  if (conflict == nullptr || !conflict->retryable()) return failure;
  const auto now = state_->run.clock->Steady();
  if (state_->retries_left-- <= 0 || now >= state_->deadline) return failure;
  state_->backoff.AttemptTook(
      std::min<std::chrono::nanoseconds>(now - state_->started, kMostOfASlot));
  const auto wait =
      std::min<std::chrono::nanoseconds>(state_->backoff.Next(), state_->deadline - now);
  ARROW_RETURN_NOT_OK(state_->run.clock->Sleep(wait, state_->run.stop_token));
  state_->started = state_->run.clock->Steady();
  return state_->dataset.Checkout(Ref::Latest(), state_->call);
}

}  // namespace lance
