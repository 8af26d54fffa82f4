#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/cleanup.h"

namespace lance {

/// A cleanup that a table's configuration asks for.
struct AutoCleanup {
  CleanupRequest request;
  int num_threads = 0;  // 0: as the call that commits
};

/// The cleanup that is due after a version was committed.
///
/// \param config of the new version: keys `lance.auto_cleanup.*` (table-format 10.6)
/// \return no value: none; Invalid for a value that cannot be read; NotImplemented +
///   UnsupportedFeature when branches shall be cleaned up, too
arrow::Result<std::optional<AutoCleanup>> AutoCleanupOf(
    const std::map<std::string, std::string>& config, uint64_t version);

}  // namespace lance
