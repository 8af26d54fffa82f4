#include "lance/base/byte_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/bloom_filter.h"
#include "scalar_index_fixtures.h"

namespace lance::index {
namespace {

using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- The filter -----------------------------------------------------------------------------

TEST(BloomFilter, HashesPlainBytes) {
  // Published vectors of xxHash64, seed 0.
  EXPECT_EQ(BloomHash(*StringOf("")), 0xef46db3751d8e999u);
  EXPECT_EQ(BloomHash(*StringOf("a")), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(BloomHash(*StringOf("abc")), 0x44bc2cf5ad770999u);
  EXPECT_EQ(BloomHash(*ScalarOf(arrow::int8(), "97")), BloomHash(*StringOf("a")));
  EXPECT_EQ(BloomHash(*ScalarOf(arrow::uint16(), "25185")), BloomHash(*StringOf("ab")));
  EXPECT_NE(BloomHash(*DoubleOf(0.0)), BloomHash(*DoubleOf(-0.0)));
}

TEST(BloomFilter, HashesNothingThatHasManyFormsOrNone) {
  EXPECT_FALSE(BloomHash(*DoubleOf(kNan)));
  EXPECT_FALSE(BloomHash(*arrow::MakeNullScalar(arrow::int32())));
  EXPECT_FALSE(BloomHash(arrow::BooleanScalar(true)));
  EXPECT_FALSE(HasBloomHash(*arrow::decimal128(10, 2)));
  EXPECT_FALSE(HasBloomHash(*arrow::float16()));
}

TEST(BloomFilter, AsksOneBitOfEachWordOfOneBlock) {
  std::string filter(96, '\0');
  const uint64_t hash = 0x80000000'00000001;  // the middle block; the salts themselves
  for (const int missing : {-1, 0, 3, 7}) {
    filter.assign(96, '\0');
    const uint32_t bits[] = {8, 8, 17, 20, 14, 5, 19, 11};  // salt >> 27
    for (int word = 0; word < 8; ++word) {
      if (word == missing) continue;
      const uint32_t value = uint32_t{1} << bits[word];
      std::memcpy(filter.data() + 32 + word * 4, &value, 4);
    }
    EXPECT_EQ(BloomMayHold(AsBytes(filter), hash), missing == -1) << missing;
  }
  EXPECT_FALSE(BloomMayHold(AsBytes(filter), 0xffffffff'00000001));
}

// ---- The index ------------------------------------------------------------------------------

/// A zone of a file by hand; its filter holds everything or nothing.
struct HandZone {
  uint64_t fragment_id;
  uint64_t start;
  uint64_t length;
  bool has_null;
  bool holds_all;
};

table::IndexMetadata WriteByHand(const std::vector<HandZone>& zones,
                                 const std::optional<RowAddressMap>& nulls, IndexBench* bench,
                                 size_t filter_bytes = 32) {
  arrow::UInt64Builder fragment_ids, starts, lengths;
  arrow::BooleanBuilder has_nulls;
  arrow::BinaryBuilder filters;
  for (const HandZone& zone : zones) {
    EXPECT_THAT(fragment_ids.Append(zone.fragment_id), IsOk());
    EXPECT_THAT(starts.Append(zone.start), IsOk());
    EXPECT_THAT(lengths.Append(zone.length), IsOk());
    EXPECT_THAT(has_nulls.Append(zone.has_null), IsOk());
    EXPECT_THAT(filters.Append(std::string(filter_bytes, zone.holds_all ? '\xff' : '\0')), IsOk());
  }
  const auto schema = arrow::schema({arrow::field("fragment_id", arrow::uint64(), false),
                                     arrow::field("zone_start", arrow::uint64(), false),
                                     arrow::field("zone_length", arrow::uint64(), false),
                                     arrow::field("has_null", arrow::boolean(), false),
                                     arrow::field("bloom_filter_data", arrow::binary(), false)});
  table::IndexMetadata segment;
  segment.uuid = Uuid::Random(bench->random);
  segment.name = "by_hand";
  segment.field_ids = {0};
  segment.details_type_url = "/lance.index.pb.BloomFilterIndexDetails";
  segment.has_details = true;
  auto writer = format::DataFileWriter::Make(
                    *bench->store->OpenWrite(SegmentPath(segment, "bloomfilter.lance")),
                    *format::MakeLanceSchema(*schema))
                    .ValueOrDie();
  EXPECT_THAT(writer->Write(*arrow::RecordBatch::Make(
                  schema, static_cast<int64_t>(zones.size()),
                  {fragment_ids.Finish().ValueOrDie(), starts.Finish().ValueOrDie(),
                   lengths.Finish().ValueOrDie(), has_nulls.Finish().ValueOrDie(),
                   filters.Finish().ValueOrDie()})),
              IsOk());
  if (nulls) {
    const int buffer =
        writer->AddGlobalBuffer(*arrow::Buffer::FromString(nulls->Serialize().ValueOrDie()))
            .ValueOrDie();
    writer->AddSchemaMetadata("null_bitmap", std::to_string(buffer));
  }
  EXPECT_THAT(writer->Finish(), IsOk());
  return segment;
}

const Predicate kSomeEquality = Equal(0, ScalarOf(arrow::int32(), "5"));

TEST(BloomFilterIndex, GivesTheRowsOfZonesThatMayHoldAValue) {
  IndexBench bench;
  const auto segment =
      WriteByHand({{4, 2, 2, false, true}, {0, 0, 3, true, false}, {0, 5, 2, false, true}},
                  RowAddressMap{.entries = {{0, RoaringBitmap{1}}}}, &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  EXPECT_EQ(index->domain(), RowDomain::kAddress);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto found,
                             index->Search(kSomeEquality, NullRows::kNamed, bench.run));
  EXPECT_FALSE(found.is_exact);
  EXPECT_THAT(Numbers(found.rows), ElementsAre(5, 6, AddressOf(4, 2), AddressOf(4, 3)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto nulls,
                             index->Search(IsNull(0), NullRows::kNamed, bench.run));
  EXPECT_TRUE(nulls.is_exact);
  EXPECT_THAT(Numbers(nulls.rows), ElementsAre(1));
  EXPECT_EQ(nulls.null_rows, RowAddressMap{});
  EXPECT_GT(index->SizeBytes(), 96u);
}

TEST(BloomFilterIndex, AnswersEqualityOnly) {
  IndexBench bench;
  const auto segment = WriteByHand({{0, 0, 3, true, false}}, RowAddressMap{}, &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::float64()));
  EXPECT_TRUE(index->Answers(Equal(0, DoubleOf(1))));
  EXPECT_TRUE(index->Answers(In(0, {DoubleOf(1), DoubleOf(0.0), DoubleOf(-0.0)})));
  EXPECT_FALSE(index->Answers(In(0, {DoubleOf(1), DoubleOf(kNan)})));
  EXPECT_FALSE(index->Answers(Equal(0, DoubleOf(kNan))));
  EXPECT_FALSE(index->Answers(Less(0, DoubleOf(1))));
  EXPECT_FALSE(index->Answers(Between(0, DoubleOf(1), DoubleOf(2))));
  EXPECT_FALSE(index->Answers(Range(0, Bound{DoubleOf(1), true}, Bound{DoubleOf(1), false})));
  EXPECT_FALSE(index->Answers(Equal(0, ScalarOf(arrow::float32(), "1"))));
  EXPECT_FALSE(index->Answers(Range(0, {}, {})));
}

TEST(BloomFilterIndex, KeepsFragmentsOfWhichNoZoneTells) {
  IndexBench bench;
  auto segment = WriteByHand({{2, 0, 3, false, false}}, RowAddressMap{}, &bench);
  segment.fragment_bitmap = RoaringBitmap{1, 2, 3}.Serialize();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  const RowAddressMap untold{.entries = {{1, std::nullopt}, {3, std::nullopt}}};
  EXPECT_EQ(index->Search(kSomeEquality, NullRows::kNamed, bench.run)->rows, untold);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto nulls,
                             index->Search(IsNull(0), NullRows::kNamed, bench.run));
  EXPECT_FALSE(nulls.is_exact);
  EXPECT_EQ(nulls.rows, untold);
}

TEST(BloomFilterIndex, DoubtsTheNullsOfAFragmentThatHasZonesTwice) {
  IndexBench bench;
  const auto segment = WriteByHand({{0, 0, 4, false, false}, {0, 3, 2, true, false}},
                                   RowAddressMap{.entries = {{0, RoaringBitmap{1}}}}, &bench);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto index, bench.Open(segment, arrow::int32()));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto nulls,
                             index->Search(IsNull(0), NullRows::kNamed, bench.run));
  EXPECT_FALSE(nulls.is_exact);
  EXPECT_THAT(Numbers(nulls.rows), ElementsAre(1, 3, 4));
}

TEST(BloomFilterIndex, SaysWhyItCannotBeUsed) {
  IndexBench bench;
  const RowAddressMap none;
  const auto open = [&](const table::IndexMetadata& segment) {
    return bench.Open(segment, arrow::int32());
  };
  EXPECT_THAT(open(WriteByHand({{0, 0, 3, false, true}}, std::nullopt, &bench)),
              IsNotImplemented(HasSubstr("there is no null_bitmap")));
  EXPECT_THAT(open(WriteByHand({{0, 0, 3, false, true}}, none, &bench, 40)),
              IsSerializationError(HasSubstr("has 40 bytes, allowed multiples of 32")));
  EXPECT_THAT(open(WriteByHand({{0, 0, 3, false, true}}, none, &bench, 0)),
              IsSerializationError(HasSubstr("has 0 bytes")));
  EXPECT_THAT(open(WriteByHand({{0, 1, uint64_t{1} << 32, false, true}}, none, &bench)),
              IsSerializationError(HasSubstr("zone 0 is 4294967296 rows from 1 of fragment 0")));
  EXPECT_THAT(open(WriteByHand({{uint64_t{1} << 32, 0, 1, false, true}}, none, &bench)),
              IsSerializationError(HasSubstr("allowed are fragments and rows below 2^32")));
  EXPECT_THAT(open(WriteByHand({{0, 0, 0, false, true}}, none, &bench)),
              IsSerializationError(HasSubstr("zone 0 is 0 rows")));
  std::vector<HandZone> vast;
  for (uint64_t i = 0; i < 40; ++i) vast.push_back({i, 0, uint64_t{1} << 32, false, true});
  EXPECT_THAT(open(WriteByHand(vast, none, &bench)), IsSerializationError(HasSubstr("zone 32 is")));
  auto segment = WriteByHand({{0, 0, 3, false, true}}, none, &bench);
  segment.index_version = 1;
  EXPECT_THAT(open(segment), IsNotImplemented(HasSubstr("bloom filter index version 1")));
  segment.index_version = 0;
  EXPECT_THAT(bench.Open(segment, arrow::boolean()),
              IsNotImplemented(HasSubstr("bloom filter index of type bool")));
  RoaringBitmap everything;
  everything.AddRange(0, uint64_t{1} << 21);
  segment.fragment_bitmap = everything.Serialize();
  EXPECT_THAT(open(segment), IsSerializationError(HasSubstr("fragments without zones")));
}

}  // namespace
}  // namespace lance::index
