#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/dataset/rewrite_commit.h"
#include "lance/object_store.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/row_moves.h"

namespace lance {

/// Where the rows of rewrites go, one group for each. Reads the sources' deletion files.
///
/// \param first_id of the new fragments, which follow each other
arrow::Result<std::vector<table::MovedGroup>> MovesOf(ObjectStore& store,
                                                      const std::vector<ExecutedRewrite>& rewrites,
                                                      uint64_t first_id, const RunContext& run);

/// Where each live row of some sources, in their order, is among new rows.
///
/// \param addresses of the sources' rows in the order of the new ones
/// \return null when there are more rows than 32 bits count: nothing is kept then
arrow::Result<std::shared_ptr<const std::vector<uint32_t>>> PlacesOf(
    ObjectStore& store, const std::vector<table::Fragment>& sources,
    std::span<const uint64_t> addresses, const RunContext& run);

/// The same as it is recorded in a fragment-reuse entry. Pure.
///
/// \return Invalid when sources are not in ascending order: the record cannot say so
arrow::Result<std::vector<table::ReuseGroup>> RecordOf(
    const std::vector<ExecutedRewrite>& rewrites, const std::vector<table::MovedGroup>& groups);

}  // namespace lance
