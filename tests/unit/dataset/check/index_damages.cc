#include <algorithm>
#include <cstring>

#include "arrow/api.h"
#include "damages.h"
#include "lance/base/byte_reader.h"
#include "lance/base/run_context.h"
#include "lance/index/scalar_index.h"
#include "lance/index/zonemap.h"

namespace lance::testing {
namespace {

std::string NameOf(const table::IndexMetadata& index) {
  return "index " + index.name + ", segment " + index.uuid.ToString();
}

/// Change the last index entry of the newest version, segment two of two.
std::function<std::string(const CheckedTable&)> ChangesEntry(
    std::function<void(table::Manifest*, table::IndexMetadata*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    table.Rewrite([&](auto* manifest) { change(manifest, &manifest->indices.back()); });
    return NameOf(table.Manifest().indices.back());
  };
}

/// Change the bytes of the file of the first segment.
std::function<std::string(const CheckedTable&)> ChangesFile(
    std::function<void(std::string*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    const std::string path = IndexPath(table.Manifest().indices.front());
    std::string bytes = table.Read(path);
    change(&bytes);
    table.Write(path, bytes);
    return path;
  };
}

/// Put another zonemap in the place of the first segment, with what was changed in its zones.
///
/// \param change gets the zones and the offsets of nulls of its first fragment
std::function<std::string(const CheckedTable&)> ChangesZones(
    std::function<void(std::vector<index::Zone>*, RoaringBitmap*)> change) {
  return [change = std::move(change)](const CheckedTable& table) {
    const table::Manifest manifest = table.Manifest();
    const table::IndexMetadata& old = manifest.indices.front();
    auto zonemap = index::LoadZonemap(table.shared_store(), old, arrow::int64(), manifest.fragments,
                                      RunContext{})
                       .ValueOrDie();
    index::FragmentZones& fragment = zonemap.fragments.front();
    std::vector<index::Zone> zones(fragment.zones.begin(), fragment.zones.end());
    change(&zones, &*fragment.null_offsets);
    fragment.zones = index::ZoneList::Make(arrow::int64(), zones).ValueOrDie();
    auto changed = index::WriteZonemap(table.store(),
                                       {.name = old.name,
                                        .field_id = old.field_ids[0],
                                        .type = arrow::int64(),
                                        .rows_per_zone = zonemap.rows_per_zone,
                                        .fragments = zonemap.fragments,
                                        .dataset_version = old.dataset_version},
                                       RunContext{})
                       .ValueOrDie();
    table.Rewrite([&](auto* rewritten) { rewritten->indices.front() = changed; });
    return IndexPath(changed);
  };
}

/// A bitmap of all 2^32 numbers, as runs: less than a MiB.
std::string AllNumbers() {
  constexpr uint32_t kContainers = 1 << 16;
  constexpr uint16_t kCookieWithRuns = 12347;
  std::string bytes;
  AppendLittleEndian(kCookieWithRuns, &bytes);
  AppendLittleEndian(uint16_t{0xffff}, &bytes);  // containers, less one
  bytes.append(kContainers / 8, '\xff');         // all hold runs
  for (uint32_t key = 0; key < kContainers; ++key) {
    AppendLittleEndian(static_cast<uint16_t>(key), &bytes);
    AppendLittleEndian(uint16_t{0xffff}, &bytes);  // members, less one
  }
  constexpr uint32_t kBytesOfOneRun = 6;
  const auto first = static_cast<uint32_t>(bytes.size() + kContainers * sizeof(uint32_t));
  for (uint32_t i = 0; i < kContainers; ++i) {
    AppendLittleEndian(first + i * kBytesOfOneRun, &bytes);
  }
  for (uint32_t i = 0; i < kContainers; ++i) {
    AppendLittleEndian(uint16_t{1}, &bytes);
    AppendLittleEndian(uint16_t{0}, &bytes);
    AppendLittleEndian(uint16_t{0xffff}, &bytes);
  }
  return bytes;
}

std::vector<Damage> Entries() {
  return {
      {"IndexTwice", "index_twice", ChangesEntry([](auto* manifest, auto* index) {
         index->uuid = manifest->indices.front().uuid;
       })},
      {"IndexOnAFieldThatIsGone", "index_field_missing",
       ChangesEntry([](auto*, auto* index) { index->field_ids = {77}; })},
      {"IndexCoverageIsGarbage", "index_coverage_broken",
       ChangesEntry([](auto*, auto* index) { index->fragment_bitmap = "garbage"; })},
      {"IndexCoversWhatNeverWas", "index_coverage_ahead", ChangesEntry([](auto*, auto* index) {
         index->fragment_bitmap = RoaringBitmap{3, 900}.Serialize();
       })},
      {"IndexCoversEveryFragmentThereCanBe", "index_coverage_ahead",
       ChangesEntry([](auto*, auto* index) { index->fragment_bitmap = AllNumbers(); })},
      {"IndexSegmentsCoverOneFragment", "index_segments_overlap",
       ChangesEntry([](auto*, auto* index) {
         index->fragment_bitmap = RoaringBitmap{1, 3}.Serialize();
       })},
      {"IndexIsFromTheFuture", "index_version_ahead",
       ChangesEntry([](auto*, auto* index) { index->dataset_version = 99; })},
      {"IndexFileOutsideOfItsFolder", "index_broken", ChangesEntry([](auto*, auto* index) {
         index->files = {{.path = "../../data/x.lance", .size_bytes = 1}};
       })},
  };
}

std::vector<Damage> Files() {
  return {
      {"IndexFileGone", "index_file_missing",
       [](const CheckedTable& table) {
         const std::string path = IndexPath(table.Manifest().indices.front());
         table.Remove(path);
         return path;
       }},
      {"IndexFolderGone", "index_file_missing",
       [](const CheckedTable& table) {
         const std::string path = IndexPath(table.Manifest().indices.front());
         table.Remove(path);
         return path.substr(0, path.rfind('/') + 1);
       }},
      {"IndexFileCut", "index_file_size_wrong",
       ChangesFile([](std::string* bytes) { bytes->resize(bytes->size() - 10); })},
      {"IndexFileMagic", "index_broken",
       ChangesFile([](std::string* bytes) { bytes->back() = 'X'; }), Sample::kPlain,
       /*is_deep=*/true},
      {"IndexFileIsZeros", "index_broken",
       ChangesFile([](std::string* bytes) { std::ranges::fill(*bytes, '\0'); }), Sample::kPlain,
       /*is_deep=*/true},
  };
}

/// Add a btree of the first fragment that has 7 for every row.
std::string AddFalseBTree(const CheckedTable& table) {
  const table::Manifest manifest = table.Manifest();
  const table::Fragment& fragment = manifest.fragments.front();
  arrow::Int64Builder values;
  arrow::UInt64Builder rows;
  for (uint64_t row = 0; row < fragment.physical_rows; ++row) {
    (void)values.Append(7);
    (void)rows.Append(fragment.id << 32 | row);
  }
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("value", arrow::int64()), arrow::field("row", arrow::uint64())}),
      static_cast<int64_t>(fragment.physical_rows),
      {values.Finish().ValueOrDie(), rows.Finish().ValueOrDie()});
  table::IndexMetadata added = manifest.indices.front();
  added.uuid = Uuid::Parse("00000000-0000-4000-8000-000000000001").ValueOrDie();
  added.name = "false_btree";
  const auto written =
      index::WriteScalarIndex(table.shared_store(), added.uuid,
                              {.index_type = "BTree",
                               .column = "id",
                               .column_type = arrow::int64(),
                               .rows = arrow::RecordBatchReader::Make({batch}).ValueOrDie()},
                              RunContext{})
          .ValueOrDie();
  added.details_type_url = written.details_type_url;
  added.details_value.clear();
  added.files = written.files;
  added.fragment_bitmap = RoaringBitmap{static_cast<uint32_t>(fragment.id)}.Serialize();
  table.Rewrite([&](auto* rewritten) { rewritten->indices.push_back(added); });
  return "_indices/" + added.uuid.ToString() + "/";
}

std::vector<Damage> Zones() {
  return {
      {"BTreeHasOtherValues", "index_wrong", AddFalseBTree, Sample::kPlain, /*is_deep=*/true},
      {"ZoneMinimumTooHigh", "zone_wrong",
       ChangesZones([](auto* zones, auto*) { (*zones)[0].min = arrow::MakeScalar(int64_t{400}); }),
       Sample::kPlain, /*is_deep=*/true},
      {"ZoneMaximumTooLow", "zone_wrong",
       ChangesZones([](auto* zones, auto*) { (*zones)[0].max = (*zones)[0].min; }), Sample::kPlain,
       /*is_deep=*/true},
      {"ZoneMinimumSomewhatTooHigh", "zone_wrong", ChangesZones([](auto* zones, auto*) {
         const auto& min = static_cast<const arrow::Int64Scalar&>(*(*zones)[0].min);
         (*zones)[0].min = arrow::MakeScalar(min.value + 60);
       }),
       Sample::kPlain, /*is_deep=*/true},
      {"ZoneCountsNoNulls", "zone_wrong", ChangesZones([](auto* zones, auto* nulls) {
         (*zones)[0].null_count = 0;
         *nulls = {};
       }),
       Sample::kPlain, /*is_deep=*/true},
      {"ZoneCountsNullsOnly", "zone_wrong", ChangesZones([](auto* zones, auto* nulls) {
         (*zones)[0].null_count = static_cast<uint32_t>((*zones)[0].zone_length);
         (*zones)[0].min = (*zones)[0].max = arrow::MakeNullScalar(arrow::int64());
         *nulls = {};
         nulls->AddRange(0, (*zones)[0].zone_length);
       }),
       Sample::kPlain, /*is_deep=*/true},
      {"ZoneHasOtherNulls", "zone_wrong", ChangesZones([](auto*, auto* nulls) {
         const uint32_t null = nulls->ToVector().back();
         nulls->Remove(null);
         nulls->Add(nulls->Contains(null - 1) ? null - 2 : null - 1);
       }),
       Sample::kPlain, /*is_deep=*/true},
      {"SeedTooNarrow", "seed_wrong",
       [](const CheckedTable& table) {
         // The zone of the first fragment ends with its largest id, stored as it is.
         const std::string path = DataPath(table.Manifest().fragments[0]);
         std::string bytes = table.Read(path);
         const uint64_t largest = 1299;
         const uint64_t smaller = 500;
         std::string value(sizeof(largest), '\0');
         std::memcpy(value.data(), &largest, sizeof(largest));
         const size_t at = bytes.rfind(value);
         std::memcpy(bytes.data() + at, &smaller, sizeof(smaller));
         table.Write(path, bytes);
         return path;
       },
       Sample::kDeclared, /*is_deep=*/true},
  };
}

}  // namespace

std::vector<Damage> DamagesOfIndices() {
  std::vector<Damage> damages;
  for (auto* part : {Entries, Files, Zones}) {
    const auto more = part();
    damages.insert(damages.end(), more.begin(), more.end());
  }
  return damages;
}

std::string IndexPath(const table::IndexMetadata& index) { return index::ZonemapPath(index.uuid); }

}  // namespace lance::testing
