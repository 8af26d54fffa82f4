#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/refs.h"
#include "lance/table/ref_folder.h"
#include "lance/table/ref_names.h"

namespace lance::table {

/// The description of a branch (table-format 1.8). A plain value.
struct Branch {
  std::string name;
  std::optional<std::string> parent_branch;  // no value: the main one
  /// The way from the main branch; empty in descriptions of old writers.
  std::vector<BranchStep> identifier;
  uint64_t parent_version = 0;
  uint64_t created_at_seconds = 0;  // since 1970
  uint64_t manifest_size = 0;       // bytes
  std::map<std::string, std::string> metadata;

  bool operator==(const Branch&) const = default;
};

/// Parse the description of a branch. \return SerializationError saying what is wrong
arrow::Result<Branch> ParseBranch(std::string name, std::string_view json);

/// The inverse of ParseBranch, as the reference lays it out.
std::string SerializeBranch(const Branch& branch);

/// The way of a branch. For a description without one, the same made-up step each time.
std::vector<BranchStep> IdentifierOf(const Branch& branch);

/// Whether a branch began on another one, or on one that did.
bool IsBelow(const Branch& branch, const Branch& ancestor);

/// The branches of a table. Thread-safe.
class BranchStore {
 public:
  /// \param store of the table's root
  explicit BranchStore(std::shared_ptr<ObjectStore> store)
      : folder_(std::move(store), "branch", CheckBranchName) {}

  /// All branches by name. Files whose names are none of a branch are left out.
  arrow::Result<std::vector<Branch>> List(const RunContext& run) const;

  /// \return KeyError + NotFound{branch} when there is none
  arrow::Result<Branch> Load(const std::string& name, const RunContext& run) const;

  /// Load, but no value when there is none.
  arrow::Result<std::optional<Branch>> Find(const std::string& name, const RunContext& run) const;

  /// Store the description of a new branch. \return what became of it, as ObjectStore::Put
  arrow::Result<PutOutcome> Create(const Branch& branch) const;

  /// Store a description again. \return IOError when the reply was lost
  arrow::Status Update(const Branch& branch) const;

  /// Remove a description; OK when there is none.
  arrow::Status Delete(const std::string& name) const { return folder_.Delete(name); }

 private:
  RefFolder folder_;
};

}  // namespace lance::table
