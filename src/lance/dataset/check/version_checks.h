#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/referenced_files.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/dataset_impl.h"

namespace lance::check {

/// What the check of versions needs to know. Borrows everything.
struct VersionsCheck {
  const OpenedTable& table;
  const StoredTable& stored;
  /// The version whose transaction file is read; of others only its presence is looked at.
  const Dataset::Impl* opened = nullptr;
  std::string opened_branch = {};
  /// Whether transaction files and deletion files of all versions are read.
  bool is_deep = false;
  RunContext run;
};

/// Read the manifests of all versions of all branches, one at a time, and look at their names, the
/// version hints and the transactions; deep also at the deletion files that the opened version does
/// not name.
///
/// Each is opened as a reader would, and what it names goes into `files`. A version that clean-up
/// took meanwhile is passed over.
///
/// \return what stops the check. Source: table-format 1.3 to 1.5, 4.1
arrow::Status CheckVersions(const VersionsCheck& check, ReferencedFiles* files, Findings* findings);

/// Names of manifests. Pure. Source: table-format 1.3.
void CheckVersionNames(const VersionLine& line, Findings* findings);

/// What a version hint says, compared with the newest version; pure. Source: table-format 1.4.
///
/// \param hinted no value: it cannot be parsed
void CheckHint(const std::string& path, std::optional<uint64_t> hinted, uint64_t newest,
               Findings* findings);

}  // namespace lance::check
