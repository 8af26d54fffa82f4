#include "../unit/index/btree_fixtures.h"
#include "index_columns.h"
#include "lance/testing/matchers.h"

// The law: a BTree finds the rows for which a leaf is true, no others, and those for which it is
// NULL, whether it was built at once or merged from parts whose rows moved or went.

namespace lance::index {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

/// The row that stands for position `i`: fragments of a few rows, one of them of a high number.
uint64_t RowAt(int64_t i) {
  const auto position = static_cast<uint64_t>(i);
  return (position / 1500 == 2 ? 0xfffffffe : position / 1500) << 32 | position % 1500;
}

/// A predicate over one column, and what it is about.
Predicate RandomLeaf(const RandomColumn& column, SeededRandom& random) {
  while (true) {
    Predicate leaf = MakeLeaf({{0, column}}, random);
    if (leaf.kind != Predicate::Kind::kUnknown && leaf.kind != Predicate::Kind::kAlwaysFalse) {
      return leaf;
    }
  }
}

/// The rows for which a leaf has one of SQL's three values.
RowNumbers RowsThatAre(std::optional<bool> wanted, const Predicate& leaf,
                       const arrow::Array& values, const RowNumbers& rows) {
  RowNumbers found;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (EvaluateLeaf(leaf, values, i) == wanted) found.push_back(rows[static_cast<size_t>(i)]);
  }
  std::sort(found.begin(), found.end());
  return found;
}

class BTreeLaw : public ::testing::TestWithParam<std::shared_ptr<arrow::DataType>> {
 protected:
  /// Search for random leaves, and compare with a look at every row.
  void ExpectRightAnswers(const table::IndexMetadata& segment, const RandomColumn& column,
                          const RowNumbers& rows) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench_.Open(segment, GetParam()));
    for (int i = 0; i < 20; ++i) {
      const Predicate leaf = RandomLeaf(column, bench_.random);
      ASSERT_TRUE(index->Answers(leaf)) << Describe(leaf);
      LANCE_ASSERT_OK_AND_ASSIGN(const auto found,
                                 index->Search(leaf, NullRows::kNamed, bench_.run));
      EXPECT_TRUE(found.is_exact);
      EXPECT_EQ(ToRows(found.rows), RowsThatAre(true, leaf, *column.values, rows))
          << Describe(leaf);
      ASSERT_TRUE(found.null_rows.has_value());
      EXPECT_EQ(ToRows(*found.null_rows), RowsThatAre(std::nullopt, leaf, *column.values, rows))
          << Describe(leaf);
    }
  }

  IndexBench bench_;
};

TEST_P(BTreeLaw, BuiltAtOnceItFindsWhatALookAtEveryRowFinds) {
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(1); ++round) {
    const int64_t count =
        bench_.random.OneIn(3) ? bench_.random.Between(0, 300) : bench_.random.Between(4000, 9500);
    const RandomColumn column = MakeColumn(GetParam(), count, bench_.random);
    RowNumbers rows;
    for (int64_t i = 0; i < count; ++i) rows.push_back(RowAt(i));
    std::sort(rows.begin(), rows.end());
    LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench_.Write(NewBTree(column.values, rows)));
    ExpectRightAnswers(segment, column, rows);
  }
}

TEST_P(BTreeLaw, MergedFromPartsItFindsWhatALookAtEveryRowFinds) {
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(1); ++round) {
    const RandomColumn column = MakeColumn(GetParam(), 6000, bench_.random);
    std::vector<table::IndexMetadata> segments;
    std::vector<MovedRows> mappings;
    std::vector<int64_t> kept;  // positions in the column
    RowNumbers rows;            // and their rows in the end
    for (int64_t begin = 0; begin < 4000; begin += 2000) {
      std::map<uint64_t, uint64_t> moved;
      for (int64_t i = begin; i < begin + 2000; ++i) {
        if (bench_.random.OneIn(3)) continue;  // gone
        kept.push_back(i);
        rows.push_back(RowAt(9999 - i));  // the order of rows is turned round
        moved[RowAt(i)] = rows.back();
      }
      RowNumbers old_rows;
      for (int64_t i = begin; i < begin + 2000; ++i) old_rows.push_back(RowAt(i));
      LANCE_ASSERT_OK_AND_ASSIGN(
          segments.emplace_back(),
          bench_.Write(NewBTree(column.values->Slice(begin, 2000), old_rows)));
      mappings.emplace_back(std::move(moved));
    }
    RowNumbers new_rows;
    for (int64_t i = 4000; i < 6000; ++i) {
      kept.push_back(i);
      new_rows.push_back(RowAt(20000 + i));
    }
    rows.insert(rows.end(), new_rows.begin(), new_rows.end());
    NewScalarIndex request = NewBTree(column.values->Slice(4000), new_rows);
    for (size_t i = 0; i < segments.size(); ++i) {
      request.old_parts.push_back({.segment = &segments[i], .mapping = &mappings[i]});
    }
    LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench_.Write(request));

    RandomColumn left = column;
    auto builder = arrow::MakeBuilder(GetParam()).ValueOrDie();
    for (const int64_t i : kept) {
      ASSERT_THAT(builder->AppendArraySlice(*column.values->data(), i, 1), testing::IsOk());
    }
    left.values = builder->Finish().ValueOrDie();
    ExpectRightAnswers(merged, left, rows);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BTreeLaw,
    ::testing::Values(arrow::boolean(), arrow::int8(), arrow::int16(), arrow::int32(),
                      arrow::int64(), arrow::uint8(), arrow::uint16(), arrow::uint32(),
                      arrow::uint64(), arrow::float16(), arrow::float32(), arrow::float64(),
                      arrow::utf8(), arrow::large_utf8(), arrow::binary(), arrow::large_binary(),
                      arrow::fixed_size_binary(9), arrow::date32(), arrow::date64(),
                      arrow::time32(arrow::TimeUnit::SECOND), arrow::time64(arrow::TimeUnit::NANO),
                      arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                      arrow::duration(arrow::TimeUnit::MILLI), arrow::decimal128(28, 2),
                      arrow::decimal256(50, 2)),
    [](const auto& instance) { return instance.param->name(); });

}  // namespace
}  // namespace lance::index
