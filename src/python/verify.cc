#include "lance/verify.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

void BindVerify(nb::module_& m) {
  m.def(
      "check_table",
      [](const Dataset& dataset, bool deep, nb::object observer) {
        const auto reports = MakeObserver(std::move(observer));
        return ToJson(Run([&](CallOptions call) {
          call.observer = reports;
          return CheckTable(dataset, {.deep = deep}, call);
        }));
      },
      nb::arg("dataset"), nb::arg("deep"), nb::arg("observer").none());
  m.def("verify_pruning", [](const Dataset& dataset, nb::kwargs arguments) {
    VerifyPruningRequest request;
    std::optional<std::string> filter;
    Keywords keywords(std::move(arguments));
    keywords.Take("filter", &filter)
        .Take("num_generated_filters", &request.num_generated_filters)
        .Take("seed", &request.seed)
        .Take("sample_fraction", &request.sample_fraction)
        .Finish();
    if (filter) request.filter = Filter(*std::move(filter));
    return ToJson(
        Run([&](const CallOptions& call) { return VerifyPruning(dataset, request, call); }));
  });
  m.def("repair_table", [](const Dataset& dataset) {
    return Run([&](const CallOptions& call) { return RepairTable(dataset, {}, call); });
  });
  m.def("prune_clustering_definitions", [](const Dataset& dataset) {
    return Run(
        [&](const CallOptions& call) { return PruneClusteringDefinitions(dataset, {}, call); });
  });
}

}  // namespace lance::python
