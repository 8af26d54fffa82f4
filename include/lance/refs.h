#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/session.h"

namespace lance {

class Dataset;

/// Which version of a table to open. A plain value.
///
/// Numbers and times are those of one branch: of the one that is named, where "" and "main" are the
/// main branch; without a name, of the branch that the handle or the place given is of.
class Ref {
 public:
  /// A branch by name; no value: that of the handle.
  using Branch = std::optional<std::string>;

  /// The newest version.
  static Ref Latest(Branch branch = {});
  /// One version, 1 or higher.
  static Ref Version(uint64_t version, Branch branch = {});
  /// The version that a tag names; the tag knows its branch.
  static Ref Tag(std::string name);
  /// The newest version that is not later than a time.
  static Ref AsOf(Timestamp time, Branch branch = {});

  /// Whether this is the newest version, whatever its number.
  bool is_latest() const { return version_ == 0 && tag_.empty() && !as_of_; }
  /// The version asked for by number; 0: by something else.
  uint64_t version() const { return version_; }
  /// The tag asked for; "": none.
  const std::string& tag() const { return tag_; }
  /// The time asked for; no value: none.
  const std::optional<Timestamp>& as_of() const { return as_of_; }
  /// The branch asked for, "" for the main one; no value: that of the handle.
  const Branch& branch() const { return branch_; }

 private:
  uint64_t version_ = 0;
  std::string tag_;
  std::optional<Timestamp> as_of_;
  Branch branch_;
};

/// A name for a version. A plain value. Source: table-format 1.8.
struct TagInfo {
  /// Letters and digits of any script, '.', '-' and '_'.
  std::string name;
  /// Of the version; "": the main one.
  std::string branch;
  /// The version that it names.
  uint64_t version = 0;
  /// When it was made; no value: an old writer did not say.
  std::optional<Timestamp> created_at;
  /// When it was last moved.
  std::optional<Timestamp> updated_at;
  /// Bytes of the version's manifest.
  uint64_t manifest_size_bytes = 0;
  /// Entries of whoever made it.
  std::map<std::string, std::string> metadata;
};

/// List the tags of a table by name. \return SerializationError naming a damaged one
arrow::Result<std::vector<TagInfo>> ListTags(const Dataset& dataset, const CallOptions& call = {});

/// Name the version of a dataset.
///
/// \return AlreadyExists when there is such a tag; Invalid for a name that is not allowed
arrow::Result<TagInfo> CreateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call = {});

/// Let a tag name the version of a dataset. \return KeyError + NotFound{tag} when there is none
arrow::Result<TagInfo> UpdateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call = {});

/// Remove a tag; its version stays. \return as UpdateTag
arrow::Status DeleteTag(const Dataset& dataset, const std::string& name,
                        const CallOptions& call = {});

/// One step of a branch's way down from the main one.
struct BranchStep {
  /// The version of the parent that it began with.
  uint64_t parent_version = 0;
  /// 32 hexadecimal digits, fresh for each branch that is made.
  std::string uuid;

  bool operator==(const BranchStep&) const = default;
};

/// A line of versions beside the main one. A plain value. Source: table-format 1.8.
struct BranchInfo {
  /// Letters and digits of any script, '.', '-' and '_', in segments joined by '/'.
  std::string name;
  /// The branch that it began on; "": the main one.
  std::string parent_branch;
  /// The version that it began with, which is also its first.
  uint64_t parent_version = 0;
  /// When it was made.
  Timestamp created_at;
  /// Bytes of the manifest of its parent's version.
  uint64_t manifest_size_bytes = 0;
  /// The way from the main branch. Of a branch below another one the other's way is a prefix.
  std::vector<BranchStep> identifier;
  /// Entries of whoever made it.
  std::map<std::string, std::string> metadata;
};

/// List the branches of a table by name, the main one not among them.
///
/// \return SerializationError naming a damaged one
arrow::Result<std::vector<BranchInfo>> ListBranches(const Dataset& dataset,
                                                    const CallOptions& call = {});

/// Begin a branch with the version of a dataset, and open it there.
///
/// No data is copied: the branch refers to the files of its parent by absolute paths. Its first
/// version has the number of the parent's; what is committed to it stays in its own folder. A call
/// that was cut short leaves a folder without description, which is no branch: making the same
/// branch again takes it over, DeleteBranch removes it.
///
/// \return AlreadyExists when there is such a branch, or a folder of its name that holds something
///   else; Invalid for a name that is not allowed; NotImplemented + UnsupportedFeature when this
///   version may not write the table; UnknownError + CommitUnknown when a reply was lost
arrow::Result<Dataset> CreateBranch(const Dataset& dataset, const std::string& name,
                                    const CallOptions& call = {});

/// Replace the metadata of a branch. \return KeyError + NotFound{branch} when there is none
arrow::Result<BranchInfo> ReplaceBranchMetadata(const Dataset& dataset, const std::string& name,
                                                const std::map<std::string, std::string>& metadata,
                                                const CallOptions& call = {});

/// Remove a branch with all of its versions, or what a broken call left of one.
///
/// What other branches and the main one need stays. When it stops half-way the branch is gone
/// already, and calling it again removes the rest of its files. Shallow clones of the branch in
/// other places are not known here, and lose their files.
///
/// \return Invalid while tags name versions of it or other branches begin on it; KeyError +
///   NotFound{branch} when there is nothing of it
arrow::Status DeleteBranch(const Dataset& dataset, const std::string& name,
                           const CallOptions& call = {});

/// How a call commits. A plain value.
struct CommitOptions {
  /// Attempts after the first when other writers win the race.
  int max_retries = 20;
  /// Time for all attempts together.
  std::chrono::milliseconds timeout{30'000};
  /// A line for people, kept in the transaction.
  std::string message;
  /// Entries for programs, kept in the transaction.
  std::map<std::string, std::string> properties;
  /// Commit on top of the version that was read, as a version with a random number that never is
  /// the newest and is not listed. No conflict is possible. Only where manifests have V2 names.
  bool detached = false;
};

}  // namespace lance
