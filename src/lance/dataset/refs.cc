#include "lance/refs.h"

#include <functional>
#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/table/tags.h"
#include "lance/table/version_notes.h"

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

arrow::Result<table::TagStore> TagsOf(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(auto store, RootStore(dataset.impl().opened));
  return table::TagStore(std::move(store));
}

/// Let a tag name the version of a dataset.
void Point(const Dataset& dataset, table::Tag* tag) {
  tag->branch.reset();
  if (!dataset.branch().empty()) tag->branch = dataset.branch();
  tag->version = dataset.version();
  tag->manifest_size = dataset.impl().loaded->size_bytes;
}

/// Store a tag while its version is pinned, so that no cleanup overlooks it.
///
/// \return AlreadyExists when there is one; IOError when the reply to the put was lost
arrow::Status StorePinned(const Dataset& dataset, const table::Tag& tag, const RunContext& run,
                          const std::function<arrow::Result<PutOutcome>()>& store) {
  ARROW_ASSIGN_OR_RAISE(
      const auto pin, table::VersionPin::Take(dataset.impl().manifests(), dataset.version(), run));
  ARROW_ASSIGN_OR_RAISE(const PutOutcome outcome, store());
  if (outcome == PutOutcome::kStored) return arrow::Status::OK();
  if (outcome == PutOutcome::kExists) {
    return arrow::Status::AlreadyExists("there is a tag ", tag.name, " already");
  }
  pin->LeaveBehind();
  return arrow::Status::IOError("the reply about tag ", tag.name,
                                " was lost: the change may be there, or come");
}

/// The main branch has two names.
Ref::Branch Canonical(Ref::Branch branch) {
  if (branch == table::kMainBranch) branch->clear();
  return branch;
}

}  // namespace

Ref Ref::Latest(Branch branch) {
  Ref ref;
  ref.branch_ = Canonical(std::move(branch));
  return ref;
}

Ref Ref::Version(uint64_t version, Branch branch) {
  Ref ref = Latest(std::move(branch));
  ref.version_ = version;
  return ref;
}

Ref Ref::Tag(std::string name) {
  Ref ref;
  ref.tag_ = std::move(name);
  return ref;
}

Ref Ref::AsOf(Timestamp time, Branch branch) {
  Ref ref = Latest(std::move(branch));
  ref.as_of_ = time;
  return ref;
}

arrow::Result<std::vector<TagInfo>> ListTags(const Dataset& dataset, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const table::TagStore tags, TagsOf(dataset));
  ARROW_ASSIGN_OR_RAISE(auto found, tags.List(dataset.impl().Run(call)));
  std::vector<TagInfo> described;
  for (table::Tag& tag : found) described.push_back(Describe(std::move(tag)));
  return described;
}

arrow::Result<TagInfo> CreateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  const Timestamp now = run.clock->Now();
  table::Tag tag{.name = name, .created_at = now, .updated_at = now};
  Point(dataset, &tag);
  ARROW_ASSIGN_OR_RAISE(const table::TagStore tags, TagsOf(dataset));
  ARROW_RETURN_NOT_OK(StorePinned(dataset, tag, run, [&] { return tags.Create(tag); }));
  return Describe(std::move(tag));
}

arrow::Result<TagInfo> UpdateTag(const Dataset& dataset, const std::string& name,
                                 const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  ARROW_ASSIGN_OR_RAISE(const table::TagStore tags, TagsOf(dataset));
  ARROW_ASSIGN_OR_RAISE(table::Tag tag, tags.Load(name, run));
  Point(dataset, &tag);
  tag.updated_at = run.clock->Now();
  ARROW_RETURN_NOT_OK(StorePinned(dataset, tag, run, [&] { return tags.Update(tag, run); }));
  return Describe(std::move(tag));
}

arrow::Status DeleteTag(const Dataset& dataset, const std::string& name, const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const table::TagStore tags, TagsOf(dataset));
  return tags.Delete(name, dataset.impl().Run(call));
}

}  // namespace lance
