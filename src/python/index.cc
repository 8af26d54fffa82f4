#include "lance/index.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <utility>

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

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("create_zonemap", &CreateZonemap, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("options"));
  m.def("describe_indices", &DescribeIndices, nb::arg("dataset"));
}

}  // namespace lance::python
