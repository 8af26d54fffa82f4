#include "lance/table/stamp_operation.h"

#include "lance/table/clustering_metadata.h"

namespace lance::table {
namespace {

/// Lists of the fragments that an operation adds: one, or one per group of a rewrite.
std::vector<std::vector<Fragment>*> NewFragmentsOf(Operation* operation) {
  std::vector<std::vector<Fragment>*> lists;
  if (auto* append = std::get_if<Append>(operation)) lists.push_back(&append->fragments);
  if (auto* overwrite = std::get_if<Overwrite>(operation)) lists.push_back(&overwrite->fragments);
  if (auto* rewrite = std::get_if<Rewrite>(operation)) {
    for (RewriteGroup& group : rewrite->groups) lists.push_back(&group.new_fragments);
  }
  return lists;
}

}  // namespace

arrow::Status StampNewFragments(uint32_t clustering_id, uint64_t version,
                                const std::vector<std::string>& group_ids, Operation* operation) {
  if (group_ids.empty()) return arrow::Status::OK();
  const auto lists = NewFragmentsOf(operation);
  if (lists.size() != group_ids.size()) {
    return arrow::Status::Invalid(OperationName(*operation), " got ", group_ids.size(),
                                  " clustering groups; allowed: ", lists.size());
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    for (Fragment& fragment : *lists[i]) {
      WriteStamp(clustering_id, version, group_ids[i], &fragment);
    }
  }
  return arrow::Status::OK();
}

void ClearStamps(Operation* operation) {
  for (std::vector<Fragment>* list : NewFragmentsOf(operation)) {
    for (Fragment& fragment : *list) ClearStamp(&fragment);
  }
}

}  // namespace lance::table
