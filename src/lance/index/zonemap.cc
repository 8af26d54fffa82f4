#include "lance/index/zonemap.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"
#include "lance/index/row_address_map.h"
#include "lance/index/stored_columns.h"
#include "lance/index/zone_list.h"
#include "lance/index/zone_rollup.h"
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

/// Make an array of uint32 one of uint64.
arrow::Status Widen(std::shared_ptr<arrow::Array>* numbers) {
  if ((*numbers)->type_id() == arrow::Type::UINT64) return arrow::Status::OK();
  arrow::UInt64Builder wide;
  ARROW_RETURN_NOT_OK(wide.Reserve((*numbers)->length()));
  const auto& narrow = static_cast<const arrow::UInt32Array&>(**numbers);
  for (int64_t i = 0; i < narrow.length(); ++i) wide.UnsafeAppend(narrow.Value(i));
  return wide.Finish(numbers);
}

arrow::Status ReadColumns(const DataFileReader& file,
                          const std::shared_ptr<arrow::DataType>& column_type,
                          const RunContext& run, ZonemapFile* zonemap) {
  if (file.num_rows() > file.size_bytes() * kMaxZonesPerByte) {
    return arrow::Status::SerializationError("zonemap claims ", file.num_rows(), " zones in ",
                                             file.size_bytes(), " bytes");
  }
  const auto read = [&](std::string_view name, const arrow::DataTypeVector& types) {
    return ReadZoneColumn(file, name, types, run);
  };
  ZoneColumns& columns = zonemap->columns;
  ARROW_ASSIGN_OR_RAISE(columns.min, read("min", {column_type}));
  ARROW_ASSIGN_OR_RAISE(columns.max, read("max", {column_type}));
  ARROW_ASSIGN_OR_RAISE(columns.null_count, read("null_count", {arrow::uint32()}));
  ARROW_ASSIGN_OR_RAISE(columns.nan_count, read("nan_count", {arrow::uint32()}));
  ARROW_ASSIGN_OR_RAISE(zonemap->fragment_id, read("fragment_id", {arrow::uint64()}));
  ARROW_ASSIGN_OR_RAISE(columns.zone_start, read("zone_start", {arrow::uint64()}));
  // Documents say uint32, released writers store uint64.
  ARROW_ASSIGN_OR_RAISE(columns.zone_length,
                        read("zone_length", {arrow::uint64(), arrow::uint32()}));
  return Widen(&columns.zone_length);
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
using ZonesByFragment = std::map<uint64_t, ZoneList>;

/// Zones in the order of their first rows.
arrow::Result<ZoneList> Sorted(const ZoneList& zones) {
  bool is_sorted = true;
  for (size_t i = 1; i < zones.size(); ++i) {
    is_sorted = is_sorted && zones.zone_start(i - 1) <= zones.zone_start(i);
  }
  if (is_sorted) return zones;
  std::vector<Zone> by_start(zones.begin(), zones.end());
  std::stable_sort(by_start.begin(), by_start.end(), [](const Zone& lhs, const Zone& rhs) {
    return lhs.zone_start < rhs.zone_start;
  });
  return ZoneList::Make(zones.type(), by_start);
}

/// Zones of two lists in one.
arrow::Result<ZoneList> Joined(const ZoneList& first, const ZoneList& second) {
  std::vector<Zone> zones(first.begin(), first.end());
  zones.insert(zones.end(), second.begin(), second.end());
  return ZoneList::Make(second.type(), zones);
}

/// Share out the zones of a file. Those of one fragment follow each other as a rule; then nothing
/// is copied.
///
/// \param wanted fragments with an empty list each; gets their zones
arrow::Status CollectZones(const ZonemapFile& file, ZonesByFragment* wanted) {
  const ZoneList all(file.columns);
  const auto& ids = static_cast<const arrow::UInt64Array&>(*file.fragment_id);
  for (int64_t first = 0; first < ids.length();) {
    const uint64_t id = ids.Value(first);
    int64_t end = first + 1;
    while (end < ids.length() && ids.Value(end) == id) ++end;
    const ZoneList part = all.Slice(static_cast<size_t>(first), static_cast<size_t>(end - first));
    first = end;
    const auto fragment = wanted->find(id);
    if (fragment == wanted->end()) continue;
    ARROW_RETURN_NOT_OK(part.Check());
    ZoneList& zones = fragment->second;
    if (zones.empty()) {
      zones = part;
    } else {
      ARROW_ASSIGN_OR_RAISE(zones, Joined(zones, part));
    }
  }
  for (auto& [id, zones] : *wanted) {
    ARROW_ASSIGN_OR_RAISE(zones, Sorted(zones));
  }
  return arrow::Status::OK();
}

/// The only test that zones of first-generation writers must pass (zonemap-and-indices 2.8).
bool TilesFragment(const ZoneList& zones, uint64_t physical_rows) {
  uint64_t next = 0;
  for (size_t i = 0; i < zones.size(); ++i) {
    if (zones.zone_start(i) != next || zones.zone_length(i) > physical_rows - next) return false;
    next += zones.zone_length(i);
  }
  return next == physical_rows;
}

/// Cut zones at the end of the fragment. One whose counts may then be wrong goes: its rows are
/// candidates without it.
arrow::Result<ZoneList> ClipZones(const ZoneList& zones, uint64_t physical_rows) {
  const auto reaches_over = [&](size_t i) {
    return zones.zone_start(i) >= physical_rows ||
           zones.zone_length(i) > physical_rows - zones.zone_start(i);
  };
  size_t first_over = 0;
  while (first_over < zones.size() && !reaches_over(first_over)) ++first_over;
  if (first_over == zones.size()) return zones;
  std::vector<Zone> kept;
  for (size_t i = 0; i < zones.size(); ++i) {
    if (zones.zone_start(i) >= physical_rows) continue;
    const bool is_cut = reaches_over(i);
    Zone zone = zones[i];
    zone.zone_length = std::min(zone.zone_length, physical_rows - zone.zone_start);
    if (is_cut && uint64_t{zone.null_count} + zone.nan_count >= zone.zone_length) continue;
    kept.push_back(std::move(zone));
  }
  return ZoneList::Make(zones.type(), kept);
}

/// The null rows of a fragment; no value: not known.
arrow::Result<std::optional<RoaringBitmap>> NullsOf(const ZonemapFile& file, uint64_t fragment_id,
                                                    uint64_t physical_rows, const ZoneList& zones) {
  // Overlap is a sign of left-over zones, and left-over null rows come with them (5.3).
  if (!file.nulls || !zones.AreDisjoint()) return std::nullopt;
  RoaringBitmap nulls;
  const auto& entries = file.nulls->entries;
  const auto entry =
      std::ranges::lower_bound(entries, fragment_id, {}, &RowAddressMap::Entry::fragment_id);
  if (entry != entries.end() && entry->fragment_id == fragment_id) {
    if (entry->offsets) nulls = *entry->offsets;
    if (!entry->offsets) nulls.AddRange(0, physical_rows);
  }
  if (!zones.NullCountsMatch(nulls)) {
    return arrow::Status::SerializationError("null_bitmap of fragment ", fragment_id,
                                             " does not have the nulls that the zones count");
  }
  return nulls;
}

uint64_t SizeBytes(const ZonemapFile& file) {
  uint64_t bytes = sizeof(ZonemapSegment);
  const ZoneColumns& columns = file.columns;
  for (const auto& array : {columns.min, columns.max, columns.null_count, columns.nan_count,
                            columns.zone_start, columns.zone_length}) {
    bytes += static_cast<uint64_t>(arrow::util::TotalBufferSize(*array));
  }
  return bytes;
}

arrow::Result<ZonemapSegment> Assemble(const ZonemapFile& file, ZonesByFragment zones_by_fragment,
                                       const std::map<uint64_t, uint64_t>& physical_rows,
                                       bool is_first_generation) {
  ZonemapSegment segment;
  segment.rows_per_zone = file.rows_per_zone;
  segment.size_bytes = SizeBytes(file);
  for (auto& [id, zones] : zones_by_fragment) {
    const uint64_t rows = physical_rows.at(id);
    if (zones.empty() || (is_first_generation && !TilesFragment(zones, rows))) continue;
    FragmentZones fragment;
    fragment.fragment_id = id;
    fragment.rows_per_zone = file.rows_per_zone;
    ARROW_ASSIGN_OR_RAISE(fragment.null_offsets, NullsOf(file, id, rows, zones));
    ARROW_ASSIGN_OR_RAISE(fragment.zones, ClipZones(zones, rows));
    if (fragment.zones.empty()) continue;
    segment.size_bytes += sizeof(FragmentZones);
    if (fragment.null_offsets)
      segment.size_bytes += fragment.null_offsets->size() * sizeof(uint32_t);
    segment.fragments.push_back(std::move(fragment));
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
    return UnsupportedError(
        "zonemap version",
        "zonemap version " + std::to_string(*segment.index_version) + " is not supported");
  }
  if (segment.field_ids.size() != 1 || !segment.covering_field_ids.empty()) {
    return UnsupportedError("zonemap of several columns",
                            "a zonemap of several columns is not supported");
  }
  if (!HasOrder(column_type)) {
    const std::string name = "zonemap of type " + column_type.ToString();
    return UnsupportedError(name, name + " is not supported");
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
  ARROW_ASSIGN_OR_RAISE(loaded->rollup, RollUp(loaded->fragments, column_type, live_fragments));
  loaded->size_bytes += loaded->rollup.zones.size() * sizeof(Zone);
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
