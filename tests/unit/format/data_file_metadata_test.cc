#include "lance/format/data_file_metadata.h"

#include <functional>

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/base/byte_reader.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/footer.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance_file.pb.h"

namespace lance::format {
namespace {

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr FileVersion kAllVersions[] = {FileVersion::k2_0, FileVersion::k2_1, FileVersion::k2_2};

SchemaField Field(const char* name, int32_t id, const char* logical_type, int32_t parent_id = -1) {
  return {.name = name,
          .id = id,
          .parent_id = parent_id,
          .logical_type = logical_type,
          .metadata = {},
          .unknown_fields = ""};
}

arrow::Result<DataFileMetadata> LoadBytes(const std::string& bytes) {
  const std::shared_ptr<ObjectStore> store = MakeMemoryStore();
  ARROW_RETURN_NOT_OK(
      store->Put("f.lance", arrow::Buffer::FromString(bytes), PutMode::kOverwrite).status());
  return LoadDataFileMetadata({store, "f.lance"}, std::nullopt, arrow::StopToken::Unstoppable());
}

/// A file of one int32 column in two pages of 3 and 2 rows, whose parts tests change.
struct SmallFile {
  FileVersion version = FileVersion::k2_1;
  uint64_t num_rows = 5;
  LanceSchema schema = {.fields = {Field("a", 0, "int32")}, .metadata = {}};
  lance_pb::file::ColumnMetadata column;
  int num_columns = 1;
  uint64_t descriptor_start = 128;

  SmallFile() {
    (void)column.mutable_encoding()->ParseFromString(PlainColumnEncoding());
    AddPage(0, 3, 0);
    AddPage(64, 2, 3);
  }

  void AddPage(uint64_t offset, uint64_t num_rows_in_page, uint64_t priority) {
    auto* page = column.add_pages();
    page->add_buffer_offsets(offset);
    page->add_buffer_sizes(12);
    page->set_length(num_rows_in_page);
    page->set_priority(priority);
  }

  std::string Build() const {
    std::string file(descriptor_start, '\0');
    file += SerializeDescriptor(schema, num_rows);
    Footer footer;
    footer.column_metadata_start = file.size();
    std::string tables;
    for (int i = 0; i < num_columns; ++i) {
      const std::string bytes = column.SerializeAsString();
      AppendTableEntry({file.size(), bytes.size()}, &tables);
      file += bytes;
    }
    footer.column_table_start = file.size();
    footer.buffer_table_start = file.size() + tables.size();
    AppendTableEntry({descriptor_start, footer.column_metadata_start - descriptor_start}, &tables);
    footer.num_global_buffers = 1;
    footer.num_columns = static_cast<uint32_t>(num_columns);
    footer.set_version(version);
    file += tables;
    AppendFooter(footer, &file);
    return file;
  }

  arrow::Result<DataFileMetadata> Load() const { return LoadBytes(Build()); }
};

TEST(LoadDataFileMetadata, ReadsTheFilesOfEveryVersion) {
  for (const FileVersion version : kAllVersions) {
    SmallFile file;
    file.version = version;

    const auto loaded = file.Load();

    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ(loaded->version, version);
    EXPECT_EQ(loaded->num_rows, 5u);
    EXPECT_EQ(loaded->schema, file.schema);
    ASSERT_EQ(loaded->columns.size(), 1u);
    const auto& pages = loaded->columns[0].pages;
    ASSERT_EQ(pages.size(), 2u);
    EXPECT_EQ(pages[1].num_rows, 2u);
    EXPECT_EQ(pages[1].first_row, 3u);
    EXPECT_EQ(pages[1].buffers.at(0).offset, 64u);
    EXPECT_EQ(pages[1].buffers.at(0).length, 12u);
  }
}

TEST(LoadDataFileMetadata, WantsBuffersAlignedFrom21On) {
  for (const FileVersion version : kAllVersions) {
    SmallFile page;
    page.version = version;
    page.column.mutable_pages(1)->set_buffer_offsets(0, 61);
    SmallFile descriptor;
    descriptor.version = version;
    descriptor.descriptor_start = 100;
    if (version == FileVersion::k2_0) {
      EXPECT_THAT(page.Load(), IsOk());
      EXPECT_THAT(descriptor.Load(), IsOk());
      continue;
    }
    EXPECT_THAT(page.Load(), IsSerializationError(
                                 AllOf(HasSubstr("column 0: page 1: Page.buffer 0 begins at 61"),
                                       HasSubstr("multiple of 64"))));
    EXPECT_THAT(descriptor.Load(), IsSerializationError(HasSubstr("buffer 0 begins at 100")));
  }
}

TEST(LoadDataFileMetadata, KeepsEmptyPagesOf20Only) {
  for (const FileVersion version : kAllVersions) {
    SmallFile file;
    file.version = version;
    file.column.mutable_pages(0)->set_length(0);
    file.column.mutable_pages(0)->clear_buffer_offsets();
    file.column.mutable_pages(0)->clear_buffer_sizes();

    const auto loaded = file.Load();

    ASSERT_THAT(loaded, IsOk());
    EXPECT_EQ(loaded->columns[0].pages.size(), version == FileVersion::k2_0 ? 2u : 1u);
    EXPECT_EQ(loaded->columns[0].pages.back().num_rows, 2u);
    EXPECT_EQ(loaded->columns[0].pages.back().first_row, 0u);
  }
}

TEST(LoadDataFileMetadata, LeavesTheSumOfThePagesToWhoeverKnowsTheField) {
  for (const FileVersion version : kAllVersions) {
    SmallFile file;
    file.version = version;
    file.num_rows = 4;
    EXPECT_THAT(file.Load(), IsOk());
  }
}

TEST(LoadDataFileMetadata, WantsPagesInTheOrderOfTheirRows) {
  SmallFile file;
  file.column.mutable_pages(1)->set_priority(1);  // rows of fixed-size lists are fewer than entries
  EXPECT_THAT(file.Load(), IsOk());
  file.AddPage(0, 1, 0);
  EXPECT_THAT(file.Load(),
              IsSerializationError(HasSubstr("page 2: Page.priority is 0, wanted is 1 or more")));
  file.version = FileVersion::k2_0;
  EXPECT_THAT(file.Load(), IsOk());

  SmallFile late;
  late.column.mutable_pages(0)->set_priority(1);
  EXPECT_THAT(late.Load(),
              IsSerializationError(HasSubstr("page 0: Page.priority is 1, wanted is 0")));
}

TEST(LoadDataFileMetadata, CountsTheColumnsThatTheSchemaNeeds) {
  SmallFile file;
  file.schema.fields = {Field("s", 0, "struct"), Field("x", 1, "int32", 0),
                        Field("y", 2, "int32", 0)};
  file.num_columns = 2;
  EXPECT_THAT(file.Load(), IsOk());
  file.num_columns = 1;
  EXPECT_THAT(file.Load(), IsSerializationError(HasSubstr("num_columns is 1, the fields of the "
                                                          "schema own 2")));
  file.version = FileVersion::k2_0;
  file.num_columns = 2;
  EXPECT_THAT(file.Load(), IsSerializationError(HasSubstr("the schema own 3")));
  file.num_columns = 4;
  EXPECT_THAT(file.Load(), IsOk());
}

TEST(LoadDataFileMetadata, OpensFilesWithColumnsOfUnknownTypes) {
  SmallFile file;
  file.schema.fields = {Field("a", 0, "int32"), Field("b", 1, "quaternion")};
  EXPECT_THAT(file.Load(), IsOk());
}

struct BrokenPageCase {
  std::string name;
  std::function<void(SmallFile*)> change;
  std::string expected;
};

class BrokenPageTest : public ::testing::TestWithParam<BrokenPageCase> {};

TEST_P(BrokenPageTest, IsRefusedInEveryVersion) {
  for (const FileVersion version : kAllVersions) {
    SmallFile file;
    file.version = version;
    GetParam().change(&file);
    EXPECT_THAT(file.Load(), IsSerializationError(HasSubstr(GetParam().expected)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BrokenPageTest,
    ::testing::ValuesIn<BrokenPageCase>({
        {"MoreOffsetsThanSizes",
         [](SmallFile* f) { f->column.mutable_pages(0)->add_buffer_offsets(64); },
         "2 buffer offsets and 1 sizes"},
        {"BufferBehindTheEnd",
         [](SmallFile* f) { f->column.mutable_pages(0)->set_buffer_sizes(0, 1 << 20); },
         "Page.buffer 0 is [0, +1048576)"},
        {"BufferAtTheEndOfTheWorld",
         [](SmallFile* f) { f->column.mutable_pages(0)->set_buffer_offsets(0, ~uint64_t{63}); },
         "Page.buffer 0"},
        {"TooManyRows", [](SmallFile* f) { f->column.mutable_pages(0)->set_length(~uint64_t{0}); },
         "Page.length"},
        {"HugeFile", [](SmallFile* f) { f->num_rows = (uint64_t{1} << 32) + 1; },
         "FileDescriptor.length is 4294967297"},
    }),
    [](const auto& test) { return test.param.name; });

// Law: whatever the bytes are, loading gives a status or metadata inside the file.
TEST(LoadDataFileMetadata, IsHarmlessWhicheverByteIsWrong) {
  for (const FileVersion version : kAllVersions) {
    SmallFile file;
    file.version = version;
    file.schema.fields = {Field("s", 0, "struct"), Field("x", 1, "fixed_size_list:int32:4", 0)};
    file.num_columns = 2;
    const std::string good = file.Build();
    for (size_t at = file.descriptor_start; at < good.size(); ++at) {
      for (const unsigned char flip : {0x01, 0x04, 0x80, 0xFF}) {
        std::string bad = good;
        bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ flip);
        SCOPED_TRACE("byte " + std::to_string(at) + " flipped by " + std::to_string(flip));
        const auto loaded = LoadBytes(bad);
        if (!loaded.ok()) {
          EXPECT_NE(loaded.status().code(), arrow::StatusCode::UnknownError) << loaded.status();
          continue;
        }
        for (const ColumnMetadata& column : loaded->columns) {
          for (const PageMetadata& page : column.pages) {
            for (const ByteRange& buffer : page.buffers) {
              EXPECT_LE(buffer.offset + buffer.length, bad.size());
            }
          }
        }
        (void)ToArrowSchema(loaded->schema);  // any status is fine
      }
    }
  }
}

TEST(SerializeColumnMetadata, MarksPagesWithTheirRowsFrom21On) {
  ColumnMetadata column;
  column.encoding = PlainColumnEncoding();
  column.entries_per_row = 4;
  column.pages.push_back({.buffers = {{0, 8}}, .num_rows = 12, .first_row = 0, .encoding = ""});
  column.pages.push_back({.buffers = {}, .num_rows = 8, .first_row = 12, .encoding = ""});

  lance_pb::file::ColumnMetadata message;
  ASSERT_TRUE(message.ParseFromString(SerializeColumnMetadata(column, FileVersion::k2_2)));
  EXPECT_EQ(message.pages(0).length(), 12u);
  EXPECT_EQ(message.pages(0).buffer_sizes(0), 8u);
  EXPECT_EQ(message.pages(1).priority(), 3u);
  ASSERT_TRUE(message.ParseFromString(SerializeColumnMetadata(column, FileVersion::k2_0)));
  EXPECT_EQ(message.pages(1).length(), 8u);
  EXPECT_EQ(message.pages(1).priority(), 0u);
}

TEST(SerializeDescriptor, DescribesBlobsV2AsFilesDo) {
  LanceSchema declared{.fields = {Field("s", 0, "struct"), Field("b", 1, "struct", 0),
                                  Field("data", 2, "large_binary", 1), Field("uri", 3, "string", 1),
                                  Field("z", 4, "int8", 0)},
                       .metadata = {{"k", "v"}}};
  declared.fields[1].metadata = {{"ARROW:extension:name", "lance.blob.v2"}, {"k", "v"}};
  DataFileMetadata stored;

  ASSERT_THAT(ParseDescriptor(AsBytes(SerializeDescriptor(declared, 7)), &stored), IsOk());

  EXPECT_EQ(stored.num_rows, 7u);
  EXPECT_EQ(stored.schema.metadata, declared.metadata);
  ASSERT_EQ(stored.schema.fields.size(), 3u);
  const SchemaField& blob = stored.schema.fields[1];
  EXPECT_EQ(blob.id, 1);
  EXPECT_EQ(blob.parent_id, 0);
  EXPECT_EQ(blob.metadata, (std::map<std::string, std::string>{{"lance-encoding:blob", "true"},
                                                               {"lance-encoding:packed", "true"}}));
  EXPECT_EQ(stored.schema.fields[2].id, 4);
  lance_pb::file::FileDescriptor message;
  ASSERT_TRUE(message.ParseFromString(SerializeDescriptor(declared, 7)));
  ASSERT_EQ(message.schema().fields_size(), 8);
  EXPECT_EQ(message.schema().fields(2).name(), "kind");
  EXPECT_EQ(message.schema().fields(6).name(), "blob_uri");
}

TEST(ColumnEncoding, HasThePublishedBytes) {
  EXPECT_EQ(
      PlainColumnEncoding(),
      std::string("\x12\x27\x0A\x25\x0A\x1F/lance.encodings.ColumnEncoding\x12\x02\x0A\x00", 41));
  EXPECT_EQ(CheckColumnEncoding(PlainColumnEncoding()).ValueOrDie(), ColumnEncodingKind::kValues);
  // file-format 4.2, as release 14.0.2 of the reference writes it.
  EXPECT_EQ(BlobColumnEncoding(),
            std::string("\x12\x2B\x0A\x29\x0A\x1F/lance.encodings.ColumnEncoding"
                        "\x12\x06\x1A\x04\x0A\x02\x0A\x00",
                        45));
  EXPECT_EQ(CheckColumnEncoding(BlobColumnEncoding()).ValueOrDie(), ColumnEncodingKind::kBlob);
}

TEST(ColumnEncoding, OtherThanValuesAndBlobIsRefused) {
  const std::string type = "lance.encodings.ColumnEncoding";
  EXPECT_THAT(CheckColumnEncoding(PackEncoding(std::string("\x12\x00", 2), type)),
              IsNotImplemented(HasSubstr("zone_index")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding(std::string("\x1A\x00", 2), type)),
              IsSerializationError(HasSubstr("blob.inner")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding(std::string("\x1A\x04\x0A\x02\x1A\x00", 6), type)),
              IsSerializationError(HasSubstr("blob.inner")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding("", type)),
              IsSerializationError(HasSubstr("is missing")));
  EXPECT_THAT(CheckColumnEncoding(PackEncoding("", "lance.encodings23.PlanarLayout")),
              IsNotImplemented(HasSubstr("lance.encodings23.PlanarLayout")));
}

}  // namespace
}  // namespace lance::format
