#include "lance/format/pages/mini_block_chunk.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

std::string Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(MiniBlockChunk, HasItsPartsInOrder) {
  const std::string bytes = Bytes({3, 0, 2, 0, 3, 0, 1, 0, 9, 0}) + std::string(6, '\xFE') + "re" +
                            std::string(6, '\xFE') + "def" + std::string(5, '\xFE') + "v" +
                            std::string(7, '\xFE') + "ninebytes" + std::string(7, '\xFE');
  MiniBlockChunk chunk;

  ASSERT_THAT(ParseMiniBlockChunk(AsBytes(bytes),
                                  {.has_rep = true, .has_def = true, .num_buffers = 2}, &chunk),
              IsOk());
  EXPECT_EQ(chunk.claimed_num_levels, 3);
  EXPECT_EQ(Text(chunk.rep), "re");
  EXPECT_EQ(Text(chunk.def), "def");
  ASSERT_EQ(chunk.buffers.size(), 2u);
  EXPECT_EQ(Text(chunk.buffers[0]), "v");
  EXPECT_EQ(Text(chunk.buffers[1]), "ninebytes");
}

TEST(MiniBlockChunk, WithoutLevelsHasNoSizesOfThem) {
  const std::string bytes = Bytes({0, 0, 2, 0, 0, 0, 0, 0}) + "ab" + std::string(6, '\xFE');
  MiniBlockChunk chunk;

  ASSERT_THAT(ParseMiniBlockChunk(AsBytes(bytes), {.num_buffers = 1}, &chunk), IsOk());
  EXPECT_EQ(Text(chunk.buffers[0]), "ab");
  EXPECT_TRUE(chunk.rep.empty());
}

TEST(MiniBlockChunk, OfLargeChunksHasSizesOf32Bits) {
  const std::string bytes =
      Bytes({4, 0, 2, 0, 0x10, 0, 1, 0}) + "de" + std::string(6, '\xFE') + std::string(65552, 'v');
  MiniBlockChunk chunk;

  ASSERT_THAT(
      ParseMiniBlockChunk(AsBytes(bytes),
                          {.has_def = true, .num_buffers = 1, .has_large_chunks = true}, &chunk),
      IsOk());
  EXPECT_EQ(Text(chunk.def), "de");
  EXPECT_EQ(chunk.buffers[0].size(), 65552u);
}

struct BrokenChunkCase {
  std::string name;
  std::string bytes;
  std::string expected;
};

class BrokenChunkTest : public ::testing::TestWithParam<BrokenChunkCase> {};

TEST_P(BrokenChunkTest, IsRefused) {
  const auto& c = GetParam();
  MiniBlockChunk chunk;
  EXPECT_THAT(ParseMiniBlockChunk(AsBytes(c.bytes), {.has_def = true, .num_buffers = 1}, &chunk),
              IsSerializationError(HasSubstr(c.expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenChunkTest,
    ::testing::ValuesIn<BrokenChunkCase>({
        {"Empty", "", "num_levels"},
        {"NoSizes", Bytes({1, 0, 2, 0}), "value_size"},
        {"NoPadding", Bytes({1, 0, 2, 0, 2, 0}), "padding"},
        {"LevelsBehindTheEnd", Bytes({1, 0, 9, 0, 2, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}),
         "definition levels"},
        {"ValuesBehindTheEnd", Bytes({1, 0, 2, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) + "values12",
         "needs 9 bytes, 8 are left"},
        {"ValuesWithoutPadding", Bytes({1, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) + "ab",
         "padding"},
    }),
    [](const auto& test) { return test.param.name; });

/// Two runs of level 1 and 0.
std::string Runs(int first, int second) {
  return Bytes({4, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, first, second});
}

TEST(RleLevels, AreAsManyAsTheirRunsSay) {
  const auto count = CountRleLevels(AsBytes(Runs(200, 100)), 300);

  ASSERT_THAT(count, IsOk());
  EXPECT_EQ(*count, 300u);
}

TEST(RleLevels, MayBeMoreThanTheirCountCanSay) {
  std::string block = Numbers<uint64_t>({600}) + std::string(600, '\0') + std::string(300, '\xFF');

  const auto count = CountRleLevels(AsBytes(block), 76500 - 65536);

  ASSERT_THAT(count, IsOk());
  EXPECT_EQ(*count, 76500u);
}

TEST(RleLevels, OfAnotherCountAreRefused) {
  EXPECT_THAT(CountRleLevels(AsBytes(Runs(200, 100)), 301),
              IsSerializationError(HasSubstr("the runs have 300 levels, the chunk says 301")));
}

TEST(RleLevels, BeyondAnyReaderAreRefused) {
  // 25 700 runs of 255: 6 553 500, which is -100 modulo 2^16.
  const std::string block = Numbers<uint64_t>({0}) + std::string(25700, '\xFF');

  EXPECT_THAT(CountRleLevels(AsBytes(block), 65436), IsSerializationError(HasSubstr("6553500")));
}

TEST(RleLevels, WhoseValuesLieBehindTheBlockAreRefused) {
  EXPECT_THAT(CountRleLevels(AsBytes(Numbers<uint64_t>({1})), 0), IsSerializationError());
}

}  // namespace
}  // namespace lance::format
