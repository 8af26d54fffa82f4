#include "arrow_objects.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "arrow/api.h"
#include "arrow/c/bridge.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

// The names that the PyCapsule interface gives to the three structs.
template <typename CStruct>
constexpr const char* kCapsuleName = nullptr;
template <>
constexpr const char* kCapsuleName<ArrowSchema> = "arrow_schema";
template <>
constexpr const char* kCapsuleName<ArrowArray> = "arrow_array";
template <>
constexpr const char* kCapsuleName<ArrowArrayStream> = "arrow_array_stream";

/// A consumer moves the struct out and clears its release; what nobody took is released here.
template <typename CStruct>
void DestroyCapsule(PyObject* capsule) {
  auto* owned = static_cast<CStruct*>(PyCapsule_GetPointer(capsule, kCapsuleName<CStruct>));
  if (owned == nullptr) return;
  if (owned->release != nullptr) owned->release(owned);
  delete owned;
}

template <typename CStruct>
nb::object MakeCapsule(std::unique_ptr<CStruct> owned) {
  nb::object capsule =
      nb::steal(PyCapsule_New(owned.get(), kCapsuleName<CStruct>, DestroyCapsule<CStruct>));
  if (!capsule.is_valid()) {
    if (owned->release != nullptr) owned->release(owned.get());
    throw nb::python_error();
  }
  owned.release();
  return capsule;
}

template <typename CStruct>
CStruct* StructOf(nb::handle capsule) {
  auto* found = static_cast<CStruct*>(PyCapsule_GetPointer(capsule.ptr(), kCapsuleName<CStruct>));
  if (found == nullptr) throw nb::python_error();
  return found;
}

nb::object CallMethod(nb::handle object, const char* method) {
  if (!nb::hasattr(object, method)) {
    const std::string found = nb::cast<std::string>(object.type().attr("__name__"));
    throw nb::type_error(("a " + found + " has no " + method).c_str());
  }
  return object.attr(method)();
}

nb::object ExportSchemaCapsule(const arrow::Schema& schema) {
  auto c_schema = std::make_unique<ArrowSchema>();
  ThrowIfFailed(arrow::ExportSchema(schema, c_schema.get()));
  return MakeCapsule(std::move(c_schema));
}

nb::object ExportBatchCapsules(const arrow::RecordBatch& batch) {
  auto c_array = std::make_unique<ArrowArray>();
  auto c_schema = std::make_unique<ArrowSchema>();
  ThrowIfFailed(arrow::ExportRecordBatch(batch, c_array.get(), c_schema.get()));
  nb::object schema = MakeCapsule(std::move(c_schema));
  return nb::make_tuple(schema, MakeCapsule(std::move(c_array)));
}

nb::object ExportStreamCapsule(ArrowStreamObject& self) {
  if (self.reader == nullptr) {
    throw StatusError(arrow::Status::Invalid("this stream was handed out already"));
  }
  auto c_stream = std::make_unique<ArrowArrayStream>();
  ThrowIfFailed(
      arrow::ExportRecordBatchReader(std::exchange(self.reader, nullptr), c_stream.get()));
  return MakeCapsule(std::move(c_stream));
}

}  // namespace

ArrowStreamObject StreamOfTable(std::shared_ptr<arrow::Table> table, int64_t batch_size) {
  auto reader = std::make_shared<arrow::TableBatchReader>(std::move(table));
  if (batch_size > 0) reader->set_chunksize(batch_size);
  return {std::move(reader)};
}

std::shared_ptr<arrow::Schema> ImportSchema(nb::handle object) {
  const nb::object capsule = CallMethod(object, "__arrow_c_schema__");
  return ValueOrThrow(arrow::ImportSchema(StructOf<ArrowSchema>(capsule)));
}

std::shared_ptr<arrow::RecordBatch> ImportBatch(nb::handle object) {
  const auto capsules = nb::cast<nb::tuple>(CallMethod(object, "__arrow_c_array__"));
  return ValueOrThrow(arrow::ImportRecordBatch(StructOf<ArrowArray>(capsules[1]),
                                               StructOf<ArrowSchema>(capsules[0])));
}

std::shared_ptr<arrow::RecordBatchReader> ImportStream(nb::handle object) {
  const nb::object capsule = CallMethod(object, "__arrow_c_stream__");
  return ValueOrThrow(arrow::ImportRecordBatchReader(StructOf<ArrowArrayStream>(capsule)));
}

// The requested schema of the interface is a wish; consumers cast what they get.
void BindArrowObjects(nb::module_& m) {
  nb::class_<ArrowSchemaObject>(m, "ArrowSchema")
      .def("__arrow_c_schema__",
           [](const ArrowSchemaObject& self) { return ExportSchemaCapsule(*self.schema); });
  nb::class_<ArrowBatchObject>(m, "ArrowBatch")
      .def(
          "__arrow_c_array__",
          [](const ArrowBatchObject& self, nb::handle) { return ExportBatchCapsules(*self.batch); },
          nb::arg("requested_schema") = nb::none());
  nb::class_<ArrowStreamObject>(m, "ArrowStream")
      .def(
          "__arrow_c_stream__",
          [](ArrowStreamObject& self, nb::handle) { return ExportStreamCapsule(self); },
          nb::arg("requested_schema") = nb::none());
}

}  // namespace lance::python
