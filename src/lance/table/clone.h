#pragma once

#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/table/clone_proto.h"
#include "lance/table/manifest_store.h"

namespace lance::table {

// The first version of a branch or of a shallow clone (table-format 5.14).

/// A manifest that says the same as its source, whose files it names by one more base path. Pure.
///
/// Version, timestamp and transaction file are the source's. The feature flags follow the content.
///
/// \return Invalid when no id of a base path is left
arrow::Result<Manifest> MakeShallowClone(const Manifest& source, const CloneOperation& clone);

/// Commit the first version of a shallow clone to a place that has none.
///
/// Writes a transaction file and one manifest; when it certainly did not land, they are gone again.
/// A version that another call puts beside it at the same time makes both calls give way: a table
/// has one first version.
///
/// \param source the version to clone, which this version may write
/// \return the manifest that landed, or AlreadyExists; NotImplemented + UnsupportedFeature for the
///   source's features; UnknownError + CommitUnknown when it may have landed
arrow::Result<LoadedManifest> CommitShallowClone(const ManifestStore& target,
                                                 const LoadedManifest& source,
                                                 const CloneOperation& clone,
                                                 const RunContext& run);

/// The first version that a call which was cut short left in a place: the clone asked for, and
/// nothing else. \return no value: there is none, or more than that, or another's
arrow::Result<std::optional<LoadedManifest>> FindShallowClone(const ManifestStore& target,
                                                              const CloneOperation& clone,
                                                              const RunContext& run);

/// Take back a first version that nobody knows of yet. \return what storage said
arrow::Status RemoveShallowClone(const ManifestStore& target, const LoadedManifest& landed);

}  // namespace lance::table
