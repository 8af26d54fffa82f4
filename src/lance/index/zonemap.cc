#include "lance/index/zonemap.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"
#include "lance/index/row_address_map.h"
#include "lance/index/stored_columns.h"
#include "lance/index/zone_columns.h"
#include "lance/index/zonemap_details_proto.h"

namespace lance::index {
namespace {

using format::DataFileReader;

constexpr char kFileName[] = "zonemap.lance";
constexpr char kNullsKey[] = "null_bitmap";
constexpr int32_t kIndexVersion = 0;

/// Zones that one byte of a file can stand for at most: what a few bytes claim must not cost
/// memory.
constexpr uint64_t kMaxZonesPerByte = 16;

/// What a zonemap file holds, not yet restricted to any fragment.
struct ZonemapFile {
  ZoneColumns columns;
  std::shared_ptr<arrow::Array> fragment_id;
  std::shared_ptr<arrow::Array> zone_start;
  int64_t num_zones = 0;
  uint64_t rows_per_zone = kDefaultRowsPerZone;
  std::optional<RowAddressMap> nulls;
};

/// Read one column whole. \param types the allowed ones
arrow::Result<std::shared_ptr<arrow::Array>> ReadZoneColumn(const DataFileReader& file,
                                                            std::string_view name,
                                                            const arrow::DataTypeVector& types,
                                                            const RunContext& run) {
  const auto index = FindColumn(file.schema(), name);
  if (!index) {
    return arrow::Status::SerializationError("zonemap has no column ", name);
  }
  const std::string& stored = LeafFields(file.schema())[*index]->logical_type;
  ARROW_ASSIGN_OR_RAISE(const auto type, format::ParseLogicalType(stored));
  const bool allowed = std::any_of(types.begin(), types.end(),
                                   [&](const auto& candidate) { return candidate->Equals(*type); });
  if (!allowed) {
    return arrow::Status::SerializationError("zonemap column ", name, " is ", type->ToString(),
                                             ", allowed ", types[0]->ToString());
  }
  ARROW_ASSIGN_OR_RAISE(
      auto values, file.ReadColumn(*index, type, RowRanges::All(file.num_rows()), run.stop_token));
  const bool is_bound = name == "min" || name == "max";
  if (!is_bound && values->null_count() > 0) {
    return arrow::Status::SerializationError("zonemap column ", name, " has ", values->null_count(),
                                             " nulls, allowed none");
  }
  return values;
}

arrow::Status ReadColumns(const DataFileReader& file,
                          const std::shared_ptr<arrow::DataType>& column_type,
                          const RunContext& run, ZonemapFile* zonemap) {
  if (file.num_rows() > file.size_bytes() * kMaxZonesPerByte) {
    return arrow::Status::SerializationError("zonemap claims ", file.num_rows(), " zones in ",
                                             file.size_bytes(), " bytes");
  }
  zonemap->num_zones = static_cast<int64_t>(file.num_rows());
  const auto read = [&](std::string_view name, const arrow::DataTypeVector& types) {
    return ReadZoneColumn(file, name, types, run);
  };
  ZoneColumns& columns = zonemap->columns;
  ARROW_ASSIGN_OR_RAISE(columns.min, read("min", {column_type}));
  ARROW_ASSIGN_OR_RAISE(columns.max, read("max", {column_type}));
  ARROW_ASSIGN_OR_RAISE(columns.null_count, read("null_count", {arrow::uint32()}));
  ARROW_ASSIGN_OR_RAISE(columns.nan_count, read("nan_count", {arrow::uint32()}));
  ARROW_ASSIGN_OR_RAISE(zonemap->fragment_id, read("fragment_id", {arrow::uint64()}));
  ARROW_ASSIGN_OR_RAISE(zonemap->zone_start, read("zone_start", {arrow::uint64()}));
  // Documents say uint32, released writers store uint64.
  ARROW_ASSIGN_OR_RAISE(columns.zone_length,
                        read("zone_length", {arrow::uint64(), arrow::uint32()}));
  return arrow::Status::OK();
}

arrow::Status ReadMetadata(const DataFileReader& file, const ZonemapDetails& details,
                           const RunContext& run, ZonemapFile* zonemap) {
  if (const std::string* text = FindMetadata(file.schema(), "rows_per_zone")) {
    zonemap->rows_per_zone = ParseDecimal(*text).value_or(0);
    if (zonemap->rows_per_zone == 0) {
      return arrow::Status::SerializationError("zonemap rows_per_zone is \"", text->substr(0, 64),
                                               "\", allowed a number from 1");
    }
  }
  if (details.rows_per_zone && *details.rows_per_zone != zonemap->rows_per_zone) {
    return arrow::Status::SerializationError("zonemap rows_per_zone is ", zonemap->rows_per_zone,
                                             ", the index entry says ", *details.rows_per_zone);
  }
  if (!FindMetadata(file.schema(), kNullsKey)) {
    return details.has_null_bitmap
               ? arrow::Status::SerializationError(
                     "zonemap has no null_bitmap, the index entry says it has one")
               : arrow::Status::OK();
  }
  // An entry that does not vouch for the bitmap may be newer than the bitmap is right.
  if (!details.has_null_bitmap) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto nulls, ReadRowBuffer(file, kNullsKey, run.stop_token));
  zonemap->nulls = std::move(nulls->rows);
  return arrow::Status::OK();
}

/// Zones by fragment, of wanted fragments only, ascending zone_start.
using ZonesByFragment = std::map<uint64_t, std::vector<Zone>>;

/// \param wanted fragments with an empty list each; gets their zones
arrow::Status CollectZones(const ZonemapFile& file, ZonesByFragment* wanted) {
  for (int64_t row = 0; row < file.num_zones; ++row) {
    const auto fragment = wanted->find(UnsignedAt(*file.fragment_id, row));
    if (fragment == wanted->end()) continue;
    ARROW_ASSIGN_OR_RAISE(Zone zone, file.columns.Read(row, UnsignedAt(*file.zone_start, row)));
    fragment->second.push_back(std::move(zone));
  }
  for (auto& [id, zones] : *wanted) {
    std::stable_sort(zones.begin(), zones.end(), [](const Zone& lhs, const Zone& rhs) {
      return lhs.zone_start < rhs.zone_start;
    });
  }
  return arrow::Status::OK();
}

/// The only test that zones of first-generation writers must pass (zonemap-and-indices 2.8).
bool TilesFragment(const std::vector<Zone>& zones, uint64_t physical_rows) {
  uint64_t next = 0;
  for (const Zone& zone : zones) {
    if (zone.zone_start != next || zone.zone_length > physical_rows - next) return false;
    next += zone.zone_length;
  }
  return next == physical_rows;
}

/// Cut zones at the end of the fragment. One whose counts may then be wrong goes: its rows are
/// candidates without it.
void ClipZones(uint64_t physical_rows, std::vector<Zone>* zones) {
  const auto useless = [physical_rows](Zone& zone) {
    if (zone.zone_start >= physical_rows) return true;
    const uint64_t length = std::min(zone.zone_length, physical_rows - zone.zone_start);
    const bool was_cut = length < zone.zone_length;
    zone.zone_length = length;
    return was_cut && uint64_t{zone.null_count} + zone.nan_count >= length;
  };
  zones->erase(std::remove_if(zones->begin(), zones->end(), useless), zones->end());
}

arrow::Result<std::optional<RoaringBitmap>> NullsOf(const ZonemapFile& file, uint64_t fragment_id,
                                                    uint64_t physical_rows,
                                                    const std::vector<Zone>& zones) {
  // Overlap is a sign of left-over zones, and left-over null rows come with them (5.3).
  if (!file.nulls || !AreDisjoint(zones)) return std::nullopt;
  RoaringBitmap nulls;
  for (const auto& entry : file.nulls->entries) {
    if (entry.fragment_id != fragment_id) continue;
    if (entry.offsets) nulls = *entry.offsets;
    if (!entry.offsets) nulls.AddRange(0, physical_rows);
  }
  if (!NullCountsMatch(zones, nulls)) {
    return arrow::Status::SerializationError("null_bitmap of fragment ", fragment_id,
                                             " does not have the nulls that the zones count");
  }
  return nulls;
}

arrow::Result<ZonemapSegment> Assemble(const ZonemapFile& file, ZonesByFragment zones_by_fragment,
                                       const std::map<uint64_t, uint64_t>& physical_rows,
                                       bool is_first_generation) {
  ZonemapSegment segment;
  segment.rows_per_zone = file.rows_per_zone;
  for (auto& [id, zones] : zones_by_fragment) {
    const uint64_t rows = physical_rows.at(id);
    if (zones.empty() || (is_first_generation && !TilesFragment(zones, rows))) continue;
    FragmentZones fragment;
    fragment.fragment_id = id;
    fragment.rows_per_zone = file.rows_per_zone;
    ARROW_ASSIGN_OR_RAISE(fragment.null_offsets, NullsOf(file, id, rows, zones));
    ClipZones(rows, &zones);
    fragment.zones = std::move(zones);
    if (!fragment.zones.empty()) segment.fragments.push_back(std::move(fragment));
  }
  return segment;
}

arrow::Result<RoaringBitmap> CheckEntry(const table::IndexMetadata& segment,
                                        const arrow::DataType& column_type) {
  if (!IsZonemap(segment)) {
    return arrow::Status::Invalid("index details are ", segment.details_type_url,
                                  ", not a zonemap's");
  }
  if (segment.index_version.value_or(kIndexVersion) != kIndexVersion) {
    return UnsupportedError("zonemap version",
                            "zonemap version " + std::to_string(*segment.index_version));
  }
  if (segment.field_ids.size() != 1 || !segment.covering_field_ids.empty()) {
    return UnsupportedError("zonemap of several columns", "zonemap of several columns");
  }
  if (!HasOrder(column_type)) {
    const std::string name = "zonemap of type " + column_type.ToString();
    return UnsupportedError(name, name);
  }
  ARROW_ASSIGN_OR_RAISE(auto coverage, segment.Coverage());
  if (!coverage) return arrow::Status::Invalid("index entry does not say what it covers");
  return std::move(*coverage);
}

arrow::Result<ZonemapSegment> LoadChecked(std::shared_ptr<ObjectStore> store,
                                          const table::IndexMetadata& segment,
                                          const std::shared_ptr<arrow::DataType>& column_type,
                                          const std::vector<table::Fragment>& live_fragments,
                                          const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const RoaringBitmap coverage, CheckEntry(segment, *column_type));
  ARROW_ASSIGN_OR_RAISE(const ZonemapDetails details, ParseZonemapDetails(segment));
  std::map<uint64_t, uint64_t> physical_rows;
  ZonesByFragment zones;
  for (const table::Fragment& fragment : live_fragments) {
    const bool covered =
        fragment.id <= UINT32_MAX && coverage.Contains(static_cast<uint32_t>(fragment.id));
    if (!covered || fragment.physical_rows == 0) continue;
    physical_rows[fragment.id] = fragment.physical_rows;
    zones[fragment.id];
  }
  const std::string path = ZonemapPath(segment.uuid, segment.base_id);
  ARROW_ASSIGN_OR_RAISE(const auto size_bytes, ListedFileSize(segment, kFileName));
  ARROW_ASSIGN_OR_RAISE(const auto reader, DataFileReader::Open(std::move(store), path, size_bytes,
                                                                run.stop_token, run.memory_pool));
  ZonemapFile file;
  const auto read = [&]() -> arrow::Result<ZonemapSegment> {
    ARROW_RETURN_NOT_OK(ReadColumns(*reader, column_type, run, &file));
    ARROW_RETURN_NOT_OK(ReadMetadata(*reader, details, run, &file));
    ARROW_RETURN_NOT_OK(CollectZones(file, &zones));
    return Assemble(file, std::move(zones), physical_rows, !details.rows_per_zone);
  };
  auto loaded = read();
  if (!loaded.ok()) return InFile(loaded.status(), path);
  loaded->field_id = segment.field_ids[0];
  return loaded;
}

}  // namespace

bool IsZonemap(const table::IndexMetadata& segment) {
  const std::string& url = segment.details_type_url;
  const size_t slash = url.rfind('/');
  if (!segment.has_details || slash == std::string::npos) return false;
  std::string name = url.substr(slash + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name == "lance.table.zonemapindexdetails" || name == "lance.index.pb.zonemapindexdetails";
}

arrow::Result<ZonemapDetails> ParseZonemapDetails(const table::IndexMetadata& segment) {
  return ParseZonemapDetailsMessage(segment.details_value);
}

std::string ZonemapPath(const Uuid& segment_uuid, std::optional<uint32_t> base_id) {
  return IndexFilePath(segment_uuid, base_id, kFileName);
}

const FragmentZones* ZonemapSegment::Find(uint64_t fragment_id) const {
  const auto found = std::lower_bound(
      fragments.begin(), fragments.end(), fragment_id,
      [](const FragmentZones& zones, uint64_t id) { return zones.fragment_id < id; });
  return found != fragments.end() && found->fragment_id == fragment_id ? &*found : nullptr;
}

arrow::Result<ZonemapSegment> LoadZonemap(std::shared_ptr<ObjectStore> store,
                                          const table::IndexMetadata& segment,
                                          const std::shared_ptr<arrow::DataType>& column_type,
                                          const std::vector<table::Fragment>& live_fragments,
                                          const RunContext& run) {
  auto loaded = LoadChecked(std::move(store), segment, column_type, live_fragments, run);
  return loaded.ok() ? std::move(loaded) : InSegment(loaded.status(), segment);
}

}  // namespace lance::index
