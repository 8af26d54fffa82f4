#include "lance/table/tags.h"

#include <gtest/gtest.h>

#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using ::lance::testing::IsInvalid;
using ::lance::testing::IsOk;
using ::lance::testing::IsSerializationError;
using ::testing::HasSubstr;

TEST(TagName, MayBeOfAnyScript) {
  for (const char* name :
       {"v1", "a.b-c_d", "main", "_", "-", "\u00E9", "\u65E5\u672C", "\u0663", "\u00B2"}) {
    EXPECT_THAT(CheckTagName(name), IsOk()) << name;
  }
}

TEST(TagName, RefusesWhatTheReferenceRefuses) {
  for (const char* name : {"", ".x", "x.", "a..b", "a/b", "x.lock", "a b", "%41", "a\xFF", "a\n",
                           "a\xCC\x81" /* a letter and an accent on its own */}) {
    EXPECT_THAT(CheckTagName(name), IsInvalid(HasSubstr("tag name"))) << name;
  }
}

TEST(Tag, ComesBackAsItWasWritten) {
  const Tag tag{.name = "v1",
                .branch = "side",
                .version = uint64_t{1} << 60,
                .created_at = Timestamp(std::chrono::nanoseconds(1764498442475163888)),
                .updated_at = std::nullopt,
                .manifest_size = 369,
                .metadata = {{"why", "\"quoted\""}}};
  LANCE_ASSERT_OK_AND_ASSIGN(const Tag read, ParseTag("v1", SerializeTag(tag)));
  EXPECT_EQ(read, tag);
}

TEST(Tag, ReadsWhatOldWritersWrote) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Tag tag,
                             ParseTag("t", R"({"version": 3, "manifestSize": 10, "other": [1]})"));
  EXPECT_EQ(tag, (Tag{.name = "t", .version = 3, .manifest_size = 10}));
}

TEST(Tag, RefusesWhatIsNoDescription) {
  for (const char* json :
       {"", "[]", "null", "{", R"({"version": 3})", R"({"version": "3", "manifestSize": 1})",
        R"({"version": -3, "manifestSize": 1})", R"({"version": 1.5, "manifestSize": 1})",
        R"({"version": 1, "manifestSize": 1, "branch": 7})",
        R"({"version": 1, "manifestSize": 1, "createdAt": "yesterday"})",
        R"({"version": 1, "manifestSize": 1, "metadata": {"a": 1}})"}) {
    EXPECT_THAT(ParseTag("t", json), IsSerializationError()) << json;
  }
}

}  // namespace
}  // namespace lance::table
