#include "lance/dataset/filter/membership.h"

#include <bit>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

using arrow::json::ArrayFromJSONString;

std::vector<std::shared_ptr<arrow::Scalar>> Scalars(const std::shared_ptr<arrow::DataType>& type,
                                                    const std::string& json) {
  std::vector<std::shared_ptr<arrow::Scalar>> scalars;
  const auto array = ArrayFromJSONString(type, json).ValueOrDie();
  for (int64_t i = 0; i < array->length(); ++i) {
    scalars.push_back(array->GetScalar(i).ValueOrDie());
  }
  return scalars;
}

struct ListCase {
  std::shared_ptr<arrow::DataType> type;
  const char* members;
  const char* values;
  const char* found;
};

void ExpectFound(const std::vector<ListCase>& cases, bool has_null) {
  for (const ListCase& list : cases) {
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto membership,
        Membership::Make(Scalars(list.type, list.members), list.type, has_null));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto values, ArrayFromJSONString(list.type, list.values));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto found, membership->Test(values));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto expected,
                               ArrayFromJSONString(arrow::boolean(), list.found));
    EXPECT_TRUE(found->Equals(expected)) << list.type->ToString() << " " << found->ToString();
  }
}

TEST(Membership, IsNullForNullValues) {
  ExpectFound(
      {
          {arrow::int8(), "[1, 2, 2]", "[1, 3, null, 2]", "[true, false, null, true]"},
          {arrow::uint64(), "[18446744073709551615]", "[18446744073709551615, 0]", "[true, false]"},
          {arrow::boolean(), "[true]", "[true, false, null]", "[true, false, null]"},
          {arrow::utf8(), R"(["a", ""])", R"(["a", "b", "", null])", "[true, false, true, null]"},
          {arrow::large_utf8(), R"(["a"])", R"(["a", "b", null])", "[true, false, null]"},
          {arrow::binary(), R"(["a"])", R"(["a", "b", null])", "[true, false, null]"},
          {arrow::large_binary(), R"(["a"])", R"(["a", "b", null])", "[true, false, null]"},
          {arrow::date32(), "[5]", "[5, 6, null]", "[true, false, null]"},
          {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"), "[5]", "[5, 6, null]",
           "[true, false, null]"},
          {arrow::float32(), "[1.5]", "[1.5, 2, null]", "[true, false, null]"},
          {arrow::int8(), "[]", "[1, null]", "[false, null]"},
      },
      /*has_null=*/false);
}

TEST(Membership, IsNullForOthersWhenTheListHoldsNull) {
  ExpectFound(
      {
          {arrow::int8(), "[1]", "[1, 3, null]", "[true, null, null]"},
          {arrow::boolean(), "[true]", "[true, false, null]", "[true, null, null]"},
          {arrow::utf8(), R"(["a"])", R"(["a", "b", null])", "[true, null, null]"},
          {arrow::float64(), "[1.5]", "[1.5, 2, null]", "[true, null, null]"},
          {arrow::int8(), "[]", "[1, null]", "[null, null]"},
      },
      /*has_null=*/true);
}

TEST(Membership, MeansBothZerosOfFloats) {
  const std::vector<double> doubles = {0.0, -0.0, 1};
  const std::vector<float> floats = {0.0F, -0.0F, 1};
  arrow::DoubleBuilder double_builder;
  arrow::FloatBuilder float_builder;
  ASSERT_THAT(double_builder.AppendValues(doubles), testing::IsOk());
  ASSERT_THAT(float_builder.AppendValues(floats), testing::IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto double_values, double_builder.Finish());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto float_values, float_builder.Finish());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto expected,
                             ArrayFromJSONString(arrow::boolean(), "[true, true, false]"));
  for (const double sign : {1.0, -1.0}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto of_doubles,
                               Membership::Make({std::make_shared<arrow::DoubleScalar>(0 * sign)},
                                                arrow::float64(), false));
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto of_floats,
        Membership::Make({std::make_shared<arrow::FloatScalar>(static_cast<float>(0 * sign))},
                         arrow::float32(), false));

    EXPECT_THAT(of_doubles->Test(double_values),
                testing::IsOkAndHolds(::testing::Pointee(
                    ::testing::Truly([&](const auto& found) { return found.Equals(expected); }))));
    EXPECT_THAT(of_floats->Test(float_values),
                testing::IsOkAndHolds(::testing::Pointee(
                    ::testing::Truly([&](const auto& found) { return found.Equals(expected); }))));
  }
}

TEST(Membership, TellsNansApartByTheirBits) {
  const double positive = std::bit_cast<double>(0x7FF8000000000000);
  const double negative = std::bit_cast<double>(0xFFF8000000000000);
  arrow::DoubleBuilder builder;
  ASSERT_THAT(builder.AppendValues({positive, negative, 0.0}), testing::IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto values, builder.Finish());
  const struct {
    double member;
    const char* found;
  } cases[] = {{positive, "[true, false, false]"},
               {negative, "[false, true, false]"},
               {0.0, "[false, false, true]"}};
  for (const auto& list : cases) {
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto membership,
        Membership::Make({std::make_shared<arrow::DoubleScalar>(list.member)}, arrow::float64(),
                         /*has_null=*/false));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto found, membership->Test(values));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto expected,
                               ArrayFromJSONString(arrow::boolean(), list.found));
    EXPECT_TRUE(found->Equals(expected)) << found->ToString();
  }
}

}  // namespace
}  // namespace lance::filter
