#include "lance/dataset/history_entry.h"

#include <set>
#include <string>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/table/feature_flags.h"
#include "lance/table/row_sequence.h"

namespace lance {
namespace {

using table::Fragment;
using table::Manifest;

/// Forged counts of deleted rows give 0.
uint64_t Minus(uint64_t rows, uint64_t others) { return rows > others ? rows - others : 0; }

/// Fragments of one version that another has not.
std::vector<const Fragment*> FragmentsOnlyIn(const Manifest& manifest, const Manifest& other) {
  std::set<uint64_t> others;
  for (const Fragment& fragment : other.fragments) others.insert(fragment.id);
  std::vector<const Fragment*> found;
  for (const Fragment& fragment : manifest.fragments) {
    if (!others.contains(fragment.id)) found.push_back(&fragment);
  }
  return found;
}

uint64_t BytesOnlyIn(const Manifest& manifest, const Manifest& other) {
  std::set<std::string_view> others;
  for (const Fragment& fragment : other.fragments) {
    for (const table::DataFile& file : fragment.files) others.insert(file.path);
  }
  uint64_t bytes = 0;
  for (const Fragment& fragment : manifest.fragments) {
    for (const table::DataFile& file : fragment.files) {
      if (!others.contains(file.path)) bytes += file.size_bytes;
    }
  }
  return bytes;
}

/// Rows of a new fragment that are older than it: they moved. \return no value: it does not tell
std::optional<uint64_t> MovedRows(const Fragment& fragment, uint64_t version) {
  if (fragment.created_at_versions.place != table::StoredSequence::Place::kInline) {
    return std::nullopt;
  }
  const auto created =
      table::VersionSequence::Parse(fragment.created_at_versions.bytes, fragment.physical_rows);
  if (!created.ok()) return std::nullopt;
  uint64_t moved = 0;
  for (const auto& run : created->runs()) moved += run.version < version ? run.length : 0;
  return moved;
}

/// Rows whose columns were written again where they are. \return no value: it does not tell
std::optional<uint64_t> RowsChangedInPlace(const table::Update& update) {
  if (update.updated_offsets.empty()) return std::nullopt;
  uint64_t rows = 0;
  for (const auto& [fragment, bytes] : update.updated_offsets) {
    const auto offsets = RoaringBitmap::Parse(AsBytes(bytes), "updated offsets");
    if (!offsets.ok()) return std::nullopt;
    rows += offsets->size();
  }
  return rows;
}

void CountUpdate(const table::Update& update, const Manifest& before, const Manifest& after,
                 ChangeCounts* counts) {
  uint64_t moved = 0;
  uint64_t written = 0;
  for (const Fragment* fragment : FragmentsOnlyIn(after, before)) {
    const auto rows = MovedRows(*fragment, after.version);
    if (!rows) return;
    moved += *rows;
    written += fragment->physical_rows;
  }
  counts->rows_inserted = written - moved;
  counts->rows_deleted = Minus(table::CountLiveRows(before.fragments) + *counts->rows_inserted,
                               table::CountLiveRows(after.fragments));
  counts->rows_updated = update.mode == table::UpdateMode::kRewriteColumns
                             ? RowsChangedInPlace(update)
                             : std::optional(moved);
}

/// Sets the counts of rows by what an operation is.
struct RowCounter {
  const Manifest* before;
  const Manifest& after;
  ChangeCounts* counts;

  void Set(std::optional<uint64_t> inserted, std::optional<uint64_t> updated,
           std::optional<uint64_t> deleted) const {
    counts->rows_inserted = inserted;
    counts->rows_updated = updated;
    counts->rows_deleted = deleted;
  }

  void operator()(const table::Append& append) const {
    Set(table::CountLiveRows(append.fragments), 0, 0);
  }
  void operator()(const table::Overwrite&) const {
    if (before == nullptr) return Set(table::CountLiveRows(after.fragments), 0, std::nullopt);
    Set(table::CountLiveRows(after.fragments), 0, table::CountLiveRows(before->fragments));
  }
  void operator()(const table::Delete&) const {
    if (before == nullptr) return Set(0, 0, std::nullopt);
    Set(0, 0,
        Minus(table::CountLiveRows(before->fragments), table::CountLiveRows(after.fragments)));
  }
  void operator()(const table::Update& update) const {
    if (before != nullptr) CountUpdate(update, *before, after, counts);
  }
  // Rows may be any of another version.
  void operator()(const table::Restore&) const {}
  void operator()(const table::ForeignOperation&) const {}
  // Rows stay what they are.
  template <typename Other>
  void operator()(const Other&) const {
    Set(0, 0, 0);
  }
};

}  // namespace

ChangeCounts CountChanges(const table::Operation* operation, const Manifest* before,
                          const Manifest& after) {
  ChangeCounts counts;
  if (before != nullptr) {
    counts.fragments_added = FragmentsOnlyIn(after, *before).size();
    counts.fragments_removed = FragmentsOnlyIn(*before, after).size();
    counts.bytes_added = BytesOnlyIn(after, *before);
  }
  if (operation != nullptr) std::visit(RowCounter{before, after, &counts}, *operation);
  return counts;
}

}  // namespace lance
