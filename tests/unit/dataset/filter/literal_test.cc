#include "lance/dataset/filter/literal.h"

#include <cmath>
#include <limits>

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::filter {
namespace {

using ::testing::HasSubstr;

TEST(ParseNumber, ReadsIntegersUpToUint64) {
  EXPECT_EQ(ParseNumber("0").magnitude, 0U);
  EXPECT_EQ(ParseNumber("007").magnitude, 7U);
  EXPECT_EQ(ParseNumber("18446744073709551615").magnitude, UINT64_MAX);
  EXPECT_EQ(ParseNumber("18446744073709551615").kind, Literal::Kind::kInteger);
  EXPECT_EQ(ParseNumber("18446744073709551616").kind, Literal::Kind::kFloat);
}

TEST(ParseNumber, ReadsFloatsBeyondTheirRange) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string zeros(400, '0');
  const std::pair<std::string, double> cases[] = {
      {"1.5", 1.5},
      {".5", 0.5},
      {"1.", 1},
      {"1.e0", 1},
      {"1E-2", 0.01},
      {"18446744073709551616", 18446744073709551616.0},
      {"1e400", kInfinity},
      {"1e-400", 0},
      {"0e999999999999999999999", 0},
      {"1e999999999999999999999", kInfinity},
      {"1e-999999999999999999999", 0},
      {"1" + zeros, kInfinity},
      {"0." + zeros + "1", 0},
      {"0." + zeros + "1e401", 1},
      {"1" + zeros + "e-400", 1},
      {"0." + zeros + "1e800", kInfinity},
      {"1" + zeros + ".0e-800", 0},
  };
  for (const auto& [text, value] : cases) {
    EXPECT_EQ(ParseNumber(text).kind, Literal::Kind::kFloat) << text;
    EXPECT_EQ(ParseNumber(text).number, value) << text;
  }
}

TEST(NegateNumber, HasNoNegativeIntegerZero) {
  EXPECT_FALSE(NegateNumber(ParseNumber("0")).negative);
  EXPECT_TRUE(NegateNumber(ParseNumber("1")).negative);
  EXPECT_FALSE(NegateNumber(NegateNumber(ParseNumber("1"))).negative);
  EXPECT_TRUE(std::signbit(NegateNumber(ParseNumber("0.0")).number));
}

TEST(DecodeHex, ReadsBothCases) {
  EXPECT_EQ(DecodeHex("0aFf41"), std::string("\x0A\xFF\x41"));
  EXPECT_EQ(DecodeHex(""), "");
}

/// Convert a number, negative when the text starts with '-'.
arrow::Result<std::shared_ptr<arrow::Scalar>> ConvertNumber(
    std::string_view text, const std::shared_ptr<arrow::DataType>& type) {
  const bool is_negative = text.front() == '-';
  Literal literal = ParseNumber(is_negative ? text.substr(1) : text);
  if (is_negative) literal = NegateNumber(literal);
  return ConvertLiteral(literal, "c", type);
}

TEST(ConvertLiteral, TakesExactlyTheRangeOfEveryIntegerType) {
  const struct {
    std::shared_ptr<arrow::DataType> type;
    std::string lowest, below, highest, above;
  } cases[] = {
      {arrow::int8(), "-128", "-129", "127", "128"},
      {arrow::int16(), "-32768", "-32769", "32767", "32768"},
      {arrow::int32(), "-2147483648", "-2147483649", "2147483647", "2147483648"},
      {arrow::int64(), "-9223372036854775808", "-9223372036854775809", "9223372036854775807",
       "9223372036854775808"},
      {arrow::uint8(), "0", "-1", "255", "256"},
      {arrow::uint16(), "0", "-1", "65535", "65536"},
      {arrow::uint32(), "0", "-1", "4294967295", "4294967296"},
      {arrow::uint64(), "0", "-1", "18446744073709551615", "18446744073709551616"},
  };
  for (const auto& range : cases) {
    for (const std::string& inside : {range.lowest, range.highest}) {
      LANCE_ASSERT_OK_AND_ASSIGN(const auto scalar, ConvertNumber(inside, range.type));
      EXPECT_EQ(scalar->ToString(), inside) << range.type->ToString();
      EXPECT_TRUE(scalar->type->Equals(range.type));
    }
    for (const std::string& outside : {range.below, range.above}) {
      EXPECT_THAT(ConvertNumber(outside, range.type),
                  testing::IsInvalid(HasSubstr("for column c of type " + range.type->ToString())))
          << outside;
    }
  }
}

TEST(ConvertLiteral, RoundsOnceToFloats) {
  const struct {
    const char* text;
    float value;
  } cases[] = {
      {"16777217", 16777216.0F},
      {"-16777219", -16777220.0F},
      {"0.1", 0.1F},
      // Through float64 this would round to 9007199791611904 first and then down.
      {"9007199791611905", 9007200328482816.0F},
      {"1e39", std::numeric_limits<float>::infinity()},
      {"-1e39", -std::numeric_limits<float>::infinity()},
      {"1e-50", 0.0F},
  };
  for (const auto& rounded : cases) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto scalar, ConvertNumber(rounded.text, arrow::float32()));
    EXPECT_EQ(static_cast<const arrow::FloatScalar&>(*scalar).value, rounded.value) << rounded.text;
  }
}

TEST(ConvertLiteral, TakesNullForEveryType) {
  for (const auto& type : {arrow::int8(), arrow::utf8(), arrow::float64(), arrow::date32()}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto scalar, ConvertLiteral(Literal(), "c", type));
    EXPECT_FALSE(scalar->is_valid);
    EXPECT_TRUE(scalar->type->Equals(type));
  }
}

TEST(ConvertLiteral, TakesWholeNumbersForDecimals) {
  for (const auto& type : {arrow::decimal128(5, 2), arrow::decimal256(5, 2)}) {
    for (const char* number : {"0", "7", "-999"}) {
      LANCE_ASSERT_OK_AND_ASSIGN(const auto scalar, ConvertNumber(number, type));
      EXPECT_EQ(scalar->ToString(), std::string(number) + ".00");
      EXPECT_TRUE(scalar->type->Equals(type));
    }
    EXPECT_THAT(ConvertNumber("1000", type), testing::IsInvalid(HasSubstr("at most 3 digits")));
    EXPECT_THAT(
        ConvertNumber("1.5", type),
        testing::IsInvalid(HasSubstr("expected a whole number or CAST(... AS DECIMAL(5,2")));
  }
}

TEST(ConvertLiteral, RoundsToHalfFloats) {
  const struct {
    const char* text;
    uint16_t bits;
  } cases[] = {{"1", 0x3c00},      {"-2", 0xc000},    {"0.1", 0x2e66},
               {"1.0001", 0x3c00}, {"65504", 0x7bff}, {"1e9", 0x7c00}};
  for (const auto& rounded : cases) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto scalar, ConvertNumber(rounded.text, arrow::float16()));
    EXPECT_EQ(static_cast<const arrow::HalfFloatScalar&>(*scalar).value, rounded.bits)
        << rounded.text;
  }
}

TEST(ConvertLiteral, SaysHowToWriteValuesOfOtherTypes) {
  EXPECT_THAT(ConvertNumber("1", arrow::time64(arrow::TimeUnit::MICRO)),
              testing::IsInvalid(HasSubstr("expected arrow_cast('12:00:00'")));
  EXPECT_THAT(ConvertNumber("1", arrow::duration(arrow::TimeUnit::SECOND)),
              testing::IsInvalid(HasSubstr("expected arrow_cast(60, 'Duration(Second)')")));
  EXPECT_THAT(ConvertNumber("1", arrow::fixed_size_binary(2)),
              testing::IsInvalid(HasSubstr("a binary literal of 2 bytes")));
  EXPECT_THAT(ConvertNumber("1", arrow::date64()), testing::IsInvalid(HasSubstr("DATE")));
}

TEST(ConvertLiteral, RefusesTypesThatAreNotCompared) {
  for (const auto& type : {arrow::list(arrow::int8()), arrow::null()}) {
    EXPECT_FALSE(IsComparableType(*type));
    EXPECT_THAT(ConvertNumber("1", type),
                testing::IsNotImplemented(HasSubstr("column c has type " + type->ToString())));
  }
}

}  // namespace
}  // namespace lance::filter
