#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "arrow/status.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/table/manifest.h"
#include "lance/table/row_sequence.h"

namespace lance::check {

/// A set of row ids, small for ids that lie together. A value.
class RowIdSet {
 public:
  /// Add ids. \return false when some were there
  bool Add(uint64_t first_id, uint64_t length);
  /// Add all of another set. \return an id that was there; no value: none was
  std::optional<uint64_t> AddAll(const RowIdSet& other);

 private:
  std::map<uint32_t, RoaringBitmap> ids_;  // low halves by high half
};

/// Row ids and versions of one fragment against its rows. Source: table-format 8.3 to 8.6.
///
/// \param reader of the fragment, for sequences in hidden columns
/// \param live the rows that are not deleted
/// \return the ids of the live rows; no value: they cannot be read
std::optional<RowIdSet> CheckLineage(FragmentReader* reader, const table::Manifest& manifest,
                                     const RowRanges& live, const RunContext& run,
                                     Findings* findings);

}  // namespace lance::check
