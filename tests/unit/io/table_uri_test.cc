#include "lance/io/table_uri.h"

#include <filesystem>

#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsOkAndHolds;
using lance::testing::SeededRandom;
using ::testing::HasSubstr;

struct SplitCase {
  std::string name;
  std::string uri;
  std::string scheme;
  std::string location;
};

class SplitTableUriTest : public ::testing::TestWithParam<SplitCase> {};

TEST_P(SplitTableUriTest, FindsSchemeAndLocation) {
  const TableUri uri = SplitTableUri(GetParam().uri);

  EXPECT_EQ(uri.scheme, GetParam().scheme);
  EXPECT_EQ(uri.location, GetParam().location);
}

INSTANTIATE_TEST_SUITE_P(All, SplitTableUriTest,
                         ::testing::ValuesIn<SplitCase>({
                             {"AbsolutePath", "/a/b", "", "/a/b"},
                             {"RelativePath", "a/b", "", "a/b"},
                             {"Nothing", "", "", ""},
                             {"PathWithColon", "/a:b/c", "", "/a:b/c"},
                             {"ColonWithoutSlashes", "file:/a", "", "file:/a"},
                             {"OneLetter", "c://a", "", "c://a"},
                             {"SeparatorInsideAPath", "/a/b://c", "", "/a/b://c"},
                             {"SpaceBeforeSeparator", "my table://c", "", "my table://c"},
                             {"File", "file:///a%20b", "file", "/a%20b"},
                             {"UpperCase", "FILE:///A", "file", "/A"},
                             {"Memory", "memory://name", "memory", "name"},
                             {"SchemeWithPlus", "s3+ddb://b/k", "s3+ddb", "b/k"},
                             {"SecondSeparatorBelongsToTheLocation", "s3://b/a://c", "s3",
                              "b/a://c"},
                         }),
                         [](const auto& param) { return param.param.name; });

TEST(PercentDecode, DecodesOnce) {
  EXPECT_THAT(PercentDecode("a%20b", "u"), IsOkAndHolds("a b"));
  EXPECT_THAT(PercentDecode("a%2520b", "u"), IsOkAndHolds("a%20b"));
  EXPECT_THAT(PercentDecode("%E6%97%a5+", "u"), IsOkAndHolds("\xe6\x97\xa5+"));
  EXPECT_THAT(PercentDecode("%41", "u"), IsOkAndHolds("A"));
}

TEST(PercentDecode, RefusesWhatIsNoEncodedByte) {
  for (const char* text : {"%", "a%2", "%zz", "%2x", "%%", "%00", "100%"}) {
    EXPECT_THAT(PercentDecode(text, "file:///t"), IsInvalid(HasSubstr("file:///t"))) << text;
  }
}

TEST(PercentEncode, IsUndoneByDecode) {
  EXPECT_EQ(PercentEncode("a b%/\xc3\xa9~"), "a%20b%25/%C3%A9~");

  SeededRandom random;
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (uint64_t i = random.Below(20); i > 0; --i) {
      text.push_back(static_cast<char>(1 + random.Below(255)));
    }
    ASSERT_THAT(PercentDecode(PercentEncode(text), "u"), IsOkAndHolds(text));
  }
}

TEST(FilePathOf, TakesNoHostOrLocalhost) {
  EXPECT_THAT(FilePathOf({"file", "/a%20b"}), IsOkAndHolds("/a b"));
  EXPECT_THAT(FilePathOf({"file", "localhost/a"}), IsOkAndHolds("/a"));
}

TEST(FilePathOf, RefusesHostsQueriesAndFragments) {
  EXPECT_THAT(FilePathOf({"file", "relative/a"}), IsInvalid(HasSubstr("file://relative/a")));
  EXPECT_THAT(FilePathOf({"file", ""}), IsInvalid());
  EXPECT_THAT(FilePathOf({"file", "/a?b"}), IsInvalid(HasSubstr("%3F")));
  EXPECT_THAT(FilePathOf({"file", "/a#b"}), IsInvalid(HasSubstr("%23")));
}

TEST(NormalizeLocalPath, MakesPathsAbsoluteAndNormal) {
  const std::string here = std::filesystem::current_path().string();

  EXPECT_THAT(NormalizeLocalPath("/a/b/"), IsOkAndHolds("/a/b"));
  EXPECT_THAT(NormalizeLocalPath("/a/./b//c/../d///"), IsOkAndHolds("/a/b/d"));
  EXPECT_THAT(NormalizeLocalPath("/../a"), IsOkAndHolds("/a"));
  EXPECT_THAT(NormalizeLocalPath("/"), IsOkAndHolds("/"));
  EXPECT_THAT(NormalizeLocalPath("t.lance"), IsOkAndHolds(here + "/t.lance"));
  EXPECT_THAT(NormalizeLocalPath("./x/../t.lance/"), IsOkAndHolds(here + "/t.lance"));
  EXPECT_THAT(NormalizeLocalPath("."), IsOkAndHolds(here));
}

TEST(NormalizeLocalPath, RefusesNothingAndNul) {
  EXPECT_THAT(NormalizeLocalPath(""), IsInvalid(HasSubstr("empty")));
  EXPECT_THAT(NormalizeLocalPath(std::string("a\0b", 3)), IsInvalid());
}

}  // namespace
}  // namespace lance
