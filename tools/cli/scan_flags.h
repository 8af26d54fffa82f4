#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/lance.h"

namespace CLI {
class App;
}

namespace lancectl {

/// Flags of scan, count and explain.
struct ScanFlags {
  std::string columns;
  std::string filter;
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
  std::string order_by;
  bool no_pruning = false;
  bool no_index = false;
  std::string format;
  bool stats = false;
  bool analyze = false;
  bool estimate = false;
};

/// Declare the flags that say which rows, and which columns of them. \param has_projection whether
///   columns and an order can be asked for
void AddScanFlags(CLI::App* app, ScanFlags* flags, bool has_projection);

/// What the flags ask of a table. In --columns `x=price * 2` is a column that is computed, unless
/// the table has one that is called so.
arrow::Result<lance::ScanOptions> MakeScanOptions(const lance::Dataset& dataset,
                                                  const ScanFlags& flags);

}  // namespace lancectl
