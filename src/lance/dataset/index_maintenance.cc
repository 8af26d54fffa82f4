#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/named_index.h"
#include "lance/dataset/new_segments.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index.h"
#include "lance/index/index_type.h"

namespace lance {

std::vector<table::IndexMetadata> SegmentsOfIndexNamed(const table::Manifest& manifest,
                                                       const std::string& name) {
  std::vector<table::IndexMetadata> segments;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (segment.name == name && !index::IsSystemIndex(segment)) segments.push_back(segment);
  }
  return segments;
}

arrow::Status NoSuchIndex(const table::Manifest& manifest, const std::string& name) {
  std::string names;
  std::set<std::string_view> told;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsSystemIndex(segment) || !told.insert(segment.name).second) continue;
    names += (names.empty() ? "" : ", ") + segment.name;
  }
  return NotFoundError(
      "index", name,
      "there is no index " + name + "; indices: " + (names.empty() ? "none" : names));
}

namespace {

/// The zones of several segments as columns.
class ZoneTable {
 public:
  static arrow::Result<ZoneTable> Make(std::shared_ptr<arrow::DataType> type) {
    ZoneTable table;
    table.type_ = std::move(type);
    ARROW_ASSIGN_OR_RAISE(table.min_, arrow::MakeBuilder(table.type_));
    ARROW_ASSIGN_OR_RAISE(table.max_, arrow::MakeBuilder(table.type_));
    return table;
  }

  arrow::Status Add(uint64_t fragment_id, const index::Zone& zone) {
    ARROW_RETURN_NOT_OK(fragment_id_.Append(fragment_id));
    ARROW_RETURN_NOT_OK(zone_start_.Append(zone.zone_start));
    ARROW_RETURN_NOT_OK(zone_length_.Append(zone.zone_length));
    ARROW_RETURN_NOT_OK(AppendBound(zone.min, min_.get()));
    ARROW_RETURN_NOT_OK(AppendBound(zone.max, max_.get()));
    ARROW_RETURN_NOT_OK(null_count_.Append(zone.null_count));
    return nan_count_.Append(zone.nan_count);
  }

  arrow::Result<std::shared_ptr<arrow::Table>> Finish() {
    arrow::FieldVector fields;
    arrow::ArrayVector columns;
    const auto add = [&](const char* name, arrow::ArrayBuilder* builder) -> arrow::Status {
      ARROW_ASSIGN_OR_RAISE(auto column, builder->Finish());
      fields.push_back(arrow::field(name, column->type()));
      columns.push_back(std::move(column));
      return arrow::Status::OK();
    };
    ARROW_RETURN_NOT_OK(add("fragment_id", &fragment_id_));
    ARROW_RETURN_NOT_OK(add("zone_start", &zone_start_));
    ARROW_RETURN_NOT_OK(add("zone_length", &zone_length_));
    ARROW_RETURN_NOT_OK(add("min", min_.get()));
    ARROW_RETURN_NOT_OK(add("max", max_.get()));
    ARROW_RETURN_NOT_OK(add("null_count", &null_count_));
    ARROW_RETURN_NOT_OK(add("nan_count", &nan_count_));
    return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns));
  }

 private:
  static arrow::Status AppendBound(const std::shared_ptr<arrow::Scalar>& bound,
                                   arrow::ArrayBuilder* builder) {
    return bound == nullptr ? builder->AppendNull() : builder->AppendScalar(*bound);
  }

  std::shared_ptr<arrow::DataType> type_;
  arrow::UInt64Builder fragment_id_, zone_start_, zone_length_;
  std::unique_ptr<arrow::ArrayBuilder> min_, max_;
  arrow::UInt32Builder null_count_, nan_count_;
};

}  // namespace

arrow::Result<Dataset> DropIndex(const Dataset& dataset, const std::string& name,
                                 const CommitOptions& commit, const CallOptions& call) {
  const table::Manifest& manifest = dataset.impl().manifest();
  auto segments = SegmentsOfIndexNamed(manifest, name);
  if (segments.empty()) return NoSuchIndex(manifest, name);
  return NewSegments(dataset.impl().store)
      .Commit(dataset, std::move(segments), commit, dataset.impl().Run(call));
}

arrow::Result<std::shared_ptr<arrow::Table>> LoadZones(const Dataset& dataset,
                                                       const std::string& column,
                                                       const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                        ResolveFieldPath(impl.manifest().schema, column));
  const auto segments = ZonemapSegmentsOf(impl.manifest(), field->id);
  if (segments.empty()) {
    return NotFoundError("index", field->name + " zonemap",
                         "column " + field->name + " has no zonemap; create one to see its zones");
  }
  ARROW_ASSIGN_OR_RAISE(auto type, format::ParseLogicalType(field->logical_type));
  ARROW_ASSIGN_OR_RAISE(ZoneTable table, ZoneTable::Make(std::move(type)));
  std::vector<std::shared_ptr<const index::ZonemapSegment>> loaded;
  for (const table::IndexMetadata* segment : segments) {
    bool was_cached = false;
    ARROW_ASSIGN_OR_RAISE(loaded.emplace_back(),
                          LoadZonemapCached(impl, impl.store, *segment, run, &was_cached));
  }
  for (const table::Fragment& fragment : impl.manifest().fragments) {
    for (const auto& segment : loaded) {
      const index::FragmentZones* zones = segment->Find(fragment.id);
      if (zones == nullptr) continue;
      for (const index::Zone& zone : zones->zones) {
        ARROW_RETURN_NOT_OK(table.Add(fragment.id, zone));
      }
      break;  // the first that covers it answers, as in a scan
    }
  }
  return table.Finish();
}

}  // namespace lance
