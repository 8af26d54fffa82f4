#pragma once

#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/clustering.h"
#include "lance/dataset.h"

namespace lance {

/// Make a table in another place that shares the files of a version.
///
/// Only metadata is written: the clone refers to the files of the version by absolute paths, and
/// breaks when they go: by a cleanup of the source, by deleting its branch, or by moving it. Its
/// only version has the number of the source's; what is committed to it stays in its own place.
/// Schema, configuration, metadata, indices, row ids and clustering come along; tags, branches and
/// history do not.
///
/// \return AlreadyExists when there is a table at the target; NotImplemented + UnsupportedFeature
///   when this version may not write the source; UnknownError + CommitUnknown when a reply was lost
/// Source: table-format 5.14
arrow::Result<Dataset> ShallowClone(const Dataset& dataset, const std::string& target_uri,
                                    const CallOptions& call = {});

/// How to copy a table. A plain value.
struct CopyRequest {
  /// Where the copy lies; there must be no table yet.
  std::string target_uri;
  /// Declare this for the copy, whose rows arrive in its order. No value: an undeclared table that
  /// every writer takes, with the rows in their order.
  std::optional<ClusteringRequest> clustering;
  /// How to commit; of the declaration too.
  CommitOptions commit;
};

/// Write the rows of a version to a new table, which shares nothing with the old one.
///
/// This is the way out of a declaration's one-way door (contract section 2). Rows, schema with all
/// metadata, configuration, the table's metadata, version of the data files and the mode of row ids
/// come along, but nothing of lance.clustering.* and lance.liquid-clustering.*. History, tags,
/// branches, indices, deleted rows, and the values of row ids and addresses do not.
///
/// One commit: the copy is there with everything, or it is not there.
///
/// \return as InsertBuilder::Execute in mode kCreate
arrow::Result<Dataset> CopyTable(const Dataset& dataset, const CopyRequest& request,
                                 const CallOptions& call = {});

/// Remove a table with everything below its root: all versions, branches and tags, and files of
/// others that lie there.
///
/// The manifests of the main branch go last, so that a call that was cut short can be repeated.
/// Shallow clones in other places lose their files.
///
/// \return KeyError + NotFound{table} when there is none; Invalid for the place of a branch, which
///   DeleteBranch removes
arrow::Status DropTable(const std::string& uri, const OpenOptions& options = {},
                        const CallOptions& call = {});

}  // namespace lance
