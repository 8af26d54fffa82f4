#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/fragment_reuse.h"

namespace lance {

/// Write index segments again that name rows from before a rewrite which left them as they were, and
/// let zonemaps claim only what they have zones of. Nothing to do: the same dataset back.
///
/// One commit, without trying again. Source: table-format 10.5 "remap an index".
///
/// \param names of the indices
arrow::Result<Dataset> CatchUpIndices(const Dataset& dataset, const std::vector<std::string>& names,
                                      const CommitOptions& commit, const RunContext& run);

/// Take the rewrites that no index needs any more out of the fragment-reuse entry. Nothing to do:
/// the same dataset back.
///
/// One commit, without trying again. Source: table-format 10.5 "clean up the reuse index".
arrow::Result<Dataset> TrimFragmentReuse(const Dataset& dataset, const CommitOptions& commit,
                                         const RunContext& run);

/// The rewrites that some index may still need: one that was built before they landed. Pure.
///
/// The reference also lets an index go that was built on the version that the rewrite was made on,
/// if its coverage names no old fragment; but coverage moves on its own, so ours does not.
std::vector<table::ReuseVersion> NeededVersions(const table::Manifest& manifest,
                                                const std::vector<table::ReuseVersion>& versions);

}  // namespace lance
