#include "lance/table/operation_facts.h"

#include <algorithm>
#include <limits>

namespace lance::table {

std::set<uint64_t> TouchedFragments(const Operation& operation) {
  std::set<uint64_t> ids;
  if (const auto* rewrite = std::get_if<Rewrite>(&operation)) {
    for (const RewriteGroup& group : rewrite->groups) {
      for (const Fragment& fragment : group.old_fragments) ids.insert(fragment.id);
    }
  }
  if (const auto* foreign = std::get_if<ForeignOperation>(&operation)) {
    ids.insert(foreign->touched_fragment_ids.begin(), foreign->touched_fragment_ids.end());
  }
  return ids;
}

ConfigChange ConfigChangeOf(const Operation& operation) {
  ConfigChange change;
  if (const auto* overwrite = std::get_if<Overwrite>(&operation)) {
    for (const auto& [key, value] : overwrite->config_upsert_values) change.upserted.insert(key);
  }
  const auto* update = std::get_if<UpdateConfig>(&operation);
  if (update != nullptr && update->config) {
    change.replaces_all = update->config->replace;
    for (const auto& [key, value] : update->config->entries) {
      (value ? change.upserted : change.deleted).insert(key);
    }
  }
  return change;
}

bool IndexChange::Writes(const std::string& name) const {
  return added.contains(name) || removed.contains(name);
}

bool IndexChange::RemovesSameSegmentAs(const IndexChange& other) const {
  return std::ranges::any_of(
      removed_segments, [&](const Uuid& uuid) { return other.removed_segments.contains(uuid); });
}

IndexChange IndexChangeOf(const CreateIndex& create) {
  IndexChange change;
  for (const IndexMetadata& index : create.new_indices) change.added.insert(index.name);
  for (const IndexMetadata& index : create.removed_indices) {
    change.removed.insert(index.name);
    change.removed_segments.insert(index.uuid);
  }
  return change;
}

arrow::Result<bool> CoversAny(const IndexMetadata& index, const std::set<uint64_t>& fragment_ids) {
  ARROW_ASSIGN_OR_RAISE(const auto coverage, index.Coverage());
  if (!coverage) return true;
  return std::ranges::any_of(fragment_ids, [&](uint64_t id) {
    return id <= std::numeric_limits<uint32_t>::max() &&
           coverage->Contains(static_cast<uint32_t>(id));
  });
}

}  // namespace lance::table
