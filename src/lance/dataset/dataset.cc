#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "arrow/type.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/store_with_bases.h"
#include "lance/table/base_path.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

TableProperties MakeProperties(const table::Manifest& manifest, std::string clustering_problem) {
  TableProperties properties;
  properties.config = manifest.config;
  properties.table_metadata = manifest.table_metadata;
  properties.data_storage_version = manifest.data_storage_version;
  properties.has_stable_row_ids = (manifest.reader_feature_flags & 2) != 0;
  properties.reader_flags = manifest.reader_feature_flags;
  properties.writer_flags = manifest.writer_feature_flags;
  properties.clustering_definitions = manifest.clustering;
  properties.clustering_problem = std::move(clustering_problem);
  return properties;
}

constexpr size_t kManyColumns = 4;  // contract section 2

void WarnManyColumns(size_t num_columns, const RunContext& run) {
  const std::string d = std::to_string(num_columns);
  Warn(run, "many_clustering_columns",
       d + " clustering columns: a query for one value of one column reads about Z^(" +
           std::to_string(num_columns - 1) + "/" + d + ") of Z zones; fewer columns prune better");
}

/// Entries of an UpdateConfig that sets the declaration, or removes it.
table::UpdateMap DeclarationUpdate(const std::optional<ClusteringSpec>& spec,
                                   const table::Manifest& manifest) {
  table::UpdateMap update;
  // Every key of the namespace goes first, so that a declaration somebody broke with an unknown key
  // is mended by declaring or clearing.
  for (const auto& [key, value] : manifest.config) {
    if (key.starts_with("lance.clustering.")) update.entries.emplace_back(key, std::nullopt);
  }
  if (!spec) return update;
  for (const auto& declared : table::DeclarationEntries(*spec)) {
    std::erase_if(update.entries, [&](const auto& e) { return e.first == declared.first; });
    update.entries.emplace_back(declared.first, declared.second);
  }
  return update;
}

}  // namespace

std::shared_ptr<ObjectStore> StoreWithBases(const OpenedTable& table,
                                            const std::vector<table::BasePath>& bases) {
  if (bases.empty()) return table.store;
  const auto open = [table](const std::string& path) { return OpenBase(table, path); };
  return table::MakeBasePathStore(table.store, bases, open);
}

namespace {

/// Refuse what tables of very old writers lack: counts of rows.
arrow::Status CheckRowCounts(const table::Manifest& manifest) {
  for (const table::Fragment& fragment : manifest.fragments) {
    if (fragment.physical_rows == 0 && !fragment.files.empty()) {
      return UnsupportedError("fragments without a row count",
                              "fragment " + std::to_string(fragment.id) +
                                  " does not say how many rows it has, as tables of very old "
                                  "writers; this version needs to know");
    }
    if (fragment.deletion_file && fragment.deletion_file->num_deleted_rows == 0) {
      return UnsupportedError("deletion files without a row count",
                              "fragment " + std::to_string(fragment.id) +
                                  " does not say how many rows its deletion file deletes, as "
                                  "tables of very old writers; this version needs to know");
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<Dataset> Dataset::Impl::Make(const OpenedTable& opened,
                                           table::LoadedManifest loaded) {
  ARROW_RETURN_NOT_OK(table::CheckReadable(loaded.manifest));
  ARROW_ASSIGN_OR_RAISE(const OpenedTable table, FindRoot(opened, loaded.manifest.branch));
  ARROW_RETURN_NOT_OK(CheckRowCounts(loaded.manifest));
  auto impl = std::make_shared<Impl>();
  impl->uri = table.uri;
  impl->store = StoreWithBases(table, loaded.manifest.base_paths);
  impl->session = table.session;
  impl->opened = table;
  loaded.inline_transaction.reset();  // may be as large as the manifest, and nobody reads it here
  impl->loaded = std::make_shared<const table::LoadedManifest>(std::move(loaded));
  const table::Manifest& manifest = impl->manifest();
  ARROW_ASSIGN_OR_RAISE(impl->schema, format::ToArrowSchema(manifest.schema));
  ARROW_ASSIGN_OR_RAISE(impl->fields, format::MakeFieldTree(manifest.schema));
  table::DeclarationState declaration = table::ReadDeclaration(manifest);
  impl->clustering_spec = std::move(declaration.spec);
  impl->properties = MakeProperties(manifest, std::move(declaration.problem));
  return Dataset(std::move(impl));
}

const std::vector<FragmentMetadata>& Dataset::Impl::fragments() const {
  std::call_once(fragments_made_, [this] {
    fragments_.reserve(manifest().fragments.size());
    for (const table::Fragment& fragment : manifest().fragments) {
      fragments_.emplace_back(std::make_shared<FragmentMetadata::Impl>(
          std::shared_ptr<const table::Fragment>(loaded, &fragment)));
    }
  });
  return fragments_;
}

const format::FieldNode* Dataset::Impl::FindField(int32_t field_id) const {
  const auto found = std::ranges::find(fields, field_id, &format::FieldNode::id);
  return found == fields.end() ? nullptr : &*found;
}

arrow::Result<Dataset> Dataset::Impl::OnlyFragment(uint64_t id) const {
  const table::Fragment* const fragment = manifest().FindFragment(id);
  if (fragment == nullptr) {
    return NotFoundError("fragment", std::to_string(id),
                         "version " + std::to_string(manifest().version) + " of " + uri +
                             " has no fragment " + std::to_string(id));
  }
  return Make(opened, {.manifest = table::WithOtherFragments(manifest(), {*fragment}),
                       .naming = loaded->naming,
                       .size_bytes = loaded->size_bytes});
}

arrow::Result<Dataset> Dataset::Impl::Commit(table::CommitRequest request,
                                             const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(table::LoadedManifest committed,
                        table::Commit(manifests(), std::move(request), run));
  CleanUpAfterCommit(*this, committed.manifest, run);
  return Make(opened, std::move(committed));
}

table::Transaction MakeTransaction(uint64_t read_version, table::Operation operation,
                                   const CommitOptions& commit, const RunContext& run) {
  table::Transaction transaction;
  transaction.read_version = read_version;
  transaction.uuid = Uuid::Random(*run.random).ToString();
  transaction.properties = commit.properties;
  if (!commit.message.empty()) {
    transaction.properties["__lance_commit_message"] = commit.message;
  }
  transaction.operation = std::move(operation);
  return transaction;
}

arrow::Result<table::RetryPolicy> MakeRetryPolicy(const CommitOptions& commit) {
  if (commit.max_retries < 0) {
    return arrow::Status::Invalid("max_retries is ", commit.max_retries, "; allowed: 0 or more");
  }
  if (commit.timeout.count() < 0) {
    return arrow::Status::Invalid("timeout is ", commit.timeout.count(), " ms; allowed: 0 or more");
  }
  return table::RetryPolicy{
      .max_retries = commit.max_retries, .timeout = commit.timeout, .is_detached = commit.detached};
}

arrow::Result<Dataset> Dataset::Open(std::string uri, const OpenOptions& options,
                                     const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(OpenedTable opened, OpenTableStore(uri, options));
  auto dataset = OpenRef(opened, options.ref, MakeRunContext(*opened.session, call));
  if (!dataset.ok()) return WithContext(dataset.status(), opened.uri);
  return dataset;
}

const std::string& Dataset::uri() const { return impl_->uri; }
const std::string& Dataset::branch() const { return impl_->opened.branch; }
uint64_t Dataset::version() const { return impl_->manifest().version; }
Timestamp Dataset::timestamp() const { return impl_->manifest().timestamp; }
const std::shared_ptr<arrow::Schema>& Dataset::schema() const { return impl_->schema; }
const std::vector<FragmentMetadata>& Dataset::fragments() const { return impl_->fragments(); }
const TableProperties& Dataset::properties() const { return impl_->properties; }
const std::shared_ptr<Session>& Dataset::session() const { return impl_->session; }
const std::optional<ClusteringSpec>& Dataset::clustering_spec() const {
  return impl_->clustering_spec;
}

arrow::Result<Dataset> Dataset::Checkout(const Ref& ref, const CallOptions& call) const {
  auto dataset = OpenRef(impl_->opened, ref, impl_->Run(call));
  if (!dataset.ok()) return WithContext(dataset.status(), uri());
  return dataset;
}

arrow::Result<Dataset> Dataset::SetClustering(const ClusteringRequest& request,
                                              const CallOptions& call) const {
  const RunContext run = impl_->Run(call);
  // The door is one-way: not for a table that this version could neither append to nor optimize.
  ARROW_RETURN_NOT_OK(WithContext(
      format::ParseFileVersion(impl_->manifest().data_storage_version).status(), uri()));
  ARROW_ASSIGN_OR_RAISE(const ClusteringSpec spec,
                        table::ResolveClusteringRequest(request, impl_->manifest()));
  if (spec.columns.size() > kManyColumns) WarnManyColumns(spec.columns.size(), run);
  if (impl_->clustering_spec == spec && table::CurrentDefinition(impl_->manifest()) != nullptr) {
    return *this;  // declared already, with its definition there
  }
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(
      version(), table::UpdateConfig{.config = DeclarationUpdate(spec, impl_->manifest())},
      request.commit, run);
  commit.clustering.define = table::LayoutOf(spec, impl_->manifest().schema);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(request.commit));
  return impl_->Commit(std::move(commit), run);
}

arrow::Result<Dataset> Dataset::ClearClustering(const CommitOptions& options,
                                                const CallOptions& call) const {
  const RunContext run = impl_->Run(call);
  table::UpdateMap update = DeclarationUpdate(std::nullopt, impl_->manifest());
  if (update.entries.empty()) return *this;
  table::CommitRequest commit;
  commit.transaction =
      MakeTransaction(version(), table::UpdateConfig{.config = std::move(update)}, options, run);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  return impl_->Commit(std::move(commit), run);
}

}  // namespace lance
