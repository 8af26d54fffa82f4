#include "lance/table/row_sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance_table.pb.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace pb = lance_pb::table;

RowIdSequence IdsOf(const std::vector<uint64_t>& ids) {
  RowIdSequence sequence;
  for (const uint64_t id : ids) sequence.Append(id, 1);
  return sequence;
}

std::vector<uint64_t> ValuesOf(const RowIdSequence& sequence) {
  std::vector<uint64_t> ids;
  for (uint64_t row = 0; row < sequence.num_rows(); ++row) ids.push_back(sequence.IdOf(row));
  return ids;
}

std::vector<uint64_t> ValuesOf(const VersionSequence& sequence) {
  std::vector<uint64_t> versions;
  for (uint64_t row = 0; row < sequence.num_rows(); ++row) {
    versions.push_back(sequence.VersionOf(row));
  }
  return versions;
}

std::vector<uint64_t> Count(uint64_t first, uint64_t end) {
  std::vector<uint64_t> values;
  for (uint64_t value = first; value < end; ++value) values.push_back(value);
  return values;
}

// Bytes that the reference wrote (table-format 8.4).

TEST(RowIdSequence, ReadsRanges) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto from_zero,
                             RowIdSequence::Parse(FromHex("0a040a021014"), 20));
  EXPECT_EQ(ValuesOf(from_zero), Count(0, 20));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto later,
                             RowIdSequence::Parse(FromHex("0a060a040814101e"), 10));
  EXPECT_EQ(ValuesOf(later), Count(20, 30));
}

TEST(RowIdSequence, ReadsABitmap) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto ids,
                             RowIdSequence::Parse(FromHex("0a0b1a090803101a1a03010040"), 2));
  EXPECT_THAT(ValuesOf(ids), ElementsAre(3, 25));
}

TEST(RowIdSequence, ReadsSeveralSegmentsAfterACompaction) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto ids,
      RowIdSequence::Parse(
          FromHex("0a091a0710141a0351d50f 0a0a1a080814101e1a02dd03 0a0b1a090803101a1a03010040"),
          22));
  EXPECT_THAT(ValuesOf(ids), ElementsAre(0, 4, 6, 8, 10, 12, 14, 15, 16, 17, 18, 19, 20, 22, 23, 24,
                                         26, 27, 28, 29, 3, 25));
}

TEST(VersionSequence, ReadsRunsByTheirLengths) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto one,
                             VersionSequence::Parse(FromHex("0a080a040a0210141001"), 20));
  EXPECT_EQ(one, VersionSequence::Of(1, 20));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto two,
      VersionSequence::Parse(FromHex("0a080a040a0210011001 0a0a0a060a04080110021002"), 2));
  EXPECT_THAT(ValuesOf(two), ElementsAre(1, 2));
}

TEST(RowIdSequence, ReadsHolesAndArraysOfEveryWidth) {
  pb::RowIdSequence message;
  auto* holes = message.add_segments()->mutable_range_with_holes();
  holes->set_start(10);
  holes->set_end(16);
  holes->mutable_holes()->mutable_u16_array()->set_base(11);
  holes->mutable_holes()->mutable_u16_array()->set_offsets(FromHex("0000 0300"));
  auto* wide = message.add_segments()->mutable_array()->mutable_u32_array();
  wide->set_base(100);
  wide->set_offsets(FromHex("05000000 01000000"));
  message.add_segments()->mutable_sorted_array()->mutable_u64_array()->set_values(
      FromHex("0000000001000000"));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto ids, RowIdSequence::Parse(message.SerializeAsString(), 7));
  EXPECT_THAT(ValuesOf(ids), ElementsAre(10, 12, 13, 15, 105, 101, uint64_t{1} << 32));
}

TEST(RowIdSequence, RefusesWhatCannotBe) {
  const auto parse = [](const std::function<void(pb::U64Segment*)>& make, uint64_t num_rows) {
    pb::RowIdSequence message;
    make(message.add_segments());
    return RowIdSequence::Parse(message.SerializeAsString(), num_rows);
  };
  const auto range = [](uint64_t start, uint64_t end) {
    return [=](pb::U64Segment* segment) {
      segment->mutable_range()->set_start(start);
      segment->mutable_range()->set_end(end);
    };
  };
  EXPECT_THAT(parse(range(5, 3), 2), IsSerializationError(HasSubstr("from 5 to 3")));
  EXPECT_THAT(parse(range(0, 3), 4), IsSerializationError(HasSubstr("for 3 rows")));
  EXPECT_THAT(parse(range(0, ~uint64_t{0}), 4), IsSerializationError(HasSubstr("more rows than")));
  EXPECT_THAT(parse([](auto*) {}, 0), IsSerializationError(HasSubstr("no known kind")));
  EXPECT_THAT(parse([](auto* segment) { segment->mutable_array(); }, 0),
              IsSerializationError(HasSubstr("no values of a known width")));
  EXPECT_THAT(
      parse(
          [](auto* segment) { segment->mutable_array()->mutable_u16_array()->set_offsets("abc"); },
          1),
      IsSerializationError(HasSubstr("3 bytes; allowed: multiples of 2")));
  EXPECT_THAT(
      parse(
          [](auto* segment) {
            segment->mutable_array()->mutable_u64_array()->set_values(std::string(8, '\xFF'));
          },
          1),
      IsSerializationError(HasSubstr("above 2^64-2")));
  EXPECT_THAT(parse(
                  [](auto* segment) {
                    segment->mutable_range_with_bitmap()->set_end(17);
                    segment->mutable_range_with_bitmap()->set_bitmap("ab");
                  },
                  1),
              IsSerializationError(HasSubstr("2 bytes; allowed: 3")));
  EXPECT_THAT(
      parse(
          [](auto* segment) {
            segment->mutable_range_with_holes()->set_end(4);
            segment->mutable_range_with_holes()->mutable_holes()->mutable_u16_array()->set_offsets(
                FromHex("0200 0100"));
          },
          2),
      IsSerializationError(HasSubstr("hole 1")));
  EXPECT_THAT(RowIdSequence::Parse("\xFF", 0), IsSerializationError());
}

TEST(RowIdSequence, SelectsRowsInTheirOrder) {
  const RowIdSequence ids = IdsOf({5, 6, 7, 1, 9, 10});
  EXPECT_THAT(ValuesOf(ids.Select(RowRanges::Make({{1, 4}, {5, 6}}))), ElementsAre(6, 7, 1, 10));
  EXPECT_EQ(ids.Select({}).num_rows(), 0u);
}

/// Ids of every shape: ascending or not, dense or sparse, small or large.
std::vector<uint64_t> RandomIds(std::mt19937_64* random) {
  const auto below = [&](uint64_t limit) { return (*random)() % limit; };
  const uint64_t count = below(300);
  const uint64_t gap = std::vector<uint64_t>{1, 2, 40, 100000, uint64_t{1} << 40}[below(5)];
  std::vector<uint64_t> ids;
  uint64_t next = below(1000000);
  for (uint64_t i = 0; i < count; ++i, next += 1 + below(gap)) ids.push_back(next);
  if (below(3) == 0) std::shuffle(ids.begin(), ids.end(), *random);
  return ids;
}

TEST(RowIdSequence, ComesBackAsItWasWritten) {
  std::mt19937_64 random(::lance::testing::TestSeed());
  for (int i = 0; i < 300; ++i) {
    const std::vector<uint64_t> ids = RandomIds(&random);
    const RowIdSequence sequence = IdsOf(ids);
    LANCE_ASSERT_OK_AND_ASSIGN(const auto read,
                               RowIdSequence::Parse(sequence.Serialize(), ids.size()));
    ASSERT_EQ(read, sequence);
    ASSERT_EQ(ValuesOf(read), ids);
  }
}

TEST(RowIdSequence, IsStoredInTheSmallestForm) {
  RowIdSequence dense;
  dense.Append(7, 1000000);
  EXPECT_LT(dense.Serialize().size(), 20u);

  std::vector<uint64_t> every_other;
  for (uint64_t i = 0; i < 8000; i += 2) every_other.push_back(i);
  EXPECT_LT(IdsOf(every_other).Serialize().size(), 1100u);  // a bitmap

  std::vector<uint64_t> shuffled = Count(0, 4000);
  std::mt19937_64 random(::lance::testing::TestSeed());
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  EXPECT_LT(IdsOf(shuffled).Serialize().size(), 8100u);  // 16 bits each
}

TEST(VersionSequence, ComesBackAsItWasWritten) {
  std::mt19937_64 random(::lance::testing::TestSeed());
  for (int i = 0; i < 100; ++i) {
    VersionSequence versions;
    for (uint64_t run = random() % 20; run > 0; --run) {
      versions.Append(1 + random() % 3, random() % 50);
    }
    LANCE_ASSERT_OK_AND_ASSIGN(const auto read,
                               VersionSequence::Parse(versions.Serialize(), versions.num_rows()));
    ASSERT_EQ(read, versions);
  }
}

}  // namespace
}  // namespace lance::table
