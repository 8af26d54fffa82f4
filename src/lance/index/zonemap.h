#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/index/zone.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// Parameters of a zonemap segment (zonemap-and-indices 2.4).
struct ZonemapDetails {
  std::optional<uint64_t> rows_per_zone;  // no value: a file of the first generation
  bool use_seeds = false;
  bool has_null_bitmap = false;
};

/// Whether an index entry is a zonemap, by its type URL's last component, ignoring case.
bool IsZonemap(const table::IndexMetadata& segment);

/// Parse the details message. \return SerializationError when malformed
arrow::Result<ZonemapDetails> ParseZonemapDetails(const table::IndexMetadata& segment);

/// Where a segment's file is in the store of its table (base_path.h).
std::string ZonemapPath(const Uuid& segment_uuid, std::optional<uint32_t> base_id = {});

/// A zonemap segment in memory: the zones of the fragments that it effectively covers.
///
/// Immutable once loaded. A claimed fragment without zones is not in it (zonemap-and-indices 1.7).
struct ZonemapSegment {
  int32_t field_id = -1;
  uint64_t rows_per_zone = kDefaultRowsPerZone;
  std::vector<FragmentZones> fragments;  // ascending fragment id

  /// Find a fragment's zones. \return null when the segment does not answer for it
  const FragmentZones* Find(uint64_t fragment_id) const;
};

/// Load a segment's file and keep what is covered, live and consistent.
///
/// \param live_fragments the manifest's; zones are clipped to their physical rows
/// \return an error that says why the segment cannot be used; the caller then scans in full
arrow::Result<ZonemapSegment> LoadZonemap(std::shared_ptr<ObjectStore> store,
                                          const table::IndexMetadata& segment,
                                          const std::shared_ptr<arrow::DataType>& column_type,
                                          const std::vector<table::Fragment>& live_fragments,
                                          const RunContext& run);

/// What a new segment is made of.
struct NewZonemapRequest {
  std::string name;
  int32_t field_id = -1;
  std::shared_ptr<arrow::DataType> type;
  uint64_t rows_per_zone = kDefaultRowsPerZone;
  bool use_seeds = true;                 // of later writers
  std::vector<FragmentZones> fragments;  // any order; claimed exactly
  uint64_t dataset_version = 0;          // the version that was read
  std::optional<uint32_t> clustering_id;
  std::optional<Uuid> uuid;  // no value: a fresh one
};

/// Write `_indices/{uuid}/zonemap.lance` and describe it; commits nothing.
arrow::Result<table::IndexMetadata> WriteZonemap(ObjectStore& store,
                                                 const NewZonemapRequest& request,
                                                 const RunContext& run);

}  // namespace lance::index
