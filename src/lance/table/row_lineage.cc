#include "lance/table/row_lineage.h"

#include <limits>
#include <span>
#include <string>
#include <unordered_map>

#include "lance/base/roaring_bitmap.h"
#include "lance/base/status_detail.h"
#include "lance/table/feature_flags.h"

namespace lance::table {
namespace {

using Place = StoredSequence::Place;

/// A message with as many values as it has.
template <typename Sequence>
arrow::Result<Sequence> ParsePrefix(const StoredSequence& stored, uint64_t num_rows) {
  if (stored.place == Place::kNone) return Sequence();
  return Sequence::ParseUpTo(stored.bytes, num_rows);
}

/// Follows the fragments of one new version.
class Lineage {
 public:
  Lineage(const Manifest& newest, const Operation& operation, Manifest* next)
      : operation_(operation), next_(next) {
    for (const Fragment& fragment : newest.fragments) before_.emplace(fragment.id, &fragment);
  }

  arrow::Status Run() {
    for (Fragment& fragment : next_->fragments) {
      const auto before = before_.find(fragment.id);
      const arrow::Status status = before == before_.end() || IsOverwrite()
                                       ? Add(&fragment)
                                       : Change(*before->second, &fragment);
      if (!status.ok()) return WithContext(status, "fragment " + std::to_string(fragment.id));
    }
    return arrow::Status::OK();
  }

 private:
  bool IsOverwrite() const { return std::holds_alternative<Overwrite>(operation_); }

  /// A fragment that was not there.
  arrow::Status Add(Fragment* fragment) {
    if (std::holds_alternative<Restore>(operation_)) return arrow::Status::OK();
    if (fragment->row_ids.place == Place::kColumn) return arrow::Status::OK();
    const uint64_t num_rows = fragment->physical_rows;
    ARROW_ASSIGN_OR_RAISE(auto ids, ParsePrefix<RowIdSequence>(fragment->row_ids, num_rows));
    ARROW_ASSIGN_OR_RAISE(auto created,
                          ParsePrefix<VersionSequence>(fragment->created_at_versions, num_rows));
    if (std::holds_alternative<Rewrite>(operation_)) return CheckRewritten(*fragment, ids);
    const uint64_t moved = ids.num_rows();
    const uint64_t added = num_rows - moved;
    if (next_->next_row_id > std::numeric_limits<uint64_t>::max() - 1 - added) {
      return arrow::Status::CapacityError("row ids are exhausted: the next one is ",
                                          next_->next_row_id);
    }
    ids.Append(next_->next_row_id, added);
    next_->next_row_id += added;
    if (created.num_rows() < moved) created.Append(1, moved - created.num_rows());
    if (created.num_rows() == moved) created.Append(next_->version, added);
    if (created.num_rows() != num_rows) {
      return arrow::Status::Invalid("the versions of its rows are for ", created.num_rows(),
                                    " rows; allowed: ", moved, ", those with row ids");
    }
    fragment->row_ids = StoreInline(ids);
    fragment->created_at_versions = StoreInline(created);
    fragment->last_updated_at_versions = StoreInline(VersionSequence::Of(next_->version, num_rows));
    return arrow::Status::OK();
  }

  static arrow::Status CheckRewritten(const Fragment& fragment, const RowIdSequence& ids) {
    if (ids.num_rows() == fragment.physical_rows) return arrow::Status::OK();
    return arrow::Status::Invalid("a rewrite names the row ids of ", ids.num_rows(), " of ",
                                  fragment.physical_rows, " rows; allowed: of all");
  }

  /// A fragment that was there.
  arrow::Status Change(const Fragment& before, Fragment* fragment) const {
    if (const auto* update = std::get_if<Update>(&operation_)) {
      const auto offsets = update->updated_offsets.find(fragment->id);
      if (offsets == update->updated_offsets.end()) return arrow::Status::OK();
      return MarkUpdated(offsets->second, fragment);
    }
    const bool changes_values = std::holds_alternative<Merge>(operation_) ||
                                std::holds_alternative<DataReplacement>(operation_);
    if (!changes_values || before.files == fragment->files) return arrow::Status::OK();
    fragment->last_updated_at_versions =
        StoreInline(VersionSequence::Of(next_->version, fragment->physical_rows));
    return arrow::Status::OK();
  }

  /// Some rows of a fragment were changed in place.
  arrow::Status MarkUpdated(std::string_view offsets, Fragment* fragment) const {
    if (fragment->last_updated_at_versions.place == Place::kColumn) {
      return UnsupportedError("changing rows in place whose versions are in a column",
                              "changing rows in place whose versions are in a hidden column is not "
                              "supported");
    }
    ARROW_ASSIGN_OR_RAISE(
        const RoaringBitmap changed,
        RoaringBitmap::Parse(std::as_bytes(std::span(offsets)), "updated offsets"));
    const StoredSequence& stored = fragment->last_updated_at_versions.place == Place::kNone
                                       ? fragment->created_at_versions
                                       : fragment->last_updated_at_versions;
    VersionSequence versions = VersionSequence::Of(1, fragment->physical_rows);
    if (stored.place == Place::kInline) {
      ARROW_ASSIGN_OR_RAISE(versions,
                            VersionSequence::Parse(stored.bytes, fragment->physical_rows));
    }
    VersionSequence marked;
    uint64_t row = 0;
    for (const uint32_t offset : changed.ToVector()) {
      if (offset >= fragment->physical_rows) {
        return arrow::Status::Invalid("row ", offset, " was changed; it has ",
                                      fragment->physical_rows);
      }
      for (; row < offset; ++row) marked.Append(versions.VersionOf(row), 1);
      marked.Append(next_->version, 1);
      row = uint64_t{offset} + 1;
    }
    for (; row < fragment->physical_rows; ++row) marked.Append(versions.VersionOf(row), 1);
    fragment->last_updated_at_versions = StoreInline(marked);
    return arrow::Status::OK();
  }

  const Operation& operation_;
  Manifest* next_;
  std::unordered_map<uint64_t, const Fragment*> before_;
};

}  // namespace

arrow::Status KeepRowLineage(const Manifest& newest, const Operation& operation, Manifest* next) {
  if (!HasStableRowIds(*next)) return arrow::Status::OK();
  return Lineage(newest, operation, next).Run();
}

StoredSequence StoreInline(const RowIdSequence& ids) { return {Place::kInline, ids.Serialize()}; }

StoredSequence StoreInline(const VersionSequence& versions) {
  return {Place::kInline, versions.Serialize()};
}

}  // namespace lance::table
