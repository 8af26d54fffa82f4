#include "lance/dataset/insert_plan.h"

#include <utility>

#include "arrow/type.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/target_bases.h"
#include "lance/dataset/zonemaps.h"
#include "lance/table/feature_flags.h"

namespace lance {
namespace {

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
  return arrow::Status::OK();
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

}  // namespace

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

}  // namespace lance
