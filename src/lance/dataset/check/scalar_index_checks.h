#pragma once

#include <string>
#include <unordered_set>

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/dataset_impl.h"

namespace lance::check {

/// Ask the indices of a version that name rows about the values of the rows that they cover.
///
/// Every live row must be named by some question: those that are null by one for nulls, others by
/// one for all values, where the kind of index takes it. And for some values of each stretch of
/// rows all that have them must be named, by an exact index no others.
///
/// \param damaged paths of files that are missing or of another size, which was said already
/// \return what stops the check. Source: zonemap-and-indices 9.3
arrow::Status CheckScalarIndices(const Dataset::Impl& dataset,
                                 const std::unordered_set<std::string>& damaged,
                                 const RunContext& run, Findings* findings);

}  // namespace lance::check
