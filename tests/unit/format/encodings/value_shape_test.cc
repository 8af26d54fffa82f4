#include "lance/format/encodings/value_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "arrow/api.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using arrow::DataType;
using ::lance::testing::IsInvalid;
using ::testing::HasSubstr;

std::shared_ptr<DataType> ListOf(std::shared_ptr<DataType> item, int32_t dimension) {
  return arrow::fixed_size_list(std::move(item), dimension);
}

struct ShapeCase {
  std::string name;
  std::shared_ptr<DataType> type;
  ValueShape expected;
};

class MakeValueShapeTest : public ::testing::TestWithParam<ShapeCase> {};

TEST_P(MakeValueShapeTest, DescribesTheType) {
  const auto shape = MakeValueShape(*GetParam().type);

  ASSERT_TRUE(shape.ok()) << shape.status();
  EXPECT_EQ(*shape, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, MakeValueShapeTest,
    ::testing::ValuesIn<ShapeCase>({
        {"Bool", arrow::boolean(), {.bits_per_value = 1}},
        {"Int8", arrow::int8(), {.bits_per_value = 8}},
        {"HalfFloat", arrow::float16(), {.bits_per_value = 16}},
        {"Date32", arrow::date32(), {.bits_per_value = 32}},
        {"Timestamp", arrow::timestamp(arrow::TimeUnit::NANO, "UTC"), {.bits_per_value = 64}},
        {"Decimal128", arrow::decimal128(38, 2), {.bits_per_value = 128}},
        {"Decimal256", arrow::decimal256(76, 2), {.bits_per_value = 256}},
        {"FixedSizeBinary", arrow::fixed_size_binary(3), {.bits_per_value = 24}},
        {"Utf8", arrow::utf8(), {.offset_bits = 32}},
        {"LargeBinary", arrow::large_binary(), {.offset_bits = 64}},
        {"Utf8View", arrow::utf8_view(), {.offset_bits = 32}},
        {"Null", arrow::null(), {.bits_per_value = 8}},
        {"EmptyStruct", arrow::struct_({}), {.bits_per_value = 8}},
        {"List", arrow::list(arrow::utf8()), {.bits_per_value = 8}},
        {"Dictionary", arrow::dictionary(arrow::int8(), arrow::large_utf8()), {.offset_bits = 64}},
        {"Vector", ListOf(arrow::float32(), 128), {.bits_per_value = 32, .dimensions = {128}}},
        {"BoolVector", ListOf(arrow::boolean(), 1), {.bits_per_value = 1, .dimensions = {1}}},
        {"Matrix",
         ListOf(ListOf(arrow::int16(), 3), 2),
         {.bits_per_value = 16, .dimensions = {2, 3}}},
        {"PackedStruct",
         arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
                         arrow::field("c", ListOf(arrow::int8(), 4))}),
         {.members = {{.bits_per_value = 32},
                      {.offset_bits = 32},
                      {.bits_per_value = 8, .dimensions = {4}}}}},
    }),
    [](const auto& test) { return test.param.name; });

class RefusedTypeTest : public ::testing::TestWithParam<std::shared_ptr<DataType>> {};

TEST_P(RefusedTypeTest, IsNamedAsAnUnsupportedFeature) {
  const auto status = MakeValueShape(*GetParam()).status();

  ASSERT_TRUE(status.IsNotImplemented()) << status;
  EXPECT_NE(UnsupportedFeature::From(status), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedTypeTest,
    ::testing::Values(arrow::month_interval(), arrow::decimal32(5, 2),
                      arrow::list_view(arrow::int8()), ListOf(arrow::utf8(), 2),
                      ListOf(arrow::int8(), 0), arrow::fixed_size_binary(0),
                      arrow::struct_({arrow::field("m", arrow::list(arrow::int8()))}),
                      arrow::struct_({arrow::field("m", arrow::struct_({}))}),
                      arrow::struct_({arrow::field("m", arrow::null())})));

TEST(MakeValueShape, RefusesSizesThatOverflow) {
  const int32_t most = 2147483647;

  EXPECT_THAT(MakeValueShape(*arrow::fixed_size_binary(most)), IsInvalid(HasSubstr("too wide")));
  EXPECT_THAT(MakeValueShape(*ListOf(ListOf(arrow::int32(), most), most)),
              IsInvalid(HasSubstr("too large")));
  EXPECT_THAT(MakeValueShape(*ListOf(ListOf(ListOf(arrow::int8(), most), most), most)),
              IsInvalid(HasSubstr("too large")));
}

TEST(MakeValueShape, RefusesListsWhoseLevelsOverflowTogether) {
  // 2^60 items in each of 20 levels: a value's bits of validity would wrap to a few bytes.
  auto type = ListOf(ListOf(arrow::boolean(), 1 << 30), 1 << 30);
  for (int i = 0; i < 20; ++i) type = ListOf(type, 1);

  EXPECT_THAT(MakeValueShape(*type), IsInvalid(HasSubstr("too large")));
}

TEST(ValueShape, CountsTheItemsOfAValue) {
  EXPECT_EQ(ValueShape{.bits_per_value = 8}.items_per_value(), 1u);
  EXPECT_EQ((ValueShape{.bits_per_value = 8, .dimensions = {5, 3}}.items_per_value()), 15u);
}

}  // namespace
}  // namespace lance::format
