#include "lance/scan.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "arrow_objects.h"
#include "batch_reader.h"
#include "bindings.h"
#include "interrupt.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

void BindScan(nb::module_& m) {
  nb::class_<BatchReader>(m, "BatchReader")
      .def_prop_ro("schema",
                   [](const BatchReader& self) { return ArrowSchemaObject{self.schema()}; })
      .def("next", &BatchReader::Next)
      .def("statistics", &BatchReader::Statistics);
  nb::class_<Scanner>(m, "Scanner")
      .def_prop_ro("projected_schema",
                   [](const Scanner& self) { return ArrowSchemaObject{self.projected_schema()}; })
      .def("open",
           [](const Scanner& self) {
             return std::make_unique<BatchReader>(
                 [&](const CallOptions& call) { return self.ToReader(call); });
           })
      .def("to_stream",
           [](const Scanner& self) {
             nb::gil_scoped_release unlocked;
             return ArrowStreamObject{ValueOrThrow(self.ToReader())};
           })
      .def("to_table",
           [](const Scanner& self) {
             return StreamOfTable(Run([&](const CallOptions& call) { return self.ToTable(call); }));
           })
      .def("count_rows",
           [](const Scanner& self) {
             return Run([&](const CallOptions& call) { return self.CountRows(call); });
           })
      .def("estimate",
           [](const Scanner& self) {
             return ToJson(Run([&](const CallOptions& call) { return self.Estimate(call); }));
           })
      .def(
          "explain",
          [](const Scanner& self, bool analyze) {
            return ToJson(Run([&](const CallOptions& call) {
              return analyze ? self.Analyze(call) : self.Explain(call);
            }));
          },
          nb::arg("analyze"));
}

}  // namespace lance::python
