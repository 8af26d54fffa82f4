#include "lance/format/footer.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"

namespace lance::format {
namespace {

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

// file-format 13.3: two columns, one global buffer, 641 bytes.
constexpr uint64_t kFileSize = 0x281;

Footer Example() {
  return {.column_metadata_start = 0x13D,
          .column_table_start = 0x229,
          .buffer_table_start = 0x249,
          .num_global_buffers = 1,
          .num_columns = 2,
          .major_version = 2,
          .minor_version = 1};
}

std::string BytesOf(const Footer& footer) {
  std::string bytes;
  AppendFooter(footer, &bytes);
  return bytes;
}

TEST(Footer, HasTheBytesOfThePublishedExample) {
  const std::string expected(
      "\x3D\x01\0\0\0\0\0\0\x29\x02\0\0\0\0\0\0\x49\x02\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x02\0\x01\0"
      "LANC",
      40);
  EXPECT_EQ(BytesOf(Example()), expected);

  const auto parsed = ParseFooter(AsBytes(expected), kFileSize);

  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(*parsed, Example());
}

struct BrokenFooterCase {
  std::string name;
  std::function<void(Footer*)> change;
  std::string expected;
};

class BrokenFooterTest : public ::testing::TestWithParam<BrokenFooterCase> {};

TEST_P(BrokenFooterTest, IsRefusedNamingTheField) {
  Footer footer = Example();
  GetParam().change(&footer);
  EXPECT_THAT(ParseFooter(AsBytes(BytesOf(footer)), kFileSize),
              IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenFooterTest,
    ::testing::ValuesIn<BrokenFooterCase>({
        {"BufferTableBehindFooter", [](Footer* f) { f->buffer_table_start = 0x25A; },
         "global_buff_offsets_start"},
        {"BufferTableHuge", [](Footer* f) { f->buffer_table_start = ~uint64_t{0}; },
         "global_buff_offsets_start"},
        {"ColumnTableBehindBufferTable", [](Footer* f) { f->column_table_start = 0x24A; },
         "column_meta_offsets_start is"},
        {"MetadataBehindColumnTable", [](Footer* f) { f->column_metadata_start = 0x22A; },
         "column_meta_start is"},
        {"OneColumnMore", [](Footer* f) { f->num_columns = 3; }, "num_columns is 3"},
        {"OneColumnLess", [](Footer* f) { f->num_columns = 1; }, "num_columns is 1"},
        {"HugeColumnCount", [](Footer* f) { f->num_columns = ~uint32_t{0}; }, "num_columns"},
        {"NoGlobalBuffer", [](Footer* f) { f->num_global_buffers = 0; }, "num_global_buffers is 0"},
        {"TooManyGlobalBuffers", [](Footer* f) { f->num_global_buffers = 2; },
         "num_global_buffers is 2"},
        {"HugeGlobalBufferCount", [](Footer* f) { f->num_global_buffers = ~uint32_t{0}; },
         "num_global_buffers"},
    }),
    [](const auto& test) { return test.param.name; });

struct VersionCase {
  std::string name;
  uint16_t major;
  uint16_t minor;
  bool is_read;
};

class VersionTest : public ::testing::TestWithParam<VersionCase> {};

TEST_P(VersionTest, IsReadOrNotImplemented) {
  Footer footer = Example();
  footer.major_version = GetParam().major;
  footer.minor_version = GetParam().minor;

  const auto parsed = ParseFooter(AsBytes(BytesOf(footer)), kFileSize);

  if (GetParam().is_read) {
    ASSERT_THAT(parsed, IsOk());
    EXPECT_EQ(*parsed, footer);
  } else {
    EXPECT_THAT(parsed, IsNotImplemented());
    EXPECT_NE(UnsupportedFeature::From(parsed.status()), nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(All, VersionTest,
                         ::testing::ValuesIn<VersionCase>({
                             {"Legacy", 0, 2, false},
                             {"TwoZero", 2, 0, true},
                             {"TwoZeroAsWritten", 0, 3, true},
                             {"TwoOne", 2, 1, true},
                             {"TwoTwo", 2, 2, true},
                             {"TwoThree", 2, 3, false},
                             {"Future", 3, 0, false},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(Footer, MarksAFileAsItsVersion) {
  Footer footer = Example();
  footer.set_version(FileVersion::k2_0);
  EXPECT_EQ(BytesOf(footer).substr(32, 4), std::string("\0\0\3\0", 4));
  footer.set_version(FileVersion::k2_2);
  EXPECT_EQ(BytesOf(footer).substr(32, 4), std::string("\2\0\2\0", 4));
}

TEST(Footer, NeedsItsMagicAndItsBytes) {
  std::string bytes = BytesOf(Example());
  EXPECT_THAT(ParseFooter(AsBytes(bytes), 39), IsSerializationError(HasSubstr("39 bytes")));
  EXPECT_THAT(ParseFooter(AsBytes(bytes.substr(1)), kFileSize), IsSerializationError());
  bytes[39] = 'D';
  EXPECT_THAT(ParseFooter(AsBytes(bytes), kFileSize),
              IsSerializationError(HasSubstr("not a Lance data file")));
}

TEST(TableEntry, IsCheckedAgainstTheRegion) {
  std::string table;
  AppendTableEntry({64, 36}, &table);
  AppendTableEntry({64, ~uint64_t{0}}, &table);
  AppendTableEntry({101, 0}, &table);

  const auto first = ParseTableEntry(AsBytes(table), 0, 100, "T");
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->offset, 64u);
  EXPECT_EQ(first->length, 36u);
  EXPECT_THAT(ParseTableEntry(AsBytes(table), 0, 99, "T"), IsSerializationError(HasSubstr("99")));
  EXPECT_THAT(ParseTableEntry(AsBytes(table), 1, 100, "T"), IsSerializationError());
  EXPECT_THAT(ParseTableEntry(AsBytes(table), 2, 100, "T"), IsSerializationError());
  EXPECT_THAT(ParseTableEntry(AsBytes(table), 3, 100, "T"), IsSerializationError());
}

}  // namespace
}  // namespace lance::format
