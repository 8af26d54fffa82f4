#include "lance/file.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow_objects.h"
#include "batch_reader.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "status_error.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

FileReader OpenReader(nb::handle place, nb::kwargs arguments) {
  const auto path = Keywords::ValueOf<std::string>("path", place);
  Keywords keywords(std::move(arguments));
  const OpenOptions options = TakeOpenOptions(&keywords, nullptr);
  keywords.Finish();
  return Run([&](const CallOptions& call) { return FileReader::Open(path, options, call); });
}

FileReadOptions TakeReadOptions(Keywords* keywords) {
  FileReadOptions options;
  keywords->Take("columns", &options.columns).Take("batch_size", &options.batch_size).Finish();
  return options;
}

std::unique_ptr<BatchReader> ReadRange(const FileReader& self, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  uint64_t start = 0, num_rows = 0;
  keywords.Take("start", &start).Take("num_rows", &num_rows);
  const FileReadOptions options = TakeReadOptions(&keywords);
  return std::make_unique<BatchReader>(
      [&](const CallOptions& call) { return self.ReadRange(start, num_rows, options, call); });
}

ArrowStreamObject TakeRows(const FileReader& self, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  std::vector<uint64_t> rows;
  keywords.Take("indices", &rows);
  const FileReadOptions options = TakeReadOptions(&keywords);
  return StreamOfTable(
      Run([&](const CallOptions& call) { return self.TakeRows(rows, options, call); }),
      static_cast<int64_t>(options.batch_size));
}

nb::dict PageOf(const FilePage& page) {
  nb::dict found;
  found["num_rows"] = page.num_rows;
  found["buffer_offsets"] = page.buffer_offsets;
  found["buffer_sizes"] = page.buffer_sizes;
  found["encoding"] = Escaped(page.encoding);
  return found;
}

/// The fields of FileMetadata by their names.
nb::dict MetadataOf(const FileReader& self) {
  const FileMetadata& metadata = self.metadata();
  nb::list columns;
  for (const FileColumn& column : metadata.columns) {
    nb::list pages;
    for (const FilePage& page : column.pages) pages.append(PageOf(page));
    nb::dict found;
    found["pages"] = pages;
    found["size_bytes"] = column.size_bytes;
    columns.append(found);
  }
  nb::dict found;
  found["num_rows"] = metadata.num_rows;
  found["major_version"] = metadata.major_version;
  found["minor_version"] = metadata.minor_version;
  found["size_bytes"] = metadata.size_bytes;
  found["num_data_bytes"] = metadata.num_data_bytes;
  found["num_column_metadata_bytes"] = metadata.num_column_metadata_bytes;
  found["num_global_buffer_bytes"] = metadata.num_global_buffer_bytes;
  found["global_buffer_sizes"] = metadata.global_buffer_sizes;
  found["columns"] = columns;
  return found;
}

nb::bytes ReadGlobalBuffer(const FileReader& self, int index) {
  const auto buffer = Run([&](const CallOptions&) { return self.ReadGlobalBuffer(index); });
  return nb::bytes(buffer->data(), static_cast<size_t>(buffer->size()));
}

std::unique_ptr<FileWriter> OpenWriter(nb::handle place, nb::handle schema, nb::kwargs arguments) {
  const auto path = Keywords::ValueOf<std::string>("path", place);
  FileWriterOptions options;
  Keywords keywords(std::move(arguments));
  const OpenOptions open_options = TakeOpenOptions(&keywords, nullptr);
  keywords.Take("version", &options.version)
      .Take("max_page_bytes", &options.max_page_bytes)
      .Take("data_cache_bytes", &options.data_cache_bytes)
      .Take("schema_metadata", &options.schema_metadata)
      .Finish();
  const std::shared_ptr<arrow::Schema> imported = ImportSchema(schema);
  return Run(
      [&](const CallOptions&) { return FileWriter::Open(path, imported, options, open_options); });
}

void AddSchemaMetadata(FileWriter& self, nb::handle key, nb::handle value) {
  auto found = Keywords::ValueOf<std::string>("key", key);
  self.AddSchemaMetadata(std::move(found), Keywords::ValueOf<std::string>("value", value));
}

void WriteBatch(FileWriter& self, nb::handle object) {
  const std::shared_ptr<arrow::RecordBatch> batch = ImportBatch(object);
  Run([&](const CallOptions& call) -> arrow::Result<bool> {
    ARROW_RETURN_NOT_OK(self.WriteBatch(*batch, call));
    return true;
  });
}

int AddGlobalBuffer(FileWriter& self, const nb::bytes& bytes) {
  const auto buffer = arrow::Buffer::FromString(std::string(bytes.c_str(), bytes.size()));
  return Run([&](const CallOptions&) { return self.AddGlobalBuffer(buffer); });
}

}  // namespace

void BindFile(nb::module_& m) {
  m.def("open_file", &OpenReader, nb::arg("path"), nb::arg("options"));
  m.def("create_file", &OpenWriter, nb::arg("path"), nb::arg("schema"), nb::arg("options"));
  m.attr("default_file_version") = FileWriterOptions{}.version;
  nb::class_<FileReader>(m, "FileReader")
      .def_prop_ro("num_rows", &FileReader::num_rows)
      .def_prop_ro("schema",
                   [](const FileReader& self) { return ArrowSchemaObject{self.schema()}; })
      .def_prop_ro("metadata", &MetadataOf)
      .def("read_range", &ReadRange)
      .def("take_rows", &TakeRows)
      .def("read_global_buffer", &ReadGlobalBuffer, nb::arg("index"));
  nb::class_<FileWriter>(m, "FileWriter")
      .def("write_batch", &WriteBatch, nb::arg("batch"))
      .def("add_global_buffer", &AddGlobalBuffer, nb::arg("data"))
      .def("add_schema_metadata", &AddSchemaMetadata, nb::arg("key"), nb::arg("value"))
      .def("close",
           [](FileWriter& self) { return Run([&](const CallOptions&) { return self.Close(); }); });
}

}  // namespace lance::python
