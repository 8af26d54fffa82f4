#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_writer.h"
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

/// Find a segment in the session's cache. \return null when it is not there
std::shared_ptr<const index::ZonemapSegment> FindCachedZonemap(const Dataset::Impl& dataset,
                                                               const table::IndexMetadata& segment);

/// The zones of one column in one fragment: from the file's seed when that is good, else by reading
/// the column.
arrow::Result<index::FragmentZones> ComputeZones(std::shared_ptr<ObjectStore> store,
                                                 const table::Fragment& fragment,
                                                 const format::SchemaField& field,
                                                 uint64_t rows_per_zone, const RunContext& run);

/// New zonemap segments that no version refers to yet.
///
/// Their files are deleted again unless a commit landed with them, or may have. Thread-compatible.
class NewZonemaps {
 public:
  explicit NewZonemaps(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}
  NewZonemaps(const NewZonemaps&) = delete;
  NewZonemaps& operator=(const NewZonemaps&) = delete;
  ~NewZonemaps();

  /// Write one more segment.
  arrow::Status Write(const index::NewZonemapRequest& request, const RunContext& run);
  /// All that were written.
  const std::vector<table::IndexMetadata>& segments() const { return segments_; }
  /// Commit them on a version; they stay when the commit landed, or may have.
  arrow::Result<Dataset> Commit(const Dataset& dataset,
                                std::vector<table::IndexMetadata> removed_indices,
                                const CommitOptions& options, const RunContext& run);

 private:
  std::shared_ptr<ObjectStore> store_;
  std::vector<table::IndexMetadata> segments_;
};

/// What refreshing one column's zonemap would commit.
struct ZonemapRefresh {
  std::string column;
  std::string action;  // "create", "extend" or "none"
  int32_t field_id = -1;
  std::string index_name;
  uint64_t rows_per_zone = 0;
  std::vector<uint64_t> uncovered_fragment_ids;
  /// The segments that the new one replaces.
  std::vector<table::IndexMetadata> replaced;
  /// Fragments that are covered already.
  uint64_t covered_fragments = 0;
};

/// Decide what each key column's zonemap needs. Pure.
///
/// Fragments without live rows need no zones.
arrow::Result<std::vector<ZonemapRefresh>> PlanZonemapRefresh(
    const table::Manifest& manifest, const ClusteringSpec& spec,
    const std::optional<uint64_t>& rows_per_zone);

/// Decide what each zonemap of a name needs to cover all fragments. Pure; names of others: none.
std::vector<ZonemapRefresh> PlanZonemapRefresh(const table::Manifest& manifest,
                                               const std::vector<std::string>& index_names);

/// Carry out the refreshes that are planned for a version, in one commit, without trying again.
/// Nothing to do: the same dataset back.
arrow::Result<Dataset> CommitRefreshes(const Dataset& dataset,
                                       const std::vector<ZonemapRefresh>& plan,
                                       const CommitOptions& options, const RunContext& run);

/// Carry out refreshes in one commit. Nothing to do: the same dataset back.
///
/// Retried as a whole on a retryable conflict. Source: zonemap-and-indices 5.10.
arrow::Result<Dataset> RefreshZonemaps(const Dataset& dataset, const ClusteringSpec& spec,
                                       const std::optional<uint64_t>& rows_per_zone,
                                       const CommitOptions& commit, const RunContext& run,
                                       std::vector<ZonemapOutcome>* outcomes);

}  // namespace lance
