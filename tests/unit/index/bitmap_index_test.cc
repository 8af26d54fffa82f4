#include "lance/base/row_ranges.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "scalar_index_fixtures.h"

namespace lance::index {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsCancelled;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kFile[] = "bitmap_page_lookup.lance";

/// Rows 0.. of one fragment.
NumberedRows RowsOf(std::shared_ptr<arrow::Array> values, uint64_t fragment_id = 0) {
  NumberedRows rows;
  rows.values = std::move(values);
  for (uint64_t i = 0; i < static_cast<uint64_t>(rows.values->length()); ++i) {
    rows.rows.push_back(AddressOf(fragment_id, i));
  }
  return rows;
}

std::shared_ptr<const format::DataFileReader> OpenFile(IndexBench& bench,
                                                       const table::IndexMetadata& segment) {
  return format::DataFileReader::Open(bench.store, SegmentPath(segment, kFile),
                                      segment.files[0].size_bytes, arrow::StopToken::Unstoppable())
      .ValueOrDie();
}

std::string KeysOf(IndexBench& bench, const table::IndexMetadata& segment,
                   const std::shared_ptr<arrow::DataType>& type) {
  const auto file = OpenFile(bench, segment);
  auto text =
      file->ReadColumn(0, type, RowRanges::All(file->num_rows()), {}).ValueOrDie()->ToString();
  text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return std::isspace(c); }),
             text.end());
  return text;
}

TEST(BitmapIndex, WritesWhatReleasedWritersWrite) {
  IndexBench bench;
  const auto rows = RowsOf(ArrayOf(arrow::utf8(), R"(["b", null, "a", "b", "a", "b"])"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("Bitmap", rows)));

  EXPECT_EQ(segment.details_type_url, "/lance.table.BitmapIndexDetails");
  EXPECT_EQ(segment.index_version, 0);
  ASSERT_EQ(segment.files.size(), 1u);
  EXPECT_EQ(segment.files[0].path, kFile);
  const auto file = OpenFile(bench, segment);
  const auto schema = format::ToArrowSchema(file->schema()).ValueOrDie();
  EXPECT_EQ(schema->ToString(), "keys: string\nbitmaps: binary");
  EXPECT_THAT(file->schema().metadata,
              ElementsAre(std::pair("lance:index_stats", "{\"num_bitmaps\":3}")));
  EXPECT_EQ(KeysOf(bench, segment, arrow::utf8()), R"([null,"a","b"])");
  const auto bitmaps = file->ReadColumn(1, arrow::binary(), RowRanges::All(3), {}).ValueOrDie();
  const RowAddressMap of_b{.entries = {{0, RoaringBitmap{0, 3, 5}}}};
  EXPECT_EQ(static_cast<const arrow::BinaryArray&>(*bitmaps).GetString(2),
            of_b.Serialize().ValueOrDie());
}

TEST(BitmapIndex, WithoutRowsIsAFileWithoutKeys) {
  IndexBench bench;
  for (const auto& type : {arrow::utf8(), arrow::int64(), arrow::decimal128(10, 2)}) {
    NewScalarIndex request;
    request.index_type = "Bitmap";
    request.column_type = type;
    LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(request));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto found,
                               index->Search(IsNull(0), NullRows::kNamed, bench.run));
    EXPECT_THAT(Numbers(found.rows), IsEmpty());
  }
}

TEST(BitmapIndex, TellsZerosAndNansOfBothSignsApart) {
  IndexBench bench;
  for (const auto& type : {arrow::float16(), arrow::float32(), arrow::float64()}) {
    const auto rows =
        RowsOf(FloatsOf(type, {kNan, 0.0, -0.0, std::nullopt, -kNan, 0.0, kInf, -kInf, -kNan, 1}));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("Bitmap", rows, 4)));
    LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, type));
    EXPECT_EQ(OpenFile(bench, segment)->num_rows(), 8u);
    for (const Predicate& leaf : LeavesWith(LiteralsOf(*rows.values))) {
      ExpectFinds(*index, leaf, rows, bench.run);
    }
  }
}

TEST(BitmapIndex, CarriesOldRowsOverAndForgetsThoseThatAreGone) {
  IndexBench bench;
  const auto old = RowsOf(ArrayOf(arrow::int32(), "[1, null, 2, 1, 3, null]"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, bench.Write(NewIndex("Bitmap", old)));
  const auto more = RowsOf(ArrayOf(arrow::int32(), "[7, 2]"), 5);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto second, bench.Write(NewIndex("Bitmap", more)));
  // Row 0 moves to another fragment; rows 1 and 4, all that had 3, are gone.
  const MovedRows moved({{0, AddressOf(9, 4)}, {2, 2}, {3, 3}, {5, AddressOf(9, 0)}});
  const MovedRows kept({{AddressOf(5, 0), AddressOf(5, 0)}, {AddressOf(5, 1), AddressOf(5, 1)}});
  const auto added = RowsOf(ArrayOf(arrow::int32(), "[null, 2, 8]"), 11);
  NewScalarIndex request = NewIndex("Bitmap", added);
  request.old_parts = {{&first, &moved}, {&second, &kept}};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench.Write(request));

  EXPECT_EQ(KeysOf(bench, merged, arrow::int32()), "[null,1,2,7,8]");
  const NumberedRows expected{
      ArrayOf(arrow::int32(), "[1, 2, 1, null, 7, 2, null, 2, 8]"),
      {AddressOf(9, 4), 2, 3, AddressOf(9, 0), AddressOf(5, 0), AddressOf(5, 1), AddressOf(11, 0),
       AddressOf(11, 1), AddressOf(11, 2)}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(merged, arrow::int32()));
  for (const Predicate& leaf : LeavesWith(LiteralsOf(*expected.values))) {
    ExpectFinds(*index, leaf, expected, bench.run);
  }
}

/// A file with these keys and maps, as another writer might make it.
table::IndexMetadata WriteByHand(const std::shared_ptr<arrow::Array>& keys,
                                 const std::vector<std::optional<RowAddressMap>>& maps,
                                 IndexBench* bench) {
  arrow::BinaryBuilder bitmaps;
  for (const auto& map : maps) {
    const auto status = map ? bitmaps.Append(map->Serialize().ValueOrDie()) : bitmaps.AppendNull();
    EXPECT_THAT(status, IsOk());
  }
  const auto schema =
      arrow::schema({arrow::field("keys", keys->type()), arrow::field("bitmaps", arrow::binary())});
  table::IndexMetadata segment;
  segment.uuid = Uuid::Random(bench->random);
  segment.name = "by_hand";
  segment.field_ids = {0};
  segment.details_type_url = "/lance.table.BitmapIndexDetails";
  segment.has_details = true;
  auto writer = format::DataFileWriter::Make(*bench->store->OpenWrite(SegmentPath(segment, kFile)),
                                             *format::MakeLanceSchema(*schema))
                    .ValueOrDie();
  EXPECT_THAT(writer->Write(*arrow::RecordBatch::Make(schema, keys->length(),
                                                      {keys, bitmaps.Finish().ValueOrDie()})),
              IsOk());
  EXPECT_THAT(writer->Finish(), IsOk());
  return segment;
}

RowAddressMap RowsIn(uint32_t fragment_id, std::initializer_list<uint32_t> offsets) {
  return {.entries = {{fragment_id, RoaringBitmap(offsets)}}};
}

TEST(BitmapIndex, ReadsKeysInAnyOrderAndMoreThanOnce) {
  IndexBench bench;
  const auto segment = WriteByHand(ArrayOf(arrow::int32(), "[5, null, 2, 5, null, 9]"),
                                   {RowsIn(0, {1}), RowsIn(0, {2}), RowsIn(0, {3}), RowsIn(0, {4}),
                                    RowsIn(1, {5}), RowsIn(2, {})},
                                   &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  const auto five = ScalarOf(arrow::int32(), "5");
  EXPECT_THAT(Numbers(index->Search(Equal(0, five), NullRows::kNamed, bench.run)->rows),
              ElementsAre(1, 4));
  EXPECT_THAT(Numbers(index->Search(LessEqual(0, five), NullRows::kNamed, bench.run)->rows),
              ElementsAre(1, 3, 4));
  EXPECT_THAT(Numbers(index->Search(Greater(0, five), NullRows::kNamed, bench.run)->rows),
              IsEmpty());
  EXPECT_THAT(Numbers(index->Search(IsNull(0), NullRows::kNamed, bench.run)->rows),
              ElementsAre(2, AddressOf(1, 5)));
}

TEST(BitmapIndex, TakesWholeFragmentsForWhatTheyAreAndDoesNotNumberThem) {
  IndexBench bench;
  const auto segment =
      WriteByHand(ArrayOf(arrow::int32(), "[5, 6]"),
                  {RowAddressMap{.entries = {{3, std::nullopt}}}, RowsIn(3, {4})}, &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  const RowAddressMap whole{.entries = {{3, std::nullopt}}};
  EXPECT_EQ(index->Search(Range(0, {}, {}), NullRows::kNamed, bench.run)->rows, whole);

  const MovedRows nothing({});
  NewScalarIndex request;
  request.index_type = "Bitmap";
  request.column_type = arrow::int32();
  request.old_parts = {{&segment, &nothing}};
  EXPECT_THAT(bench.Write(request), IsNotImplemented(HasSubstr("rows of fragment 3")));
}

TEST(BitmapIndex, MapsHugeSetsPieceByPiece) {
  IndexBench bench;
  RoaringBitmap many;
  many.AddRange(0, uint64_t{3} << 20);
  many.Add(UINT32_MAX);
  const auto segment =
      WriteByHand(ArrayOf(arrow::int32(), "[5]"), {RowAddressMap{.entries = {{1, many}}}}, &bench);
  const MovedRows some({{AddressOf(1, 0), 7},
                        {AddressOf(1, (1 << 20) - 1), 8},
                        {AddressOf(1, 1 << 20), 9},
                        {AddressOf(1, UINT32_MAX), 0}});
  NewScalarIndex request;
  request.index_type = "Bitmap";
  request.column_type = arrow::int32();
  request.old_parts = {{&segment, &some}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto mapped, bench.Write(request));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(mapped, arrow::int32()));
  EXPECT_THAT(Numbers(index->Search(Range(0, {}, {}), NullRows::kNamed, bench.run)->rows),
              ElementsAre(0, 7, 8, 9));
}

TEST(BitmapIndex, AnswersOnlyLiteralsOfItsType) {
  IndexBench bench;
  const auto rows = RowsOf(ArrayOf(arrow::int32(), "[1, 2]"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("Bitmap", rows)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  const auto one = ScalarOf(arrow::int32(), "1");
  const auto long_one = ScalarOf(arrow::int64(), "1");
  EXPECT_TRUE(index->Answers(Equal(0, one)));
  EXPECT_FALSE(index->Answers(Equal(0, long_one)));
  EXPECT_FALSE(index->Answers(In(0, {one, long_one})));
  EXPECT_FALSE(index->Answers(In(0, {arrow::MakeNullScalar(arrow::int32())})));
  EXPECT_FALSE(index->Answers(HasItems(Predicate::Kind::kHasAny, {one})));
  EXPECT_FALSE(index->Answers(Not(Equal(0, one))));
  EXPECT_GT(index->SizeBytes(), 8u);
  EXPECT_THAT(index->Facts(),
              ElementsAre(std::pair("num_bitmaps", ScalarIndex::Fact(uint64_t{2}))));
}

TEST(BitmapIndex, EstimatesTheShareOfVeryManyKeysOnly) {
  IndexBench bench;
  arrow::Int32Builder values;
  for (int32_t i = 0; i < 10000; ++i) ASSERT_THAT(values.Append(i), IsOk());
  const auto rows = RowsOf(values.Finish().ValueOrDie());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segment, bench.Write(NewIndex("Bitmap", rows, 10000)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  const auto share_below = [&](const char* value) {
    return index->EstimateShare(Less(0, ScalarOf(arrow::int32(), value)));
  };
  EXPECT_EQ(share_below("2000"), std::nullopt);
  EXPECT_EQ(share_below("4000"), 0.4);
  EXPECT_EQ(index->EstimateShare(IsNull(0)), std::nullopt);
  // More keys than are read at once.
  ExpectFinds(*index, Less(0, ScalarOf(arrow::int32(), "9000")), rows, bench.run);
}

TEST(BitmapIndex, TakesOldRowsOverUnchangedWithoutAMapping) {
  IndexBench bench;
  const auto old = RowsOf(ArrayOf(arrow::int32(), "[1, null, 2]"), 3);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, bench.Write(NewIndex("Bitmap", old)));
  NewScalarIndex request = NewIndex("Bitmap", RowsOf(ArrayOf(arrow::int32(), "[2, 1]"), 4));
  request.old_parts = {{&first, nullptr}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto merged, bench.Write(request));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(merged, arrow::int32()));
  const NumberedRows expected{
      ArrayOf(arrow::int32(), "[1, null, 2, 2, 1]"),
      {AddressOf(3, 0), AddressOf(3, 1), AddressOf(3, 2), AddressOf(4, 0), AddressOf(4, 1)}};
  for (const Predicate& leaf : LeavesWith(LiteralsOf(*expected.values))) {
    ExpectFinds(*index, leaf, expected, bench.run);
  }
}

TEST(BitmapIndex, SaysWhyItCannotBeUsed) {
  IndexBench bench;
  const auto rows = RowsOf(ArrayOf(arrow::int32(), "[1, 2]"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto good, bench.Write(NewIndex("Bitmap", rows)));
  const auto expect = [&](const table::IndexMetadata& segment, const auto& matcher) {
    EXPECT_THAT(bench.Open(segment, arrow::int32()), matcher);
  };
  table::IndexMetadata segment = good;
  segment.index_version = 1;
  expect(segment, IsNotImplemented(HasSubstr("bitmap index version 1, allowed 0 to 0")));
  segment = good;
  segment.field_ids = {0, 1};
  expect(segment, IsNotImplemented(HasSubstr("several columns")));
  segment = good;
  segment.files[0].path = "other.lance";
  expect(segment, IsSerializationError(HasSubstr("not bitmap_page_lookup.lance")));
  segment = good;
  segment.files[0].size_bytes += 1;
  EXPECT_FALSE(bench.Open(segment, arrow::int32()).ok());
  segment = good;
  segment.uuid = Uuid::Random(bench.random);
  EXPECT_THAT(bench.Open(segment, arrow::int32()).status().ToString(), HasSubstr("index x_idx"));
  EXPECT_THAT(bench.Open(good, arrow::int64()),
              IsSerializationError(HasSubstr("column keys is int32, allowed int64")));
  EXPECT_THAT(bench.Open(good, arrow::list(arrow::int32())),
              IsNotImplemented(HasSubstr("bitmap index of type list")));
  const auto with_null = WriteByHand(ArrayOf(arrow::int32(), "[1]"), {std::nullopt}, &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(with_null, arrow::int32()));
  EXPECT_THAT(index->Search(Range(0, {}, {}), NullRows::kNamed, bench.run),
              IsSerializationError(HasSubstr("bitmaps has null for key 0")));
}

TEST(BitmapIndex, IsNotWrittenForTypesWithoutOrder) {
  IndexBench bench;
  for (const auto& type : {arrow::null(), arrow::list(arrow::int32()),
                           arrow::struct_({arrow::field("a", arrow::int32())})}) {
    NewScalarIndex request;
    request.index_type = "Bitmap";
    request.column = "c";
    request.column_type = type;
    EXPECT_THAT(bench.Write(request),
                IsNotImplemented(HasSubstr("column c: bitmap index of type")));
  }
  NewScalarIndex request;
  request.index_type = "BloomFilter";
  request.column_type = arrow::int32();
  const auto refused = bench.Write(request);
  EXPECT_THAT(refused, IsNotImplemented(HasSubstr("an index of type BloomFilter")));
  EXPECT_THAT(refused, HasDetail<UnsupportedFeature>());
}

TEST(BitmapIndex, LeavesNothingBehindWhenItIsStopped) {
  IndexBench bench;
  auto source = arrow::StopSource();
  bench.run.stop_token = source.token();
  const auto rows = RowsOf(ArrayOf(arrow::int32(), "[1, 2]"));
  source.RequestStop();
  EXPECT_THAT(bench.Write(NewIndex("Bitmap", rows)), IsCancelled());
  EXPECT_THAT(bench.Paths(), IsEmpty());
}

}  // namespace
}  // namespace lance::index
