#include <utility>

#include "faulty_operation.h"
#include "lance/compaction.h"

namespace lance::testing {
namespace {

arrow::Result<Dataset> CompactAll(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto result, Compact(*handle.dataset, CompactionOptions()));
  return result.dataset;
}

/// The same by its steps; tasks and results travel as bytes.
arrow::Result<Dataset> CompactInStages(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(const auto plan, PlanCompaction(*handle.dataset));
  std::vector<RewriteResult> results;
  for (const CompactionTask& planned : plan.tasks()) {
    ARROW_ASSIGN_OR_RAISE(const std::string task_bytes, planned.Serialize());
    ARROW_ASSIGN_OR_RAISE(const auto task, CompactionTask::Parse(task_bytes));
    ARROW_ASSIGN_OR_RAISE(const auto result, task.Execute(*handle.dataset));
    ARROW_ASSIGN_OR_RAISE(const std::string result_bytes, result.Serialize());
    ARROW_ASSIGN_OR_RAISE(auto parsed, RewriteResult::Parse(result_bytes));
    results.push_back(std::move(parsed));
  }
  ARROW_ASSIGN_OR_RAISE(auto result, CommitCompaction(*handle.dataset, results));
  return result.dataset;
}

arrow::Status DeleteThird(const Dataset& dataset) { return Delete(dataset, "id = 3").status(); }

arrow::Status RivalAppend(const Dataset& dataset) {
  return AppendRows(dataset, R"([[9, 90, "i"]])");
}

}  // namespace

std::vector<FaultyOperation> CompactionOperations() {
  constexpr const char* kWithoutThird = "1:10:a 2:20:b 4:40:a 5:50:null 6:60:f";
  return {
      {.name = "Compact",
       .rows = kWithoutThird,
       .act = CompactAll,
       .prepare = DeleteThird,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
      {.name = "CompactPastAppend",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 9:90:i",
       .act = CompactAll,
       .rival = RivalAppend,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
      {.name = "CompactPastDelete",
       .rows = kWithoutThird,
       .act = CompactAll,
       .rival = DeleteThird,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
      {.name = "CompactInStages",
       .rows = kWithoutThird,
       .act = CompactInStages,
       .prepare = DeleteThird,
       .is_rewrite = true,
       .refreshes_zonemaps = false,
       .leaves_files = true},
  };
}

}  // namespace lance::testing
