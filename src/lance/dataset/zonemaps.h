#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/index_refresh.h"
#include "lance/dataset/new_segments.h"
#include "lance/index/zonemap.h"
#include "lance/optimize.h"

namespace lance {

/// The zonemap segments of one column that this version can use, in manifest order.
std::vector<const table::IndexMetadata*> ZonemapSegmentsOf(const table::Manifest& manifest,
                                                           int32_t field_id);

/// Columns that get a seed when files are written: the key columns of a declared table, and those
/// of zonemaps that ask for seeds (zonemap-and-indices 4.4).
///
/// \param manifest the table before the write; null for a new table
/// \param schema the columns that are written
/// \param spec the declaration in force for the write; no value: none
std::vector<SeedColumn> ChooseSeedColumns(const table::Manifest* manifest,
                                          const format::LanceSchema& schema,
                                          const std::optional<ClusteringSpec>& spec);

/// Load a segment through the session's cache.
///
/// \param was_cached set to whether storage was spared
arrow::Result<std::shared_ptr<const index::ZonemapSegment>> LoadZonemapCached(
    const Dataset::Impl& dataset, std::shared_ptr<ObjectStore> store,
    const table::IndexMetadata& segment, const RunContext& run, bool* was_cached);

/// The zones of one column in one fragment: from the file's seed when that is good, else by reading
/// the column.
arrow::Result<index::FragmentZones> ComputeZones(std::shared_ptr<ObjectStore> store,
                                                 const table::Fragment& fragment,
                                                 const ColumnValues& column, uint64_t rows_per_zone,
                                                 const RunContext& run);

/// What refreshing one column's zonemap would commit.
struct ZonemapRefresh {
  std::string column;
  std::string action;  // "create", "extend" or "none"
  int32_t field_id = -1;
  std::string index_name;
  uint64_t rows_per_zone = 0;
  bool use_seeds = true;
  /// Off: nothing is taken over from `replaced`.
  bool carries_zones = true;
  /// What the new segment answers for; no value: all fragments.
  std::optional<RoaringBitmap> fragment_ids;
  std::vector<uint64_t> uncovered_fragment_ids;
  /// The segments that the new one replaces.
  std::vector<table::IndexMetadata> replaced;
  /// Fragments that are covered already.
  uint64_t covered_fragments = 0;
};

/// Decide what each key column's zonemap needs. Pure.
///
/// Fragments without live rows need no zones. All segments of a column become one.
arrow::Result<std::vector<ZonemapRefresh>> PlanZonemapRefresh(
    const table::Manifest& manifest, const ClusteringSpec& spec,
    const std::optional<uint64_t>& rows_per_zone);

/// What refreshing the zonemap of a name is, by the plan that all kinds of indices have.
///
/// \param rule what the plan was made by
ZonemapRefresh ZonemapRefreshOf(const IndexRefresh& plan, const RefreshRule& rule);

/// Write the segment of a refresh that has something to do.
arrow::Status WriteRefreshedZonemap(const Dataset& dataset, const ZonemapRefresh& refresh,
                                    const RunContext& run, NewSegments* segments);

/// Carry out refreshes in one commit. Nothing to do: the same dataset back.
///
/// Retried as a whole on a retryable conflict. Source: zonemap-and-indices 5.10.
arrow::Result<Dataset> RefreshZonemaps(const Dataset& dataset, const ClusteringSpec& spec,
                                       const std::optional<uint64_t>& rows_per_zone,
                                       const CommitOptions& commit, const RunContext& run,
                                       std::vector<ZonemapOutcome>* outcomes);

}  // namespace lance
