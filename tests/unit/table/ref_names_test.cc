#include "lance/table/ref_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/testing/matchers.h"

namespace lance::table {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::Optional;

struct RefusedName {
  std::string name;
  std::string problem;
};

class RefusedBranchNameTest : public ::testing::TestWithParam<RefusedName> {};

TEST_P(RefusedBranchNameTest, SaysWhatIsWrong) {
  EXPECT_THAT(CheckBranchName(GetParam().name), IsInvalid(HasSubstr(GetParam().problem)));
  EXPECT_THAT(CheckNewBranchName(GetParam().name), IsInvalid(HasSubstr(GetParam().problem)));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedBranchNameTest,
    ::testing::Values(
        RefusedName{"", "is empty"}, RefusedName{"main", "kept for the main branch"},
        RefusedName{"/a", "begins or ends with a '/'"},
        RefusedName{"a/", "begins or ends with a '/'"}, RefusedName{"a//b", "two '/' in a row"},
        RefusedName{"a/../b", "two dots in a row"}, RefusedName{"a..b", "two dots in a row"},
        RefusedName{".", "only a dot"}, RefusedName{"a/./b", "only a dot"},
        RefusedName{"a.lock", "ends with .lock"}, RefusedName{"a b", "other characters"},
        RefusedName{"a\\b", "other characters"}, RefusedName{"a\xff", "other characters"},
        RefusedName{std::string("a\0b", 3), "other characters"}));

TEST(CheckBranchName, TakesLettersOfAnyScriptInSegments) {
  for (const char* name : {"a", "a/b.c_d-9", ".a", "a.", "a.lock/b", "Main", "x/main", "data",
                           "_versions/x", "\u00e9/\u65e5\u672c"}) {
    EXPECT_THAT(CheckBranchName(name), IsOk()) << name;
    EXPECT_THAT(CheckNewBranchName(name), IsOk()) << name;
  }
}

TEST(CheckNewBranchName, RefusesWhatOtherWritersDoHarmWith) {
  for (const char* name : {"main/x", "main/x/y", "a/data", "a/data/b", "a/b/_versions"}) {
    EXPECT_THAT(CheckBranchName(name), IsOk()) << name;  // they can be opened and deleted
    EXPECT_THAT(CheckNewBranchName(name), IsInvalid(HasSubstr(name))) << name;
  }
}

TEST(RefNames, AreOneComponentOfAPathAndComeBack) {
  EXPECT_EQ(EncodeRefName("feature/x-2"), "feature%2Fx-2");
  EXPECT_EQ(EncodeRefName("\u00e9"), "%C3%A9");
  for (const char* name : {"a", "a/b/c", "\u65e5\u672c/x", "a.b_c-d"}) {
    EXPECT_THAT(DecodeRefName(EncodeRefName(name)), Optional(std::string(name)));
  }
  for (const char* broken : {"a%", "a%2", "a%2g", "%zz"}) {
    EXPECT_EQ(DecodeRefName(broken), std::nullopt) << broken;
  }
  EXPECT_EQ(BranchFolder("a/b"), "tree/a/b");
}

TEST(IsTableFolder, KnowsThoseOfATable) {
  EXPECT_TRUE(IsTableFolder("data"));
  EXPECT_TRUE(IsTableFolder("_clustering"));
  EXPECT_TRUE(IsTableFolder("_refs"));
  EXPECT_FALSE(IsTableFolder("tree"));
  EXPECT_FALSE(IsTableFolder(""));
}

}  // namespace
}  // namespace lance::table
