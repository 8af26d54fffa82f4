#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/format/encode/page_values.h"

namespace lance::format {

/// Values of variable width, each compressed with one symbol table. Move-only.
struct FsstValues {
  std::string table;
  PageValues values;
};

/// Learn a symbol table from a page and guess what its values will take.
///
/// \return no value: the values do not compress
class FsstTrial {
 public:
  /// Train with a sample that depends on the values only.
  static std::optional<FsstTrial> Make(const PageValues& values);
};

/// Compress the values of a page with a table of their own.
///
/// The table comes from a sample that depends on the values only.
///
/// \param max_bytes what the compressed bytes, without offsets, must stay below
/// \return no value: they would not
arrow::Result<std::optional<FsstValues>> CompressWithFsst(const PageValues& values,
                                                          uint64_t max_bytes,
                                                          arrow::MemoryPool* pool);

}  // namespace lance::format
