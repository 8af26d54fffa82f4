#include "lance/format/file_version.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsNotImplemented;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ParseFileVersion, TakesTheNamesOfVersionsThatWeWrite) {
  const std::pair<const char*, FileVersion> cases[] = {{"2.0", FileVersion::k2_0},
                                                       {"0.3", FileVersion::k2_0},
                                                       {"2.1", FileVersion::k2_1},
                                                       {"2.2", FileVersion::k2_2},
                                                       {"stable", FileVersion::k2_1}};
  for (const auto& [name, version] : cases) {
    EXPECT_EQ(ParseFileVersion(name).ValueOrDie(), version) << name;
  }
}

TEST(ParseFileVersion, SaysWhatToDoAboutVersionsThatWeDoNotHave) {
  for (const char* name : {"legacy", "0.1"}) {
    EXPECT_THAT(ParseFileVersion(name), IsNotImplemented(AllOf(HasSubstr("format 0.1 (legacy)"),
                                                               HasSubstr("rewrite the table"))));
  }
  for (const std::string name : {"2.3", "next"}) {
    const auto parsed = ParseFileVersion(name);
    EXPECT_THAT(parsed, IsNotImplemented(AllOf(HasSubstr("format " + name),
                                               HasSubstr("write the table with version 2.0"))));
    EXPECT_NE(UnsupportedFeature::From(parsed.status()), nullptr);
  }
}

TEST(ParseFileVersion, RefusesOtherTextsAndSaysWhatIsAllowed) {
  for (const char* name : {"", "2", "2.10", "v2.1", "2.1 ", "Stable"}) {
    EXPECT_THAT(ParseFileVersion(name),
                IsInvalid(AllOf(HasSubstr(std::string("\"") + name + "\""),
                                HasSubstr("allowed: 2.0, 2.1, 2.2, stable"))));
  }
}

TEST(FileVersionFromManifest, KnowsThePublishedNumbers) {
  EXPECT_EQ(FileVersionFromManifest(2, 0).ValueOrDie(), FileVersion::k2_0);
  EXPECT_EQ(FileVersionFromManifest(0, 3).ValueOrDie(), FileVersion::k2_0);
  EXPECT_EQ(FileVersionFromManifest(2, 1).ValueOrDie(), FileVersion::k2_1);
  EXPECT_EQ(FileVersionFromManifest(2, 2).ValueOrDie(), FileVersion::k2_2);
  EXPECT_THAT(FileVersionFromManifest(0, 2), IsNotImplemented(HasSubstr("0.1 (legacy)")));
  EXPECT_THAT(FileVersionFromManifest(0, 0), IsNotImplemented(HasSubstr("0.1 (legacy)")));
  EXPECT_THAT(FileVersionFromManifest(2, 3), IsNotImplemented(HasSubstr("2.3")));
  EXPECT_THAT(FileVersionFromManifest(1, 1), IsNotImplemented(HasSubstr("1.1")));
  EXPECT_THAT(FileVersionFromManifest(4294967295u, 65537),
              IsNotImplemented(HasSubstr("4294967295.65537")));
}

TEST(FileVersion, IsNamedAsManifestsDo) {
  EXPECT_EQ(ToString(FileVersion::k2_0), "2.0");
  EXPECT_EQ(ToString(FileVersion::k2_1), "2.1");
  EXPECT_EQ(ToString(FileVersion::k2_2), "2.2");
}

}  // namespace
}  // namespace lance::format
