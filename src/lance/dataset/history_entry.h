#pragma once

#include <cstdint>
#include <optional>

#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance {

/// What a commit did, in numbers; no value: not known.
struct ChangeCounts {
  std::optional<uint64_t> rows_inserted;
  std::optional<uint64_t> rows_updated;
  std::optional<uint64_t> rows_deleted;
  std::optional<uint64_t> fragments_added;
  std::optional<uint64_t> fragments_removed;
  std::optional<uint64_t> bytes_added;
};

/// Count what a commit did. Pure.
///
/// \param operation null: its transaction cannot be read
/// \param before the version in front of `after`; null: it is gone
ChangeCounts CountChanges(const table::Operation* operation, const table::Manifest* before,
                          const table::Manifest& after);

}  // namespace lance
