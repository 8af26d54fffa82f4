#include "lance/index/btree.h"

#include <functional>

#include "btree_fixtures.h"
#include "lance/index/stored_columns.h"
#include "lance/testing/fault_store.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::Fault;
using lance::testing::FaultStore;
using lance::testing::HasDetail;
using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsKeyError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using lance::testing::IsUnknownError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<arrow::Scalar> IntOf(int64_t value) { return arrow::MakeScalar(value); }

std::shared_ptr<arrow::Array> IntsOf(const std::vector<std::optional<int64_t>>& values) {
  arrow::Int64Builder builder;
  for (const auto& value : values) {
    if (!(value ? builder.Append(*value) : builder.AppendNull()).ok()) std::abort();
  }
  return builder.Finish().ValueOrDie();
}

/// 0, 1, 2, ... in an order of their own; `num_nulls` nulls behind them.
std::shared_ptr<arrow::Array> ShuffledInts(int64_t count, int64_t num_nulls = 0) {
  std::vector<std::optional<int64_t>> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(i * 7919 % count);  // 7919 is prime
  values.resize(static_cast<size_t>(count + num_nulls));
  return IntsOf(values);
}

/// The rows for which a leaf is true.
arrow::Result<RowNumbers> Find(const ScalarIndex& index, const Predicate& leaf,
                               const RunContext& run = {}) {
  ARROW_ASSIGN_OR_RAISE(const LeafMatches matches, index.Search(leaf, NullRows::kNamed, run));
  EXPECT_TRUE(matches.is_exact);
  return ToRows(matches.rows);
}

// ---- Search -------------------------------------------------------------------------------------

class SmallBTree : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto values = IntsOf({5, 3, std::nullopt, 5, 1, std::nullopt, 4});
    const RowNumbers rows = {
        0, 1, 2, 3, uint64_t{7} << 32, (uint64_t{7} << 32) + 1, (uint64_t{9} << 32) + 4294967295u};
    LANCE_ASSERT_OK_AND_ASSIGN(segment_, bench_.Write(NewBTree(values, rows)));
    LANCE_ASSERT_OK_AND_ASSIGN(index_, bench_.Open(segment_, arrow::int64()));
  }

  RowNumbers Rows(const Predicate& leaf) { return Find(*index_, leaf, bench_.run).ValueOrDie(); }

  IndexBench bench_;
  table::IndexMetadata segment_;
  std::shared_ptr<const ScalarIndex> index_;
};

TEST_F(SmallBTree, FindsRowsOfEveryKindOfLeaf) {
  constexpr uint64_t kSeven = uint64_t{7} << 32;
  constexpr uint64_t kLast = (uint64_t{9} << 32) + 4294967295u;
  EXPECT_THAT(Rows(Equal(0, IntOf(5))), ElementsAre(0, 3));
  EXPECT_THAT(Rows(Equal(0, IntOf(2))), IsEmpty());
  EXPECT_THAT(Rows(Less(0, IntOf(4))), ElementsAre(1, kSeven));
  EXPECT_THAT(Rows(LessEqual(0, IntOf(4))), ElementsAre(1, kSeven, kLast));
  EXPECT_THAT(Rows(Greater(0, IntOf(4))), ElementsAre(0, 3));
  EXPECT_THAT(Rows(GreaterEqual(0, IntOf(4))), ElementsAre(0, 3, kLast));
  EXPECT_THAT(Rows(Between(0, IntOf(4), IntOf(3))), IsEmpty());
  EXPECT_THAT(Rows(Range(0, std::nullopt, std::nullopt)), ElementsAre(0, 1, 3, kSeven, kLast));
  EXPECT_THAT(Rows(In(0, {IntOf(1), IntOf(5), IntOf(2), IntOf(5)})), ElementsAre(0, 3, kSeven));
  EXPECT_THAT(Rows(In(0, {})), IsEmpty());
  EXPECT_THAT(Rows(IsNull(0)), ElementsAre(2, kSeven + 1));
}

TEST_F(SmallBTree, SaysWhichRowsAreNullForValuesAndNoneForIsNull) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto found,
                             index_->Search(Equal(0, IntOf(5)), NullRows::kNamed, bench_.run));
  ASSERT_TRUE(found.null_rows.has_value());
  EXPECT_THAT(ToRows(*found.null_rows), ElementsAre(2, (uint64_t{7} << 32) + 1));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto nulls,
                             index_->Search(IsNull(0), NullRows::kNamed, bench_.run));
  ASSERT_TRUE(nulls.null_rows.has_value());
  EXPECT_THAT(ToRows(*nulls.null_rows), IsEmpty());
}

TEST(BTree, ReadsNoNullsThatNobodyAsksFor) {
  IndexBench bench;
  std::shared_ptr<arrow::Array> nulls = arrow::MakeArrayOfNull(arrow::int64(), 20'000).ValueOrDie();
  const auto values = arrow::Concatenate({nulls, ArrayOf(arrow::int64(), "[1, 2]")}).ValueOrDie();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewBTree(values, Consecutive(0, values->length()))));
  const auto counters = std::make_shared<IoCounters>();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index,
                             OpenScalarIndex(MakeCountingStore(bench.store, counters), segment,
                                             arrow::int64(), bench.run));
  const auto bytes_read_by = [&](NullRows asked) {
    const uint64_t before = counters->bytes_read;
    EXPECT_THAT(index->Search(Equal(0, IntOf(2)), asked, bench.run), IsOk());
    return counters->bytes_read - before;
  };

  const uint64_t alone = bytes_read_by(NullRows::kLeftOut);

  EXPECT_GT(alone, 0u);
  EXPECT_GT(bytes_read_by(NullRows::kNamed), alone);
}

TEST_F(SmallBTree, AnswersOnlyWhatItCanCompare) {
  EXPECT_TRUE(index_->Answers(Equal(0, IntOf(5))));
  EXPECT_TRUE(index_->Answers(In(0, {IntOf(5)})));
  EXPECT_TRUE(index_->Answers(IsNull(0)));
  EXPECT_FALSE(index_->Answers(Equal(0, arrow::MakeScalar(int32_t{5}))));
  EXPECT_FALSE(index_->Answers(In(0, {IntOf(5), arrow::MakeNullScalar(arrow::int64())})));
  EXPECT_FALSE(index_->Answers(Less(0, nullptr)));
  EXPECT_FALSE(index_->Answers(Unknown()));
  EXPECT_FALSE(index_->Answers(Not(IsNull(0))));
  Predicate has_any = In(0, {IntOf(5)});
  has_any.kind = Predicate::Kind::kHasAny;
  EXPECT_FALSE(index_->Answers(has_any));
  EXPECT_THAT(index_->Search(has_any, NullRows::kNamed, bench_.run), IsInvalid(HasSubstr("x_idx")));
}

TEST_F(SmallBTree, StopsWhenItIsAskedTo) {
  auto source = arrow::StopSource();
  source.RequestStop();
  bench_.run.stop_token = source.token();
  EXPECT_THAT(index_->Search(Equal(0, IntOf(5)), NullRows::kNamed, bench_.run), IsCancelled());
  EXPECT_THAT(index_->Search(IsNull(0), NullRows::kNamed, bench_.run), IsCancelled());
}

TEST_F(SmallBTree, TellsTheDomainOfItsRowsByItsVersion) {
  segment_.index_version = 0;
  EXPECT_EQ((*bench_.Open(segment_, arrow::int64()))->domain(), RowDomain::kRowId);
  segment_.index_version.reset();
  EXPECT_EQ((*bench_.Open(segment_, arrow::int64()))->domain(), RowDomain::kRowId);
  segment_.index_version = 1;
  EXPECT_EQ((*bench_.Open(segment_, arrow::int64()))->domain(), RowDomain::kAddress);
  segment_.index_version = 2;
  const auto newer = bench_.Open(segment_, arrow::int64());
  EXPECT_THAT(newer, IsNotImplemented(HasSubstr("BTree version 2")));
  EXPECT_THAT(newer, HasDetail<UnsupportedFeature>());
}

TEST_F(SmallBTree, IsRefusedWhenItsEntryDoesNotFit) {
  table::IndexMetadata two_columns = segment_;
  two_columns.field_ids = {0, 1};
  EXPECT_THAT(bench_.Open(two_columns, arrow::int64()), IsNotImplemented());
  EXPECT_THAT(bench_.Open(segment_, arrow::int32()),
              IsSerializationError(HasSubstr("min is int64, allowed int32")));
  EXPECT_THAT(bench_.Open(segment_, arrow::list(arrow::int64())), IsNotImplemented());
  table::IndexMetadata wrong_size = segment_;
  ++wrong_size.files[0].size_bytes;
  EXPECT_FALSE(bench_.Open(wrong_size, arrow::int64()).ok());
  table::IndexMetadata unlisted = segment_;
  unlisted.files.pop_back();
  EXPECT_THAT(bench_.Open(unlisted, arrow::int64()),
              IsSerializationError(HasSubstr("not page_lookup.lance")));
  ASSERT_THAT(bench_.store->Delete(SegmentPath(segment_, "page_data.lance")), IsOk());
  EXPECT_THAT(bench_.Open(segment_, arrow::int64()), IsKeyError(HasSubstr("x_idx")));
}

TEST(BTree, OrdersFloatsTotally) {
  IndexBench bench;
  const auto values = FloatsOf(
      arrow::float64(), {kNan, -kNan, 0.0, -0.0, kInf, -kInf, 1.0, std::nullopt, kNan, -kNan});
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewBTree(values, Consecutive(0, 10))));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::float64()));

  EXPECT_THAT(*Find(*index, Equal(0, DoubleOf(kNan))), ElementsAre(0, 8));
  EXPECT_THAT(*Find(*index, Equal(0, DoubleOf(-kNan))), ElementsAre(1, 9));
  EXPECT_THAT(*Find(*index, Greater(0, DoubleOf(1))), ElementsAre(0, 4, 8));
  EXPECT_THAT(*Find(*index, Less(0, DoubleOf(-0.0))), ElementsAre(1, 5, 9));
  EXPECT_THAT(*Find(*index, In(0, {DoubleOf(0.0), DoubleOf(-0.0)})), ElementsAre(2, 3));
  EXPECT_THAT(*Find(*index, GreaterEqual(0, DoubleOf(kNan))), ElementsAre(0, 8));
  EXPECT_THAT(*Find(*index, Less(0, DoubleOf(kNan))), ElementsAre(1, 2, 3, 4, 5, 6, 9));
}

TEST(BTree, OfNoRowsIsEmpty) {
  IndexBench bench;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewBTree(IntsOf({}), {})));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int64()));

  EXPECT_THAT(*Find(*index, Equal(0, IntOf(5))), IsEmpty());
  EXPECT_THAT(*Find(*index, IsNull(0)), IsEmpty());

  NewScalarIndex nothing = NewBTree(IntsOf({}), {});
  nothing.rows = nullptr;
  EXPECT_THAT(bench.Write(nothing), IsOk());
}

TEST(BTree, FindsRunsOfOneValueOverManyPages) {
  IndexBench bench;
  std::vector<std::optional<int64_t>> values(5000, std::nullopt);
  values.insert(values.end(), 100, 1);
  values.insert(values.end(), 20000, 2);
  values.insert(values.end(), 10, 3);
  const auto count = static_cast<int64_t>(values.size());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewBTree(IntsOf(values), Consecutive(0, count))));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int64()));

  EXPECT_EQ(*Find(*index, IsNull(0)), Consecutive(0, 5000));
  EXPECT_EQ(*Find(*index, Equal(0, IntOf(1))), Consecutive(5000, 100));
  EXPECT_EQ(*Find(*index, Equal(0, IntOf(2))), Consecutive(5100, 20000));
  EXPECT_EQ(Find(*index, In(0, {IntOf(1), IntOf(3)}))->size(), 110u);
  EXPECT_EQ(*Find(*index, Greater(0, IntOf(1))), Consecutive(5100, 20010));
}

// ---- What is read -------------------------------------------------------------------------------

TEST(BTree, ReadsOnlyThePagesThatASearchNeeds) {
  IndexBench bench;
  constexpr int64_t kRows = 100000;  // 25 pages
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewBTree(ShuffledInts(kRows), Consecutive(0, kRows))));
  const auto counters = std::make_shared<IoCounters>();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index,
                             OpenScalarIndex(MakeCountingStore(bench.store, counters), segment,
                                             arrow::int64(), bench.run));
  const uint64_t opening = counters->bytes_read;

  EXPECT_EQ(Find(*index, Equal(0, IntOf(50000)))->size(), 1u);
  const uint64_t one_page = counters->bytes_read - opening;
  EXPECT_LT(one_page * 10, segment.files[0].size_bytes);

  const uint64_t requests = counters->requests;
  EXPECT_EQ(Find(*index, Between(0, IntOf(20000), IntOf(69999)))->size(), 50000u);
  EXPECT_LE(counters->requests - requests, 6u);  // values and ids, not page by page

  const uint64_t before = counters->bytes_read;
  EXPECT_THAT(*Find(*index, Equal(0, IntOf(-1))), IsEmpty());
  EXPECT_THAT(*Find(*index, Greater(0, IntOf(kRows))), IsEmpty());
  EXPECT_THAT(*Find(*index, IsNull(0)), IsEmpty());
  EXPECT_EQ(counters->bytes_read, before);
}

TEST(BTree, ReadsNullRowsOnce) {
  IndexBench bench;
  const auto values = ShuffledInts(1000, /*num_nulls=*/9000);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewBTree(values, Consecutive(0, 10000))));
  const auto counters = std::make_shared<IoCounters>();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index,
                             OpenScalarIndex(MakeCountingStore(bench.store, counters), segment,
                                             arrow::int64(), bench.run));
  EXPECT_EQ(*Find(*index, IsNull(0)), Consecutive(1000, 9000));
  const uint64_t before = counters->bytes_read;
  EXPECT_EQ(*Find(*index, IsNull(0)), Consecutive(1000, 9000));
  EXPECT_EQ(counters->bytes_read, before);
}

// ---- Files --------------------------------------------------------------------------------------

TEST(BTreeFiles, HoldSortedPagesOf4096RowsAndTheirLookup) {
  IndexBench bench;
  NewScalarIndex request = NewBTree(ShuffledInts(9000, 5000), Consecutive(0, 14000));
  request.domain = RowDomain::kRowId;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(request));

  EXPECT_EQ(segment.details_type_url, "/lance.table.BTreeIndexDetails");
  EXPECT_EQ(segment.index_version, 0);
  ASSERT_EQ(segment.files.size(), 2u);
  for (const auto& file : segment.files) {
    EXPECT_EQ(bench.store->Head(SegmentPath(segment, file.path))->size_bytes, file.size_bytes);
  }
  const std::string lookup = SegmentPath(segment, "page_lookup.lance");
  const auto column = [&](int i) { return ReadColumnOf(bench.store, lookup, i).ValueOrDie(); };
  EXPECT_TRUE(column(0)->Equals(IntsOf({std::nullopt, std::nullopt, 3192, 7288}))) << column(0);
  EXPECT_TRUE(column(1)->Equals(IntsOf({std::nullopt, 3191, 7287, 8999})));
  EXPECT_TRUE(column(2)->Equals(ArrayOf(arrow::uint32(), "[4096, 904, 0, 0]")));
  EXPECT_TRUE(column(3)->Equals(ArrayOf(arrow::uint32(), "[0, 1, 2, 3]")));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto file,
                             format::DataFileReader::Open(bench.store, lookup, std::nullopt, {}));
  EXPECT_EQ(*FindMetadata(file->schema(), "batch_size"), "4096");
  EXPECT_EQ(*FindMetadata(file->schema(), "range_partitioned"), "false");
  EXPECT_EQ(file->schema().fields[0].name, "min");
  EXPECT_TRUE(file->schema().fields[0].nullable);
  EXPECT_FALSE(file->schema().fields[2].nullable);
  const auto values = *ReadColumnOf(bench.store, SegmentPath(segment, "page_data.lance"), 0);
  EXPECT_EQ(values->null_count(), 5000);
  for (int64_t i = 0; i < 9000; ++i) {
    ASSERT_EQ(static_cast<const arrow::Int64Array&>(*values).Value(5000 + i), i);
  }
}

TEST(BTreeFiles, HoldRowsOfEqualValuesInTheirOrder) {
  IndexBench bench;
  std::vector<std::optional<int64_t>> values;
  for (int i = 0; i < 10000; ++i) values.push_back(i % 2);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewBTree(IntsOf(values), Consecutive(0, 10000))));
  const auto ids = *ReadColumnOf(bench.store, SegmentPath(segment, "page_data.lance"), 1);
  for (int64_t i = 0; i < 10000; ++i) {
    const int64_t expected = i < 5000 ? 2 * i : 2 * (i - 5000) + 1;
    ASSERT_EQ(static_cast<const arrow::UInt64Array&>(*ids).Value(i),
              static_cast<uint64_t>(expected));
  }
}

TEST(BTreeFiles, AreNotWrittenForTypesWithoutOrder) {
  IndexBench bench;
  for (const auto& type : {arrow::null(), arrow::list(arrow::int64()),
                           arrow::struct_({arrow::field("a", arrow::int8())}),
                           arrow::dictionary(arrow::int32(), arrow::utf8())}) {
    NewScalarIndex request;
    request.index_type = "BTree";
    request.column = "x";
    request.column_type = type;
    const auto written = bench.Write(request);
    EXPECT_THAT(written, IsNotImplemented(HasSubstr("column x: no BTree can hold")));
    EXPECT_THAT(written, HasDetail<UnsupportedFeature>());
  }
  EXPECT_THAT(bench.Paths(), IsEmpty());
}

TEST(BTreeFiles, AreNotWrittenFromOtherColumns) {
  IndexBench bench;
  NewScalarIndex request = NewBTree(IntsOf({1}), {0});
  request.column_type = arrow::int32();
  EXPECT_THAT(bench.Write(request),
              IsUnknownError(HasSubstr("internal: rows of an index of column x")));
}

TEST(BTreeFiles, LeaveNothingBehindWhenStorageFails) {
  for (int64_t call = 0;; ++call) {
    IndexBench bench;
    const auto plain = bench.store;
    const auto faults = FaultStore::Make(plain);
    faults->Arm(call, Fault::kFails);
    bench.store = faults;
    const auto written = bench.Write(NewBTree(ShuffledInts(5000), Consecutive(0, 5000)));
    if (faults->hit().empty()) {
      EXPECT_THAT(written, IsOk());
      EXPECT_EQ(call, 4);  // two files are opened and closed
      break;
    }
    EXPECT_THAT(written, IsIOError());
    bench.store = plain;
    EXPECT_THAT(bench.Paths(), IsEmpty()) << faults->hit();
  }
}

// ---- Parts --------------------------------------------------------------------------------------

TEST(BTreeMerge, KeepsOrderMapsRowsAndDropsThoseThatAreGone) {
  IndexBench bench;
  const RowNumbers rows = Consecutive(0, 10000);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first,
                             bench.Write(NewBTree(ShuffledInts(9000, 1000), rows)));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto second,
      bench.Write(NewBTree(IntsOf({3, std::nullopt, 8999}), {50000, 50001, 50002})));
  std::map<uint64_t, uint64_t> moved;  // every other row of the first, in reverse; row 0 stays
  for (uint64_t row = 0; row < 10000; row += 2) moved[row] = row == 0 ? 0 : 100000 - row;
  const MovedRows mapping(moved);
  NewScalarIndex request = NewBTree(IntsOf({-1, 3, std::nullopt}), {200000, 200001, 200002});
  request.old_parts = {{.segment = &first, .mapping = &mapping}, {.segment = &second}};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench.Write(request));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(merged, arrow::int64()));

  const auto data = *ReadColumnOf(bench.store, SegmentPath(merged, "page_data.lance"), 0);
  EXPECT_EQ(data->length(), 5006);
  EXPECT_THAT(*Find(*index, Equal(0, IntOf(0))), ElementsAre(0));
  EXPECT_THAT(*Find(*index, Equal(0, IntOf(-1))), ElementsAre(200000));
  // Values 3 and 8999 of the first are in rows r with r * 7919 % 9000 = value.
  uint64_t three = 0;
  while (three * 7919 % 9000 != 3) ++three;
  RowNumbers expected = {50000, 200001};
  if (three % 2 == 0) expected.push_back(100000 - three);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(*Find(*index, Equal(0, IntOf(3))), expected);
  EXPECT_EQ(Find(*index, IsNull(0))->size(), 500u + 2u);
  EXPECT_EQ(Find(*index, Range(0, {}, {}))->size(), 4500u + 4u);
}

TEST(BTreeMerge, OfPartsWhoseRowsAreAllGoneIsEmpty) {
  IndexBench bench;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto old,
                             bench.Write(NewBTree(ShuffledInts(9000), Consecutive(0, 9000))));
  const MovedRows nothing({});
  NewScalarIndex request = NewBTree(IntsOf({}), {});
  request.old_parts = {{.segment = &old, .mapping = &nothing}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench.Write(request));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(merged, arrow::int64()));
  EXPECT_THAT(*Find(*index, Range(0, {}, {})), IsEmpty());
}

TEST(BTreeMerge, SaysWhatIsWrongWithAnOldPart) {
  IndexBench bench;
  LANCE_ASSERT_OK_AND_ASSIGN(auto old, bench.Write(NewBTree(IntsOf({1}), {0})));
  old.index_version = 7;
  NewScalarIndex request = NewBTree(IntsOf({}), {});
  request.old_parts = {{.segment = &old}};
  EXPECT_THAT(bench.Write(request), IsNotImplemented(HasSubstr("index x_idx segment")));
}

// ---- Files of others ----------------------------------------------------------------------------

/// A BTree made by hand; each member can be made wrong.
struct HandMadeBTree {
  std::shared_ptr<arrow::Array> values = IntsOf({std::nullopt, 1, 2, 3, 3, 5});
  std::shared_ptr<arrow::Array> ids = ArrayOf(arrow::uint64(), "[10, 11, 12, 13, 14, 15]");
  std::shared_ptr<arrow::Array> min = IntsOf({std::nullopt, 3});
  std::shared_ptr<arrow::Array> max = IntsOf({2, 5});
  std::shared_ptr<arrow::Array> null_count = ArrayOf(arrow::uint32(), "[1, 0]");
  std::shared_ptr<arrow::Array> page_idx = ArrayOf(arrow::uint32(), "[0, 1]");
  std::map<std::string, std::string> metadata = {{"batch_size", "3"},
                                                 {"range_partitioned", "false"}};

  table::IndexMetadata Write(IndexBench* bench) const {
    table::IndexMetadata segment;
    segment.uuid = Uuid::Random(bench->random);
    segment.name = "x_idx";
    segment.field_ids = {0};
    segment.has_details = true;
    segment.details_type_url = "/lance.table.BTreeIndexDetails";
    WriteParts(bench, SegmentPath(segment, ""));
    const auto lookup =
        arrow::schema({arrow::field("min", min->type()), arrow::field("max", max->type()),
                       arrow::field("null_count", null_count->type()),
                       arrow::field("page_idx", page_idx->type())});
    EXPECT_THAT(WriteFileOf(*bench->store, SegmentPath(segment, "page_lookup.lance"),
                            *arrow::RecordBatch::Make(lookup, min->length(),
                                                      {min, max, null_count, page_idx}),
                            metadata),
                IsOk());
    return segment;
  }

  /// \param part_rows rows of range partitions 0, 1, ...; none: one file of pages
  std::vector<int64_t> part_rows;

 private:
  void WriteParts(IndexBench* bench, const std::string& folder) const {
    const auto schema =
        arrow::schema({arrow::field("values", values->type()), arrow::field("ids", ids->type())});
    const auto all = arrow::RecordBatch::Make(schema, values->length(), {values, ids});
    if (part_rows.empty()) {
      EXPECT_THAT(WriteFileOf(*bench->store, folder + "page_data.lance", *all), IsOk());
    }
    int64_t at = 0;
    for (size_t part = 0; part < part_rows.size(); ++part) {
      const uint64_t id = uint64_t{part} << 32;
      EXPECT_THAT(
          WriteFileOf(*bench->store, folder + "part_" + std::to_string(id) + "_page_data.lance",
                      *all->Slice(at, part_rows[part])),
          IsOk());
      at += part_rows[part];
    }
  }
};

TEST(ForeignBTree, OfAnotherPageSizeIsRead) {
  IndexBench bench;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index,
                             bench.Open(HandMadeBTree().Write(&bench), arrow::int64()));
  EXPECT_THAT(*Find(*index, IsNull(0)), ElementsAre(10));
  EXPECT_THAT(*Find(*index, Between(0, IntOf(2), IntOf(3))), ElementsAre(12, 13, 14));
  EXPECT_THAT(*Find(*index, In(0, {IntOf(1), IntOf(5), IntOf(4)})), ElementsAre(11, 15));
}

TEST(ForeignBTree, OfRangePartitionsIsRead) {
  IndexBench bench;
  HandMadeBTree btree;  // partitions of 4, 0 and 5 rows; nulls in the first and in the last
  btree.values = IntsOf({std::nullopt, 1, 2, 3, std::nullopt, std::nullopt, 3, 4, 9});
  btree.ids = ArrayOf(arrow::uint64(), "[10, 11, 12, 13, 14, 15, 16, 17, 18]");
  btree.part_rows = {4, 0, 5};
  btree.min = IntsOf({std::nullopt, 3, std::nullopt, 4});
  btree.max = IntsOf({2, 3, 3, 9});
  btree.null_count = ArrayOf(arrow::uint32(), "[1, 0, 2, 0]");
  btree.page_idx = ArrayOf(arrow::uint32(), "[0, 1, 2, 3]");
  btree.metadata["range_partitioned"] = "true";
  btree.metadata["page_num_per_range_partition"] = "[[0,2],[4294967296,0],[8589934592,2]]";

  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(btree.Write(&bench), arrow::int64()));
  EXPECT_THAT(*Find(*index, IsNull(0)), ElementsAre(10, 14, 15));
  EXPECT_THAT(*Find(*index, Equal(0, IntOf(3))), ElementsAre(13, 16));
  EXPECT_THAT(*Find(*index, Range(0, {}, {})), ElementsAre(11, 12, 13, 16, 17, 18));
  EXPECT_THAT(*Find(*index, Greater(0, IntOf(3))), ElementsAre(17, 18));

  NewScalarIndex request = NewBTree(IntsOf({}), {});
  const auto segment = btree.Write(&bench);
  request.old_parts = {{.segment = &segment}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench.Write(request));
  const auto values = *ReadColumnOf(bench.store, SegmentPath(merged, "page_data.lance"), 0);
  EXPECT_TRUE(values->Equals(IntsOf({std::nullopt, std::nullopt, std::nullopt, 1, 2, 3, 3, 4, 9})));
}

struct WrongBTree {
  std::string name;
  std::function<void(HandMadeBTree*)> spoil;
  std::string expected;
};

class WrongBTreeFile : public ::testing::TestWithParam<WrongBTree> {};

TEST_P(WrongBTreeFile, MakesTheSegmentUnusable) {
  IndexBench bench;
  HandMadeBTree btree;
  GetParam().spoil(&btree);
  const auto index = bench.Open(btree.Write(&bench), arrow::int64());
  if (!index.ok()) {
    EXPECT_THAT(index, IsSerializationError(HasSubstr(GetParam().expected)));
    EXPECT_THAT(index, IsSerializationError(HasSubstr("x_idx")));
    return;
  }
  const auto found = (*index)->Search(Range(0, {}, {}), NullRows::kNamed, bench.run);
  EXPECT_THAT(found, IsSerializationError(HasSubstr(GetParam().expected)));
  EXPECT_THAT(found, IsSerializationError(HasSubstr("x_idx")));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongBTreeFile,
    ::testing::ValuesIn<WrongBTree>({
        {"RowsWereDroppedAndPagesNotCutAgain",
         [](auto* it) {
           it->values = it->values->Slice(0, 3);
           it->ids = it->ids->Slice(0, 3);
         },
         "2 pages of 3 rows, the file has 3 rows"},
        {"RowsWereDroppedWithinThePages",
         [](auto* it) {
           it->values = IntsOf({1, 2, 3, 3, 5});
           it->ids = it->ids->Slice(0, 5);
         },
         "other nulls than its lookup"},
        {"PageEndsElsewhere",
         [](auto* it) {
           it->max = IntsOf({3, 5});
         },
         "another value than its lookup"},
        {"PageBeginsElsewhere",
         [](auto* it) {
           it->min = IntsOf({std::nullopt, 2});
         },
         "another value than its lookup"},
        {"PageIsNotSorted",
         [](auto* it) {
           it->values = IntsOf({std::nullopt, 1, 2, 3, 2, 5});
         },
         "page 1 is not sorted"},
        {"NullInsideAPage",
         [](auto* it) {
           it->values = IntsOf({std::nullopt, 1, 2, 3, std::nullopt, 5});
         },
         "other nulls"},
        {"NullsBehindValues",
         [](auto* it) {
           it->values = IntsOf({1, 2, 3, std::nullopt, 3, 5});
           it->min = IntsOf({1, std::nullopt});
           it->max = IntsOf({3, 5});
           it->null_count = ArrayOf(arrow::uint32(), "[0, 1]");
         },
         "page 1 has nulls behind values"},
        {"IdsHaveNulls",
         [](auto* it) { it->ids = ArrayOf(arrow::uint64(), "[10, 11, 12, 13, null, 15]"); },
         "ids has 1 nulls"},
        {"IdsAreSigned",
         [](auto* it) { it->ids = ArrayOf(arrow::int64(), "[10, 11, 12, 13, 14, 15]"); },
         "ids is int64, allowed uint64"},
        {"ValuesAreOfAnotherType",
         [](auto* it) { it->values = ArrayOf(arrow::int32(), "[null, 1, 2, 3, 3, 5]"); },
         "values is int32, allowed int64"},
        {"NullCountsAreSigned",
         [](auto* it) { it->null_count = ArrayOf(arrow::int32(), "[1, 0]"); },
         "null_count is int32, allowed uint32"},
        {"NullCountIsNull",
         [](auto* it) { it->null_count = ArrayOf(arrow::uint32(), "[1, null]"); },
         "null_count has 1 nulls"},
        {"NullsWithoutNullMin",
         [](auto* it) { it->null_count = ArrayOf(arrow::uint32(), "[1, 1]"); },
         "its min does not fit"},
        {"NullMinWithoutNulls",
         [](auto* it) { it->null_count = ArrayOf(arrow::uint32(), "[0, 0]"); },
         "its min does not fit"},
        {"MoreNullsThanRows", [](auto* it) { it->null_count = ArrayOf(arrow::uint32(), "[4, 0]"); },
         "4 nulls of 3 rows"},
        {"AllNullWithMax", [](auto* it) { it->null_count = ArrayOf(arrow::uint32(), "[3, 0]"); },
         "its max does not fit"},
        {"NoMax",
         [](auto* it) {
           it->max = IntsOf({2, std::nullopt});
         },
         "has a min, but no max"},
        {"MinAboveMax",
         [](auto* it) {
           it->max = IntsOf({2, 1});
         },
         "out of order"},
        {"PagesOutOfOrder",
         [](auto* it) {
           it->max = IntsOf({4, 5});
         },
         "out of order"},
        {"PageNumbersAreOthers",
         [](auto* it) { it->page_idx = ArrayOf(arrow::uint32(), "[1, 0]"); },
         "page_idx of page 0 is 1"},
        {"NoRowsInAPage", [](auto* it) { it->metadata["batch_size"] = "0"; }, "batch_size is 0"},
        {"PageSizeMissing", [](auto* it) { it->metadata.erase("batch_size"); },
         "2 pages of 4096 rows"},
        {"NeitherTrueNorFalse", [](auto* it) { it->metadata["range_partitioned"] = "perhaps"; },
         "range_partitioned is \"perhaps\""},
        {"PartitionsMissing", [](auto* it) { it->metadata["range_partitioned"] = "true"; },
         "no page_num_per_range_partition"},
        {"PartitionsAreNoList",
         [](auto* it) {
           it->metadata["range_partitioned"] = "true";
           it->metadata["page_num_per_range_partition"] = "{\"0\": 2}";
         },
         "allowed a list"},
        {"PartitionsAreNegative",
         [](auto* it) {
           it->metadata["range_partitioned"] = "true";
           it->metadata["page_num_per_range_partition"] = "[[0, -2]]";
         },
         "allowed a list"},
        {"PartitionsAreTooFew",
         [](auto* it) {
           it->part_rows = {3};
           it->metadata["range_partitioned"] = "true";
           it->metadata["page_num_per_range_partition"] = "[[0, 1]]";
         },
         "2 pages, 1 in its partitions"},
        {"PartitionsAreTooMany",
         [](auto* it) {
           it->part_rows = {3, 3};
           it->metadata["range_partitioned"] = "true";
           it->metadata["page_num_per_range_partition"] =
               "[[0, 1], [4294967296, 18446744073709551615]]";
         },
         "the file has 3 rows"},
    }),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace lance::index
