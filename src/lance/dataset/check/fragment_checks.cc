#include "lance/dataset/check/fragment_checks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/check/column_checks.h"
#include "lance/dataset/check/deletion_checks.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/format/data_file_reader.h"
#include "lance/table/base_path.h"
#include "lance/table/data_version.h"
#include "lance/table/deletion_file.h"
#include "lance/table/feature_flags.h"

namespace lance::check {
namespace {

/// Whether a failure ends the check.
bool EndsCheck(const arrow::Status& status) { return status.IsCancelled(); }

/// Compare an opened file with what the manifest says of it. \return whether its rows can be read
bool CompareFile(const table::Fragment& fragment, const table::DataFile& stated,
                 const format::DataFileReader& file, Findings* findings) {
  const std::string& path = file.path();
  const auto version = table::DataVersionOf(stated);
  const std::string found = format::ToString(file.version());
  if (version.ok() && *version != found) {
    findings->Add(kDataFileVersionWrong, path, "the file has version ", found, ", ",
                  NameOf(fragment), " says ", *version);
  }
  if (file.num_rows() != fragment.physical_rows) {
    findings->Add(kRowCountWrong, path, "the file has ", file.num_rows(), " rows, ",
                  NameOf(fragment), " says ", fragment.physical_rows);
  }
  bool has_columns = true;
  for (size_t i = 0; i < stated.column_indices.size(); ++i) {
    if (stated.column_indices[i] < file.num_columns()) continue;
    has_columns = false;
    findings->Add(kColumnIndexWrong, path, NameOf(fragment), " says that field ",
                  stated.field_ids[i], " is column ", stated.column_indices[i], ", the file has ",
                  file.num_columns());
  }
  return has_columns && file.num_rows() >= fragment.physical_rows;
}

/// Open the data files and compare them with the manifest.
///
/// \param[out] good whether the rows of each can be read
arrow::Status CheckFiles(const FragmentCheck& check, std::vector<bool>* good, Findings* findings) {
  const table::Fragment& fragment = check.fragment;
  good->assign(fragment.files.size(), false);
  for (size_t i = 0; i < fragment.files.size(); ++i) {
    const table::DataFile& stated = fragment.files[i];
    const std::string path = table::DataFilePath(stated);
    if (check.damaged.contains(path)) continue;
    const auto size = stated.size_bytes == 0 ? std::nullopt : std::optional(stated.size_bytes);
    const auto file = format::DataFileReader::Open(check.dataset.store, path, size,
                                                   check.run.stop_token, check.run.memory_pool);
    if (file.ok()) {
      (*good)[i] = CompareFile(fragment, stated, **file, findings);
    } else if (EndsCheck(file.status())) {
      return file.status();
    } else if (NotFound::From(file.status()) == nullptr) {
      // A file of a version that is read here, as the manifest says, has nothing that is not.
      const bool is_unknown =
          !format::FileVersionFromManifest(stated.major_version, stated.minor_version).ok();
      findings->AddFailure(is_unknown ? kFileUnsupported : kDataFileBroken, path, file.status());
    }
  }
  return arrow::Status::OK();
}

/// The live rows of a fragment. \return no value: its deletions cannot be read
arrow::Result<std::optional<RowRanges>> LiveRowsOf(const FragmentCheck& check, Findings* findings) {
  const table::Fragment& fragment = check.fragment;
  if (fragment.deletion_file) {
    const std::string path = table::DeletionFilePath(fragment.id, *fragment.deletion_file);
    if (check.damaged.contains(path)) return std::nullopt;
  }
  return CheckDeletions({.store = *check.dataset.store,
                         .fragment = fragment,
                         .name = NameOf(fragment),
                         .run = check.run},
                        findings);
}

}  // namespace

arrow::Status CheckFragment(const FragmentCheck& check, FragmentReport* report) {
  const table::Manifest& manifest = check.dataset.manifest();
  Findings* const findings = &report->findings;
  std::vector<bool> good;
  ARROW_RETURN_NOT_OK(CheckFiles(check, &good, findings));
  ARROW_ASSIGN_OR_RAISE(const auto live, LiveRowsOf(check, findings));
  FragmentReader reader(check.dataset.store, check.fragment, check.run);
  if (live && table::HasStableRowIds(manifest)) {
    report->live_ids = CheckLineage(&reader, manifest, *live, check.run, findings);
  }
  if (!check.is_deep) return arrow::Status::OK();
  return CheckColumns({.dataset = check.dataset,
                       .reader = &reader,
                       .good_files = good,
                       .live = live,
                       .run = check.run},
                      findings);
}

arrow::Status CheckFragmentContents(const Dataset::Impl& dataset,
                                    const std::unordered_set<std::string>& damaged, bool is_deep,
                                    const RunContext& run, Findings* findings) {
  // So many reports are kept until it is their turn: findings come in the order of fragments.
  constexpr size_t kFragmentsAtOnce = 256;
  const auto& fragments = dataset.manifest().fragments;
  ProgressReporter progress(run, "check", "tasks");
  progress.Stage(is_deep ? "read" : "look", fragments.size());
  RunContext one_thread = run;
  one_thread.num_threads = 1;
  one_thread.observer = nullptr;
  RowIdSet seen;
  for (size_t begin = 0; begin < fragments.size(); begin += kFragmentsAtOnce) {
    std::vector<FragmentReport> reports(std::min(kFragmentsAtOnce, fragments.size() - begin));
    ARROW_RETURN_NOT_OK(
        ParallelFor(static_cast<int>(reports.size()), run.num_threads, run.stop_token, [&](int i) {
          const auto at = static_cast<size_t>(i);
          return CheckFragment({dataset, fragments[begin + at], damaged, is_deep, one_thread},
                               &reports[at]);
        }));
    for (size_t i = 0; i < reports.size(); ++i) {
      findings->Append(reports[i].findings);
      if (!reports[i].live_ids) continue;
      const auto twice = seen.AddAll(*reports[i].live_ids);
      if (!twice) continue;
      const std::string name = NameOf(fragments[begin + i]);
      findings->Add(kRowIdTwice, name, name, " has a live row with id ", *twice,
                    ", which a live row of a fragment before has, too");
    }
    progress.Update(begin + reports.size());
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
