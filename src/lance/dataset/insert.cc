#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/curve_order.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/insert_plan.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/write.h"

namespace lance {

BatchSource::BatchSource(std::shared_ptr<arrow::RecordBatchReader> reader)
    : schema_(reader->schema()) {
  // One shot: the second opening is refused, because the rows are gone.
  auto slot = std::make_shared<std::shared_ptr<arrow::RecordBatchReader>>(std::move(reader));
  factory_ = [slot]() -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    if (*slot == nullptr) {
      return arrow::Status::Invalid("the input is a stream that was read already");
    }
    return std::exchange(*slot, nullptr);
  };
}

BatchSource::BatchSource(std::shared_ptr<arrow::Table> table) : schema_(table->schema()) {
  factory_ = [table]() -> arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> {
    return std::make_shared<arrow::TableBatchReader>(table);
  };
}

BatchSource::BatchSource(std::shared_ptr<arrow::Schema> schema, Factory factory)
    : schema_(std::move(schema)), factory_(std::move(factory)) {}

InsertBuilder::InsertBuilder(std::string uri) : uri_(std::move(uri)), mode_(WriteMode::kCreate) {}
InsertBuilder::InsertBuilder(Dataset dataset)
    : dataset_(std::move(dataset)), mode_(WriteMode::kAppend) {}

InsertBuilder& InsertBuilder::WithMode(WriteMode mode) {
  mode_ = mode;
  return *this;
}
InsertBuilder& InsertBuilder::WithOptions(WriteOptions options) {
  options_ = std::move(options);
  return *this;
}
InsertBuilder& InsertBuilder::WithOpenOptions(OpenOptions options) {
  open_options_ = std::move(options);
  return *this;
}
InsertBuilder& InsertBuilder::WithClusterByColumns(std::vector<std::string> columns) {
  cluster_by_ = std::move(columns);
  return *this;
}
InsertBuilder& InsertBuilder::WithoutClustering() {
  without_clustering_ = true;
  return *this;
}
InsertBuilder& InsertBuilder::WithClustering(ClusteringRequest request) {
  declaration_ = std::move(request);
  return *this;
}

namespace {

arrow::Status WriteInOrder(arrow::RecordBatchReader& input, FragmentWriter* writer,
                           ProgressReporter* progress) {
  progress->Stage("write");
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(input.ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    progress->Update(writer->num_rows());
  }
}

arrow::Status WriteSorted(arrow::RecordBatchReader& input, const InsertPlan& plan,
                          FragmentWriter* writer, const RunContext& run,
                          ProgressReporter* progress) {
  progress->Stage("sort");
  std::vector<MemoryReservation> reservations;
  ARROW_ASSIGN_OR_RAISE(auto rows, CollectInMemory(input, run, &reservations));
  ARROW_ASSIGN_OR_RAISE(const auto sorted, SortInCurveOrder(rows, *plan.sort_by, nullptr, run));
  rows.reset();
  progress->Stage("write", static_cast<uint64_t>(sorted->num_rows()));
  ARROW_RETURN_NOT_OK(WriteClustered(*sorted, plan.writer.max_rows_per_file, writer));
  progress->Update(writer->num_rows());
  return arrow::Status::OK();
}

table::Operation MakeOperation(const InsertRequest& request, const InsertPlan& plan,
                               std::vector<table::Fragment> fragments) {
  if (request.mode == WriteMode::kAppend) {
    return table::Append{.fragments = std::move(fragments)};
  }
  table::Overwrite overwrite{.fragments = std::move(fragments),
                             .schema = plan.schema,
                             .initial_bases = plan.initial_bases,
                             .data_storage_version = format::ToString(plan.writer.version),
                             .enable_stable_row_ids = request.options.enable_stable_row_ids};
  if (plan.declare) {
    for (auto& [key, value] : table::DeclarationEntries(*plan.declare)) {
      overwrite.config_upsert_values.emplace(key, value);
    }
  }
  return overwrite;
}

arrow::Result<table::CommitRequest> MakeCommit(const InsertRequest& request, const InsertPlan& plan,
                                               std::vector<table::Fragment> fragments,
                                               const RunContext& run) {
  const uint64_t read_version = plan.existing ? plan.existing->version() : 0;
  table::CommitRequest commit;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(request.options.commit));
  commit.transaction =
      MakeTransaction(read_version, MakeOperation(request, plan, std::move(fragments)),
                      request.options.commit, run);
  commit.naming_of_new_table = request.options.enable_v2_manifest_paths ? table::NamingScheme::kV2
                                                                        : table::NamingScheme::kV1;
  if (plan.is_stamped()) {
    commit.clustering.define = table::LayoutOf(*plan.sort_by, plan.schema);
    commit.clustering.stamp_group_ids = {Uuid::Random(*run.random).ToString()};
  }
  return commit;
}

arrow::Result<Dataset> CommitInsert(const InsertRequest& request, const InsertPlan& plan,
                                    std::vector<table::Fragment> fragments, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto commit, MakeCommit(request, plan, std::move(fragments), run));
  ARROW_ASSIGN_OR_RAISE(
      table::LoadedManifest committed,
      table::Commit(table::ManifestStore(plan.table.store), std::move(commit), run));
  return Dataset::Impl::Make(plan.table, std::move(committed));
}

/// Whether a failed commit certainly did not land, so that its files may go.
bool CertainlyNotCommitted(const arrow::Status& status) {
  return CommitUnknown::From(status) == nullptr;
}

arrow::Result<std::vector<table::Fragment>> WriteRows(const InsertPlan& plan,
                                                      const BatchSource& source,
                                                      FragmentWriter* writer, const RunContext& run,
                                                      ProgressReporter* progress) {
  ARROW_ASSIGN_OR_RAISE(auto input, source.Open());
  ARROW_ASSIGN_OR_RAISE(input, AlignReader(std::move(input), plan.arrow_schema));
  ARROW_RETURN_NOT_OK(plan.sort_by ? WriteSorted(*input, plan, writer, run, progress)
                                   : WriteInOrder(*input, writer, progress));
  // A signal may also have ended the input early: then nothing of it may be committed.
  ARROW_RETURN_NOT_OK(run.stop_token.Poll());
  return writer->Finish();
}

arrow::Result<WriteResult> ExecuteInsert(const InsertRequest& request, const InsertPlan& plan,
                                         const BatchSource& source, const RunContext& run) {
  ProgressReporter progress(run, "insert", "rows");
  FragmentWriter writer(plan.data_store, plan.schema, plan.writer, run);
  ARROW_ASSIGN_OR_RAISE(auto fragments, WriteRows(plan, source, &writer, run, &progress));
  progress.Stage("commit");
  const uint64_t num_fragments = fragments.size();
  auto committed = CommitInsert(request, plan, fragments, run);
  if (!committed.ok()) {
    if (CertainlyNotCommitted(committed.status())) DeleteDataFiles(*plan.data_store, fragments);
    return committed.status();
  }
  return WriteResult{.dataset = std::move(*committed),
                     .num_rows = writer.num_rows(),
                     .num_fragments = num_fragments,
                     .bytes_written = writer.bytes_written(),
                     .clustered_by = plan.sort_by,
                     .stamped = plan.is_stamped()};
}

}  // namespace

arrow::Result<InsertBuilder::Prepared> InsertBuilder::Prepare(const arrow::Schema& input,
                                                              const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  Prepared prepared{.request = {.mode = mode_,
                                .options = options_,
                                .cluster_by = cluster_by_,
                                .without_clustering = without_clustering_,
                                .declaration = declaration_}};
  OpenedTable opened;
  if (dataset_) {
    opened = dataset_->impl().opened;
  } else {
    ARROW_ASSIGN_OR_RAISE(opened, OpenTableStore(uri_, open_options_));
  }
  ARROW_ASSIGN_OR_RAISE(prepared.plan,
                        PlanInsert(std::move(opened), dataset_, prepared.request, input, call));
  prepared.run = MakeRunContext(*prepared.plan.table.session, call);
  return prepared;
}

arrow::Result<WriteResult> InsertBuilder::Execute(BatchSource source,
                                                  const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(*source.schema(), call));
  return ExecuteInsert(prepared.request, prepared.plan, source, prepared.run);
}

arrow::Result<Transaction> InsertBuilder::WriteUncommitted(const Prepared& prepared,
                                                           const BatchSource& source) {
  const InsertPlan& plan = prepared.plan;
  ProgressReporter progress(prepared.run, "insert", "rows");
  FragmentWriter writer(plan.data_store, plan.schema, plan.writer, prepared.run);
  ARROW_ASSIGN_OR_RAISE(auto fragments, WriteRows(plan, source, &writer, prepared.run, &progress));
  ARROW_ASSIGN_OR_RAISE(auto commit,
                        MakeCommit(prepared.request, plan, std::move(fragments), prepared.run));
  return WrapTransaction(std::move(commit));
}

arrow::Result<Transaction> InsertBuilder::ExecuteUncommitted(BatchSource source,
                                                             const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const Prepared prepared, Prepare(*source.schema(), call));
  if (!prepared.plan.existing) {
    return arrow::Status::Invalid("table ", prepared.plan.table.uri,
                                  " is not there, so that nothing can be committed to it later; "
                                  "create it with Execute");
  }
  return WriteUncommitted(prepared, source);
}

}  // namespace lance
