#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "arrow/api.h"
#include "clustering_bytes.h"
#include "lance/clustering/rank_model.h"
#include "lance/clustering/rank_sample.h"

namespace lance::clustering {
namespace {

using lance::testing::HostileBytes;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

struct Row {
  uint64_t position;
  std::string value;
};

/// Values of very different widths, so that K shrinks on the way.
std::vector<Row> RandomRows(SeededRandom* random, size_t num_rows, size_t widest) {
  std::vector<Row> rows;
  for (size_t i = 0; i < num_rows; ++i) {
    const size_t size = random->OneIn(50) ? 1 + random->Below(widest) : 1 + random->Below(12);
    rows.push_back({random->Next() << 8 | i % 256, HostileBytes(random, size)});
  }
  return rows;
}

/// The rule's own words: the K smallest by priority, then by position.
std::vector<uint64_t> PositionsByTheRule(std::vector<Row> rows, uint64_t column, uint64_t limit) {
  std::sort(rows.begin(), rows.end(), [&](const Row& lhs, const Row& rhs) {
    return std::pair(SamplePriority(lhs.position, column), lhs.position) <
           std::pair(SamplePriority(rhs.position, column), rhs.position);
  });
  std::vector<uint64_t> positions;
  for (size_t i = 0; i < std::min<size_t>(rows.size(), limit); ++i) {
    positions.push_back(rows[i].position);
  }
  return positions;
}

ColumnSample SampleInRandomParts(SeededRandom* random, std::vector<Row> rows, uint64_t column) {
  for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random->Below(i)]);
  std::vector<ColumnSample> parts(1 + random->Below(6), ColumnSample(column));
  for (const Row& row : rows) {
    parts[random->Below(parts.size())].Add(row.position, row.value);
  }
  while (parts.size() > 1) {
    std::swap(parts[random->Below(parts.size())], parts.back());
    const ColumnSample taken = std::move(parts.back());
    parts.pop_back();
    parts[random->Below(parts.size())].Merge(taken);
  }
  return parts[0];
}

TEST(ColumnSampleProperty, KeepsTheSmallestWhateverTheOrderAndTheParts) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(12); ++round) {
    const size_t widest = size_t{1} << (6 + random.Below(11));  // K from 65,536 down to 127
    const uint64_t column = random.Below(16);
    const std::vector<Row> rows = RandomRows(&random, random.Below(3000), widest);
    uint64_t width = 0;
    for (const Row& row : rows) width = std::max<uint64_t>(width, row.value.size());
    const auto expected = PositionsByTheRule(rows, column, SampleLimit(width));

    const ColumnSample sample = SampleInRandomParts(&random, rows, column);

    ASSERT_EQ(sample.KeptPositions(), expected) << "widest value " << width;
    ASSERT_EQ(sample.widest_bytes(), width);
  }
}

TEST(ColumnSampleProperty, KeepsTheSmallestOfMoreRowsThanFit) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  std::vector<Row> rows;
  for (uint64_t i = 0; i < 300'000; ++i) rows.push_back({i, "12345678"});
  const auto expected = PositionsByTheRule(rows, /*column=*/2, /*limit=*/65536);

  const ColumnSample sample = SampleInRandomParts(&random, rows, /*column=*/2);

  EXPECT_TRUE(sample.KeptPositions() == expected);
}

std::shared_ptr<arrow::RecordBatch> RandomKeys(SeededRandom* random, int64_t num_rows) {
  arrow::StringBuilder names;
  arrow::Int32Builder numbers;
  arrow::Status status;
  for (int64_t row = 0; row < num_rows; ++row) {
    const size_t size = random->OneIn(100) ? random->Below(40'000) : random->Below(10);
    status &= random->OneIn(10) ? names.AppendNull() : names.Append(std::string(size, 'a'));
    status &= random->OneIn(10) ? numbers.AppendNull()
                                : numbers.Append(static_cast<int32_t>(random->Next()));
  }
  EXPECT_TRUE(status.ok());
  const auto schema =
      arrow::schema({arrow::field("name", arrow::utf8()), arrow::field("n", arrow::int32())});
  return arrow::RecordBatch::Make(schema, num_rows,
                                  {names.Finish().ValueOrDie(), numbers.Finish().ValueOrDie()});
}

TEST(PartialRankModelProperty, FitsTheSameModelFromAnyParts) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(5); ++round) {
    const auto keys = RandomKeys(&random, 2000);
    arrow::UInt64Builder builder;
    for (int64_t row = 0; row < keys->num_rows(); ++row) {
      ASSERT_TRUE(builder.Append(random.Next()).ok());
    }
    const auto positions = builder.Finish().ValueOrDie();
    const auto make = [&] {
      return PartialRankModel::Make(*keys->schema(), ClusteringAlgorithm::kTypedQuantileRankV1)
          .ValueOrDie();
    };
    const auto add = [&](PartialRankModel* model, int64_t first, int64_t count) {
      const auto slice = positions->Slice(first, count);
      ASSERT_TRUE(
          model->Add(*keys->Slice(first, count), static_cast<const arrow::UInt64Array&>(*slice))
              .ok());
    };
    PartialRankModel whole = make();
    add(&whole, 0, keys->num_rows());
    std::vector<PartialRankModel> parts;
    for (int i = 0; i < 3; ++i) parts.push_back(make());
    for (int64_t first = 0; first < keys->num_rows();) {
      const auto count =
          std::min<int64_t>(keys->num_rows() - first, static_cast<int64_t>(1 + random.Below(400)));
      add(&parts[random.Below(parts.size())], first, count);
      first += count;
    }
    ASSERT_TRUE(parts[2].Merge(parts[0]).ok());
    ASSERT_TRUE(parts[1].Merge(parts[2]).ok());

    EXPECT_EQ(parts[1].Finish().ValueOrDie().digest(), whole.Finish().ValueOrDie().digest());
  }
}

}  // namespace
}  // namespace lance::clustering
