#include "lance/write_fragments.h"

#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/target_bases.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/dataset/transaction_schema.h"

namespace lance {
namespace {

std::vector<FragmentMetadata> FragmentsOf(const std::vector<WrittenFragment>& written) {
  std::vector<FragmentMetadata> fragments;
  for (const WrittenFragment& one : written) fragments.push_back(one.fragment);
  return fragments;
}

}  // namespace

FragmentCreateBuilder::FragmentCreateBuilder(Dataset dataset) : dataset_(std::move(dataset)) {}
FragmentCreateBuilder::FragmentCreateBuilder(std::string uri, std::shared_ptr<arrow::Schema> schema)
    : uri_(std::move(uri)), schema_(std::move(schema)) {}

FragmentCreateBuilder& FragmentCreateBuilder::WithOptions(WriteOptions options) {
  options_ = std::move(options);
  return *this;
}
FragmentCreateBuilder& FragmentCreateBuilder::WithOpenOptions(OpenOptions options) {
  open_options_ = std::move(options);
  return *this;
}

arrow::Result<Dataset> CommitFragments(const Dataset& dataset,
                                       const CommitFragmentsRequest& request,
                                       const CallOptions& call) {
  if (request.mode == WriteMode::kCreate) {
    return arrow::Status::Invalid("mode is create, but table ", dataset.uri(),
                                  " is there; allowed: append, overwrite");
  }
  auto made = request.mode == WriteMode::kAppend
                  ? MakeAppendTransaction(dataset, {.fragments = FragmentsOf(request.fragments)})
                  : MakeOverwriteTransaction(dataset, {.new_schema = dataset.schema(),
                                                       .fragments = FragmentsOf(request.fragments),
                                                       .field_ids = FieldIds(dataset)});
  if (made.ok() && !request.transaction_uuid.empty()) {
    made = made->WithUuid(request.transaction_uuid);
  }
  ARROW_ASSIGN_OR_RAISE(const Transaction transaction, std::move(made));
  return CommitTransaction(dataset, transaction, request.options.commit, call);
}

arrow::Result<Dataset> CreateFromFragments(const std::string& uri,
                                           const std::shared_ptr<arrow::Schema>& schema,
                                           const CommitFragmentsRequest& request,
                                           const OpenOptions& open, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const OpenedTable opened, OpenTableStore(uri, open));
  const WriteOptions& options = request.options;
  table::Overwrite overwrite{.fragments = NewFragmentsOf(FragmentsOf(request.fragments)),
                             .data_storage_version = options.data_storage_version,
                             .enable_stable_row_ids = options.enable_stable_row_ids};
  ARROW_ASSIGN_OR_RAISE(overwrite.schema, SchemaWithIds(schema.get(), {}));
  ARROW_ASSIGN_OR_RAISE(overwrite.initial_bases, PlanBasePaths(options, nullptr));
  const RunContext run = MakeRunContext(*opened.session, call);
  constexpr uint64_t kNoTable = 0;
  table::CommitRequest commit;
  commit.transaction = MakeTransaction(kNoTable, std::move(overwrite), options.commit, run);
  if (!request.transaction_uuid.empty()) commit.transaction.uuid = request.transaction_uuid;
  commit.naming_of_new_table =
      options.enable_v2_manifest_paths ? table::NamingScheme::kV2 : table::NamingScheme::kV1;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options.commit));
  ARROW_ASSIGN_OR_RAISE(table::LoadedManifest committed,
                        table::Commit(table::ManifestStore(opened.store), std::move(commit), run));
  return Dataset::Impl::Make(opened, std::move(committed));
}

}  // namespace lance
