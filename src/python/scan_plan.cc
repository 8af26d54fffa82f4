#include "lance/scan_plan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "batch_reader.h"
#include "bindings.h"
#include "interrupt.h"
#include "scan_options.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// A list of the tasks of a scan, whose options are those of Dataset.scan.
nb::list Plan(const Dataset& dataset, uint64_t target_rows_per_task, nb::kwargs arguments) {
  const ScanOptions options = ScanOptionsOf(std::move(arguments));
  const ScanPlan plan = Run([&](const CallOptions& call) {
    return PlanScan(dataset, options, {.target_rows_per_task = target_rows_per_task}, call);
  });
  nb::list tasks;
  for (const ScanTask& task : plan.tasks) tasks.append(nb::cast(task));
  return tasks;
}

nb::bytes Serialize(const ScanTask& task) {
  const std::string bytes = ValueOrThrow(task.Serialize());
  return nb::bytes(bytes.data(), bytes.size());
}

ScanTask Parse(const nb::bytes& bytes) {
  return ValueOrThrow(ScanTask::Parse(std::string_view(bytes.c_str(), bytes.size())));
}

}  // namespace

void BindScanPlan(nb::module_& m) {
  nb::class_<ScanTask>(m, "ScanTask")
      .def_prop_ro("table_uri", &ScanTask::table_uri)
      .def_prop_ro("read_version", &ScanTask::read_version)
      .def_prop_ro("num_rows", &ScanTask::num_rows)
      .def_prop_ro("num_bytes", &ScanTask::num_bytes)
      .def_prop_ro("fragment_ids", &ScanTask::fragment_ids)
      .def("execute",
           [](const ScanTask& self, const Dataset& dataset) {
             return std::make_unique<BatchReader>(
                 [&](const CallOptions& call) { return self.Execute(dataset, call); });
           })
      .def("serialize", &Serialize)
      .def_static("parse", &Parse);
  m.def("plan_scan", &Plan, nb::arg("dataset"), nb::arg("target_rows_per_task"),
        nb::arg("options"));
}

}  // namespace lance::python
