#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lance/base/roaring_bitmap.h"
#include "lance/table/manifest.h"

namespace lance {

/// How to bring indices up to date.
struct RefreshRule {
  /// How many of the last segments to merge; no value: 1.
  std::optional<uint64_t> num_segments_to_merge;
  /// Build everything again.
  bool retrain = false;
};

/// What bringing one index up to date writes: one segment in the place of others. A plain value.
struct IndexRefresh {
  std::string name;
  std::string index_type;  // as IndexTypeName says
  int32_t field_id = -1;
  /// A segment whose content the new one takes over, as far as it covers live fragments.
  struct Carried {
    table::IndexMetadata segment;
    RoaringBitmap coverage;
  };
  std::vector<Carried> carried;
  /// Fragments whose rows are read, ascending.
  std::vector<uint64_t> fragments_to_scan;
  /// What the new segment covers: those of `carried`, and those that are read.
  RoaringBitmap coverage;
  /// Segments that go, those of `carried` among them.
  std::vector<table::IndexMetadata> replaced;
  /// The oldest version of what is carried over; of the table when nothing is.
  uint64_t dataset_version = 0;
};

/// Decide what the index of a name needs. Pure.
///
/// Fragments without live rows need no index. In a table with stable row ids a segment that names
/// rows by id is always merged when rows in its fragments are deleted: they may live on elsewhere,
/// changed, and whoever merges its answers with those of other segments would find them twice. A
/// btree by ids is built again there, by addresses.
/// \return no value: nothing to do, or no index of that name that this version builds
/// Source: zonemap-and-indices 5.3
std::optional<IndexRefresh> PlanIndexRefresh(const table::Manifest& manifest,
                                             const std::string& name, const RefreshRule& rule);

/// Whether this version builds segments of an index's type and version.
bool IsBuiltHere(const table::IndexMetadata& segment);

}  // namespace lance
