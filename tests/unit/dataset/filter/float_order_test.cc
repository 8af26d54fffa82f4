#include "lance/dataset/filter/float_order.h"

#include <bit>
#include <vector>

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

/// One character a row: T, F or - for null.
std::string Letters(const arrow::Result<std::shared_ptr<arrow::BooleanArray>>& result) {
  if (!result.ok()) return result.status().ToString();
  std::string letters;
  for (int64_t i = 0; i < (*result)->length(); ++i) {
    letters += (*result)->IsNull(i) ? '-' : ((*result)->Value(i) ? 'T' : 'F');
  }
  return letters;
}

template <typename Builder, typename Value>
std::shared_ptr<arrow::Array> MakeArray(const std::vector<Value>& values) {
  Builder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  EXPECT_TRUE(builder.AppendNull().ok());
  return builder.Finish().ValueOrDie();
}

constexpr uint64_t kNegativeNan = 0xFFF8000000000000;
constexpr uint64_t kPositiveNan = 0x7FF8000000000000;
constexpr uint64_t kOtherPositiveNan = 0x7FF8000000000001;

/// -NaN, -inf, -1, -0, +0, 1, inf, NaN, null.
std::shared_ptr<arrow::Array> Ascending(const std::shared_ptr<arrow::DataType>& type) {
  const std::vector<double> values = {std::bit_cast<double>(kNegativeNan),
                                      std::bit_cast<double>(0xFFF0000000000000),
                                      -1,
                                      -0.0,
                                      0.0,
                                      1,
                                      std::bit_cast<double>(0x7FF0000000000000),
                                      std::bit_cast<double>(kPositiveNan)};
  if (type->id() == arrow::Type::DOUBLE) return MakeArray<arrow::DoubleBuilder>(values);
  std::vector<float> floats;
  for (const double value : values) floats.push_back(static_cast<float>(value));
  return MakeArray<arrow::FloatBuilder>(floats);
}

struct LiteralCase {
  CompareOp op;
  double literal;
  const char* letters;
};

const LiteralCase kLiteralCases[] = {
    {CompareOp::kEqual, 0.0, "FFFTTFFF-"},         {CompareOp::kEqual, -0.0, "FFFTTFFF-"},
    {CompareOp::kNotEqual, 0.0, "TTTFFTTT-"},      {CompareOp::kLess, 0.0, "TTTFFFFF-"},
    {CompareOp::kLess, -0.0, "TTTFFFFF-"},         {CompareOp::kLessEqual, -0.0, "TTTTTFFF-"},
    {CompareOp::kLessEqual, 0.0, "TTTTTFFF-"},     {CompareOp::kGreater, -0.0, "FFFFFTTT-"},
    {CompareOp::kGreater, 0.0, "FFFFFTTT-"},       {CompareOp::kGreaterEqual, 0.0, "FFFTTTTT-"},
    {CompareOp::kGreaterEqual, -0.0, "FFFTTTTT-"}, {CompareOp::kEqual, 1, "FFFFFTFF-"},
    {CompareOp::kNotEqual, 1, "TTTTTFTT-"},        {CompareOp::kLess, 50, "TTTTTTFF-"},
    {CompareOp::kGreater, 1000, "FFFFFFTT-"},      {CompareOp::kLessEqual, -1, "TTTFFFFF-"},
    {CompareOp::kLess, -1, "TTFFFFFF-"},
};

TEST(CompareFloatsWithLiteral, FollowsTheTotalOrderWithEqualZeros) {
  for (const LiteralCase& literal_case : kLiteralCases) {
    EXPECT_EQ(Letters(CompareFloatsWithLiteral(literal_case.op, *Ascending(arrow::float64()),
                                               arrow::DoubleScalar(literal_case.literal))),
              literal_case.letters)
        << ToString(literal_case.op) << " " << literal_case.literal;
    EXPECT_EQ(Letters(CompareFloatsWithLiteral(
                  literal_case.op, *Ascending(arrow::float32()),
                  arrow::FloatScalar(static_cast<float>(literal_case.literal)))),
              literal_case.letters)
        << ToString(literal_case.op) << " " << literal_case.literal << "f";
  }
}

TEST(CompareFloatsWithLiteral, MatchesNansBySign) {
  const auto values = Ascending(arrow::float64());
  const arrow::DoubleScalar positive(std::bit_cast<double>(kPositiveNan));
  const arrow::DoubleScalar negative(std::bit_cast<double>(kNegativeNan));

  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kEqual, *values, positive)), "FFFFFFFT-");
  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kEqual, *values, negative)), "TFFFFFFF-");
  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kLess, *values, positive)), "TTTTTTTF-");
  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kGreater, *values, negative)), "FTTTTTTT-");
}

TEST(CompareFloatsWithLiteral, FindsNothingBeyondTheEndsOfTheOrder) {
  const auto values = Ascending(arrow::float64());
  const arrow::DoubleScalar first(std::bit_cast<double>(0xFFFFFFFFFFFFFFFF));
  const arrow::DoubleScalar last(std::bit_cast<double>(0x7FFFFFFFFFFFFFFF));

  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kLess, *values, first)), "FFFFFFFF-");
  EXPECT_EQ(Letters(CompareFloatsWithLiteral(CompareOp::kGreater, *values, last)), "FFFFFFFF-");
}

TEST(CompareFloatsWithLiteral, RespectsOffsets) {
  const auto values = Ascending(arrow::float64());
  for (int64_t offset = 0; offset <= 9; ++offset) {
    for (int64_t length = 0; offset + length <= 9; ++length) {
      EXPECT_EQ(
          Letters(CompareFloatsWithLiteral(CompareOp::kGreaterEqual, *values->Slice(offset, length),
                                           arrow::DoubleScalar(1))),
          std::string("FFFFFTTT-").substr(offset, length));
    }
  }
}

TEST(CompareFloatsWithLiteral, FillsMoreThanOneByteOfBits) {
  arrow::DoubleBuilder builder;
  for (int i = 0; i < 1000; ++i) ASSERT_THAT(builder.Append(i % 7), testing::IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto values, builder.Finish());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto mask, CompareFloatsWithLiteral(CompareOp::kEqual, *values,
                                                                       arrow::DoubleScalar(3)));

  for (int i = 0; i < 1000; ++i) EXPECT_EQ(mask->Value(i), i % 7 == 3) << i;
  EXPECT_EQ(mask->null_count(), 0);
}

TEST(CompareFloats, TellsZerosAndNansApart) {
  const auto left = MakeArray<arrow::DoubleBuilder>(std::vector<double>{
      0.0, -0.0, std::bit_cast<double>(kPositiveNan), std::bit_cast<double>(kPositiveNan), 1});
  const auto right = MakeArray<arrow::DoubleBuilder>(
      std::vector<double>{-0.0, -0.0, std::bit_cast<double>(kPositiveNan),
                          std::bit_cast<double>(kOtherPositiveNan), 2});

  EXPECT_EQ(Letters(CompareFloats(CompareOp::kEqual, *left, *right)), "FTTFF-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kNotEqual, *left, *right)), "TFFTT-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kLess, *left, *right)), "FFFTT-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kLessEqual, *left, *right)), "FTTTT-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kGreater, *left, *right)), "TFFFF-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kGreaterEqual, *left, *right)), "TTTFF-");
}

TEST(CompareFloats, IsNullWhereEitherSideIs) {
  const auto values = Ascending(arrow::float32());
  const auto shifted = values->Slice(1, 8);
  const auto first = values->Slice(0, 8);

  EXPECT_EQ(Letters(CompareFloats(CompareOp::kLess, *first, *shifted)), "TTTTTTT-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kLess, *shifted, *first)), "FFFFFFF-");
  EXPECT_EQ(Letters(CompareFloats(CompareOp::kEqual, *shifted, *shifted)), "TTTTTTT-");
}

}  // namespace
}  // namespace lance::filter
