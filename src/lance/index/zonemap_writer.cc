#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "lance/base/epoch_time.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/ordered_value.h"
#include "lance/index/row_address_map.h"
#include "lance/index/zone_list.h"
#include "lance/index/zonemap.h"
#include "lance/index/zonemap_details_proto.h"

namespace lance::index {
namespace {

using FragmentOrder = std::vector<const FragmentZones*>;

arrow::Status CheckFragment(const FragmentZones& fragment, const NewZonemapRequest& request) {
  const uint64_t rows_per_zone = request.rows_per_zone;
  if (!fragment.zones.empty() && !fragment.zones.type()->Equals(*request.type)) {
    return arrow::Status::Invalid("zones of fragment ", fragment.fragment_id,
                                  " have bounds of type ", fragment.zones.type()->ToString(),
                                  ", the column's is ", request.type->ToString());
  }
  if (fragment.fragment_id > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::Invalid("fragment id ", fragment.fragment_id, " does not fit 32 bits");
  }
  if (fragment.rows_per_zone != rows_per_zone) {
    return arrow::Status::Invalid("fragment ", fragment.fragment_id, " has zones of ",
                                  fragment.rows_per_zone, " rows, the zonemap of ", rows_per_zone);
  }
  if (!fragment.zones.AreDisjoint()) {
    return arrow::Status::Invalid("zones of fragment ", fragment.fragment_id,
                                  " overlap or are not ascending");
  }
  if (fragment.null_offsets && !fragment.zones.NullCountsMatch(*fragment.null_offsets)) {
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
    ARROW_RETURN_NOT_OK(CheckFragment(fragment, request));
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

/// The zones of all fragments as one array of each column.
class ZoneRows {
 public:
  explicit ZoneRows(std::shared_ptr<arrow::DataType> type) : type_(std::move(type)) {}

  arrow::Status Add(const FragmentZones& fragment) {
    if (fragment.zones.empty()) return arrow::Status::OK();
    const ZoneColumns columns = fragment.zones.Columns();
    const auto parts = {columns.min,       columns.max,        columns.null_count,
                        columns.nan_count, columns.zone_start, columns.zone_length};
    size_t place = 0;
    for (const auto& part : parts) chunks_[place++].push_back(part);
    num_rows_ += columns.min->length();
    ARROW_RETURN_NOT_OK(fragment_id_.Reserve(columns.min->length()));
    for (int64_t i = 0; i < columns.min->length(); ++i) {
      fragment_id_.UnsafeAppend(fragment.fragment_id);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Finish() {
    const auto schema = FileSchema(type_);
    if (num_rows_ == 0) return arrow::RecordBatch::MakeEmpty(schema);
    arrow::ArrayVector columns;
    for (const arrow::ArrayVector& chunks : chunks_) {
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), arrow::Concatenate(chunks));
    }
    ARROW_ASSIGN_OR_RAISE(auto fragment_id, fragment_id_.Finish());
    columns.insert(columns.begin() + schema->GetFieldIndex("fragment_id"), std::move(fragment_id));
    return arrow::RecordBatch::Make(schema, num_rows_, std::move(columns));
  }

 private:
  std::shared_ptr<arrow::DataType> type_;
  std::array<arrow::ArrayVector, 6> chunks_;  // in the order of the file, but for the fragment
  arrow::UInt64Builder fragment_id_;
  int64_t num_rows_ = 0;
};

arrow::Result<std::shared_ptr<arrow::RecordBatch>> MakeRows(
    const FragmentOrder& fragments, const std::shared_ptr<arrow::DataType>& type) {
  ZoneRows rows(type);
  for (const FragmentZones* fragment : fragments) ARROW_RETURN_NOT_OK(rows.Add(*fragment));
  return rows.Finish();
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
  segment.created_at_ms = EpochMilliseconds(*run.clock);
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
