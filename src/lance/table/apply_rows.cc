#include "lance/table/apply_rows.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/table/changed_fragment.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/fragment_checks.h"
#include "lance/table/fragment_ids.h"
#include "lance/table/keep_indices.h"

namespace lance::table {
namespace {

constexpr int32_t kTombstone = -2;

void DropFragments(const std::vector<uint64_t>& ids, Manifest* manifest) {
  const std::unordered_set<uint64_t> gone(ids.begin(), ids.end());
  std::erase_if(manifest->fragments, [&](const Fragment& f) { return gone.contains(f.id); });
}

/// Check that every id to drop is there, and is not changed as well.
arrow::Status CheckDropped(std::string_view operation, const std::vector<uint64_t>& ids,
                           const FragmentFinder& finder, const std::vector<Fragment>& updated,
                           uint64_t version) {
  for (const uint64_t id : ids) {
    if (finder.Find(id) == nullptr) return FragmentChanged(operation, id, "is not there", version);
    if (std::ranges::find(updated, id, &Fragment::id) != updated.end()) {
      return arrow::Status::Invalid(operation, ": fragment ", id,
                                    " is both changed and removed; allowed: one of them");
    }
  }
  return arrow::Status::OK();
}

/// Deleted rows never come back.
arrow::Status CheckDeletions(std::string_view operation, const Fragment& before,
                             const Fragment& after) {
  const uint64_t was = before.deletion_file ? before.deletion_file->num_deleted_rows : 0;
  const uint64_t is = after.deletion_file ? after.deletion_file->num_deleted_rows : 0;
  const bool forgets = before.deletion_file && (!after.deletion_file || is < was);
  const bool has_too_many = after.physical_rows > 0 && is > after.physical_rows;
  if (!forgets && !has_too_many) return arrow::Status::OK();
  return arrow::Status::Invalid(operation, ": fragment ", before.id, " would have ", is,
                                " deleted rows; it has ", was, " of ", before.physical_rows);
}

arrow::Status ReplaceFragment(const Fragment& changed, const FragmentFinder& finder,
                              const Manifest& manifest) {
  Fragment* present = finder.Find(changed.id);
  if (present == nullptr) {
    return FragmentChanged("update", changed.id, "is not there", manifest.version - 1);
  }
  ARROW_RETURN_NOT_OK(CheckDeletions("update", *present, changed));
  ARROW_RETURN_NOT_OK(
      CheckChangedFiles(*present, changed, manifest.schema, manifest.data_storage_version));
  Fragment after = changed;
  CarryStamp(*present, manifest, &after);
  *present = std::move(after);
  return arrow::Status::OK();
}

/// Put one data file into a fragment: in the place of one with the same fields, or beside the
/// others, where its fields are struck out.
void PlaceFile(const DataFile& file, Fragment* fragment) {
  for (DataFile& present : fragment->files) {
    if (present.field_ids == file.field_ids && present.major_version == file.major_version &&
        present.minor_version == file.minor_version) {
      present = file;
      return;
    }
  }
  for (DataFile& present : fragment->files) {
    for (int32_t& id : present.field_ids) {
      if (std::ranges::find(file.field_ids, id) != file.field_ids.end()) id = kTombstone;
    }
  }
  fragment->files.push_back(file);
}

arrow::Status ReplaceColumns(const DataReplacementGroup& group, const FragmentFinder& finder,
                             const Manifest& manifest) {
  Fragment* present = finder.Find(group.fragment_id);
  if (present == nullptr) {
    return FragmentChanged("data replacement", group.fragment_id, "is not there",
                           manifest.version - 1);
  }
  for (const int32_t id : group.new_file.field_ids) {
    if (manifest.schema.FindById(id) != nullptr) continue;
    return arrow::Status::Invalid("data replacement: field id ", id, " is not in the schema");
  }
  Fragment after = *present;
  PlaceFile(group.new_file, &after);
  ARROW_RETURN_NOT_OK(
      CheckChangedFiles(*present, after, manifest.schema, manifest.data_storage_version));
  CarryStamp(*present, manifest, &after);
  *present = std::move(after);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ApplyDelete(const Delete& deletion, Manifest* manifest) {
  const FragmentFinder finder(&manifest->fragments);
  ARROW_RETURN_NOT_OK(CheckDropped("delete", deletion.deleted_fragment_ids, finder,
                                   deletion.updated_fragments, manifest->version - 1));
  for (const Fragment& updated : deletion.updated_fragments) {
    Fragment* present = finder.Find(updated.id);
    if (present == nullptr) {
      return FragmentChanged("delete", updated.id, "is not there", manifest->version - 1);
    }
    ARROW_RETURN_NOT_OK(CheckDeletions("delete", *present, updated));
    present->deletion_file = updated.deletion_file;
  }
  DropFragments(deletion.deleted_fragment_ids, manifest);
  return KeepRelevantIndices(manifest);
}

arrow::Status ApplyUpdate(const Update& update, Manifest* manifest) {
  if (!update.compacted_sstables.empty()) {
    return UnsupportedError("memory WAL", "committing an update of a memory WAL is not supported");
  }
  std::vector<Fragment> added = update.new_fragments;
  ARROW_RETURN_NOT_OK(CheckNewFragments(added, manifest->schema, manifest->data_storage_version,
                                        StrayFields::kAllow));
  ARROW_RETURN_NOT_OK(CheckFilesAreNew(added, manifest->fragments));
  const FragmentFinder finder(&manifest->fragments);
  ARROW_RETURN_NOT_OK(CheckDropped("update", update.removed_fragment_ids, finder,
                                   update.updated_fragments, manifest->version - 1));
  std::set<uint64_t> changed;
  for (const Fragment& fragment : update.updated_fragments) {
    ARROW_RETURN_NOT_OK(ReplaceFragment(fragment, finder, *manifest));
    changed.insert(fragment.id);
  }
  const std::set<int32_t> modified(update.fields_modified.begin(), update.fields_modified.end());
  ARROW_RETURN_NOT_OK(UncoverFragments(changed, modified, manifest));
  DropFragments(update.removed_fragment_ids, manifest);
  for (Fragment& fragment : added) ClearStamp(&fragment);
  ARROW_RETURN_NOT_OK(AssignFragmentIds(/*keep_ids=*/true, manifest, &added));
  manifest->fragments.insert(manifest->fragments.end(), added.begin(), added.end());
  ARROW_RETURN_NOT_OK(CoverMovedRows(update, added, manifest));
  return KeepRelevantIndices(manifest);
}

arrow::Status ApplyDataReplacement(const DataReplacement& replacement, Manifest* manifest) {
  const FragmentFinder finder(&manifest->fragments);
  std::set<uint64_t> changed;
  std::set<int32_t> replaced;
  std::vector<Fragment> new_files(1);
  for (const DataReplacementGroup& group : replacement.groups) {
    if (group.new_file.field_ids != replacement.groups.front().new_file.field_ids) {
      return arrow::Status::Invalid("data replacement: file ", group.new_file.path,
                                    " holds other fields than the first one; allowed: the same");
    }
    new_files.front().files.push_back(group.new_file);
  }
  ARROW_RETURN_NOT_OK(CheckFilesAreNew(new_files, manifest->fragments));
  for (const DataReplacementGroup& group : replacement.groups) {
    if (!changed.insert(group.fragment_id).second) {
      return arrow::Status::Invalid("data replacement: fragment ", group.fragment_id,
                                    " is named twice; allowed: once");
    }
    ARROW_RETURN_NOT_OK(ReplaceColumns(group, finder, *manifest));
    replaced.insert(group.new_file.field_ids.begin(), group.new_file.field_ids.end());
  }
  return UncoverFragments(changed, replaced, manifest);
}

}  // namespace lance::table
