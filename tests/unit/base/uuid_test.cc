#include "lance/base/uuid.h"

#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance {
namespace {

using lance::testing::IsInvalid;
using lance::testing::SeededRandom;
using ::testing::HasSubstr;

/// Gives the same number for ever.
class ConstantRandom : public RandomSource {
 public:
  explicit ConstantRandom(uint64_t value) : value_(value) {}
  uint64_t Next() override { return value_; }

 private:
  uint64_t value_;
};

TEST(Uuid, RandomSetsVersionAndVariantAndNothingElse) {
  ConstantRandom zeros(0);
  ConstantRandom ones(UINT64_MAX);

  EXPECT_EQ(Uuid::Random(zeros).ToString(), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(Uuid::Random(ones).ToString(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(Uuid, ParsesEitherCaseToTheBytesInTextOrder) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Uuid uuid, Uuid::Parse("8D6219aa-b189-4ff9-b5c3-28b11883dbF1"));

  const std::array<uint8_t, 16> expected{0x8d, 0x62, 0x19, 0xaa, 0xb1, 0x89, 0x4f, 0xf9,
                                         0xb5, 0xc3, 0x28, 0xb1, 0x18, 0x83, 0xdb, 0xf1};
  EXPECT_EQ(uuid.bytes, expected);
  EXPECT_EQ(uuid.ToString(), "8d6219aa-b189-4ff9-b5c3-28b11883dbf1");
}

TEST(Uuid, RefusesOtherForms) {
  for (const char* text :
       {"", "8d6219aab1894ff9b5c328b11883dbf1", "8d6219aa-b189-4ff9-b5c3-28b11883dbf",
        "8d6219aa-b189-4ff9-b5c3-28b11883dbf11", "8d6219aa-b189-4ff9-b5c3-28b11883dbfg",
        "8d6219aab-189-4ff9-b5c3-28b11883dbf1", "{d6219aa-b189-4ff9-b5c3-28b11883dbf}"}) {
    EXPECT_THAT(Uuid::Parse(text), IsInvalid(HasSubstr("8-4-4-4-12"))) << text;
  }
}

TEST(Uuid, ComparesAsItsTextDoes) {
  SeededRandom random;
  for (int round = 0; round < 200; ++round) {
    const Uuid lhs = Uuid::Random(random);
    const Uuid rhs = Uuid::Random(random);
    ASSERT_EQ(lhs < rhs, lhs.ToString() < rhs.ToString());
  }
}

TEST(SystemRandom, DoesNotRepeat) {
  std::set<uint64_t> seen;
  for (int i = 0; i < 10000; ++i) seen.insert(SystemRandom().Next());

  EXPECT_EQ(seen.size(), 10000u);
}

TEST(SystemRandom, ChildAndParentDoNotShareTheirNumbers) {
  (void)SystemRandom().Next();  // whatever it may keep is there before the fork
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const uint64_t value = SystemRandom().Next();
    _exit(write(ends[1], &value, sizeof(value)) == sizeof(value) ? 0 : 1);
  }

  const uint64_t ours = SystemRandom().Next();
  uint64_t theirs = 0;
  ASSERT_EQ(read(ends[0], &theirs, sizeof(theirs)), static_cast<ssize_t>(sizeof(theirs)));
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);

  EXPECT_NE(ours, theirs);
}

}  // namespace
}  // namespace lance
