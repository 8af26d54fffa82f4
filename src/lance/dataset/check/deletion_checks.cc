#include "lance/dataset/check/deletion_checks.h"

#include <utility>
#include <vector>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/table/deletion_file.h"

namespace lance::check {
namespace {

/// Compare a deletion file with what the fragment says of it. \return whether it can be used
bool CompareDeletions(const DeletionsCheck& check, const std::string& path,
                      const table::StoredDeletions& stored, Findings* findings) {
  const table::Fragment& fragment = check.fragment;
  const uint64_t count = stored.rows.size();
  const uint64_t stated = fragment.deletion_file->num_deleted_rows;
  if (stored.num_entries != count) {
    findings->Add(kDeletionTwice, path, "the file names ", stored.num_entries - count,
                  " rows more than once");
  }
  if (stated != 0 && stated != count) {
    findings->Add(kDeletionCountWrong, path, "the file deletes ", count, " rows, ", check.name,
                  " says ", stated);
  }
  const uint64_t beyond = table::CountBeyond(stored.rows, fragment.physical_rows);
  if (beyond == 0) return true;
  findings->Add(kDeletionOutOfRange, path, "the file deletes ", beyond, " rows beyond the ",
                fragment.physical_rows, " of ", check.name);
  return false;
}

}  // namespace

arrow::Result<std::optional<RowRanges>> CheckDeletions(const DeletionsCheck& check,
                                                       Findings* findings) {
  const table::Fragment& fragment = check.fragment;
  if (!fragment.deletion_file) return RowRanges::All(fragment.physical_rows);
  const std::string path = table::DeletionFilePath(fragment.id, *fragment.deletion_file);
  const auto stored = table::ReadStoredDeletions(check.store, fragment, check.run);
  if (!stored.ok()) {
    if (stored.status().IsCancelled()) return stored.status();
    findings->AddFailure(kDeletionFileBroken, path, stored.status());
    return std::nullopt;
  }
  if (!CompareDeletions(check, path, *stored, findings)) return std::nullopt;
  return RowsWithout(stored->rows, fragment.physical_rows);
}

std::string OldDeletions::KeyOf(const table::Manifest& manifest, const VersionLine& line,
                                const table::Fragment& fragment) {
  table::DeletionFile file = *fragment.deletion_file;
  const auto base_id = std::exchange(file.base_id, std::nullopt);
  const std::string path = table::DeletionFilePath(fragment.id, file);
  return files_->PathOf(manifest, line, base_id, path) + "\n" +
         std::to_string(file.num_deleted_rows) + " " + std::to_string(fragment.physical_rows);
}

void OldDeletions::LeaveOut(const table::Manifest& manifest, const VersionLine& line) {
  for (const table::Fragment& fragment : manifest.fragments) {
    if (fragment.deletion_file) seen_.insert(KeyOf(manifest, line, fragment));
  }
}

arrow::Status OldDeletions::Check(const Dataset::Impl& version, const VersionLine& line,
                                  Findings* findings) {
  const table::Manifest& manifest = version.manifest();
  std::vector<const table::Fragment*> fragments;
  for (const table::Fragment& fragment : manifest.fragments) {
    if (!fragment.deletion_file) continue;
    if (seen_.insert(KeyOf(manifest, line, fragment)).second) fragments.push_back(&fragment);
  }
  std::vector<Findings> found(fragments.size());
  const auto check = [&](int i) -> arrow::Status {
    const table::Fragment& fragment = *fragments[static_cast<size_t>(i)];
    const std::string path = table::DeletionFilePath(fragment.id, *fragment.deletion_file);
    if (NotFound::From(version.store->Head(path).status()) != nullptr) return arrow::Status::OK();
    return CheckDeletions(
               {.store = *version.store,
                .fragment = fragment,
                .name = NameOf(fragment) + " of version " + std::to_string(manifest.version),
                .run = run_},
               &found[static_cast<size_t>(i)])
        .status();
  };
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(found.size()), run_.num_threads, run_.stop_token, check));
  for (Findings& of_file : found) {
    of_file.RenamePaths(
        [&](const std::string& path) { return files_->ShownAs(manifest, line, path); });
    findings->Append(of_file);
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
