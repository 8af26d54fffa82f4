#include "lance/testing/matchers.h"

#include <memory>
#include <sstream>

namespace lance::testing {
namespace {

using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

const arrow::Status kNotFound =
    arrow::Status::KeyError("no tag v1").WithDetail(std::make_shared<NotFound>("tag", "v1"));

template <typename Matcher, typename Value>
std::string Explain(const Matcher& matcher, const Value& value) {
  ::testing::StringMatchResultListener listener;
  ::testing::SafeMatcherCast<const Value&>(matcher).MatchAndExplain(value, &listener);
  return listener.str();
}

TEST(HasStatus, ComparesCodeAndMessageOfStatusAndResult) {
  EXPECT_THAT(kNotFound, IsKeyError());
  EXPECT_THAT(kNotFound, IsKeyError("no tag v1"));
  EXPECT_THAT(kNotFound, IsKeyError(HasSubstr("v1")));
  EXPECT_THAT(arrow::Result<int>(kNotFound), IsKeyError("no tag v1"));
  EXPECT_THAT(kNotFound, Not(IsKeyError("no tag")));
  EXPECT_THAT(kNotFound, Not(IsInvalid()));
  EXPECT_THAT(kNotFound, Not(IsOk()));
}

TEST(IsOk, MatchesOnlySuccess) {
  EXPECT_THAT(arrow::Status::OK(), IsOk());
  EXPECT_THAT(arrow::Result<int>(3), IsOk());
  EXPECT_THAT(arrow::Status::OK(), Not(IsInvalid()));
}

TEST(IsOk, ShowsTheFailure) { EXPECT_THAT(Explain(IsOk(), kNotFound), HasSubstr("no tag v1")); }

TEST(HasDetail, LooksIntoTheDetail) {
  EXPECT_THAT(kNotFound, HasDetail<NotFound>());
  EXPECT_THAT(kNotFound, HasDetail<NotFound>(Field(&NotFound::kind, "tag")));
  EXPECT_THAT(kNotFound, Not(HasDetail<NotFound>(Field(&NotFound::kind, "version"))));
  EXPECT_THAT(kNotFound, Not(HasDetail<CorruptFile>()));
  EXPECT_THAT(arrow::Status::OK(), Not(HasDetail<NotFound>()));
  EXPECT_THAT(arrow::Result<int>(kNotFound), HasDetail<NotFound>());
}

TEST(IsOkAndHolds, ComparesTheValue) {
  EXPECT_THAT(arrow::Result<int>(3), IsOkAndHolds(3));
  EXPECT_THAT(arrow::Result<int>(3), IsOkAndHolds(::testing::Gt(2)));
  EXPECT_THAT(arrow::Result<int>(3), Not(IsOkAndHolds(4)));
  EXPECT_THAT(arrow::Result<int>(kNotFound), Not(IsOkAndHolds(3)));
  EXPECT_THAT(Explain(IsOkAndHolds(3), arrow::Result<int>(kNotFound)), HasSubstr("no tag v1"));
}

TEST(AssertOkAndAssign, MovesTheValueOut) {
  arrow::Result<std::unique_ptr<int>> result(std::make_unique<int>(5));

  LANCE_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<int> value, std::move(result));

  EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace lance::testing
