#include "lance/dataset/deleted_rows.h"

#include <utility>
#include <vector>

#include "lance/table/deletion_file.h"

namespace lance {

RowRanges RowsWithout(const RoaringBitmap& deleted, uint64_t num_rows) {
  return RowRanges::FromAscending(deleted.ToVector()).Complement(num_rows);
}

arrow::Result<RowRanges> LiveRows(ObjectStore& store, const table::Fragment& fragment,
                                  const RunContext& run) {
  if (!fragment.deletion_file) return RowRanges::All(fragment.physical_rows);
  ARROW_ASSIGN_OR_RAISE(const RoaringBitmap deleted, table::ReadDeletions(store, fragment, run));
  return RowsWithout(deleted, fragment.physical_rows);
}

arrow::Result<std::optional<table::Fragment>> DeleteRows(ObjectStore& store,
                                                         const table::Fragment& fragment,
                                                         const RoaringBitmap& rows,
                                                         uint64_t read_version,
                                                         const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(RoaringBitmap all, table::ReadDeletions(store, fragment, run));
  all |= rows;
  if (all.size() == fragment.physical_rows) return std::nullopt;
  const bool was_bitmap = fragment.deletion_file && table::IsBitmap(*fragment.deletion_file);
  table::Fragment changed = fragment;
  ARROW_ASSIGN_OR_RAISE(
      changed.deletion_file,
      table::WriteDeletions(store, fragment.id, read_version, all, was_bitmap, run));
  return changed;
}

void DropDeletionFile(ObjectStore& store, const table::Fragment& fragment) {
  if (!fragment.deletion_file) return;
  // Best effort: an orphan is harmless.
  (void)store.Delete(table::DeletionFilePath(fragment.id, *fragment.deletion_file));
}

}  // namespace lance
