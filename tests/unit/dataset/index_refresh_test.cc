#include "lance/dataset/index_refresh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/table/feature_flags.h"

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A table of fragments of ten rows, and its indices.
class IndexRefreshTest : public ::testing::Test {
 protected:
  void AddFragments(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      manifest_.fragments.push_back({.id = manifest_.fragments.size(), .physical_rows = 10});
    }
  }

  void AddSegment(const std::string& type, const RoaringBitmap& coverage,
                  uint64_t dataset_version, int32_t index_version = 0) {
    table::IndexMetadata segment{.field_ids = {3},
                                 .name = "i",
                                 .dataset_version = dataset_version,
                                 .fragment_bitmap = coverage.Serialize(),
                                 .details_type_url = "/lance.table." + type + "IndexDetails",
                                 .has_details = true,
                                 .index_version = index_version};
    segment.uuid.bytes[0] = static_cast<uint8_t>(manifest_.indices.size() + 1);
    manifest_.indices.push_back(std::move(segment));
  }

  void UseStableRowIds() { manifest_.reader_feature_flags |= table::kStableRowIdsFlag; }

  void DeleteRows(size_t fragment, uint64_t count) {
    manifest_.fragments[fragment].deletion_file = {.num_deleted_rows = count};
  }

  /// The places of the segments that a plan replaces or carries over.
  template <typename Segments, typename Project>
  static std::vector<int> Places(const Segments& segments, Project project) {
    std::vector<int> places;
    for (const auto& segment : segments) places.push_back(project(segment).uuid.bytes[0] - 1);
    return places;
  }
  static std::vector<int> Replaced(const IndexRefresh& refresh) {
    return Places(refresh.replaced, [](const auto& segment) { return segment; });
  }
  static std::vector<int> Carried(const IndexRefresh& refresh) {
    return Places(refresh.carried, [](const auto& carried) { return carried.segment; });
  }

  std::optional<IndexRefresh> Plan(const RefreshRule& rule = {}) const {
    return PlanIndexRefresh(manifest_, "i", rule);
  }

  table::Manifest manifest_{.version = 9};
};

TEST_F(IndexRefreshTest, MergesTheLastSegmentWithWhatIsNew) {
  AddFragments(4);
  AddSegment("BTree", {0}, 3);
  AddSegment("BTree", {1}, 5);

  const auto refresh = Plan();

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Replaced(*refresh), ElementsAre(1));
  EXPECT_THAT(Carried(*refresh), ElementsAre(1));
  EXPECT_THAT(refresh->fragments_to_scan, ElementsAre(2, 3));
  EXPECT_EQ(refresh->coverage, RoaringBitmap({1, 2, 3}));
  EXPECT_EQ(refresh->dataset_version, 5u);
  EXPECT_EQ(refresh->index_type, "BTree");
  EXPECT_EQ(refresh->field_id, 3);
}

TEST_F(IndexRefreshTest, MergesAsManyAsAskedAndCarriesTheOldestVersion) {
  AddFragments(4);
  for (const uint32_t id : {0, 1, 2}) AddSegment("Bitmap", {id}, 5 - id);

  const auto refresh = Plan({.num_segments_to_merge = 2});

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Carried(*refresh), ElementsAre(1, 2));
  EXPECT_EQ(refresh->dataset_version, 3u);
  EXPECT_EQ(refresh->coverage, RoaringBitmap({1, 2, 3}));
}

TEST_F(IndexRefreshTest, MakesASegmentOfWhatIsNewAlone) {
  AddFragments(2);
  AddSegment("BTree", {0}, 3);

  const auto refresh = Plan({.num_segments_to_merge = 0});

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Replaced(*refresh), IsEmpty());
  EXPECT_EQ(refresh->coverage, RoaringBitmap({1}));
  EXPECT_EQ(refresh->dataset_version, 9u);
}

TEST_F(IndexRefreshTest, DoesNothingForOneSegmentThatCoversAllRows) {
  AddFragments(2);
  AddSegment("BTree", {0, 7}, 3);
  DeleteRows(1, 10);  // a fragment without live rows needs no index

  EXPECT_FALSE(Plan());
  EXPECT_FALSE(Plan({.num_segments_to_merge = 0}));
  EXPECT_TRUE(Plan({.retrain = true}));
}

TEST_F(IndexRefreshTest, MergesSeveralSegmentsAlsoWhenNothingIsNew) {
  AddFragments(2);
  AddSegment("BTree", {0}, 3);
  AddSegment("BTree", {1}, 4);

  EXPECT_FALSE(Plan());
  const auto refresh = Plan({.num_segments_to_merge = 2});
  ASSERT_TRUE(refresh);
  EXPECT_THAT(refresh->fragments_to_scan, IsEmpty());
  EXPECT_EQ(refresh->coverage, RoaringBitmap({0, 1}));
}

TEST_F(IndexRefreshTest, RebuildsASegmentThatCoversNothingAndLetsOthersLikeItGo) {
  AddFragments(2);
  AddSegment("BTree", {8}, 3);
  AddSegment("BTree", {9}, 4);

  const auto refresh = Plan();

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Replaced(*refresh), ElementsAre(1, 0));
  EXPECT_THAT(Carried(*refresh), IsEmpty());
  EXPECT_THAT(refresh->fragments_to_scan, ElementsAre(0, 1));
  EXPECT_EQ(refresh->dataset_version, 9u);
}

TEST_F(IndexRefreshTest, NeverCarriesAFragmentOverTwice) {
  AddFragments(3);
  AddSegment("BTree", {0, 1}, 3);
  AddSegment("BTree", {1}, 4);

  const auto refresh = Plan({.num_segments_to_merge = 2});

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Carried(*refresh), ElementsAre(0));
  EXPECT_EQ(refresh->coverage, RoaringBitmap({0, 1, 2}));
}

// Their rows by id may live on elsewhere, under other values (zonemap-and-indices 5.3).
TEST_F(IndexRefreshTest, AlwaysMergesSegmentsByIdThatMayNameMovedRows) {
  AddFragments(5);
  UseStableRowIds();
  AddSegment("Bitmap", {0}, 3);
  AddSegment("Bitmap", {1, 12}, 4);  // fragment 12 is gone
  AddSegment("Bitmap", {2}, 5);
  AddSegment("Bitmap", {3}, 6);
  DeleteRows(0, 1);

  EXPECT_THAT(Replaced(*Plan()), ElementsAre(0, 1, 3));
  EXPECT_THAT(Replaced(*Plan({.num_segments_to_merge = 0})), ElementsAre(0, 1));
}

TEST_F(IndexRefreshTest, LeavesSegmentsByAddressWithDeletionsAlone) {
  AddFragments(3);
  UseStableRowIds();
  AddSegment("BTree", {0}, 3, /*index_version=*/1);
  AddSegment("BTree", {1}, 4, /*index_version=*/1);
  DeleteRows(0, 1);

  EXPECT_THAT(Replaced(*Plan()), ElementsAre(1));
}

TEST_F(IndexRefreshTest, BuildsABTreeByIdAnew) {
  AddFragments(3);
  UseStableRowIds();
  AddSegment("BTree", {0}, 3);
  AddSegment("BTree", {1}, 4);

  const auto refresh = Plan();

  ASSERT_TRUE(refresh);
  EXPECT_THAT(Replaced(*refresh), ElementsAre(0, 1));
  EXPECT_THAT(Carried(*refresh), IsEmpty());
  EXPECT_THAT(refresh->fragments_to_scan, ElementsAre(0, 1, 2));
}

TEST_F(IndexRefreshTest, KnowsNothingOfKindsThatAreNotBuilt) {
  AddFragments(2);
  AddSegment("BloomFilter", {0}, 3);
  EXPECT_FALSE(Plan({.retrain = true}));

  manifest_.indices.clear();
  AddSegment("BTree", {0}, 3, /*index_version=*/2);
  EXPECT_FALSE(Plan({.retrain = true}));
}

}  // namespace
}  // namespace lance
