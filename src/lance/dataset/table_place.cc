#include "lance/dataset/table_place.h"

#include <algorithm>
#include <utility>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/base/time_text.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/io/prefix_store.h"
#include "lance/io/table_uri.h"
#include "lance/table/branches.h"
#include "lance/table/tags.h"

namespace lance {
namespace {

constexpr std::string_view kTree = "/tree/";

/// What stands behind the root of a table for one of its branches.
std::string SuffixOf(const std::string& uri, const std::string& branch) {
  const std::string folder = "/" + table::BranchFolder(branch);
  return SplitTableUri(uri).scheme.empty() ? folder : PercentEncode(folder);
}

arrow::Result<TableRoot> OpenRoot(const OpenedTable& table, std::string uri) {
  ARROW_ASSIGN_OR_RAISE(OpenedStore opened,
                        table.session->impl().stores.Open(uri, table.storage_options));
  return TableRoot{std::move(opened.uri), std::move(opened.store)};
}

/// The root of a table that was opened by the place of one of its branches.
arrow::Result<OpenedTable> LearnRoot(OpenedTable table, const RunContext& run) {
  if (table.root) return table;
  if (table.uri.find(kTree) == std::string::npos) return FindRoot(std::move(table), std::nullopt);
  const auto newest = table::ManifestStore(table.store).LoadLatest(run);
  if (!newest.ok() && NotFound::From(newest.status()) == nullptr) return newest.status();
  return FindRoot(std::move(table), newest.ok() ? newest->manifest.branch : std::nullopt);
}

/// The newest version that is not later than a time.
arrow::Result<table::LoadedManifest> LoadAsOf(const table::ManifestStore& manifests, Timestamp time,
                                              const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto entries, manifests.ListVersions());
  std::ranges::sort(entries, std::greater(), &table::VersionEntry::version);
  for (const table::VersionEntry& entry : entries) {
    auto loaded = manifests.Load(entry.version, run);
    if (!loaded.ok() && NotFound::From(loaded.status()) != nullptr) continue;  // cleaned up
    if (!loaded.ok() || loaded->manifest.timestamp <= time) return loaded;
  }
  return NotFoundError("version", ToText(time), "no version is as old as " + ToText(time));
}

arrow::Result<table::LoadedManifest> LoadOnBranch(const OpenedTable& table, const Ref& ref,
                                                  const RunContext& run) {
  const table::ManifestStore manifests(table.store);
  if (ref.as_of()) return LoadAsOf(manifests, *ref.as_of(), run);
  return ref.is_latest() ? manifests.LoadLatest(run) : manifests.Load(ref.version(), run);
}

}  // namespace

arrow::Result<OpenedTable> OpenTableStore(const std::string& uri, const OpenOptions& options) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  OpenedTable table;
  table.session = options.session;
  if (table.session == nullptr) {
    ARROW_ASSIGN_OR_RAISE(table.session, Session::Make());
  }
  table.storage_options = options.storage_options;
  table.storage_options.insert(table.session->options().storage_options.begin(),
                               table.session->options().storage_options.end());
  ARROW_ASSIGN_OR_RAISE(OpenedStore opened,
                        table.session->impl().stores.Open(uri, table.storage_options));
  table.uri = std::move(opened.uri);
  table.store = std::move(opened.store);
  return table;
}

arrow::Result<OpenedTable> FindRoot(OpenedTable table,
                                    const std::optional<std::string>& manifest_branch) {
  const std::string branch = manifest_branch.value_or("");
  if (table.root) {
    if (table.branch == branch) return table;
    return arrow::Status::SerializationError("the manifest is of branch \"", branch,
                                             "\"; the folder is that of \"", table.branch, "\"");
  }
  table.branch = branch;
  const std::string suffix = SuffixOf(table.uri, branch);
  if (branch.empty()) {
    table.root = TableRoot{table.uri, table.store};
  } else if (table.uri.size() > suffix.size() && table.uri.ends_with(suffix)) {
    ARROW_ASSIGN_OR_RAISE(table.root,
                          OpenRoot(table, table.uri.substr(0, table.uri.size() - suffix.size())));
  } else {
    table.root.emplace();  // a branch's folder that was copied elsewhere; it can still be read
  }
  return table;
}

arrow::Result<std::shared_ptr<ObjectStore>> RootStore(const OpenedTable& table) {
  if (table.root && table.root->store != nullptr) return table.root->store;
  return arrow::Status::Invalid(
      table.uri, " is a version of branch \"", table.branch,
      "\", but does not end with /tree/ and its name: where its table is cannot be said; allowed: ",
      "what needs no tags and no other branches");
}

arrow::Result<OpenedTable> PlaceOfBranch(const OpenedTable& table, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(const auto store, RootStore(table));
  OpenedTable place = table;
  if (name.empty() || name == table::kMainBranch) {
    place.branch.clear();
    place.uri = table.root->uri;
    place.store = store;
    return place;
  }
  ARROW_RETURN_NOT_OK(table::CheckBranchName(name));
  place.branch = name;
  place.uri = table.root->uri + SuffixOf(table.root->uri, name);
  place.store = MakePrefixStore(store, table::BranchFolder(name));
  return place;
}

arrow::Result<OpenedTable> FindBranch(OpenedTable table, const Ref& ref, const RunContext& run) {
  if (!ref.branch()) return table;
  ARROW_ASSIGN_OR_RAISE(table, LearnRoot(std::move(table), run));
  ARROW_ASSIGN_OR_RAISE(OpenedTable place, PlaceOfBranch(table, *ref.branch()));
  if (!place.branch.empty() && place.branch != table.branch) {
    // Its description decides whether a branch is there; of its own a handle knows it.
    ARROW_ASSIGN_OR_RAISE(const auto store, RootStore(table));
    ARROW_RETURN_NOT_OK(table::BranchStore(store).Load(place.branch, run).status());
  }
  return place;
}

arrow::Result<Dataset> OpenRef(const OpenedTable& table, const Ref& ref, const RunContext& run) {
  Ref found = ref;
  OpenedTable place = table;
  if (!ref.tag().empty()) {
    ARROW_ASSIGN_OR_RAISE(place, LearnRoot(std::move(place), run));
    ARROW_ASSIGN_OR_RAISE(const auto store, RootStore(place));
    ARROW_ASSIGN_OR_RAISE(const table::Tag tag, table::TagStore(store).Load(ref.tag(), run));
    found = Ref::Version(tag.version, tag.branch.value_or(""));
  }
  ARROW_ASSIGN_OR_RAISE(place, FindBranch(std::move(place), found, run));
  ARROW_ASSIGN_OR_RAISE(table::LoadedManifest loaded, LoadOnBranch(place, found, run));
  return Dataset::Impl::Make(place, std::move(loaded));
}

arrow::Result<std::shared_ptr<ObjectStore>> OpenBase(const OpenedTable& table,
                                                     const std::string& path) {
  if (table.root && table.root->store != nullptr) {
    const std::string& root = table.root->uri;
    if (path == root) return table.root->store;
    if (path.starts_with(root + std::string(kTree))) {
      const bool is_encoded = !SplitTableUri(root).scheme.empty();
      std::string folder = path.substr(root.size() + 1);
      if (is_encoded) {
        ARROW_ASSIGN_OR_RAISE(folder, PercentDecode(folder, path));
      }
      if (CheckObjectPath(folder).ok()) return MakePrefixStore(table.root->store, folder);
    }
  }
  ARROW_ASSIGN_OR_RAISE(OpenedStore opened,
                        table.session->impl().stores.Open(path, table.storage_options));
  return std::move(opened.store);
}

}  // namespace lance
