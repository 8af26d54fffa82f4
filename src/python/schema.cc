#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/status.h"
#include "arrow/type.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "fragments.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/schema_evolution.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// A Python function as the library calls it: with batches as Arrow objects, from any thread.
class PythonBatchFunction {
 public:
  explicit PythonBatchFunction(nb::object function) : function_(std::move(function)) {}
  PythonBatchFunction(const PythonBatchFunction&) = delete;
  PythonBatchFunction& operator=(const PythonBatchFunction&) = delete;
  ~PythonBatchFunction() {
    nb::gil_scoped_acquire locked;
    function_.reset();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Call(const arrow::RecordBatch& batch) const {
    nb::gil_scoped_acquire locked;
    // The caller's wrapper keeps the exception; what matters here is that nothing is thrown on.
    try {
      const nb::object result = function_(ArrowBatchObject{batch.Slice(0)});
      return ImportBatch(result);
    } catch (nb::python_error& error) {
      return arrow::Status::Invalid("the function failed: ", error.what());
    } catch (const StatusError& error) {
      return error.status();
    }
  }

 private:
  nb::object function_;
};

/// Of the whole table or of one fragment.
using FragmentId = std::optional<uint64_t>;

/// \return the new version; of one fragment what it is now
nb::object Add(const Dataset& dataset, const AddColumnsRequest& request, FragmentId fragment) {
  if (fragment) {
    return Describe(Run([&](const CallOptions& call) {
      return AddColumnsToFragment(dataset, *fragment, request, call);
    }));
  }
  return nb::cast(Run([&](const CallOptions& call) { return AddColumns(dataset, request, call); }));
}

/// \param columns a dict, of which the order matters
std::vector<ComputedColumn> ComputedOf(const nb::dict& columns) {
  std::vector<ComputedColumn> computed;
  for (const auto& [name, expression] : columns) {
    computed.push_back({Keywords::ValueOf<std::string>("transforms", name),
                        Keywords::ValueOf<std::string>("transforms", expression)});
  }
  return computed;
}

ArrowSchemaObject ComputedSchema(const Dataset& dataset, nb::dict columns) {
  return {ValueOrThrow(ComputedColumnsSchema(dataset, ComputedOf(columns)))};
}

nb::object AddExpressions(const Dataset& dataset, nb::dict columns,
                          std::optional<uint64_t> batch_size, FragmentId fragment) {
  AddColumnsRequest request{.values = ComputedOf(columns)};
  if (batch_size) request.batch_size = *batch_size;
  return Add(dataset, request, fragment);
}

nb::object AddNulls(const Dataset& dataset, nb::handle schema, FragmentId fragment) {
  return Add(dataset, {.values = ImportSchema(schema)}, fragment);
}

nb::object AddStream(const Dataset& dataset, nb::handle stream, FragmentId fragment) {
  return Add(dataset, {.values = BatchSource(ImportStream(stream))}, fragment);
}

nb::object AddByFunction(const Dataset& dataset, nb::object function, nb::handle schema,
                         nb::handle read_columns, std::optional<uint64_t> batch_size,
                         FragmentId fragment) {
  const auto shared = std::make_shared<PythonBatchFunction>(std::move(function));
  AddColumnsRequest request{
      .values =
          BatchFunction([shared](const arrow::RecordBatch& batch) { return shared->Call(batch); }),
      .function_schema = ImportSchema(schema),
      .read_columns = Keywords::ValueOf<std::vector<std::string>>("read_columns", read_columns)};
  if (batch_size) request.batch_size = *batch_size;
  return Add(dataset, request, fragment);
}

Dataset Drop(const Dataset& dataset, nb::handle names) {
  const auto columns = Keywords::ValueOf<std::vector<std::string>>("columns", names);
  return Run([&](const CallOptions& call) { return DropColumns(dataset, columns, {}, call); });
}

/// \param alterations path, new name, nullable, and a schema of one field with the new type
Dataset Alter(const Dataset& dataset, nb::list alterations) {
  std::vector<ColumnAlteration> requests;
  for (nb::handle entry : alterations) {
    const auto parts = nb::cast<nb::tuple>(entry);
    ColumnAlteration alteration{.path = Keywords::ValueOf<std::string>("path", parts[0])};
    alteration.name = Keywords::ValueOf<std::optional<std::string>>("name", parts[1]);
    alteration.nullable = Keywords::ValueOf<std::optional<bool>>("nullable", parts[2]);
    if (!parts[3].is_none()) {
      alteration.data_type = ImportSchema(parts[3])->field(0)->type();
    }
    requests.push_back(std::move(alteration));
  }
  return Run([&](const CallOptions& call) { return AlterColumns(dataset, requests, {}, call); });
}

Dataset Merge(const Dataset& dataset, nb::handle stream, nb::handle left_on, nb::handle right_on) {
  const MergeColumnsRequest request{
      .right = BatchSource(ImportStream(stream)),
      .left_on = Keywords::ValueOf<std::string>("left_on", left_on),
      .right_on = Keywords::ValueOf<std::string>("right_on", right_on)};
  return Run([&](const CallOptions& call) { return MergeColumns(dataset, request, call); });
}

}  // namespace

void BindSchema(nb::module_& m) {
  m.def("add_expressions", &AddExpressions, nb::arg("dataset"), nb::arg("columns"),
        nb::arg("batch_size").none(), nb::arg("fragment_id") = nb::none());
  m.def("computed_schema", &ComputedSchema, nb::arg("dataset"), nb::arg("columns"));
  m.def("add_nulls", &AddNulls, nb::arg("dataset"), nb::arg("schema"),
        nb::arg("fragment_id") = nb::none());
  m.def("add_stream", &AddStream, nb::arg("dataset"), nb::arg("stream"),
        nb::arg("fragment_id") = nb::none());
  m.def("add_by_function", &AddByFunction, nb::arg("dataset"), nb::arg("function"),
        nb::arg("schema"), nb::arg("read_columns"), nb::arg("batch_size").none(),
        nb::arg("fragment_id") = nb::none());
  m.def("drop_columns", &Drop, nb::arg("dataset"), nb::arg("columns"));
  m.def("alter_columns", &Alter, nb::arg("dataset"), nb::arg("alterations"));
  m.def("merge_columns", &Merge, nb::arg("dataset"), nb::arg("stream"), nb::arg("left_on"),
        nb::arg("right_on"));
}

}  // namespace lance::python
