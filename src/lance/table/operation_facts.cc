#include "lance/table/operation_facts.h"

#include <algorithm>
#include <limits>

namespace lance::table {

namespace {

using FragmentIds = std::set<uint64_t>;

void AddIds(const std::vector<Fragment>& fragments, FragmentIds* ids) {
  for (const Fragment& fragment : fragments) ids->insert(fragment.id);
}

/// Collects the fragments that an operation changes in place or removes.
struct TouchedBy {
  FragmentIds* ids;

  void operator()(const Delete& deletion) const {
    AddIds(deletion.updated_fragments, ids);
    ids->insert(deletion.deleted_fragment_ids.begin(), deletion.deleted_fragment_ids.end());
  }
  void operator()(const Update& update) const {
    AddIds(update.updated_fragments, ids);
    ids->insert(update.removed_fragment_ids.begin(), update.removed_fragment_ids.end());
  }
  void operator()(const Rewrite& rewrite) const {
    for (const RewriteGroup& group : rewrite.groups) AddIds(group.old_fragments, ids);
  }
  void operator()(const DataReplacement& replacement) const {
    for (const DataReplacementGroup& group : replacement.groups) ids->insert(group.fragment_id);
  }
  void operator()(const ForeignOperation& foreign) const {
    for (const OverlaidFragment& overlaid : foreign.overlaid) ids->insert(overlaid.fragment_id);
  }
  template <typename Other>
  void operator()(const Other&) const {}
};

}  // namespace

std::set<uint64_t> TouchedFragments(const Operation& operation) {
  FragmentIds ids;
  std::visit(TouchedBy{&ids}, operation);
  return ids;
}

std::set<uint64_t> RemovedFragments(const Operation& operation) {
  if (const auto* deletion = std::get_if<Delete>(&operation)) {
    return {deletion->deleted_fragment_ids.begin(), deletion->deleted_fragment_ids.end()};
  }
  if (const auto* update = std::get_if<Update>(&operation)) {
    return {update->removed_fragment_ids.begin(), update->removed_fragment_ids.end()};
  }
  return {};
}

std::set<int32_t> WrittenFields(const Operation& operation) {
  std::set<int32_t> ids;
  if (const auto* update = std::get_if<Update>(&operation)) {
    ids.insert(update->fields_modified.begin(), update->fields_modified.end());
  }
  if (const auto* replacement = std::get_if<DataReplacement>(&operation)) {
    for (const DataReplacementGroup& group : replacement->groups) {
      ids.insert(group.new_file.field_ids.begin(), group.new_file.field_ids.end());
    }
  }
  return ids;
}

bool PreservesNullability(const Operation& operation) {
  if (const auto* merge = std::get_if<Merge>(&operation)) return merge->preserves_nullability;
  if (const auto* project = std::get_if<Project>(&operation)) return project->preserves_nullability;
  return true;
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
