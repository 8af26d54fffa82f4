#include "lance/format/data_file_reader.h"
#include "scalar_index_fixtures.h"

namespace lance::index {
namespace {

using lance::testing::IsNotImplemented;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using Kind = Predicate::Kind;

NumberedRows RowsOf(std::shared_ptr<arrow::Array> values, uint64_t fragment_id = 0) {
  NumberedRows rows;
  rows.values = std::move(values);
  for (uint64_t i = 0; i < static_cast<uint64_t>(rows.values->length()); ++i) {
    rows.rows.push_back(AddressOf(fragment_id, i));
  }
  return rows;
}

std::shared_ptr<arrow::Array> SomeLists(const std::shared_ptr<arrow::DataType>& type) {
  return ArrayOf(type, "[[1, 2, 1], null, [], [2, null], [3], null, [1, 3, 2], [null]]");
}

/// The items 1 to 4 and null, and pairs of them, asked both ways.
void ExpectAllAnswers(const ScalarIndex& index, const NumberedRows& rows, const RunContext& run,
                      bool knows_nulls = true) {
  const auto item = static_cast<const arrow::BaseListType&>(*rows.values->type()).value_type();
  std::vector<Literal> items = {arrow::MakeNullScalar(item)};
  for (const char* text : {"1", "2", "3", "4"}) items.push_back(ScalarOf(item, text));
  for (const Kind kind : {Kind::kHasAny, Kind::kHasAll}) {
    for (const auto& first : items) {
      ExpectFinds(index, HasItems(kind, {first}), rows, run, knows_nulls);
      for (const auto& second : items) {
        ExpectFinds(index, HasItems(kind, {first, second}), rows, run, knows_nulls);
        ExpectFinds(index, HasItems(kind, {first, second, items[1]}), rows, run, knows_nulls);
      }
    }
  }
}

TEST(LabelListIndex, FindsListsByTheirItems) {
  for (const auto& type : {arrow::list(arrow::int32()), arrow::large_list(arrow::int64())}) {
    IndexBench bench;
    const auto rows = RowsOf(SomeLists(type));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("LabelList", rows, 3)));
    EXPECT_EQ(segment.details_type_url, "/lance.table.LabelListIndexDetails");
    EXPECT_EQ(segment.index_version, 1);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
    EXPECT_EQ(index->domain(), RowDomain::kRowId);
    ExpectAllAnswers(*index, rows, bench.run);
  }
}

TEST(LabelListIndex, HasTheMetadataOfReleasedWriters) {
  IndexBench bench;
  const auto rows = RowsOf(SomeLists(arrow::list(arrow::int32())));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("LabelList", rows)));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto file,
      format::DataFileReader::Open(bench.store, SegmentPath(segment, "bitmap_page_lookup.lance"),
                                   segment.files[0].size_bytes, {}));
  EXPECT_THAT(file->schema().metadata, ElementsAre(Pair("lance:index_stats", "{\"num_bitmaps\":4}"),
                                                   Pair("lance:label_list_nulls", "1")));
  const RowAddressMap nulls{.entries = {{0, RoaringBitmap{1, 5}}}};
  EXPECT_EQ(file->ReadGlobalBuffer(1, {}).ValueOrDie()->ToString(), nulls.Serialize().ValueOrDie());
}

TEST(LabelListIndex, LooksNotAtWhatNullListsHold) {
  // A null list that has items below it, and a slice.
  const auto items = ArrayOf(arrow::int32(), "[9, 1, 4, 4, 2]");
  const auto offsets = ArrayOf(arrow::int32(), "[0, 1, 2, 4, 5]");
  const auto valid = arrow::Buffer::FromString(std::string(1, '\x0b'));  // the third is null
  const auto lists = std::make_shared<arrow::ListArray>(arrow::list(arrow::int32()), 4,
                                                        offsets->data()->buffers[1], items, valid)
                         ->Slice(1);
  IndexBench bench;
  const auto rows = RowsOf(lists);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("LabelList", rows)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, lists->type()));
  ExpectAllAnswers(*index, rows, bench.run);
}

TEST(LabelListIndex, CarriesOldRowsAndTheirNullsOver) {
  IndexBench bench;
  const auto type = arrow::list(arrow::int32());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto old,
                             bench.Write(NewIndex("LabelList", RowsOf(SomeLists(type)))));
  const MovedRows moved({{0, AddressOf(4, 0)}, {1, AddressOf(4, 1)}, {3, 3}});
  NewScalarIndex request = NewIndex("LabelList", RowsOf(ArrayOf(type, "[[2], null]"), 6));
  request.old_parts = {{&old, &moved}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(request));
  EXPECT_EQ(segment.index_version, 1);
  const NumberedRows expected{
      ArrayOf(type, "[[1, 2, 1], null, [2, null], [2], null]"),
      {AddressOf(4, 0), AddressOf(4, 1), 3, AddressOf(6, 0), AddressOf(6, 1)}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
  ExpectAllAnswers(*index, expected, bench.run);
}

TEST(LabelListIndex, OfOldWritersDoesNotKnowItsNullsNorDoesWhatComesOfIt) {
  IndexBench bench;
  const auto type = arrow::list(arrow::int32());
  const auto rows = RowsOf(ArrayOf(type, "[[1], [2, null], []]"));
  // Before version 1 the file was that of a bitmap over the items.
  const NumberedRows items{ArrayOf(arrow::int32(), "[1, 2, null]"), {0, 1, 1}};
  LANCE_ASSERT_OK_AND_ASSIGN(auto old, bench.Write(NewIndex("Bitmap", items)));
  old.details_type_url = "/lance.table.LabelListIndexDetails";
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(old, type));
  ExpectAllAnswers(*index, rows, bench.run, /*knows_nulls=*/false);

  const MovedRows same({{0, 0}, {1, 1}, {2, 2}});
  NewScalarIndex request = NewIndex("LabelList", RowsOf(ArrayOf(type, "[null]"), 1));
  request.old_parts = {{&old, &same}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(request));
  EXPECT_EQ(segment.index_version, 0);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto again, bench.Open(segment, type));
  ExpectAllAnswers(*again, rows, bench.run, /*knows_nulls=*/false);
}

TEST(LabelListIndex, AnswersOnlyQuestionsForItems) {
  IndexBench bench;
  const auto type = arrow::list(arrow::int32());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment,
                             bench.Write(NewIndex("LabelList", RowsOf(SomeLists(type)))));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
  const auto one = ScalarOf(arrow::int32(), "1");
  EXPECT_FALSE(index->Answers(IsNull(0)));
  EXPECT_FALSE(index->Answers(Equal(0, one)));
  EXPECT_FALSE(index->Answers(HasItems(Kind::kHasAny, {ScalarOf(arrow::int64(), "1")})));
  EXPECT_FALSE(index->Answers(HasItems(Kind::kHasAll, {})));  // every list has all of nothing
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto none, index->Search(HasItems(Kind::kHasAny, {}), NullRows::kNamed, bench.run));
  EXPECT_THAT(Numbers(none.rows), IsEmpty());
  EXPECT_GT(index->SizeBytes(), 12u);
  EXPECT_THAT(index->Facts(), ElementsAre(Pair("num_bitmaps", ScalarIndex::Fact(uint64_t{4}))));
}

TEST(LabelListIndex, TellsZerosApartAndLeavesNansToTheFilter) {
  IndexBench bench;
  const auto type = arrow::list(arrow::float64());
  const auto rows = RowsOf(ArrayOf(type, "[[0.0], [-0.0, 1], [1], null, [NaN]]"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("LabelList", rows)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
  for (const double item : {0.0, -0.0, 1.0}) {
    ExpectFinds(*index, HasItems(Kind::kHasAny, {DoubleOf(item)}), rows, bench.run);
    ExpectFinds(*index, HasItems(Kind::kHasAll, {DoubleOf(item), DoubleOf(1)}), rows, bench.run);
  }
  EXPECT_FALSE(index->Answers(HasItems(Kind::kHasAny, {DoubleOf(kNan)})));
}

TEST(LabelListIndex, IsRefusedForOtherTypesAndVersions) {
  IndexBench bench;
  const auto type = arrow::list(arrow::int32());
  LANCE_ASSERT_OK_AND_ASSIGN(auto segment,
                             bench.Write(NewIndex("LabelList", RowsOf(SomeLists(type)))));
  EXPECT_THAT(bench.Open(segment, arrow::int32()),
              IsNotImplemented(HasSubstr("label list index of type int32")));
  segment.index_version = 2;
  EXPECT_THAT(bench.Open(segment, type), IsNotImplemented(HasSubstr("allowed 0 to 1")));
  for (const auto& other : {arrow::utf8(), arrow::list(arrow::list(arrow::int32())),
                            arrow::fixed_size_list(arrow::int32(), 2)}) {
    NewScalarIndex request;
    request.index_type = "LabelList";
    request.column = "c";
    request.column_type = other;
    EXPECT_THAT(bench.Write(request), IsNotImplemented(HasSubstr("column c: label list index")));
  }
}

}  // namespace
}  // namespace lance::index
