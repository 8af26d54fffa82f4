#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "btree_fixtures.h"
#include "lance/index/ordered_value.h"
#include "lance/testing/matchers.h"

namespace lance::index {

/// Rows of a column, and what names each of them.
struct NumberedRows {
  std::shared_ptr<arrow::Array> values;
  RowNumbers rows;
};

inline uint64_t AddressOf(uint64_t fragment_id, uint64_t offset) {
  return fragment_id << 32 | offset;
}

/// The numbers in a set. \pre no whole fragment
inline std::set<uint64_t> Numbers(const RowAddressMap& map) {
  const RowNumbers rows = ToRows(map);
  return {rows.begin(), rows.end()};
}

/// What the leaf is for a row, written without the code under test: as EvaluateLeaf, and items.
inline std::optional<bool> EvaluateAny(const Predicate& leaf, const arrow::Array& values,
                                       int64_t row) {
  if (leaf.kind != Predicate::Kind::kHasAny && leaf.kind != Predicate::Kind::kHasAll) {
    return EvaluateLeaf(leaf, values, row);
  }
  if (values.IsNull(row)) return std::nullopt;
  const auto list = values.GetScalar(row).ValueOrDie();
  const auto& items = *static_cast<const arrow::BaseListScalar&>(*list).value;
  const auto has = [&](const arrow::Scalar& wanted) {
    for (int64_t i = 0; i < items.length(); ++i) {
      if (items.IsNull(i) != !wanted.is_valid) continue;
      if (!wanted.is_valid) return true;
      const auto item = items.GetScalar(i).ValueOrDie();
      if (CompareValues(ValueOf(*item), ValueOf(wanted)) == 0) return true;
    }
    return false;
  };
  size_t found = 0;
  for (const auto& wanted : leaf.values) found += has(*wanted) ? 1 : 0;
  return leaf.kind == Predicate::Kind::kHasAny ? found > 0 : found == leaf.values.size();
}

/// Expect that an index finds the rows for which the leaf is TRUE, and those for which it is NULL.
inline void ExpectFinds(const ScalarIndex& index, const Predicate& leaf, const NumberedRows& rows,
                        const RunContext& run, bool knows_nulls = true) {
  ASSERT_TRUE(index.Answers(leaf));
  std::set<uint64_t> wanted;
  std::set<uint64_t> nulls;
  for (size_t i = 0; i < rows.rows.size(); ++i) {
    const auto value = EvaluateAny(leaf, *rows.values, static_cast<int64_t>(i));
    if (!value) nulls.insert(rows.rows[i]);
    if (value == true) wanted.insert(rows.rows[i]);
  }
  LANCE_ASSERT_OK_AND_ASSIGN(const LeafMatches matches, index.Search(leaf, NullRows::kNamed, run));
  const std::set<uint64_t> found = Numbers(matches.rows);
  LANCE_ASSERT_OK_AND_ASSIGN(const LeafMatches alone, index.Search(leaf, NullRows::kLeftOut, run));
  EXPECT_EQ(alone.rows, matches.rows);
  EXPECT_EQ(alone.is_exact, matches.is_exact);
  if (matches.is_exact) {
    EXPECT_EQ(found, wanted);
    ASSERT_EQ(matches.null_rows.has_value(), knows_nulls);
    if (knows_nulls) {
      EXPECT_EQ(Numbers(*matches.null_rows), nulls);
    }
    return;
  }
  for (const uint64_t row : wanted) EXPECT_TRUE(found.contains(row)) << row;
  EXPECT_FALSE(matches.null_rows.has_value());
}

/// Different values of an array: its own, without null.
inline std::vector<Literal> LiteralsOf(const arrow::Array& values) {
  std::vector<Literal> literals;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    const auto literal = values.GetScalar(i).ValueOrDie();
    bool is_new = true;
    for (const auto& known : literals) {
      is_new = is_new && CompareValues(ValueOf(*known), ValueOf(*literal)) != 0;
    }
    if (is_new) literals.push_back(literal);
  }
  return literals;
}

/// Every equality, every range between two of the literals or open, some lists, and IS NULL.
inline std::vector<Predicate> LeavesWith(const std::vector<Literal>& literals) {
  std::vector<Predicate> leaves = {IsNull(0), In(0, literals), In(0, {}), Range(0, {}, {})};
  for (const auto& low : literals) {
    leaves.push_back(Equal(0, low));
    leaves.push_back(In(0, {low, literals[0]}));
    for (const bool inclusive : {false, true}) {
      leaves.push_back(Range(0, Bound{low, inclusive}, {}));
      leaves.push_back(Range(0, {}, Bound{low, inclusive}));
      for (const auto& high : literals) {
        leaves.push_back(Range(0, Bound{low, inclusive}, Bound{high, !inclusive}));
        leaves.push_back(Range(0, Bound{low, inclusive}, Bound{high, inclusive}));
      }
    }
  }
  return leaves;
}

/// A leaf that asks for items.
inline Predicate HasItems(Predicate::Kind kind, std::vector<Literal> items) {
  Predicate leaf;
  leaf.kind = kind;
  leaf.field_id = 0;
  leaf.values = std::move(items);
  return leaf;
}

/// A request for a new index of some rows.
inline NewScalarIndex NewIndex(const std::string& index_type, const NumberedRows& rows,
                               int64_t batch_rows = 7) {
  NewScalarIndex request;
  request.index_type = index_type;
  request.column = "c";
  request.column_type = rows.values->type();
  request.domain = RowDomain::kRowId;
  request.rows = RowsToIndex(rows.values, rows.rows, batch_rows);
  return request;
}

}  // namespace lance::index
