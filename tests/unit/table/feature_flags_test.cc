#include "lance/table/feature_flags.h"

#include <gtest/gtest.h>

#include <functional>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsNotImplemented;
using ::lance::testing::IsOk;
using ::lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;

/// What happens to a table with one bit set.
enum class Outcome { kFine, kUnsupported, kCorrupt };

struct FlagCase {
  int bit;
  std::string name;
  Outcome read_with_reader_bit;
  Outcome read_with_both_bits;
  Outcome read_with_writer_bit;
  Outcome write_with_writer_bit;
};

Manifest WithFlags(uint64_t reader, uint64_t writer) {
  Manifest manifest = SampleManifest({0});
  manifest.fragments[0].row_ids.place = StoredSequence::Place::kInline;
  manifest.reader_feature_flags = reader;
  manifest.writer_feature_flags = writer;
  return manifest;
}

void ExpectOutcome(const arrow::Status& status, Outcome expected, const FlagCase& flag) {
  switch (expected) {
    case Outcome::kFine:
      EXPECT_THAT(status, IsOk());
      return;
    case Outcome::kUnsupported:
      EXPECT_THAT(status,
                  IsNotImplemented(AllOf(HasSubstr(flag.name),
                                         HasSubstr("(bit " + std::to_string(flag.bit) + ")"))));
      EXPECT_THAT(status,
                  HasDetail<UnsupportedFeature>(Field(&UnsupportedFeature::flag_bit, flag.bit)));
      return;
    case Outcome::kCorrupt:
      EXPECT_THAT(status, IsSerializationError(HasSubstr(flag.name)));
      return;
  }
}

class FeatureFlagTest : public ::testing::TestWithParam<FlagCase> {};

TEST_P(FeatureFlagTest, DecidesReadingAndWriting) {
  const FlagCase& flag = GetParam();
  const uint64_t word = uint64_t{1} << flag.bit;

  ExpectOutcome(CheckReadable(WithFlags(word, 0)), flag.read_with_reader_bit, flag);
  ExpectOutcome(CheckReadable(WithFlags(word, word)), flag.read_with_both_bits, flag);
  ExpectOutcome(CheckReadable(WithFlags(0, word)), flag.read_with_writer_bit, flag);
  ExpectOutcome(CheckWritable(WithFlags(0, word)), flag.write_with_writer_bit, flag);
}

constexpr Outcome kFine = Outcome::kFine;
constexpr Outcome kNo = Outcome::kUnsupported;
constexpr Outcome kBad = Outcome::kCorrupt;

INSTANTIATE_TEST_SUITE_P(All, FeatureFlagTest,
                         ::testing::ValuesIn<FlagCase>({
                             {0, "deletion files", kFine, kFine, kFine, kFine},
                             {1, "stable row ids", kFine, kFine, kFine, kFine},
                             {2, "v2 data files", kFine, kFine, kFine, kFine},
                             {3, "table config", kFine, kFine, kFine, kFine},
                             {4, "base paths", kFine, kFine, kFine, kFine},
                             {5, "no transaction file", kFine, kFine, kFine, kFine},
                             {6, "data overlays", kNo, kNo, kFine, kNo},
                             {7, "covered index metadata", kNo, kNo, kFine, kNo},
                             {8, "mixed data file versions", kBad, kNo, kBad, kBad},
                             {9, "fragment reuse with stable row ids", kNo, kNo, kFine, kNo},
                             {10, "tagged fragment reuse", kBad, kFine, kBad, kBad},
                             {11, "row lineage in columns", kFine, kFine, kFine, kFine},
                             {12, "fragment tree", kNo, kNo, kFine, kNo},
                             {13, "independent covering fields", kNo, kNo, kFine, kNo},
                             {14, "managed blobs", kBad, kNo, kBad, kBad},
                             {15, "field ids never reused", kBad, kBad, kBad, kBad},
                             {16, "zone statistics seeds", kBad, kNo, kBad, kBad},
                             {17, "object metadata", kNo, kNo, kFine, kFine},
                             {18, "an unknown feature", kNo, kNo, kFine, kNo},
                             {40, "an unknown feature", kNo, kNo, kFine, kNo},
                             {63, "an unknown feature", kNo, kNo, kFine, kNo},
                         }),
                         [](const auto& test) { return "Bit" + std::to_string(test.param.bit); });

TEST(CheckWritable, AllowsFieldIdsNeverReusedWhenTheirMaximumIsThere) {
  Manifest manifest = WithFlags(0, kFieldIdsNeverReusedFlag);
  manifest.max_allocated_field_id = 9;

  EXPECT_THAT(CheckReadable(manifest), IsOk());
  EXPECT_THAT(CheckWritable(manifest), IsOk());
}

TEST(CheckReadable, WantsRowIdsOfEveryFragmentWhereTheyAreStable) {
  Manifest manifest = WithFlags(kStableRowIdsFlag, kStableRowIdsFlag);
  EXPECT_THAT(CheckReadable(manifest), IsOk());

  manifest.fragments.push_back(SampleFragment(7));
  EXPECT_THAT(CheckReadable(manifest),
              IsSerializationError(HasSubstr("fragment 7 has no row ids")));
}

TEST(ComputeFlags, KnowsHiddenColumnsAndKeepsStableRowIds) {
  Manifest manifest = WithFlags(kStableRowIdsFlag, kStableRowIdsFlag);
  EXPECT_EQ(ComputeFlags(manifest), (FeatureFlags{kStableRowIdsFlag, kStableRowIdsFlag}));

  for (StoredSequence Fragment::*sequence :
       {&Fragment::row_ids, &Fragment::created_at_versions, &Fragment::last_updated_at_versions}) {
    manifest = WithFlags(0, 0);
    (manifest.fragments[0].*sequence).place = StoredSequence::Place::kColumn;
    EXPECT_EQ(ComputeFlags(manifest), (FeatureFlags{kLineageInColumnsFlag, kLineageInColumnsFlag}));
  }
}

TEST(ComputeFlags, SetsTheFlagOfAMaximumFieldIdThatLacksIt) {
  Manifest manifest = WithFlags(0, 0);
  manifest.max_allocated_field_id = 9;

  EXPECT_THAT(CheckWritable(manifest), IsOk());
  EXPECT_EQ(ComputeFlags(manifest).writer & kFieldIdsNeverReusedFlag, kFieldIdsNeverReusedFlag);
  EXPECT_EQ(ComputeFlags(manifest).reader & kFieldIdsNeverReusedFlag, 0u);
}

TEST(CheckReadable, NamesTheLowestBitInTheWay) {
  EXPECT_THAT(CheckReadable(WithFlags(uint64_t{1} << 40 | 64 | 4, 0)),
              IsNotImplemented(HasSubstr("data overlays (bit 6)")));
}

struct ComputeCase {
  std::string name;
  std::function<void(Manifest*)> change;
  FeatureFlags expected;
};

class ComputeFlagsTest : public ::testing::TestWithParam<ComputeCase> {};

TEST_P(ComputeFlagsTest, FollowsTheContent) {
  Manifest manifest = SampleManifest({0});
  GetParam().change(&manifest);

  const FeatureFlags flags = ComputeFlags(manifest);

  EXPECT_EQ(flags.reader, GetParam().expected.reader);
  EXPECT_EQ(flags.writer, GetParam().expected.writer);
}

INSTANTIATE_TEST_SUITE_P(
    All, ComputeFlagsTest,
    ::testing::ValuesIn<ComputeCase>({
        {"Nothing", [](Manifest*) {}, {0, 0}},
        {"OldFlagsGo",
         [](Manifest* m) {
           m->reader_feature_flags = 1 | 4 | 16;
           m->writer_feature_flags = 1 | 4 | 8 | 32 | 131072;
         },
         {0, 0}},
        {"DeletionFile", [](Manifest* m) { m->fragments[0].deletion_file.emplace(); }, {1, 1}},
        {"Config", [](Manifest* m) { m->config["a"] = "b"; }, {0, 8}},
        {"BasePaths", [](Manifest* m) { m->base_paths.emplace_back(); }, {16, 16}},
        {"CoveringFields",
         [](Manifest* m) {
           m->indices = {SampleIndex("i", 1, {})};
           m->indices[0].covering_field_ids = {1};
         },
         {128, 128}},
        {"StickyBitsStay",
         [](Manifest* m) {
           m->reader_feature_flags = 2 | 256 | 1024 | 16384;
           m->writer_feature_flags = 2 | 256 | 1024 | 16384 | 32768;
         },
         {2 | 256 | 1024 | 16384, 2 | 256 | 1024 | 16384 | 32768}},
        {"Definition", [](Manifest* m) { m->clustering.emplace_back(); }, {0, 131072}},
        {"MaximumClusteringId", [](Manifest* m) { m->max_clustering_id = 1; }, {0, 131072}},
        {"FragmentStamp", [](Manifest* m) { m->fragments[0].clustering_id = 1; }, {0, 131072}},
        {"FragmentMetadata", [](Manifest* m) { m->fragments[0].metadata["a"]; }, {0, 131072}},
        {"IndexStamp",
         [](Manifest* m) {
           m->indices = {SampleIndex("i", 1, {})};
           m->indices[0].clustering_id = 1;
         },
         {0, 131072}},
        {"IndexMetadata",
         [](Manifest* m) {
           m->indices = {SampleIndex("i", 1, {})};
           m->indices[0].metadata["a"];
         },
         {0, 131072}},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::table
