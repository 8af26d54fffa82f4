#include "lance/format/encodings/value_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/testing/matchers.h"
#include "value_samples.h"

namespace lance::format {
namespace {

using ::lance::testing::HasStatus;
using ::lance::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An empty buffer of the same shape.
ValueBuffer EmptyLike(const ValueBuffer& values) {
  ValueBuffer empty(nullptr);
  empty.bits_per_value = values.bits_per_value;
  empty.offset_bits = values.offset_bits;
  empty.items_per_value = values.items_per_value;
  empty.level_items = values.level_items;
  for (const ValueBuffer& member : values.members) empty.members.push_back(EmptyLike(member));
  return empty;
}

/// Vectors of two int8 whose items have this validity.
ValueBuffer Vectors(const std::vector<int8_t>& items, std::string_view validity) {
  ValueBuffer values = FixedValues<int8_t>(items, {2});
  if (!validity.empty()) {
    values.item_validity.emplace_back();
    values.item_validity[0].Append(AsBytes(PackedDigits(validity)));
  }
  return values;
}

std::string ValidityOf(const ValueBuffer& values, size_t level = 0) {
  return Digits(values.item_validity.at(level), values.num_values * values.level_items.at(level));
}

TEST(AppendBits, JoinsRangesThatStartInsideBytes) {
  ByteBuffer out;
  const std::string bits = PackedDigits("1011001110001111");

  AppendBits(AsBytes(bits).data(), 0, 16, 0, &out);
  AppendBits(AsBytes(bits).data(), 3, 7, 16, &out);
  AppendBits(AsBytes(bits).data(), 8, 8, 23, &out);
  AppendSameBits(false, 3, 31, &out);
  AppendSameBits(true, 12, 34, &out);

  EXPECT_EQ(Digits(out, 46),
            "1011001110001111"
            "1001110"
            "10001111"
            "000"
            "111111111111");
  EXPECT_EQ(out.size(), 6u);
}

TEST(AppendValues, CopiesRangesOfEveryKind) {
  const ValueBuffer ints = FixedValues<int32_t>({1, 2, 3, 4});
  const ValueBuffer bools = BoolValues("01101");
  const ValueBuffer texts = VariableValues({"a", "", "ccc", "dd"});
  ValueBuffer some_ints = EmptyLike(ints);
  ValueBuffer some_bools = EmptyLike(bools);
  ValueBuffer some_texts = EmptyLike(texts);

  for (int i = 0; i < 2; ++i) {
    ASSERT_THAT(AppendValues(ints, 1, 2, &some_ints), IsOk());
    ASSERT_THAT(AppendValues(bools, 2, 3, &some_bools), IsOk());
    ASSERT_THAT(AppendValues(texts, 1, 3, &some_texts), IsOk());
  }

  EXPECT_THAT(IntegersOf<int32_t>(some_ints.bytes), ElementsAre(2, 3, 2, 3));
  EXPECT_EQ(some_ints.num_values, 4u);
  EXPECT_EQ(Digits(some_bools.bytes, 6), "101101");
  EXPECT_THAT(Strings(some_texts), ElementsAre("", "ccc", "dd", "", "ccc", "dd"));
  EXPECT_THAT(IntegersOf<uint32_t>(some_texts.offsets), ElementsAre(0, 0, 3, 5, 5, 8, 10));
}

TEST(AppendValues, CopiesMembersOfPackedStructs) {
  ValueBuffer rows(ValueShape{.members = {ShapeOf<int16_t>(), ValueShape{.offset_bits = 64}}},
                   nullptr);
  rows.members[0] = FixedValues<int16_t>({1, 2, 3});
  rows.members[1] = VariableValues({"x", "yy", "zzz"}, 64);
  rows.num_values = 3;
  ValueBuffer out = EmptyLike(rows);

  ASSERT_THAT(AppendValues(rows, 1, 2, &out), IsOk());
  ASSERT_THAT(AppendRepeated(rows, 0, 2, &out), IsOk());
  AppendDummies(1, &out);

  EXPECT_EQ(out.num_values, 5u);
  EXPECT_THAT(IntegersOf<int16_t>(out.members[0].bytes), ElementsAre(2, 3, 1, 1, 0));
  EXPECT_THAT(Strings(out.members[1]), ElementsAre("yy", "zzz", "x", "x", ""));
}

TEST(AppendValues, RefusesMoreThanOffsetsCanHold) {
  ValueBuffer texts = VariableValues({"abc"});
  ValueBuffer out = EmptyLike(texts);

  EXPECT_THAT(AppendRepeated(texts, 0, uint64_t{1} << 30, &out),
              HasStatus(arrow::StatusCode::CapacityError, HasSubstr("0 + 3221225472 bytes")));
  EXPECT_THAT(AppendRepeated(texts, 0, ~uint64_t{0}, &out),
              HasStatus(arrow::StatusCode::CapacityError));
  EXPECT_THAT(CheckOffsetsHold(2147483644, texts), IsOk());
  EXPECT_THAT(CheckOffsetsHold(2147483645, texts), HasStatus(arrow::StatusCode::CapacityError));
}

TEST(AppendDummies, AreZerosFalseAndEmpty) {
  ValueBuffer wide = FixedValues<uint64_t>({7});
  ValueBuffer bools = BoolValues("11");
  ValueBuffer texts = VariableValues({}, 64);

  AppendDummies(2, &wide);
  AppendDummies(3, &bools);
  AppendDummies(2, &texts);

  EXPECT_THAT(IntegersOf<uint64_t>(wide.bytes), ElementsAre(7, 0, 0));
  EXPECT_EQ(Digits(bools.bytes, bools.num_values), "11000");
  EXPECT_THAT(Strings(texts), ElementsAre("", ""));
  EXPECT_THAT(IntegersOf<uint64_t>(texts.offsets), ElementsAre(0, 0, 0));
}

TEST(AppendRepeated, FillsWithOneValueOfAnyWidth) {
  const ValueBuffer bytes = FixedValues<uint8_t>({1, 9});
  const ValueBuffer triples = FixedValues<uint8_t>({1, 2, 3, 4, 5, 6}, {3});
  const ValueBuffer bools = BoolValues("01");
  const ValueBuffer texts = VariableValues({"a", "xyz"}, 64);
  ValueBuffer nines = EmptyLike(bytes);
  ValueBuffer lists = EmptyLike(triples);
  ValueBuffer ones = EmptyLike(bools);
  ValueBuffer words = EmptyLike(texts);

  ASSERT_THAT(AppendRepeated(bytes, 1, 5, &nines), IsOk());
  ASSERT_THAT(AppendRepeated(triples, 1, 3, &lists), IsOk());
  ASSERT_THAT(AppendRepeated(bools, 0, 3, &ones), IsOk());
  ASSERT_THAT(AppendRepeated(bools, 1, 9, &ones), IsOk());
  ASSERT_THAT(AppendRepeated(texts, 1, 3, &words), IsOk());

  EXPECT_THAT(IntegersOf<uint8_t>(nines.bytes), ElementsAre(9, 9, 9, 9, 9));
  EXPECT_THAT(IntegersOf<uint8_t>(lists.bytes), ElementsAre(4, 5, 6, 4, 5, 6, 4, 5, 6));
  EXPECT_EQ(Digits(ones.bytes, ones.num_values), "000111111111");
  EXPECT_THAT(Strings(words), ElementsAre("xyz", "xyz", "xyz"));
}

TEST(ItemValidity, StartsWhenTheFirstItemIsNull) {
  ValueBuffer out = Vectors({1, 2, 3, 4}, "");

  ASSERT_THAT(AppendValues(Vectors({5, 6, 7, 8, 9, 10}, "110111"), 1, 2, &out), IsOk());
  ASSERT_THAT(AppendValues(Vectors({11, 12}, ""), 0, 1, &out), IsOk());
  AppendDummies(1, &out);
  ASSERT_THAT(AppendRepeated(Vectors({1, 2}, "10"), 0, 2, &out), IsOk());

  EXPECT_EQ(ValidityOf(out),
            "1111"
            "0111"
            "11"
            "11"
            "1010");
  EXPECT_THAT(IntegersOf<int8_t>(out.bytes),
              ElementsAre(1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 0, 0, 1, 2, 1, 2));
}

TEST(ItemValidity, OfListsOfOneItemIsRepeated) {
  ValueBuffer from = FixedValues<int8_t>({1, 2}, {1});
  from.item_validity.emplace_back();
  from.item_validity[0].Append(AsBytes(PackedDigits("10")));
  ValueBuffer out = EmptyLike(from);

  ASSERT_THAT(AppendRepeated(from, 1, 3, &out), IsOk());
  ASSERT_THAT(AppendRepeated(from, 0, 2, &out), IsOk());

  EXPECT_EQ(ValidityOf(out), "00011");
}

TEST(ItemValidity, HasOneBitmapForEachLevel) {
  const ValueShape shape = ShapeOf<int8_t>({2, 3});
  ValueBuffer out(shape, nullptr);
  AppendDummies(2, &out);
  EXPECT_TRUE(out.item_validity.empty());
  AppendItemsValid(2, shape, &out);
  EXPECT_TRUE(out.item_validity.empty());

  StartItemValidity(2, &out);
  (void)GrowFixed(1, &out);
  AppendItemsValid(1, shape, &out);

  EXPECT_EQ(ValidityOf(out, 0), "111111");
  EXPECT_EQ(ValidityOf(out, 1), "111111111111111111");
}

TEST(ItemValidity, BoolItemsAreBitsThemselves) {
  const ValueBuffer from = BoolValues("110100111", {3});
  ValueBuffer out = EmptyLike(from);

  ASSERT_THAT(AppendValues(from, 1, 2, &out), IsOk());
  ASSERT_THAT(AppendRepeated(from, 0, 2, &out), IsOk());

  EXPECT_EQ(Digits(out.bytes, 12), "100111110110");
}

template <typename T>
class AppendIndexedTest : public ::testing::Test {};

using IndexTypes = ::testing::Types<uint8_t, uint16_t, uint32_t, uint64_t>;
TYPED_TEST_SUITE(AppendIndexedTest, IndexTypes);

TYPED_TEST(AppendIndexedTest, GathersValuesOfEveryKind) {
  const std::string indices = Integers<TypeParam>({2, 0, 99, 2});
  const std::vector<uint8_t> skip = {0, 0, 1, 0};
  const auto gather = [&](const ValueBuffer& from, ValueBuffer* out) {
    return AppendIndexed(from, AsBytes(indices).data(), 8 * sizeof(TypeParam), 4, skip.data(), out);
  };
  const ValueBuffer ints = FixedValues<int32_t>({5, 6, 7});
  const ValueBuffer triples = FixedValues<uint8_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3});
  const ValueBuffer wide = FixedValues<uint64_t>({1, 2, 3, 4, 5, 6}, {2});
  const ValueBuffer bools = BoolValues("100");
  const std::string long_text(70, 'x');
  const ValueBuffer texts = VariableValues({"ab", "", long_text});
  ValueBuffer out[] = {EmptyLike(ints), EmptyLike(triples), EmptyLike(wide), EmptyLike(bools),
                       EmptyLike(texts)};

  ASSERT_THAT(gather(ints, &out[0]), IsOk());
  ASSERT_THAT(gather(triples, &out[1]), IsOk());
  ASSERT_THAT(gather(wide, &out[2]), IsOk());
  ASSERT_THAT(gather(bools, &out[3]), IsOk());
  ASSERT_THAT(gather(texts, &out[4]), IsOk());

  EXPECT_THAT(IntegersOf<int32_t>(out[0].bytes), ElementsAre(7, 5, 0, 7));
  EXPECT_THAT(IntegersOf<uint8_t>(out[1].bytes), ElementsAre(7, 8, 9, 1, 2, 3, 0, 0, 0, 7, 8, 9));
  EXPECT_THAT(IntegersOf<uint64_t>(out[2].bytes), ElementsAre(5, 6, 1, 2, 0, 0, 5, 6));
  EXPECT_EQ(Digits(out[3].bytes, 4), "0100");
  EXPECT_THAT(Strings(out[4]), ElementsAre(long_text, "ab", "", long_text));
}

TYPED_TEST(AppendIndexedTest, RefusesAnIndexBehindTheEnd) {
  const std::string indices = Integers<TypeParam>({2, 1, 3});
  ValueBuffer out = FixedValues<int32_t>({});

  EXPECT_THAT(AppendIndexed(FixedValues<int32_t>({5, 6, 7}), AsBytes(indices).data(),
                            8 * sizeof(TypeParam), 3, nullptr, &out),
              HasStatus(arrow::StatusCode::SerializationError,
                        HasSubstr("index 2 is 3, the dictionary has 3 values")));
}

TEST(AppendIndexed, TakesNothingFromAnEmptyDictionaryWhenAllIsSkipped) {
  const std::string indices = Integers<uint32_t>({0, 7});
  const std::vector<uint8_t> all = {1, 1};
  const std::vector<uint8_t> some = {1, 0};
  const ValueBuffer from = VariableValues({});
  ValueBuffer out = EmptyLike(from);

  ASSERT_THAT(AppendIndexed(from, AsBytes(indices).data(), 32, 2, all.data(), &out), IsOk());
  EXPECT_THAT(Strings(out), ElementsAre("", ""));
  EXPECT_THAT(AppendIndexed(from, AsBytes(indices).data(), 32, 2, some.data(), &out),
              HasStatus(arrow::StatusCode::SerializationError, HasSubstr("index 1 is 7")));
}

TEST(AppendIndexed, RefusesTextsThatOffsetsCannotHold) {
  const ValueBuffer from = VariableValues({std::string(1 << 20, 'x')});
  const std::string indices(2048, '\0');
  ValueBuffer out = EmptyLike(from);

  EXPECT_THAT(AppendIndexed(from, AsBytes(indices).data(), 8, 2048, nullptr, &out),
              HasStatus(arrow::StatusCode::CapacityError, HasSubstr("read fewer rows")));
  EXPECT_LT(out.bytes.size(), 1u << 20);
}

TEST(AppendOffsets, RebasesOffsetsOfBothWidths) {
  const std::string narrow = Integers<uint32_t>({8, 9, 12});
  const std::string wide = Integers<uint64_t>({100, 100, 101});
  ValueBuffer to_narrow = VariableValues({"ab"});
  ValueBuffer to_wide = VariableValues({"ab"}, 64);

  AppendOffsets(AsBytes(narrow).data(), 32, 2, 2, &to_narrow);
  AppendOffsets(AsBytes(wide).data(), 64, 2, 6, &to_narrow);
  AppendOffsets(AsBytes(narrow).data(), 32, 2, 2, &to_wide);
  AppendOffsets(AsBytes(wide).data(), 64, 2, 6, &to_wide);

  EXPECT_THAT(IntegersOf<uint32_t>(to_narrow.offsets), ElementsAre(0, 2, 3, 6, 6, 7));
  EXPECT_THAT(IntegersOf<uint64_t>(to_wide.offsets), ElementsAre(0, 2, 3, 6, 6, 7));
  EXPECT_EQ(to_wide.num_values, 5u);
}

TEST(ValueBuffer, ClearsItsValuesAndKeepsItsShape) {
  ValueBuffer values = Vectors({1, 2}, "10");

  values.Clear();
  AppendDummies(1, &values);

  EXPECT_THAT(IntegersOf<int8_t>(values.bytes), ElementsAre(0, 0));
  EXPECT_TRUE(values.item_validity.empty());
}

}  // namespace
}  // namespace lance::format
