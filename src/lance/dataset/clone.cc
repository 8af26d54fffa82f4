#include "lance/clone.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/clone_impl.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/clone.h"
#include "lance/table/manifest_names.h"

namespace lance {

arrow::Result<table::CloneOperation> CloneOf(const Dataset& source) {
  if (source.version() >= table::kFirstDetachedVersion) {
    return arrow::Status::Invalid("version ", source.version(), " of ", source.uri(),
                                  " is detached; allowed: versions of a branch");
  }
  // The handle may be old. What is made of a version that was cleaned up could not be read.
  const table::ManifestStore manifests(source.impl().opened.store);
  ARROW_ASSIGN_OR_RAISE(const auto entry, manifests.FindVersion(source.version()));
  if (!entry) {
    const std::string number = std::to_string(source.version());
    return NotFoundError("version", number, source.uri() + ": version " + number + " is not there");
  }
  table::CloneOperation clone{.ref_version = source.version(), .ref_path = source.uri()};
  if (!source.branch().empty()) clone.ref_name = source.branch();
  return clone;
}

arrow::Result<Dataset> ShallowClone(const Dataset& dataset, const std::string& target_uri,
                                    const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  ARROW_ASSIGN_OR_RAISE(const table::CloneOperation clone, CloneOf(dataset));
  ARROW_ASSIGN_OR_RAISE(
      const OpenedTable target,
      OpenTableStore(target_uri,
                     {.session = impl.session, .storage_options = impl.opened.storage_options}));
  const table::ManifestStore manifests(target.store);
  auto landed = table::CommitShallowClone(manifests, *impl.loaded, clone, run);
  if (!landed.ok()) return WithContext(landed.status(), target.uri);
  // A cleanup that began before may have taken the version away, and its files.
  const arrow::Status still_there = CloneOf(dataset).status();
  if (NotFound::From(still_there) != nullptr) {  // any other failure says nothing against it
    (void)table::RemoveShallowClone(manifests, *landed);
    return still_there;
  }
  return Dataset::Impl::Make(target, *std::move(landed));
}

}  // namespace lance
