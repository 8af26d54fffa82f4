#include <algorithm>
#include <cstring>

#include "../unit/index/index_fixtures.h"
#include "lance/base/byte_reader.h"
#include "lance/index/row_address_map.h"
#include "lance/index/seed.h"
#include "lance/index/zonemap.h"
#include "lance/index/zonemap_details_proto.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

// The law: whatever bytes a zonemap, a seed, a null bitmap or a details message consists of,
// reading gives zones that keep their promises or a status, and never crashes or takes much memory.

namespace lance::index {
namespace {

using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

/// Change a few bytes, or cut, or repeat a piece.
std::string Mutate(std::string bytes, SeededRandom& random) {
  for (uint64_t i = random.Below(4); i + 1 > 0 && !bytes.empty(); --i) {
    const size_t at = random.Below(bytes.size());
    switch (random.Below(6)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
        break;
      case 1:
        bytes[at] = static_cast<char>(random.Below(256));
        break;
      case 2:
        bytes[at] = static_cast<char>(0xff);
        break;
      case 3: {
        const size_t width = std::min<size_t>(8, bytes.size() - at);
        const uint64_t value = random.OneIn(2) ? random.Next() : random.Below(300);
        std::memcpy(bytes.data() + at, &value, width);
        break;
      }
      case 4:
        if (random.OneIn(4)) bytes.resize(at);
        break;
      case 5:
        if (random.OneIn(4)) bytes.insert(at, bytes.substr(at, random.Below(40)));
        break;
    }
    if (i == 0) break;
  }
  return bytes;
}

std::string ReadAll(ObjectStore& store, const std::string& path) {
  const uint64_t size = store.Head(path)->size_bytes;
  return store.Get(path, {{0, size}}, arrow::StopToken::Unstoppable()).ValueOrDie()[0]->ToString();
}

void Overwrite(ObjectStore& store, const std::string& path, std::string bytes) {
  ASSERT_THAT(store.Put(path, arrow::Buffer::FromString(std::move(bytes)), PutMode::kOverwrite),
              IsOk());
}

/// What every loaded zone promises, however wrong its bytes are.
void ExpectPromises(const FragmentZones& zones, uint64_t physical_rows) {
  for (const Zone& zone : zones.zones) {
    EXPECT_GT(zone.zone_length, 0u);
    EXPECT_LT(zone.zone_start, physical_rows);
    EXPECT_LE(zone.zone_length, physical_rows - zone.zone_start);
    EXPECT_LE(uint64_t{zone.null_count} + zone.nan_count, zone.zone_length);
    EXPECT_NE(zone.min, nullptr);
    EXPECT_NE(zone.max, nullptr);
    EXPECT_FALSE(Describe(zone).empty());  // touches the bounds' bytes
  }
}

std::shared_ptr<arrow::Array> SomeStrings() {
  return ArrayOf(arrow::utf8(), R"(["b", null, "abc", "", "z", null, null, "longer than others"])");
}
std::shared_ptr<arrow::Array> SomeFloats() {
  return FloatsOf(arrow::float64(), {1, -kNan, kNan, std::nullopt, -0.0, 0.0, kInf, -kInf});
}

class HostileBytes : public ::testing::TestWithParam<std::shared_ptr<arrow::Array>> {};

TEST_P(HostileBytes, OfAZonemapAreSurvived) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  lance::testing::FakeClock clock;
  RunContext run;
  run.clock = &clock;
  run.random = &random;
  const auto store = MakeMemoryStore();
  NewZonemapRequest request;
  request.type = GetParam()->type();
  request.rows_per_zone = 2;
  request.fragments = {ZonesOf(*GetParam(), 2), ZonesOf(*GetParam(), 2)};
  request.fragments[1].fragment_id = 3;
  LANCE_ASSERT_OK_AND_ASSIGN(auto segment, WriteZonemap(*store, request, run));
  const std::string path = ZonemapPath(segment.uuid);
  const std::string good = ReadAll(*store, path);
  segment.files.clear();
  std::vector<table::Fragment> live(2);
  live[0].physical_rows = live[1].physical_rows = 8;
  live[1].id = 3;

  int loaded = 0;
  const int rounds = NumRounds(1500);
  for (int round = 0; round < rounds; ++round) {
    Overwrite(*store, path, round == 0 ? good : Mutate(good, random));
    const auto result = LoadZonemap(store, segment, request.type, live, run);
    if (!result.ok()) continue;
    ++loaded;
    for (const FragmentZones& zones : result->fragments) ExpectPromises(zones, 8);
  }
  EXPECT_GT(loaded, 0);
  EXPECT_LT(loaded, rounds);
}

TEST_P(HostileBytes, OfASeedAreSurvived) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  const auto store = MakeMemoryStore();
  const auto schema = arrow::schema({arrow::field("c", GetParam()->type())});
  auto writer = format::DataFileWriter::Make(*store->OpenWrite("data/a.lance"),
                                             *format::MakeLanceSchema(*schema))
                    .ValueOrDie();
  ASSERT_THAT(writer->Write(*arrow::RecordBatch::Make(schema, 8, {GetParam()})), IsOk());
  ASSERT_THAT(WriteSeed("c", GetParam()->type(), ZonesOf(*GetParam(), 3), writer.get()), IsOk());
  ASSERT_THAT(writer->Finish(), IsOk());
  const std::string good = ReadAll(*store, "data/a.lance");
  table::Fragment fragment;
  fragment.physical_rows = 8;
  table::DataFile file;
  file.path = "a.lance";
  file.field_ids = {0};
  file.column_indices = {0};
  fragment.files = {file};

  int found = 0;
  const int rounds = NumRounds(1500);
  for (int round = 0; round < rounds; ++round) {
    Overwrite(*store, "data/a.lance", round == 0 ? good : Mutate(good, random));
    const auto reader = format::DataFileReader::Open(store, "data/a.lance", std::nullopt,
                                                     arrow::StopToken::Unstoppable());
    if (!reader.ok()) continue;
    const auto seed = ReadSeed(**reader, fragment, 0, GetParam()->type(), {});
    if (!seed.ok() || !*seed) continue;
    ++found;
    ExpectPromises(**seed, 8);
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, rounds);
}

INSTANTIATE_TEST_SUITE_P(All, HostileBytes, ::testing::Values(SomeStrings(), SomeFloats()),
                         [](const auto& instance) { return instance.param->type()->name(); });

TEST(HostileBytes, OfANullBitmapAreSurvived) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  RoaringBitmap dense{1, 2, 70000};
  dense.AddRange(200000, 206000);
  const RowAddressMap map{.entries = {{0, RoaringBitmap{5}}, {4, std::nullopt}, {9, dense}}};
  const std::string good = map.Serialize().ValueOrDie();
  for (int round = 0; round < NumRounds(5000); ++round) {
    const std::string bytes = Mutate(good, random);
    const auto parsed = RowAddressMap::Parse(AsBytes(bytes), "nulls");
    if (!parsed.ok()) continue;
    EXPECT_EQ(RowAddressMap::Parse(AsBytes(parsed->Serialize().ValueOrDie()), "nulls"), *parsed);
  }
}

TEST(HostileBytes, OfDetailsAreSurvived) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(5000); ++round) {
    const auto parsed =
        ParseZonemapDetailsMessage(Mutate("\x08\x80\x40\x10\x01\x18\x01\x22\x02hi", random));
    if (!parsed.ok()) {
      EXPECT_TRUE(parsed.status().IsSerializationError());
      continue;
    }
    const auto again = ParseZonemapDetailsMessage(SerializeZonemapDetails(*parsed));
    ASSERT_THAT(again, IsOk());
    EXPECT_EQ(again->rows_per_zone, parsed->rows_per_zone);
    EXPECT_EQ(again->use_seeds, parsed->use_seeds);
    EXPECT_EQ(again->has_null_bitmap, parsed->has_null_bitmap);
  }
}

}  // namespace
}  // namespace lance::index
