#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/fragment_reuse.h"

namespace lance {

/// The fragments that each index segment of a version answers for, by its place in the manifest; no
/// value: nobody knows.
using IndexCoverage = std::vector<std::optional<RoaringBitmap>>;

/// Where rewrites that left indices as they were have put the rows; null: there were none. While it
/// is not null, what an index says of addresses goes through it (zonemap-and-indices 5.7).
arrow::Result<std::shared_ptr<const table::FragmentReuse>> LoadFragmentReuse(
    const Dataset::Impl& dataset, const RunContext& run);

/// Read coverage as it is now, with fragment reuse. Of zonemaps it may be too much: a fragment that
/// they have no zones of is not covered.
arrow::Result<IndexCoverage> CurrentCoverage(const Dataset::Impl& dataset, const RunContext& run);

/// Whether a rewrite writes a segment that covers its sources again, with the new addresses
/// (zonemap-and-indices 5.6, 10.1). Pure.
bool IsRemapped(const table::IndexMetadata& segment, const table::Manifest& manifest);

/// Whether the sources of a task must all be in the segment's coverage, or none of them
/// (zonemap-and-indices 10.2). Pure.
bool BindsTasks(const table::IndexMetadata& segment, const table::Manifest& manifest);

}  // namespace lance
