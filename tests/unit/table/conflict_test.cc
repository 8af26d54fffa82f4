#include "lance/table/conflict.h"

#include <gtest/gtest.h>

#include <array>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsSerializationError;

ForeignOperation Foreign(uint32_t field_number, std::vector<uint64_t> touched = {},
                         std::vector<int32_t> written = {}, bool preserves_nullability = false) {
  return {.field_number = field_number,
          .name = "x",
          .touched_fragment_ids = std::move(touched),
          .written_field_ids = std::move(written),
          .preserves_nullability = preserves_nullability};
}

Rewrite RewriteOf(uint64_t old_id) {
  return {.groups = {{{SampleFragment(old_id)}, {SampleFragment(100 + old_id)}}}};
}

CreateIndex AddIndex(const std::string& name, uint8_t uuid, std::vector<uint32_t> covered) {
  return {.new_indices = {SampleIndex(name, uuid, std::move(covered))}};
}

constexpr uint32_t kDelete = 101;
constexpr uint32_t kMerge = 105;
constexpr uint32_t kRestore = 106;
constexpr uint32_t kUpdate = 108;
constexpr uint32_t kProject = 109;
constexpr uint32_t kDataReplacement = 111;
constexpr uint32_t kMemWal = 112;
constexpr uint32_t kClone = 113;
constexpr uint32_t kUpdateBases = 114;
constexpr uint32_t kDataOverlay = 115;

char Letter(const Operation& ours, const Operation& theirs) {
  const auto verdict = CheckConflict(ours, theirs);
  if (!verdict.ok()) return '!';
  EXPECT_EQ(verdict->reason.empty(), verdict->compatibility == Compatibility::kCompatible);
  switch (verdict->compatibility) {
    case Compatibility::kCompatible:
      return '.';
    case Compatibility::kRetryable:
      return 'R';
    case Compatibility::kIncompatible:
      return 'X';
  }
  return '?';
}

// One operation of every kind that has nothing in common with any other: the unconditional cells.
std::vector<Operation> DisjointTheirs() {
  return {Append{},
          Foreign(kDelete, {50}),
          Foreign(kUpdate, {51}),
          Overwrite{},
          AddIndex("other", 9, {52}),
          RewriteOf(53),
          Foreign(kMerge, {}, {}, true),
          Foreign(kProject, {}, {}, true),
          Foreign(kRestore),
          ReserveFragments{1},
          SetConfig({{"theirs", "1"}}),
          Foreign(kDataReplacement, {54}, {99}),
          Foreign(kMemWal),
          Foreign(kClone),
          Foreign(kUpdateBases),
          Foreign(kDataOverlay, {55}),
          Foreign(116),
          Foreign(0)};
}

struct RowCase {
  std::string name;
  Operation ours;
  std::string letters;  // in the order of DisjointTheirs
};

class ConflictRowTest : public ::testing::TestWithParam<RowCase> {};

TEST_P(ConflictRowTest, GivesTheUnconditionalCells) {
  std::string letters;
  for (const Operation& theirs : DisjointTheirs()) letters += Letter(GetParam().ours, theirs);

  EXPECT_EQ(letters, GetParam().letters);
}

//                  Append Delete Update Overwrite CreateIndex Rewrite Merge Project Restore Reserve
//                  UpdateConfig DataReplacement MemWal Clone UpdateBases Overlay unknown none
INSTANTIATE_TEST_SUITE_P(All, ConflictRowTest,
                         ::testing::ValuesIn<RowCase>({
                             {"Append", Append{}, "...X....X...X...XX"},
                             {"Overwrite", Overwrite{}, "...R........X...XX"},
                             {"CreateIndex", AddIndex("mine", 1, {1}), "...X....X...X...XX"},
                             {"Rewrite", RewriteOf(1), "...X..R.X.......XX"},
                             {"ReserveFragments", ReserveFragments{1}, "...X....X.......XX"},
                             {"UpdateConfig", SetConfig({{"ours", "1"}}), "................XX"},
                             {"Foreign", Foreign(kDelete), "XXXXXXXXXXXXXXXXXX"},
                         }),
                         [](const auto& test) { return test.param.name; });

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
        {"N1MergeMayBeStricter", Append{}, Foreign(kMerge), 'R'},
        {"N1ProjectMayBeStricter", Append{}, Foreign(kProject), 'R'},
        {"FRewriteSameFragmentAsDelete", RewriteOf(1), Foreign(kDelete, {3, 1}), 'R'},
        {"FRewriteSameFragmentAsUpdate", RewriteOf(1), Foreign(kUpdate, {1}), 'R'},
        {"FRewriteSameFragmentAsRewrite", RewriteOf(1), RewriteOf(1), 'R'},
        {"FRewriteSameFragmentAsReplacement", RewriteOf(1), Foreign(kDataReplacement, {1}), 'R'},
        {"FRewriteSameFragmentAsOverlay", RewriteOf(1), Foreign(kDataOverlay, {1}), 'R'},
        {"FNewFragmentsDoNotCount", RewriteOf(1), Foreign(kDelete, {101}), '.'},
        {"C1SameKey", kOverwriteKey, kOverwriteKey, 'X'},
        {"C1OtherKey", kOverwriteKey, Overwrite{.config_upsert_values = {{"o", "1"}}}, 'R'},
        {"C2SameKey", kOverwriteKey, SetConfig({{"k", "2"}}), 'X'},
        {"C2DeletedKey", kOverwriteKey, Unset("k"), 'X'},
        {"C2OtherKey", kOverwriteKey, SetConfig({{"o", "2"}}), '.'},
        {"C2Replacement", kOverwriteKey, ReplaceConfig(), 'X'},
        {"C3Schema", Schema(), Foreign(kMerge), 'R'},
        {"C3Field", OfField(0), Foreign(kMerge), 'R'},
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
        {"C6Schema", Schema(), Foreign(kRestore), 'X'},
        {"C6Field", OfField(1), Foreign(kRestore), 'X'},
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
        {"I3SameField", AddIndex("i", 1, {1}), Foreign(kDataReplacement, {9}, {0}), 'R'},
        {"I3CoveredFragment", AddIndex("i", 1, {9}), Foreign(kDataReplacement, {9}, {7}), 'R'},
        {"I4CoversASource", RewriteOf(2), AddIndex("i", 1, {2}), 'R'},
        {"I4UnknownCoverage", RewriteOf(2),
         CreateIndex{.new_indices = {Uncovered(SampleIndex("i", 1, {}))}}, 'R'},
        {"I4OnlyDrops", RewriteOf(2), DropIndex("i", 1), '.'},
        {"I4ReuseTrimmed", RewriteOf(2), ReplaceIndex("__lance_frag_reuse", 1, 2), '.'},
        {"I4ReuseDropped", RewriteOf(2), DropIndex("__lance_frag_reuse", 1), 'X'},
        {"M1MemWal", AddIndex("__lance_mem_wal", 1, {}), Foreign(kMerge), 'R'},
        {"PValuesOfACoveredFragment", AddIndex("i", 1, {4}), Foreign(kUpdate, {4}, {7}), 'R'},
        {"PValuesOfAnotherFragment", AddIndex("i", 1, {4}), Foreign(kUpdate, {5}, {7}), '.'},
        {"PMovedRowsOnly", AddIndex("i", 1, {4}), Foreign(kUpdate, {4}, {}), '.'},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckConflict, ReportsACorruptCoverage) {
  CreateIndex theirs = AddIndex("i", 1, {});
  theirs.new_indices[0].fragment_bitmap = "garbage";

  EXPECT_THAT(CheckConflict(RewriteOf(1), theirs), IsSerializationError());
}

}  // namespace
}  // namespace lance::table
