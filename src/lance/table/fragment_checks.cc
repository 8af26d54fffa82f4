#include "lance/table/fragment_checks.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lance/base/status_detail.h"
#include "lance/table/data_version.h"
#include "lance/table/manifest_names.h"

namespace lance::table {
namespace {

constexpr int32_t kTombstone = -2;

/// The top-level ancestor of every field of a schema. \pre parents come before their children
std::unordered_map<int32_t, int32_t> RootsOf(const format::LanceSchema& schema) {
  std::unordered_map<int32_t, int32_t> roots;
  for (const format::SchemaField& field : schema.fields) {
    const auto parent = roots.find(field.parent_id);
    roots.emplace(field.id, parent == roots.end() ? field.id : parent->second);
  }
  return roots;
}

arrow::Status CheckFile(const DataFile& file, std::string_view data_version) {
  const arrow::Status name = CheckFileName(file.path, "data file path");
  if (!name.ok()) return arrow::Status::Invalid(name.message());
  if (file.field_ids.empty()) return arrow::Status::Invalid("data file holds no field");
  if (file.field_ids.size() != file.column_indices.size()) {
    return arrow::Status::Invalid("data file has ", file.field_ids.size(), " fields and ",
                                  file.column_indices.size(), " column indices");
  }
  ARROW_ASSIGN_OR_RAISE(const std::string version, DataVersionOf(file));
  if (version == data_version) return arrow::Status::OK();
  return arrow::Status::Invalid("data file has data version ", version, ", the table has ",
                                data_version);
}

/// Check that a fragment's files hold fields of the schema, each once, and no required column
/// lacks.
arrow::Status CheckFields(const Fragment& fragment, const format::LanceSchema& schema,
                          const std::unordered_map<int32_t, int32_t>& roots,
                          StrayFields stray_fields) {
  std::set<int32_t> held;
  std::set<int32_t> held_roots;
  for (const DataFile& file : fragment.files) {
    for (const int32_t id : file.field_ids) {
      const auto root = roots.find(id);
      if (root == roots.end()) {
        if (stray_fields == StrayFields::kAllow) continue;
        return arrow::Status::Invalid("data file ", file.path, " holds field ", id,
                                      ", which the schema does not have");
      }
      if (!held.insert(id).second) {
        return arrow::Status::Invalid("data file ", file.path, " holds field ", id,
                                      ", which is there already; allowed: once in a fragment");
      }
      held_roots.insert(root->second);
    }
  }
  for (const format::SchemaField& field : schema.fields) {
    if (field.parent_id == -1 && !field.nullable && !held_roots.contains(field.id)) {
      return arrow::Status::Invalid("column ", field.name,
                                    " is missing in a fragment; only nullable columns may be");
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckFragment(const Fragment& fragment, std::string_view data_version) {
  if (fragment.physical_rows == 0 ||
      fragment.physical_rows > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::Invalid("a fragment has ", fragment.physical_rows,
                                  " rows; allowed: 1 to 4294967295");
  }
  if (fragment.files.empty()) return arrow::Status::Invalid("a fragment has no data file");
  for (const DataFile& file : fragment.files) {
    const arrow::Status status = CheckFile(file, data_version);
    if (!status.ok()) return WithContext(status, file.path);
  }
  return arrow::Status::OK();
}

bool HoldsNothing(const DataFile& file) {
  return !file.field_ids.empty() &&
         std::ranges::all_of(file.field_ids, [](int32_t id) { return id == kTombstone; });
}

bool IsAllDeleted(const Fragment& fragment) {
  // physical_rows 0 means that an old writer did not count, not that there are none.
  return fragment.physical_rows > 0 && fragment.live_rows() == 0;
}

}  // namespace

arrow::Status CheckNewFragments(const std::vector<Fragment>& fragments,
                                const format::LanceSchema& schema, std::string_view data_version,
                                StrayFields stray_fields) {
  const auto roots = RootsOf(schema);
  for (const Fragment& fragment : fragments) {
    ARROW_RETURN_NOT_OK(CheckFragment(fragment, data_version));
    ARROW_RETURN_NOT_OK(CheckFields(fragment, schema, roots, stray_fields));
  }
  return arrow::Status::OK();
}

arrow::Status CheckFragmentFiles(const Fragment& added, const Fragment& fragment,
                                 const format::LanceSchema& schema, std::string_view data_version) {
  for (const DataFile& file : added.files) {
    ARROW_RETURN_NOT_OK(CheckFile(file, data_version));
  }
  return CheckFields(fragment, schema, RootsOf(schema), StrayFields::kAllow);
}

arrow::Status CheckFilesAreNew(const std::vector<Fragment>& added,
                               const std::vector<Fragment>& present) {
  std::unordered_set<std::string_view> paths;
  for (const Fragment& fragment : present) {
    for (const DataFile& file : fragment.files) paths.insert(file.path);
  }
  for (const Fragment& fragment : added) {
    for (const DataFile& file : fragment.files) {
      if (paths.insert(file.path).second) continue;
      return arrow::Status::Invalid("data file ", file.path,
                                    " is in the table already; allowed: once");
    }
  }
  return arrow::Status::OK();
}

void TidyFragments(std::vector<Fragment>* fragments) {
  for (Fragment& fragment : *fragments) std::erase_if(fragment.files, HoldsNothing);
  std::erase_if(*fragments, IsAllDeleted);
  std::ranges::stable_sort(*fragments, {}, &Fragment::id);
}

arrow::Status CheckFragmentIdsAreUnique(const std::vector<Fragment>& fragments) {
  const auto twice = std::ranges::adjacent_find(fragments, {}, &Fragment::id);
  if (twice == fragments.end()) return arrow::Status::OK();
  return arrow::Status::Invalid("fragment id ", twice->id,
                                " is there twice; allowed: once in a manifest");
}

}  // namespace lance::table
