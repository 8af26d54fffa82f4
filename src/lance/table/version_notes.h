#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest_store.h"
#include "lance/table/ref_folder.h"

namespace lance::table {

// How whoever makes something of an old version, and a cleanup that removes old versions, see each
// other: each leaves a note in the versions' own place, and only then looks for the other's
// (docs/decisions/0013-notes-of-work.md). Other writers ignore these files.

/// What a note says is being done to versions.
enum class NoteKind { kPin, kRemoval };

/// The note of an operation that may be at work. A plain value.
struct VersionNote {
  std::string name;
  Timestamp created_at{};
  std::set<uint64_t> versions;
};

/// Parse a note. The empty text is a note of a time long ago: power was lost, and with it whoever
/// wrote it. \return SerializationError saying what is wrong
arrow::Result<VersionNote> ParseVersionNote(std::string name, std::string_view text);

/// Notes of one kind, `_refs/pins` or `_refs/removals`. Thread-safe.
class VersionNotes {
 public:
  /// \param store of the place that has the versions: the root, or the folder of a branch
  VersionNotes(const std::shared_ptr<ObjectStore>& store, NoteKind kind);

  /// Leave a note. \return its name, once everybody can see it; IOError when that is not sure
  arrow::Result<std::string> Leave(const std::set<uint64_t>& versions, const RunContext& run) const;

  /// The notes of operations that may be at work: those that are not older than seven days, as
  /// the files of a writer.
  arrow::Result<std::vector<VersionNote>> List(const RunContext& run) const;

  /// Remove the notes that List leaves out: their operations died.
  arrow::Status RemoveStale(const RunContext& run) const;

  /// Remove a note; OK when there is none.
  arrow::Status Remove(const std::string& name) const { return folder_.Delete(name); }

  /// Where a note is.
  std::string PathOf(const std::string& name) const { return folder_.PathOf(name); }

 private:
  arrow::Result<std::vector<VersionNote>> ListAll(const RunContext& run) const;

  RefFolder folder_;
};

/// Keeps a version from cleanups while something is made of it that will refer to it or to its
/// files, and that a cleanup can see afterwards: a newer version, a tag. Thread-compatible.
class VersionPin {
 public:
  /// Pin a version that is there, if need be after waiting for a cleanup at work.
  ///
  /// \return KeyError + NotFound{version} when it is not there, or goes; IOError when a cleanup
  ///   that may remove it does not come to an end
  static arrow::Result<std::unique_ptr<VersionPin>> Take(const ManifestStore& manifests,
                                                         uint64_t version, const RunContext& run);

  /// Take the note back, best effort: one that stays is stale after seven days.
  ~VersionPin();
  VersionPin(const VersionPin&) = delete;
  VersionPin& operator=(const VersionPin&) = delete;

  /// Let the note stay until it is stale, because what was made may still come to light.
  void LeaveBehind() { name_.clear(); }

 private:
  VersionPin(VersionNotes notes, std::string name)
      : notes_(std::move(notes)), name_(std::move(name)) {}

  VersionNotes notes_;
  std::string name_;  // empty: not ours to remove
};

}  // namespace lance::table
