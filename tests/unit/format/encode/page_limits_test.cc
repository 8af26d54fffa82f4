// Where pages and chunks end.

#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"
#include "written_column.h"

namespace lance::format {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::HasStatus;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<uint64_t> PageRowCounts(const WrittenField& written, size_t column = 0) {
  std::vector<uint64_t> counts;
  for (const PageMetadata& page : written.columns.at(column).pages) counts.push_back(page.num_rows);
  return counts;
}

std::vector<uint64_t> FirstRows(const WrittenField& written, size_t column = 0) {
  std::vector<uint64_t> rows;
  for (const PageMetadata& page : written.columns.at(column).pages) rows.push_back(page.first_row);
  return rows;
}

/// What a chunk's metadata word says.
struct ChunkWord {
  uint32_t log = 0;
  uint64_t num_bytes = 0;
};

std::vector<ChunkWord> ChunkWords(const WrittenField& written, FileVersion version,
                                  size_t page = 0) {
  const std::string bytes = written.Buffer(0, page);
  const size_t width = version == FileVersion::k2_2 ? 4 : 2;
  std::vector<ChunkWord> words;
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, width);
    words.push_back({word & 15, (uint64_t{word >> 4} + 1) * 8});
  }
  return words;
}

ArrayPtr Int64s(int64_t count) {
  return MakeArrayOf<arrow::Int64Type>(
      count, [](int64_t i) { return std::optional(static_cast<int64_t>(Scatter(i))); });
}

/// Rows "[a, b]" as a list array, where a row is its number of items, and -1 a null one.
ArrayPtr Lists(const std::vector<int>& rows,
               const std::shared_ptr<arrow::DataType>& item_type = arrow::int32()) {
  std::string json = "[";
  int item = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) json += ",";
    if (rows[i] < 0) {
      json += "null";
      continue;
    }
    json += "[";
    for (int k = 0; k < rows[i]; ++k) {
      json += (k > 0 ? "," : "") +
              (item_type->id() == arrow::Type::BOOL ? std::string("true") : std::to_string(++item));
    }
    json += "]";
  }
  return FromJson(arrow::list(item_type), json + "]");
}

TEST(Pages, AreCutBySize) {
  const auto written = Write(Int64s(300), {.max_page_bytes = 1024});

  EXPECT_THAT(PageRowCounts(*written), ElementsAre(128, 128, 44));
  EXPECT_THAT(FirstRows(*written), ElementsAre(0, 128, 256));
}

TEST(Pages, DoNotDependOnBatches) {
  const ArrayPtr array = MakeArrayOf<arrow::StringType>(500, [](int64_t i) {
    return Scatter(i) % 9 == 0 ? std::nullopt : std::optional(std::string(Scatter(i) % 40, 'x'));
  });
  const WriteRequest request = {.max_page_bytes = 2000};

  const auto whole = Write(array, request);
  const auto parts = TryWrite({array->Slice(0, 1), array->Slice(1, 0), array->Slice(1, 77),
                               array->Slice(78, 300), array->Slice(378)},
                              request)
                         .ValueOrDie();

  ASSERT_GT(whole->columns[0].pages.size(), 3u);
  EXPECT_EQ(PageRowCounts(*parts), PageRowCounts(*whole));
  for (size_t i = 0; i < whole->columns[0].pages.size(); ++i) {
    EXPECT_EQ(parts->page(i).encoding, whole->page(i).encoding);
    EXPECT_EQ(parts->Buffer(1, i), whole->Buffer(1, i));
  }
}

TEST(Pages, OfListsDoNotDependOnBatches) {
  std::vector<int> rows;
  for (int i = 0; i < 400; ++i) rows.push_back(static_cast<int>(Scatter(i) % 6) - 1);
  const ArrayPtr array = Lists(rows);
  const WriteRequest request = {.max_page_bytes = 1000};

  const auto whole = Write(array, request);
  const auto parts =
      TryWrite({array->Slice(0, 33), array->Slice(33, 1), array->Slice(34)}, request).ValueOrDie();

  ASSERT_GT(whole->columns[0].pages.size(), 3u);
  EXPECT_EQ(PageRowCounts(*parts), PageRowCounts(*whole));
  EXPECT_EQ(parts->num_bytes(), whole->num_bytes());
}

TEST(Pages, HoldARowThatIsLargerThanAPage) {
  const auto written =
      Write(FromJson(arrow::utf8(), R"(["a", ")" + std::string(5000, 'x') + R"(", "b"])"),
            {.max_page_bytes = 100});

  EXPECT_THAT(PageRowCounts(*written), ElementsAre(2, 1));
}

TEST(Pages, AreNoneWithoutRows) {
  const auto written = Write(FromJson(arrow::int32(), "[]"));

  ASSERT_EQ(written->columns.size(), 1u);
  EXPECT_TRUE(written->columns[0].pages.empty());
  EXPECT_FALSE(written->columns[0].encoding.empty());
}

TEST(Pages, OfFixedSizeListsOfStructCountTheirItems) {
  const auto type = arrow::fixed_size_list(arrow::struct_({arrow::field("a", arrow::int32())}), 3);
  const auto array =
      FromJson(type, R"([[{"a": 1}, {"a": 2}, null], null, [{"a": 4}, {"a": 5}, {"a": 6}]])");

  const auto written = Write(array, {.version = FileVersion::k2_2, .max_page_bytes = 20});

  EXPECT_EQ(written->columns[0].entries_per_row, 3u);
  EXPECT_THAT(PageRowCounts(*written), ElementsAre(6, 3));
  EXPECT_THAT(FirstRows(*written), ElementsAre(0, 6));
}

TEST(Pages, OfBoolsHoldFewerRowsThanTheirBitsAllow) {
  const auto array =
      MakeArrayOf<arrow::BooleanType>(3000, [](int64_t) { return std::optional(true); });

  EXPECT_THAT(PageRowCounts(*Write(array, {.max_page_bytes = 2048})), ElementsAre(1024, 1024, 952));
}

TEST(Pages, AreCutWhereTooManyListsAreEmpty) {
  std::vector<int> rows(200'000, 0);
  rows[100'000] = 1;
  rows.push_back(1);
  const auto written = Write(Lists(rows));

  uint64_t num_rows = 0;
  for (const uint64_t count : PageRowCounts(*written)) num_rows += count;
  EXPECT_EQ(num_rows, 200'001u);
  EXPECT_GT(written->columns[0].pages.size(), 1u);
}

TEST(Pages, OfOneRowWithTooManyLevelsAreZipped) {
  const auto type = arrow::list(arrow::list(arrow::int32()));
  std::string inner = "[1]";
  for (int i = 0; i < 70'000; ++i) inner += ",[]";
  const auto array = FromJson(type, "[[" + inner + ",[2]]]");

  EXPECT_EQ(Described(array), "FullZip(Flat{32}, rep 2 bits, def 1 bits, layers [1 5 2])");
}

TEST(Pages, OfOneRowOfBoolsWithTooManyLevelsAreRefused) {
  const auto type = arrow::list(arrow::list(arrow::boolean()));
  std::string inner = "[true]";
  for (int i = 0; i < 70'000; ++i) inner += ",[]";
  const auto array = FromJson(type, "[[" + inner + ",[true]]]");

  EXPECT_THAT(TryWrite({array}),
              HasStatus(arrow::StatusCode::CapacityError, HasSubstr("field \"c.item.item\"")));
}

struct ChunkCase {
  std::string name;
  ArrayPtr array;
  FileVersion version;
};

class Chunks : public ::testing::TestWithParam<ChunkCase> {};

TEST_P(Chunks, StayWithinTheirLimits) {
  const auto written = Write(GetParam().array, {.version = GetParam().version});
  const auto words = ChunkWords(*written, GetParam().version);

  const uint64_t max_bytes = GetParam().version == FileVersion::k2_2 ? 1 << 20 : 32 << 10;
  ASSERT_GT(words.size(), 1u);
  uint64_t num_bytes = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_LE(words[i].num_bytes, max_bytes);
    EXPECT_EQ(words[i].log == 0, i + 1 == words.size()) << "chunk " << i;
    num_bytes += words[i].num_bytes;
  }
  EXPECT_EQ(num_bytes, written->Buffer(1).size());
}

std::vector<int> ManyEmptyRows() {
  std::vector<int> rows;
  for (int i = 0; i < 40'000; ++i) rows.push_back(Scatter(i) % 40 == 0 ? 3 : -(i % 2));
  return rows;
}

std::vector<int> OneHugeRow() { return {2, 30'000, 1, -1}; }

INSTANTIATE_TEST_SUITE_P(
    All, Chunks,
    ::testing::ValuesIn<ChunkCase>({
        {"Flat", Int64s(5000), FileVersion::k2_1},
        {"Flat22", Int64s(5000), FileVersion::k2_2},
        {"WideValues",
         MakeArrayOf<arrow::FixedSizeBinaryType>(
             50, [](int64_t i) { return std::optional(std::string(200, static_cast<char>(i))); },
             arrow::fixed_size_binary(200)),
         FileVersion::k2_1},
        {"EmptyRows", Lists(ManyEmptyRows()), FileVersion::k2_1},
        {"EmptyRows22", Lists(ManyEmptyRows()), FileVersion::k2_2},
        {"HugeRow", Lists(OneHugeRow()), FileVersion::k2_1},
        {"HugeRow22", Lists(OneHugeRow()), FileVersion::k2_2},
    }),
    [](const auto& test) { return test.param.name; });

TEST(Chunks, OfRunsAreLongerIn22) {
  const auto array = MakeArrayOf<arrow::Int32Type>(
      100'000, [](int64_t i) { return std::optional(static_cast<int32_t>(i / 5000)); });

  EXPECT_EQ(ChunkWords(*Write(array), FileVersion::k2_1)[0].log, 12u);
  EXPECT_EQ(ChunkWords(*Write(array, {.version = FileVersion::k2_2}), FileVersion::k2_2)[0].log,
            15u);
}

TEST(Chunks, OfTextsFollowTheWantedSize) {
  const auto array = MakeArrayOf<arrow::StringType>(
      2000, [](int64_t i) { return std::optional(std::to_string(Scatter(i))); });
  const auto first_log = [&](const std::string& size, FileVersion version) {
    return ChunkWords(*Write(array, {.version = version,
                                     .metadata = {{"lance-encoding:minichunk-size", size},
                                                  {"lance-encoding:compression", "none"}}}),
                      version)[0]
        .log;
  };

  EXPECT_EQ(first_log("64", FileVersion::k2_1), 1u);
  EXPECT_EQ(first_log("4096", FileVersion::k2_1), 7u);
  EXPECT_EQ(first_log("16384", FileVersion::k2_1), 9u);
  EXPECT_EQ(first_log("32768", FileVersion::k2_1), 7u);  // would not fit, so it is ignored
  EXPECT_EQ(first_log("32768", FileVersion::k2_2), 10u);
}

TEST(RepetitionIndex, CountsRowsThatGoOn) {
  const auto written = Write(Lists({1, 3000, 2}, arrow::uint16()));

  // Chunks of 1024 items: the second row ends in the third one.
  const std::string index = written->Buffer(2);
  std::vector<uint64_t> numbers(index.size() / 8);
  std::memcpy(numbers.data(), index.data(), index.size());
  EXPECT_THAT(numbers, ElementsAre(1, 1023, 0, 1024, 2, 0));
}

TEST(MakeFieldWriter, RefusesBlobV2ByName) {
  FieldNode node = NodeOf(arrow::struct_({arrow::field("kind", arrow::uint8())}), {});
  node.kind = FieldKind::kBlobV2;
  MemorySink sink;

  EXPECT_THAT(MakeFieldWriter(node, FileVersion::k2_2, {}, &sink).status(),
              HasStatus(arrow::StatusCode::NotImplemented, HasSubstr("blob v2")));
}

TEST(MakeFieldWriter, NamesTheFieldOfAWrongHint) {
  MemorySink sink;
  const FieldNode node =
      NodeOf(arrow::int32(), {.metadata = {{"lance-encoding:compression", "best"}}});

  EXPECT_THAT(MakeFieldWriter(node, FileVersion::k2_1, {}, &sink).status(),
              HasStatus(arrow::StatusCode::Invalid, StartsWith("field \"c\": lance-encoding:")));
}

TEST(FieldWriter, RefusesNullsThatTheSchemaDoesNotHave) {
  EXPECT_THAT(TryWrite({FromJson(arrow::int32(), "[1, null]")}, {.nullable = false}).status(),
              HasStatus(arrow::StatusCode::Invalid, HasSubstr("\"c\"")));
}

TEST(FieldWriter, CountsWhatIsNotInPages) {
  MemorySink sink;
  const auto writer = MakeFieldWriter(NodeOf(arrow::int64(), {}), FileVersion::k2_1,
                                      {.max_page_bytes = 8000}, &sink)
                          .ValueOrDie();

  ASSERT_THAT(writer->Write(Int64s(100)), testing::IsOk());
  EXPECT_EQ(writer->pending_bytes(), 800u);
  ASSERT_THAT(writer->Write(Int64s(950)), testing::IsOk());
  EXPECT_EQ(writer->pending_bytes(), 400u);
  ASSERT_THAT(writer->Finish(), testing::IsOk());
  EXPECT_EQ(writer->pending_bytes(), 0u);
}

/// The bytes of an array of 100,000 values that a writer which was given some keeps alive.
int64_t BytesKept(int64_t offset, int64_t length, uint64_t batch_bytes) {
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  MemorySink sink;
  const auto writer =
      MakeFieldWriter(NodeOf(arrow::int64(), {}), FileVersion::k2_1, {}, &sink).ValueOrDie();
  {
    arrow::Int64Builder builder(&pool);
    EXPECT_THAT(builder.AppendValues(std::vector<int64_t>(100'000, 5)), testing::IsOk());
    const auto array = builder.Finish().ValueOrDie();
    EXPECT_THAT(writer->Write(array->Slice(offset, length)), testing::IsOk());
  }
  EXPECT_GE(pool.bytes_allocated(), 800'000);
  EXPECT_THAT(writer->LetGoOfInput(batch_bytes), testing::IsOk());
  return pool.bytes_allocated();
}

TEST(FieldWriter, LetsGoOfArraysOfWhichItKeepsLittle) { EXPECT_EQ(BytesKept(50, 10, 0), 0); }

TEST(FieldWriter, KeepsBatchesThatItMostlyNeeds) {
  EXPECT_GE(BytesKept(0, 100'000, 1'000'000), 800'000);
}

// Batches that come through the C interface are let go of as a whole.
TEST(FieldWriter, KeepsNoLargeBatchForASmallColumn) {
  EXPECT_EQ(BytesKept(0, 100'000, 10'000'000), 0);
}

}  // namespace
}  // namespace lance::format
