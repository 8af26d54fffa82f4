#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Where the rows of one group of a rewrite went. A plain value.
struct MovedGroup {
  /// A fragment that is replaced.
  struct Source {
    uint32_t id = 0;
    RoaringBitmap survivors;  // offsets of the rows that were written again
  };
  /// A fragment that replaces; its rows in their order.
  struct Target {
    uint32_t id = 0;
    uint64_t num_rows = 0;
  };
  /// In the order in which their rows were read.
  std::vector<Source> sources;
  std::vector<Target> targets;
  /// Of a rewrite that changed the order: where each surviving row is among all new rows, in the
  /// order of the old ones. Null: the order was kept.
  std::shared_ptr<const std::vector<uint32_t>> places;
};

/// Translates row addresses, and coverage of indices, past one or more groups of a rewrite
/// (zonemap-and-indices 5.6). Immutable.
///
/// Takes memory by ranks in compressed bitmaps, not by rows; only a reordering takes 4 bytes a row.
class RowMoves {
 public:
  /// \return Invalid when a fragment is replaced twice, or when as many rows survive as the
  ///   targets do not hold
  static arrow::Result<RowMoves> Make(std::vector<MovedGroup> groups);

  /// The address now. An address of another fragment is unchanged. \return no value: it is gone
  std::optional<uint64_t> Map(uint64_t address) const;

  /// The rows of a fragment that were written again; null: it is none of the sources.
  const RoaringBitmap* FindSurvivors(uint32_t fragment_id) const;

  /// Put the targets of each group in the place of its sources, when all of them are in; when only
  /// some are, they go and nothing comes.
  void MoveCoverage(RoaringBitmap* coverage) const;

  /// Whether some sources of a group are in a coverage and others are not.
  bool Straddles(const RoaringBitmap& coverage) const;

  /// The ids of all sources.
  const RoaringBitmap& sources() const { return source_ids_; }

 private:
  struct Target {
    uint32_t id;
    uint64_t first_place;
  };
  struct Group {
    RoaringBitmap source_ids;
    RoaringBitmap target_ids;
    std::vector<Target> targets;  // those that hold rows
    std::shared_ptr<const std::vector<uint32_t>> places;
  };
  struct Source {
    uint32_t id;
    size_t group;
    uint64_t first_rank;
    RoaringBitmap survivors;
  };
  arrow::Status Add(MovedGroup moved);

  std::vector<Group> groups_;
  std::vector<Source> sources_;  // ascending ids
  RoaringBitmap source_ids_;
};

}  // namespace lance::table
