// The bytes of small pages, written down by hand from file-format 8 and 13.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "written_column.h"

namespace lance::format {
namespace {

/// Bytes from hexadecimal digits; spaces do not count.
std::string Hex(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits += c;
  }
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

TEST(PageBytes, IntegersWithANull) {
  const auto page = Write(FromJson(arrow::int32(), "[1, 2, null, 4]"));

  ASSERT_EQ(page->page().buffers.size(), 2u);
  EXPECT_EQ(page->Buffer(0), Hex("30 00"));
  EXPECT_EQ(page->Buffer(1), Hex("04 00 08 00 10 00 FE FE"
                                 "00 00 00 00 01 00 00 00"
                                 "01 00 00 00 02 00 00 00 02 00 00 00 04 00 00 00"));
}

TEST(PageBytes, IntegersWithANullIn22) {
  const auto page =
      Write(FromJson(arrow::int32(), "[1, 2, null, 4]"), {.version = FileVersion::k2_2});

  EXPECT_EQ(page->Buffer(0), Hex("30 00 00 00"));
  EXPECT_EQ(page->Buffer(1), Hex("04 00 08 00 10 00 00 00"
                                 "00 00 00 00 01 00 00 00"
                                 "01 00 00 00 02 00 00 00 02 00 00 00 04 00 00 00"));
}

TEST(PageBytes, NullsAtTheStartHoldTheFirstValue) {
  const auto page = Write(FromJson(arrow::int8(), "[null, null, 7, 8, 9, 11, 12, 13]"));

  EXPECT_EQ(page->Buffer(1).substr(8 + 16), Hex("07 07 07 08 09 0B 0C 0D"));
}

TEST(PageBytes, Texts) {
  const auto page = Write(FromJson(arrow::utf8(), R"(["x", "yy", null, "w"])"));

  EXPECT_EQ(page->Buffer(0), Hex("40 00"));
  EXPECT_EQ(page->Buffer(1), Hex("04 00 08 00 18 00 FE FE"
                                 "00 00 00 00 01 00 00 00"
                                 "14 00 00 00 15 00 00 00 17 00 00 00 17 00 00 00 18 00 00 00"
                                 "78 79 79 77"));
}

TEST(PageBytes, Lists) {
  const auto page = Write(FromJson(arrow::list(arrow::int32()), "[[1, 2], null, [], [3, null]]"));

  ASSERT_EQ(page->page().buffers.size(), 3u);
  EXPECT_EQ(page->Buffer(0), Hex("60 00"));
  EXPECT_EQ(page->Buffer(1), Hex("06 00 0C 00 0C 00 10 00"
                                 "01 00 00 00 01 00 01 00 01 00 00 00 FE FE FE FE"
                                 "00 00 00 00 02 00 03 00 00 00 01 00 FE FE FE FE"
                                 "01 00 00 00 02 00 00 00 03 00 00 00 03 00 00 00"));
  EXPECT_EQ(page->Buffer(2), Hex("04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"));
}

TEST(PageBytes, BoolsAreBitsWithZerosBehindThem) {
  const auto page = Write(FromJson(arrow::boolean(), "[true, false, true]"));

  EXPECT_EQ(page->Buffer(1), Hex("00 00 01 00 FE FE FE FE 05 FE FE FE FE FE FE FE"));
}

TEST(PageBytes, ZippedTexts) {
  const auto page = Write(FromJson(arrow::utf8(), R"(["abc", null, "", "de"])"),
                          {.metadata = {{"lance-encoding:structural-encoding", "fullzip"}}});

  EXPECT_EQ(page->Buffer(0), Hex("00 03 00 00 00 61 62 63 01 00 00 00 00 00 00 02 00 00 00 64 65"));
  EXPECT_EQ(page->Buffer(1), Hex("00 08 09 0E 15"));
}

TEST(PageBytes, ZippedLists) {
  const auto page =
      Write(FromJson(arrow::list(arrow::utf8()), R"([["abc", null], null, [], ["de"]])"),
            {.metadata = {{"lance-encoding:structural-encoding", "fullzip"}}});

  EXPECT_EQ(page->Buffer(0), Hex("04 03 00 00 00 61 62 63 01 06 07 04 02 00 00 00 64 65"));
  EXPECT_EQ(page->Buffer(1), Hex("00 09 0A 0B 12"));
}

TEST(PageBytes, ZippedVectorsHaveTheirBitsInFront) {
  const auto page = Write(FromJson(arrow::fixed_size_list(arrow::int16(), 2), "[[1, null], null]"),
                          {.metadata = {{"lance-encoding:structural-encoding", "fullzip"}}});

  ASSERT_EQ(page->page().buffers.size(), 1u);
  EXPECT_EQ(page->Buffer(0), Hex("00 01 01 00 00 00 01 03 00 00 00 00"));
}

TEST(PageBytes, ConstantText) {
  const auto page = Write(FromJson(arrow::utf8(), R"(["xyz", "xyz", null, "xyz"])"),
                          {.version = FileVersion::k2_2});

  ASSERT_EQ(page->page().buffers.size(), 3u);
  EXPECT_EQ(page->Buffer(0), Hex("02 00 00 00 08 00 00 00 03 00 00 00 00 00 00 00 03 00 00 00"
                                 "78 79 7A"));
  EXPECT_EQ(page->Buffer(1), "");
  EXPECT_EQ(page->Buffer(2), Hex("00 00 00 00 01 00 00 00"));
}

TEST(PageBytes, ConstantLargeText) {
  const auto page =
      Write(FromJson(arrow::large_utf8(), R"(["xy", "xy"])"), {.version = FileVersion::k2_2});

  ASSERT_EQ(page->page().buffers.size(), 1u);
  EXPECT_EQ(page->Buffer(0), Hex("02 00 00 00 10 00 00 00 02 00 00 00"
                                 "00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 78 79"));
}

TEST(PageBytes, AllNullStructsKeepTheirLevels) {
  const auto type = arrow::struct_({arrow::field("a", arrow::int32())});
  const auto page = Write(FromJson(type, R"([null, {"a": null}])"));

  ASSERT_EQ(page->page().buffers.size(), 2u);
  EXPECT_EQ(page->Buffer(0), "");
  EXPECT_EQ(page->Buffer(1), Hex("02 00 01 00"));
}

TEST(PageBytes, DictionaryOfOneText) {
  const auto value = FromJson(arrow::utf8(), R"(["hello"])")->GetScalar(0).ValueOrDie();
  const auto page = Write(arrow::MakeArrayFromScalar(*value, 200).ValueOrDie());

  ASSERT_EQ(page->page().buffers.size(), 3u);
  EXPECT_EQ(page->Buffer(2), Hex("20 00 00 00 10 00 00 00 00 00 00 00 05 00 00 00 68 65 6C 6C 6F"));
}

TEST(PageBytes, BlobsAreDescribedByPages) {
  const auto array = FromJson(arrow::large_binary(), R"(["abc", null, "", "d"])");
  const auto page = Write(array, {.metadata = {{"lance-encoding:blob", "true"}}});

  EXPECT_EQ(DescribePage(page->page(), FileVersion::k2_1),
            "Blob(MiniBlock(PackedStruct(Flat{128}), layers [1]), layers [3])");
  EXPECT_EQ(page->sink.At({0, 3}), "abc");
  EXPECT_EQ(page->sink.At({64, 1}), "d");
  EXPECT_EQ(page->Buffer(1), Hex("00 00 40 00 FE FE FE FE"
                                 "00 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00"
                                 "00 00 01 00 00 00 00 00 00 00 00 00 00 00 00 00"
                                 "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
                                 "40 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"));
}

}  // namespace
}  // namespace lance::format
