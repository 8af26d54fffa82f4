#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "arrow/result.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/referenced_files.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest.h"

namespace lance::check {

/// What the check of a deletion file needs to know. Borrows what it points to.
struct DeletionsCheck {
  ObjectStore& store;
  const table::Fragment& fragment;
  std::string name;  // of the fragment, in findings
  const RunContext& run;
};

/// Read the deletion file of a fragment and compare it with what the fragment says.
///
/// \return the live rows; no value: they are not known. Or what stops the check
/// Source: table-format 7
arrow::Result<std::optional<RowRanges>> CheckDeletions(const DeletionsCheck& check,
                                                       Findings* findings);

/// Checks the deletion files of versions that are not checked in full, each file once, however many
/// versions name it: what that costs is bounded by what lies on storage. Thread-compatible.
class OldDeletions {
 public:
  /// Borrows `files`, which says how files are called.
  OldDeletions(ReferencedFiles* files, const RunContext& run) : files_(files), run_(run) {}

  /// Leave out what a version names that is checked in full.
  void LeaveOut(const table::Manifest& manifest, const VersionLine& line);

  /// Check the deletion files of a version that no version before named. Those that are missing are
  /// left out: ReferencedFiles finds them.
  ///
  /// \return what stops the check
  arrow::Status Check(const Dataset::Impl& version, const VersionLine& line, Findings* findings);

 private:
  std::string KeyOf(const table::Manifest& manifest, const VersionLine& line,
                    const table::Fragment& fragment);

  ReferencedFiles* files_;
  RunContext run_;
  std::unordered_set<std::string> seen_;
};

}  // namespace lance::check
