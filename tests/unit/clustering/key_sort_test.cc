#include "lance/clustering/key_sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/api.h"
#include "lance/testing/matchers.h"

namespace lance::clustering {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<arrow::Array> Keys(const std::vector<std::string>& keys, int32_t key_bytes) {
  arrow::FixedSizeBinaryBuilder builder(arrow::fixed_size_binary(key_bytes));
  for (const std::string& key : keys) EXPECT_TRUE(builder.Append(key).ok());
  return builder.Finish().ValueOrDie();
}

TEST(SortByKey, KeepsTheOrderOfEqualKeys) {
  EXPECT_THAT(SortByKey(arrow::ChunkedArray(Keys({"b", "a", "b", "a"}, 1))),
              IsOkAndHolds(ElementsAre(1, 3, 0, 2)));
}

TEST(SortByKey, ComparesUnsignedBytes) {
  EXPECT_THAT(SortByKey(arrow::ChunkedArray(Keys({"\xff\x01", "\x7f\x02", "\x80\x03"}, 2))),
              IsOkAndHolds(ElementsAre(1, 2, 0)));
}

TEST(SortByKey, LooksBeyondTheFirstEightBytes) {
  EXPECT_THAT(SortByKey(arrow::ChunkedArray(Keys({"12345678bb", "12345678ba", "12345677zz"}, 10))),
              IsOkAndHolds(ElementsAre(2, 1, 0)));
}

TEST(SortByKey, NumbersRowsOverAllChunks) {
  const arrow::ChunkedArray keys(
      {Keys({"d", "b"}, 1), Keys({}, 1), Keys({"c", "x", "a"}, 1)->Slice(0)});
  EXPECT_THAT(SortByKey(keys), IsOkAndHolds(ElementsAre(4, 1, 2, 0, 3)));
}

TEST(SortByKey, StartsAtTheOffsetOfASlice) {
  EXPECT_THAT(SortByKey(arrow::ChunkedArray(Keys({"a", "c", "b"}, 1)->Slice(1))),
              IsOkAndHolds(ElementsAre(1, 0)));
}

TEST(SortByKey, SortsNothing) {
  EXPECT_THAT(SortByKey(*arrow::ChunkedArray::MakeEmpty(arrow::fixed_size_binary(3)).ValueOrDie()),
              IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(SortByKey(arrow::ChunkedArray({}, arrow::fixed_size_binary(3))),
              IsOkAndHolds(IsEmpty()));
}

TEST(SortByKey, RefusesNullsAndOtherTypes) {
  const auto nulls = arrow::MakeArrayOfNull(arrow::fixed_size_binary(2), 3).ValueOrDie();
  EXPECT_THAT(SortByKey(arrow::ChunkedArray(nulls)), IsInvalid(HasSubstr("3 are null")));
  EXPECT_THAT(SortByKey(arrow::ChunkedArray({}, arrow::binary())),
              IsInvalid(HasSubstr("have type binary; expected fixed_size_binary")));
}

}  // namespace
}  // namespace lance::clustering
