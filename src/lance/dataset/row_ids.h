#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance {

/// Finds live rows of a version by their stable ids. Immutable.
class RowIdIndex {
 public:
  /// Read the sequences of all fragments, and what is deleted of them.
  ///
  /// \pre the table has stable row ids
  /// \return SerializationError when two live rows have one id
  static arrow::Result<std::shared_ptr<const RowIdIndex>> Make(
      const std::shared_ptr<ObjectStore>& store, const table::Manifest& manifest,
      const RunContext& run);

  /// Where a row is. A plain value.
  struct Place {
    size_t fragment = 0;  // position in the manifest
    uint64_t offset = 0;
  };

  /// \return no value: no live row has the id
  std::optional<Place> Find(uint64_t id) const;

  /// The ids of all live rows.
  RowRanges Ids() const;

 private:
  /// Ids [first_id, first_id + length) are rows [first_row, ...) of a fragment.
  struct Run {
    uint64_t first_id;
    uint64_t length;
    uint64_t first_row;
    size_t fragment;
  };
  std::vector<Run> runs_;  // ascending ids, disjoint
};

/// What became of rows that are written again.
enum class RowsMoved {
  kUnchanged,  // they last changed when they did before
  kChanged,    // the commit says when
};

/// Give moved rows the ids that they had, and the versions in which they were created.
///
/// Does nothing in tables without stable row ids.
///
/// \param addresses where the rows were, in the order in which they are in `fragments`: the first
///   rows of all; others have no ids yet
/// \param fragments new ones, in the order in which they were written
arrow::Status CarryLineage(const std::shared_ptr<ObjectStore>& store,
                           const table::Manifest& manifest, std::span<const uint64_t> addresses,
                           RowsMoved how, const RunContext& run,
                           std::vector<table::Fragment>* fragments);

/// The same for all live rows of some fragments, which were written again in their order and not
/// changed (table-format 8.5 "compaction"). Takes memory by runs of ids, not by rows.
///
/// \param sources in the order in which they were read
/// \pre `fragments` hold as many rows
arrow::Status CarryOrderedLineage(const std::shared_ptr<ObjectStore>& store,
                                  const table::Manifest& manifest,
                                  const std::vector<table::Fragment>& sources,
                                  const RunContext& run, std::vector<table::Fragment>* fragments);

}  // namespace lance
