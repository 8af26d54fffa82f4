#include "lance/index/zonemap.h"

#include <functional>

#include "index_fixtures.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/row_address_map.h"
#include "lance/index/zonemap_details_proto.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::index {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsKeyError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// What a zonemap test runs with.
struct ZonemapBench {
  ZonemapBench() {
    run.clock = &clock;
    run.random = &random;
  }

  std::shared_ptr<ObjectStore> store = MakeMemoryStore();
  lance::testing::FakeClock clock;
  lance::testing::SeededRandom random;
  RunContext run;
};

table::Fragment LiveFragment(uint64_t id, uint64_t physical_rows) {
  table::Fragment fragment;
  fragment.id = id;
  fragment.physical_rows = physical_rows;
  return fragment;
}

// ---- Details ------------------------------------------------------------------------------------

table::IndexMetadata SegmentOf(std::string type_url, std::string details = "") {
  table::IndexMetadata segment;
  segment.details_type_url = std::move(type_url);
  segment.details_value = std::move(details);
  segment.has_details = true;
  return segment;
}

TEST(IsZonemap, LooksAtTheLastComponentWithoutCase) {
  EXPECT_TRUE(IsZonemap(SegmentOf("/lance.table.ZoneMapIndexDetails")));
  EXPECT_TRUE(IsZonemap(SegmentOf("/lance.index.pb.ZoneMapIndexDetails")));
  EXPECT_TRUE(IsZonemap(SegmentOf("/LANCE.TABLE.zonemapindexdetails")));
  EXPECT_TRUE(IsZonemap(SegmentOf("type.googleapis.com/lance.table.ZoneMapIndexDetails")));
  EXPECT_FALSE(IsZonemap(SegmentOf("lance.table.ZoneMapIndexDetails")));
  EXPECT_FALSE(IsZonemap(SegmentOf("/lance.other.ZoneMapIndexDetails")));
  EXPECT_FALSE(IsZonemap(SegmentOf("/lance.table.BTreeIndexDetails")));
  EXPECT_FALSE(IsZonemap(table::IndexMetadata()));
}

struct DetailsCase {
  std::string name;
  std::string bytes;
  std::optional<uint64_t> rows_per_zone;
  bool use_seeds;
  bool has_null_bitmap;
};

class ZonemapDetailsBytes : public ::testing::TestWithParam<DetailsCase> {};

TEST_P(ZonemapDetailsBytes, AreRead) {
  const auto details = ParseZonemapDetails(SegmentOf("", GetParam().bytes));

  ASSERT_THAT(details, IsOk());
  EXPECT_EQ(details->rows_per_zone, GetParam().rows_per_zone);
  EXPECT_EQ(details->use_seeds, GetParam().use_seeds);
  EXPECT_EQ(details->has_null_bitmap, GetParam().has_null_bitmap);
}

INSTANTIATE_TEST_SUITE_P(
    All, ZonemapDetailsBytes,
    ::testing::ValuesIn<DetailsCase>({
        {"Empty", "", std::nullopt, false, false},
        {"RowsOnly", "\x08\x64", 100, false, false},
        {"Seeds", "\x08\x64\x10\x01", 100, true, false},
        {"All", "\x08\x64\x10\x01\x18\x01", 100, true, true},
        {"Default", "\x08\x80\x40", 8192, false, false},
        {"ExplicitFalse", std::string("\x08\x80\x40\x10\x00", 5), 8192, false, false},
        {"LastOneWins", "\x08\x64\x08\x65", 101, false, false},
        {"UnknownFieldsAreSkipped", "\x22\x02hi\x08\x64\x29********", 100, false, false},
        {"OtherWireTypeIsUnknown", "\x12\x01x", std::nullopt, false, false},
    }),
    [](const auto& instance) { return instance.param.name; });

TEST(ZonemapDetails, AreWrittenWithAllThreeFields) {
  EXPECT_EQ(
      SerializeZonemapDetails({.rows_per_zone = 100, .use_seeds = true, .has_null_bitmap = true}),
      "\x08\x64\x10\x01\x18\x01");
  EXPECT_EQ(SerializeZonemapDetails({.rows_per_zone = 8192, .has_null_bitmap = true}),
            std::string("\x08\x80\x40\x10\x00\x18\x01", 7));
}

TEST(ZonemapDetails, AreRefusedWhenMalformed) {
  for (const std::string& bytes :
       {std::string("\x08"), std::string("\x08\xff"), std::string("\x22\x05hi"),
        std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), std::string("\0", 1),
        std::string("\x0c"), std::string("\x08\x00", 2)}) {
    EXPECT_THAT(ParseZonemapDetails(SegmentOf("", bytes)),
                IsSerializationError(HasSubstr("ZoneMapIndexDetails")));
  }
}

// ---- Write and load
// -------------------------------------------------------------------------------

FragmentZones ZonesOfFragment(uint64_t id, const arrow::Array& values, uint64_t rows_per_zone) {
  FragmentZones zones = ZonesOf(values, rows_per_zone);
  zones.fragment_id = id;
  return zones;
}

struct RoundTripCase {
  std::string name;
  std::shared_ptr<arrow::Array> first;
  std::shared_ptr<arrow::Array> second;
};

class ZonemapRoundTrip : public ::testing::TestWithParam<RoundTripCase> {};

TEST_P(ZonemapRoundTrip, GivesTheSameZones) {
  ZonemapBench bench;
  const auto type = GetParam().first->type();
  const FragmentZones first = ZonesOfFragment(4, *GetParam().first, 2);
  const FragmentZones second = ZonesOfFragment(9, *GetParam().second, 2);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, WriteZonemap(*bench.store,
                                                              {.name = "c_idx",
                                                               .field_id = 3,
                                                               .type = type,
                                                               .rows_per_zone = 2,
                                                               .fragments = {second, first},
                                                               .clustering_id = std::nullopt},
                                                              bench.run));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto loaded,
      LoadZonemap(bench.store, segment, type,
                  {LiveFragment(9, static_cast<uint64_t>(GetParam().second->length())),
                   LiveFragment(4, static_cast<uint64_t>(GetParam().first->length()))},
                  bench.run));

  EXPECT_EQ(loaded.field_id, 3);
  EXPECT_EQ(loaded.rows_per_zone, 2u);
  ASSERT_EQ(loaded.fragments.size(), 2u);
  for (const FragmentZones& expected : {first, second}) {
    const FragmentZones* actual = loaded.Find(expected.fragment_id);
    ASSERT_NE(actual, nullptr);
    EXPECT_EQ(actual->rows_per_zone, 2u);
    EXPECT_EQ(Describe(actual->zones), Describe(expected.zones));
    EXPECT_TRUE(actual->zones[0].min->type->Equals(*type));
    EXPECT_EQ(actual->null_offsets, expected.null_offsets);
  }
}

const std::vector<RoundTripCase>& RoundTripCases() {
  static const auto numbers = [](const std::string& name, std::shared_ptr<arrow::DataType> type) {
    return RoundTripCase{name, ArrayOf(type, "[1, null, 3, 4, 5]"), ArrayOf(type, "[null, null]")};
  };
  static const auto strings = [](const std::string& name, std::shared_ptr<arrow::DataType> type) {
    return RoundTripCase{name, ArrayOf(type, R"(["b", "", "a", null, "longer"])"),
                         ArrayOf(type, R"([null, "x"])")};
  };
  static const std::vector<RoundTripCase> cases{
      numbers("Int8", arrow::int8()),
      numbers("Int16", arrow::int16()),
      numbers("Int32", arrow::int32()),
      numbers("Int64", arrow::int64()),
      numbers("UInt8", arrow::uint8()),
      numbers("UInt16", arrow::uint16()),
      numbers("UInt32", arrow::uint32()),
      numbers("UInt64", arrow::uint64()),
      numbers("Date32", arrow::date32()),
      numbers("Time32", arrow::time32(arrow::TimeUnit::MILLI)),
      numbers("Time64", arrow::time64(arrow::TimeUnit::NANO)),
      numbers("Timestamp", arrow::timestamp(arrow::TimeUnit::MICRO)),
      numbers("TimestampWithZone", arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin")),
      numbers("Duration", arrow::duration(arrow::TimeUnit::SECOND)),
      {"Date64", ArrayOf(arrow::date64(), "[86400000, null, 0]"),
       ArrayOf(arrow::date64(), "[null]")},
      {"Bool", ArrayOf(arrow::boolean(), "[true, false, null, true]"),
       ArrayOf(arrow::boolean(), "[null]")},
      {"Decimal", ArrayOf(arrow::decimal128(20, 2), R"(["1.00", null, "-5.25"])"),
       ArrayOf(arrow::decimal128(20, 2), "[null]")},
      strings("String", arrow::utf8()),
      strings("LargeString", arrow::large_utf8()),
      strings("Binary", arrow::binary()),
      strings("LargeBinary", arrow::large_binary()),
      {"Half", FloatsOf(arrow::float16(), {1, -kNan, kNan, -kNan, 2, kNan}),
       FloatsOf(arrow::float16(), {-0.0, 0.0})},
      {"Float", FloatsOf(arrow::float32(), {1, -kNan, kNan, -kNan, 2, kNan}),
       FloatsOf(arrow::float32(), {std::nullopt, -0.0})},
      {"Double", FloatsOf(arrow::float64(), {1, -kNan, kNan, -kNan, 2, kNan}),
       FloatsOf(arrow::float64(), {kInf, -kInf})},
  };
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, ZonemapRoundTrip, ::testing::ValuesIn(RoundTripCases()),
                         [](const auto& instance) { return instance.param.name; });

NewZonemapRequest IntRequest() {
  NewZonemapRequest request;
  request.name = "c_idx";
  request.field_id = 7;
  request.type = arrow::int64();
  request.rows_per_zone = 2;
  request.fragments = {ZonesOfFragment(5, *ArrayOf(arrow::int64(), "[1, null, 3]"), 2)};
  request.dataset_version = 12;
  return request;
}

TEST(WriteZonemap, DescribesTheSegment) {
  ZonemapBench bench;
  NewZonemapRequest request = IntRequest();
  request.clustering_id = 3;

  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, WriteZonemap(*bench.store, request, bench.run));

  EXPECT_EQ(segment.name, "c_idx");
  EXPECT_THAT(segment.field_ids, ElementsAre(7));
  EXPECT_EQ(segment.dataset_version, 12u);
  EXPECT_EQ(segment.fragment_bitmap, RoaringBitmap({5}).Serialize());
  EXPECT_EQ(segment.details_type_url, "/lance.table.ZoneMapIndexDetails");
  EXPECT_EQ(segment.details_value, "\x08\x02\x10\x01\x18\x01");
  EXPECT_TRUE(segment.has_details);
  EXPECT_EQ(segment.index_version, 0);
  EXPECT_EQ(segment.created_at_ms, 1704067200000u);
  EXPECT_EQ(segment.clustering_id, 3u);
  EXPECT_TRUE(IsZonemap(segment));
  ASSERT_EQ(segment.files.size(), 1u);
  EXPECT_EQ(segment.files[0].path, "zonemap.lance");
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto file, bench.store->Head("_indices/" + segment.uuid.ToString() + "/zonemap.lance"));
  EXPECT_EQ(segment.files[0].size_bytes, file.size_bytes);
}

TEST(WriteZonemap, WritesAnUntrainedSegment) {
  ZonemapBench bench;
  NewZonemapRequest request = IntRequest();
  request.fragments.clear();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, WriteZonemap(*bench.store, request, bench.run));

  EXPECT_EQ(segment.fragment_bitmap, std::string("\x3a\x30\0\0\0\0\0\0", 8));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto loaded, LoadZonemap(bench.store, segment, arrow::int64(),
                                                            {LiveFragment(0, 10)}, bench.run));
  EXPECT_THAT(loaded.fragments, IsEmpty());
  EXPECT_EQ(loaded.Find(0), nullptr);
}

TEST(WriteZonemap, HasNoNullBitmapWhenOneFragmentsNullsAreNotKnown) {
  ZonemapBench bench;
  NewZonemapRequest request = IntRequest();
  request.fragments.push_back(ZonesOfFragment(6, *ArrayOf(arrow::int64(), "[null]"), 2));
  request.fragments.back().null_offsets.reset();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, WriteZonemap(*bench.store, request, bench.run));

  EXPECT_EQ(segment.details_value, std::string("\x08\x02\x10\x01\x18\x00", 6));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto loaded,
                             LoadZonemap(bench.store, segment, arrow::int64(),
                                         {LiveFragment(5, 3), LiveFragment(6, 1)}, bench.run));
  ASSERT_EQ(loaded.fragments.size(), 2u);
  EXPECT_FALSE(loaded.fragments[0].null_offsets);
}

TEST(WriteZonemap, RefusesRequestsThatAreNoZonemap) {
  ZonemapBench bench;
  const auto write = [&](const std::function<void(NewZonemapRequest*)>& change) {
    NewZonemapRequest request = IntRequest();
    change(&request);
    return WriteZonemap(*bench.store, request, bench.run);
  };

  EXPECT_THAT(write([](auto* r) { r->type = arrow::list(arrow::int64()); }),
              IsNotImplemented(HasSubstr("list")));
  EXPECT_THAT(write([](auto* r) { r->type = arrow::int32(); }),
              IsInvalid(HasSubstr("bounds of type int64")));
  EXPECT_THAT(write([](auto* r) { r->rows_per_zone = 0; }), IsInvalid(HasSubstr("is 0")));
  EXPECT_THAT(write([](auto* r) { r->rows_per_zone = 3; }), IsInvalid(HasSubstr("of 2 rows")));
  EXPECT_THAT(write([](auto* r) { r->fragments.push_back(r->fragments[0]); }),
              IsInvalid(HasSubstr("fragment 5 is given twice")));
  EXPECT_THAT(write([](auto* r) { r->fragments[0].fragment_id = uint64_t{1} << 32; }),
              IsInvalid(HasSubstr("4294967296")));
  EXPECT_THAT(write([](auto* r) {
                ChangeZones(&r->fragments[0].zones,
                            [](std::vector<Zone>* zones) { (*zones)[1].zone_start = 1; });
              }),
              IsInvalid(HasSubstr("overlap")));
  EXPECT_THAT(write([](auto* r) { r->fragments[0].null_offsets = RoaringBitmap{}; }),
              IsInvalid(HasSubstr("null offsets")));
}

// ---- Files of others
// --------------------------------------------------------------------------------

struct RawColumn {
  std::shared_ptr<arrow::DataType> type;
  std::string json;
  bool nullable = false;
};

/// A zonemap file and its entry, as some other writer might have made them.
///
/// Fragment 0 has 150 rows, nulls at 100 and 149; fragment 1 has 100 rows.
struct RawZonemap {
  std::vector<std::string> order{"min",         "max",        "null_count", "nan_count",
                                 "fragment_id", "zone_start", "zone_length"};
  std::map<std::string, RawColumn> columns{{"min", {arrow::int64(), "[0, 100, 500]", true}},
                                           {"max", {arrow::int64(), "[99, 148, 599]", true}},
                                           {"null_count", {arrow::uint32(), "[0, 2, 0]"}},
                                           {"nan_count", {arrow::uint32(), "[0, 0, 0]"}},
                                           {"fragment_id", {arrow::uint64(), "[0, 0, 1]"}},
                                           {"zone_start", {arrow::uint64(), "[0, 100, 0]"}},
                                           {"zone_length", {arrow::uint64(), "[100, 50, 100]"}}};
  std::map<std::string, std::string> metadata{{"rows_per_zone", "100"}, {"null_bitmap", "1"}};
  std::string null_bitmap =
      RowAddressMap{.entries = {{0, RoaringBitmap{100, 149}}}}.Serialize().ValueOrDie();
  std::string details = "\x08\x64\x10\x01\x18\x01";
  RoaringBitmap coverage{0, 1};
  std::vector<table::Fragment> live{LiveFragment(0, 150), LiveFragment(1, 100)};
};

table::IndexMetadata WriteRaw(ZonemapBench& bench, const RawZonemap& raw) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const std::string& name : raw.order) {
    const RawColumn& column = raw.columns.at(name);
    fields.push_back(arrow::field(name, column.type, column.nullable));
    arrays.push_back(ArrayOf(column.type, column.json));
  }
  const auto schema = arrow::schema(fields);
  table::IndexMetadata segment = SegmentOf("/lance.table.ZoneMapIndexDetails", raw.details);
  segment.uuid = Uuid::Random(bench.random);
  segment.name = "raw";
  segment.field_ids = {7};
  segment.fragment_bitmap = raw.coverage.Serialize();
  auto writer = format::DataFileWriter::Make(*bench.store->OpenWrite(ZonemapPath(segment.uuid)),
                                             *format::MakeLanceSchema(*schema))
                    .ValueOrDie();
  const auto batch = arrow::RecordBatch::Make(schema, arrays[0]->length(), arrays);
  if (!writer->Write(*batch).ok()) std::abort();
  if (!writer->AddGlobalBuffer(*arrow::Buffer::FromString(raw.null_bitmap)).ok()) std::abort();
  for (const auto& [key, value] : raw.metadata) writer->AddSchemaMetadata(key, value);
  segment.files = {{.path = "zonemap.lance", .size_bytes = writer->Finish()->size_bytes}};
  return segment;
}

arrow::Result<ZonemapSegment> LoadRaw(const std::function<void(RawZonemap*)>& change) {
  ZonemapBench bench;
  RawZonemap raw;
  change(&raw);
  const auto segment = WriteRaw(bench, raw);
  return LoadZonemap(bench.store, segment, arrow::int64(), raw.live, bench.run);
}

struct LoadedCase {
  std::string name;
  std::function<void(RawZonemap*)> change;
  std::vector<std::string> fragments;  // "id: number of zones, nulls"
};

class LoadZonemapKeeps : public ::testing::TestWithParam<LoadedCase> {};

TEST_P(LoadZonemapKeeps, WhatIsCoveredAndLive) {
  const auto loaded = LoadRaw(GetParam().change);

  ASSERT_THAT(loaded, IsOk());
  std::vector<std::string> fragments;
  for (const FragmentZones& zones : loaded->fragments) {
    fragments.push_back(std::to_string(zones.fragment_id) + ": " +
                        std::to_string(zones.zones.size()) + " zones, " +
                        (zones.null_offsets ? std::to_string(zones.null_offsets->size()) + " nulls"
                                            : "nulls not known"));
    for (size_t i = 1; i < zones.zones.size(); ++i) {
      EXPECT_LE(zones.zones.zone_start(i - 1), zones.zones.zone_start(i));
    }
  }
  EXPECT_EQ(fragments, GetParam().fragments);
}

const std::vector<LoadedCase>& LoadedCases() {
  static const std::string kFirst = "0: 2 zones, 2 nulls", kSecond = "1: 1 zones, 0 nulls";
  static const std::vector<LoadedCase> cases{
      {"Everything", [](RawZonemap*) {}, {kFirst, kSecond}},
      {"Uint32ZoneLength",
       [](RawZonemap* raw) { raw->columns["zone_length"].type = arrow::uint32(); },
       {kFirst, kSecond}},
      {"OtherColumnOrderAndExtraColumns",
       [](RawZonemap* raw) {
         std::reverse(raw->order.begin(), raw->order.end());
         raw->order.insert(raw->order.begin() + 2, "extra");
         raw->columns["extra"] = {arrow::utf8(), R"(["a", null, "c"])", true};
       },
       {kFirst, kSecond}},
      {"UnsortedZones",
       [](RawZonemap* raw) {
         raw->columns["min"].json = "[500, 100, 0]";
         raw->columns["max"].json = "[599, 148, 99]";
         raw->columns["fragment_id"].json = "[1, 0, 0]";
         raw->columns["zone_start"].json = "[0, 100, 0]";
         raw->columns["zone_length"].json = "[100, 50, 100]";
       },
       {kFirst, kSecond}},
      {"ZonesOutsideTheBitmap", [](RawZonemap* raw) { raw->coverage = {1}; }, {kSecond}},
      {"FragmentThatIsGone", [](RawZonemap* raw) { raw->live.pop_back(); }, {kFirst}},
      {"ClaimedFragmentWithoutZones",
       [](RawZonemap* raw) {
         raw->coverage = {0, 1, 2};
         raw->live.push_back(LiveFragment(2, 10));
       },
       {kFirst, kSecond}},
      {"LiveFragmentThatIsNotClaimed",
       [](RawZonemap* raw) { raw->live.push_back(LiveFragment(2, 10)); },
       {kFirst, kSecond}},
      {"OverlappingZones",
       [](RawZonemap* raw) { raw->columns["zone_start"].json = "[0, 99, 0]"; },
       {"0: 2 zones, nulls not known", kSecond}},
      {"ZonesTwice",
       [](RawZonemap* raw) {
         raw->columns["fragment_id"].json = "[1, 0, 1]";
         raw->columns["zone_start"].json = "[0, 100, 0]";
       },
       {"0: 1 zones, 2 nulls", "1: 2 zones, nulls not known"}},
      {"NullBitmapThatTheEntryDoesNotVouchFor",
       [](RawZonemap* raw) { raw->details = "\x08\x64"; },
       {"0: 2 zones, nulls not known", "1: 1 zones, nulls not known"}},
      {"NoNullBitmap",
       [](RawZonemap* raw) {
         raw->details = "\x08\x64";
         raw->metadata.erase("null_bitmap");
       },
       {"0: 2 zones, nulls not known", "1: 1 zones, nulls not known"}},
      {"NullRowsOfOtherFragments",
       [](RawZonemap* raw) {
         raw->coverage = {1};
         raw->null_bitmap = RowAddressMap{.entries = {{0, RoaringBitmap{5}}, {7, std::nullopt}}}
                                .Serialize()
                                .ValueOrDie();
       },
       {kSecond}},
      {"WholeFragmentNull",
       [](RawZonemap* raw) {
         raw->columns["min"].json = "[0, 100, null]";
         raw->columns["max"].json = "[99, 148, null]";
         raw->columns["null_count"].json = "[0, 2, 100]";
         raw->null_bitmap =
             RowAddressMap{.entries = {{0, RoaringBitmap{100, 149}}, {1, std::nullopt}}}
                 .Serialize()
                 .ValueOrDie();
       },
       {kFirst, "1: 1 zones, 100 nulls"}},
      {"FirstGenerationThatTilesTheFragment",
       [](RawZonemap* raw) {
         raw->details = "";
         raw->metadata.clear();
       },
       {"0: 2 zones, nulls not known", "1: 1 zones, nulls not known"}},
      {"FirstGenerationOfFewerRows",
       [](RawZonemap* raw) {
         raw->details = "";
         raw->live[0].physical_rows = 151;
       },
       {"1: 1 zones, nulls not known"}},
      {"FirstGenerationOfMoreRows",
       [](RawZonemap* raw) {
         raw->details = "";
         raw->live[0].physical_rows = 149;
       },
       {"1: 1 zones, nulls not known"}},
      {"FirstGenerationWithAGap",
       [](RawZonemap* raw) {
         raw->details = "";
         raw->columns["zone_start"].json = "[0, 101, 0]";
         raw->columns["zone_length"].json = "[100, 49, 100]";
       },
       {"1: 1 zones, nulls not known"}},
      {"ZoneThatLeavesTheFragment",
       [](RawZonemap* raw) { raw->live[0].physical_rows = 110; },
       {kFirst, kSecond}},
      {"ZoneWhoseCountsMayBeOfRowsThatAreNotThere",
       [](RawZonemap* raw) { raw->live[0].physical_rows = 102; },
       {"0: 1 zones, 2 nulls", kSecond}},
      {"ZoneBehindTheFragment",
       [](RawZonemap* raw) { raw->live[0].physical_rows = 100; },
       {"0: 1 zones, 2 nulls", kSecond}},
  };
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, LoadZonemapKeeps, ::testing::ValuesIn(LoadedCases()),
                         [](const auto& instance) { return instance.param.name; });

TEST(LoadZonemap, ClipsZonesToTheFragment) {
  const auto loaded = LoadRaw([](RawZonemap* raw) { raw->live[0].physical_rows = 110; });

  ASSERT_THAT(loaded, IsOk());
  EXPECT_THAT(Describe(loaded->fragments[0].zones),
              ElementsAre("0+100 [0, 99] nulls 0 nans 0", "100+10 [100, 148] nulls 2 nans 0"));
}

TEST(LoadZonemap, TakesTheDefaultZoneSizeWhenTheFileSaysNone) {
  const auto loaded = LoadRaw([](RawZonemap* raw) {
    raw->details = "\x08\x80\x40";
    raw->metadata.erase("rows_per_zone");
  });

  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(loaded->rows_per_zone, 8192u);
}

struct RefusedCase {
  std::string name;
  std::function<void(RawZonemap*)> change;
  std::string expected;
};

class LoadZonemapRefuses : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(LoadZonemapRefuses, FilesThatContradictThemselves) {
  const auto loaded = LoadRaw(GetParam().change);

  EXPECT_THAT(loaded, IsSerializationError(HasSubstr(GetParam().expected)));
  EXPECT_THAT(loaded, HasDetail<CorruptFile>());
  EXPECT_THAT(loaded.status().message(), HasSubstr("index raw segment "));
}

INSTANTIATE_TEST_SUITE_P(
    All, LoadZonemapRefuses,
    ::testing::ValuesIn<RefusedCase>({
        {"NoZoneLength", [](RawZonemap* raw) { raw->order.pop_back(); }, "no column zone_length"},
        {"NoMin", [](RawZonemap* raw) { raw->order.erase(raw->order.begin()); }, "no column min"},
        {"MinOfOtherType", [](RawZonemap* raw) { raw->columns["min"].type = arrow::int32(); },
         "column min is int32, allowed int64"},
        {"CountOfOtherType",
         [](RawZonemap* raw) { raw->columns["null_count"].type = arrow::uint64(); },
         "column null_count is uint64, allowed uint32"},
        {"NullInACount",
         [](RawZonemap* raw) {
           raw->columns["nan_count"] = {arrow::uint32(), "[0, null, 0]", true};
         },
         "column nan_count has 1 nulls"},
        {"RowsPerZoneIsNoNumber", [](RawZonemap* raw) { raw->metadata["rows_per_zone"] = "1e2"; },
         "rows_per_zone is \"1e2\""},
        {"RowsPerZoneIsZero", [](RawZonemap* raw) { raw->metadata["rows_per_zone"] = "0"; },
         "rows_per_zone is \"0\""},
        {"RowsPerZoneDiffers", [](RawZonemap* raw) { raw->metadata["rows_per_zone"] = "50"; },
         "rows_per_zone is 50, the index entry says 100"},
        {"NullBitmapIsNoNumber", [](RawZonemap* raw) { raw->metadata["null_bitmap"] = "x"; },
         "null_bitmap is \"x\""},
        {"NullBitmapIsTheDescriptor", [](RawZonemap* raw) { raw->metadata["null_bitmap"] = "0"; },
         "allowed 1 to 1"},
        {"NullBitmapIsNotThere", [](RawZonemap* raw) { raw->metadata["null_bitmap"] = "2"; },
         "allowed 1 to 1"},
        {"NullBitmapIsClaimedOnly", [](RawZonemap* raw) { raw->metadata.erase("null_bitmap"); },
         "no null_bitmap"},
        {"NullBitmapIsCorrupt", [](RawZonemap* raw) { raw->null_bitmap.pop_back(); },
         "null_bitmap"},
        {"NullBitmapHasTooFew",
         [](RawZonemap* raw) {
           raw->null_bitmap =
               RowAddressMap{.entries = {{0, RoaringBitmap{100}}}}.Serialize().ValueOrDie();
         },
         "null_bitmap of fragment 0"},
        {"NullBitmapHasAPlantedRow",
         [](RawZonemap* raw) {
           raw->null_bitmap =
               RowAddressMap{.entries = {{0, RoaringBitmap{5, 100, 149}}}}.Serialize().ValueOrDie();
         },
         "null_bitmap of fragment 0"},
        {"NullBitmapHasARowOfNoZone",
         [](RawZonemap* raw) {
           raw->null_bitmap = RowAddressMap{.entries = {{0, RoaringBitmap{100, 149, 150}}}}
                                  .Serialize()
                                  .ValueOrDie();
         },
         "null_bitmap of fragment 0"},
        {"EmptyZone", [](RawZonemap* raw) { raw->columns["zone_length"].json = "[0, 50, 100]"; },
         "zone 0: zone_length is 0"},
        {"MoreNullsThanRows",
         [](RawZonemap* raw) { raw->columns["null_count"].json = "[0, 51, 0]"; },
         "zone 1: 51 nulls and 0 NaNs in 50 rows"},
        {"NansInIntegers", [](RawZonemap* raw) { raw->columns["nan_count"].json = "[0, 0, 1]"; },
         "zone 2: 1 NaNs in a column of type int64"},
        {"MinAboveMax", [](RawZonemap* raw) { raw->columns["min"].json = "[100, 100, 500]"; },
         "zone 0: min is above max"},
    }),
    [](const auto& instance) { return instance.param.name; });

TEST(LoadZonemap, DoesNotLookAtZonesOfFragmentsItDoesNotCover) {
  const auto loaded = LoadRaw([](RawZonemap* raw) {
    raw->coverage = {1};
    raw->columns["zone_length"].json = "[0, 50, 100]";
  });

  EXPECT_THAT(loaded, IsOk());
}

TEST(LoadZonemap, RefusesEntriesThatItDoesNotUnderstand) {
  ZonemapBench bench;
  const RawZonemap raw;
  const table::IndexMetadata good = WriteRaw(bench, raw);
  const auto load = [&](const std::function<void(table::IndexMetadata*)>& change,
                        const std::shared_ptr<arrow::DataType>& type = arrow::int64()) {
    table::IndexMetadata segment = good;
    change(&segment);
    return LoadZonemap(bench.store, segment, type, raw.live, bench.run);
  };

  EXPECT_THAT(load([](auto*) {}), IsOk());
  EXPECT_THAT(load([](auto* s) { s->index_version = 0; }), IsOk());
  EXPECT_THAT(load([](auto* s) { s->files.clear(); }), IsOk());
  EXPECT_THAT(load([](auto* s) { s->index_version = 1; }),
              IsNotImplemented(HasSubstr("zonemap version 1")));
  EXPECT_THAT(load([](auto* s) { s->field_ids = {7, 8}; }), IsNotImplemented());
  EXPECT_THAT(load([](auto* s) { s->field_ids.clear(); }), IsNotImplemented());
  EXPECT_THAT(load([](auto* s) { s->covering_field_ids = {8}; }), IsNotImplemented());
  EXPECT_THAT(load([](auto* s) { s->base_id = 1; }), testing::IsKeyError());
  EXPECT_THAT(load([](auto* s) { s->details_type_url = "/lance.table.BTreeIndexDetails"; }),
              IsInvalid(HasSubstr("BTree")));
  EXPECT_THAT(load([](auto* s) { s->details_value = "\x08"; }), IsSerializationError());
  EXPECT_THAT(load([](auto* s) { s->fragment_bitmap.clear(); }), IsInvalid(HasSubstr("covers")));
  EXPECT_THAT(load([](auto* s) { s->fragment_bitmap = "x"; }), IsSerializationError());
  EXPECT_THAT(load([](auto* s) { s->uuid.bytes[0] ^= 1; }), IsKeyError());
  EXPECT_THAT(load([](auto* s) { s->files[0].path = "other"; }), IsSerializationError());
  EXPECT_FALSE(load([](auto* s) { s->files[0].size_bytes += 1; }).ok());
  EXPECT_THAT(load([](auto*) {}, arrow::list(arrow::int64())), IsNotImplemented());
  EXPECT_THAT(load([](auto*) {}, arrow::timestamp(arrow::TimeUnit::SECOND)),
              IsSerializationError(HasSubstr("column min is int64")));
}

TEST(LoadZonemap, StopsWhenItIsCancelled) {
  ZonemapBench bench;
  const RawZonemap raw;
  const table::IndexMetadata segment = WriteRaw(bench, raw);
  arrow::StopSource stop;
  bench.run.stop_token = stop.token();
  stop.RequestStop();

  EXPECT_THAT(LoadZonemap(bench.store, segment, arrow::int64(), raw.live, bench.run),
              IsCancelled());
}

}  // namespace
}  // namespace lance::index
