#include "lance/table/version_notes.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/base/time_text.h"
#include "lance/base/uuid.h"
#include "lance/table/manifest_names.h"
#include "lance/table/ref_json.h"
#include "lance/table/ref_names.h"

namespace lance::table {
namespace {

constexpr const char* kVersions = "versions";
constexpr const char* kCreatedAt = "createdAt";
// As for the files of a writer (table-format 10.6): no operation takes longer.
constexpr std::chrono::hours kMaxAge{7 * 24};
constexpr int kMaxPuts = 2;
// A cleanup removes few manifests between leaving its note and taking it back.
constexpr int kMaxLooks = 60;
constexpr std::chrono::milliseconds kFirstPause{10};  // later ones are longer: ten seconds in all
constexpr std::chrono::milliseconds kLongestPause{200};

std::string Serialize(const VersionNote& note) {
  return WriteRefJson({{kVersions, note.versions}, {kCreatedAt, ToText(note.created_at)}});
}

/// Also one from so far in the future: another's clock is wrong, and nothing may pin for ever.
bool IsStale(const VersionNote& note, Timestamp now) {
  return note.created_at < now - kMaxAge || note.created_at > now + kMaxAge;
}

/// The removal at work that names a version.
arrow::Result<std::optional<VersionNote>> FindRemoval(const VersionNotes& removals,
                                                      uint64_t version, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto notes, removals.List(run));
  for (VersionNote& note : notes) {
    if (note.versions.contains(version)) return std::move(note);
  }
  return std::nullopt;
}

/// Wait until no cleanup is removing a version. \return as VersionPin::Take
arrow::Status AwaitRemovals(const ManifestStore& manifests, uint64_t version,
                            const RunContext& run) {
  const VersionNotes removals(manifests.store(), NoteKind::kRemoval);
  for (int look = 1;; ++look) {
    // In this order: whoever has taken the note back has removed the manifest.
    ARROW_ASSIGN_OR_RAISE(const auto removal, FindRemoval(removals, version, run));
    ARROW_ASSIGN_OR_RAISE(const auto entry, manifests.FindVersion(version));
    const std::string number = std::to_string(version);
    if (!entry) return NotFoundError("version", number, "version " + number + " is not there");
    if (!removal) return arrow::Status::OK();
    if (look == kMaxLooks) {
      return arrow::Status::IOError(
          "version ", version, " is being removed by a cleanup that began at ",
          ToText(removal->created_at), "; try again, or, when it was killed, clean up again or ",
          "delete ", removals.PathOf(removal->name));
    }
    const auto pause = std::min(kFirstPause * look, kLongestPause);
    ARROW_RETURN_NOT_OK(run.clock->Sleep(pause, run.stop_token));
  }
}

}  // namespace

arrow::Result<VersionNote> ParseVersionNote(std::string name, std::string_view text) {
  if (text.empty()) return VersionNote{.name = std::move(name)};
  ARROW_ASSIGN_OR_RAISE(const RefJson json, ParseRefJson(text));
  VersionNote note{.name = std::move(name)};
  const auto versions = json.find(kVersions);
  if (versions == json.end() || !versions->is_array()) return BadRefMember(kVersions, "list");
  for (const RefJson& version : *versions) {
    if (!version.is_number_unsigned()) return BadRefMember(kVersions, "list of versions");
    note.versions.insert(version.get<uint64_t>());
  }
  ARROW_ASSIGN_OR_RAISE(const auto created_at, TextIn(json, kCreatedAt));
  const auto time = ParseTime(created_at.value_or(""));
  if (!time.ok()) return BadRefMember(kCreatedAt, "time");
  note.created_at = *time;
  return note;
}

VersionNotes::VersionNotes(const std::shared_ptr<ObjectStore>& store, NoteKind kind)
    : folder_(store, kind == NoteKind::kPin ? "pin" : "removal", CheckTagName) {}

arrow::Result<std::string> VersionNotes::Leave(const std::set<uint64_t>& versions,
                                               const RunContext& run) const {
  const VersionNote note{.name = Uuid::Random(*run.random).ToString(),
                         .created_at = run.clock->Now(),
                         .versions = versions};
  // The name is nobody else's, and the same bytes may be written again when a reply was lost. A
  // note need not outlive a loss of power: its operation does not.
  for (int i = 0; i < kMaxPuts; ++i) {
    ARROW_ASSIGN_OR_RAISE(const PutOutcome outcome,
                          folder_.Put(note.name, Serialize(note), PutMode::kOverwriteLazily));
    if (outcome == PutOutcome::kStored) return note.name;
  }
  return arrow::Status::IOError(folder_.PathOf(note.name),
                                ": the store does not say whether it was written");
}

arrow::Result<std::vector<VersionNote>> VersionNotes::ListAll(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const std::vector<std::string> names, folder_.ListNames());
  std::vector<VersionNote> notes;
  for (const std::string& name : names) {
    const auto text = folder_.Load(name, run);
    if (NotFound::From(text.status()) != nullptr) continue;  // taken back meanwhile
    ARROW_RETURN_NOT_OK(text.status());
    auto note = ParseVersionNote(name, *text);
    if (!note.ok()) return WithContext(note.status(), folder_.PathOf(name));
    notes.push_back(*std::move(note));
  }
  return notes;
}

arrow::Result<std::vector<VersionNote>> VersionNotes::List(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(auto notes, ListAll(run));
  std::erase_if(notes, [&](const VersionNote& note) { return IsStale(note, run.clock->Now()); });
  return notes;
}

arrow::Status VersionNotes::RemoveStale(const RunContext& run) const {
  ARROW_ASSIGN_OR_RAISE(const auto notes, ListAll(run));
  for (const VersionNote& note : notes) {
    if (IsStale(note, run.clock->Now())) ARROW_RETURN_NOT_OK(Remove(note.name));
  }
  return arrow::Status::OK();
}

arrow::Result<std::unique_ptr<VersionPin>> VersionPin::Take(const ManifestStore& manifests,
                                                            uint64_t version,
                                                            const RunContext& run) {
  VersionNotes pins(manifests.store(), NoteKind::kPin);
  ARROW_ASSIGN_OR_RAISE(std::string name, pins.Leave({version}, run));
  std::unique_ptr<VersionPin> pin(new VersionPin(std::move(pins), std::move(name)));
  // No cleanup removes detached versions.
  if (version < kFirstDetachedVersion) ARROW_RETURN_NOT_OK(AwaitRemovals(manifests, version, run));
  return pin;
}

VersionPin::~VersionPin() {
  if (!name_.empty()) (void)notes_.Remove(name_);
}

}  // namespace lance::table
