#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/index/scalar_index.h"
#include "lance/io/stores.h"
#include "lance/table/fragment_reuse.h"

namespace lance {

/// A segment of an index that names rows, and the live fragments that it covers.
struct ScalarSegment {
  const table::IndexMetadata* metadata = nullptr;
  RoaringBitmap coverage;
};

/// Under what a session keeps a segment of any type. What is in a segment never changes, whatever
/// version names it; a table that was made anew at its place may name another alike.
std::string SegmentCacheKey(const Dataset::Impl& dataset, const table::IndexMetadata& segment);

/// Whether a segment is a btree, bitmap, label list or bloom filter of a version that is known, on
/// one column.
bool IsScalarIndex(const table::IndexMetadata& segment);

/// The segments of one column that scans can use: exact ones before bloom filters, else in manifest
/// order. A segment that does not say what it covers is none of them.
///
/// \param reuse through which coverage goes; null: nothing to go through
/// Source: zonemap-and-indices 1.6, 1.7
std::vector<ScalarSegment> ScalarSegmentsOf(const table::Manifest& manifest, int32_t field_id,
                                            const table::FragmentReuse* reuse = nullptr);

/// The live fragments that a segment covers; none when it does not say, or is damaged.
///
/// \param reuse through which its coverage goes; null: nothing to go through
RoaringBitmap EffectiveCoverage(const table::IndexMetadata& segment,
                                const table::Manifest& manifest,
                                const table::FragmentReuse* reuse = nullptr);

/// What new segments of a type name rows by: ids, which are addresses unless the table has stable
/// row ids; but btrees of tables that have them name addresses (zonemap-and-indices 1.5).
index::RowDomain DomainOfNew(const std::string& index_type, const table::Manifest& manifest);

/// An opened segment and what its reads cost. Thread-safe.
struct OpenedScalarIndex {
  std::shared_ptr<const index::ScalarIndex> index;
  /// Counts all that was ever read through it.
  std::shared_ptr<IoCounters> reads;
};

/// Open a segment through the session's cache.
///
/// \param was_cached set to whether it was open
/// \return an error that says why the segment cannot be used
arrow::Result<std::shared_ptr<const OpenedScalarIndex>> OpenScalarCached(
    const Dataset::Impl& dataset, const table::IndexMetadata& segment, const RunContext& run,
    bool* was_cached);

}  // namespace lance
