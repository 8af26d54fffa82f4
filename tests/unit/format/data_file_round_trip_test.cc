// Law: what is read is what was written, for every type, null pattern, length, slice and choice of
// rows.

#include <numeric>

#include "arrow/api.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "random_arrays.h"
#include "written_file.h"

namespace lance::format {
namespace {

using lance::testing::IsLongSize;
using lance::testing::IsOk;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

const auto kNever = arrow::StopToken::Unstoppable();

bool AreSame(const arrow::Array& lhs, const arrow::Array& rhs) {
  return lhs.Equals(rhs, arrow::EqualOptions().nans_equal(true));
}

/// Take the asked rows of an array as the reader should.
std::shared_ptr<arrow::Array> Select(const std::shared_ptr<arrow::Array>& array,
                                     const RowRanges& rows) {
  arrow::ArrayVector parts = {array->Slice(0, 0)};
  for (const RowRange& range : rows.ranges()) {
    parts.push_back(
        array->Slice(static_cast<int64_t>(range.begin), static_cast<int64_t>(range.size())));
  }
  return arrow::Concatenate(parts).ValueOrDie();
}

RowRanges RandomRows(uint64_t num_rows, SeededRandom* random) {
  std::vector<RowRange> ranges;
  const uint64_t count = random->Below(20);
  const uint64_t longest = random->OneIn(2) ? 3 : num_rows / 2 + 1;
  for (uint64_t i = 0; i < count && num_rows > 0; ++i) {
    const uint64_t begin = random->Below(num_rows);
    ranges.push_back({begin, std::min(num_rows, begin + 1 + random->Below(longest))});
  }
  return RowRanges::Make(std::move(ranges));
}

std::vector<RowRanges> RowChoices(uint64_t num_rows, SeededRandom* random) {
  std::vector<RowRanges> choices = {RowRanges::All(num_rows)};
  for (const RowRange range : {RowRange{0, 1}, RowRange{1023, 1025}, RowRange{1024, 2048}}) {
    if (range.end <= num_rows) choices.push_back(RowRanges::Make({range}));
  }
  if (num_rows > 0) choices.push_back(RowRanges::Make({{num_rows - 1, num_rows}}));
  for (int i = 0; i < 3; ++i) choices.push_back(RandomRows(num_rows, random));
  return choices;
}

/// Write an array in batches of random sizes.
arrow::Result<WrittenFile> WriteInBatches(const std::shared_ptr<arrow::Array>& array,
                                          uint64_t max_page_bytes, SeededRandom* random) {
  arrow::RecordBatchVector batches = {OneColumn(array->Slice(0, 0))};
  for (int64_t at = 0; at < array->length();) {
    const int64_t size = random->OneIn(3)
                             ? array->length()
                             : random->Between(1, std::max<int64_t>(1, array->length() / 2));
    batches.push_back(OneColumn(array->Slice(at, std::min(size, array->length() - at))));
    at += batches.back()->num_rows();
  }
  return WriteBatches(batches, {.max_page_bytes = max_page_bytes});
}

void ExpectRoundTrip(const std::shared_ptr<arrow::Array>& array, uint64_t max_page_bytes,
                     SeededRandom* random) {
  const auto file = WriteInBatches(array, max_page_bytes, random);
  ASSERT_THAT(file, IsOk());
  const auto reader = file->Open();
  ASSERT_THAT(reader, IsOk());
  ASSERT_EQ((*reader)->num_rows(), static_cast<uint64_t>(array->length()));
  for (const RowRanges& rows : RowChoices((*reader)->num_rows(), random)) {
    const auto read = (*reader)->ReadColumn(0, array->type(), rows, kNever);
    ASSERT_THAT(read, IsOk());
    ASSERT_EQ((*read)->length(), static_cast<int64_t>(rows.num_rows()));
    EXPECT_TRUE(AreSame(**read, *Select(array, rows))) << rows.ranges().size() << " ranges";
  }
}

class RoundTripTest : public ::testing::TestWithParam<std::shared_ptr<arrow::DataType>> {};

TEST_P(RoundTripTest, KeepsEveryRow) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(1); ++round) {
    for (const int64_t length : {0, 1, 2, 1023, 1024, 1025, 2048, 5000}) {
      for (const uint64_t null_every : {0, 1, 2, 50}) {
        for (const bool is_small : {false, true}) {
          SCOPED_TRACE("length " + std::to_string(length) + ", null every " +
                       std::to_string(null_every) + (is_small ? ", small" : ""));
          const auto array = RandomArray(
              GetParam(), {.length = length + 7, .null_every = null_every, .is_small = is_small},
              &random);
          const uint64_t page_bytes = random.OneIn(2) ? 8 << 20 : 1 + random.Below(4000);
          ExpectRoundTrip(array->Slice(7), page_bytes, &random);
        }
      }
    }
  }
}

TEST_P(RoundTripTest, KeepsManyRows) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  const int64_t length = IsLongSize() ? 1000000 : 100000;
  const auto array = RandomArray(GetParam(), {.length = length, .null_every = 9}, &random);
  ExpectRoundTrip(array, 300000, &random);
}

std::vector<std::shared_ptr<arrow::DataType>> Types() {
  using arrow::TimeUnit;
  return {arrow::boolean(),
          arrow::int8(),
          arrow::int16(),
          arrow::int32(),
          arrow::int64(),
          arrow::uint8(),
          arrow::uint16(),
          arrow::uint32(),
          arrow::uint64(),
          arrow::float16(),
          arrow::float32(),
          arrow::float64(),
          arrow::date32(),
          arrow::date64(),
          arrow::time32(TimeUnit::SECOND),
          arrow::time64(TimeUnit::NANO),
          arrow::duration(TimeUnit::MILLI),
          arrow::timestamp(TimeUnit::MICRO, "UTC"),
          arrow::decimal128(38, 3),
          arrow::decimal256(70, 1),
          arrow::fixed_size_binary(3),
          arrow::utf8(),
          arrow::large_utf8(),
          arrow::binary(),
          arrow::large_binary()};
}

INSTANTIATE_TEST_SUITE_P(All, RoundTripTest, ::testing::ValuesIn(Types()), [](const auto& test) {
  std::string name = test.param->ToString();
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

}  // namespace
}  // namespace lance::format
