#include <gtest/gtest.h>

#include "lance/table/build_manifest.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/feature_flags.h"
#include "lance/table/row_lineage.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsAlreadyExists;
using ::lance::testing::IsInvalid;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

arrow::Result<Manifest> Build(const Manifest& newest, Operation operation,
                              const Manifest* restored = nullptr) {
  return BuildManifest(newest, SampleTransaction(newest.version, std::move(operation)),
                       {.restored = restored});
}

std::vector<uint64_t> IdsOf(const Manifest& manifest) {
  std::vector<uint64_t> ids;
  for (const Fragment& fragment : manifest.fragments) ids.push_back(fragment.id);
  return ids;
}

Fragment WithDeletions(Fragment fragment, uint64_t num_deleted_rows) {
  fragment.deletion_file = DeletionFile{.read_version = 1, .id = 7};
  fragment.deletion_file->num_deleted_rows = num_deleted_rows;
  return fragment;
}

/// A table whose fragments are stamped under a definition over field 0.
Manifest Stamped(const std::vector<uint64_t>& ids) {
  Manifest manifest = SampleManifest(ids);
  const auto id = EnsureDefinition({.field_ids = {0}, .version = 1}, &manifest);
  for (Fragment& fragment : manifest.fragments) {
    WriteStamp(*id, 1, "550e8400-e29b-41d4-a716-446655440000", &fragment);
    fragment.metadata["other"] = "kept";
  }
  return manifest;
}

DataFile FileOf(const std::string& path, std::vector<int32_t> fields) {
  DataFile file = SampleFragment(0, path).files[0];
  file.column_indices.clear();
  for (size_t i = 0; i < fields.size(); ++i) file.column_indices.push_back(static_cast<int>(i));
  file.field_ids = std::move(fields);
  return file;
}

TEST(ApplyDelete, TakesDeletionFilesOnlyAndDropsFragments) {
  Manifest newest = Stamped({0, 1, 2});
  Fragment updated = WithDeletions(SampleFragment(1, "another.lance"), 3);

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, Delete{.updated_fragments = {updated}, .deleted_fragment_ids = {0}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(1, 2));
  EXPECT_EQ(next.fragments[0].deletion_file, updated.deletion_file);
  EXPECT_EQ(next.fragments[0].files, newest.fragments[1].files);
  EXPECT_EQ(next.fragments[0].metadata, newest.fragments[1].metadata);
  EXPECT_EQ(next.fragments[0].clustering_id, newest.fragments[1].clustering_id);
  EXPECT_EQ(next.reader_feature_flags & kDeletionFilesFlag, kDeletionFilesFlag);
  EXPECT_EQ(next.writer_feature_flags & kDeletionFilesFlag, kDeletionFilesFlag);
  EXPECT_EQ(next.max_fragment_id, 2u);
}

TEST(ApplyDelete, NeverBringsRowsBack) {
  Manifest newest = SampleManifest({0});
  newest.fragments[0] = WithDeletions(newest.fragments[0], 5);

  EXPECT_THAT(Build(newest, Delete{.updated_fragments = {WithDeletions(SampleFragment(0), 4)}}),
              IsInvalid(HasSubstr("would have 4 deleted rows; it has 5 of 10")));
}

TEST(ApplyDelete, OfAFragmentThatIsGoneCanBeTriedAgain) {
  EXPECT_THAT(
      Build(SampleManifest({0}), Delete{.deleted_fragment_ids = {9}}),
      AllOf(IsAlreadyExists(HasSubstr("fragment 9 is not there")), HasDetail<CommitConflict>()));
}

TEST(ApplyUpdate, GivesNewFragmentsIdsAndNoStamp) {
  Manifest newest = Stamped({0, 1});
  Fragment added = newest.fragments[0];
  added.id = 0;
  added.files[0].path = "new.lance";

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, Update{.removed_fragment_ids = {0},
                           .updated_fragments = {WithDeletions(newest.fragments[1], 1)},
                           .new_fragments = {added}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(1, 2));
  EXPECT_TRUE(next.fragments[0].clustering_id.has_value());
  EXPECT_FALSE(next.fragments[1].clustering_id.has_value());
}

TEST(ApplyUpdate, OfAKeyColumnTakesStampAndCoverageButNotTheMetadata) {
  Manifest newest = Stamped({0, 1});
  newest.indices = {SampleIndex("i", 1, {0, 1}), SampleIndex("j", 2, {0, 1}),
                    SampleIndex("k", 3, {1})};
  newest.indices[0].details_type_url = "/lance.table.BTreeIndexDetails";
  Fragment changed = newest.fragments[0];
  changed.files[0].field_ids = {-2, 1};
  changed.files.push_back(FileOf("new.lance", {0}));

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(newest, Update{.updated_fragments = {changed},
                                                  .fields_modified = {0},
                                                  .mode = UpdateMode::kRewriteColumns}));

  EXPECT_FALSE(next.fragments[0].clustering_id.has_value());
  EXPECT_EQ(next.fragments[0].metadata, newest.fragments[0].metadata);
  EXPECT_TRUE(next.fragments[1].clustering_id.has_value());
  EXPECT_EQ(next.indices[0].fragment_bitmap, RoaringBitmap({1}).Serialize());
  // A zonemap keeps zones of fragments that it does not cover, which would come back.
  EXPECT_EQ(next.indices[1].fragment_bitmap, RoaringBitmap().Serialize());
  EXPECT_EQ(next.indices[2].fragment_bitmap, RoaringBitmap({1}).Serialize());
}

/// A table with stable row ids, two fragments and one index of each domain; rows of fragment 0 were
/// written again as a new fragment, and field 1 changed.
struct MovedRows {
  Manifest newest = SampleManifest({0, 1});
  Update update;

  explicit MovedRows(const std::vector<uint32_t>& coverage, uint64_t num_ids = 10) {
    newest.reader_feature_flags |= kStableRowIdsFlag;
    newest.writer_feature_flags |= kStableRowIdsFlag;
    newest.next_row_id = 20;
    for (Fragment& fragment : newest.fragments) {
      fragment.row_ids = StoreInline(Ids(fragment.id * 10, 10));
    }
    const auto add = [&](const std::string& type, int32_t field_id, int32_t version) {
      IndexMetadata index = SampleIndex(type, static_cast<uint8_t>(newest.indices.size()), coverage);
      index.details_type_url = "/lance.table." + type + "IndexDetails";
      index.field_ids = {field_id};
      index.index_version = version;
      newest.indices.push_back(index);
    };
    add("Bitmap", 0, 0);
    add("BTree", 0, 0);
    add("LabelList", 1, 1);
    add("BTree", 0, 1);
    add("ZoneMap", 0, 0);
    Fragment added = SampleFragment(0, "new.lance");
    added.row_ids = StoreInline(Ids(0, num_ids));
    update = {.removed_fragment_ids = {0},
              .new_fragments = {added},
              .fields_for_preserving_frag_bitmap = {1}};
  }

  static RowIdSequence Ids(uint64_t first, uint64_t count) {
    RowIdSequence ids;
    ids.Append(first, count);
    return ids;
  }

  /// Which of the indices cover the new fragment.
  std::vector<bool> Covered() const {
    const Manifest next = Build(newest, update).ValueOrDie();
    std::vector<bool> covered;
    for (const IndexMetadata& index : next.indices) {
      covered.push_back(index.Coverage().ValueOrDie()->Contains(2));
    }
    return covered;
  }
};

TEST(ApplyUpdate, LetsIndicesOverIdsCoverRowsThatMovedUnlessTheirFieldChanged) {
  EXPECT_THAT(MovedRows({0, 1}).Covered(), ElementsAre(true, true, false, false, false));
}

TEST(ApplyUpdate, CoversNothingThatCanComeFromFragmentsThatAreNotCovered) {
  EXPECT_THAT(MovedRows({1}).Covered(), ElementsAre(false, false, false, false, false));
}

TEST(ApplyUpdate, CoversNoFragmentWithRowsThatAreNew) {
  EXPECT_THAT(MovedRows({0, 1}, 9).Covered(), ElementsAre(false, false, false, false, false));
}

TEST(ApplyUpdate, CoversNoRowsThatStayWhereTheyAre) {
  MovedRows moved({0, 1});
  moved.update.mode = UpdateMode::kRewriteColumns;
  EXPECT_THAT(moved.Covered(), ElementsAre(false, false, false, false, false));
}

TEST(ApplyDataReplacement, TakesThePlaceOfAFileWithTheSameFields) {
  Manifest newest = SampleManifest({0, 1});

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, DataReplacement{.groups = {{1, FileOf("new.lance", {0, 1})}}}));

  ASSERT_EQ(next.fragments[1].files.size(), 1u);
  EXPECT_EQ(next.fragments[1].files[0].path, "new.lance");
  EXPECT_EQ(next.fragments[0].files, newest.fragments[0].files);
}

TEST(ApplyDataReplacement, StrikesFieldsOutOfOlderFiles) {
  const Manifest newest = Stamped({0});

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, DataReplacement{.groups = {{0, FileOf("new.lance", {1})}}}));

  ASSERT_EQ(next.fragments[0].files.size(), 2u);
  EXPECT_THAT(next.fragments[0].files[0].field_ids, ElementsAre(0, -2));
  EXPECT_TRUE(next.fragments[0].clustering_id.has_value());  // field 0 stayed
}

TEST(ApplyMerge, AddsFilesAndFieldsAndKeepsTheRest) {
  const Manifest newest = Stamped({0, 1});
  Merge merge{
      .fragments = newest.fragments, .schema = newest.schema, .preserves_nullability = true};
  merge.schema.fields.push_back({.name = "x", .id = 5, .logical_type = "int64"});
  merge.fragments[0].files.push_back(FileOf("new.lance", {5}));

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, merge));

  EXPECT_EQ(next.schema, merge.schema);
  EXPECT_EQ(next.fragments[0].files, merge.fragments[0].files);
  EXPECT_EQ(next.fragments[0].clustering_id, newest.fragments[0].clustering_id);
  EXPECT_EQ(next.clustering, newest.clustering);
}

TEST(ApplyMerge, RefusesAFieldIdThatWasUsed) {
  Manifest newest = SampleManifest({0});
  newest.fragments[0].files[0].field_ids = {0, 7};
  Merge merge{.fragments = newest.fragments, .schema = newest.schema};
  merge.schema.fields.push_back({.name = "x", .id = 7, .logical_type = "int64"});

  EXPECT_THAT(Build(newest, merge), IsInvalid(HasSubstr("has id 7; allowed: 8 and up")));
}

TEST(ApplyMerge, WithoutAFragmentThatIsThereCanBeTriedAgain) {
  const Manifest newest = SampleManifest({0, 1});

  EXPECT_THAT(Build(newest, Merge{.fragments = {newest.fragments[0]}, .schema = newest.schema}),
              AllOf(IsAlreadyExists(HasSubstr("fragment 1")), HasDetail<CommitConflict>()));
}

TEST(ApplyProject, DropsFilesThatHoldNothingAnyMore) {
  Manifest newest = SampleManifest({0});
  newest.fragments[0].files.push_back(FileOf("s.lance", {2}));
  newest.schema.metadata = {{"k", "v"}};
  newest.indices = {SampleIndex("on_a", 1, {0}), SampleIndex("on_s", 2, {0})};
  newest.indices[1].field_ids = {2};
  Project project{.schema = newest.schema, .preserves_nullability = true};
  project.schema.fields.erase(project.schema.fields.begin() + 2);
  project.schema.metadata.clear();

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, project));

  EXPECT_EQ(next.fragments[0].files.size(), 1u);
  EXPECT_EQ(next.schema.FindById(2), nullptr);
  EXPECT_EQ(next.schema.metadata, newest.schema.metadata);
  ASSERT_EQ(next.indices.size(), 1u);
  EXPECT_EQ(next.indices[0].name, "on_a");
}

TEST(ApplyProject, RefusesAnotherType) {
  const Manifest newest = SampleManifest({0});
  Project project{.schema = newest.schema};
  project.schema.fields[0].logical_type = "int32";

  EXPECT_THAT(Build(newest, project), IsInvalid(HasSubstr("from int64 to int32")));
}

TEST(ApplyUpdateBases, RefusesAPathThatIsThere) {
  Manifest newest = SampleManifest({0});
  newest.base_paths = {{.id = 4, .name = "n", .path = "/p"}};

  EXPECT_THAT(Build(newest, UpdateBases{.new_bases = {{.name = "m", .path = "/p"}}}),
              IsInvalid(HasSubstr("base 4 (/p)")));
}

TEST(ApplyUpdateBases, RefusesPlacesThatAreNotAbsolute) {
  EXPECT_THAT(Build(SampleManifest({0}), UpdateBases{.new_bases = {{.name = "m", .path = ""}}}),
              IsInvalid(HasSubstr("is empty")));
  EXPECT_THAT(Build(SampleManifest({0}), UpdateBases{.new_bases = {{.name = "m", .path = "p"}}}),
              testing::IsNotImplemented(HasSubstr("is relative")));
}

TEST(ApplyUpdateBases, GivesTheSmallestFreeIdsAndSetsTheFlag) {
  Manifest newest = SampleManifest({0});
  newest.base_paths = {{.id = 0, .path = "/clone"}, {.id = 2, .name = "n", .path = "/p"}};
  newest.fragments[0].files[0].base_id = 2;

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, UpdateBases{.new_bases = {{.name = "a", .path = "/a"},
                                              {.id = 9, .name = "b", .path = "file:///b"},
                                              {.name = "c", .path = "/c"}}}));

  std::vector<uint32_t> ids;
  for (const BasePath& base : next.base_paths) ids.push_back(base.id);
  EXPECT_THAT(ids, ElementsAre(0, 2, 1, 9, 3));
  EXPECT_EQ(next.fragments, newest.fragments);
  EXPECT_EQ(next.reader_feature_flags & 16, 16u);
  EXPECT_EQ(next.writer_feature_flags & 16, 16u);
}

TEST(ApplyRestore, KeepsTheHighestIdsEverUsed) {
  Manifest old = SampleManifest({0});
  Manifest newest = Stamped({1, 8});
  newest.version = 6;
  newest.next_row_id = 50;

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, Restore{.version = 1}, &old));

  EXPECT_EQ(next.version, 7u);
  EXPECT_THAT(IdsOf(next), ElementsAre(0));
  EXPECT_EQ(next.max_fragment_id, 8u);
  EXPECT_EQ(next.next_row_id, 50u);
  EXPECT_THAT(next.clustering, IsEmpty());
  EXPECT_EQ(next.max_clustering_id, newest.max_clustering_id);
  EXPECT_EQ(next.table_metadata.at("lance.liquid-clustering.max_clustering_id"), "1");
  EXPECT_EQ(next.table_metadata.at("lance.liquid-clustering.max_version"), "1");
}

TEST(FieldIds, AreNeverUsedAgainWhereTheTableCounts) {
  Manifest newest = SampleManifest({0});
  newest.max_allocated_field_id = 9;
  Merge merge{.fragments = newest.fragments, .schema = newest.schema};
  merge.schema.fields.push_back({.name = "x", .id = 10, .logical_type = "int64"});

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, merge));

  EXPECT_EQ(next.max_allocated_field_id, 10);
  EXPECT_EQ(next.writer_feature_flags & kFieldIdsNeverReusedFlag, kFieldIdsNeverReusedFlag);
  EXPECT_THAT(Build(newest, Overwrite{.schema = SampleSchema()}),
              IsInvalid(HasSubstr("handed out before; allowed: above 9")));
}

}  // namespace
}  // namespace lance::table
