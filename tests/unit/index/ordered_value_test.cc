#include "lance/index/ordered_value.h"

#include "index_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

struct OrderCase {
  std::string name;
  std::shared_ptr<arrow::DataType> type;
  std::string ascending;  // JSON
};

class OrderedValueOrder : public ::testing::TestWithParam<OrderCase> {};

TEST_P(OrderedValueOrder, IsThatOfTheType) {
  const auto values = ArrayOf(GetParam().type, GetParam().ascending);
  std::vector<std::shared_ptr<arrow::Scalar>> scalars;
  for (int64_t i = 0; i < values->length(); ++i) {
    scalars.push_back(values->GetScalar(i).ValueOrDie());
  }

  EXPECT_TRUE(HasOrder(*GetParam().type));
  for (size_t i = 0; i < scalars.size(); ++i) {
    EXPECT_TRUE(ToOrderedValue(*scalars[i]).is_ordinary()) << i;
    for (size_t j = 0; j < scalars.size(); ++j) {
      EXPECT_EQ(ToOrderedValue(*scalars[i]) <=> ToOrderedValue(*scalars[j]), i <=> j)
          << scalars[i]->ToString() << " against " << scalars[j]->ToString();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OrderedValueOrder,
    ::testing::ValuesIn<OrderCase>({
        {"Bool", arrow::boolean(), "[false, true]"},
        {"Int8", arrow::int8(), "[-128, -1, 0, 127]"},
        {"Int16", arrow::int16(), "[-32768, -1, 0, 32767]"},
        {"Int32", arrow::int32(), "[-2147483648, -1, 0, 2147483647]"},
        {"Int64", arrow::int64(), "[-9223372036854775808, -1, 0, 9223372036854775807]"},
        {"UInt8", arrow::uint8(), "[0, 127, 128, 255]"},
        {"UInt16", arrow::uint16(), "[0, 32768, 65535]"},
        {"UInt32", arrow::uint32(), "[0, 2147483648, 4294967295]"},
        {"UInt64", arrow::uint64(), "[0, 9223372036854775808, 18446744073709551615]"},
        {"Half", arrow::float16(), "[-65504, -1.5, -0.0, 0.0, 0.5, 65504]"},
        {"Float", arrow::float32(), "[-3e38, -1.5, -0.0, 0.0, 1e-45, 3e38]"},
        {"Double", arrow::float64(), "[-1e308, -1.5, -5e-324, -0.0, 0.0, 5e-324, 1e308]"},
        {"String", arrow::utf8(),
         R"(["", "a", "a\u0000", "a\u0000b", "ab", "abcdefgh", "abcdefgh\u0000", "abcdefghi", "b", "\u007f", "\u0080"])"},
        {"LargeString", arrow::large_utf8(), R"(["", "12345678a", "12345678b"])"},
        {"Binary", arrow::binary(), R"(["", "a", "b"])"},
        {"LargeBinary", arrow::large_binary(), R"(["", "a", "b"])"},
        {"Date32", arrow::date32(), "[-1, 0, 19000]"},
        {"Date64", arrow::date64(), "[-86400000, 0, 86400000]"},
        {"Time32", arrow::time32(arrow::TimeUnit::MILLI), "[0, 1, 86399999]"},
        {"Time64", arrow::time64(arrow::TimeUnit::NANO), "[0, 1, 86399999999999]"},
        {"Timestamp", arrow::timestamp(arrow::TimeUnit::NANO, "Europe/Berlin"), "[-5, 0, 7]"},
        {"Duration", arrow::duration(arrow::TimeUnit::SECOND), "[-5, 0, 7]"},
        {"Decimal", arrow::decimal128(38, 2),
         R"(["-999999999999999999999999999999999999.99", "-0.01", "0.00", "0.01", "184467440737095516.16", "184467440737095516.17", "999999999999999999999999999999999999.99"])"},
        {"WideDecimal", arrow::decimal256(76, 0),
         R"(["-9999999999999999999999999999999999999999999999999999999999999999999999999999", "-18446744073709551616", "-1", "0", "1", "18446744073709551616", "340282366920938463463374607431768211456", "340282366920938463463374607431768211457", "6277101735386680763835789423207666416102355444464034512896"])"},
        {"FixedSizeBinary", arrow::fixed_size_binary(9),
         R"(["aaaaaaaa\u0000", "aaaaaaaab", "b00000000"])"},
    }),
    [](const auto& instance) { return instance.param.name; });

TEST(OrderedValue, PutsNansAtTheEndsBySignWhateverTheirPayload) {
  for (const auto& type : {arrow::float16(), arrow::float32(), arrow::float64()}) {
    SCOPED_TRACE(type->ToString());
    const auto values = FloatsOf(type, {-kNan, -kInf, kInf, kNan});
    const auto at = [&](int64_t i) { return values->GetScalar(i).ValueOrDie(); };
    const auto negative_nan = at(0), low = at(1), high = at(2), positive_nan = at(3);

    EXPECT_EQ(ToOrderedValue(*negative_nan).kind, OrderedValue::Kind::kNegativeNan);
    EXPECT_EQ(ToOrderedValue(*positive_nan).kind, OrderedValue::Kind::kPositiveNan);
    EXPECT_TRUE(ToOrderedValue(*negative_nan) < ToOrderedValue(*low));
    EXPECT_TRUE(ToOrderedValue(*low) < ToOrderedValue(*high));
    EXPECT_TRUE(ToOrderedValue(*high) < ToOrderedValue(*positive_nan));
  }
  const arrow::FloatScalar signalling(std::bit_cast<float>(0x7f800001));
  const arrow::FloatScalar quiet(std::bit_cast<float>(0x7fc00000));
  EXPECT_TRUE(ToOrderedValue(signalling) == ToOrderedValue(quiet));
}

TEST(OrderedValue, MeansBothZerosByOneOfAFloat) {
  for (const auto& [type, values] :
       std::vector<std::pair<std::shared_ptr<arrow::DataType>, const char*>>{
           {arrow::float32(), "[-0.0, 0.0, 1]"}, {arrow::float64(), "[-0.0, 0.0, 1]"}}) {
    const auto array = ArrayOf(type, values);
    for (int64_t i = 0; i < 2; ++i) {
      const auto both = WithBothZeros(array->GetScalar(i).ValueOrDie());
      ASSERT_EQ(both.size(), 2u);
      EXPECT_LT(ToOrderedValue(*both[0]), ToOrderedValue(*both[1]));
      EXPECT_EQ(ToOrderedValue(*both[0]), ToOrderedValue(**array->GetScalar(0)));
      EXPECT_EQ(ToOrderedValue(*both[1]), ToOrderedValue(**array->GetScalar(1)));
    }
    EXPECT_EQ(WithBothZeros(array->GetScalar(2).ValueOrDie()).size(), 1u);
  }
  for (const uint16_t bits : {0x0000, 0x8000}) {
    const auto both = WithBothZeros(std::make_shared<arrow::HalfFloatScalar>(bits));
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(static_cast<const arrow::HalfFloatScalar&>(*both[0]).value, 0x8000);
    EXPECT_EQ(static_cast<const arrow::HalfFloatScalar&>(*both[1]).value, 0);
  }
  EXPECT_EQ(WithBothZeros(std::make_shared<arrow::HalfFloatScalar>(uint16_t{1})).size(), 1u);
  EXPECT_EQ(WithBothZeros(arrow::MakeScalar(int32_t{0})).size(), 1u);
}

TEST(OrderedValue, DoesNotKnowNullsAndTypesWithoutOrder) {
  EXPECT_FALSE(ToOrderedValue(*arrow::MakeNullScalar(arrow::int64())).is_known());
  for (const auto& type : {arrow::null(), arrow::list(arrow::int32()), arrow::utf8_view(),
                           arrow::dictionary(arrow::int8(), arrow::utf8())}) {
    EXPECT_FALSE(HasOrder(*type)) << type->ToString();
  }
  EXPECT_FALSE(ToOrderedValue(*ScalarOf(arrow::list(arrow::int32()), "[1]")).is_known());
}

}  // namespace
}  // namespace lance::index
