// The 2.0 files that file-format 13.1 and 13.2 print byte by byte: old writers, little alignment.
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_columns.h"
#include "lance/format/data_file_reader.h"
#include "lance/testing/matchers.h"

namespace lance::format::v20 {
namespace {

using lance::testing::IsOk;

std::string Message(char tag, const std::string& body) {
  return std::string{tag, static_cast<char>(body.size())} + body;
}

const std::string kColumnEncoding = Message(
    '\x0a', Message('\x12', Message('\x0a', Message('\x0a', "/lance.encodings.ColumnEncoding") +
                                                std::string("\x12\x02\x0a\x00", 4))));

std::string PageEncoding(const std::string& value) {
  const std::string any =
      Message('\x0a', "/lance.encodings.ArrayEncoding") + Message('\x12', value);
  return Message('\x22', Message('\x12', Message('\x0a', any)));
}

/// The tables and the footer behind the metadata of one column.
std::string Tail(uint64_t descriptor, uint64_t descriptor_bytes, uint64_t column,
                 uint64_t column_bytes) {
  const uint64_t table = column + column_bytes;
  const std::string version("\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x03\x00", 12);
  return U64({column, column_bytes, descriptor, descriptor_bytes, column, table, table + 16}) +
         version + "LANC";
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadFirstField(const std::string& bytes) {
  auto store = MakeMemoryStore();
  ARROW_RETURN_NOT_OK(
      store->Put("f", arrow::Buffer::FromString(bytes), PutMode::kOverwrite).status());
  const auto never = arrow::StopToken::Unstoppable();
  ARROW_ASSIGN_OR_RAISE(const auto reader, DataFileReader::Open(store, "f", std::nullopt, never));
  ARROW_ASSIGN_OR_RAISE(const auto nodes, MakeFieldTree(reader->schema()));
  const ColumnMap columns = NumberColumns(nodes, reader->version());
  const RowRanges rows = RowRanges::All(reader->num_rows());
  return reader->ReadField({.node = nodes[0], .columns = columns, .rows = rows}, never);
}

TEST(PublishedFile, WithOneNumberIsRead) {
  const std::string descriptor(
      "\x0a\x1d\x0a\x1b\x12\x03"
      "foo\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x2a\x05int64\x30"
      "\x01\x38\x01\x10\x01",
      33);
  const std::string page =
      std::string("\x0a\x01\x00\x12\x01\x08\x18\x01", 8) +
      PageEncoding(std::string("\x12\x0a\x0a\x08\x0a\x06\x0a\x04\x08\x40\x12\x00", 12));
  const std::string column = kColumnEncoding + Message('\x12', page);
  const std::string file = U64({1}) + descriptor + column + Tail(8, 33, 41, column.size());
  ASSERT_EQ(file.size(), 218u);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFirstField(file));

  EXPECT_TRUE(rows->Equals(FromJson(arrow::int64(), "[1]"))) << rows->ToString();
}

TEST(PublishedFile, WithTextIsRead) {
  const std::string text = "frodo was a puppyfrodo was a happy puppyfrodo was a puppy with a tail";
  const std::string descriptor(
      "\x0a\x28\x0a\x26\x12\x04text\x20\xff\xff\xff\xff\xff\xff\xff\xff"
      "\xff\x01\x2a\x06string\x30\x01\x38\x02\x5a\x07"
      "default\x10\x03",
      44);
  const std::string page =
      std::string("\x0a\x02\x00\x40\x12\x02\x18\x45\x18\x03", 10) +
      PageEncoding(std::string("\x32\x1a\x0a\x0c\x12\x0a\x0a\x08\x0a\x06\x0a\x04\x08\x40\x12\x00"
                               "\x12\x08\x0a\x06\x08\x08\x12\x02\x08\x01\x18\x46",
                               28));
  const std::string column = kColumnEncoding + Message('\x12', page);
  std::string file = U64({17, 40, 69});
  file.resize(64, 'H');
  file += text;
  file.resize(192, 'H');
  file += descriptor + column + Tail(192, 44, 236, column.size());
  ASSERT_EQ(file.size(), 431u);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rows, ReadFirstField(file));

  EXPECT_TRUE(rows->Equals(FromJson(arrow::utf8(), R"(["frodo was a puppy",
      "frodo was a happy puppy", "frodo was a puppy with a tail"])")))
      << rows->ToString();
}

}  // namespace
}  // namespace lance::format::v20
