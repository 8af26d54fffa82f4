#include "lance/format/data_file_reader.h"

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_file.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"
#include "lance_encodings21.pb.h"
#include "written_file.h"

namespace lance::format {
namespace {

namespace pb = lance_pb::encodings21;

using arrow::json::ArrayFromJSONString;
using lance::testing::IsCancelled;
using lance::testing::IsIndexError;
using lance::testing::IsKeyError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& text) {
  return ArrayFromJSONString(type, text).ValueOrDie();
}

LanceSchema OneField(const std::string& logical_type) {
  return {.fields = {{.name = "x",
                      .id = 0,
                      .logical_type = logical_type,
                      .metadata = {},
                      .unknown_fields = ""}},
          .metadata = {}};
}

std::string Utf8Dictionary(const std::vector<std::string>& items) {
  std::string bytes;
  AppendLittleEndian<uint32_t>(32, &bytes);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(8 + 4 * (items.size() + 1)), &bytes);
  uint32_t end = 0;
  AppendLittleEndian(end, &bytes);
  for (const auto& item : items) {
    AppendLittleEndian(end += static_cast<uint32_t>(item.size()), &bytes);
  }
  for (const auto& item : items) bytes += item;
  return bytes;
}

/// One page of four rows with a dictionary of two words; row 2 is null.
HandMadePage DictionaryPage(const std::vector<uint32_t>& indices) {
  pb::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_def_compression()->mutable_flat()->set_bits_per_value(16);
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  mini->mutable_dictionary()
      ->mutable_variable()
      ->mutable_offsets()
      ->mutable_flat()
      ->set_bits_per_value(32);
  mini->set_num_dictionary_items(2);
  mini->add_layers(pb::REPDEF_NULLABLE_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(4);
  std::string chunk("\4\0\x08\0\x10\0\xFE\xFE\0\0\0\0\1\0\0\0", 16);
  for (const uint32_t index : indices) AppendLittleEndian(index, &chunk);
  return {.encoding = PackEncoding(layout.SerializeAsString(), "lance.encodings21.PageLayout"),
          .buffers = {std::string("\x30\0", 2), chunk, Utf8Dictionary({"ab", "c"})},
          .num_rows = 4};
}

TEST(DataFileReader, ReadsDictionaryPages) {
  const HandMadeFile file{
      .schema = OneField("string"), .num_rows = 4, .columns = {{DictionaryPage({1, 0, 9, 1})}}};
  const auto reader = OpenBytes(file.Build());
  ASSERT_THAT(reader, IsOk());

  const auto all = ReadAll(**reader, 0, arrow::utf8());
  const auto some = Read(**reader, 0, arrow::utf8(), RowRanges::Make({{1, 3}}));

  ASSERT_THAT(all, IsOk());
  EXPECT_TRUE((*all)->Equals(Json(arrow::utf8(), R"(["c", "ab", null, "c"])"))) << **all;
  ASSERT_THAT(some, IsOk());
  EXPECT_TRUE((*some)->Equals(Json(arrow::utf8(), R"(["ab", null])"))) << **some;
}

TEST(DataFileReader, RefusesADictionaryIndexThatIsNotThere) {
  const HandMadeFile file{
      .schema = OneField("string"), .num_rows = 4, .columns = {{DictionaryPage({1, 2, 0, 1})}}};
  const auto reader = OpenBytes(file.Build());
  ASSERT_THAT(reader, IsOk());

  const auto all = ReadAll(**reader, 0, arrow::utf8());

  EXPECT_THAT(all, IsSerializationError(AllOf(HasSubstr("f.lance"), HasSubstr("column 0"),
                                              HasSubstr("page 0"), HasSubstr("index 1 is 2"))));
  EXPECT_NE(CorruptFile::From(all.status()), nullptr);
}

/// One page of four int32 without nulls.
HandMadePage IntPage(const std::string& chunk) {
  pb::PageLayout layout;
  auto* mini = layout.mutable_mini_block_layout();
  mini->mutable_value_compression()->mutable_flat()->set_bits_per_value(32);
  mini->add_layers(pb::REPDEF_ALL_VALID_ITEM);
  mini->set_num_buffers(1);
  mini->set_num_items(4);
  return {.encoding = PackEncoding(layout.SerializeAsString(), "lance.encodings21.PageLayout"),
          .buffers = {std::string("\x20\0", 2), chunk},
          .num_rows = 4};
}

const std::string kIntChunk("\0\0\x10\0\xFE\xFE\xFE\xFE\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0", 24);

TEST(DataFileReader, ReadsPagesOfDifferentKindsAsOneColumn) {
  HandMadePage nulls{.encoding = {}, .buffers = {}, .num_rows = 2};
  pb::PageLayout all_null;
  all_null.mutable_constant_layout()->add_layers(pb::REPDEF_NULLABLE_ITEM);
  nulls.encoding = PackEncoding(all_null.SerializeAsString(), "lance.encodings21.PageLayout");
  HandMadePage empty = nulls;
  empty.num_rows = 0;
  const HandMadeFile file{.schema = OneField("int32"),
                          .num_rows = 10,
                          .columns = {{IntPage(kIntChunk), empty, nulls, IntPage(kIntChunk)}}};
  const auto reader = OpenBytes(file.Build());
  ASSERT_THAT(reader, IsOk());

  const auto all = ReadAll(**reader, 0, arrow::int32());
  const auto some = Read(**reader, 0, arrow::int32(), RowRanges::Make({{3, 5}, {9, 10}}));

  ASSERT_THAT(all, IsOk());
  EXPECT_TRUE((*all)->Equals(Json(arrow::int32(), "[1, 2, 3, 4, null, null, 1, 2, 3, 4]")));
  ASSERT_THAT(some, IsOk());
  EXPECT_TRUE((*some)->Equals(Json(arrow::int32(), "[4, null, 4]"))) << **some;
}

TEST(DataFileReader, RefusesPagesThatDoNotAddUpToTheRows) {
  const HandMadeFile file{
      .schema = OneField("int32"), .num_rows = 5, .columns = {{IntPage(kIntChunk)}}};
  const auto reader = OpenBytes(file.Build());
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT(ReadAll(**reader, 0, arrow::int32()),
              IsSerializationError(AllOf(HasSubstr("f.lance"), HasSubstr("have 4 rows"))));
}

TEST(DataFileReader, RefusesMetadataKeysThatAreNotTextWithoutPrinting) {
  HandMadeFile file{.schema = OneField("int32"), .num_rows = 4, .columns = {{IntPage(kIntChunk)}}};
  file.schema.metadata["key"] = "value";
  std::string bytes = file.Build();
  bytes.replace(bytes.find("key"), 3, "\xFF\xFF\xFF");
  ::testing::internal::CaptureStderr();

  const auto reader = OpenBytes(bytes);

  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(reader, IsSerializationError(HasSubstr("FileDescriptor")));
}

TEST(DataFileReader, RefusesFewerColumnsThanLeafFields) {
  LanceSchema schema = OneField("int32");
  schema.fields.push_back(
      {.name = "y", .id = 1, .logical_type = "int32", .metadata = {}, .unknown_fields = ""});
  const HandMadeFile file{.schema = schema, .num_rows = 4, .columns = {{IntPage(kIntChunk)}}};
  EXPECT_THAT(OpenBytes(file.Build()),
              IsSerializationError(HasSubstr("fields of the schema own 2")));
}

TEST(DataFileReader, OpensAFileWhoseOtherColumnItCannotRead) {
  HandMadePage page = IntPage(kIntChunk);
  pb::PageLayout full_zip;
  full_zip.mutable_full_zip_layout();
  page.encoding = PackEncoding(full_zip.SerializeAsString(), "lance.encodings21.PageLayout");
  LanceSchema schema = OneField("int32");
  schema.fields.push_back(
      {.name = "y", .id = 1, .logical_type = "string", .metadata = {}, .unknown_fields = ""});
  const HandMadeFile file{
      .schema = schema, .num_rows = 4, .columns = {{IntPage(kIntChunk)}, {page}}};
  const auto reader = OpenBytes(file.Build());
  ASSERT_THAT(reader, IsOk());

  EXPECT_THAT(ReadAll(**reader, 0, arrow::int32()), IsOk());
  const auto other = ReadAll(**reader, 1, arrow::utf8());
  EXPECT_THAT(other, IsSerializationError(AllOf(HasSubstr("f.lance"), HasSubstr("column 1"),
                                                HasSubstr("FullZipLayout"))));
}

TEST(DataFileReader, ChecksWhatIsAskedFor) {
  const HandMadeFile file{
      .schema = OneField("int32"), .num_rows = 4, .columns = {{IntPage(kIntChunk)}}};
  const auto opened = OpenBytes(file.Build());
  ASSERT_THAT(opened, IsOk());
  const DataFileReader& reader = **opened;

  EXPECT_THAT(ReadAll(reader, 1, arrow::int32()), IsIndexError(HasSubstr("column 1")));
  EXPECT_THAT(ReadAll(reader, -1, arrow::int32()), IsIndexError(HasSubstr("column -1")));
  EXPECT_THAT(Read(reader, 0, arrow::int32(), RowRanges::Make({{2, 5}})),
              IsIndexError(HasSubstr("rows up to 5")));
  EXPECT_THAT(ReadAll(reader, 0, arrow::int64()), IsSerializationError());
  EXPECT_THAT(ReadAll(reader, 0, arrow::utf8()), IsSerializationError());
  EXPECT_THAT(ReadAll(reader, 0, arrow::list(arrow::int32())), IsNotImplemented(HasSubstr("list")));
  EXPECT_THAT(reader.ReadGlobalBuffer(1, arrow::StopToken::Unstoppable()), IsIndexError());
  const auto none = Read(reader, 0, arrow::int32(), RowRanges());
  ASSERT_THAT(none, IsOk());
  EXPECT_EQ((*none)->length(), 0);
}

TEST(DataFileReader, RefusesTextThatIsNotUtf8) {
  const auto utf8_of = [](const std::string& first, const std::string& second) {
    HandMadePage page = DictionaryPage({0, 1, 0, 1});
    page.buffers[2] = Utf8Dictionary({first, second});
    return HandMadeFile{.schema = OneField("string"), .num_rows = 4, .columns = {{page}}}.Build();
  };
  const auto good = OpenBytes(utf8_of("\xC3\xA9", "b"));
  const auto bad = OpenBytes(utf8_of("\xFF", "b"));
  const auto torn = OpenBytes(utf8_of("a\xC3", "\xA9"));  // together it would be UTF-8
  ASSERT_THAT(good, IsOk());
  ASSERT_THAT(bad, IsOk());
  ASSERT_THAT(torn, IsOk());

  EXPECT_THAT(ReadAll(**good, 0, arrow::utf8()), IsOk());
  EXPECT_THAT(ReadAll(**bad, 0, arrow::utf8()), IsSerializationError(HasSubstr("UTF-8")));
  EXPECT_THAT(Read(**torn, 0, arrow::utf8(), RowRanges::Make({{0, 2}})),
              IsSerializationError(HasSubstr("UTF-8")));
  EXPECT_THAT(ReadAll(**torn, 0, arrow::binary()), IsOk());
}

struct Counted {
  std::shared_ptr<IoCounters> counters;
  std::shared_ptr<const DataFileReader> reader;
};

/// 30,000 rows in many pages of two columns, behind a counting store.
arrow::Result<Counted> CountedFile(uint64_t max_page_bytes) {
  arrow::Int64Builder ids;
  arrow::Int64Builder mixed;
  for (int64_t i = 0; i < 30000; ++i) {
    ARROW_RETURN_NOT_OK(ids.Append(i * 1000003));
    ARROW_RETURN_NOT_OK(i % 7 == 0 ? mixed.AppendNull() : mixed.Append(i * 0x9E3779B97F4A7C15));
  }
  ARROW_ASSIGN_OR_RAISE(const auto id_array, ids.Finish());
  ARROW_ASSIGN_OR_RAISE(const auto mixed_array, mixed.Finish());
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("mixed", arrow::int64())});
  ARROW_ASSIGN_OR_RAISE(
      const WrittenFile file,
      WriteBatches({arrow::RecordBatch::Make(schema, 30000, {id_array, mixed_array})},
                   {.max_page_bytes = max_page_bytes}));
  auto counters = std::make_shared<IoCounters>();
  ARROW_ASSIGN_OR_RAISE(
      auto reader, DataFileReader::Open(MakeCountingStore(file.store, counters), "f.lance",
                                        file.summary.size_bytes, arrow::StopToken::Unstoppable()));
  return Counted{counters, reader};
}

TEST(DataFileReader, OpensASmallFileInOneRequest) {
  const auto file = CountedFile(1 << 20);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->counters->requests.load(), 1u);
}

TEST(DataFileReader, OpensAFileOfManyPagesInTwoRequests) {
  const auto file = CountedFile(1000);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ(file->counters->requests.load(), 2u);
}

TEST(DataFileReader, ReadsAWholeColumnInOneRequestAndItsHeadersOnce) {
  const auto file = CountedFile(40000);
  ASSERT_THAT(file, IsOk());
  IoCounters& counters = *file->counters;
  counters.requests = 0;

  ASSERT_THAT(ReadAll(*file->reader, 1, arrow::int64()), IsOk());
  EXPECT_EQ(counters.requests.load(), 1u);
  const uint64_t first_ranges = counters.iops.load();

  counters.requests = counters.iops = 0;
  ASSERT_THAT(ReadAll(*file->reader, 1, arrow::int64()), IsOk());
  EXPECT_EQ(counters.requests.load(), 1u);
  EXPECT_LE(counters.iops.load(), first_ranges);  // words and chunks before, chunks now
}

TEST(DataFileReader, ReadsOnlyTheChunksOfTheRows) {
  const auto file = CountedFile(1 << 20);
  ASSERT_THAT(file, IsOk());
  IoCounters& counters = *file->counters;
  counters.requests = 0;
  const auto rows = RowRanges::Make({{5, 6}, {20000, 20001}});

  const auto first = Read(*file->reader, 1, arrow::int64(), rows);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(counters.requests.load(), 2u);  // the words, then two chunks

  counters.requests = counters.iops = counters.bytes_read = 0;
  const auto second = Read(*file->reader, 1, arrow::int64(), rows);
  ASSERT_THAT(second, IsOk());
  EXPECT_TRUE((*second)->Equals(**first));
  EXPECT_EQ(counters.requests.load(), 1u);
  EXPECT_EQ(counters.iops.load(), 2u);
  EXPECT_LE(counters.bytes_read.load(), 2 * 32768u);
}

TEST(DataFileReader, StopsWhenToldTo) {
  const auto file = CountedFile(1 << 20);
  ASSERT_THAT(file, IsOk());
  arrow::StopSource source;
  source.RequestStop();
  EXPECT_THAT(file->reader->ReadColumn(0, arrow::int64(), RowRanges::All(30000), source.token()),
              IsCancelled());
}

TEST(DataFileReader, NamesAMissingFile) {
  const auto opened = DataFileReader::Open(MakeMemoryStore(), "no.lance", std::nullopt,
                                           arrow::StopToken::Unstoppable());
  EXPECT_THAT(opened, IsKeyError(HasSubstr("no.lance")));
}

TEST(DataFileReader, RefusesAWrongSize) {
  const HandMadeFile file{
      .schema = OneField("int32"), .num_rows = 4, .columns = {{IntPage(kIntChunk)}}};
  const std::string bytes = file.Build();

  EXPECT_THAT(OpenBytes(bytes, bytes.size()), IsOk());
  EXPECT_THAT(OpenBytes(bytes, bytes.size() - 1), IsSerializationError(HasSubstr("f.lance")));
  EXPECT_FALSE(OpenBytes(bytes, bytes.size() + 1).ok());
  EXPECT_THAT(OpenBytes(bytes, 3), IsSerializationError(HasSubstr("3 bytes")));
  EXPECT_FALSE(OpenBytes(bytes, ~uint64_t{0}).ok());
}

}  // namespace
}  // namespace lance::format
