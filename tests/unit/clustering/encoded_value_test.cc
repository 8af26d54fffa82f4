#include "lance/clustering/encoded_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using ::arrow::json::ArrayFromJSONString;
using lance::testing::IsInvalid;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

constexpr auto kQuantile = ClusteringAlgorithm::kQuantileRankV1;
constexpr auto kTypedV1 = ClusteringAlgorithm::kTypedQuantileRankV1;
constexpr auto kTypedV2 = ClusteringAlgorithm::kTypedQuantileRankV2;

enum class Accepted { kByAll, kByTyped, kByNone };

struct TypeCase {
  std::shared_ptr<arrow::DataType> type;
  Accepted accepted;
};

void PrintTo(const TypeCase& type_case, std::ostream* out) { *out << type_case.type->ToString(); }

class AcceptsTypeTest : public ::testing::TestWithParam<TypeCase> {};

TEST_P(AcceptsTypeTest, FollowsTheTable) {
  const auto& [type, accepted] = GetParam();
  EXPECT_EQ(AcceptsType(kQuantile, *type), accepted == Accepted::kByAll);
  EXPECT_EQ(AcceptsType(kTypedV1, *type), accepted != Accepted::kByNone);
  EXPECT_EQ(AcceptsType(kTypedV2, *type), accepted != Accepted::kByNone);
}

INSTANTIATE_TEST_SUITE_P(All, AcceptsTypeTest,
                         ::testing::ValuesIn<TypeCase>({
                             {arrow::boolean(), Accepted::kByAll},
                             {arrow::int8(), Accepted::kByAll},
                             {arrow::int16(), Accepted::kByAll},
                             {arrow::int32(), Accepted::kByAll},
                             {arrow::int64(), Accepted::kByAll},
                             {arrow::uint8(), Accepted::kByAll},
                             {arrow::uint16(), Accepted::kByAll},
                             {arrow::uint32(), Accepted::kByAll},
                             {arrow::uint64(), Accepted::kByAll},
                             {arrow::float32(), Accepted::kByAll},
                             {arrow::float64(), Accepted::kByAll},
                             {arrow::utf8(), Accepted::kByTyped},
                             {arrow::large_utf8(), Accepted::kByTyped},
                             {arrow::binary(), Accepted::kByTyped},
                             {arrow::large_binary(), Accepted::kByTyped},
                             {arrow::date32(), Accepted::kByTyped},
                             {arrow::date64(), Accepted::kByTyped},
                             {arrow::timestamp(arrow::TimeUnit::SECOND), Accepted::kByTyped},
                             {arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), Accepted::kByTyped},
                             {arrow::time32(arrow::TimeUnit::MILLI), Accepted::kByTyped},
                             {arrow::time64(arrow::TimeUnit::NANO), Accepted::kByTyped},
                             {arrow::decimal128(38, 10), Accepted::kByTyped},
                             {arrow::float16(), Accepted::kByNone},
                             {arrow::null(), Accepted::kByNone},
                             {arrow::decimal256(50, 0), Accepted::kByNone},
                             {arrow::duration(arrow::TimeUnit::SECOND), Accepted::kByNone},
                             {arrow::fixed_size_binary(4), Accepted::kByNone},
                             {arrow::utf8_view(), Accepted::kByNone},
                             {arrow::binary_view(), Accepted::kByNone},
                             {arrow::dictionary(arrow::int32(), arrow::utf8()), Accepted::kByNone},
                             {arrow::list(arrow::int32()), Accepted::kByNone},
                             {arrow::struct_({arrow::field("a", arrow::int32())}),
                              Accepted::kByNone},
                         }));

EncodedColumn Encode(const std::shared_ptr<arrow::DataType>& type, const std::string& values,
                     ClusteringAlgorithm algorithm = kTypedV2) {
  const auto array = ArrayFromJSONString(type, values).ValueOrDie();
  return EncodeColumn(*array, algorithm).ValueOrDie();
}

TEST(EncodeColumn, LeavesNullRowsEmpty) {
  const EncodedColumn column = Encode(arrow::int16(), "[null, -2, null]");

  EXPECT_EQ(column.is_null, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(column.value(0), "");
  EXPECT_EQ(column.value(1), std::string("\x01\x7f\xfe", 3));
  EXPECT_EQ(column.value(2), "");
}

TEST(EncodeColumn, TellsNullFromEmpty) {
  const EncodedColumn column = Encode(arrow::utf8(), R"(["", null])");

  EXPECT_EQ(column.value(0), "\x01");
  EXPECT_EQ(column.is_null, (std::vector<bool>{false, true}));
}

TEST(EncodeColumn, EncodesMoreRowsThanABlock) {
  arrow::Int32Builder builder;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(builder.Append(i).ok());
  const auto array = builder.Finish().ValueOrDie();

  LANCE_ASSERT_OK_AND_ASSIGN(const EncodedColumn column, EncodeColumn(*array, kQuantile));

  EXPECT_EQ(column.num_rows(), 1000U);
  EXPECT_EQ(column.value(999), std::string("\x01\x80\x00\x03\xe7", 5));
}

TEST(EncodeColumn, DecodesADictionaryArray) {
  const auto array =
      ArrayFromJSONString(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["b", null, "a"])")
          .ValueOrDie();

  LANCE_ASSERT_OK_AND_ASSIGN(const EncodedColumn column, EncodeColumn(*array, kTypedV1));

  EXPECT_EQ(column.value(0), std::string("\x02\x62\0\0\0\0\0\0\0\x01", 10));
  EXPECT_TRUE(column.is_null[1]);
  EXPECT_EQ(column.value(2), std::string("\x02\x61\0\0\0\0\0\0\0\x01", 10));
}

TEST(EncodeColumn, RefusesATypeNamingIt) {
  const auto array = ArrayFromJSONString(arrow::utf8(), R"(["a"])").ValueOrDie();
  EXPECT_THAT(EncodeColumn(*array, kQuantile), IsInvalid(HasSubstr("has type string")));
}

TEST(EncodeColumn, MarksWhatIsCutAt256Bytes) {
  const std::string exact(256, 'z');
  const EncodedColumn column =
      Encode(arrow::utf8(), R"([")" + exact + R"(", ")" + exact + R"(a", ")" + exact + R"(bb"])");

  EXPECT_EQ(column.value(0).size(), 268U);
  EXPECT_EQ(column.value(0).back(), '\x20');
  EXPECT_EQ(column.value(1).back(), '\xff');
  EXPECT_EQ(column.value(1), column.value(2)) << "what differs comes after the cut";
}

struct MalformedCase {
  std::string name;
  std::string bytes;
  std::string expected;
};

void PrintTo(const MalformedCase& malformed, std::ostream* out) { *out << malformed.name; }

class DecodeBytesTest : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(DecodeBytesTest, RefusesMalformedBytes) {
  EXPECT_THAT(DecodeBytes(GetParam().bytes), IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, DecodeBytesTest,
    ::testing::ValuesIn<MalformedCase>({
        {"Empty", "", "byte 0: starts with neither"},
        {"NoBlock", "\x02", "byte 0: starts with neither"},
        {"BytesAfterEmpty", "\x01\x61", "byte 0: starts with neither"},
        {"ShortBlock", "\x02\x61", "byte 1: is short"},
        {"NoMarker", std::string("\x02") + std::string(8, 'a'), "byte 1: is short"},
        {"LengthZero", std::string("\x02\0\0\0\0\0\0\0\0\0", 10), "byte 9: has a malformed last"},
        {"LengthNine", std::string("\x02") + std::string(8, 'a') + "\x09", "malformed last block"},
        {"PaddingNotZero", std::string("\x02") + std::string(8, 'a') + "\x03",
         "malformed last block"},
        {"BytesAfterLast", std::string("\x02") + std::string(8, 'a') + "\x08\x61",
         "malformed last block"},
    }));

TEST(DecodeWord, RefusesAnotherSizeOrStart) {
  EXPECT_THAT(DecodeWord("\x01\x02", 4), IsSerializationError(HasSubstr("has another size")));
  EXPECT_THAT(DecodeWord("\x02\x02", 1), IsSerializationError(HasSubstr("start with 0x01")));
}

}  // namespace
}  // namespace lance::clustering
