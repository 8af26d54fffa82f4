#include "lance/index.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "arrow_objects.h"
#include "bindings.h"
#include "interrupt.h"
#include "keywords.h"
#include "lance/json.h"

namespace nb = nanobind;

namespace lance::python {

namespace {

/// By the reference's name, in upper case without underscores; others are of no kind that is built.
IndexType ParseIndexType(const std::string& name) {
  if (name == "ZONEMAP") return IndexType::kZoneMap;
  if (name == "BTREE") return IndexType::kBTree;
  if (name == "BITMAP") return IndexType::kBitmap;
  if (name == "LABELLIST") return IndexType::kLabelList;
  if (name == "BLOOMFILTER") return IndexType::kBloomFilter;
  return IndexType::kOther;
}

Dataset Create(const Dataset& dataset, nb::object observer, nb::kwargs arguments) {
  CreateIndexRequest request;
  std::string type;
  Keywords keywords(std::move(arguments));
  keywords.Take("column", &request.column)
      .Take("type", &type)
      .Take("name", &request.name)
      .Take("replace", &request.replace)
      .Take("train", &request.train)
      .Take("rows_per_zone", &request.rows_per_zone)
      .Take("use_seeds", &request.use_seeds)
      .Take("uuid", &request.uuid)
      .Finish();
  request.type = ParseIndexType(type);
  const std::shared_ptr<Observer> watching = MakeObserver(std::move(observer));
  return Run([&](CallOptions call) {
    call.observer = watching;
    return CreateIndex(dataset, request, call);
  });
}

nb::dict ToDict(const IndexSegmentDescription& segment) {
  nb::dict found;
  found["uuid"] = segment.uuid;
  found["fragment_ids"] = segment.fragment_ids ? nb::cast(*segment.fragment_ids) : nb::none();
  found["dataset_version_at_last_update"] = segment.dataset_version;
  found["index_version"] = segment.index_version;
  found["created_at_ms"] = segment.created_at_ms ? nb::cast(*segment.created_at_ms) : nb::none();
  found["base_id"] = segment.base_id ? nb::cast(*segment.base_id) : nb::none();
  found["size_bytes"] = segment.size_bytes;
  return found;
}

/// For each index docs/guide/json.md "index_description" as text, and what that leaves out.
nb::list DescribeIndices(const Dataset& dataset) {
  nb::list found;
  for (const IndexDescription& index :
       Run([&](const CallOptions& call) { return ListIndices(dataset, call); })) {
    nb::list segments;
    for (const IndexSegmentDescription& segment : index.segments) segments.append(ToDict(segment));
    nb::dict more;
    more["fields"] = index.field_ids;
    more["type_url"] = index.type_url;
    more["segments"] = segments;
    found.append(nb::make_tuple(ToJson(index), more));
  }
  return found;
}

std::string Statistics(const Dataset& dataset, const std::string& name) {
  return Run([&](const CallOptions& call) { return IndexStatistics(dataset, name, call); });
}

Dataset Drop(const Dataset& dataset, const std::string& name) {
  return Run([&](const CallOptions& call) { return DropIndex(dataset, name, {}, call); });
}

Dataset Optimize(const Dataset& dataset, nb::object observer, nb::kwargs arguments) {
  OptimizeIndicesRequest request;
  Keywords keywords(std::move(arguments));
  keywords.Take("index_names", &request.index_names)
      .Take("num_segments_to_merge", &request.num_segments_to_merge)
      .Take("retrain", &request.retrain)
      .Finish();
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
  m.def("create_index", &Create, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("options"));
  m.def("drop_index", &Drop, nb::arg("dataset"), nb::arg("name"));
  m.def("optimize_indices", &Optimize, nb::arg("dataset"), nb::arg("observer").none(),
        nb::arg("options"));
  m.def("load_zones", &Zones, nb::arg("dataset"), nb::arg("column"));
  m.def("describe_indices", &DescribeIndices, nb::arg("dataset"));
  m.def("index_statistics", &Statistics, nb::arg("dataset"), nb::arg("name"));
}

}  // namespace lance::python
