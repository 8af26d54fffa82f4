#include "lance/index/btree_sort.h"

#include <bit>

#include "btree_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::IsCancelled;
using lance::testing::IsCapacityError;
using lance::testing::IsOk;
using lance::testing::SeededRandom;

/// Values by a few letters, with nulls, and numbers of their rows.
std::shared_ptr<arrow::RecordBatch> RandomStrings(int64_t count, SeededRandom& random) {
  arrow::StringBuilder values;
  for (int64_t i = 0; i < count; ++i) {
    std::string value(random.Below(12), 'a');  // many have the first eight bytes in common
    if (!value.empty()) value.back() = static_cast<char>('a' + random.Below(4));
    if (!(random.OneIn(20) ? values.AppendNull() : values.Append(value)).ok()) std::abort();
  }
  return arrow::RecordBatch::Make(ValueRowSchema(arrow::utf8()), count,
                                  {values.Finish().ValueOrDie(), ToArray(Consecutive(0, count))});
}

/// All rows of some sources, merged.
arrow::Result<std::shared_ptr<arrow::Table>> Merge(
    const std::vector<std::shared_ptr<arrow::RecordBatchReader>>& sources,
    const std::shared_ptr<arrow::DataType>& type, const RunContext& run = {}) {
  arrow::RecordBatchVector batches;
  ARROW_RETURN_NOT_OK(MergeSortedRows(sources, type, run, [&](const arrow::RecordBatch& batch) {
    batches.push_back(batch.Slice(0));
    return arrow::Status::OK();
  }));
  ARROW_ASSIGN_OR_RAISE(auto table, arrow::Table::FromRecordBatches(ValueRowSchema(type), batches));
  return table->CombineChunks();
}

/// The order by the standard library: nulls first, then bytewise, ties as they came.
RowNumbers ExpectedOrder(const arrow::Array& values) {
  RowNumbers order = Consecutive(0, values.length());
  const auto& strings = static_cast<const arrow::StringArray&>(values);
  const auto key = [&](uint64_t row) {
    const auto at = static_cast<int64_t>(row);
    return std::pair(strings.IsValid(at), strings.IsValid(at) ? strings.GetString(at) : "");
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](uint64_t lhs, uint64_t rhs) { return key(lhs) < key(rhs); });
  return order;
}

void ExpectSorted(ValueSorter* sorter, const arrow::RecordBatch& rows, const RunContext& run,
                  size_t min_sources) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto sources, sorter->Finish());
  EXPECT_GE(sources.size(), min_sources);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto sorted, Merge(sources, arrow::utf8(), run));
  ASSERT_EQ(sorted->num_rows(), rows.num_rows());
  EXPECT_TRUE(sorted->column(1)->chunk(0)->Equals(ToArray(ExpectedOrder(*rows.column(0)))));
}

TEST(ValueSorter, SortsInMemoryWhatFits) {
  SeededRandom random;
  const auto rows = RandomStrings(20000, random);
  ValueSorter sorter(arrow::utf8(), {});
  ASSERT_THAT(sorter.Add(*rows->Slice(0, 12345)), IsOk());
  ASSERT_THAT(sorter.Add(*rows->Slice(12345)), IsOk());
  ExpectSorted(&sorter, *rows, {}, 1);
}

TEST(ValueSorter, SortsOnDiskWhatDoesNotFit) {
  SeededRandom random;
  const auto rows = RandomStrings(20000, random);
  ValueSorter sorter(arrow::utf8(), {}, /*max_run_bytes=*/30000);
  for (int64_t at = 0; at < 20000; at += 333) {
    ASSERT_THAT(sorter.Add(*rows->Slice(at, 333)), IsOk());
  }
  ExpectSorted(&sorter, *rows, {}, 10);
}

TEST(ValueSorter, MergesRunsWhenTheyAreMany) {
  SeededRandom random;
  const auto rows = RandomStrings(20000, random);
  ValueSorter sorter(arrow::utf8(), {}, /*max_run_bytes=*/2000);  // some 200 runs
  ASSERT_THAT(sorter.Add(*rows), IsOk());
  ExpectSorted(&sorter, *rows, {}, 3);
}

TEST(ValueSorter, KeepsWithinTheMemoryBudget) {
  SeededRandom random;
  const auto rows = RandomStrings(20000, random);
  RunContext run;
  run.memory_budget = MemoryBudget::Make(200000);
  ValueSorter sorter(arrow::utf8(), run);
  ASSERT_THAT(sorter.Add(*rows), IsOk());  // as one batch that is larger than the budget
  EXPECT_GT(run.memory_budget->in_use_bytes(), 0u);
  ExpectSorted(&sorter, *rows, run, 3);
}

TEST(ValueSorter, PutsRowsOnDiskWhenOthersUseTheMemoryBudget) {
  SeededRandom random;
  const auto rows = RandomStrings(20000, random);
  RunContext run;
  run.memory_budget = MemoryBudget::Make(1000000);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto others, run.memory_budget->Reserve(900000, "others"));
  ValueSorter sorter(arrow::utf8(), run);
  for (int64_t at = 0; at < 20000; at += 1000) {
    ASSERT_THAT(sorter.Add(*rows->Slice(at, 1000)), IsOk());
  }
  ExpectSorted(&sorter, *rows, run, 3);
}

TEST(ValueSorter, SaysWhenTheMemoryBudgetHoldsNoRun) {
  SeededRandom random;
  RunContext run;
  run.memory_budget = MemoryBudget::Make(20);
  ValueSorter sorter(arrow::utf8(), run);
  EXPECT_THAT(sorter.Add(*RandomStrings(1000, random)),
              IsCapacityError(::testing::HasSubstr("max_memory_bytes")));
}

TEST(ValueSorter, StopsWhenItIsAskedTo) {
  SeededRandom random;
  auto source = arrow::StopSource();
  source.RequestStop();
  RunContext run;
  run.stop_token = source.token();
  ValueSorter sorter(arrow::utf8(), run);
  EXPECT_THAT(sorter.Add(*RandomStrings(10, random)), IsCancelled());
}

TEST(SortKey, TellsNansOfOneSignApartByTheirBits) {
  const std::vector<uint64_t> ascending = {
      0xfff8000000000001, 0xfff8000000000000, 0xfff0000000000000, 0xbff0000000000000,
      0x8000000000000000, 0x0000000000000000, 0x3ff0000000000000, 0x7ff0000000000000,
      0x7ff8000000000000, 0x7ff8000000000001};
  arrow::DoubleBuilder builder;
  ASSERT_THAT(builder.AppendNull(), IsOk());
  for (const uint64_t bits : ascending) {
    ASSERT_THAT(builder.Append(std::bit_cast<double>(bits)), IsOk());
  }
  const auto array = *builder.Finish();
  for (int64_t row = 1; row < array->length(); ++row) {
    EXPECT_LT(SortKey(*array, row - 1), SortKey(*array, row)) << row;
  }
}

}  // namespace
}  // namespace lance::index
