#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// What DeletionFile::file_type says.
enum class DeletionFileType : uint32_t { kArrow = 0, kBitmap = 1 };

/// Whether a deletion file is a Roaring bitmap; else it is an Arrow file.
bool IsBitmap(const DeletionFile& file);

/// Where a fragment's deletion file is in the store of its table (table-format 7.1, base_path.h).
std::string DeletionFilePath(uint64_t fragment_id, const DeletionFile& file);

/// What a deletion file holds. A plain value.
struct StoredDeletions {
  RoaringBitmap rows;
  uint64_t num_entries = 0;  // more than rows: some are there twice, which readers tolerate
};

/// Read a fragment's deletion file as it is, not compared with what the fragment says.
///
/// \pre the fragment has one
/// \return SerializationError naming the file when it is missing or malformed
arrow::Result<StoredDeletions> ReadStoredDeletions(ObjectStore& store, const Fragment& fragment,
                                                   const RunContext& run);

/// How many of some offsets are `num_rows` or above.
uint64_t CountBeyond(const RoaringBitmap& rows, uint64_t num_rows);

/// Read the offsets of a fragment's deleted rows; none without a deletion file.
///
/// \return SerializationError naming the file when it is missing or malformed, or when its count or
///   an offset contradicts the fragment
/// Source: table-format 7.
arrow::Result<RoaringBitmap> ReadDeletions(ObjectStore& store, const Fragment& fragment,
                                           const RunContext& run);

/// Write a deletion file with a random id.
///
/// \param rows all deleted offsets of the fragment, at least one
/// \param was_bitmap whether the fragment's file before was a bitmap, which it then stays
/// Source: table-format 7.2.
arrow::Result<DeletionFile> WriteDeletions(ObjectStore& store, uint64_t fragment_id,
                                           uint64_t read_version, const RoaringBitmap& rows,
                                           bool was_bitmap, const RunContext& run);

}  // namespace lance::table
