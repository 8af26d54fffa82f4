#include "lance/dataset.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "arrow_objects.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/history.h"
#include "lance/json.h"
#include "lance/metadata.h"
#include "scan_options.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// The version that is asked for: a number or a time, perhaps of another branch, or the name of a
/// tag.
Ref TakeRef(Keywords* keywords) {
  std::optional<uint64_t> version;
  std::optional<uint64_t> as_of;  // nanoseconds since 1970 in UTC
  std::optional<std::string> branch;
  std::optional<std::string> tag;
  keywords->Take("version", &version)
      .Take("tag", &tag)
      .Take("branch", &branch)
      .Take("as_of", &as_of);
  keywords->Finish();
  // Neither is a way to ask for the newest version.
  if (version == 0) throw StatusError(arrow::Status::Invalid("version is 0; allowed: 1 or more"));
  if (tag && tag->empty()) throw StatusError(arrow::Status::Invalid("the name of a tag is empty"));
  if (tag) return Ref::Tag(*std::move(tag));
  if (as_of) {
    const auto since_epoch = std::chrono::nanoseconds(static_cast<int64_t>(*as_of));
    return Ref::AsOf(Timestamp(since_epoch), std::move(branch));
  }
  return version ? Ref::Version(*version, std::move(branch)) : Ref::Latest(std::move(branch));
}

Dataset Open(nb::handle place, std::shared_ptr<Session> session, nb::kwargs arguments) {
  const auto uri = Keywords::ValueOf<std::string>("uri", place);
  Keywords keywords(std::move(arguments));
  OpenOptions options = TakeOpenOptions(&keywords, std::move(session));
  options.ref = TakeRef(&keywords);
  return Run([&](const CallOptions& call) { return Dataset::Open(uri, options, call); });
}

Dataset Checkout(const Dataset& self, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  const Ref ref = TakeRef(&keywords);
  return Run([&](const CallOptions& call) { return self.Checkout(ref, call); });
}

Scanner Scan(const Dataset& self, nb::kwargs arguments) {
  return ValueOrThrow(self.Scan(ScanOptionsOf(std::move(arguments))));
}

uint64_t CountRows(const Dataset& self, nb::handle text) {
  std::optional<Filter> filter;
  if (!text.is_none()) filter = Filter(Keywords::ValueOf<std::string>("filter", text));
  return Run([&](const CallOptions& call) { return self.CountRows(filter, call); });
}

/// Number, nanoseconds since 1970 in UTC, and metadata of each version.
nb::list Versions(const Dataset& self) {
  nb::list versions;
  for (const VersionInfo& info :
       Run([&](const CallOptions& call) { return ListVersions(self, call); })) {
    versions.append(
        nb::make_tuple(info.version, info.timestamp.time_since_epoch().count(), info.metadata));
  }
  return versions;
}

Dataset SetClustering(const Dataset& self, nb::kwargs arguments) {
  ClusteringRequest request;
  Keywords keywords(std::move(arguments));
  std::optional<std::string> curve, algorithm;
  request.commit = TakeCommitOptions(&keywords);
  keywords.Take("columns", &request.columns)
      .Take("curve", &curve)
      .Take("version", &request.version)
      .Take("bits_per_dim", &request.bits_per_dim)
      .Take("algorithm", &algorithm)
      .Finish();
  if (curve) request.curve = ValueOrThrow(ParseClusteringCurve(*curve));
  if (algorithm) request.algorithm = ValueOrThrow(ParseClusteringAlgorithm(*algorithm));
  return Run([&](const CallOptions& call) { return self.SetClustering(request, call); });
}

Dataset ClearClustering(const Dataset& self, nb::kwargs arguments) {
  Keywords keywords(std::move(arguments));
  const CommitOptions commit = TakeCommitOptions(&keywords);
  keywords.Finish();
  return Run([&](const CallOptions& call) { return self.ClearClustering(commit, call); });
}

Dataset RestoreVersion(const Dataset& self) {
  return Run([&](const CallOptions& call) { return Restore(self, {}, call); });
}

/// Tags as JSON documents, by name.
std::vector<std::string> Tags(const Dataset& self) {
  std::vector<std::string> documents;
  for (const TagInfo& tag : Run([&](const CallOptions& call) { return ListTags(self, call); })) {
    documents.push_back(ToJson(tag));
  }
  return documents;
}

/// Let a tag, new or not, name the version of a dataset.
void SetTag(const Dataset& self, nb::handle name, bool is_new) {
  const auto tag = Keywords::ValueOf<std::string>("tag", name);
  Run([&](const CallOptions& call) {
    return is_new ? CreateTag(self, tag, call) : UpdateTag(self, tag, call);
  });
}

void RemoveTag(const Dataset& self, nb::handle name) {
  const auto tag = Keywords::ValueOf<std::string>("tag", name);
  Run([&](const CallOptions& call) -> arrow::Result<bool> {
    ARROW_RETURN_NOT_OK(DeleteTag(self, tag, call));
    return true;
  });
}

using MetadataEntries = std::map<std::string, std::optional<std::string>>;

/// Change the configuration, the table's or the schema's metadata; a value of None deletes its key.
Dataset Update(const Dataset& self, const std::string& target, nb::handle values, bool replace) {
  const MetadataUpdate update{.target = MetadataTargetOf(target),
                              .values = Keywords::ValueOf<MetadataEntries>("values", values),
                              .replace = replace};
  return Run([&](const CallOptions& call) { return UpdateMetadata(self, update, call); });
}

/// Change the metadata of columns.
Dataset UpdateFields(const Dataset& self, nb::handle columns, bool replace) {
  const MetadataUpdate update{.target = MetadataTarget::kField,
                              .columns = Keywords::ValueOf<std::map<std::string, MetadataEntries>>(
                                  "field_updates", columns),
                              .replace = replace};
  return Run([&](const CallOptions& call) { return UpdateMetadata(self, update, call); });
}

}  // namespace

MetadataTarget MetadataTargetOf(const std::string& target) {
  if (target == "config") return MetadataTarget::kConfig;
  if (target == "table") return MetadataTarget::kTable;
  if (target == "schema") return MetadataTarget::kSchema;
  if (target == "field") return MetadataTarget::kField;
  throw StatusError(
      arrow::Status::Invalid("target is \"", target, "\"; allowed: config, table, schema, field"));
}

void BindDataset(nb::module_& m) {
  m.def("open_dataset", &Open, nb::arg("uri"), nb::arg("session").none(), nb::arg("options"));
  nb::class_<Dataset>(m, "Dataset")
      .def_prop_ro("uri", &Dataset::uri)
      .def_prop_ro("branch", &Dataset::branch)
      .def_prop_ro("version", &Dataset::version)
      .def_prop_ro("schema", [](const Dataset& self) { return ArrowSchemaObject{self.schema()}; })
      .def_prop_ro("session", &Dataset::session)
      .def_prop_ro("properties", [](const Dataset& self) { return ToJson(self.properties()); })
      .def_prop_ro("clustering_spec",
                   [](const Dataset& self) { return ToJson(self.clustering_spec()); })
      .def("checkout", &Checkout)
      .def("scan", &Scan)
      .def("count_rows", &CountRows, nb::arg("filter").none())
      .def("versions", &Versions)
      .def(
          "migrate_manifest_paths_v2",
          [](const Dataset& self) {
            return Run([&](const CallOptions& call) { return MigrateManifestPathsV2(self, call); });
          })
      .def("restore", &RestoreVersion)
      .def("tags", &Tags)
      .def("set_tag", &SetTag, nb::arg("name"), nb::arg("is_new"))
      .def("delete_tag", &RemoveTag, nb::arg("name"))
      .def("set_clustering", &SetClustering)
      .def("clear_clustering", &ClearClustering)
      .def("update", &Update, nb::arg("target"), nb::arg("values"), nb::arg("replace"))
      .def("update_fields", &UpdateFields, nb::arg("columns"), nb::arg("replace"));
}

}  // namespace lance::python
