#include "lance/optimize.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bindings.h"
#include "interrupt.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

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
}

}  // namespace lance::python
