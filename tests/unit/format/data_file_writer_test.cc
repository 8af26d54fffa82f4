#include "lance/format/data_file_writer.h"

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"
#include "written_file.h"

namespace lance::format {
namespace {

using arrow::json::ArrayFromJSONString;
using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const auto kNever = arrow::StopToken::Unstoppable();

std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                   const std::string& text) {
  return ArrayFromJSONString(type, text).ValueOrDie();
}

/// A writer to memory.
struct MemoryWriter {
  std::shared_ptr<arrow::io::BufferOutputStream> out;
  std::unique_ptr<DataFileWriter> writer;
};

MemoryWriter MakeWriter(const LanceSchema& schema) {
  MemoryWriter made;
  made.out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  made.writer = DataFileWriter::Make(made.out, schema).ValueOrDie();
  return made;
}

LanceSchema TwoFields() {
  return {
      .fields =
          {{.name = "a",
            .id = 5,
            .logical_type = "int32",
            .nullable = false,
            .metadata = {},
            .unknown_fields = ""},
           {.name = "b", .id = 3, .logical_type = "string", .metadata = {}, .unknown_fields = ""}},
      .metadata = {{"k", "v"}}};
}

std::shared_ptr<arrow::RecordBatch> TwoColumns(const std::string& a, const std::string& b) {
  const auto ints = Json(arrow::int32(), a);
  return arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())}),
      ints->length(), {ints, Json(arrow::utf8(), b)});
}

TEST(DataFileWriter, SaysWhatTheFileHolds) {
  auto [out, writer] = MakeWriter(TwoFields());
  ASSERT_THAT(writer->Write(*TwoColumns("[1, 2, 3]", R"(["x", null, "z"])")), IsOk());
  EXPECT_EQ(writer->num_rows(), 3u);
  EXPECT_GT(writer->estimated_size_bytes(), 0u);

  const auto summary = writer->Finish();

  ASSERT_THAT(summary, IsOk());
  EXPECT_EQ(summary->size_bytes, static_cast<uint64_t>(out->Finish().ValueOrDie()->size()));
  EXPECT_EQ(summary->num_rows, 3u);
  EXPECT_THAT(summary->field_ids, ElementsAre(5, 3));
  EXPECT_THAT(summary->column_indices, ElementsAre(0, 1));
  EXPECT_EQ(summary->major_version, 2u);
  EXPECT_EQ(summary->minor_version, 1u);
}

TEST(DataFileWriter, WritesEqualBytesForEqualRows) {
  std::string bytes[2];
  for (std::string& one : bytes) {
    LanceSchema schema = TwoFields();
    for (int i = 0; i < 20; ++i) schema.metadata[std::to_string(i)] = "value";
    auto [out, writer] = MakeWriter(schema);
    ASSERT_THAT(writer->Write(*TwoColumns("[1, 2, 3]", R"(["x", null, "z"])")), IsOk());
    ASSERT_THAT(writer->Finish(), IsOk());
    one = out->Finish().ValueOrDie()->ToString();
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST(DataFileWriter, KeepsTheSchemaAndGlobalBuffers) {
  WrittenFile file{MakeMemoryStore(), {}};
  auto out = file.store->OpenWrite("f.lance").ValueOrDie();
  auto writer = DataFileWriter::Make(out, TwoFields()).ValueOrDie();
  ASSERT_THAT(writer->Write(*TwoColumns("[1]", R"(["x"])")), IsOk());

  const auto first = writer->AddGlobalBuffer(*arrow::Buffer::FromString("abc"));
  const auto second = writer->AddGlobalBuffer(*arrow::Buffer::FromString(""));
  const auto third = writer->AddGlobalBuffer(*arrow::Buffer::FromString(std::string(1000, 'z')));
  writer->AddSchemaMetadata("index", "1");
  file.summary = writer->Finish().ValueOrDie();

  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(*first, 1);
  EXPECT_EQ(*second, 2);
  EXPECT_EQ(*third, 3);
  const auto reader = file.Open();
  ASSERT_THAT(reader, IsOk());
  LanceSchema expected = TwoFields();
  expected.metadata["index"] = "1";
  EXPECT_EQ((*reader)->schema(), expected);
  EXPECT_EQ((*reader)->num_global_buffers(), 4);
  EXPECT_EQ((*reader)->num_columns(), 2);
  EXPECT_EQ((*reader)->path(), "f.lance");
  EXPECT_EQ((*reader)->size_bytes(), file.summary.size_bytes);
  EXPECT_EQ((*reader)->ReadGlobalBuffer(1, kNever).ValueOrDie()->ToString(), "abc");
  EXPECT_EQ((*reader)->ReadGlobalBuffer(2, kNever).ValueOrDie()->size(), 0);
  EXPECT_EQ((*reader)->ReadGlobalBuffer(3, kNever).ValueOrDie()->ToString(),
            std::string(1000, 'z'));
}

TEST(DataFileWriter, RefusesNullsWhereTheSchemaHasNone) {
  auto [out, writer] = MakeWriter(TwoFields());

  EXPECT_THAT(writer->Write(*TwoColumns("[1, null]", R"(["x", "y"])")),
              IsInvalid(AllOf(HasSubstr("\"a\""), HasSubstr("not nullable"))));

  // Nothing of that batch was taken.
  EXPECT_THAT(writer->Write(*TwoColumns("[7]", R"(["x"])")), IsOk());
  EXPECT_EQ(writer->Finish().ValueOrDie().num_rows, 1u);
}

TEST(DataFileWriter, RefusesAnotherSchema) {
  auto [out, writer] = MakeWriter(TwoFields());
  const auto ints = Json(arrow::int32(), "[1]");
  const auto texts = Json(arrow::utf8(), R"(["x"])");
  const auto batch_of = [](const arrow::FieldVector& fields, const arrow::ArrayVector& arrays) {
    return arrow::RecordBatch::Make(arrow::schema(fields), 1, arrays);
  };
  const auto a = arrow::field("a", arrow::int32());
  const auto b = arrow::field("b", arrow::utf8());

  EXPECT_THAT(writer->Write(*batch_of({a}, {ints})), IsInvalid(HasSubstr("1 columns")));
  EXPECT_THAT(writer->Write(*batch_of({b, a}, {texts, ints})), IsInvalid(HasSubstr("\"b\"")));
  EXPECT_THAT(writer->Write(*batch_of({a, arrow::field("b", arrow::int32())}, {ints, ints})),
              IsInvalid(AllOf(HasSubstr("int32"), HasSubstr("string"))));
}

TEST(DataFileWriter, RefusesTextThatIsNotUtf8) {
  auto [out, writer] = MakeWriter(TwoFields());
  arrow::StringBuilder builder;
  ASSERT_THAT(builder.Append("\xFF"), IsOk());
  const auto batch = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())}), 1,
      {Json(arrow::int32(), "[1]"), builder.Finish().ValueOrDie()});
  EXPECT_THAT(writer->Write(*batch), IsInvalid(AllOf(HasSubstr("\"b\""), HasSubstr("UTF-8"))));
}

TEST(DataFileWriter, RefusesColumnsItCannotHold) {
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  LanceSchema schema = TwoFields();
  schema.fields[1].logical_type = "interval:month_day_nano";
  EXPECT_FALSE(DataFileWriter::Make(out, schema).ok());
  schema.fields[1].logical_type = "fixed_size_list:null:3";
  EXPECT_THAT(DataFileWriter::Make(out, schema),
              IsNotImplemented(AllOf(HasSubstr("\"b\""), HasSubstr("null"))));
}

template <typename Builder>
std::shared_ptr<arrow::Array> ValuesOfTheLargestSize() {
  Builder builder;
  for (int i = 0; i < 9; ++i) {
    (void)builder.Append(std::string(16352, static_cast<char>('a' + i)));
  }
  (void)builder.AppendNull();
  return builder.Finish().ValueOrDie();
}

TEST(DataFileWriter, TakesAnyTwoValuesOfTheLargestSize) {
  for (const auto& array : {ValuesOfTheLargestSize<arrow::BinaryBuilder>(),
                            ValuesOfTheLargestSize<arrow::LargeBinaryBuilder>()}) {
    const auto file = WriteBatches({OneColumn(array)});

    ASSERT_THAT(file, IsOk());
    const auto back = (*file->Open())->ReadColumn(0, array->type(), RowRanges::All(10), kNever);
    ASSERT_THAT(back, IsOk());
    EXPECT_TRUE((*back)->Equals(*array));
  }
}

TEST(DataFileWriter, CannotBeUsedAfterFinish) {
  auto [out, writer] = MakeWriter(TwoFields());
  ASSERT_THAT(writer->Finish(), IsOk());

  EXPECT_THAT(writer->Write(*TwoColumns("[1]", R"(["x"])")), IsInvalid(HasSubstr("finished")));
  EXPECT_THAT(writer->Finish(), IsInvalid(HasSubstr("finished")));
  EXPECT_THAT(writer->AddGlobalBuffer(*arrow::Buffer::FromString("a")), IsInvalid());
}

/// A stream that takes `room` bytes and then fails.
class FailingStream : public arrow::io::OutputStream {
 public:
  explicit FailingStream(int64_t room) : room_(room) {}
  arrow::Status Close() override { return arrow::Status::OK(); }
  arrow::Result<int64_t> Tell() const override { return 0; }
  bool closed() const override { return false; }
  using OutputStream::Write;
  arrow::Status Write(const void*, int64_t size) override {
    room_ -= size;
    return room_ < 0 ? arrow::Status::IOError("disk full") : arrow::Status::OK();
  }

 private:
  int64_t room_;
};

TEST(DataFileWriter, PassesOnWhatStorageSays) {
  for (const int64_t room : {0, 2, 64, 128, 200, 400}) {
    auto writer = DataFileWriter::Make(std::make_shared<FailingStream>(room), TwoFields());
    ASSERT_THAT(writer, IsOk());
    ASSERT_THAT((*writer)->Write(*TwoColumns("[1]", R"(["x"])")), IsOk());
    EXPECT_THAT((*writer)->Finish(), IsIOError(HasSubstr("disk full"))) << room;
    EXPECT_THAT((*writer)->Finish(), IsInvalid(HasSubstr("disk full"))) << room;
  }
}

TEST(DataFileWriter, HoldsAboutAPageInMemory) {
  const auto pool = arrow::MemoryPool::CreateDefault();
  const auto schema = MakeLanceSchema(*arrow::schema({arrow::field("x", arrow::int64())}));
  auto out = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer =
      DataFileWriter::Make(out, *schema, {.max_page_bytes = 1 << 20, .memory_pool = pool.get()})
          .ValueOrDie();
  // Each batch is a small slice of a large array, which must not be kept for its sake.
  for (int i = 0; i < 50; ++i) {
    arrow::Int64Builder builder;
    for (int64_t k = 0; k < 20000; ++k) ASSERT_THAT(builder.Append(k * 77), IsOk());
    const auto array = builder.Finish().ValueOrDie();
    const std::weak_ptr<arrow::Buffer> buffer = array->data()->buffers[1];
    const auto batch = OneColumn(array->Slice(100, 50));
    ASSERT_THAT(writer->Write(*batch), IsOk());
    EXPECT_EQ(batch->column(0)->data()->buffers[1].use_count(),
              array->data()->buffers[1].use_count());
    EXPECT_LE(buffer.use_count(), 3);  // ours, the slice's, and nobody else's
  }
  EXPECT_LE(pool->max_memory(), 4 << 20);
  EXPECT_EQ(writer->Finish().ValueOrDie().num_rows, 2500u);
}

}  // namespace
}  // namespace lance::format
