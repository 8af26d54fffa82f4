#include "branch_operations.h"

#include "faulty_operation.h"
#include "lance/io/prefix_store.h"
#include "lance/io/stores.h"
#include "table_state.h"

namespace lance::testing {
namespace {

constexpr std::string_view kScheme = "fault://";

using Acts = std::function<arrow::Status(const Dataset&)>;

/// One table of a place: its newest version, its branches, and what their manifests hold.
arrow::Result<std::string> StateOfPlace(const std::string& uri, const OpenOptions& options) {
  const auto main = Dataset::Open(uri, options);
  if (!main.ok() && NotFound::From(main.status()) != nullptr) return uri + ": none\n";
  ARROW_RETURN_NOT_OK(main.status());
  const auto line = [](const std::string& name, const Dataset& dataset) {
    return StateOf(dataset).Map([&](const TableState& state) {
      return name + " version " + std::to_string(dataset.version()) + ": " + state.whole + "\n";
    });
  };
  ARROW_ASSIGN_OR_RAISE(std::string text, line(uri, *main));
  ARROW_ASSIGN_OR_RAISE(const auto branches, ListBranches(*main));
  for (const BranchInfo& branch : branches) {
    ARROW_ASSIGN_OR_RAISE(const Dataset dataset, main->Checkout(Ref::Latest(branch.name)));
    ARROW_ASSIGN_OR_RAISE(const std::string described, line("branch " + branch.name, dataset));
    text += described + " from " + branch.parent_branch + " " +
            std::to_string(branch.parent_version) + "\n";
  }
  ARROW_ASSIGN_OR_RAISE(const auto tags, ListTags(*main));
  for (const TagInfo& tag : tags) text += "tag " + tag.name + " of " + tag.branch + "\n";
  return text;
}

Acts Creates(const std::string& name) {
  return [=](const Dataset& handle) { return CreateBranch(handle, name).status(); };
}

Acts Deletes(const std::string& name) {
  return [=](const Dataset& handle) { return DeleteBranch(handle, name); };
}

arrow::Status Append(const Dataset& handle) { return AppendRows(handle, R"([[9, 90, "i"]])"); }

arrow::Status DeclareAndCopy(const Dataset& handle) {
  return CopyTable(handle, {.target_uri = FaultyPlaces::kTarget,
                            .clustering = ClusteringRequest{.columns = {"k", "s"}}})
      .status();
}

std::vector<BranchOperation> Makers() {
  return {
      {.name = "CreateBranch", .act = Creates("c"), .answer_when_done = "a branch c already"},
      {.name = "CreateBranchOfBranch",
       .ref = Ref::Latest("b"),
       .act = Creates("b/c"),
       .answer_when_done = "a branch b/c already"},
      {.name = "DeleteBranch",
       .act = Deletes("b"),
       .fails_visibly = true,
       .answer_when_done = "no branch b"},
      {.name = "DeleteBranchBesideOthers",
       .ref = Ref::Latest("b"),
       .act = Deletes("b"),
       .prepare =
           [](const Dataset& handle) {
             ARROW_ASSIGN_OR_RAISE(const Dataset main, handle.Checkout(Ref::Latest("main")));
             return CreateBranch(main, "b/c").status();
           },
       .fails_visibly = true,
       .answer_when_done = "no branch b"},
      {.name = "ShallowClone",
       .act =
           [](const Dataset& handle) {
             return ShallowClone(handle, FaultyPlaces::kTarget).status();
           },
       .answer_when_done = "there already"},
      {.name = "ShallowCloneOfBranch",
       .ref = Ref::Latest("b"),
       .act =
           [](const Dataset& handle) {
             return ShallowClone(handle, FaultyPlaces::kTarget).status();
           },
       .answer_when_done = "there already"},
      {.name = "CopyTable",
       .act =
           [](const Dataset& handle) {
             return CopyTable(handle, {.target_uri = FaultyPlaces::kTarget}).status();
           },
       .answer_when_done = "there already"},
      {.name = "CopyAndDeclare", .act = DeclareAndCopy, .answer_when_done = "there already"},
  };
}

std::vector<BranchOperation> Changes() {
  return {
      {.name = "AppendOnBranch", .ref = Ref::Latest("b"), .act = Append},
      {.name = "DeleteOnBranch",
       .ref = Ref::Latest("b"),
       .act = [](const Dataset& handle) { return Delete(handle, "id > 4").status(); }},
      {.name = "UpdateOnBranch",
       .ref = Ref::Latest("b"),
       .act =
           [](const Dataset& handle) {
             return Update(handle, {.updates = {{"s", "'new'"}}, .where = "id = 2"}).status();
           }},
      {.name = "AddColumnOnBranch",
       .ref = Ref::Latest("b"),
       .act =
           [](const Dataset& handle) {
             const std::vector<ComputedColumn> columns = {{.name = "x", .expression = "id * 2"}};
             return AddColumns(handle, {.values = columns}).status();
           }},
      {.name = "RestoreOnBranch",
       .ref = Ref::Version(1, "b"),
       .act = [](const Dataset& handle) { return Restore(handle).status(); }},
      {.name = "TagOnBranch",
       .ref = Ref::Latest("b"),
       .act = [](const Dataset& handle) { return CreateTag(handle, "t").status(); },
       .answer_when_done = "a tag t already"},
  };
}

}  // namespace

FaultyPlaces::FaultyPlaces(std::shared_ptr<ObjectStore> memory)
    : memory_(std::move(memory)), store_(FaultStore::Make(memory_)) {}

OpenOptions FaultyPlaces::Options(bool with_faults) const {
  std::shared_ptr<ObjectStore> store = with_faults ? store_ : memory_;
  SessionOptions options;
  options.object_stores["fault"] =
      [store](const std::string& uri,
              const StorageOptions&) -> arrow::Result<std::shared_ptr<ObjectStore>> {
    return MakePrefixStore(store, uri.substr(kScheme.size()));
  };
  return {.session = Session::Make(std::move(options)).ValueOrDie()};
}

arrow::Result<std::shared_ptr<ObjectStore>> MakeBranchedTable() {
  const FaultyPlaces places(MakeMemoryStore());
  ARROW_ASSIGN_OR_RAISE(auto written,
                        InsertBuilder(FaultyPlaces::kSource)
                            .WithOpenOptions(places.Options(/*with_faults=*/false))
                            .WithOptions({.max_rows_per_file = 3})
                            .Execute(BaseRows(R"([[1, 10, "a"], [2, 20, "b"], [3, null, "c"],
                                                  [4, 40, "a"], [5, 50, null], [6, 60, "f"]])")));
  ARROW_ASSIGN_OR_RAISE(const Dataset branch, CreateBranch(written.dataset, "b"));
  ARROW_RETURN_NOT_OK(AppendRows(branch, R"([[7, 70, "g"]])"));
  return places.memory();
}

arrow::Result<std::string> StateOfPlaces(const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(const std::string source, StateOfPlace(FaultyPlaces::kSource, options));
  ARROW_ASSIGN_OR_RAISE(const std::string target, StateOfPlace(FaultyPlaces::kTarget, options));
  return source + target;
}

std::vector<BranchOperation> BranchOperations() {
  std::vector<BranchOperation> operations = Makers();
  for (auto& operation : Changes()) operations.push_back(std::move(operation));
  return operations;
}

}  // namespace lance::testing
