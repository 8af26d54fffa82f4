// Which names are offered for one that is not there.

#include "lance/base/near_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NearNamesTest, NamesWithFewOtherLettersAreNear) {
  const std::vector<std::string> names = {"user_id", "kind", "price", "PRICE_EUR", "time"};

  EXPECT_THAT(NearNames("userid", names), ElementsAre("user_id"));
  EXPECT_THAT(NearNames("prise", names), ElementsAre("price"));
  EXPECT_THAT(NearNames("tiem", names), ElementsAre("time"));  // two letters exchanged
  EXPECT_THAT(NearNames("Kind", names), ElementsAre("kind"));
}

TEST(NearNamesTest, BeginningsAreNear) {
  EXPECT_THAT(NearNames("pri", {"price", "PRICE_EUR"}), ElementsAre("price", "PRICE_EUR"));
  EXPECT_THAT(NearNames("aa", {"a", "b"}), ElementsAre("a"));
  EXPECT_THAT(NearNames("address", {"a"}), IsEmpty());
}

TEST(NearNamesTest, OtherNamesAreNoise) {
  EXPECT_THAT(NearNames("nope", {"ok", "score", "ts"}), IsEmpty());
  EXPECT_THAT(NearNames("", {"a"}), IsEmpty());
  EXPECT_THAT(NearNames(std::string(100, 'a'), {std::string(100, 'a')}), IsEmpty());
}

TEST(NearNamesTest, AtMostThreeTheNearestFirst) {
  EXPECT_THAT(NearNames("column", {"columna", "colum", "columnab", "column_", "column"}),
              ElementsAre("column", "columna", "colum"));
}

TEST(ListNamesTest, LongListsAreCut) {
  EXPECT_EQ(ListNames({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(ListNames({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(ListNames({}, 2), "");
}

}  // namespace
}  // namespace lance
