#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lance/dataset/filter_columns.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/scan_task_impl.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/scan_plan.h"

namespace lance {

namespace {

arrow::Status CheckPlannable(const ScanOptions& options, const ScanPlanOptions& plan_options) {
  const char* set = nullptr;
  if (!options.order_by.empty()) set = "order_by";
  if (options.limit) set = "limit";
  if (options.offset > 0) set = "offset";
  if (set != nullptr) {
    return arrow::Status::Invalid("a scan with ", set,
                                  " cannot be cut into tasks; allowed: none, it is applied to what "
                                  "all tasks give");
  }
  if (plan_options.target_rows_per_task == 0) {
    return arrow::Status::Invalid("target_rows_per_task is 0; allowed: 1 or more");
  }
  return arrow::Status::OK();
}

/// Gathers rows into tasks in the order of the scan. Borrows; thread-compatible.
class TaskCutter {
 public:
  TaskCutter(const ScanTask::Impl& common, uint64_t target_rows)
      : common_(common), target_rows_(target_rows) {}

  /// A fragment that fits into one task is not cut.
  void Add(const table::Fragment& fragment, const RowRanges& rows) {
    const uint64_t num_rows = rows.num_rows();
    if (ids_in_task_.contains(fragment.id) || num_rows > Room()) Finish();
    if (num_rows <= target_rows_) return AddPart(fragment, rows);
    for (uint64_t begin = 0; begin < num_rows; begin += target_rows_) {
      Finish();
      AddPart(fragment, SliceRows(rows, begin, std::min(num_rows, begin + target_rows_)));
    }
  }

  std::vector<ScanTask> Take() && {
    Finish();
    return std::move(tasks_);
  }

 private:
  uint64_t Room() const { return target_rows_ - std::min(rows_in_task_, target_rows_); }

  void AddPart(const table::Fragment& fragment, RowRanges kept) {
    if (!task_) task_ = common_;
    ScanTaskPart part{.fragment_id = fragment.id, .rows = std::move(kept)};
    uint64_t bytes = 0;
    for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
    if (!fragment.files.empty()) part.file_path = fragment.files.front().path;
    const uint64_t rows = part.rows.num_rows();
    rows_in_task_ += rows;
    task_->num_rows +=
        common_.options.include_deleted_rows ? rows : std::min(rows, fragment.live_rows());
    task_->num_bytes +=
        static_cast<uint64_t>(static_cast<double>(bytes) * static_cast<double>(rows) /
                              static_cast<double>(fragment.physical_rows));
    task_->fragment_ids.push_back(fragment.id);
    ids_in_task_.insert(fragment.id);
    task_->parts.push_back(std::move(part));
  }

  void Finish() {
    if (task_) tasks_.emplace_back(std::make_shared<const ScanTask::Impl>(*std::move(task_)));
    task_.reset();
    rows_in_task_ = 0;
    ids_in_task_.clear();
  }

  const ScanTask::Impl& common_;
  uint64_t target_rows_;
  std::optional<ScanTask::Impl> task_;
  uint64_t rows_in_task_ = 0;
  std::set<uint64_t> ids_in_task_;  // a scan may be given a fragment twice
  std::vector<ScanTask> tasks_;
};

}  // namespace

arrow::Result<ScanPlan> PlanScan(const Dataset& dataset, const ScanOptions& options,
                                 const ScanPlanOptions& plan_options, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(CheckPlannable(options, plan_options));
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan(options));
  const Scanner::Impl& scan = scanner.impl();
  const RunContext run = scan.dataset->Run(call);
  const table::Manifest& manifest = scan.dataset->manifest();
  std::optional<FragmentPruner> pruner;
  if (scan.filter != nullptr && options.use_stats) {
    ARROW_ASSIGN_OR_RAISE(
        pruner, FragmentPruner::Make(scan.dataset, scan.dataset->store, scan.filter->predicate(),
                                     {.use_indices = UsesIndices(options)}, run));
  }
  ScanTask::Impl common{.table_uri = dataset.uri(),
                        .branch = dataset.branch(),
                        .read_version = dataset.version(),
                        .options = options};
  common.options.fragment_ids.reset();
  TaskCutter cutter(common, plan_options.target_rows_per_task);
  for (const size_t position : scan.fragments) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    const table::Fragment& fragment = manifest.fragments[position];
    if (!options.include_deleted_rows && fragment.live_rows() == 0) continue;
    RowRanges rows = RowRanges::All(fragment.physical_rows);
    if (pruner) {
      FragmentReader reader(scan.dataset->store, fragment, run);
      reader.UseCacheOf(*scan.dataset);
      ARROW_ASSIGN_OR_RAISE(auto pruned, pruner->Prune(&reader));
      rows = std::move(pruned.candidates);
    }
    if (!rows.empty()) cutter.Add(fragment, rows);
  }
  return ScanPlan{dataset.version(), std::move(cutter).Take()};
}

}  // namespace lance
