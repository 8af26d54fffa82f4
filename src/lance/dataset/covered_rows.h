#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/index/scalar_index.h"

namespace lance {

/// Keeps what an old segment says of the fragments that it still covers: what it names elsewhere is
/// stale (zonemap-and-indices 5.3).
///
/// By addresses: those of covered fragments. By stable ids: those of live rows in covered
/// fragments, since a row that changed keeps its id and leaves its fragment.
///
/// \param coverage live fragments
arrow::Result<std::unique_ptr<index::RowMapping>> MakeCoveredRows(const Dataset::Impl& dataset,
                                                                  const RoaringBitmap& coverage,
                                                                  index::RowDomain domain,
                                                                  const RunContext& run);

}  // namespace lance
