#include "lance/testing/seeded_random.h"

#include "lance/testing/matchers.h"

namespace lance::testing {
namespace {

TEST(SeededRandom, RepeatsWithItsSeed) {
  SeededRandom first(7), second(7), other(8);

  EXPECT_EQ(first.Next(), second.Next());
  EXPECT_EQ(first.Next(), second.Next());
  EXPECT_NE(first.Next(), other.Next());
}

TEST(SeededRandom, StaysInItsBounds) {
  SeededRandom random(7);
  bool saw_lowest = false, saw_highest = false;
  for (int i = 0; i < 1000; ++i) {
    const int64_t value = random.Between(-2, 2);
    ASSERT_GE(value, -2);
    ASSERT_LE(value, 2);
    saw_lowest |= value == -2;
    saw_highest |= value == 2;
    ASSERT_LT(random.Fraction(), 1.0);
  }

  EXPECT_TRUE(saw_lowest && saw_highest);
}

TEST(TestSeed, ReadsTheEnvironment) {
  const char* before = std::getenv("LANCE_TEST_SEED");
  const std::string kept = before == nullptr ? "" : before;
  setenv("LANCE_TEST_SEED", "18446744073709551615", 1);

  EXPECT_EQ(TestSeed(), UINT64_MAX);
  EXPECT_EQ(SeedMessage(), "LANCE_TEST_SEED=18446744073709551615");

  setenv("LANCE_TEST_SEED", kept.c_str(), 1);
}

}  // namespace
}  // namespace lance::testing
