#include "lance/table/changed_fragment.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "lance/base/status_detail.h"
#include "lance/table/fragment_checks.h"

namespace lance::table {
namespace {

/// The path of the file that holds a field; "": none.
std::string_view HomeOf(int32_t field_id, const Fragment& fragment) {
  for (const DataFile& file : fragment.files) {
    if (std::ranges::find(file.field_ids, field_id) != file.field_ids.end()) return file.path;
  }
  return "";
}

}  // namespace

arrow::Status FragmentChanged(std::string_view operation, uint64_t fragment_id,
                              std::string_view how, uint64_t version) {
  return arrow::Status::AlreadyExists(operation, ": fragment ", fragment_id, " ", how,
                                      " in version ", version)
      .WithDetail(std::make_shared<CommitConflict>(version, "unknown", /*retryable=*/true));
}

FragmentFinder::FragmentFinder(std::vector<Fragment>* fragments) {
  by_id_.reserve(fragments->size());
  for (Fragment& fragment : *fragments) by_id_.emplace_back(fragment.id, &fragment);
  std::ranges::sort(by_id_);
}

Fragment* FragmentFinder::Find(uint64_t id) const {
  const auto found =
      std::ranges::lower_bound(by_id_, id, {}, &std::pair<uint64_t, Fragment*>::first);
  return found == by_id_.end() || found->first != id ? nullptr : found->second;
}

void CarryStamp(const Fragment& before, const Manifest& manifest, Fragment* after) {
  after->row_ids = before.row_ids;
  after->created_at_versions = before.created_at_versions;
  after->last_updated_at_versions = before.last_updated_at_versions;
  after->metadata = before.metadata;
  after->clustering_id = before.clustering_id;
  if (!before.clustering_id) return;
  const auto definition =
      std::ranges::find(manifest.clustering, *before.clustering_id, &ClusteringDefinition::id);
  if (definition == manifest.clustering.end()) return;
  for (const int32_t id : definition->field_ids) {
    if (HomeOf(id, before) == HomeOf(id, *after)) continue;
    after->clustering_id.reset();
    return;
  }
}

arrow::Status CheckChangedFiles(const Fragment& before, const Fragment& after,
                                const format::LanceSchema& schema, std::string_view data_version) {
  if (before.files == after.files) return arrow::Status::OK();
  if (before.physical_rows != after.physical_rows) {
    return arrow::Status::Invalid("fragment ", after.id, " would have ", after.physical_rows,
                                  " rows instead of ", before.physical_rows);
  }
  Fragment added;
  for (const DataFile& file : after.files) {
    if (std::ranges::find(before.files, file.path, &DataFile::path) != before.files.end()) continue;
    added.files.push_back(file);
  }
  const arrow::Status status = CheckFragmentFiles(added, after, schema, data_version);
  if (status.ok()) return status;
  return WithContext(status, "fragment " + std::to_string(after.id));
}

}  // namespace lance::table
