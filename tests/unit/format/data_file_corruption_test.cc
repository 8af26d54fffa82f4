// Law: whatever the bytes are, opening and reading give a status or arrays that are valid.

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "hand_made_file.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "written_file.h"

namespace lance::format {
namespace {

using arrow::json::ArrayFromJSONString;
using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

arrow::FieldVector Fields() {
  return {arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8()),
          arrow::field("c", arrow::boolean()), arrow::field("d", arrow::int64()),
          arrow::field("e", arrow::large_binary())};
}

std::shared_ptr<arrow::RecordBatch> SmallBatch() {
  const std::vector<std::string> columns = {
      "[1, 2, null, 4, 5, 6]", R"(["x", "yy", null, "w", "", "long enough"])",
      "[true, null, false, true, true, false]", "[null, null, null, null, null, null]",
      R"(["p", "q", "r", "s", "t", "u"])"};
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    arrays.push_back(ArrayFromJSONString(Fields()[i]->type(), columns[i]).ValueOrDie());
  }
  return arrow::RecordBatch::Make(arrow::schema(Fields()), 6, arrays);
}

/// A file of about two kilobytes: several columns, pages, and kinds of pages.
std::string SmallFile() {
  const auto file = WriteBatches({SmallBatch()}, {.max_page_bytes = 20});
  return file.ValueOrDie().Bytes().ValueOrDie();
}

/// A larger one: bit-packed values and levels, several chunks a page.
std::string PackedFile() {
  arrow::Int32Builder numbers;
  arrow::StringBuilder words;
  for (int i = 0; i < 3000; ++i) {
    (void)(i % 11 == 0 ? numbers.AppendNull() : numbers.Append(i % 50));
    (void)words.Append("word " + std::to_string(i % 97));
  }
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())});
  const auto batch = arrow::RecordBatch::Make(
      schema, 3000, {numbers.Finish().ValueOrDie(), words.Finish().ValueOrDie()});
  return WriteBatches({batch}).ValueOrDie().Bytes().ValueOrDie();
}

/// Open and read everything that a damaged file still claims to have. \return whether all was read
bool ReadWhatIsThere(const std::string& bytes, const arrow::FieldVector& fields) {
  const auto reader = OpenBytes(bytes);
  if (!reader.ok()) return false;
  bool all_ok = true;
  // A forged row count is legal for all-null columns; nobody has to read all of it at once.
  const uint64_t num_rows = std::min<uint64_t>((*reader)->num_rows(), 100000);
  const auto all = RowRanges::All(num_rows);
  const auto some = num_rows < 3 ? all : RowRanges::Make({{1, 2}, {num_rows - 1, num_rows}});
  for (int i = 0; i < (*reader)->num_columns() && i < 10; ++i) {
    const auto& type = fields[static_cast<size_t>(i) % fields.size()]->type();
    for (const RowRanges& rows : {some, all}) {
      const auto array = Read(**reader, i, type, rows);
      if (!array.ok()) {
        EXPECT_NE(array.status().code(), arrow::StatusCode::UnknownError) << array.status();
        all_ok = false;
        continue;
      }
      EXPECT_THAT((*array)->ValidateFull(), IsOk());
      EXPECT_EQ((*array)->length(), static_cast<int64_t>(rows.num_rows()));
    }
  }
  return all_ok;
}

TEST(DamagedFile, ReadsWhenItIsNotDamaged) {
  EXPECT_TRUE(ReadWhatIsThere(SmallFile(), Fields()));
  EXPECT_TRUE(ReadWhatIsThere(PackedFile(), {Fields()[0], Fields()[1]}));
}

TEST(DamagedFile, IsHarmlessWhicheverByteIsWrong) {
  const std::string good = SmallFile();
  int num_refused = 0;
  for (size_t at = 0; at < good.size(); ++at) {
    for (const unsigned char flip : {0x01, 0x04, 0x80, 0xFF}) {
      std::string bad = good;
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ flip);
      SCOPED_TRACE("byte " + std::to_string(at) + " flipped by " + std::to_string(flip));
      num_refused += ReadWhatIsThere(bad, Fields()) ? 0 : 1;
    }
  }
  EXPECT_GT(num_refused, static_cast<int>(good.size()));
}

TEST(DamagedFile, IsHarmlessWhereverItIsCut) {
  const std::string good = SmallFile();
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(ReadWhatIsThere(good.substr(0, size), Fields())) << size;
    EXPECT_FALSE(ReadWhatIsThere(good.substr(0, size) + good.substr(size + 1), Fields())) << size;
  }
}

void DamageAtRandom(const std::string& good, const arrow::FieldVector& fields, int num_rounds) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  // Metadata are at the end; most changes go there.
  const uint64_t tail = std::min<uint64_t>(good.size(), 900);
  const uint64_t interesting[] = {0, 1, 2, 7, 8, 127, 128, 255, 256, 65535, 1ull << 31, ~0ull};
  for (int round = 0; round < num_rounds; ++round) {
    std::string bad = good;
    const uint64_t num_changes = 1 + random.Below(4);
    for (uint64_t i = 0; i < num_changes; ++i) {
      const uint64_t at =
          random.OneIn(3) ? random.Below(bad.size()) : bad.size() - 1 - random.Below(tail);
      const uint64_t value =
          random.OneIn(2) ? random.Next() : interesting[random.Below(std::size(interesting))];
      const uint64_t size = std::min<uint64_t>(uint64_t{1} << random.Below(4), bad.size() - at);
      bad.replace(at, size, reinterpret_cast<const char*>(&value), size);
    }
    SCOPED_TRACE("round " + std::to_string(round));
    (void)ReadWhatIsThere(bad, fields);  // any status is fine; what it gives was checked inside
  }
}

TEST(DamagedFile, IsHarmlessWhenManyBytesAreWrong) {
  DamageAtRandom(SmallFile(), Fields(), NumRounds(4000));
}

TEST(DamagedFile, IsHarmlessWhenPackedBytesAreWrong) {
  DamageAtRandom(PackedFile(), {Fields()[0], Fields()[1]}, NumRounds(500));
}

}  // namespace
}  // namespace lance::format
