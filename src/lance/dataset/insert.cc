#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/curve_order.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/store_with_bases.h"
#include "lance/dataset/target_bases.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/dataset/zonemaps.h"
#include "lance/table/feature_flags.h"
#include "lance/write.h"
#include "lance/write_fragments.h"

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

InsertBuilder& InsertBuilder::WithMaps(std::map<std::string, std::string> config,
                                       std::map<std::string, std::string> table_metadata) {
  config_ = std::move(config);
  table_metadata_ = std::move(table_metadata);
  return *this;
}

namespace {

/// What the caller of a builder asked for.
struct InsertRequest {
  WriteMode mode = WriteMode::kCreate;
  WriteOptions options;
  std::vector<std::string> cluster_by;
  bool without_clustering = false;
  std::optional<ClusteringRequest> declaration;
  std::map<std::string, std::string> config;
  std::map<std::string, std::string> table_metadata;
};

/// Everything that is decided before the first byte is written.
struct InsertPlan {
  OpenedTable table;
  std::optional<Dataset> existing;  // no value: the write creates the table
  format::LanceSchema schema;
  std::shared_ptr<arrow::Schema> arrow_schema;
  /// How rows are sorted; no value: they keep their order. Version 0: a one-shot sort.
  std::optional<ClusteringSpec> sort_by;
  /// The declaration that a new table gets.
  std::optional<ClusteringSpec> declare;
  FragmentWriterOptions writer;
  std::shared_ptr<ObjectStore> data_store;  // finds base paths, also those that are yet to come
  std::vector<table::BasePath> initial_bases;

  bool is_stamped() const { return sort_by && sort_by->version != 0; }
};

/// Maps are for a new table; the declaration has a road of its own, which also defines it.
arrow::Status CheckMaps(const InsertRequest& request) {
  const bool has_maps = !request.config.empty() || !request.table_metadata.empty();
  if (has_maps && request.mode != WriteMode::kCreate) {
    return arrow::Status::Invalid(
        "configuration and metadata can be given when a table is created; on an existing table use "
        "UpdateMetadata");
  }
  for (const auto& [key, value] : request.config) {
    if (!key.starts_with("lance.clustering.")) continue;
    return arrow::Status::Invalid("config key ", key, ": declare a clustering by WithClustering");
  }
  for (const auto& [key, value] : request.table_metadata) {
    if (!key.starts_with("lance.liquid-clustering.")) continue;
    return arrow::Status::Invalid("table metadata key ", key,
                                  " is kept by the library; allowed: other keys");
  }
  return arrow::Status::OK();
}

arrow::Status CheckRequest(const InsertRequest& request) {
  const WriteOptions& options = request.options;
  if (options.max_rows_per_file == 0 || options.max_bytes_per_file == 0) {
    return arrow::Status::Invalid(
        options.max_rows_per_file == 0 ? "max_rows_per_file" : "max_bytes_per_file",
        " is 0; allowed: 1 or more");
  }
  if (options.max_page_bytes == uint64_t{0}) {
    return arrow::Status::Invalid("max_page_bytes is 0; allowed: 1 or more");
  }
  if (request.without_clustering && (!request.cluster_by.empty() || request.declaration)) {
    return arrow::Status::Invalid(
        "a write cannot both name clustering columns and switch clustering off");
  }
  if (request.declaration && request.mode != WriteMode::kCreate) {
    return arrow::Status::Invalid(
        "a clustering declaration can be given when a table is created; on an existing table use "
        "SetClustering");
  }
  if (request.declaration && !request.cluster_by.empty()) {
    return arrow::Status::Invalid(
        "give the clustering columns once: by the declaration or by cluster_by");
  }
  return CheckMaps(request);
}

arrow::Status ExistsError(const std::string& uri) {
  return arrow::Status::AlreadyExists("table ", uri,
                                      " is there already; append to it or overwrite it");
}

/// The newest version. \return no value: there is no table yet
arrow::Result<std::optional<Dataset>> FindNewest(const OpenedTable& opened, WriteMode mode,
                                                 const CallOptions& call) {
  const table::ManifestStore manifests(opened.store);
  auto loaded = manifests.LoadLatest(MakeRunContext(*opened.session, call));
  if (!loaded.ok()) {
    const bool is_absent = NotFound::From(loaded.status()) != nullptr;
    if (!is_absent || mode == WriteMode::kAppend) {
      return WithContext(loaded.status(), opened.uri);
    }
    return std::nullopt;
  }
  if (mode == WriteMode::kCreate) return ExistsError(opened.uri);
  ARROW_ASSIGN_OR_RAISE(Dataset dataset, Dataset::Impl::Make(opened, std::move(*loaded)));
  return dataset;
}

arrow::Status CheckWritableTable(const Dataset& dataset) {
  const table::Manifest& manifest = dataset.impl().manifest();
  ARROW_RETURN_NOT_OK(table::CheckWritable(manifest));
  return table::CheckClusteringOfNewManifest(manifest, manifest);
}

/// The version of the data files to write: a table keeps its own unless an overwrite names another.
arrow::Result<format::FileVersion> ChooseFileVersion(const InsertRequest& request,
                                                     const std::optional<Dataset>& existing) {
  const std::string& asked = request.options.data_storage_version;
  const std::string kept = existing ? existing->impl().manifest().data_storage_version : "";
  if (asked.empty()) {
    if (kept.empty()) return format::kDefaultFileVersion;
    auto version = format::ParseFileVersion(kept);
    if (!version.ok()) return WithContext(version.status(), "table " + existing->uri());
    return version;
  }
  ARROW_ASSIGN_OR_RAISE(const format::FileVersion version, format::ParseFileVersion(asked));
  if (request.mode == WriteMode::kAppend && format::ToString(version) != kept) {
    return arrow::Status::Invalid("data_storage_version is ", asked, "; table ", existing->uri(),
                                  " has ", kept, ", which only an overwrite can change");
  }
  return version;
}

/// The columns asked for on a declared table must be the declared ones (contract section 5).
arrow::Status CheckSameColumns(const std::vector<std::string>& asked, const ClusteringSpec& spec,
                               const format::LanceSchema& schema) {
  ARROW_ASSIGN_OR_RAISE(const ClusteringSpec resolved, table::ResolveOneShotSort(asked, schema));
  if (resolved.columns == spec.columns) return arrow::Status::OK();
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
  };
  return arrow::Status::Invalid("cluster_by is ", list(asked),
                                "; the table is declared to cluster by ", list(spec.columns),
                                ": give exactly these in this order, or none to inherit them");
}

arrow::Status ChooseOrder(const InsertRequest& request, InsertPlan* plan) {
  if (request.without_clustering) return arrow::Status::OK();
  if (request.declaration) {
    table::Manifest blank;
    blank.schema = plan->schema;
    ARROW_ASSIGN_OR_RAISE(plan->declare,
                          table::ResolveClusteringRequest(*request.declaration, blank));
    plan->sort_by = plan->declare;
    return arrow::Status::OK();
  }
  const auto declared = plan->existing ? plan->existing->clustering_spec() : std::nullopt;
  if (declared) {
    // An overwrite brings a schema of its own, which must have the declared columns.
    table::Manifest next;
    next.schema = plan->schema;
    next.config = plan->existing->properties().config;
    const table::DeclarationState state = table::ReadDeclaration(next);
    if (!state.problem.empty()) return arrow::Status::Invalid(state.problem);
    if (!request.cluster_by.empty()) {
      ARROW_RETURN_NOT_OK(CheckSameColumns(request.cluster_by, *declared, plan->schema));
    }
    plan->sort_by = state.spec;
  } else if (!request.cluster_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(plan->sort_by,
                          table::ResolveOneShotSort(request.cluster_by, plan->schema));
  }
  return arrow::Status::OK();
}

arrow::Status ChoosePlaces(const WriteOptions& options, InsertPlan* plan) {
  const auto* present = plan->existing ? &plan->existing->impl().manifest().base_paths : nullptr;
  ARROW_ASSIGN_OR_RAISE(const auto bases, PlanBasePaths(options, present));
  ARROW_ASSIGN_OR_RAISE(plan->writer.bases, ChooseTargets(options, bases));
  plan->data_store = StoreWithBases(plan->table, bases);
  if (present == nullptr) plan->initial_bases = bases;
  return arrow::Status::OK();
}

/// \param dataset the version to write onto, whatever was committed since; no value: the newest
arrow::Result<InsertPlan> PlanInsert(OpenedTable opened, std::optional<Dataset> dataset,
                                     const InsertRequest& request, const arrow::Schema& input,
                                     const CallOptions& call) {
  ARROW_RETURN_NOT_OK(CheckRequest(request));
  InsertPlan plan{.table = std::move(opened), .existing = std::move(dataset)};
  if (!plan.existing) {
    ARROW_ASSIGN_OR_RAISE(plan.existing, FindNewest(plan.table, request.mode, call));
  } else if (request.mode == WriteMode::kCreate) {
    return ExistsError(plan.table.uri);
  }
  const bool is_append = request.mode == WriteMode::kAppend;
  if (plan.existing) ARROW_RETURN_NOT_OK(CheckWritableTable(*plan.existing));
  if (is_append) {
    plan.schema = plan.existing->impl().manifest().schema;
  } else {
    ARROW_ASSIGN_OR_RAISE(plan.schema, format::MakeLanceSchema(input));
  }
  ARROW_ASSIGN_OR_RAISE(plan.arrow_schema, format::ToArrowSchema(plan.schema));
  ARROW_RETURN_NOT_OK(BatchAligner::Make(input, plan.arrow_schema).status());
  ARROW_RETURN_NOT_OK(ChooseOrder(request, &plan));
  ARROW_RETURN_NOT_OK(ChoosePlaces(request.options, &plan));
  const auto declared = plan.existing ? plan.existing->clustering_spec() : plan.declare;
  ARROW_ASSIGN_OR_RAISE(plan.writer.version, ChooseFileVersion(request, plan.existing));
  ARROW_ASSIGN_OR_RAISE(const auto fields, format::MakeFieldTree(plan.schema));
  for (const format::FieldNode& field : fields) {
    ARROW_RETURN_NOT_OK(format::CheckWritable(field, plan.writer.version));
  }
  if (request.options.enable_stable_row_ids && plan.existing &&
      !plan.existing->properties().has_stable_row_ids) {
    return arrow::Status::Invalid("table ", plan.table.uri,
                                  " has no stable row ids; they can only be chosen when a table is "
                                  "created");
  }
  plan.writer.max_page_bytes = request.options.max_page_bytes;
  plan.writer.max_rows_per_file = request.options.max_rows_per_file;
  plan.writer.max_bytes_per_file = request.options.max_bytes_per_file;
  plan.writer.seeds = ChooseSeedColumns(is_append ? &plan.existing->impl().manifest() : nullptr,
                                        plan.schema, declared);
  return plan;
}

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
                             .config_upsert_values = request.config,
                             .initial_bases = plan.initial_bases,
                             .data_storage_version = format::ToString(plan.writer.version),
                             .enable_stable_row_ids = request.options.enable_stable_row_ids,
                             .table_metadata = request.table_metadata};
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
  if (plan.existing) return plan.existing->impl().Commit(std::move(commit), run);
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

struct InsertBuilder::Prepared {
  InsertRequest request;
  InsertPlan plan;
  RunContext run;
};

arrow::Result<InsertBuilder::Prepared> InsertBuilder::Prepare(const arrow::Schema& input,
                                                              const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  Prepared prepared{.request = {.mode = mode_,
                                .options = options_,
                                .cluster_by = cluster_by_,
                                .without_clustering = without_clustering_,
                                .declaration = declaration_,
                                .config = config_,
                                .table_metadata = table_metadata_}};
  OpenedTable opened;
  if (dataset_) {
    opened = dataset_->impl().opened;
  } else {
    ARROW_ASSIGN_OR_RAISE(opened, OpenTableStore(uri_, open_options_));
    ARROW_ASSIGN_OR_RAISE(
        opened, FindBranch(opened, open_options_.ref, MakeRunContext(*opened.session, call)));
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

arrow::Result<std::vector<WrittenFragment>> FragmentCreateBuilder::WriteFragments(
    BatchSource source, const CallOptions& call) const {
  InsertBuilder builder = dataset_ ? InsertBuilder(*dataset_) : InsertBuilder(uri_);
  builder.WithOptions(options_).WithOpenOptions(open_options_).WithoutClustering();
  std::shared_ptr<arrow::Schema> schema = source.schema();
  if (!dataset_) {
    if (schema_ == nullptr) return arrow::Status::Invalid("the schema is null; allowed: columns");
    builder.WithMode(WriteMode::kOverwrite);
    schema = schema_;
  }
  const BatchSource rows(schema, [&] {
    return source.Open().Map([&](std::shared_ptr<arrow::RecordBatchReader> reader) {
      return AlignReader(std::move(reader), schema);
    });
  });
  ARROW_ASSIGN_OR_RAISE(const auto prepared, builder.Prepare(*schema, call));
  ARROW_ASSIGN_OR_RAISE(const Transaction made, InsertBuilder::WriteUncommitted(prepared, rows));
  const table::Operation& operation = made.impl().commit.transaction.operation;
  const auto* append = std::get_if<table::Append>(&operation);
  const auto& fragments =
      append ? append->fragments : std::get<table::Overwrite>(operation).fragments;
  std::vector<WrittenFragment> written;
  for (const table::Fragment& fragment : fragments) {
    written.push_back({MakeFragmentMetadata(fragment)});
  }
  return written;
}

}  // namespace lance
