#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/blob.h"
#include "lance/scan.h"
#include "scan_options.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// Python: the bytes of one blob, read when they are asked for.
struct Blob {
  std::shared_ptr<arrow::io::RandomAccessFile> file;
};

int64_t SizeOf(const Blob& blob) {
  return Run([&](const CallOptions&) { return blob.file->GetSize(); });
}

/// Fewer bytes than asked for only at the end.
nb::bytes ReadAt(const Blob& blob, int64_t offset, int64_t length) {
  const auto buffer = Run([&](const CallOptions&) { return blob.file->ReadAt(offset, length); });
  return nb::bytes(buffer->data(), static_cast<size_t>(buffer->size()));
}

RowSelector SelectorOf(const std::string& by) {
  if (by == "ids") return RowSelector::kRowIds;
  if (by == "addresses") return RowSelector::kRowAddresses;
  return RowSelector::kOffsets;
}

TakeRequest RequestOf(nb::kwargs arguments) {
  TakeRequest request;
  std::string by;
  Keywords keywords(std::move(arguments));
  request.computed_columns = TakeComputedColumns(&keywords);
  keywords.Take("rows", &request.rows)
      .Take("by", &by)
      .Take("columns", &request.columns)
      .Take("blob_handling", &request.blob_handling)
      .Finish();
  request.by = SelectorOf(by);
  return request;
}

ArrowStreamObject TakeTable(const Dataset& dataset, nb::kwargs arguments) {
  const TakeRequest request = RequestOf(std::move(arguments));
  return StreamOfTable(
      Run([&](const CallOptions& call) { return lance::Take(dataset, request, call); }));
}

/// A list of blobs, None for those that are null.
nb::list TakeBlobs(const Dataset& dataset, nb::kwargs arguments) {
  const TakeRequest request = RequestOf(std::move(arguments));
  nb::list blobs;
  for (auto& file :
       Run([&](const CallOptions& call) { return OpenBlobs(dataset, request, call); })) {
    blobs.append(file == nullptr ? nb::none() : nb::cast(Blob{std::move(file)}));
  }
  return blobs;
}

}  // namespace

void BindTake(nb::module_& m) {
  nb::class_<Blob>(m, "Blob")
      .def("size", &SizeOf)
      .def("read_at", &ReadAt, nb::arg("offset"), nb::arg("length"));
  m.def("take", &TakeTable, nb::arg("dataset"), nb::arg("request"));
  m.def("take_blobs", &TakeBlobs, nb::arg("dataset"), nb::arg("request"));
}

}  // namespace lance::python
