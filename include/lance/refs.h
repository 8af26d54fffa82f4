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

/// Which version of a table to open. Branches come with a later part. A plain value.
class Ref {
 public:
  /// The newest version.
  static Ref Latest() { return Ref(); }
  /// One version, 1 or higher.
  static Ref Version(uint64_t version);
  /// The version that a tag names.
  static Ref Tag(std::string name);
  /// The newest version that is not later than a time.
  static Ref AsOf(Timestamp time);

  /// Whether this is the newest version, whatever its number.
  bool is_latest() const { return version_ == 0 && tag_.empty() && !as_of_; }
  /// The version asked for by number; 0: by something else.
  uint64_t version() const { return version_; }
  /// The tag asked for; "": none.
  const std::string& tag() const { return tag_; }
  /// The time asked for; no value: none.
  const std::optional<Timestamp>& as_of() const { return as_of_; }

 private:
  uint64_t version_ = 0;
  std::string tag_;
  std::optional<Timestamp> as_of_;
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
