#include "lance/clustering/rank_lookup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kTypedV2 = ClusteringAlgorithm::kTypedQuantileRankV2;

std::vector<size_t> Uppers(const BytesSearch& search, const std::vector<std::string>& queries) {
  std::vector<size_t> uppers;
  for (const std::string& query : queries) uppers.push_back(search.Upper(query, false));
  return uppers;
}

std::vector<ComparedBytes> Compared(const std::vector<std::string>& texts) {
  std::vector<ComparedBytes> values;
  for (const std::string& text : texts) values.push_back({text, false});
  return values;
}

TEST(WordSearch, CountsWordsThatAreNotGreater) {
  const std::vector<uint64_t> words{3, 5, UINT64_MAX};
  const WordSearch<uint64_t> search(words);
  const std::vector<uint64_t> queries{0, 3, 4, 5, 6, UINT64_MAX - 1, UINT64_MAX};
  std::vector<uint64_t> uppers(queries.size());

  search.Upper(queries, uppers);

  EXPECT_THAT(uppers, ElementsAre(0, 1, 1, 2, 2, 2, 3));
}

TEST(WordSearch, FindsNothingAmongNoWords) {
  EXPECT_EQ(WordSearch<uint64_t>().Upper(7), 0U);
  EXPECT_EQ(WordSearch<uint64_t>(std::span<const uint64_t>()).Upper(UINT64_MAX), 0U);
}

TEST(BytesSearch, ComparesWithTheCommonPrefix) {
  const BytesSearch search(Compared({"http://a", "http://b", "http://c"}));

  EXPECT_THAT(
      Uppers(search, {"", "http", "http://", "http://a", "http://aa", "http://c", "z", "a"}),
      ElementsAre(0, 0, 0, 1, 1, 3, 3, 0));
}

TEST(BytesSearch, TellsTrailingZerosApart) {
  using std::string_literals::operator""s;
  const BytesSearch search(Compared(
      {"a", "a\0"s, "a\0\0"s, "a\0\0\0\0\0\0\0\0"s, "a\0\0\0\0\0\0\0\0x"s, "a\0\0\0\0\0\0\0\0y"s}));

  EXPECT_THAT(Uppers(search, {"a", "a\0"s, "a\0\0\0"s, "a\0\0\0\0\0\0\0\0"s, "a\0\0\0\0\0\0\0\0xx"s,
                              "a\x01"}),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(BytesSearch, GoesDownAsManyStridesAsItNeeds) {
  std::vector<std::string> texts;
  for (char tail = 'a'; tail < 'k'; ++tail) texts.push_back(std::string(40, 'x') + "/" + tail);
  texts.push_back(std::string(40, 'y'));
  const BytesSearch search(Compared(texts));

  EXPECT_THAT(Uppers(search, {std::string(40, 'x'), std::string(40, 'x') + "/c",
                              std::string(40, 'x') + "/c0", std::string(41, 'x'), "xxxxxxxx", "y"}),
              ElementsAre(0, 3, 3, 10, 0, 10));
}

TEST(BytesSearch, PutsACutValueAfterItsPrefix) {
  const BytesSearch search({{"aa", false}, {"aa", true}, {"ab", false}});

  EXPECT_EQ(search.Upper("aa", false), 1U);
  EXPECT_EQ(search.Upper("aa", true), 2U);
  EXPECT_EQ(search.Upper("ab", true), 3U);
}

TEST(RankLookup, CountsDuplicatesOfTheSample) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto encoding,
                             MakeValueEncoding(kTypedV2, *arrow::uint8(), "k"));
  const std::vector<std::string> samples{"\x01\x0a", "\x01\x14", "\x01\x14", "\x01\x14",
                                         "\x01\x1e"};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto lookup, RankLookup::Make(encoding, samples, 16));
  const auto queries =
      arrow::json::ArrayFromJSONString(arrow::uint8(), "[0, 10, 19, 20, 29, 30, 255]").ValueOrDie();
  std::vector<uint64_t> coordinates(7);

  lookup.Coordinates(*queries, 0, coordinates);

  EXPECT_THAT(coordinates, ElementsAre(0, 0, 0, 49150, 49150, 65534, 65534));
}

TEST(RankLookup, RefusesValuesOutOfOrder) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto numbers, MakeValueEncoding(kTypedV2, *arrow::uint8(), "k"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto texts, MakeValueEncoding(kTypedV2, *arrow::utf8(), "k"));
  const std::string a("\x02\x61\0\0\0\0\0\0\0\x01", 10);

  EXPECT_THAT(RankLookup::Make(numbers, std::vector<std::string>{"\x01\x02", "\x01\x01"}, 16),
              IsSerializationError(HasSubstr("not in ascending order")));
  EXPECT_THAT(RankLookup::Make(texts, std::vector<std::string>{a, "\x01"}, 16),
              IsSerializationError(HasSubstr("not in ascending order")));
}

TEST(RankLookup, RefusesMalformedValues) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto wide,
                             MakeValueEncoding(kTypedV2, *arrow::decimal128(9, 0), "k"));
  EXPECT_THAT(RankLookup::Make(wide, std::vector<std::string>{"\x01\x02"}, 16),
              IsSerializationError(HasSubstr("has another size")));
}

}  // namespace
}  // namespace lance::clustering
