#include "lance/table/row_lineage.h"

#include <gtest/gtest.h>

#include "lance/base/roaring_bitmap.h"
#include "lance/table/build_manifest.h"
#include "lance/table/feature_flags.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsCapacityError;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const BuildInput kInput{.now = Timestamp(std::chrono::seconds(77)), .transaction_file = "x.txn"};

arrow::Result<Manifest> Build(const Manifest& newest, Operation operation) {
  return BuildManifest(newest, SampleTransaction(newest.version, std::move(operation)), kInput);
}

Fragment NewFragment(const std::string& file, uint64_t rows) {
  return SampleFragment(0, file, rows);
}

RowIdSequence Ids(const std::vector<uint64_t>& ids) {
  RowIdSequence sequence;
  for (const uint64_t id : ids) sequence.Append(id, 1);
  return sequence;
}

/// Version 1 of a table with stable row ids and two fragments of 3 rows.
Manifest Created() {
  Manifest none;
  none.version = 0;
  auto created =
      Build(none, Overwrite{.fragments = {NewFragment("a.lance", 3), NewFragment("b.lance", 3)},
                            .schema = SampleSchema(),
                            .enable_stable_row_ids = true});
  EXPECT_TRUE(created.ok()) << created.status();
  return *created;
}

std::vector<uint64_t> IdsOf(const Fragment& fragment) {
  const auto parsed = RowIdSequence::Parse(fragment.row_ids.bytes, fragment.physical_rows);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  std::vector<uint64_t> ids;
  for (uint64_t row = 0; row < fragment.physical_rows; ++row) ids.push_back(parsed->IdOf(row));
  return ids;
}

std::vector<uint64_t> VersionsOf(const StoredSequence& stored, const Fragment& fragment) {
  const auto parsed = VersionSequence::Parse(stored.bytes, fragment.physical_rows);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  std::vector<uint64_t> versions;
  for (uint64_t row = 0; row < fragment.physical_rows; ++row) {
    versions.push_back(parsed->VersionOf(row));
  }
  return versions;
}

std::vector<uint64_t> CreatedAt(const Fragment& fragment) {
  return VersionsOf(fragment.created_at_versions, fragment);
}

std::vector<uint64_t> UpdatedAt(const Fragment& fragment) {
  return VersionsOf(fragment.last_updated_at_versions, fragment);
}

TEST(RowLineage, NumbersTheRowsOfANewTable) {
  const Manifest created = Created();

  EXPECT_TRUE(HasStableRowIds(created));
  EXPECT_EQ(created.next_row_id, 6u);
  EXPECT_THAT(IdsOf(created.fragments[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(IdsOf(created.fragments[1]), ElementsAre(3, 4, 5));
  EXPECT_THAT(CreatedAt(created.fragments[1]), ElementsAre(1, 1, 1));
  EXPECT_THAT(UpdatedAt(created.fragments[1]), ElementsAre(1, 1, 1));
}

TEST(RowLineage, GoesOnBehindWhatWasUsed) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest appended,
                             Build(Created(), Append{{NewFragment("c.lance", 2)}}));
  EXPECT_THAT(IdsOf(appended.fragments[2]), ElementsAre(6, 7));
  EXPECT_THAT(CreatedAt(appended.fragments[2]), ElementsAre(2, 2));

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest overwritten,
                             Build(appended, Overwrite{.fragments = {NewFragment("d.lance", 1)},
                                                       .schema = SampleSchema()}));
  EXPECT_THAT(IdsOf(overwritten.fragments[0]), ElementsAre(8));
  EXPECT_TRUE(HasStableRowIds(overwritten));
}

TEST(RowLineage, CannotBeChosenLater) {
  EXPECT_THAT(
      Build(SampleManifest({0}),
            Overwrite{.fragments = {}, .schema = SampleSchema(), .enable_stable_row_ids = true}),
      IsInvalid(HasSubstr("only be chosen when a table is created")));
}

TEST(RowLineage, KeepsIdsOfMovedRowsAndNumbersTheOthers) {
  const Manifest created = Created();
  Fragment moved = NewFragment("c.lance", 4);
  moved.row_ids = StoreInline(Ids({4, 1}));
  moved.created_at_versions = StoreInline(VersionSequence::Of(1, 2));
  Update update{.removed_fragment_ids = {0, 1}, .new_fragments = {moved}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest updated, Build(created, update));

  const Fragment& fragment = updated.fragments[0];
  EXPECT_THAT(IdsOf(fragment), ElementsAre(4, 1, 6, 7));
  EXPECT_THAT(CreatedAt(fragment), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(UpdatedAt(fragment), ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(updated.next_row_id, 8u);

  update.new_fragments[0].row_ids = StoreInline(Ids({0, 1, 2, 3, 4}));
  EXPECT_THAT(Build(created, update), IsSerializationError(HasSubstr("more rows than")));
  update.new_fragments[0].row_ids = StoreInline(Ids({4}));
  EXPECT_THAT(Build(created, update), IsInvalid(HasSubstr("for 2 rows; allowed: 1")));
}

TEST(RowLineage, TakesWhatARewriteCarries) {
  const Manifest created = Created();
  Fragment rewritten = NewFragment("c.lance", 6);
  rewritten.id = 9;
  Rewrite rewrite{.groups = {{.old_fragments = created.fragments, .new_fragments = {rewritten}}}};
  EXPECT_THAT(Build(created, rewrite), IsInvalid(HasSubstr("names the row ids of 0 of 6 rows")));

  Fragment& carried = rewrite.groups[0].new_fragments[0];
  carried.row_ids = StoreInline(Ids({5, 4, 3, 2, 1, 0}));
  carried.created_at_versions = StoreInline(VersionSequence::Of(1, 6));
  carried.last_updated_at_versions = carried.created_at_versions;
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(created, rewrite));
  EXPECT_THAT(IdsOf(next.fragments[0]), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(UpdatedAt(next.fragments[0]), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_EQ(next.next_row_id, 6u);
}

TEST(RowLineage, MarksRowsThatAreChangedInPlace) {
  const Manifest created = Created();
  Fragment changed = created.fragments[0];
  changed.row_ids = {};  // a writer that forgets them changes nothing
  changed.files[0].field_ids = {0, -2};
  changed.files.push_back({.path = "n.lance", .field_ids = {1}, .column_indices = {0}});
  Update update{
      .updated_fragments = {changed}, .fields_modified = {1}, .mode = UpdateMode::kRewriteColumns};
  RoaringBitmap offsets;
  offsets.Add(1);
  update.updated_offsets[0] = offsets.Serialize();

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest updated, Build(created, update));
  EXPECT_THAT(IdsOf(updated.fragments[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(CreatedAt(updated.fragments[0]), ElementsAre(1, 1, 1));
  EXPECT_THAT(UpdatedAt(updated.fragments[0]), ElementsAre(1, 2, 1));

  offsets.Add(3);
  update.updated_offsets[0] = offsets.Serialize();
  EXPECT_THAT(Build(created, update), IsInvalid(HasSubstr("row 3 was changed; it has 3")));
  update.updated_offsets[0] = "nonsense";
  EXPECT_THAT(Build(created, update), IsSerializationError());
}

TEST(RowLineage, MarksAllRowsWhoseFilesAreReplaced) {
  const Manifest created = Created();
  DataReplacement replacement{
      .groups = {{.fragment_id = 1,
                  .new_file = {.path = "n.lance", .field_ids = {1}, .column_indices = {0}}}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest replaced, Build(created, replacement));
  EXPECT_THAT(UpdatedAt(replaced.fragments[0]), ElementsAre(1, 1, 1));
  EXPECT_THAT(UpdatedAt(replaced.fragments[1]), ElementsAre(2, 2, 2));
  EXPECT_THAT(IdsOf(replaced.fragments[1]), ElementsAre(3, 4, 5));
}

TEST(RowLineage, SaysWhenIdsAreExhausted) {
  Manifest created = Created();
  created.next_row_id = ~uint64_t{0} - 2;
  EXPECT_THAT(Build(created, Append{{NewFragment("c.lance", 2)}}), IsCapacityError());
  created.next_row_id = ~uint64_t{0} - 3;
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest last,
                             Build(created, Append{{NewFragment("c.lance", 2)}}));
  EXPECT_THAT(IdsOf(last.fragments[2]), ElementsAre(~uint64_t{0} - 3, ~uint64_t{0} - 2));
}

TEST(RowLineage, LeavesOtherTablesAlone) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest appended,
                             Build(SampleManifest({0}), Append{{NewFragment("c.lance", 2)}}));
  EXPECT_EQ(appended.fragments[1].row_ids, StoredSequence());
  EXPECT_EQ(appended.next_row_id, 0u);
}

}  // namespace
}  // namespace lance::table
