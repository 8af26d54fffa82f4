#include "lance/io/object_path.h"

#include "lance/io/stores.h"
#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CheckObjectPath, TakesOrdinaryAndOddNames) {
  for (const char* path : {"a", "data/a.lance", "_versions/1.manifest", "a b/c%20d", "...",
                           "..a/b..", ".hidden", "a\\b", "caf\xc3\xa9/#?*"}) {
    EXPECT_THAT(CheckObjectPath(path), IsOk()) << path;
  }
}

TEST(CheckObjectPath, RefusesEmptyAndDotComponents) {
  for (const char* path :
       {"", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b"}) {
    EXPECT_THAT(CheckObjectPath(path), IsInvalid(HasSubstr("components"))) << path;
  }
}

TEST(CheckObjectPath, RefusesControlCharactersAndDoesNotPrintThem) {
  for (const std::string& path : {std::string("a\nb"), std::string("a\0b", 3), std::string("\x7f"),
                                  std::string("\x1b[31m")}) {
    EXPECT_THAT(CheckObjectPath(path), IsInvalid(HasSubstr("control characters")));
    EXPECT_THAT(CheckObjectPath(path), IsInvalid(Not(HasSubstr(path))));
  }
}

TEST(CheckObjectPath, CutsLongPathsInItsMessage) {
  const std::string path = "../" + std::string(5000, 'x');

  EXPECT_LT(CheckObjectPath(path).message().size(), 200u);
}

TEST(IsTemporaryPath, LooksAtEveryComponent) {
  EXPECT_TRUE(IsTemporaryPath(".tmp_1"));
  EXPECT_TRUE(IsTemporaryPath("data/.tmp_1"));
  EXPECT_TRUE(IsTemporaryPath(".tmp_1/a"));
  EXPECT_FALSE(IsTemporaryPath("data/a.tmp_1"));
  EXPECT_FALSE(IsTemporaryPath(".tmp"));
  EXPECT_FALSE(IsTemporaryPath(""));
}

TEST(CheckByteRanges, TakesRangesThatEndAtTheEnd) {
  EXPECT_THAT(CheckByteRanges("x", {{0, 10}, {10, 0}, {9, 1}, {0, 0}}, 10), IsOk());
}

TEST(CheckByteRanges, NamesPathOffsetLengthAndSize) {
  EXPECT_THAT(CheckByteRanges("data/x", {{0, 10}, {3, 8}}, 10),
              IsIOError("data/x: read of offset 3, length 8 reaches past its end at 10"));
}

}  // namespace
}  // namespace lance
