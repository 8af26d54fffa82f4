#include "lance/format/pages/row_index.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_leaf.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

TEST(RowIndex, IsAsWideAsItsSizeSays) {
  for (const uint32_t width : {1, 2, 4, 8}) {
    const auto shape = MakeRowIndexShape(4 * width, 3, 100);

    ASSERT_THAT(shape, IsOk());
    EXPECT_EQ(shape->entry_bytes, width);
  }
}

TEST(RowIndex, OfAnotherWidthIsRefused) {
  EXPECT_THAT(MakeRowIndexShape(12, 3, 100), IsSerializationError(HasSubstr("12 bytes for 3")));
  EXPECT_THAT(MakeRowIndexShape(9, 3, 100), IsSerializationError());
  EXPECT_THAT(MakeRowIndexShape(0, 3, 100), IsSerializationError());
  EXPECT_THAT(MakeRowIndexShape(64, 3, 100), IsSerializationError());
}

TEST(RowIndex, LoadsEveryWidth) {
  EXPECT_EQ((RowIndexShape{3, 1, 0}.Load(AsBytes(Bytes({200})).data())), 200u);
  EXPECT_EQ((RowIndexShape{3, 2, 0}.Load(AsBytes(Numbers<uint16_t>({50000})).data())), 50000u);
  EXPECT_EQ((RowIndexShape{3, 4, 0}.Load(AsBytes(Numbers<uint32_t>({1u << 31})).data())),
            uint64_t{1} << 31);
  EXPECT_EQ((RowIndexShape{3, 8, 0}.Load(AsBytes(Numbers<uint64_t>({uint64_t{1} << 60})).data())),
            uint64_t{1} << 60);
}

struct EntriesCase {
  std::string name;
  std::vector<uint16_t> entries;
  uint64_t first_row;
  bool is_allowed;
};

class RowIndexEntriesTest : public ::testing::TestWithParam<EntriesCase> {};

TEST_P(RowIndexEntriesTest, AreCheckedAgainstThePage) {
  const auto& c = GetParam();
  const RowIndexShape shape{.num_rows = 3, .entry_bytes = 2, .data_bytes = 500};
  const std::string bytes = Numbers(c.entries);

  const auto status = shape.CheckEntries(AsBytes(bytes), c.first_row);

  EXPECT_EQ(status.ok(), c.is_allowed) << status.ToString();
}

INSTANTIATE_TEST_SUITE_P(All, RowIndexEntriesTest,
                         ::testing::ValuesIn<EntriesCase>({
                             {"Whole", {0, 7, 7, 500}, 0, true},
                             {"Middle", {7, 9}, 1, true},
                             {"FirstIsNot0", {1, 7, 8, 500}, 0, false},
                             {"LastIsNotTheEnd", {0, 7, 8, 499}, 0, false},
                             {"LastAloneIsNotTheEnd", {499}, 3, false},
                             {"Falls", {0, 8, 7, 500}, 0, false},
                             {"BehindTheEnd", {7, 501}, 1, false},
                         }),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
