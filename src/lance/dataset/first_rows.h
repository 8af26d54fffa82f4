#pragma once

#include <cstdint>
#include <optional>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/dataset/output_columns.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/index/predicate.h"

namespace lance {

/// What statistics say of the first rows in the order of a scan without a filter: a predicate that
/// is TRUE for all of them.
///
/// Zones know how many rows have a key up to their bound; as soon as those with the best bounds
/// have enough rows, no row beyond is among the first. Rows that may be deleted do not count.
///
/// \param key the column of the first ordering
/// \param num_rows how many are wanted; 1 or more
/// \return no value: statistics know too few rows, or none of this column
arrow::Result<std::optional<index::Predicate>> BoundOfFirstRows(const Scanner::Impl& scan,
                                                                const OutputColumn& key,
                                                                uint64_t num_rows,
                                                                const RunContext& run);

}  // namespace lance
