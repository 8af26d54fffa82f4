#include "lance/table/conflict.h"

#include <gtest/gtest.h>

#include <array>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsSerializationError;

Delete DeleteIn(std::vector<uint64_t> ids, std::vector<uint64_t> removed = {}) {
  Delete deletion{.deleted_fragment_ids = std::move(removed)};
  for (const uint64_t id : ids) deletion.updated_fragments.push_back(SampleFragment(id));
  return deletion;
}

Update UpdateIn(std::vector<uint64_t> ids, std::vector<int32_t> fields = {}) {
  Update update{.fields_modified = std::move(fields)};
  for (const uint64_t id : ids) update.updated_fragments.push_back(SampleFragment(id));
  return update;
}

Update Moving(Update update) {
  update.new_fragments = {SampleFragment(0)};
  return update;
}

Update Inserting(Update update) {
  update.inserted_rows = "filter";
  return update;
}

DataReplacement Replace(uint64_t fragment_id, int32_t field_id) {
  return {.groups = {{fragment_id, {.path = "r.lance", .field_ids = {field_id}}}}};
}

ForeignOperation Overlay(uint64_t fragment_id, int32_t field_id) {
  return {.field_number = 115, .name = "DataOverlay", .overlaid = {{fragment_id, {field_id}}}};
}

UpdateBases AddBase(BasePath base) { return {.new_bases = {std::move(base)}}; }

Rewrite RewriteOf(uint64_t old_id) {
  return {.groups = {{{SampleFragment(old_id)}, {SampleFragment(100 + old_id)}}}};
}

CreateIndex AddIndex(const std::string& name, uint8_t uuid, std::vector<uint32_t> covered) {
  return {.new_indices = {SampleIndex(name, uuid, std::move(covered))}};
}

char Letter(const Operation& ours, const Operation& theirs) {
  const auto verdict = CheckConflict(ours, theirs);
  if (!verdict.ok()) return '!';
  EXPECT_EQ(verdict->reason.empty(), verdict->compatibility == Compatibility::kCompatible);
  return std::string_view(".BRX")[static_cast<size_t>(verdict->compatibility)];
}

UpdateConfig Schema() { return {.schema_metadata = UpdateMap{}}; }

UpdateConfig OfField(int32_t id) { return {.field_metadata = {{id, UpdateMap{}}}}; }

UpdateConfig OfTable(const std::string& key, bool replace = false) {
  UpdateConfig update;
  update.table_metadata = UpdateMap{.entries = {{key, "v"}}, .replace = replace};
  return update;
}

UpdateConfig Unset(const std::string& key) {
  UpdateConfig update;
  update.config = UpdateMap{.entries = {{key, std::nullopt}}};
  return update;
}

UpdateConfig ReplaceConfig() {
  UpdateConfig update;
  update.config = UpdateMap{.replace = true};
  return update;
}

CreateIndex DropIndex(const std::string& name, uint8_t uuid) {
  return {.removed_indices = {SampleIndex(name, uuid, {})}};
}

CreateIndex ReplaceIndex(const std::string& name, uint8_t old_uuid, uint8_t new_uuid) {
  return {.new_indices = {SampleIndex(name, new_uuid, {1})},
          .removed_indices = {SampleIndex(name, old_uuid, {1})}};
}

IndexMetadata Uncovered(IndexMetadata index) {
  index.fragment_bitmap.clear();
  return index;
}

const Overwrite kOverwriteKey{.config_upsert_values = {{"k", "1"}}};

struct NoteCase {
  std::string name;
  Operation ours;
  Operation theirs;
  char expected;
};

class ConflictNoteTest : public ::testing::TestWithParam<NoteCase> {};

TEST_P(ConflictNoteTest, Decides) {
  EXPECT_EQ(Letter(GetParam().ours, GetParam().theirs), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, ConflictNoteTest,
    ::testing::ValuesIn<NoteCase>({
        {"N1MergeMayBeStricter", Append{}, Merge{}, 'R'},
        {"N1ProjectMayBeStricter", Append{}, Project{}, 'R'},
        {"FRewriteSameFragmentAsDelete", RewriteOf(1), DeleteIn({3, 1}), 'R'},
        {"FRewriteSameFragmentAsUpdate", RewriteOf(1), UpdateIn({1}), 'R'},
        {"FRewriteSameFragmentAsRewrite", RewriteOf(1), RewriteOf(1), 'R'},
        {"FRewriteSameFragmentAsReplacement", RewriteOf(1), Replace(1, 0), 'R'},
        {"FRewriteSameFragmentAsOverlay", RewriteOf(1), Overlay(1, 0), 'R'},
        {"FNewFragmentsDoNotCount", RewriteOf(1), DeleteIn({101}), '.'},
        {"C1SameKey", kOverwriteKey, kOverwriteKey, 'X'},
        {"C1OtherKey", kOverwriteKey, Overwrite{.config_upsert_values = {{"o", "1"}}}, 'R'},
        {"C2SameKey", kOverwriteKey, SetConfig({{"k", "2"}}), 'X'},
        {"C2DeletedKey", kOverwriteKey, Unset("k"), 'X'},
        {"C2OtherKey", kOverwriteKey, SetConfig({{"o", "2"}}), '.'},
        {"C2Replacement", kOverwriteKey, ReplaceConfig(), 'X'},
        {"C3Schema", Schema(), Merge{}, 'R'},
        {"C3Field", OfField(0), Merge{}, 'R'},
        {"C4Schema", Schema(), Overwrite{}, 'X'},
        {"C4Field", OfField(0), Overwrite{}, 'X'},
        {"C4SameKey", SetConfig({{"k", "2"}}), kOverwriteKey, 'X'},
        {"C4DeletedKey", Unset("k"), kOverwriteKey, 'X'},
        {"C4TableMetadata", OfTable("k"), kOverwriteKey, '.'},
        {"C5SameKey", SetConfig({{"k", "1"}}), SetConfig({{"k", "2"}}), 'X'},
        {"C5WeSetTheyDelete", SetConfig({{"k", "1"}}), Unset("k"), 'X'},
        {"C5WeDeleteTheySet", Unset("k"), SetConfig({{"k", "1"}}), 'X'},
        {"C5BothDelete", Unset("k"), Unset("k"), '.'},
        {"C5WeReplaceConfig", ReplaceConfig(), SetConfig({{"k", "1"}}), 'X'},
        {"C5TableKey", OfTable("a"), OfTable("a"), 'X'},
        {"C5OtherTableKey", OfTable("a"), OfTable("b"), '.'},
        {"C5WeReplaceTableMetadata", OfTable("a", true), OfTable("b"), 'X'},
        {"C5TheyReplaceTableMetadata", OfTable("a"), OfTable("b", true), 'X'},
        {"C5Schema", Schema(), Schema(), 'X'},
        {"C5SameField", OfField(1), OfField(1), 'X'},
        {"C5OtherField", OfField(1), OfField(2), '.'},
        {"C6Schema", Schema(), Restore{}, 'X'},
        {"C6Field", OfField(1), Restore{}, 'X'},
        {"I1SameName", AddIndex("i", 1, {1}), AddIndex("i", 2, {2}), 'R'},
        {"I1OtherName", AddIndex("i", 1, {1}), AddIndex("j", 2, {1}), '.'},
        {"I1BothWriteReuse", AddIndex("__lance_frag_reuse", 1, {}),
         DropIndex("__lance_frag_reuse", 2), 'R'},
        {"I1WeAddTheyRemoved", AddIndex("i", 1, {1}), DropIndex("i", 2), 'R'},
        {"I1WeReplaceTheyRemoved", ReplaceIndex("i", 3, 1), DropIndex("i", 2), '.'},
        {"I1WeRemoveTheyAdded", DropIndex("i", 2), AddIndex("i", 1, {1}), 'R'},
        {"I1BothReplaceOneSegment", ReplaceIndex("i", 3, 1), ReplaceIndex("j", 3, 2), 'R'},
        {"I1BothDropOneSegment", DropIndex("i", 3), DropIndex("i", 3), '.'},
        {"I2CoversARewrittenFragment", AddIndex("i", 1, {1, 2}), RewriteOf(2), 'R'},
        {"I2CoversOthers", AddIndex("i", 1, {1}), RewriteOf(2), '.'},
        {"I2UnknownCoverage", CreateIndex{.new_indices = {Uncovered(SampleIndex("i", 1, {}))}},
         RewriteOf(2), 'R'},
        {"I2OnlyDrops", DropIndex("i", 1), RewriteOf(2), '.'},
        {"I3SameField", AddIndex("i", 1, {1}), Replace(9, 0), 'R'},
        {"I3CoveredFragment", AddIndex("i", 1, {9}), Replace(9, 7), 'R'},
        {"I4CoversASource", RewriteOf(2), AddIndex("i", 1, {2}), 'R'},
        {"I4UnknownCoverage", RewriteOf(2),
         CreateIndex{.new_indices = {Uncovered(SampleIndex("i", 1, {}))}}, 'R'},
        {"I4OnlyDrops", RewriteOf(2), DropIndex("i", 1), '.'},
        {"I4ReuseTrimmed", RewriteOf(2), ReplaceIndex("__lance_frag_reuse", 1, 2), '.'},
        {"I4ReuseDropped", RewriteOf(2), DropIndex("__lance_frag_reuse", 1), 'X'},
        {"M1MemWal", AddIndex("__lance_mem_wal", 1, {}), Merge{}, 'R'},
        {"PValuesOfACoveredFragment", AddIndex("i", 1, {4}), UpdateIn({4}, {7}), 'R'},
        {"PValuesOfAnotherFragment", AddIndex("i", 1, {4}), UpdateIn({5}, {7}), '.'},
        {"AOtherFragment", DeleteIn({1}), DeleteIn({2}), '.'},
        {"ASameFragment", DeleteIn({1}), UpdateIn({2, 1}), 'B'},
        {"ATheyRemovedIt", DeleteIn({1}), DeleteIn({}, {1}), 'R'},
        {"AWeOnlyRemove", DeleteIn({}, {1}), DeleteIn({1}), 'R'},
        {"K1InsertsKeys", Inserting(UpdateIn({1})), Append{}, 'R'},
        {"K2BothInsertKeys", Inserting(UpdateIn({1})), Inserting(UpdateIn({2})), 'R'},
        {"K2OnlyWeInsertKeys", Inserting(UpdateIn({1})), UpdateIn({2}), 'R'},
        {"K2OnlyTheyInsertKeys", UpdateIn({1}), Inserting(UpdateIn({2})), '.'},
        {"K2AgainstADelete", Inserting(UpdateIn({1})), DeleteIn({2}), '.'},
        {"K3DropsAField", UpdateIn({1}, {7}),
         Project{.schema = SampleSchema(), .preserves_nullability = true}, 'R'},
        {"K3KeepsTheField", UpdateIn({1}, {1}),
         Project{.schema = SampleSchema(), .preserves_nullability = true}, '.'},
        {"N1OurProjectMayBeStricter", Project{}, Append{}, 'R'},
        {"D1DeletesRows", Replace(1, 0), DeleteIn({1}), '.'},
        {"D1RemovesTheFragment", Replace(1, 0), DeleteIn({}, {1}), 'X'},
        {"D2SameField", Replace(1, 0), UpdateIn({1}, {0}), 'R'},
        {"D2OtherField", Replace(1, 0), UpdateIn({1}, {1}), '.'},
        {"D2MovesRows", Replace(1, 0), Moving(UpdateIn({1})), 'R'},
        {"D2MovesRowsElsewhere", Replace(1, 0), Moving(UpdateIn({2})), '.'},
        {"D3DropsTheField", Replace(1, 9),
         Project{.schema = SampleSchema(), .preserves_nullability = true}, 'X'},
        {"D3MayBeStricter", Replace(1, 0), Project{.schema = SampleSchema()}, 'R'},
        {"D4SameFragmentOtherField", Replace(1, 0), Replace(1, 1), '.'},
        {"D4OtherFragment", Replace(1, 0), Replace(2, 0), '.'},
        {"B1SameId", AddBase({.id = 3, .path = "a"}), AddBase({.id = 3, .path = "b"}), 'X'},
        {"B1SameName", AddBase({.name = "n", .path = "a"}), AddBase({.name = "n", .path = "b"}),
         'X'},
        {"B1NoNames", AddBase({.path = "a"}), AddBase({.path = "b"}), '.'},
        {"O1MovesRows", Moving(UpdateIn({1})), Overlay(1, 0), 'R'},
        {"O1DeletesRows", UpdateIn({1}), Overlay(1, 0), '.'},
        {"O3MovesRows", Overlay(1, 0), Moving(UpdateIn({1})), 'R'},
        {"O3DeletesRows", Overlay(1, 0), UpdateIn({1}), '.'},
        {"PMovedRowsOnly", AddIndex("i", 1, {4}), UpdateIn({4}, {}), '.'},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckConflict, ReportsACorruptCoverage) {
  CreateIndex theirs = AddIndex("i", 1, {});
  theirs.new_indices[0].fragment_bitmap = "garbage";

  EXPECT_THAT(CheckConflict(RewriteOf(1), theirs), IsSerializationError());
}

}  // namespace
}  // namespace lance::table
