#include "lance/optimize.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

ClusteringCompactionOptions OptionsOf(nb::kwargs arguments) {
  ClusteringCompactionOptions options;
  Keywords keywords(std::move(arguments));
  options.commit = TakeCommitOptions(&keywords);
  keywords.Take("target_rows_per_fragment", &options.target_rows_per_fragment)
      .Take("target_rows_per_group", &options.target_rows_per_group)
      .Take("max_bytes_per_file", &options.max_bytes_per_file)
      .Take("max_source_fragments", &options.budget.max_source_fragments)
      .Take("max_source_rows", &options.budget.max_source_rows)
      .Take("max_source_bytes", &options.budget.max_source_bytes)
      .Take("min_merge_ratio", &options.min_merge_ratio)
      .Take("full", &options.full)
      .Take("take_over", &options.take_over)
      .Take("rows_per_zone", &options.rows_per_zone)
      .Finish();
  return options;
}

/// What committed, and docs/guide/json.md "compaction_result".
std::pair<Dataset, std::string> Outcome(CompactionResult result) {
  std::string text = ToJson(result);
  return {std::move(result.dataset), std::move(text)};
}

ClusteringCompactionPlan Plan(const Dataset& dataset, nb::kwargs arguments) {
  const ClusteringCompactionOptions options = OptionsOf(std::move(arguments));
  return Run(
      [&](const CallOptions& call) { return PlanClusteringCompaction(dataset, options, call); });
}

std::pair<Dataset, std::string> Commit(const Dataset& dataset, const ClusteringCompactionPlan& plan,
                                       const std::vector<ClusteringRewriteResult>& results) {
  return Outcome(Run([&](const CallOptions& call) {
    return CommitClusteringCompaction(dataset, plan, results, call);
  }));
}

}  // namespace

void BindOptimize(nb::module_& m) {
  nb::class_<ClusteringRewriteResult>(m, "ClusteringRewriteResult")
      .def_prop_ro("plan_id", &ClusteringRewriteResult::plan_id)
      .def_prop_ro("task_id", &ClusteringRewriteResult::task_id)
      .def_prop_ro("rows_in", &ClusteringRewriteResult::rows_in)
      .def_prop_ro("rows_out", &ClusteringRewriteResult::rows_out);
  nb::class_<ClusteringCompactionTask>(m, "ClusteringCompactionTask")
      .def_prop_ro("plan_id", &ClusteringCompactionTask::plan_id)
      .def_prop_ro("task_id", &ClusteringCompactionTask::task_id)
      .def_prop_ro("source_fragment_ids", &ClusteringCompactionTask::source_fragment_ids)
      .def_prop_ro("source_rows", &ClusteringCompactionTask::source_rows)
      .def_prop_ro("source_bytes", &ClusteringCompactionTask::source_bytes)
      .def_prop_ro("reason", &ClusteringCompactionTask::reason)
      .def(
          "execute",
          [](const ClusteringCompactionTask& self, const Dataset& dataset) {
            return Run([&](const CallOptions& call) { return self.Execute(dataset, call); });
          },
          nb::arg("dataset"));
  nb::class_<ClusteringCompactionPlan>(m, "ClusteringCompactionPlan")
      .def_prop_ro("plan_id", &ClusteringCompactionPlan::plan_id)
      .def_prop_ro("read_version", &ClusteringCompactionPlan::read_version)
      .def_prop_ro("tasks", &ClusteringCompactionPlan::tasks)
      .def("to_json", [](const ClusteringCompactionPlan& self) { return ToJson(self); });
  m.def("plan_clustering", &Plan, nb::arg("dataset"), nb::arg("options"));
  m.def("commit_clustering", &Commit, nb::arg("dataset"), nb::arg("plan"), nb::arg("results"));
}

}  // namespace lance::python
