// Which deferred rewrites a fragment-reuse entry still has to remember.

#include "lance/dataset/catch_up_indices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

table::IndexMetadata Segment(const std::string& name, uint64_t dataset_version) {
  table::IndexMetadata segment{.name = name, .dataset_version = dataset_version};
  segment.fragment_bitmap = RoaringBitmap{7}.Serialize();
  return segment;
}

std::vector<uint64_t> Needed(std::vector<table::IndexMetadata> segments) {
  table::Manifest manifest;
  manifest.indices = std::move(segments);
  std::vector<uint64_t> needed;
  for (const auto& version : NeededVersions(
           manifest, {{.dataset_version = 4}, {.dataset_version = 8}, {.dataset_version = 9}})) {
    needed.push_back(version.dataset_version);
  }
  return needed;
}

TEST(NeededVersions, AreThoseThatTheOldestIndexWasBuiltBefore) {
  EXPECT_THAT(Needed({Segment("a", 12), Segment("b", 6)}), ElementsAre(8, 9));
  EXPECT_THAT(Needed({Segment("a", 10)}), IsEmpty());
  EXPECT_THAT(Needed({}), IsEmpty());
}

TEST(NeededVersions, HoldThatOfTheVersionThatAnIndexWasBuiltOn) {
  // Its coverage may have moved to the new fragments although its content has not.
  EXPECT_THAT(Needed({Segment("a", 8)}), ElementsAre(8, 9));
}

TEST(NeededVersions, AreNotForEntriesThatNobodyReads) {
  table::IndexMetadata unknown = Segment("unknown coverage", 1);
  unknown.fragment_bitmap.clear();
  EXPECT_THAT(Needed({unknown, Segment("__lance_mem_wal", 1)}), IsEmpty());
}

}  // namespace
}  // namespace lance
