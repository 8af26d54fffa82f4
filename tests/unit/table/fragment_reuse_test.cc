#include "lance/table/fragment_reuse.h"

#include "lance/base/byte_reader.h"
#include "lance/io/stores.h"
#include "lance/table/build_manifest.h"
#include "lance/table/fragment_reuse_proto.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using lance::testing::IsKeyError;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t Address(uint64_t fragment, uint64_t offset) { return fragment << 32 | offset; }

/// Fragments 0 and 1 of 3 rows each, of which row 1 of 0 is deleted, became fragment 2; then 2 and 3
/// became 4, and row 0 of 2 was deleted meanwhile.
std::vector<ReuseVersion> TwoRewrites() {
  return {{.dataset_version = 5,
           .groups = {{.survivors = {{0, {0, 2}}, {1, {0, 1, 2}}},
                       .old_fragments = {{0, 3, 1}, {1, 3, 0}},
                       .new_fragments = {{2, 5, 0}}}}},
          {.dataset_version = 9,
           .groups = {{.survivors = {{2, {1, 2, 3, 4}}, {3, {0}}},
                       .old_fragments = {{2, 5, 1}, {3, 1, 0}},
                       .new_fragments = {{4, 5, 0}}}}}};
}

FragmentReuse Reuse(std::vector<ReuseVersion> versions) {
  return FragmentReuse::Make(std::move(versions)).ValueOrDie();
}

TEST(FragmentReuse, FollowsRowsThroughAllVersions) {
  const FragmentReuse reuse = Reuse(TwoRewrites());

  EXPECT_EQ(reuse.Map(Address(0, 0)), std::nullopt);  // deleted after the first rewrite
  EXPECT_EQ(reuse.Map(Address(0, 1)), std::nullopt);
  EXPECT_EQ(reuse.Map(Address(0, 2)), Address(4, 0));
  EXPECT_EQ(reuse.Map(Address(1, 2)), Address(4, 3));
  EXPECT_EQ(reuse.Map(Address(2, 4)), Address(4, 3));
  EXPECT_EQ(reuse.Map(Address(3, 0)), Address(4, 4));
  EXPECT_EQ(reuse.Map(Address(4, 4)), Address(4, 4));
  EXPECT_EQ(reuse.Map(Address(7, 1)), Address(7, 1));
  EXPECT_THAT(reuse.MapCoverage({0, 1, 3, 7}).ToVector(), ElementsAre(4, 7));
  EXPECT_THAT(reuse.MapCoverage({0, 1, 7}).ToVector(), ElementsAre(7));
  EXPECT_THAT(reuse.MapCoverage({4}).ToVector(), ElementsAre(4));
}

TEST(FragmentReuse, GoesByAddressesInWhateverOrderFragmentsAreListed) {
  auto versions = TwoRewrites();
  std::swap(versions[0].groups[0].old_fragments[0], versions[0].groups[0].old_fragments[1]);

  EXPECT_EQ(Reuse(versions).Map(Address(0, 2)), Address(4, 0));
}

TEST(FragmentReuse, ReadsWhatItWrites) {
  const auto store = MakeMemoryStore();
  LANCE_ASSERT_OK_AND_ASSIGN(const IndexMetadata entry,
                             WriteFragmentReuse(*store, TwoRewrites(), 9, {}));
  EXPECT_EQ(entry.name, kFragmentReuseName);
  EXPECT_EQ(entry.details_type_url, "/lance.table.FragmentReuseIndexDetails");
  EXPECT_EQ(entry.index_version, 0);
  EXPECT_THAT(entry.files, IsEmpty());
  EXPECT_THAT((*entry.Coverage().ValueOrDie()).ToVector(), ElementsAre(4));
  Manifest manifest = SampleManifest({4});
  manifest.indices = {entry};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto reuse, LoadFragmentReuse(*store, manifest, {}));

  ASSERT_EQ(reuse->versions().size(), 2u);
  EXPECT_EQ(reuse->versions()[1].dataset_version, 9u);
  EXPECT_EQ(reuse->Map(Address(1, 2)), Address(4, 3));
  EXPECT_THAT(SerializeReuseContent(reuse->versions()).ValueOrDie(),
              SerializeReuseContent(TwoRewrites()).ValueOrDie());
}

TEST(FragmentReuse, PutsALargeRecordIntoAFile) {
  const auto store = MakeMemoryStore();
  ReuseVersion version{.dataset_version = 1, .groups = {{.old_fragments = {{0, 2'000'000, 0}}}}};
  RoaringBitmap& survivors = version.groups[0].survivors[0];
  for (uint32_t row = 0; row < 2'000'000; row += 2) survivors.Add(row);
  version.groups[0].new_fragments = {{1, 1'000'000, 0}};
  LANCE_ASSERT_OK_AND_ASSIGN(const IndexMetadata entry,
                             WriteFragmentReuse(*store, {version}, 1, {}));
  EXPECT_LT(entry.details_value.size(), 100u);
  Manifest manifest = SampleManifest({1});
  manifest.indices = {entry};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto reuse, LoadFragmentReuse(*store, manifest, {}));
  EXPECT_EQ(reuse->Map(Address(0, 1'999'998)), Address(1, 999'999));
  EXPECT_EQ(reuse->Map(Address(0, 3)), std::nullopt);

  DropReuseFile(*store, entry);
  EXPECT_THAT(LoadFragmentReuse(*store, manifest, {}), IsKeyError());
}

TEST(FragmentReuse, RefusesWhatContradictsItself) {
  const auto changed = [](auto change) {
    auto versions = TwoRewrites();
    change(&versions[0].groups[0]);
    return FragmentReuse::Make(std::move(versions));
  };
  EXPECT_THAT(changed([](ReuseGroup* group) { group->new_fragments[0].physical_rows = 6; }),
              IsSerializationError(HasSubstr("5 rows of old fragments survive")));
  EXPECT_THAT(changed([](ReuseGroup* group) { group->old_fragments.pop_back(); }),
              IsSerializationError(HasSubstr("which is not replaced")));
  EXPECT_THAT(changed([](ReuseGroup* group) { group->old_fragments[1].physical_rows = 2; }),
              IsSerializationError(HasSubstr("a row behind the 2 rows of fragment 1")));
  EXPECT_THAT(changed([](ReuseGroup* group) { group->old_fragments.push_back({0, 3, 0}); }),
              IsSerializationError(HasSubstr("replaced twice")));
}

TEST(FragmentReuse, LeavesItsFileInItsFolder) {
  Manifest manifest = SampleManifest({1});
  for (const std::string path : {"", "../../data/x", "a/b", "..", ".hidden"}) {
    IndexMetadata entry{.uuid = SampleUuid(1), .name = std::string(kFragmentReuseName)};
    entry.details_value = SerializeReuseDetails(ExternalReuse{.path = path}).ValueOrDie();
    manifest.indices = {entry};
    EXPECT_THAT(LoadFragmentReuse(*MakeMemoryStore(), manifest, {}),
                IsSerializationError(HasSubstr("is no name of a file")));
  }
}

TEST(FragmentReuse, DoesNotFollowTransitions) {
  // InlineContent { transitions: [{ sources: [{ id: 0 }, { id: 1 }], destinations: [{ id: 2 }] }] }
  const std::string content = FromHex("12 0c 0a 00 0a 02 08 01 12 04 08 02 10 05");
  IndexMetadata entry{.uuid = SampleUuid(1), .name = std::string(kFragmentReuseName)};
  entry.details_value = SerializeReuseDetails(StoredReuse(content)).ValueOrDie();
  entry.index_version = 1;
  Manifest manifest = SampleManifest({2, 3});
  manifest.indices = {entry};
  const auto store = MakeMemoryStore();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto reuse, LoadFragmentReuse(*store, manifest, {}));

  EXPECT_TRUE(reuse->is_opaque());
  EXPECT_THAT(reuse->MapCoverage({0, 1, 2, 3}).ToVector(), ElementsAre(3));
  EXPECT_EQ(reuse->Map(Address(2, 1)), std::nullopt);
  EXPECT_EQ(reuse->Map(Address(3, 1)), Address(3, 1));
  EXPECT_THAT(BringCoverageUpToDate(*store, {}, &manifest), IsNotImplemented());
}

TEST(FragmentReuse, BringsTheCoverageOfAllEntriesUpToDate) {
  const auto store = MakeMemoryStore();
  Manifest manifest = SampleManifest({4, 7});
  LANCE_ASSERT_OK_AND_ASSIGN(IndexMetadata entry, WriteFragmentReuse(*store, TwoRewrites(), 9, {}));
  manifest.indices = {{.uuid = SampleUuid(1), .name = "whole"},
                      {.uuid = SampleUuid(2), .name = "part"},
                      {.uuid = SampleUuid(3), .name = "unknown"},
                      entry};
  manifest.indices[0].fragment_bitmap = RoaringBitmap{0, 1, 3, 7}.Serialize();
  manifest.indices[1].fragment_bitmap = RoaringBitmap{1, 7}.Serialize();

  ASSERT_THAT(BringCoverageUpToDate(*store, {}, &manifest), IsOk());

  EXPECT_EQ(manifest.indices[0].fragment_bitmap, (RoaringBitmap{4, 7}.Serialize()));
  EXPECT_EQ(manifest.indices[1].fragment_bitmap, (RoaringBitmap{7}.Serialize()));
  EXPECT_EQ(manifest.indices[2].fragment_bitmap, "");
  EXPECT_EQ(manifest.indices[3], entry);
}

/// Fragments 0 and 1 become 5; the record takes the place of one with `replaced`.
Transaction RewriteWithRecord(std::optional<Uuid> replaced) {
  Fragment output = SampleFragment(5, "new.lance", 20);
  Rewrite rewrite{.groups = {{.old_fragments = {SampleFragment(0), SampleFragment(1)},
                              .new_fragments = {output}}},
                  .reuse_entry = ReuseEntry{{.uuid = SampleUuid(9),
                                             .name = std::string(kFragmentReuseName),
                                             .has_details = true},
                                            replaced}};
  return SampleTransaction(1, std::move(rewrite));
}

TEST(FragmentReuse, OfARewriteTakesThePlaceOfTheEntryThatItWasMadeFrom) {
  Manifest newest = SampleManifest({0, 1, 2});
  newest.max_fragment_id = 5;
  newest.indices = {{.uuid = SampleUuid(1), .field_ids = {0}, .name = "all"},
                    {.uuid = SampleUuid(2), .field_ids = {1}, .name = "part"},
                    {.uuid = SampleUuid(8), .name = std::string(kFragmentReuseName)}};
  newest.indices[0].fragment_bitmap = RoaringBitmap{0, 1, 2}.Serialize();
  newest.indices[1].fragment_bitmap = RoaringBitmap{1, 2}.Serialize();

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             BuildManifest(newest, RewriteWithRecord(SampleUuid(8)), {}));

  ASSERT_EQ(next.indices.size(), 3u);
  EXPECT_EQ(next.indices[0].uuid, SampleUuid(1));
  EXPECT_EQ(next.indices[0].fragment_bitmap, (RoaringBitmap{2, 5}.Serialize()));
  EXPECT_EQ(next.indices[1].fragment_bitmap, (RoaringBitmap{2}.Serialize()));
  EXPECT_EQ(next.indices[2].uuid, SampleUuid(9));
  for (const auto& replaced : {std::optional(SampleUuid(7)), std::optional<Uuid>()}) {
    EXPECT_THAT(BuildManifest(newest, RewriteWithRecord(replaced), {}),
                lance::testing::IsAlreadyExists(HasSubstr("another commit changed")));
  }
}

TEST(FragmentReuse, SurvivesAnyBytes) {
  const std::string content = SerializeReuseContent(TwoRewrites()).ValueOrDie();
  Manifest manifest = SampleManifest({4});
  testing::SeededRandom random;
  const auto store = MakeMemoryStore();
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = content.substr(0, content.size() - random.Below(4));
    for (uint64_t i = random.Below(3); i > 0; --i) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    IndexMetadata entry{.uuid = SampleUuid(1), .name = std::string(kFragmentReuseName)};
    entry.details_value = SerializeReuseDetails(StoredReuse(bytes)).ValueOrDie();
    manifest.indices = {entry};
    const auto reuse = LoadFragmentReuse(*store, manifest, {});
    if (!reuse.ok()) continue;
    for (uint64_t fragment = 0; fragment < 5; ++fragment) {
      (void)(*reuse)->Map(Address(fragment, round % 6));
    }
    (void)(*reuse)->MapCoverage({0, 1, 2});
  }
}

}  // namespace
}  // namespace lance::table
