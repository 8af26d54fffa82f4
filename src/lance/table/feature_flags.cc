#include "lance/table/feature_flags.h"

#include <algorithm>
#include <bit>
#include <string>

#include "lance/base/status_detail.h"
#include "lance/table/clustering_metadata.h"

namespace lance::table {
namespace {

// table-format 6.1. Bits 2, 3 and 5 are accepted in the reader word too: the reference does, and
// they do not change how a table is read.
constexpr FeatureFlag kFlags[] = {
    // bit, name, can_read, can_write, is_paired, is_sticky
    {0, "deletion files", true, true, false, false},
    {1, "stable row ids", true, true, false, true},
    {2, "v2 data files", true, true, false, false},
    {3, "table config", true, true, false, false},
    {4, "base paths", true, true, false, false},
    {5, "no transaction file", true, true, false, false},
    {6, "data overlays", false, false, false, false},
    {7, "covered index metadata", false, false, false, false},
    {8, "mixed data file versions", false, false, true, true},
    {9, "fragment reuse with stable row ids", false, false, false, false},
    {10, "tagged fragment reuse", true, false, true, true},
    {11, "row lineage in columns", true, true, false, false},
    {12, "fragment tree", false, false, false, false},
    {13, "independent covering fields", false, false, false, false},
    {14, "managed blobs", false, false, true, true},
    {15, "field ids never reused", false, true, false, true},
    {16, "zone statistics seeds", false, false, true, true},
    {17, "object metadata", false, true, false, false},
};

const FeatureFlag* FindFlag(int bit) {
  const auto found = std::ranges::find(kFlags, bit, &FeatureFlag::bit);
  return found == std::end(kFlags) ? nullptr : found;
}

bool IsSet(uint64_t word, int bit) { return (word >> bit & 1) != 0; }

arrow::Status Unsupported(int bit, const Manifest& manifest, std::string_view verb) {
  const FeatureFlag* flag = FindFlag(bit);
  const std::string feature = std::string(flag == nullptr ? "an unknown feature" : flag->name) +
                              " (bit " + std::to_string(bit) + ")";
  return UnsupportedError(feature,
                          "version " + std::to_string(manifest.version) + " of the table uses " +
                              feature + ", so this release cannot " + std::string(verb) + " it",
                          bit);
}

/// The lowest set bit that `allowed` refuses; -1: none.
template <typename Allowed>
int LowestRefused(uint64_t word, Allowed allowed) {
  for (; word != 0; word &= word - 1) {
    const int bit = std::countr_zero(word);
    const FeatureFlag* flag = FindFlag(bit);
    if (flag == nullptr || !allowed(*flag)) return bit;
  }
  return -1;
}

/// Find words that contradict each other or the manifest.
arrow::Status CheckConsistent(const Manifest& manifest) {
  const uint64_t reader = manifest.reader_feature_flags;
  const uint64_t writer = manifest.writer_feature_flags;
  for (const FeatureFlag& flag : kFlags) {
    if (flag.is_paired && IsSet(reader, flag.bit) != IsSet(writer, flag.bit)) {
      return arrow::Status::SerializationError("feature flag ", flag.name, " (bit ", flag.bit,
                                               ") is set in only one of the flag words");
    }
  }
  if ((reader & kFieldIdsNeverReusedFlag) != 0) {
    return arrow::Status::SerializationError(
        "feature flag field ids never reused (bit 15) is set for readers");
  }
  if (HasStableRowIds(manifest)) {
    for (const Fragment& fragment : manifest.fragments) {
      if (fragment.row_ids.place != StoredSequence::Place::kNone) continue;
      return arrow::Status::SerializationError("fragment ", fragment.id,
                                               " has no row ids, the table has stable row ids");
    }
  }
  if ((writer & kFieldIdsNeverReusedFlag) != 0 && !manifest.max_allocated_field_id) {
    return arrow::Status::SerializationError(
        "feature flag field ids never reused (bit 15) is set without max_allocated_field_id");
  }
  return arrow::Status::OK();
}

bool HasDeletionFile(const Fragment& fragment) { return fragment.deletion_file.has_value(); }

bool HasLineageInColumns(const Fragment& fragment) {
  constexpr StoredSequence::Place kColumn = StoredSequence::Place::kColumn;
  return fragment.row_ids.place == kColumn || fragment.created_at_versions.place == kColumn ||
         fragment.last_updated_at_versions.place == kColumn;
}

bool HasCoveringFields(const IndexMetadata& index) { return !index.covering_field_ids.empty(); }

}  // namespace

bool HasStableRowIds(const Manifest& manifest) {
  return (manifest.reader_feature_flags & kStableRowIdsFlag) != 0;
}

std::span<const FeatureFlag> KnownFeatureFlags() { return kFlags; }

arrow::Status CheckReadable(const Manifest& manifest) {
  ARROW_RETURN_NOT_OK(CheckConsistent(manifest));
  const int refused = LowestRefused(manifest.reader_feature_flags,
                                    [](const FeatureFlag& flag) { return flag.can_read; });
  return refused < 0 ? arrow::Status::OK() : Unsupported(refused, manifest, "read");
}

arrow::Status CheckWritable(const Manifest& manifest) {
  ARROW_RETURN_NOT_OK(CheckReadable(manifest));
  const int refused = LowestRefused(manifest.writer_feature_flags,
                                    [](const FeatureFlag& flag) { return flag.can_write; });
  return refused < 0 ? arrow::Status::OK() : Unsupported(refused, manifest, "write to");
}

FeatureFlags ComputeFlags(const Manifest& manifest) {
  FeatureFlags flags;
  for (const FeatureFlag& flag : kFlags) {
    if (!flag.is_sticky) continue;
    const uint64_t mask = uint64_t{1} << flag.bit;
    flags.reader |= manifest.reader_feature_flags & mask;
    flags.writer |= manifest.writer_feature_flags & mask;
  }
  uint64_t both = 0;
  if (std::ranges::any_of(manifest.fragments, HasDeletionFile)) both |= kDeletionFilesFlag;
  if (!manifest.base_paths.empty()) both |= kBasePathsFlag;
  if (std::ranges::any_of(manifest.fragments, HasLineageInColumns)) both |= kLineageInColumnsFlag;
  if (std::ranges::any_of(manifest.indices, HasCoveringFields)) both |= kCoveredIndexMetadataFlag;
  flags.reader |= both;
  flags.writer |= both;
  if (!manifest.config.empty()) flags.writer |= kTableConfigFlag;
  if (manifest.max_allocated_field_id) flags.writer |= kFieldIdsNeverReusedFlag;
  if (NeedsObjectMetadataFlag(manifest)) flags.writer |= kObjectMetadataFlag;
  return flags;
}

}  // namespace lance::table
