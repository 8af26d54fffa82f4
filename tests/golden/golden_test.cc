// Files of earlier versions of this library must read as what the program in their folder says.
//
// LANCE_GOLDEN_WRITE=1 writes them anew, for a version that is not released yet.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "0.1/contents.h"
#include "arrow/api.h"
#include "lance/file.h"

namespace lance {
namespace {

::testing::AssertionResult IsOk(const arrow::Status& status) {
  if (status.ok()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << status.ToString();
}

template <typename T>
::testing::AssertionResult IsOk(const arrow::Result<T>& result) {
  return IsOk(result.status());
}

std::string PathOf(const std::string& version) {
  return std::string(LANCE_GOLDEN_DIR) + "/0.1/" + version + ".lance";
}

arrow::Status WriteGolden(const std::string& path, const std::string& version) {
  ARROW_ASSIGN_OR_RAISE(const auto table, golden::Contents(version));
  ARROW_ASSIGN_OR_RAISE(const auto writer,
                        FileWriter::Open(path, table->schema(), {.version = version}));
  ARROW_ASSIGN_OR_RAISE(const auto batch, table->CombineChunksToBatch());
  ARROW_RETURN_NOT_OK(writer->WriteBatch(*batch));
  return writer->Close().status();
}

arrow::Result<std::shared_ptr<arrow::Table>> ReadFile(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(const FileReader reader, FileReader::Open(path));
  ARROW_ASSIGN_OR_RAISE(const auto batches, reader.ReadRange(0, reader.num_rows()));
  return batches->ToTable();
}

class GoldenFileTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFileTest, ReadsAsItWasWritten) {
  if (std::getenv("LANCE_GOLDEN_WRITE") != nullptr) {
    ASSERT_TRUE(IsOk(WriteGolden(PathOf(GetParam()), GetParam())));
  }
  const auto expected = golden::Contents(GetParam());
  ASSERT_TRUE(IsOk(expected));

  const auto table = ReadFile(PathOf(GetParam()));

  ASSERT_TRUE(IsOk(table));
  ASSERT_TRUE(IsOk((*table)->ValidateFull()));
  ASSERT_EQ((*table)->num_columns(), (*expected)->num_columns());
  for (int i = 0; i < (*expected)->num_columns(); ++i) {
    EXPECT_TRUE((*table)->column(i)->Equals((*expected)->column(i)))
        << (*expected)->field(i)->ToString();
  }
}

TEST_P(GoldenFileTest, IsWrittenTheSameToday) {
  const std::string path = ::testing::TempDir() + "golden-" + GetParam() + ".lance";
  ASSERT_TRUE(IsOk(WriteGolden(path, GetParam())));

  const auto table = ReadFile(path);

  ASSERT_TRUE(IsOk(table));
  EXPECT_TRUE((*table)->Equals(**golden::Contents(GetParam())));
  std::filesystem::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Versions, GoldenFileTest, ::testing::Values("2.0", "2.1", "2.2"),
                         [](const auto& test) {
                           return "v" + test.param.substr(0, 1) + "_" + test.param.substr(2);
                         });

}  // namespace
}  // namespace lance
