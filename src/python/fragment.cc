#include "lance/fragment.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow_objects.h"
#include "bindings.h"
#include "fragments.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/file_operations.h"
#include "lance/mutate.h"
#include "lance/write_fragments.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

std::optional<std::string> TakeOptionalBytes(const char* name, const nb::dict& description) {
  const nb::object value = description.attr("get")(name);
  if (value.is_none()) return std::nullopt;
  return TakeBytes(name, value);
}

DeletionFileInfo DeletionFileOf(nb::handle description) {
  DeletionFileInfo file;
  KeywordsOf("deletion_file", description)
      .Take("file_type", &file.file_type)
      .Take("read_version", &file.read_version)
      .Take("id", &file.id)
      .Take("num_deleted_rows", &file.num_deleted_rows)
      .Take("base_id", &file.base_id)
      .Finish();
  return file;
}

FragmentMetadata FragmentOf(nb::handle description) {
  const nb::dict parts_of = nb::cast<nb::dict>(description);
  FragmentParts parts;
  parts.id = Keywords::ValueOf<uint64_t>("id", parts_of["id"]);
  parts.physical_rows = Keywords::ValueOf<uint64_t>("physical_rows", parts_of["physical_rows"]);
  for (const nb::handle file : parts_of["files"]) parts.files.push_back(DataFileOf(file));
  const nb::object deletions = parts_of["deletion_file"];
  if (!deletions.is_none()) parts.deletion_file = DeletionFileOf(deletions);
  parts.row_ids = TakeOptionalBytes("row_ids", parts_of);
  parts.created_at_versions = TakeOptionalBytes("created_at_versions", parts_of);
  parts.last_updated_at_versions = TakeOptionalBytes("last_updated_at_versions", parts_of);
  parts.unknown_fields = TakeOptionalBytes("unknown_fields", parts_of).value_or("");
  return ValueOrThrow(FragmentMetadata::Make(parts));
}

nb::dict DescribeDeletions(const DeletionFileInfo& file) {
  nb::dict description;
  description["read_version"] = file.read_version;
  description["id"] = file.id;
  description["file_type"] = file.file_type;
  description["num_deleted_rows"] = file.num_deleted_rows;
  description["base_id"] = nb::cast(file.base_id);
  return description;
}

nb::object DescribeBytes(const std::optional<std::string>& bytes) {
  if (!bytes) return nb::none();
  return BytesOf(*bytes);
}

/// Delete rows of a fragment. \return None when none is left
nb::object DeleteRows(const Dataset& dataset, uint64_t id, nb::handle predicate) {
  const Filter filter(Keywords::ValueOf<std::string>("predicate", predicate));
  const auto left =
      Run([&](const CallOptions& call) { return DeleteFromFragment(dataset, id, filter, call); });
  if (!left) return nb::none();
  return Describe(*left);
}

nb::list Write(FragmentCreateBuilder builder, nb::handle stream, Keywords* keywords) {
  builder.WithOptions(TakeWriteOptions(keywords));
  keywords->Finish();
  const BatchSource source(ImportStream(stream));
  std::vector<FragmentMetadata> fragments;
  for (WrittenFragment& written :
       Run([&](const CallOptions& call) { return builder.WriteFragments(source, call); })) {
    fragments.push_back(std::move(written.fragment));
  }
  return DescribeAll(fragments);
}

nb::list WriteToDataset(const Dataset& dataset, nb::handle stream, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  return Write(FragmentCreateBuilder(dataset), stream, &keywords);
}

nb::list WriteToUri(nb::handle uri, nb::handle schema, nb::handle stream,
                    std::shared_ptr<Session> session, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  FragmentCreateBuilder builder(Keywords::ValueOf<std::string>("uri", uri), ImportSchema(schema));
  builder.WithOpenOptions(TakeOpenOptions(&keywords, std::move(session)));
  return Write(std::move(builder), stream, &keywords);
}

nb::dict DescribeFile(const Dataset& dataset, nb::handle path, std::optional<uint32_t> base_id) {
  const auto name = Keywords::ValueOf<std::string>("path", path);
  return Describe(
      Run([&](const CallOptions& call) { return DescribeDataFile(dataset, name, base_id, call); }));
}

}  // namespace

nb::list DescribeAll(const std::vector<FragmentMetadata>& fragments) {
  nb::list descriptions;
  for (const FragmentMetadata& fragment : fragments) descriptions.append(Describe(fragment));
  return descriptions;
}

nb::bytes BytesOf(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::string TakeBytes(const char* name, nb::handle value) {
  if (!nb::isinstance<nb::bytes>(value)) {
    throw nb::type_error((std::string(name) + " is no bytes").c_str());
  }
  const nb::bytes bytes = nb::borrow<nb::bytes>(value);
  return {bytes.c_str(), bytes.size()};
}

Keywords KeywordsOf(const char* name, nb::handle description) {
  if (!PyDict_Check(description.ptr())) {
    throw nb::type_error((std::string(name) + " is no dict").c_str());
  }
  return Keywords(nb::borrow<nb::kwargs>(description.attr("copy")()));
}

DataFileInfo DataFileOf(nb::handle description) {
  DataFileInfo file;
  uint32_t major = 0, minor = 0;
  KeywordsOf("file", description)
      .Take("path", &file.path)
      .Take("fields", &file.field_ids)
      .Take("column_indices", &file.column_indices)
      .Take("file_major_version", &major)
      .Take("file_minor_version", &minor)
      .Take("file_size_bytes", &file.size_bytes)
      .Take("base_id", &file.base_id)
      .Finish();
  file.version = std::to_string(major) + "." + std::to_string(minor);
  return file;
}

std::vector<FragmentMetadata> FragmentsOf(nb::handle descriptions) {
  std::vector<FragmentMetadata> fragments;
  for (const nb::handle description : descriptions) fragments.push_back(FragmentOf(description));
  return fragments;
}

std::vector<DatasetBasePath> BasesOf(nb::handle descriptions) {
  std::vector<DatasetBasePath> bases;
  if (descriptions.is_none()) return bases;
  for (const nb::handle description : descriptions) {
    DatasetBasePath& base = bases.emplace_back();
    KeywordsOf("base path", description)
        .Take("path", &base.path)
        .Take("name", &base.name)
        .Take("is_dataset_root", &base.is_dataset_root)
        .Take("id", &base.id)
        .Finish();
  }
  return bases;
}

nb::dict Describe(const DataFileInfo& file) {
  const size_t dot = file.version.find('.');
  nb::dict description;
  description["path"] = file.path;
  description["fields"] = file.field_ids;
  description["column_indices"] = file.column_indices;
  description["file_major_version"] = std::stoi(file.version.substr(0, dot));
  description["file_minor_version"] = std::stoi(file.version.substr(dot + 1));
  if (file.size_bytes == 0) {
    description["file_size_bytes"] = nb::none();
  } else {
    description["file_size_bytes"] = file.size_bytes;
  }
  description["base_id"] = nb::cast(file.base_id);
  return description;
}

nb::dict Describe(const FragmentMetadata& fragment) {
  const FragmentParts parts = fragment.parts();
  nb::dict description;
  nb::list files;
  for (const DataFileInfo& file : parts.files) files.append(Describe(file));
  description["id"] = parts.id;
  description["files"] = files;
  description["physical_rows"] = parts.physical_rows;
  description["deletion_file"] =
      parts.deletion_file ? nb::object(DescribeDeletions(*parts.deletion_file)) : nb::none();
  description["row_ids"] = DescribeBytes(parts.row_ids);
  description["created_at_versions"] = DescribeBytes(parts.created_at_versions);
  description["last_updated_at_versions"] = DescribeBytes(parts.last_updated_at_versions);
  description["unknown_fields"] = BytesOf(parts.unknown_fields);
  description["clustering"] = nb::make_tuple(
      fragment.clustering_id(), fragment.clustering_version(), fragment.clustering_group_id());
  return description;
}

void BindFragment(nb::module_& m) {
  m.def("fragments", [](const Dataset& dataset) { return DescribeAll(dataset.fragments()); });
  m.def("delete_from_fragment", &DeleteRows, nb::arg("dataset"), nb::arg("id"),
        nb::arg("predicate"));
  m.def("write_fragments_to_dataset", &WriteToDataset, nb::arg("dataset"), nb::arg("stream"),
        nb::arg("options"));
  m.def("write_fragments_to_uri", &WriteToUri, nb::arg("uri"), nb::arg("schema"), nb::arg("stream"),
        nb::arg("session").none(), nb::arg("options"));
  m.def("describe_data_file", &DescribeFile, nb::arg("dataset"), nb::arg("path"),
        nb::arg("base_id").none());
}

}  // namespace lance::python
