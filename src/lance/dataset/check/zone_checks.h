#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "arrow/status.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/format/field_tree.h"
#include "lance/index/zone.h"

namespace lance::check {

/// Zones of one column in one fragment, to be compared with its values. Borrows what it points to.
struct ZonesCheck {
  FragmentReader* reader;
  const format::FieldNode& field;
  const index::FragmentZones& zones;
  /// Rows that are not deleted; no value: not known, then all count.
  const std::optional<RowRanges>& live;
  const FindingKind& kind;  // of what is found
  std::string path;
  std::string name;  // of the statistics
  RunContext run;
};

/// Compare zones with the live values: whether a filter could miss one. Zones may be too wide.
///
/// Values that are damaged are passed over; another check finds them.
/// \return what stops the check. Source: zonemap-and-indices 3.3
arrow::Status CheckZones(const ZonesCheck& check, Findings* findings);

/// Why a zone could hide one of these values from a filter; "" when it hides none. Pure.
///
/// \param values of rows in the zone, of the column's type
arrow::Result<std::string> FindZoneProblem(const index::Zone& zone,
                                           const std::shared_ptr<arrow::Array>& values);

/// Load every index of a version that this release can read, and compare it with the values.
///
/// \param damaged paths of files that are missing or of another size, which was said already
/// \return what stops the check
arrow::Status CheckIndexContents(const Dataset::Impl& dataset,
                                 const std::unordered_set<std::string>& damaged,
                                 const RunContext& run, Findings* findings);

}  // namespace lance::check
