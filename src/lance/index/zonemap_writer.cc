#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/ordered_value.h"
#include "lance/index/row_address_map.h"
#include "lance/index/zone_columns.h"
#include "lance/index/zonemap.h"
#include "lance/index/zonemap_details_proto.h"

namespace lance::index {
namespace {

using FragmentOrder = std::vector<const FragmentZones*>;

arrow::Status CheckFragment(const FragmentZones& fragment, uint64_t rows_per_zone) {
  if (fragment.fragment_id > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::Invalid("fragment id ", fragment.fragment_id, " does not fit 32 bits");
  }
  if (fragment.rows_per_zone != rows_per_zone) {
    return arrow::Status::Invalid("fragment ", fragment.fragment_id, " has zones of ",
                                  fragment.rows_per_zone, " rows, the zonemap of ", rows_per_zone);
  }
  if (!AreDisjoint(fragment.zones)) {
    return arrow::Status::Invalid("zones of fragment ", fragment.fragment_id,
                                  " overlap or are not ascending");
  }
  if (fragment.null_offsets && !NullCountsMatch(fragment.zones, *fragment.null_offsets)) {
    return arrow::Status::Invalid("null offsets of fragment ", fragment.fragment_id,
                                  " are not those that its zones count");
  }
  return arrow::Status::OK();
}

/// Check the request. \return its fragments by ascending id
arrow::Result<FragmentOrder> OrderFragments(const NewZonemapRequest& request) {
  if (!request.type || !HasOrder(*request.type)) {
    const std::string type = request.type ? request.type->ToString() : "null";
    return UnsupportedError("zonemap of type " + type, "no zonemap can cover type " + type);
  }
  if (request.rows_per_zone == 0) {
    return arrow::Status::Invalid("rows_per_zone is 0, allowed from 1");
  }
  FragmentOrder order;
  for (const FragmentZones& fragment : request.fragments) {
    ARROW_RETURN_NOT_OK(CheckFragment(fragment, request.rows_per_zone));
    order.push_back(&fragment);
  }
  std::sort(order.begin(), order.end(), [](const FragmentZones* lhs, const FragmentZones* rhs) {
    return lhs->fragment_id < rhs->fragment_id;
  });
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->fragment_id == order[i]->fragment_id) {
      return arrow::Status::Invalid("fragment ", order[i]->fragment_id, " is given twice");
    }
  }
  return order;
}

std::shared_ptr<arrow::Schema> FileSchema(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema({arrow::field("min", type), arrow::field("max", type),
                        arrow::field("null_count", arrow::uint32(), /*nullable=*/false),
                        arrow::field("nan_count", arrow::uint32(), false),
                        arrow::field("fragment_id", arrow::uint64(), false),
                        arrow::field("zone_start", arrow::uint64(), false),
                        arrow::field("zone_length", arrow::uint64(), false)});
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeRows(
    const FragmentOrder& fragments, const std::shared_ptr<arrow::DataType>& type) {
  std::vector<const Zone*> zones;
  arrow::UInt64Builder fragment_ids, zone_starts;
  for (const FragmentZones* fragment : fragments) {
    for (const Zone& zone : fragment->zones) {
      zones.push_back(&zone);
      ARROW_RETURN_NOT_OK(fragment_ids.Append(fragment->fragment_id));
      ARROW_RETURN_NOT_OK(zone_starts.Append(zone.zone_start));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const ZoneColumns columns, ZoneColumns::Make(zones, type));
  ARROW_ASSIGN_OR_RAISE(auto fragment_id, fragment_ids.Finish());
  ARROW_ASSIGN_OR_RAISE(auto zone_start, zone_starts.Finish());
  return arrow::RecordBatch::Make(
      FileSchema(type), static_cast<int64_t>(zones.size()),
      {columns.min, columns.max, columns.null_count, columns.nan_count, std::move(fragment_id),
       std::move(zone_start), columns.zone_length});
}

/// The null rows of all fragments; no value when those of any fragment are not known.
std::optional<RowAddressMap> NullRows(const FragmentOrder& fragments) {
  RowAddressMap map;
  for (const FragmentZones* fragment : fragments) {
    if (!fragment->null_offsets) return std::nullopt;
    if (fragment->null_offsets->empty()) continue;
    map.entries.push_back({static_cast<uint32_t>(fragment->fragment_id), fragment->null_offsets});
  }
  return map;
}

/// Write the whole file. \return its size in bytes
arrow::Result<uint64_t> WriteFile(ObjectStore& store, const std::string& path,
                                  const arrow::RecordBatch& rows, uint64_t rows_per_zone,
                                  const std::optional<RowAddressMap>& nulls,
                                  const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto schema, format::MakeLanceSchema(*rows.schema()));
  ARROW_ASSIGN_OR_RAISE(const auto out, store.OpenWrite(path));
  ARROW_ASSIGN_OR_RAISE(const auto writer, format::DataFileWriter::Make(
                                               out, schema, {.memory_pool = run.memory_pool}));
  if (rows.num_rows() > 0) ARROW_RETURN_NOT_OK(writer->Write(rows));
  writer->AddSchemaMetadata("rows_per_zone", std::to_string(rows_per_zone));
  if (nulls) {
    ARROW_ASSIGN_OR_RAISE(std::string bytes, nulls->Serialize());
    ARROW_ASSIGN_OR_RAISE(const int buffer,
                          writer->AddGlobalBuffer(*arrow::Buffer::FromString(std::move(bytes))));
    writer->AddSchemaMetadata("null_bitmap", std::to_string(buffer));
  }
  ARROW_ASSIGN_OR_RAISE(const auto summary, writer->Finish());
  return summary.size_bytes;
}

table::IndexMetadata Describe(const NewZonemapRequest& request, const FragmentOrder& fragments,
                              bool has_null_bitmap, const RunContext& run) {
  table::IndexMetadata segment;
  segment.uuid = request.uuid ? *request.uuid : Uuid::Random(*run.random);
  segment.field_ids = {request.field_id};
  segment.name = request.name;
  segment.dataset_version = request.dataset_version;
  RoaringBitmap claimed;
  for (const FragmentZones* fragment : fragments) {
    claimed.Add(static_cast<uint32_t>(fragment->fragment_id));
  }
  segment.fragment_bitmap = claimed.Serialize();
  segment.details_type_url = "/lance.table.ZoneMapIndexDetails";
  segment.details_value = SerializeZonemapDetails({.rows_per_zone = request.rows_per_zone,
                                                   .use_seeds = request.use_seeds,
                                                   .has_null_bitmap = has_null_bitmap});
  segment.has_details = true;
  segment.index_version = 0;
  const auto since_epoch = run.clock->Now().time_since_epoch();
  segment.created_at_ms = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count());
  segment.clustering_id = request.clustering_id;
  return segment;
}

}  // namespace

arrow::Result<table::IndexMetadata> WriteZonemap(ObjectStore& store,
                                                 const NewZonemapRequest& request,
                                                 const RunContext& run) {
  ARROW_RETURN_NOT_OK(run.stop_token.Poll());
  ARROW_ASSIGN_OR_RAISE(const FragmentOrder fragments, OrderFragments(request));
  ARROW_ASSIGN_OR_RAISE(const auto rows, MakeRows(fragments, request.type));
  const auto nulls = NullRows(fragments);
  table::IndexMetadata segment = Describe(request, fragments, nulls.has_value(), run);
  ARROW_ASSIGN_OR_RAISE(
      const uint64_t size_bytes,
      WriteFile(store, ZonemapPath(segment.uuid), *rows, request.rows_per_zone, nulls, run));
  segment.files = {{.path = "zonemap.lance", .size_bytes = size_bytes}};
  return segment;
}

}  // namespace lance::index
