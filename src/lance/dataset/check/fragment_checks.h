#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "arrow/status.h"
#include "lance/base/run_context.h"
#include "lance/dataset/check/findings.h"
#include "lance/dataset/check/row_id_checks.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest.h"

namespace lance::check {

/// What the check of one fragment needs to know. Borrows everything.
struct FragmentCheck {
  const Dataset::Impl& dataset;
  const table::Fragment& fragment;
  /// Paths of files that are missing or of another size, which was said already.
  const std::unordered_set<std::string>& damaged;
  bool is_deep = false;
  /// One thread: the caller checks fragments at the same time.
  RunContext run;
};

/// What a fragment's check gives.
struct FragmentReport {
  Findings findings;
  /// Stable ids of its live rows; no value: none, or they cannot be read.
  std::optional<RowIdSet> live_ids;
};

/// Read what belongs to one fragment: footers of its data files, deletions, row ids; deep also
/// every value.
///
/// \return what stops the check
arrow::Status CheckFragment(const FragmentCheck& check, FragmentReport* report);

/// Check the fragments of a version, several at the same time, and that no row id is there twice.
arrow::Status CheckFragmentContents(const Dataset::Impl& dataset,
                                    const std::unordered_set<std::string>& damaged, bool is_deep,
                                    const RunContext& run, Findings* findings);

}  // namespace lance::check
