#include "lance/index/row_address_map.h"

#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::IsSerializationError;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    if (hex[i] == ' ')
      --i;
    else
      bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

arrow::Result<RowAddressMap> Parse(const std::string& bytes) {
  return RowAddressMap::Parse(AsBytes(bytes), "nulls");
}

TEST(RowAddressMap, WritesTheLayoutOfReleasedWriters) {
  RoaringBitmap every_seventh;
  for (uint32_t offset = 7; offset <= 504; offset += 7) every_seventh.Add(offset);
  const RowAddressMap map{.entries = {{0, every_seventh}}};

  const std::string bytes = map.Serialize().ValueOrDie();

  EXPECT_THAT(bytes, StartsWith(FromHex("01000000 00000000 a0000000 3a300000 01000000 00004700 "
                                        "10000000 07000e001500")));
  EXPECT_EQ(bytes.size(), 12u + 160u);
  EXPECT_EQ(Parse(bytes).ValueOrDie(), map);
}

TEST(RowAddressMap, OfNoRowsIsFourBytes) {
  EXPECT_EQ(RowAddressMap().Serialize().ValueOrDie(), FromHex("00000000"));
  EXPECT_EQ(Parse(FromHex("00000000")).ValueOrDie(), RowAddressMap());
}

TEST(RowAddressMap, ReadsRunContainersAndWholeFragments) {
  // Fragment 2: one run of 20 from 150 (a seed's bitmap); fragment 5: every row.
  const auto map = Parse(FromHex("02000000 02000000 0f000000 3b3000000100001300010096001300 "
                                 "05000000 00000000"))
                       .ValueOrDie();

  ASSERT_EQ(map.entries.size(), 2u);
  EXPECT_EQ(map.entries[0].fragment_id, 2u);
  EXPECT_EQ(map.entries[0].offsets->size(), 20u);
  EXPECT_TRUE(map.entries[0].offsets->Contains(150));
  EXPECT_TRUE(map.entries[0].offsets->Contains(169));
  EXPECT_EQ(map.entries[1].fragment_id, 5u);
  EXPECT_FALSE(map.entries[1].offsets);
}

TEST(RowAddressMap, ComesBackAsItWasWritten) {
  RoaringBitmap dense;
  dense.AddRange(60000, 200000);
  const RowAddressMap map{
      .entries = {{0, RoaringBitmap{0}}, {7, std::nullopt}, {UINT32_MAX, dense}}};

  EXPECT_EQ(Parse(map.Serialize().ValueOrDie()).ValueOrDie(), map);
}

struct CorruptMapCase {
  std::string name;
  std::string hex;
  std::string expected;
};

class RowAddressMapCorrupt : public ::testing::TestWithParam<CorruptMapCase> {};

TEST_P(RowAddressMapCorrupt, IsRefusedNamingThePlace) {
  EXPECT_THAT(Parse(FromHex(GetParam().hex)), IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, RowAddressMapCorrupt,
    ::testing::ValuesIn<CorruptMapCase>({
        {"Empty", "", "nulls.num_entries at byte 0"},
        {"ShortCount", "010000", "nulls.num_entries at byte 0"},
        {"HugeCount", "ffffffff 00000000 00000000", "is 4294967295, 8 bytes are left"},
        {"OneEntryTooMany", "02000000 00000000 00000000", "is 2, 8 bytes are left"},
        {"ShortBitmap", "01000000 00000000 09000000 3a30000000000000",
         "nulls.bitmap at byte 12: needs 9 bytes, 8 are left"},
        {"BadCookie", "01000000 00000000 08000000 3930000000000000", "nulls"},
        {"BitmapWithRest", "01000000 00000000 09000000 3a3000000000000000", "nulls"},
        {"Descending", "02000000 05000000 00000000 04000000 00000000", "is 4 after 5"},
        {"Repeated", "02000000 05000000 00000000 05000000 00000000", "is 5 after 5"},
        {"TrailingByte", "00000000 00", "1 bytes follow"},
        {"EntryAfterShortOne", "02000000 00000000 04000000 3a300000 00000000", "nulls"},
    }),
    [](const auto& instance) { return instance.param.name; });

RowAddressMap MapOf(std::vector<RowAddressMap::Entry> entries) {
  return {.entries = std::move(entries)};
}

TEST(RowAddressMap, IsJoinedWithAnother) {
  RowAddressMap map = MapOf({{1, RoaringBitmap{1, 2}}, {3, std::nullopt}, {5, RoaringBitmap{7}}});
  map |= MapOf({{0, RoaringBitmap{9}},
                {1, RoaringBitmap{2, 3}},
                {3, RoaringBitmap{4}},
                {5, std::nullopt},
                {6, RoaringBitmap{6}}});
  EXPECT_EQ(map, MapOf({{0, RoaringBitmap{9}},
                        {1, RoaringBitmap{1, 2, 3}},
                        {3, std::nullopt},
                        {5, std::nullopt},
                        {6, RoaringBitmap{6}}}));
}

TEST(RowAddressMap, IsRestrictedToAnother) {
  RowAddressMap map = MapOf({{1, RoaringBitmap{1, 2}},
                             {2, RoaringBitmap{1}},
                             {3, std::nullopt},
                             {4, std::nullopt},
                             {5, RoaringBitmap{7}},
                             {6, RoaringBitmap{7}}});
  map &= MapOf({{1, RoaringBitmap{2, 3}},
                {3, RoaringBitmap{4}},
                {4, std::nullopt},
                {5, std::nullopt},
                {6, RoaringBitmap{8}}});
  EXPECT_EQ(map, MapOf({{1, RoaringBitmap{2}},
                        {3, RoaringBitmap{4}},
                        {4, std::nullopt},
                        {5, RoaringBitmap{7}}}));
}

TEST(RowAddressMap, IsEmptyWithoutRows) {
  EXPECT_TRUE(RowAddressMap{}.empty());
  EXPECT_TRUE(MapOf({{1, RoaringBitmap{}}}).empty());
  EXPECT_FALSE(MapOf({{1, RoaringBitmap{}}, {2, RoaringBitmap{0}}}).empty());
  EXPECT_FALSE(MapOf({{1, std::nullopt}}).empty());
}

}  // namespace
}  // namespace lance::index
