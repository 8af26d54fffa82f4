#pragma once

#include <span>
#include <string_view>

namespace lance::check {

/// How bad a finding is, the worst first.
enum class Severity {
  kError,    // something is wrong: rows, versions or answers are lost or may be wrong
  kWarning,  // readers get by, but something was lost or will be
  kInfo,     // worth knowing, nothing to mend
};

/// A kind of finding: its stable name, and how bad it is. docs/guide/check.md says what each means.
struct FindingKind {
  std::string_view code;
  Severity severity;
};

// Versions and their manifests.
inline constexpr FindingKind kManifestBroken{"manifest_broken", Severity::kError};
inline constexpr FindingKind kManifestVersionWrong{"manifest_version_wrong", Severity::kError};
inline constexpr FindingKind kNamesMixed{"names_mixed", Severity::kError};
inline constexpr FindingKind kManifestNameUnknown{"manifest_name_unknown", Severity::kWarning};
inline constexpr FindingKind kVersionUnsupported{"version_unsupported", Severity::kInfo};
inline constexpr FindingKind kHintBroken{"hint_broken", Severity::kWarning};
inline constexpr FindingKind kHintAhead{"hint_ahead", Severity::kWarning};
inline constexpr FindingKind kHintStale{"hint_stale", Severity::kInfo};
inline constexpr FindingKind kTransactionMissing{"transaction_missing", Severity::kWarning};
// The reference's clean-up takes it from versions that stay for a tag or a branch.
inline constexpr FindingKind kTransactionFileMissing{"transaction_file_missing", Severity::kInfo};
inline constexpr FindingKind kTransactionBroken{"transaction_broken", Severity::kWarning};
inline constexpr FindingKind kTransactionDiffers{"transaction_differs", Severity::kWarning};

// What the manifest says of itself.
inline constexpr FindingKind kFlagMissing{"flag_missing", Severity::kWarning};
inline constexpr FindingKind kFlagUnneeded{"flag_unneeded", Severity::kInfo};
inline constexpr FindingKind kConfigBroken{"config_broken", Severity::kWarning};
inline constexpr FindingKind kFieldIdBeyondMax{"field_id_beyond_max", Severity::kWarning};
inline constexpr FindingKind kBasePathTwice{"base_path_twice", Severity::kError};
inline constexpr FindingKind kBasePathBroken{"base_path_broken", Severity::kError};
inline constexpr FindingKind kBasePathUnknown{"base_path_unknown", Severity::kError};

// Fragments.
inline constexpr FindingKind kFragmentTwice{"fragment_twice", Severity::kError};
inline constexpr FindingKind kFragmentsUnsorted{"fragments_unsorted", Severity::kWarning};
inline constexpr FindingKind kFragmentBeyondMax{"fragment_beyond_max", Severity::kWarning};
inline constexpr FindingKind kFragmentEmpty{"fragment_empty", Severity::kWarning};
inline constexpr FindingKind kColumnMissing{"column_missing", Severity::kError};
inline constexpr FindingKind kFieldHeldTwice{"field_held_twice", Severity::kWarning};

// Data files.
inline constexpr FindingKind kDataFileMissing{"data_file_missing", Severity::kError};
inline constexpr FindingKind kDataFileSizeWrong{"data_file_size_wrong", Severity::kError};
inline constexpr FindingKind kDataFileTwice{"data_file_twice", Severity::kError};
inline constexpr FindingKind kDataFileBroken{"data_file_broken", Severity::kError};
inline constexpr FindingKind kDataFileVersionWrong{"data_file_version_wrong", Severity::kError};
inline constexpr FindingKind kRowCountWrong{"row_count_wrong", Severity::kError};
inline constexpr FindingKind kColumnIndexWrong{"column_index_wrong", Severity::kError};
inline constexpr FindingKind kFileUnsupported{"file_unsupported", Severity::kInfo};
inline constexpr FindingKind kColumnBroken{"column_broken", Severity::kError};
inline constexpr FindingKind kColumnUnsupported{"column_unsupported", Severity::kWarning};
inline constexpr FindingKind kNullsInRequiredColumn{"nulls_in_required_column", Severity::kWarning};
inline constexpr FindingKind kBlobBroken{"blob_broken", Severity::kError};

// Deletion files.
inline constexpr FindingKind kDeletionFileMissing{"deletion_file_missing", Severity::kError};
inline constexpr FindingKind kDeletionFileBroken{"deletion_file_broken", Severity::kError};
inline constexpr FindingKind kDeletionCountWrong{"deletion_count_wrong", Severity::kError};
inline constexpr FindingKind kDeletionOutOfRange{"deletion_out_of_range", Severity::kError};
inline constexpr FindingKind kDeletionTwice{"deletion_twice", Severity::kWarning};

// Row ids and versions of rows.
inline constexpr FindingKind kRowIdsBroken{"row_ids_broken", Severity::kError};
inline constexpr FindingKind kRowIdTwice{"row_id_twice", Severity::kError};
inline constexpr FindingKind kRowIdBeyondNext{"row_id_beyond_next", Severity::kError};
inline constexpr FindingKind kRowIdsWithoutFlag{"row_ids_without_flag", Severity::kWarning};
inline constexpr FindingKind kRowVersionsBroken{"row_versions_broken", Severity::kError};
inline constexpr FindingKind kRowVersionAhead{"row_version_ahead", Severity::kWarning};

// Indices.
inline constexpr FindingKind kIndexTwice{"index_twice", Severity::kError};
inline constexpr FindingKind kIndexFieldMissing{"index_field_missing", Severity::kWarning};
inline constexpr FindingKind kIndexCoverageBroken{"index_coverage_broken", Severity::kError};
inline constexpr FindingKind kIndexCoverageAhead{"index_coverage_ahead", Severity::kError};
inline constexpr FindingKind kIndexCoverageStale{"index_coverage_stale", Severity::kInfo};
inline constexpr FindingKind kIndexSegmentsOverlap{"index_segments_overlap", Severity::kWarning};
inline constexpr FindingKind kIndexVersionAhead{"index_version_ahead", Severity::kWarning};
inline constexpr FindingKind kIndexUnknown{"index_unknown", Severity::kInfo};
inline constexpr FindingKind kIndexFileMissing{"index_file_missing", Severity::kError};
inline constexpr FindingKind kIndexFileSizeWrong{"index_file_size_wrong", Severity::kError};
inline constexpr FindingKind kIndexBroken{"index_broken", Severity::kError};
inline constexpr FindingKind kIndexUnsupported{"index_unsupported", Severity::kInfo};
inline constexpr FindingKind kIndexWrong{"index_wrong", Severity::kError};
inline constexpr FindingKind kZoneWrong{"zone_wrong", Severity::kError};
inline constexpr FindingKind kSeedWrong{"seed_wrong", Severity::kError};

// Tags and branches.
inline constexpr FindingKind kTagBroken{"tag_broken", Severity::kError};
inline constexpr FindingKind kTagDangling{"tag_dangling", Severity::kError};
inline constexpr FindingKind kTagSizeWrong{"tag_size_wrong", Severity::kInfo};
inline constexpr FindingKind kBranchBroken{"branch_broken", Severity::kError};
inline constexpr FindingKind kBranchDangling{"branch_dangling", Severity::kError};
inline constexpr FindingKind kNoteBroken{"note_broken", Severity::kError};
inline constexpr FindingKind kBranchUnlisted{"branch_unlisted", Severity::kInfo};

// What could not be looked at.
inline constexpr FindingKind kStorageFailed{"storage_failed", Severity::kError};

// What no version names.
inline constexpr FindingKind kOrphans{"orphans", Severity::kInfo};
inline constexpr FindingKind kOrphansUnknown{"orphans_unknown", Severity::kInfo};

}  // namespace lance::check
