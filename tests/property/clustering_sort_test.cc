#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "arrow/api.h"
#include "clustering_bytes.h"
#include "lance/clustering/key_sort.h"
#include "lance/clustering/sort_rows.h"

namespace lance::clustering {
namespace {

using lance::testing::HostileBytes;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

std::shared_ptr<arrow::Array> KeyArray(const std::vector<std::string>& keys, int32_t key_bytes) {
  arrow::FixedSizeBinaryBuilder builder(arrow::fixed_size_binary(key_bytes));
  for (const std::string& key : keys) EXPECT_TRUE(builder.Append(key).ok());
  return builder.Finish().ValueOrDie();
}

/// The array in slices of random sizes, empty ones among them.
std::shared_ptr<arrow::ChunkedArray> InSlices(SeededRandom* random,
                                              const std::shared_ptr<arrow::Array>& array) {
  arrow::ArrayVector slices;
  for (int64_t first = 0; first < array->length();) {
    const auto count = static_cast<int64_t>(random->Below(random->OneIn(3) ? 3 : 5000));
    slices.push_back(array->Slice(first, count));
    first += slices.back()->length();
  }
  return std::make_shared<arrow::ChunkedArray>(slices, array->type());
}

TEST(SortByKeyProperty, IsTheStableOrderWhateverTheChunks) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(25); ++round) {
    const auto key_bytes = static_cast<int32_t>(1 + random.Below(30));
    const size_t num_rows = random.OneIn(5) ? 60'000 : random.Below(4000);
    const bool has_few_values = random.OneIn(2);
    std::vector<std::string> keys;
    for (size_t row = 0; row < num_rows; ++row) {
      keys.push_back(has_few_values && row > 20
                         ? keys[random.Below(20)]
                         : HostileBytes(&random, static_cast<size_t>(key_bytes)));
    }
    std::vector<uint64_t> expected(num_rows);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint64_t lhs, uint64_t rhs) { return keys[lhs] < keys[rhs]; });

    const auto order = SortByKey(*InSlices(&random, KeyArray(keys, key_bytes)));

    ASSERT_TRUE(order.ok()) << order.status();
    ASSERT_TRUE(*order == expected) << num_rows << " keys of " << key_bytes << " bytes";
  }
}

TEST(SortByKeyProperty, SortsUniformKeysOfManyRows) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  std::vector<std::string> keys;
  for (int row = 0; row < NumRounds(200'000); ++row) {
    const uint64_t bits = random.Next();
    keys.emplace_back(reinterpret_cast<const char*>(&bits), 6);
  }
  const auto order = SortByKey(arrow::ChunkedArray(KeyArray(keys, 6)));
  ASSERT_TRUE(order.ok()) << order.status();
  const auto comes_before = [&](uint64_t lhs, uint64_t rhs) {
    return std::pair(keys[lhs], lhs) < std::pair(keys[rhs], rhs);
  };
  EXPECT_TRUE(std::is_sorted(order->begin(), order->end(), comes_before));
}

/// A table with key columns of every shape, nulls, and a nested payload.
std::shared_ptr<arrow::Table> RandomTable(SeededRandom* random, int64_t num_rows) {
  arrow::StringBuilder names;
  arrow::DoubleBuilder numbers;
  arrow::Decimal128Builder amounts(arrow::decimal128(10, 2));
  auto items = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), items);
  arrow::Status status;
  for (int64_t row = 0; row < num_rows; ++row) {
    status &= random->OneIn(9) ? names.AppendNull()
                               : names.Append(HostileBytes(random, random->Below(300)));
    status &= random->OneIn(9) ? numbers.AppendNull()
                               : numbers.Append(static_cast<double>(random->Below(1000)));
    status &= amounts.Append(arrow::Decimal128(static_cast<int64_t>(random->Below(50)) - 25));
    status &= lists.Append();
    for (uint64_t i = random->Below(3); i > 0; --i)
      status &= items->Append(static_cast<int32_t>(row));
  }
  EXPECT_TRUE(status.ok());
  return arrow::Table::Make(
      arrow::schema({arrow::field("name", arrow::utf8()), arrow::field("number", arrow::float64()),
                     arrow::field("amount", arrow::decimal128(10, 2)),
                     arrow::field("items", arrow::list(arrow::int32()))}),
      {names.Finish().ValueOrDie(), numbers.Finish().ValueOrDie(), amounts.Finish().ValueOrDie(),
       lists.Finish().ValueOrDie()});
}

std::shared_ptr<arrow::Table> Rechunked(SeededRandom* random, const arrow::Table& table) {
  arrow::ChunkedArrayVector columns;
  for (const auto& column : table.columns()) columns.push_back(InSlices(random, column->chunk(0)));
  return arrow::Table::Make(table.schema(), columns, table.num_rows());
}

TEST(ClusterSortProperty, GivesTheSameRowsForAnyBatchesAndThreads) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(3); ++round) {
    const auto table = RandomTable(&random, 3000);
    const auto positions = ConsecutivePositions(random.Next() >> 8, table->num_rows()).ValueOrDie();
    const ClusteringSpec spec{.columns = {},
                              .curve = ClusteringCurve::kHilbert,
                              .version = 0,
                              .bits_per_dim = 16,
                              .algorithm = ClusteringAlgorithm::kTypedQuantileRankV2};
    const std::vector<std::string> keys{"amount", "name", "number"};
    RunContext one_thread;
    one_thread.num_threads = 1;
    RunContext four_threads;
    four_threads.num_threads = 4;

    const auto whole = ClusterSort(*table, keys, spec, *positions, one_thread);
    const auto cut = ClusterSort(*Rechunked(&random, *table), keys, spec,
                                 *InSlices(&random, positions->chunk(0)), four_threads);

    ASSERT_TRUE(whole.ok()) << whole.status();
    ASSERT_TRUE(cut.ok()) << cut.status();
    EXPECT_EQ(whole->permutation, cut->permutation);
    EXPECT_TRUE(whole->table->Equals(*cut->table));
    std::vector<uint64_t> rows = whole->permutation;
    std::sort(rows.begin(), rows.end());
    std::vector<uint64_t> all(rows.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(rows, all);
    for (const size_t row : {size_t{0}, rows.size() / 2, rows.size() - 1}) {
      const auto source = static_cast<int64_t>(whole->permutation[row]);
      EXPECT_TRUE(
          whole->table->Slice(static_cast<int64_t>(row), 1)->Equals(*table->Slice(source, 1)));
    }
  }
}

}  // namespace
}  // namespace lance::clustering
