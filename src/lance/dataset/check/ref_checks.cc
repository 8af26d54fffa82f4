#include "lance/dataset/check/ref_checks.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/branches.h"
#include "lance/table/ref_names.h"
#include "lance/table/tags.h"
#include "lance/table/version_notes.h"
#include "lance/table/whole_file.h"

namespace lance::check {
namespace {

constexpr std::string_view kExtension = ".json";
// A description has a few hundred bytes; a larger file is none.
constexpr uint64_t kMaxRefBytes = 1 << 20;

/// A description of a tag or a branch, as it is stored.
struct RefFile {
  std::string path;
  std::string name;
  std::string text;
};

/// Read one description. \return SerializationError: its name or its size is not that of one
arrow::Result<RefFile> ReadRef(ObjectStore& store, const std::string& path, uint64_t size_bytes,
                               const RunContext& run) {
  std::string_view stem = std::string_view(path).substr(path.rfind('/') + 1);
  stem.remove_suffix(kExtension.size());
  RefFile file{.path = path};
  const auto name = table::DecodeRefName(stem);
  if (!name) return arrow::Status::SerializationError("the file's name is not that of a ref");
  file.name = *name;
  if (size_bytes > kMaxRefBytes) {
    return arrow::Status::SerializationError("the file has ", size_bytes,
                                             " bytes; allowed: ", kMaxRefBytes);
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, table::ReadWhole(store, path, size_bytes, run));
  file.text = std::string(std::string_view(*bytes));
  return file;
}

/// What is wrong with a file when it cannot be read. \return null: it is no description
const FindingKind* KindOf(std::string_view path) {
  if (path.starts_with("_refs/tags/")) return &kTagBroken;
  if (path.starts_with("_refs/branches/")) return &kBranchBroken;
  // Branches have notes in their own folders.
  const bool has_place = path.starts_with("_refs/") || path.starts_with("tree/");
  const bool is_note = path.find("_refs/pins/") != std::string_view::npos ||
                       path.find("_refs/removals/") != std::string_view::npos;
  return has_place && is_note ? &kNoteBroken : nullptr;
}

/// The version that a tag names, if it is there.
const VersionFile* FindTagged(const table::Tag& tag, const StoredTable& stored) {
  const auto line = stored.lines.find(tag.branch.value_or(""));
  return line == stored.lines.end() ? nullptr : line->second.Find(tag.version);
}

void CheckTag(const RefFile& file, const StoredTable& stored, Findings* findings) {
  const arrow::Status name = table::CheckTagName(file.name);
  if (!name.ok()) {
    findings->AddFailure(kTagBroken, file.path, name);
    return;
  }
  const auto tag = table::ParseTag(file.name, file.text);
  if (!tag.ok()) {
    findings->AddFailure(kTagBroken, file.path, tag.status());
    return;
  }
  const VersionFile* version = FindTagged(*tag, stored);
  if (version == nullptr) {
    findings->Add(kTagDangling, file.path, "tag ", tag->name, " names version ", tag->version,
                  tag->branch ? " of branch " + *tag->branch : "", ", which is not there");
  } else if (version->size_bytes != tag->manifest_size) {
    findings->Add(kTagSizeWrong, file.path, "tag ", tag->name,
                  " says that the manifest of version ", tag->version, " has ", tag->manifest_size,
                  " bytes, it has ", version->size_bytes, "; nobody depends on it");
  }
}

void CheckBranch(const RefFile& file, const StoredTable& stored, Findings* findings) {
  arrow::Status described = table::CheckBranchName(file.name);
  if (described.ok()) described = table::ParseBranch(file.name, file.text).status();
  if (!described.ok()) {
    findings->AddFailure(kBranchBroken, file.path, described);
    return;
  }
  const auto line = stored.lines.find(file.name);
  if (line == stored.lines.end() || line->second.versions.empty()) {
    findings->Add(kBranchDangling, file.path, "branch ", file.name, " has no version: tree/",
                  file.name, "/_versions holds no manifest");
  }
}

/// Branches of which only the folder is there: what a creation that was cut short leaves.
void CheckUnlisted(const StoredTable& stored, const std::vector<std::string>& branches,
                   Findings* findings) {
  for (const auto& [name, line] : stored.lines) {
    if (name.empty() || std::ranges::find(branches, name) != branches.end()) continue;
    findings->Add(kBranchUnlisted, line.prefix(), "the folder of branch ", name,
                  " is there, its description is not: there is no such branch");
  }
}

}  // namespace

arrow::Status CheckRefs(ObjectStore& store, const StoredTable& stored, const RunContext& run,
                        Findings* findings) {
  std::vector<std::string> paths;
  for (const auto& [path, size] : stored.sizes) {
    if (path.ends_with(kExtension)) paths.push_back(path);
  }
  std::ranges::sort(paths);
  std::vector<std::string> branches;
  for (const std::string& path : paths) {
    const FindingKind* const broken = KindOf(path);
    if (broken == nullptr) continue;
    const auto file = ReadRef(store, path, stored.sizes.at(path), run);
    if (!file.ok()) {
      if (file.status().IsCancelled()) return file.status();
      if (NotFound::From(file.status()) != nullptr) continue;  // deleted meanwhile
      findings->AddFailure(*broken, path, file.status());
    } else if (broken == &kTagBroken) {
      CheckTag(*file, stored, findings);
    } else if (broken == &kNoteBroken) {
      const auto note = table::ParseVersionNote(file->name, file->text);
      if (!note.ok()) findings->AddFailure(kNoteBroken, path, note.status());
    } else {
      branches.push_back(file->name);
      CheckBranch(*file, stored, findings);
    }
  }
  CheckUnlisted(stored, branches, findings);
  return arrow::Status::OK();
}

}  // namespace lance::check
