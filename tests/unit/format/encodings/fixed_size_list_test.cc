#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/testing/matchers.h"
#include "samples.h"

namespace lance::format {
namespace {

using ::lance::testing::HasStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kCorrupt = arrow::StatusCode::SerializationError;

ValueShape Lists(uint32_t bits, std::vector<uint32_t> dimensions) {
  return {.bits_per_value = bits, .dimensions = std::move(dimensions)};
}

TEST(FixedSizeListDecoder, ReadsChunksWithoutItemValidity) {
  const auto ints =
      DecodeMini(ListOf(3, Flat(16)), Lists(16, {3}), {Integers<int16_t>({1, 2, 3, 4, 5, 6})}, 2);
  const auto bools = DecodeMini(ListOf(5, Flat(1)), Lists(1, {5}), {PackedDigits("1010011100")}, 2);

  ASSERT_TRUE(ints.ok()) << ints.status();
  EXPECT_EQ(ints->num_values, 2u);
  EXPECT_THAT(IntegersOf<int16_t>(ints->bytes), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_TRUE(ints->item_validity.empty());
  ASSERT_TRUE(bools.ok()) << bools.status();
  EXPECT_EQ(Digits(bools->bytes, 10), "1010011100");
}

TEST(FixedSizeListDecoder, ReadsChunksWithValidityOfSomeLevels) {
  const pb::CompressiveEncoding outer_only = ListOf(2, ListOf(2, Flat(8)), true);
  const pb::CompressiveEncoding both = ListOf(2, ListOf(2, Flat(8), true), true);

  const auto outer =
      DecodeMini(outer_only, Lists(8, {2, 2}), {PackedDigits("1011"), "abcdefgh"}, 2);
  const auto all = DecodeMini(both, Lists(8, {2, 2}),
                              {PackedDigits("0111"), PackedDigits("11010111"), "abcdefgh"}, 2);

  ASSERT_TRUE(outer.ok()) << outer.status();
  EXPECT_EQ(Digits(outer->item_validity.at(0), 4), "1011");
  EXPECT_EQ(Digits(outer->item_validity.at(1), 8), "11111111");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(Digits(all->item_validity.at(0), 4), "0111");
  EXPECT_EQ(Digits(all->item_validity.at(1), 8), "11010111");
  EXPECT_EQ(Text(all->bytes), "abcdefgh");
}

TEST(FixedSizeListDecoder, JoinsChunksWithAndWithoutValidity) {
  const ValueShape shape = Lists(8, {3});
  const auto with = MakeMiniBlockDecoder(ListOf(3, Flat(8), true), shape);
  const auto without = MakeMiniBlockDecoder(ListOf(3, Flat(8)), shape);
  ASSERT_TRUE(with.ok() && without.ok());
  const std::vector<std::string> plain = {"abc"};
  const std::vector<std::string> with_nulls = {PackedDigits("010"), "def"};
  ValueBuffer out(shape, nullptr);

  ASSERT_TRUE((*without)->Decode(Views(plain), 1, &out).ok());
  ASSERT_TRUE((*with)->Decode(Views(with_nulls), 1, &out).ok());
  ASSERT_TRUE((*without)->Decode(Views(plain), 1, &out).ok());

  EXPECT_EQ(Text(out.bytes), "abcdefabc");
  EXPECT_EQ(Digits(out.item_validity.at(0), 9), "111010111");
}

TEST(FixedSizeListDecoder, ReadsListsThatAreStoredOneByOne) {
  const std::string first = PackedDigits("101") + "abc";
  const std::string second = PackedDigits("111") + "def";

  const auto plain = DecodeValues(ListOf(3, Flat(8)), Lists(8, {3}), {"abc", kNoBytes, "def"});
  const auto nullable =
      DecodeValues(ListOf(3, Flat(8), true), Lists(8, {3}), {first, kNoBytes, second});
  const auto bools = DecodeValues(ListOf(10, Flat(1)), Lists(1, {10}),
                                  {PackedDigits("1100110011"), PackedDigits("0000000001")});

  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(Text(plain->bytes), std::string("abc\0\0\0def", 9));
  EXPECT_TRUE(plain->item_validity.empty());
  ASSERT_TRUE(nullable.ok()) << nullable.status();
  EXPECT_EQ(Text(nullable->bytes), std::string("abc\0\0\0def", 9));
  EXPECT_EQ(Digits(nullable->item_validity.at(0), 9), "101111111");
  ASSERT_TRUE(bools.ok()) << bools.status();
  EXPECT_EQ(Digits(bools->bytes, 20), "11001100110000000001");
}

TEST(FixedSizeListDecoder, ReadsNestedListsThatAreStoredOneByOne) {
  const pb::CompressiveEncoding encoding = ListOf(2, ListOf(5, Flat(8), true), true);
  const std::string value = PackedDigits("01") + PackedDigits("1111101010") + "abcdefghij";

  const auto decoded = DecodeValues(encoding, Lists(8, {2, 5}), {value, value});

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->bytes), "abcdefghijabcdefghij");
  EXPECT_EQ(Digits(decoded->item_validity.at(0), 4), "0101");
  EXPECT_EQ(Digits(decoded->item_validity.at(1), 20), "11111010101111101010");
}

TEST(FixedSizeListDecoder, TellsTheBitsOfAStoredValue) {  // file-format 9.5
  const auto bits = [](const pb::CompressiveEncoding& encoding, const ValueShape& shape) {
    return (*MakePerValueDecoder(encoding, shape))->stored_bits();
  };
  EXPECT_EQ(bits(ListOf(128, Flat(32)), Lists(32, {128})), 4096u);
  EXPECT_EQ(bits(ListOf(128, Flat(32), true), Lists(32, {128})), 4224u);
  EXPECT_EQ(bits(ListOf(100, Flat(32), true), Lists(32, {100})), 3304u);
  EXPECT_EQ(bits(ListOf(4, Constant(), true), Lists(32, {4})), 8u);
  EXPECT_EQ(bits(ListOf(128, Constant(), true), Lists(32, {128})), 128u);
  EXPECT_EQ(bits(ListOf(2, ListOf(5, Flat(8), true), true), Lists(8, {2, 5})), 104u);
}

TEST(FixedSizeListDecoder, ReadsListsWhoseItemsAreAllNull) {
  const std::string nulls(2, '\0');
  const pb::CompressiveEncoding encoding = ListOf(12, Constant(), true);

  const auto chunk = DecodeMini(encoding, Lists(32, {12}), {std::string(3, '\0')}, 2);
  const auto values = DecodeValues(encoding, Lists(32, {12}), {nulls, nulls});
  const auto bools = DecodeValues(encoding, Lists(1, {12}), {nulls, nulls});

  for (const auto* decoded : {&chunk, &values}) {
    ASSERT_TRUE(decoded->ok()) << decoded->status();
    EXPECT_EQ(Text((*decoded)->bytes), std::string(96, '\0'));
    EXPECT_EQ(Digits((*decoded)->item_validity.at(0), 24), std::string(24, '0'));
  }
  ASSERT_TRUE(bools.ok()) << bools.status();
  EXPECT_EQ(Digits(bools->bytes, 24), std::string(24, '0'));
}

TEST(FixedSizeListDecoder, RefusesValidItemsWhereThereAreNone) {
  const pb::CompressiveEncoding encoding = ListOf(12, Constant(), true);

  EXPECT_THAT(DecodeMini(encoding, Lists(32, {12}), {Bytes({0, 16, 0})}, 2),
              HasStatus(kCorrupt, HasSubstr("1 items are valid")));
  EXPECT_THAT(DecodeValues(encoding, Lists(32, {12}), {Bytes({0, 8})}),
              HasStatus(kCorrupt, HasSubstr("1 items are valid")));
  EXPECT_TRUE(DecodeValues(encoding, Lists(32, {12}), {Bytes({0, 240})}).ok());  // behind the end
}

struct MalformedListCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  ValueShape shape;
  std::string expected;
};

class MalformedListTest : public ::testing::TestWithParam<MalformedListCase> {};

TEST_P(MalformedListTest, IsRefusedNamingTheFault) {
  const auto& [name, encoding, shape, expected] = GetParam();

  EXPECT_THAT(MakeMiniBlockDecoder(encoding, shape), HasStatus(kCorrupt, HasSubstr(expected)));
  EXPECT_THAT(MakePerValueDecoder(encoding, shape), HasStatus(kCorrupt, HasSubstr(expected)));
}

pb::CompressiveEncoding ConstantWithValue() {
  pb::CompressiveEncoding encoding;
  encoding.mutable_constant()->set_value("x");
  return encoding;
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedListTest,
    ::testing::ValuesIn<MalformedListCase>({
        {"ForIntegers", ListOf(3, Flat(8)), Single(8), "the column needs 8 bits"},
        {"FlatForLists", Flat(8), Lists(8, {1}), "the column needs fixed-size lists"},
        {"OtherDimension", ListOf(3, Flat(8)), Lists(8, {4}), "is 3, the column needs 4"},
        {"OtherInnerDimension", ListOf(3, ListOf(2, Flat(8))), Lists(8, {3, 3}),
         "is 2, the column needs 3"},
        {"OtherWidth", ListOf(3, Flat(16)), Lists(8, {3}), "values of 16 bits"},
        {"TooShallow", ListOf(3, Flat(8)), Lists(8, {3, 2}), "encoding is Flat; allowed: Fixed"},
        {"TooDeep", ListOf(3, ListOf(2, Flat(8))), Lists(8, {3}), "encoding is FixedSizeList"},
        {"ConstantWithoutValidity", ListOf(3, Constant()), Lists(8, {3}), "encoding is Constant"},
        {"ConstantWithValue", ListOf(3, ConstantWithValue(), true), Lists(8, {3}),
         "encoding is Constant"},
        {"Packed", ListOf(3, Inline(8)), Lists(8, {3}), "encoding is InlineBitpacking"},
    }),
    [](const auto& test) { return test.param.name; });

struct CorruptListCase {
  std::string name;
  std::vector<std::string> buffers;
  uint64_t num_values;
  std::string expected;
};

class CorruptListTest : public ::testing::TestWithParam<CorruptListCase> {};

TEST_P(CorruptListTest, IsRefusedNamingTheFault) {
  EXPECT_THAT(DecodeMini(ListOf(3, Flat(8), true), Lists(8, {3}), GetParam().buffers,
                         GetParam().num_values),
              HasStatus(kCorrupt, HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptListTest,
    ::testing::ValuesIn<CorruptListCase>({
        {"ShortItems", {"\x07", "ab"}, 1, "buffer has 2 bytes, 3 values of 8 bits need 3"},
        {"LongItems", {"\x07", "abcd"}, 1, "buffer has 4 bytes"},
        {"NoValidity", {"", "abc"}, 1, "validity has 0 bytes, 3 items need 1"},
        {"LongValidity", {"ab", "abc"}, 1, "validity has 2 bytes, 3 items need 1"},
        {"HugeCount", {"\x07", "abc"}, ~uint64_t{0}, "FixedSizeList: items"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FixedSizeListDecoder, RefusesStoredValuesOfAnotherSize) {
  EXPECT_THAT(DecodeValues(ListOf(3, Flat(8)), Lists(8, {3}), {"abc", "ab"}),
              HasStatus(kCorrupt, HasSubstr("value 1 has 2 bytes, allowed 3")));
}

TEST(FixedSizeListDecoder, RefusesToExpandBitsIntoGigabytes) {
  const ValueShape shape = Lists(8 << 20, {64});
  const std::string nulls(8, '\0');

  EXPECT_THAT(DecodeMini(ListOf(64, Constant(), true), shape, {std::string(80, '\0')}, 10),
              HasStatus(arrow::StatusCode::CapacityError));
  EXPECT_THAT(DecodeValues(ListOf(64, Constant(), true), shape, {nulls, nulls, nulls}),
              HasStatus(arrow::StatusCode::CapacityError));
}

}  // namespace
}  // namespace lance::format
