#include "lance/table/apply_schema.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/table/base_path.h"
#include "lance/table/changed_fragment.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/field_ids.h"
#include "lance/table/fragment_checks.h"
#include "lance/table/fragment_ids.h"
#include "lance/table/keep_indices.h"

namespace lance::table {
namespace {

// Field ids from here down are hidden columns, which no schema names (table-format 2.4).
constexpr int32_t kFirstHiddenField = -3;

arrow::Status CheckIsThere(const format::LanceSchema& schema, std::string_view operation) {
  if (!schema.fields.empty()) return arrow::Status::OK();
  return arrow::Status::Invalid(operation, ": the schema has no columns; allowed: 1 and more");
}

arrow::Status CheckNullability(const format::LanceSchema& before, const format::LanceSchema& after,
                               bool preserves_nullability) {
  if (!preserves_nullability) return arrow::Status::OK();
  for (const format::SchemaField& field : after.fields) {
    const format::SchemaField* old = before.FindById(field.id);
    if (field.nullable || (old != nullptr && !old->nullable)) continue;
    return arrow::Status::Invalid("field ", field.name, " becomes not nullable, although the ",
                                  "operation says that no column becomes stricter about nulls");
  }
  return arrow::Status::OK();
}

bool HoldsField(const Fragment& fragment, int32_t field_id) {
  return std::ranges::any_of(fragment.files, [&](const DataFile& file) {
    return std::ranges::find(file.field_ids, field_id) != file.field_ids.end();
  });
}

/// Take the files of a merge over into a fragment that is there.
arrow::Status MergeFragment(const Fragment& merged, const format::LanceSchema& schema,
                            const Manifest& manifest, Fragment* present) {
  if (merged.deletion_file != present->deletion_file) {
    return FragmentChanged("merge", merged.id, "has other deletions", manifest.version - 1);
  }
  ARROW_RETURN_NOT_OK(CheckChangedFiles(*present, merged, schema, manifest.data_storage_version));
  if (merged.files == present->files) return arrow::Status::OK();
  Fragment after = *present;
  after.files = merged.files;
  CarryStamp(*present, manifest, &after);
  *present = std::move(after);
  return arrow::Status::OK();
}

/// Fields keep their type and place unless every file that held them is replaced.
arrow::Status CheckMergedSchema(const Merge& merge, const Manifest& manifest) {
  const int32_t next_id = NextFieldId(manifest);
  for (const format::SchemaField& field : merge.schema.fields) {
    const format::SchemaField* before = manifest.schema.FindById(field.id);
    if (before == nullptr && field.id < next_id) {
      return arrow::Status::Invalid("merge: new field ", field.name, " has id ", field.id,
                                    "; allowed: ", next_id, " and up");
    }
    if (before == nullptr) continue;
    if (before->parent_id == field.parent_id && before->logical_type == field.logical_type) {
      continue;
    }
    const bool is_stored = std::ranges::any_of(
        manifest.fragments, [&](const Fragment& f) { return HoldsField(f, field.id); });
    if (!is_stored) continue;
    return arrow::Status::Invalid("merge: field ", field.name, " of type ", before->logical_type,
                                  " becomes ", field.logical_type, " under its id ", field.id,
                                  "; allowed: a new id");
  }
  return CheckNullability(manifest.schema, merge.schema, merge.preserves_nullability);
}

/// A column that was cast has a new id: fragments that were organized by the old one lose their
/// stamp, although the old file may still be there (contract section 3).
void LoseStampsOfGoneFields(const format::LanceSchema& after, Manifest* manifest) {
  std::set<uint32_t> gone;
  for (const ClusteringDefinition& definition : manifest->clustering) {
    for (const int32_t id : definition.field_ids) {
      if (manifest->schema.FindById(id) == nullptr || after.FindById(id) != nullptr) continue;
      gone.insert(definition.id);
    }
  }
  if (gone.empty()) return;
  for (Fragment& fragment : manifest->fragments) {
    if (fragment.clustering_id && gone.contains(*fragment.clustering_id)) {
      fragment.clustering_id.reset();
    }
  }
}

}  // namespace

arrow::Status ApplyMerge(const Merge& merge, Manifest* manifest) {
  ARROW_RETURN_NOT_OK(CheckIsThere(merge.schema, "merge"));
  ARROW_RETURN_NOT_OK(CheckMergedSchema(merge, *manifest));
  const FragmentFinder finder(&manifest->fragments);
  std::unordered_set<uint64_t> seen;
  std::vector<Fragment> added;
  for (const Fragment& merged : merge.fragments) {
    Fragment* present = finder.Find(merged.id);
    // A second fragment 0 is a new one without id.
    if (present == nullptr || !seen.insert(merged.id).second) {
      added.push_back(merged);
      continue;
    }
    ARROW_RETURN_NOT_OK(MergeFragment(merged, merge.schema, *manifest, present));
  }
  for (const Fragment& fragment : manifest->fragments) {
    if (seen.contains(fragment.id)) continue;
    return FragmentChanged("merge", fragment.id, "is not in the operation", manifest->version - 1);
  }
  ARROW_RETURN_NOT_OK(
      CheckNewFragments(added, merge.schema, manifest->data_storage_version, StrayFields::kAllow));
  ARROW_RETURN_NOT_OK(CheckFilesAreNew(added, manifest->fragments));
  ARROW_RETURN_NOT_OK(AssignFragmentIds(/*keep_ids=*/true, manifest, &added));
  manifest->fragments.insert(manifest->fragments.end(), added.begin(), added.end());
  LoseStampsOfGoneFields(merge.schema, manifest);
  manifest->schema = merge.schema;
  return KeepRelevantIndices(manifest);
}

arrow::Status ApplyProject(const Project& project, Manifest* manifest) {
  ARROW_RETURN_NOT_OK(CheckIsThere(project.schema, "project"));
  for (const format::SchemaField& field : project.schema.fields) {
    const format::SchemaField* before = manifest->schema.FindById(field.id);
    if (before == nullptr) {
      return arrow::Status::Invalid("project: field ", field.name, " has id ", field.id,
                                    ", which is not in the schema");
    }
    if (before->parent_id == field.parent_id && before->logical_type == field.logical_type) {
      continue;
    }
    return arrow::Status::Invalid("project: field ", field.name, " changes its type from ",
                                  before->logical_type, " to ", field.logical_type,
                                  " or its parent; allowed: neither");
  }
  ARROW_RETURN_NOT_OK(
      CheckNullability(manifest->schema, project.schema, project.preserves_nullability));
  std::unordered_set<int32_t> left;
  for (const format::SchemaField& field : project.schema.fields) left.insert(field.id);
  for (Fragment& fragment : manifest->fragments) {
    std::erase_if(fragment.files, [&](const DataFile& file) {
      return std::ranges::none_of(
          file.field_ids, [&](int32_t id) { return left.contains(id) || id <= kFirstHiddenField; });
    });
  }
  auto metadata = std::move(manifest->schema.metadata);
  manifest->schema = project.schema;
  manifest->schema.metadata = std::move(metadata);
  return KeepRelevantIndices(manifest);
}

arrow::Status ApplyUpdateBases(const UpdateBases& update, Manifest* manifest) {
  return AddBasePaths(update.new_bases, BaseNames::kUnique, &manifest->base_paths);
}

arrow::Status ApplyRestore(const Manifest& restored, Manifest* manifest) {
  if (manifest->max_allocated_field_id && !restored.max_allocated_field_id) {
    return arrow::Status::Invalid("restore: version ", restored.version, " is from before field ",
                                  "ids were never used again; allowed: later ones");
  }
  Manifest next = restored;
  next.version = manifest->version;
  next.timestamp = manifest->timestamp;
  next.tag = manifest->tag;
  next.transaction_file = manifest->transaction_file;
  next.writer_version = manifest->writer_version;
  if (manifest->max_fragment_id) {
    next.max_fragment_id = std::max(next.max_fragment_id.value_or(0), *manifest->max_fragment_id);
  }
  next.next_row_id = std::max(next.next_row_id, manifest->next_row_id);
  if (manifest->max_allocated_field_id) {
    next.max_allocated_field_id =
        std::max(*next.max_allocated_field_id, *manifest->max_allocated_field_id);
  }
  // Sticky flags of both; the others are computed from the content.
  next.reader_feature_flags |= manifest->reader_feature_flags;
  next.writer_feature_flags |= manifest->writer_feature_flags;
  KeepClusteringMarks(*manifest, &next);
  *manifest = std::move(next);
  return arrow::Status::OK();
}

}  // namespace lance::table
