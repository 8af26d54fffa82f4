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

ValueShape Rows(std::vector<ValueShape> members) { return {.members = std::move(members)}; }

TEST(PackedStructDecoder, SplitsRowsIntoMembersOfEveryWidth) {
  const ValueShape shape =
      Rows({Single(8), Single(16), Single(32), Single(64), Single(128), Single(24)});
  const std::string row1 =
      "a"
      "bc"
      "defg"
      "hijklmno"
      "pqrstuvwxyz01234"
      "567";
  const std::string row2 =
      "A"
      "BC"
      "DEFG"
      "HIJKLMNO"
      "PQRSTUVWXYZ!!!!!"
      "???";

  const auto decoded = DecodeMini(Packed({8, 16, 32, 64, 128, 24}, 272), shape, {row1 + row2}, 2);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->num_values, 2u);
  std::vector<std::string> members;
  for (const ValueBuffer& member : decoded->members) members.push_back(Text(member.bytes));
  EXPECT_THAT(members, ElementsAre("aA", "bcBC", "defgDEFG", "hijklmnoHIJKLMNO",
                                   "pqrstuvwxyz01234PQRSTUVWXYZ!!!!!", "567???"));
}

TEST(PackedStructDecoder, TakesMembersThatAreLists) {
  const ValueShape shape = Rows({Single(8), {.bits_per_value = 16, .dimensions = {2}}});

  const auto decoded = DecodeMini(Packed({8, 32}, 40), shape, {"abcdeABCDE"}, 2);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Text(decoded->members[1].bytes), "bcdeBCDE");
  EXPECT_EQ(decoded->members[1].num_values, 2u);
}

TEST(VariablePackedStructDecoder, ReadsTheReferencesRows) {
  // struct<a: int32, v: fixed_size_list<float, 4>> of release 14.0.2, item 2 of v null.
  const ValueShape shape = Rows({Single(32), {.bits_per_value = 32, .dimensions = {4}}});
  const pb::CompressiveEncoding encoding =
      PackedRows({FixedField(Flat(32), 32), FixedField(ListOf(4, Flat(32), true), 136)});
  const std::string row = Integers<int32_t>({5}) + "\xbb" + Integers<float>({1, 2, 0, 4});

  const auto decoded = DecodeValues(encoding, shape, {row, kNoBytes});

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->num_values, 2u);
  EXPECT_THAT(IntegersOf<int32_t>(decoded->members[0].bytes), ElementsAre(5, 0));
  EXPECT_THAT(IntegersOf<float>(decoded->members[1].bytes), ElementsAre(1, 2, 0, 4, 0, 0, 0, 0));
  EXPECT_EQ(Digits(decoded->members[1].item_validity.at(0), 8), "11011111");
}

TEST(VariablePackedStructDecoder, ReadsMembersOfVariableWidth) {
  const ValueShape shape =
      Rows({{.offset_bits = 32}, Single(16), {.offset_bits = 64}, {.offset_bits = 32}});
  const pb::CompressiveEncoding encoding = PackedRows(
      {SizedField(Variable(32), 32), FixedField(Flat(16), 16), SizedField(Variable(64), 64),
       SizedField(Fsst(SymbolTable({"ab"}), Variable(32)), 32)});
  const std::string row = Bytes({2, 0, 0, 0}) + "hi" + Bytes({7, 0}) +
                          Bytes({1, 0, 0, 0, 0, 0, 0, 0}) + "x" + Bytes({2, 0, 0, 0, 0, 0});
  const std::string empty = std::string(4 + 2 + 8 + 4, '\0');

  const auto decoded = DecodeValues(encoding, shape, {row, kNoBytes, empty});

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(decoded->members[0]), ElementsAre("hi", "", ""));
  EXPECT_THAT(IntegersOf<uint16_t>(decoded->members[1].bytes), ElementsAre(7, 0, 0));
  EXPECT_THAT(Strings(decoded->members[2]), ElementsAre("x", "", ""));
  EXPECT_THAT(Strings(decoded->members[3]), ElementsAre("abab", "", ""));
  EXPECT_EQ((*MakePerValueDecoder(encoding, shape))->stored_bits(), 0u);
}

struct MalformedRowsCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  ValueShape shape;
  std::string expected;
};

class MalformedRowsTest : public ::testing::TestWithParam<MalformedRowsCase> {};

TEST_P(MalformedRowsTest, IsRefusedNamingTheFault) {
  const auto& [name, encoding, shape, expected] = GetParam();
  const arrow::Status status = encoding.has_packed_struct()
                                   ? MakeMiniBlockDecoder(encoding, shape).status()
                                   : MakePerValueDecoder(encoding, shape).status();

  EXPECT_THAT(status, HasStatus(kCorrupt, HasSubstr(expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedRowsTest,
    ::testing::ValuesIn<MalformedRowsCase>({
        {"PackedForIntegers", Packed({8}, 8), Single(8), "the column needs 8 bits"},
        {"PackedWithoutMembers", Packed({}, 8), Rows({Single(8)}), "has 0 members"},
        {"PackedBool", Packed({32, 1}, 33), Rows({Single(32), Single(1)}),
         "member 1 has 1 bits; allowed: multiples of 8"},
        {"PackedZero", Packed({0}, 0), Rows({Single(0)}), "member 0 has 0 bits"},
        {"PackedText", Packed({32}, 32), Rows({Single(0)}), "the column needs 1 * variable width"},
        {"PackedOtherWidth", Packed({32}, 32), Rows({Single(64)}), "the column needs 1 * 64 bits"},
        {"PackedOtherSum", Packed({32, 32}, 32), Rows({Single(32), Single(32)}),
         "has 32 bits; allowed: the sum of the members, 64"},
        {"RowsForText", PackedRows({}), Single(0), "the column needs variable width"},
        {"RowsWithTooManyMembers", PackedRows({FixedField(Flat(8), 8), FixedField(Flat(8), 8)}),
         Rows({Single(8)}), "has 2 members, the column needs 1"},
        {"RowsOtherWidth", PackedRows({FixedField(Flat(8), 16)}), Rows({Single(8)}),
         "has 16 bits, its encoding needs 8"},
        {"RowsTextWithoutLength", PackedRows({FixedField(Variable(32), 32)}), Rows({Single(0)}),
         "has no length, its encoding is Variable"},
        {"RowsNumberWithLength", PackedRows({SizedField(Flat(32), 32)}), Rows({Single(32)}),
         "has a length, its encoding is Flat"},
        {"RowsLength16", PackedRows({SizedField(Variable(32), 16)}), Rows({Single(0)}),
         "length of member 0 has 16 bits; allowed: 32, 64"},
        {"RowsOfInline", PackedRows({FixedField(Inline(32), 32)}), Rows({Single(32)}),
         "full-zip values: encoding is InlineBitpacking"},
        {"RowsInRows", PackedRows({SizedField(PackedRows({FixedField(Flat(8), 8)}), 32)}),
         Rows({Rows({Single(8)})}), "member 0 is a packed struct itself"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(PackedStructDecoder, RefusesChunksOfAnotherSize) {
  const ValueShape shape = Rows({Single(8), Single(16)});

  EXPECT_THAT(DecodeMini(Packed({8, 16}, 24), shape, {"abcdef"}, 1),
              HasStatus(kCorrupt, HasSubstr("6 bytes, 1 rows of 3 bytes")));
  EXPECT_THAT(DecodeMini(Packed({8, 16}, 24), shape, {"abcd"}, 1), HasStatus(kCorrupt));
  EXPECT_THAT(DecodeMini(Packed({8, 16}, 24), shape, {"abc"}, ~uint64_t{0}), HasStatus(kCorrupt));
}

TEST(VariablePackedStructDecoder, RefusesRowsThatDoNotFit) {
  const ValueShape shape = Rows({Single(0), Single(16)});
  const pb::CompressiveEncoding encoding =
      PackedRows({SizedField(Variable(32), 32), FixedField(Flat(16), 16)});

  for (const std::string& row :
       {Bytes({1, 0, 0}), Bytes({3, 0, 0, 0, 'a', 'b'}), Bytes({255, 255, 255, 255, 'a'})}) {
    EXPECT_THAT(DecodeValues(encoding, shape, {row}),
                HasStatus(kCorrupt, HasSubstr("member 0 does not fit row 0")));
  }
  EXPECT_THAT(DecodeValues(encoding, shape, {Bytes({1, 0, 0, 0, 'a', 1})}),
              HasStatus(kCorrupt, HasSubstr("member 1 does not fit row 0 of 6 bytes")));
  EXPECT_THAT(DecodeValues(encoding, shape, {Bytes({0, 0, 0, 0, 1, 0, 9})}),
              HasStatus(kCorrupt, HasSubstr("1 bytes follow the last member of row 0")));
}

}  // namespace
}  // namespace lance::format
