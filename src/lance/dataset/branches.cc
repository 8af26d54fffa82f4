#include "lance/table/branches.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/clone_impl.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/io/own_files.h"
#include "lance/refs.h"
#include "lance/table/clone.h"
#include "lance/table/manifest_names.h"
#include "lance/table/tags.h"

namespace lance {
namespace {

constexpr int kMaxTries = 3;  // to store a description, and to see what became of it
constexpr std::chrono::milliseconds kPauseBetweenTries{50};

BranchInfo Describe(table::Branch branch) {
  std::vector<BranchStep> identifier = table::IdentifierOf(branch);
  return {.name = std::move(branch.name),
          .parent_branch = branch.parent_branch.value_or(""),
          .parent_version = branch.parent_version,
          .created_at = Timestamp(std::chrono::seconds(branch.created_at_seconds)),
          .manifest_size_bytes = branch.manifest_size,
          .identifier = std::move(identifier),
          .metadata = std::move(branch.metadata)};
}

arrow::Result<table::BranchStore> BranchesOf(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(auto store, RootStore(dataset.impl().opened));
  return table::BranchStore(std::move(store));
}

arrow::Status ExistsError(const std::string& name) {
  return arrow::Status::AlreadyExists("there is a branch ", name, " already");
}

/// 32 hexadecimal digits.
std::string SimpleUuid(const RunContext& run) {
  std::string text = Uuid::Random(*run.random).ToString();
  std::erase(text, '-');
  return text;
}

// ---- Creating.

/// What the description of a new branch says.
arrow::Result<table::Branch> DescribeNew(const Dataset& parent, const std::string& name,
                                         const table::BranchStore& branches,
                                         const RunContext& run) {
  table::Branch branch{.name = name,
                       .parent_version = parent.version(),
                       .manifest_size = parent.impl().loaded->size_bytes};
  if (!parent.branch().empty()) {
    branch.parent_branch = parent.branch();
    ARROW_ASSIGN_OR_RAISE(const table::Branch described, branches.Load(parent.branch(), run));
    branch.identifier = table::IdentifierOf(described);
  }
  branch.identifier.push_back({.parent_version = parent.version(), .uuid = SimpleUuid(run)});
  branch.created_at_seconds = static_cast<uint64_t>(
      std::chrono::floor<std::chrono::seconds>(run.clock->Now()).time_since_epoch().count());
  return branch;
}

/// The first version of a branch.
struct FirstVersion {
  table::LoadedManifest loaded;
  bool is_ours = false;  // else another call put it there
};

/// Take the version that a call left which was cut short, else make one.
arrow::Result<FirstVersion> MakeFirstVersion(const Dataset& parent,
                                             const table::ManifestStore& target,
                                             const table::CloneOperation& clone,
                                             const RunContext& run) {
  // Whoever began the same branch may still be at it; then only one of us stores the description.
  ARROW_ASSIGN_OR_RAISE(auto left, table::FindShallowClone(target, clone, run));
  if (left) return FirstVersion{.loaded = *std::move(left)};
  auto made = table::CommitShallowClone(target, *parent.impl().loaded, clone, run);
  if (made.ok()) return FirstVersion{.loaded = *std::move(made), .is_ours = true};
  if (!made.status().IsAlreadyExists()) return made.status();
  return arrow::Status::AlreadyExists("there is no branch ", *clone.branch_name,
                                      ", but its folder holds other versions, which a ",
                                      "call left that was cut short; DeleteBranch removes them");
}

/// Whose a description is after a put that did not clearly store it. \return no value: nobody's
arrow::Result<std::optional<bool>> LookWhose(const table::Branch& branch,
                                             const table::BranchStore& branches,
                                             const RunContext& run) {
  arrow::Status problem;
  for (int i = 0; i < kMaxTries; ++i) {
    const auto found = branches.Find(branch.name, run);
    if (found.ok() && !*found) return std::nullopt;
    if (found.ok()) return (*found)->identifier == branch.identifier;
    problem = found.status();
    ARROW_RETURN_NOT_OK(run.clock->Sleep(kPauseBetweenTries, run.stop_token));
  }
  return problem;
}

/// The description may be there, or come.
arrow::Status Doubt(const table::Branch& branch, const std::string& reason) {
  const BranchStep& own = branch.identifier.back();
  return arrow::Status::UnknownError("branch ", branch.name,
                                     " may or may not have been made: ", reason,
                                     "; look for it before trying again")
      .WithDetail(std::make_shared<CommitUnknown>(own.uuid, own.parent_version));
}

/// Store the description, which makes the branch. \return CommitUnknown, or it is not there
arrow::Status StoreDescription(const table::Branch& branch, const table::BranchStore& branches,
                               const RunContext& run) {
  for (int i = 0; i < kMaxTries; ++i) {
    const auto put = branches.Create(branch);
    if (put.ok() && *put == PutOutcome::kStored) return arrow::Status::OK();
    const auto is_ours = LookWhose(branch, branches, run);
    if (!is_ours.ok()) return Doubt(branch, is_ours.status().message());
    if (*is_ours) return **is_ours ? arrow::Status::OK() : ExistsError(branch.name);
    ARROW_RETURN_NOT_OK(put.status());
    if (*put == PutOutcome::kUnknown) return Doubt(branch, "the reply of the store was lost");
    ARROW_RETURN_NOT_OK(run.clock->Sleep(kPauseBetweenTries, run.stop_token));
  }
  return arrow::Status::IOError("branch ", branch.name,
                                ": the store is busy with another call's, which does not come");
}

/// Another call may have taken the first version back that we took over. \return IOError then
arrow::Status ConfirmFirstVersion(const table::Branch& branch, const table::ManifestStore& target,
                                  const table::BranchStore& branches) {
  const auto entry = target.FindVersion(branch.parent_version);
  if (!entry.ok() || *entry) return arrow::Status::OK();  // a failed look says nothing against it
  ARROW_RETURN_NOT_OK(branches.Delete(branch.name));
  return arrow::Status::IOError("branch ", branch.name, " was removed by another call; try again");
}

// ---- Deleting.

/// Tags and branches that need a branch. \return Invalid naming them
arrow::Status CheckIsUnused(const table::Branch& branch, const std::vector<table::Branch>& branches,
                            const std::vector<table::Tag>& tags) {
  std::string users;
  const auto add = [&users](const std::string& kind, const std::string& name) {
    users += (users.empty() ? "" : ", ") + kind + " " + name;
  };
  for (const table::Tag& tag : tags) {
    if (tag.branch == branch.name) add("tag", tag.name);
  }
  for (const table::Branch& other : branches) {
    if (table::IsBelow(other, branch)) add("branch", other.name);
  }
  if (users.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid("branch ", branch.name, " is needed by ", users,
                                "; delete them first");
}

/// Whether a path below a folder is one that a table in it would have.
bool IsInTable(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder) || path.substr(folder.size(), 1) != "/") return false;
  path.remove_prefix(folder.size() + 1);
  const size_t slash = path.find('/');
  return slash != std::string_view::npos && table::IsTableFolder(path.substr(0, slash));
}

/// The files of a branch, manifests first. Another branch whose name goes on where this one ends
/// lies in the same folder.
arrow::Result<std::vector<std::string>> FilesOf(ObjectStore& root, const std::string& name,
                                                const std::vector<table::Branch>& branches) {
  const std::string folder = table::BranchFolder(name);
  ARROW_ASSIGN_OR_RAISE(std::vector<std::string> files, ListOwnFiles(root, folder));
  std::erase_if(files, [&](const std::string& path) {
    const bool is_others = std::ranges::any_of(branches, [&](const table::Branch& other) {
      return other.name != name && other.name.starts_with(name + "/") &&
             IsInTable(path, table::BranchFolder(other.name));
    });
    return is_others || !IsInTable(path, folder);
  });
  const std::string versions = folder + "/" + std::string(table::kVersionsFolder) + "/";
  std::ranges::stable_partition(
      files, [&](const std::string& path) { return path.starts_with(versions); });
  return files;
}

/// Remove what is left of a branch's folder, and the folders above it that were there for it alone.
void RemoveEmptyFolders(ObjectStore& root, std::string folder) {
  auto* const folders = dynamic_cast<StoredFolders*>(&root);
  if (folders == nullptr) return;
  folders->RemoveEmptyFolders(folder);
  for (size_t slash = folder.rfind('/'); slash != std::string::npos; slash = folder.rfind('/')) {
    folder.resize(slash);
    folders->RemoveIfEmpty(folder);
  }
}

}  // namespace

arrow::Result<std::vector<BranchInfo>> ListBranches(const Dataset& dataset,
                                                    const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const table::BranchStore branches, BranchesOf(dataset));
  ARROW_ASSIGN_OR_RAISE(auto found, branches.List(dataset.impl().Run(call)));
  std::vector<BranchInfo> described;
  for (table::Branch& branch : found) described.push_back(Describe(std::move(branch)));
  return described;
}

arrow::Result<Dataset> CreateBranch(const Dataset& dataset, const std::string& name,
                                    const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  ARROW_RETURN_NOT_OK(table::CheckNewBranchName(name));
  ARROW_ASSIGN_OR_RAISE(const table::BranchStore branches, BranchesOf(dataset));
  ARROW_ASSIGN_OR_RAISE(const auto existing, branches.Find(name, run));
  if (existing) return ExistsError(name);
  ARROW_ASSIGN_OR_RAISE(const table::Branch branch, DescribeNew(dataset, name, branches, run));
  ARROW_ASSIGN_OR_RAISE(table::CloneOperation clone, CloneOf(dataset));
  clone.branch_name = name;
  ARROW_ASSIGN_OR_RAISE(const OpenedTable place, PlaceOfBranch(dataset.impl().opened, name));
  const table::ManifestStore target(place.store);
  ARROW_ASSIGN_OR_RAISE(FirstVersion first, MakeFirstVersion(dataset, target, clone, run));
  // A cleanup that has not seen the first version has removed the parent's by now, or will not
  // remove files that the branch needs.
  arrow::Status stored = CloneOf(dataset).status();
  if (stored.ok()) stored = StoreDescription(branch, branches, run);
  if (stored.ok()) stored = ConfirmFirstVersion(branch, target, branches);
  if (!stored.ok()) {
    // A branch that another call described may have its first version from us.
    const bool is_free = CommitUnknown::From(stored) == nullptr && !stored.IsAlreadyExists();
    if (is_free && first.is_ours) (void)table::RemoveShallowClone(target, first.loaded);
    return stored;
  }
  return Dataset::Impl::Make(place, std::move(first.loaded));
}

arrow::Result<BranchInfo> ReplaceBranchMetadata(const Dataset& dataset, const std::string& name,
                                                const std::map<std::string, std::string>& metadata,
                                                const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const table::BranchStore branches, BranchesOf(dataset));
  ARROW_ASSIGN_OR_RAISE(table::Branch branch, branches.Load(name, dataset.impl().Run(call)));
  branch.metadata = metadata;
  ARROW_RETURN_NOT_OK(branches.Update(branch));
  return Describe(std::move(branch));
}

arrow::Status DeleteBranch(const Dataset& dataset, const std::string& name,
                           const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  ARROW_RETURN_NOT_OK(table::CheckBranchName(name));
  ARROW_ASSIGN_OR_RAISE(const auto root, RootStore(dataset.impl().opened));
  const table::BranchStore branches(root);
  ARROW_ASSIGN_OR_RAISE(const auto all, branches.List(run));
  const auto found = std::ranges::find(all, name, &table::Branch::name);
  if (found != all.end()) {
    ARROW_ASSIGN_OR_RAISE(const auto tags, table::TagStore(root).List(run));
    ARROW_RETURN_NOT_OK(CheckIsUnused(*found, all, tags));
    ARROW_RETURN_NOT_OK(branches.Delete(name));  // from here on it is gone
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> files, FilesOf(*root, name, all));
  if (found == all.end() && files.empty()) {
    return NotFoundError("branch", name, "there is no branch " + name);
  }
  for (const std::string& path : files) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_RETURN_NOT_OK(root->Delete(path));
  }
  RemoveEmptyFolders(*root, table::BranchFolder(name));
  return arrow::Status::OK();
}

}  // namespace lance
