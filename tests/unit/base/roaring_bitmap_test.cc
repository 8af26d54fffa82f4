#include "lance/base/roaring_bitmap.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// "3a30 0000" as bytes; spaces are for reading.
std::string FromHex(std::string_view hex) {
  std::string digits;
  for (const char c : hex) {
    if (c != ' ') digits.push_back(c);
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

arrow::Result<RoaringBitmap> Parse(const std::string& bytes) {
  return RoaringBitmap::Parse(AsBytes(bytes), "fragment_bitmap");
}

struct PublishedCase {
  std::string name;
  std::string hex;
  std::vector<uint32_t> values;
};

class RoaringBitmapPublishedTest : public ::testing::TestWithParam<PublishedCase> {};

TEST_P(RoaringBitmapPublishedTest, ReadsTheBytes) {
  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap bitmap, Parse(FromHex(GetParam().hex)));

  EXPECT_EQ(bitmap.ToVector(), GetParam().values);
  EXPECT_EQ(bitmap, RoaringBitmap(GetParam().values));
}

// zonemap-and-indices 1.3, table-format 7.4
INSTANTIATE_TEST_SUITE_P(
    All, RoaringBitmapPublishedTest,
    ::testing::ValuesIn<PublishedCase>({
        {"Empty", "3a300000 00000000", {}},
        {"Zero", "3a300000 01000000 0000 0000 10000000 0000", {0}},
        {"Two", "3a300000 01000000 0000 0000 10000000 0200", {2}},
        {"ZeroOneTwo", "3a300000 01000000 0000 0200 10000000 0000 0100 0200", {0, 1, 2}},
        {"SixSeven", "3a300000 01000000 0000 0100 10000000 0600 0700", {6, 7}},
        {"ThreeToSixAsRun", "3b300000 01 0000 0300 0100 0300 0300", {3, 4, 5, 6}},
        {"ZeroToThreeAsRun", "3b300000 01 0000 0300 0100 0000 0300", {0, 1, 2, 3}},
        {"ZeroToThirteenAsRun",
         "3b300000 01 0000 0d00 0100 0000 0d00",
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
        {"TwoContainers",
         "3a300000 02000000 0000 0000 0100 0000 18000000 1a000000 ffff 0000",
         {65535, 65536}},
    }),
    [](const auto& param) { return param.param.name; });

TEST(RoaringBitmap, SerializesWithoutRunContainers) {
  RoaringBitmap four;
  four.AddRange(0, 4);

  EXPECT_EQ(RoaringBitmap().Serialize(), FromHex("3a300000 00000000"));
  EXPECT_EQ(RoaringBitmap({0, 1}).Serialize(),
            FromHex("3a300000 01000000 0000 0100 10000000 0000 0100"));
  EXPECT_EQ(four.Serialize(), FromHex("3a300000 01000000 0000 0300 10000000 0000 0100 0200 0300"));
}

TEST(RoaringBitmap, SerializesManyValuesAsABitset) {
  RoaringBitmap bitmap;
  bitmap.AddRange(0, 4097);

  const std::string bytes = bitmap.Serialize();

  EXPECT_EQ(bytes.substr(0, 16), FromHex("3a300000 01000000 0000 0010 10000000"));
  EXPECT_EQ(bytes.size(), 16u + 8192u);
  EXPECT_EQ(bytes.substr(16, 512), std::string(512, '\xff'));
  EXPECT_EQ(bytes.substr(16 + 512, 2), std::string("\x01\x00", 2));
}

TEST(RoaringBitmap, ReadsFourRunContainersWithOffsetsAndThreeWithout) {
  const std::string three = FromHex(
      "3b300200 07 0000 0100 0100 0100 0200 0100"
      "0100 0000 0100 0100 0000 0100 0100 0000 0100");
  const std::string four = FromHex(
      "3b300300 0f 0000 0100 0100 0100 0200 0100 0300 0100"
      "25000000 2b000000 31000000 37000000"
      "0100 0000 0100 0100 0000 0100 0100 0000 0100 0100 0000 0100");

  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap from_three, Parse(three));
  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap from_four, Parse(four));

  EXPECT_THAT(from_three.ToVector(), ElementsAre(0, 1, 65536, 65537, 131072, 131073));
  EXPECT_THAT(from_four.ToVector(),
              ElementsAre(0, 1, 65536, 65537, 131072, 131073, 196608, 196609));
}

TEST(RoaringBitmap, ReadsARunToTheLastValue) {
  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap bitmap,
                             Parse(FromHex("3b300000 01 ffff 0100 0100 feff 0100")));

  EXPECT_THAT(bitmap.ToVector(), ElementsAre(0xfffffffe, 0xffffffff));
}

struct CorruptBitmapCase {
  std::string name;
  std::string bytes;
  std::string expected;  // part of the message
};

class RoaringBitmapCorruptTest : public ::testing::TestWithParam<CorruptBitmapCase> {};

TEST_P(RoaringBitmapCorruptTest, IsRefusedNamingTheField) {
  EXPECT_THAT(Parse(GetParam().bytes),
              IsSerializationError(HasSubstr("fragment_bitmap." + GetParam().expected)));
}

std::string Bitset(std::string_view descriptor, size_t num_bytes_set) {
  return FromHex("3a300000 01000000") + FromHex(descriptor) + FromHex("10000000") +
         std::string(num_bytes_set, '\xff') + std::string(8192 - num_bytes_set, '\0');
}

INSTANTIATE_TEST_SUITE_P(
    All, RoaringBitmapCorruptTest,
    ::testing::ValuesIn<CorruptBitmapCase>({
        {"Nothing", "", "cookie at byte 0: needs 4 bytes"},
        {"ShortCookie", FromHex("3a3000"), "cookie at byte 0: needs 4 bytes"},
        {"OtherCookie", FromHex("3c300000 00000000"), "cookie at byte 0: is 12348"},
        {"CookieWithHighBits", FromHex("3a300100 00000000"), "cookie at byte 0: is 77882"},
        {"NoCount", FromHex("3a300000"), "num_containers at byte 4"},
        {"HugeCount", FromHex("3a300000 ffffffff"), "num_containers at byte 4: is 4294967295"},
        {"CountAboveKeys", FromHex("3a300000 01000100"), "num_containers at byte 4: is 65537"},
        {"NoDescriptors", FromHex("3a300000 00000100"), "descriptors at byte 8: needs 262144"},
        {"NoOffsets", FromHex("3a300000 01000000 0000 0000"), "offsets at byte 12"},
        {"NoArray", FromHex("3a300000 01000000 0000 0000 10000000"), "array at byte 16"},
        {"ShortArray", FromHex("3a300000 01000000 0000 0100 10000000 0000"),
         "array at byte 16: needs 4 bytes, 2 are left"},
        {"LeftOver", FromHex("3a300000 01000000 0000 0000 10000000 0000 00"), "end at byte 18"},
        {"LeftOverAfterNothing", FromHex("3a300000 00000000 00"), "end at byte 8"},
        {"WrongOffset", FromHex("3a300000 01000000 0000 0000 11000000 0000"),
         "offsets at byte 12: container 0 is said to be at byte 17, it is at byte 16"},
        {"EqualKeys", FromHex("3a300000 02000000 0500 0000 0500 0000 18000000 1a000000 0000 0000"),
         "descriptors at byte 8: key 5 of container 1"},
        {"FallingKeys",
         FromHex("3a300000 02000000 0600 0000 0500 0000 18000000 1a000000 0000 0000"),
         "descriptors at byte 8: key 5 of container 1 is not above its predecessor 6"},
        {"EqualValues", FromHex("3a300000 01000000 0000 0100 10000000 0700 0700"),
         "array at byte 16: value 7 of container 0"},
        {"FallingValues", FromHex("3a300000 01000000 0000 0100 10000000 0700 0600"),
         "array at byte 16: value 6 of container 0 is not above its predecessor 7"},
        {"ShortBitset", Bitset("0000 0010", 512).substr(0, 8000), "bitset at byte 16"},
        {"BitsetWithTooFew", Bitset("0000 0010", 512),
         "bitset at byte 16: container 0 holds 4096 values, its descriptor says 4097"},
        {"BitsetWithTooMany", Bitset("0000 0010", 8192),
         "bitset at byte 16: container 0 holds 65536 values"},
        {"NoRunFlags", FromHex("3b300000"), "run_flags at byte 4"},
        {"ShortRunFlags", FromHex("3b300800 ff"), "run_flags at byte 4: needs 2 bytes"},
        {"NoRunCount", FromHex("3b300000 01 0000 0000"), "num_runs at byte 9"},
        {"NoRuns", FromHex("3b300000 01 0000 0000 0100"), "runs at byte 11"},
        {"ZeroRuns", FromHex("3b300000 01 0000 0000 0000"),
         "runs at byte 11: container 0 holds 0 values, its descriptor says 1"},
        {"RunPastTheEnd", FromHex("3b300000 01 0000 0100 0100 ffff 0100"),
         "runs at byte 11: run of container 0 starts at 65535 and has length 2"},
        {"OverlappingRuns", FromHex("3b300000 01 0000 0700 0200 0000 0300 0300 0300"),
         "runs at byte 11: run of container 0 starts at 3, its predecessor ends at 4"},
        {"TouchingRuns", FromHex("3b300000 01 0000 0700 0200 0000 0300 0400 0300"),
         "runs at byte 11: run of container 0 starts at 4, its predecessor ends at 4"},
        {"FallingRuns", FromHex("3b300000 01 0000 0300 0200 0800 0100 0000 0100"),
         "runs at byte 11: run of container 0 starts at 0"},
        {"RunsWithWrongCardinality", FromHex("3b300000 01 0000 0400 0100 0000 0300"),
         "runs at byte 11: container 0 holds 4 values, its descriptor says 5"},
    }),
    [](const auto& param) { return param.param.name; });

TEST(RoaringBitmap, RefusesEveryTruncation) {
  const std::string bytes = RoaringBitmap({1, 2, 70000, 200000, 200001}).Serialize();
  ASSERT_THAT(Parse(bytes), IsOk());

  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(Parse(bytes.substr(0, size)), IsSerializationError()) << size;
  }
}

TEST(RoaringBitmap, ReadsUnalignedBytes) {
  const std::string shifted = "x" + RoaringBitmap({1, 70000}).Serialize();

  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap bitmap,
                             RoaringBitmap::Parse(AsBytes(shifted).subspan(1), "bitmap"));

  EXPECT_THAT(bitmap.ToVector(), ElementsAre(1, 70000));
}

TEST(RoaringBitmap, AddRangeTakesTheWholeDomainAndNothing) {
  RoaringBitmap bitmap;
  bitmap.AddRange(5, 5);
  bitmap.AddRange(9, 3);
  EXPECT_TRUE(bitmap.empty());

  bitmap.AddRange(0, uint64_t{1} << 32);

  EXPECT_EQ(bitmap.size(), uint64_t{1} << 32);
  EXPECT_TRUE(bitmap.Contains(UINT32_MAX));
}

TEST(RoaringBitmap, CopiesAreDeep) {
  RoaringBitmap first({1, 2});
  RoaringBitmap second(first);
  RoaringBitmap third;
  third = first;

  first.Add(3);
  second.Remove(1);

  EXPECT_THAT(first.ToVector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(second.ToVector(), ElementsAre(2));
  EXPECT_THAT(third.ToVector(), ElementsAre(1, 2));
}

TEST(RoaringBitmap, MovedFromCanBeAssigned) {
  RoaringBitmap first({1});
  RoaringBitmap second(std::move(first));

  first = RoaringBitmap({7});
  second = second;

  EXPECT_THAT(first.ToVector(), ElementsAre(7));
  EXPECT_THAT(second.ToVector(), ElementsAre(1));
}

using Set = std::set<uint32_t>;

std::vector<uint32_t> Sorted(const Set& set) { return {set.begin(), set.end()}; }

/// A set with sparse, dense and run-like parts, in few containers so that two sets overlap.
void FillRandomly(SeededRandom* random, RoaringBitmap* bitmap, Set* set) {
  const uint64_t num_steps = random->Below(6);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const uint64_t base = random->Below(3) << 16;
    if (random->OneIn(2)) {
      const uint64_t begin = base + random->Below(60000);
      const uint64_t end = begin + random->Below(9000);
      bitmap->AddRange(begin, end);
      for (uint64_t value = begin; value < end; ++value) set->insert(static_cast<uint32_t>(value));
    }
    const uint64_t num_values = random->OneIn(3) ? 5000 : 50;
    for (uint64_t i = 0; i < num_values; ++i) {
      const auto value = static_cast<uint32_t>(base + random->Below(65536));
      if (random->OneIn(4)) {
        bitmap->Remove(value);
        set->erase(value);
      } else {
        bitmap->Add(value);
        set->insert(value);
      }
    }
  }
}

TEST(RoaringBitmap, AgreesWithStdSetOnRandomSets) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(40); ++round) {
    RoaringBitmap lhs, rhs;
    Set lhs_set, rhs_set;
    FillRandomly(&random, &lhs, &lhs_set);
    FillRandomly(&random, &rhs, &rhs_set);
    Set joined = lhs_set, common, rest;
    joined.insert(rhs_set.begin(), rhs_set.end());
    for (const uint32_t value : lhs_set) (rhs_set.count(value) ? common : rest).insert(value);

    RoaringBitmap either = lhs, both = lhs, difference = lhs;
    either |= rhs;
    both &= rhs;
    difference -= rhs;

    ASSERT_EQ(lhs.ToVector(), Sorted(lhs_set));
    ASSERT_EQ(lhs.size(), lhs_set.size());
    ASSERT_EQ(either.ToVector(), Sorted(joined));
    ASSERT_EQ(both.ToVector(), Sorted(common));
    ASSERT_EQ(difference.ToVector(), Sorted(rest));
    ASSERT_EQ(lhs.Intersects(rhs), !common.empty());
    for (const RoaringBitmap* bitmap : {&lhs, &either, &both, &difference}) {
      LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap back, Parse(bitmap->Serialize()));
      ASSERT_TRUE(back == *bitmap);
      // One set has one serialized form, however it came about.
      ASSERT_EQ(bitmap->Serialize(), RoaringBitmap(bitmap->ToVector()).Serialize());
    }
  }
}

TEST(RoaringBitmap, AnyBytesAreRefusedOrMakeAUsableSet) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  const std::string seeds[] = {
      RoaringBitmap({1, 2, 70000, 200000}).Serialize(),
      FromHex("3b300300 0f 0000 0100 0100 0100 0200 0100 0300 0100"
              "25000000 2b000000 31000000 37000000"
              "0100 0000 0100 0100 0000 0100 0100 0000 0100 0100 0000 0100"),
  };
  for (int round = 0; round < NumRounds(20000); ++round) {
    std::string bytes = seeds[random.Below(2)];
    for (uint64_t change = random.Below(3); change < 3; ++change) {
      bytes[random.Below(bytes.size())] =
          static_cast<char>(random.OneIn(2) ? random.Below(4) : random.Next());
    }

    const auto bitmap = Parse(bytes);
    if (!bitmap.ok()) {
      ASSERT_THAT(bitmap, IsSerializationError());
      continue;
    }

    const std::vector<uint32_t> values = bitmap->ToVector();
    ASSERT_EQ(values.size(), bitmap->size());
    ASSERT_TRUE(std::is_sorted(values.begin(), values.end()));
    ASSERT_TRUE(*bitmap == RoaringBitmap(values));
  }
}

}  // namespace
}  // namespace lance
