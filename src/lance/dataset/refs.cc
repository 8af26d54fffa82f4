#include "lance/refs.h"

#include <algorithm>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/base/time_text.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/tags.h"

namespace lance {
namespace {

TagInfo Describe(table::Tag tag) {
  return {.name = std::move(tag.name),
          .branch = tag.branch.value_or(""),
          .version = tag.version,
          .created_at = tag.created_at,
          .updated_at = tag.updated_at,
          .manifest_size_bytes = tag.manifest_size,
          .metadata = std::move(tag.metadata)};
}

table::TagStore TagsOf(const Dataset& dataset) {
  return table::TagStore(dataset.impl().opened.store);
}

/// The version that a tag names.
arrow::Result<uint64_t> VersionOfTag(const std::shared_ptr<ObjectStore>& store,
                                     const std::string& name, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const table::Tag tag, table::TagStore(store).Load(name, run));
  if (!tag.branch) return tag.version;
  return UnsupportedError("branches", "tag " + name + " names version " +
                                          std::to_string(tag.version) + " of branch " +
                                          *tag.branch + "; this version opens no branches");
}

/// The newest version that is not later than a time.
arrow::Result<table::LoadedManifest> LoadAsOf(const table::ManifestStore& manifests, Timestamp time,
                                              const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto entries, manifests.ListVersions());
  std::ranges::sort(entries, std::greater(), &table::VersionEntry::version);
  for (const table::VersionEntry& entry : entries) {
    auto loaded = manifests.Load(entry.version, run);
    if (!loaded.ok() && NotFound::From(loaded.status()) != nullptr) continue;  // cleaned up
    if (!loaded.ok() || loaded->manifest.timestamp <= time) return loaded;
  }
  return NotFoundError("version", ToText(time), "no version is as old as " + ToText(time));
}

}  // namespace

Ref Ref::Version(uint64_t version) {
  Ref ref;
  ref.version_ = version;
  return ref;
}

Ref Ref::Tag(std::string name) {
  Ref ref;
  ref.tag_ = std::move(name);
  return ref;
}

Ref Ref::AsOf(Timestamp time) {
  Ref ref;
  ref.as_of_ = time;
  return ref;
}

arrow::Result<table::LoadedManifest> LoadRef(const std::shared_ptr<ObjectStore>& store,
                                             const Ref& ref, const RunContext& run) {
  const table::ManifestStore manifests(store);
  if (ref.as_of()) return LoadAsOf(manifests, *ref.as_of(), run);
  if (ref.is_latest()) return manifests.LoadLatest(run);
  if (ref.tag().empty()) return manifests.Load(ref.version(), run);
  ARROW_ASSIGN_OR_RAISE(const uint64_t version, VersionOfTag(store, ref.tag(), run));
  return manifests.Load(version, run);
}

arrow::Result<std::vector<TagInfo>> ListTags(const Dataset& dataset, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(auto tags, TagsOf(dataset).List(dataset.impl().Run(call)));
  std::vector<TagInfo> described;
  for (table::Tag& tag : tags) described.push_back(Describe(std::move(tag)));
  return described;
}

arrow::Result<TagInfo> CreateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  const Timestamp now = run.clock->Now();
  table::Tag tag{.name = name,
                 .version = dataset.version(),
                 .created_at = now,
                 .updated_at = now,
                 .manifest_size = dataset.impl().loaded->size_bytes};
  ARROW_RETURN_NOT_OK(TagsOf(dataset).Create(tag));
  return Describe(std::move(tag));
}

arrow::Result<TagInfo> UpdateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  ARROW_ASSIGN_OR_RAISE(table::Tag tag, TagsOf(dataset).Load(name, run));
  tag.branch.reset();
  tag.version = dataset.version();
  tag.updated_at = run.clock->Now();
  tag.manifest_size = dataset.impl().loaded->size_bytes;
  ARROW_RETURN_NOT_OK(TagsOf(dataset).Update(tag, run));
  return Describe(std::move(tag));
}

arrow::Status DeleteTag(const Dataset& dataset, const std::string& name, const CallOptions& call) {
  return TagsOf(dataset).Delete(name, dataset.impl().Run(call));
}

}  // namespace lance
