#include <utility>

#include "faulty_operation.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/schema_edit.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;
using Makes = std::function<arrow::Result<table::Operation>(const Dataset::Impl&)>;

/// Commit one operation of a transaction.
Acts Committing(Makes make) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    const Dataset::Impl& impl = handle.dataset->impl();
    const RunContext run = impl.Run({});
    table::CommitRequest request;
    ARROW_ASSIGN_OR_RAISE(auto operation, make(impl));
    request.transaction = MakeTransaction(impl.manifest().version, std::move(operation), {}, run);
    return impl.Commit(std::move(request), run);
  };
}

/// The same as a detached version.
Acts Detaching(Makes make) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    const Dataset::Impl& impl = handle.dataset->impl();
    const RunContext run = impl.Run({});
    table::CommitRequest request;
    ARROW_ASSIGN_OR_RAISE(auto operation, make(impl));
    request.transaction = MakeTransaction(impl.manifest().version, std::move(operation), {}, run);
    ARROW_RETURN_NOT_OK(table::CommitDetached(impl.manifests(), std::move(request), run).status());
    return *handle.dataset;
  };
}

arrow::Status DeleteTwo(const Dataset& dataset) { return Delete(dataset, "id = 2").status(); }

arrow::Result<table::Operation> RestoreFirst(const Dataset::Impl&) {
  return table::Restore{.version = 1};
}

arrow::Result<table::Operation> Reserve(const Dataset::Impl&) {
  return table::ReserveFragments{.num_fragments = 5};
}

/// Other values of k for the first fragment, in a file of their own.
arrow::Result<table::Operation> ReplaceKeys(const Dataset::Impl& impl) {
  const table::Manifest& manifest = impl.manifest();
  const int32_t id = manifest.schema.FindTopLevel("k")->id;
  FragmentWriter writer(impl.store, SelectFields(manifest.schema, {id}), {}, impl.Run({}));
  const auto keys = TableFromJson({{"k", arrow::int32()}}, "[[1], [2], [3]]");
  ARROW_ASSIGN_OR_RAISE(const auto batch, keys->CombineChunksToBatch());
  ARROW_RETURN_NOT_OK(writer.Write(*batch));
  ARROW_ASSIGN_OR_RAISE(auto written, writer.Finish());
  return table::DataReplacement{
      .groups = {{.fragment_id = manifest.fragments[0].id, .new_file = written[0].files[0]}}};
}

/// k in a file of its own in every fragment, so that it can be replaced.
arrow::Status SplitKeys(const Dataset& dataset) {
  return AlterColumns(dataset, {{.path = "k", .data_type = arrow::int64()}})
      .Map([](const Dataset& wide) {
        return AlterColumns(wide, {{.path = "k", .data_type = arrow::int32()}});
      })
      .status();
}

arrow::Result<table::Operation> SetConfig(const Dataset::Impl&) {
  return table::UpdateConfig{.config = table::UpdateMap{.entries = {{"x", "1"}}}};
}

arrow::Result<table::Operation> DropFirstFragment(const Dataset::Impl& impl) {
  return table::Delete{.deleted_fragment_ids = {impl.manifest().fragments[0].id},
                       .predicate = "id <= 3"};
}

}  // namespace

std::vector<FaultyOperation> RawOperations() {
  return {
      {.name = "Restore", .rows = kBaseRows, .act = Committing(RestoreFirst), .prepare = DeleteTwo},
      {.name = "ReserveFragments", .rows = kBaseRows, .act = Committing(Reserve)},
      {.name = "DataReplacement",
       .rows = "1:1:a 2:2:b 3:3:c 4:40:a 5:50:null 6:60:f",
       .act = Committing(ReplaceKeys),
       .prepare = SplitKeys,
       .leaves_files = true},
      {.name = "DetachedConfig",
       .rows = kBaseRows,
       .act = Detaching(SetConfig),
       .is_detached = true},
      {.name = "DetachedDelete",
       .rows = "4:40:a 5:50:null 6:60:f",
       .act = Detaching(DropFirstFragment),
       .is_detached = true},
  };
}

}  // namespace lance::testing
