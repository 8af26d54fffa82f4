#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "index_fixtures.h"
#include "lance/index/ordered_value.h"
#include "lance/index/scalar_index.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::index {

/// Rows of a column, and what names each of them.
struct NumberedRows {
  std::shared_ptr<arrow::Array> values;
  std::vector<uint64_t> rows;
};

inline uint64_t AddressOf(uint64_t fragment_id, uint64_t offset) {
  return fragment_id << 32 | offset;
}

/// The numbers in a set. \pre no whole fragment
inline std::set<uint64_t> Numbers(const RowAddressMap& map) {
  std::set<uint64_t> numbers;
  for (const auto& entry : map.entries) {
    for (const uint32_t low : entry.offsets.value().ToVector()) {
      numbers.insert(AddressOf(entry.fragment_id, low));
    }
  }
  return numbers;
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
  LANCE_ASSERT_OK_AND_ASSIGN(const LeafMatches matches, index.Search(leaf, run));
  const std::set<uint64_t> found = Numbers(matches.rows);
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

/// A RowMapping by a table; what is not in it is gone.
class TableMapping : public RowMapping {
 public:
  explicit TableMapping(std::map<uint64_t, uint64_t> to) : to_(std::move(to)) {}
  std::optional<uint64_t> Map(uint64_t row) const override {
    const auto found = to_.find(row);
    return found == to_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<uint64_t, uint64_t> to_;
};

/// What a test of an index type runs with: a store in memory, and segments in it.
struct IndexBench {
  IndexBench() {
    run.clock = &clock;
    run.random = &random;
  }

  /// A request for new rows, in batches of `batch_rows`.
  static NewScalarIndex Request(const std::string& index_type, const NumberedRows& rows,
                                int64_t batch_rows = 7) {
    NewScalarIndex request;
    request.index_type = index_type;
    request.column = "c";
    request.column_type = rows.values->type();
    request.domain = RowDomain::kRowId;
    const auto schema = arrow::schema(
        {arrow::field("value", rows.values->type()), arrow::field("row", arrow::uint64())});
    arrow::UInt64Builder numbers;
    if (!numbers.AppendValues(rows.rows).ok()) std::abort();
    const auto all = arrow::RecordBatch::Make(schema, rows.values->length(),
                                              {rows.values, numbers.Finish().ValueOrDie()});
    arrow::RecordBatchVector batches;
    for (int64_t begin = 0; begin < all->num_rows(); begin += batch_rows) {
      batches.push_back(all->Slice(begin, batch_rows));
    }
    request.rows = arrow::RecordBatchReader::Make(batches, schema).ValueOrDie();
    return request;
  }

  /// Write a segment and describe it as a manifest would.
  arrow::Result<table::IndexMetadata> Write(const NewScalarIndex& request) {
    table::IndexMetadata segment;
    segment.uuid = Uuid::Random(random);
    segment.name = "c_idx";
    segment.field_ids = {0};
    ARROW_ASSIGN_OR_RAISE(const auto files, WriteScalarIndex(store, segment.uuid, request, run));
    segment.details_type_url = files.details_type_url;
    segment.has_details = true;
    segment.index_version = files.index_version;
    segment.files = files.files;
    return segment;
  }

  arrow::Result<std::shared_ptr<const ScalarIndex>> Open(
      const table::IndexMetadata& segment, const std::shared_ptr<arrow::DataType>& type) const {
    return OpenScalarIndex(store, segment, type, run);
  }

  /// Where the only file of a segment is.
  static std::string PathOf(const table::IndexMetadata& segment, const std::string& name) {
    return "_indices/" + segment.uuid.ToString() + "/" + name;
  }

  std::shared_ptr<ObjectStore> store = MakeMemoryStore();
  lance::testing::FakeClock clock;
  lance::testing::SeededRandom random;
  RunContext run;
};

}  // namespace lance::index
