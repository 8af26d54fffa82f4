#include "lance/index.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "arrow_objects.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

Dataset CreateZonemap(const Dataset& dataset, nb::object observer, nb::kwargs arguments) {
  CreateIndexRequest request;
  Keywords keywords(std::move(arguments));
  keywords.Take("column", &request.column)
      .Take("name", &request.name)
      .Take("replace", &request.replace)
      .Take("rows_per_zone", &request.rows_per_zone)
      .Finish();
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  return Run([&](CallOptions call) {
    call.observer = watching;
    return CreateIndex(dataset, request, call);
  });
}

/// docs/guide/json.md "index_description", one text each.
nb::list DescribeIndices(const Dataset& dataset) {
  nb::list found;
  for (const IndexDescription& index :
       Run([&](const CallOptions& call) { return ListIndices(dataset, call); })) {
    found.append(ToJson(index));
  }
  return found;
}

Dataset Drop(const Dataset& dataset, const std::string& name) {
  return Run([&](const CallOptions& call) { return DropIndex(dataset, name, {}, call); });
}

Dataset Optimize(const Dataset& dataset, nb::object observer, nb::kwargs arguments) {
  OptimizeIndicesRequest request;
  Keywords keywords(std::move(arguments));
  keywords.Take("index_names", &request.index_names).Finish();
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  return Run([&](CallOptions call) {
    call.observer = watching;
    return OptimizeIndices(dataset, request, call);
  });
}

ArrowStreamObject Zones(const Dataset& dataset, const std::string& column) {
  return StreamOfTable(
      Run([&](const CallOptions& call) { return LoadZones(dataset, column, call); }));
}

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("create_zonemap", &CreateZonemap, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("options"));
  m.def("drop_index", &Drop, nb::arg("dataset"), nb::arg("name"));
  m.def("optimize_indices", &Optimize, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("options"));
  m.def("load_zones", &Zones, nb::arg("dataset"), nb::arg("column"));
  m.def("describe_indices", &DescribeIndices, nb::arg("dataset"));
}

}  // namespace lance::python
