#include "lance/format/page_copier.h"

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"
#include "written_file.h"

namespace lance::format {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

const auto kNever = arrow::StopToken::Unstoppable();

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& text) {
  return arrow::json::ArrayFromJSONString(type, text).ValueOrDie();
}

DataFileMetadata MetadataOf(const WrittenFile& file) {
  return file.Open().ValueOrDie()->metadata();
}

/// All rows of the only field of a file.
std::shared_ptr<arrow::Array> ReadAll(const DataFileReader& file) {
  const auto nodes = MakeFieldTree(file.schema()).ValueOrDie();
  const ColumnMap columns = NumberColumns(nodes, file.version());
  return file
      .ReadField({.node = nodes[0], .columns = columns, .rows = RowRanges::All(file.num_rows())},
                 kNever)
      .ValueOrDie();
}

class PageCopierTest : public ::testing::TestWithParam<FileVersion> {
 protected:
  /// Write arrays into a file each, and copy all of them into one.
  arrow::Result<std::shared_ptr<const DataFileReader>> Copy(const arrow::ArrayVector& arrays,
                                                            uint64_t read_bytes) {
    std::vector<WrittenFile> files;
    for (const auto& array : arrays) {
      ARROW_ASSIGN_OR_RAISE(files.emplace_back(),
                            WriteBatches({OneColumn(array)}, {.version = GetParam()}));
    }
    const LanceSchema schema = MetadataOf(files[0]).schema;
    const auto store = MakeMemoryStore();
    ARROW_ASSIGN_OR_RAISE(auto out, store->OpenWrite("copy.lance"));
    ARROW_ASSIGN_OR_RAISE(const auto copier,
                          PageCopier::Make(out, schema, GetParam(), read_bytes, kNever));
    for (const WrittenFile& file : files) {
      const DataFileMetadata metadata = MetadataOf(file);
      EXPECT_EQ(WhyPagesCannotMove(metadata, schema, GetParam()), "");
      ARROW_RETURN_NOT_OK(copier->Append({file.store, "f.lance"}, metadata));
    }
    ARROW_ASSIGN_OR_RAISE(const DataFileSummary summary, copier->Finish());
    return DataFileReader::Open(store, "copy.lance", summary.size_bytes, kNever);
  }
};

TEST_P(PageCopierTest, PutsPagesBehindEachOther) {
  const auto type = arrow::list(arrow::struct_({arrow::field("x", arrow::int32())}));
  const auto first = Json(type, R"([[{"x": 1}, {"x": null}], [], null])");
  const auto second = Json(type, R"([[], []])");
  const auto third = Json(type, R"([[{"x": 3}]])");
  for (const uint64_t read_bytes : {1, 100, 1 << 20}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto file, Copy({first, second, third}, read_bytes));

    EXPECT_EQ(file->num_rows(), 6u);
    const auto expected = Json(type, R"([[{"x": 1}, {"x": null}], [], null, [], [], [{"x": 3}]])");
    EXPECT_TRUE(ReadAll(*file)->Equals(*expected)) << ReadAll(*file)->ToString();
  }
}

TEST_P(PageCopierTest, KeepsEveryPage) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto file,
      Copy({Json(arrow::int64(), "[1, 2]"), Json(arrow::int64(), "[null]")}, 1 << 20));

  ASSERT_THAT(file->metadata().columns, SizeIs(1));
  EXPECT_THAT(file->metadata().columns[0].pages, SizeIs(2));
  EXPECT_TRUE(ReadAll(*file)->Equals(*Json(arrow::int64(), "[1, 2, null]")));
}

INSTANTIATE_TEST_SUITE_P(Versions, PageCopierTest,
                         ::testing::Values(FileVersion::k2_0, FileVersion::k2_1,
                                           FileVersion::k2_2));

TEST(WhyPagesCannotMoveTest, NamesTheReason) {
  const auto batch = OneColumn(Json(arrow::int64(), "[1]"));
  const DataFileMetadata metadata = MetadataOf(WriteBatches({batch}).ValueOrDie());
  LanceSchema schema = metadata.schema;
  EXPECT_THAT(WhyPagesCannotMove(metadata, schema, FileVersion::k2_2),
              HasSubstr("version 2.1, not 2.2"));
  schema.fields[0].name = "renamed";
  EXPECT_EQ(WhyPagesCannotMove(metadata, schema, FileVersion::k2_1), "");
  schema.fields[0].logical_type = "int32";
  EXPECT_THAT(WhyPagesCannotMove(metadata, schema, FileVersion::k2_1), HasSubstr("columns"));

  const auto blobs = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("b", arrow::large_binary(), true,
                                  arrow::key_value_metadata({"lance-encoding:blob"}, {"true"}))}),
      1, {Json(arrow::large_binary(), R"(["x"])")});
  const DataFileMetadata with_blob = MetadataOf(WriteBatches({blobs}).ValueOrDie());
  EXPECT_EQ(WhyPagesCannotMove(with_blob, with_blob.schema, FileVersion::k2_1), "it has blobs");
}

}  // namespace
}  // namespace lance::format
