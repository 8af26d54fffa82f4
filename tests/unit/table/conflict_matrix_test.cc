#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "conflict_table.h"
#include "lance/table/conflict.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

/// How much a sample has in common with the other side.
struct Sample {
  bool collides = false;
  bool is_theirs = false;

  /// A number that both sides share when they collide, and nobody else has when they do not.
  uint64_t fragment() const { return collides ? 1 : (is_theirs ? 50 : 60); }
  int32_t field() const { return collides ? 0 : (is_theirs ? 20 : 30); }
  std::string name() const { return collides ? "same" : (is_theirs ? "theirs" : "ours"); }
};

/// The fragments that ours replaces or overlays, one of which theirs may have removed.
std::vector<uint64_t> ReplacedFragments(const Sample& sample) {
  return {sample.fragment(), sample.collides ? uint64_t{9} : sample.fragment() + 1};
}

/// Nobody removes a fragment that the other side deletes rows of: that is another case of note a.
std::vector<uint64_t> RemovedFragments(const Sample& sample) {
  if (!sample.is_theirs) return {};
  return {sample.collides ? uint64_t{9} : 70};
}

/// CompactedSsTable {shard_id {16 times the digit}, generation 5}.
std::string CompactedShard(const Sample& sample) {
  const char digit = sample.collides ? 's' : (sample.is_theirs ? 't' : 'o');
  return FromHex("0a 12 0a 10") + std::string(16, digit) + FromHex("10 05");
}

Operation SampleUpdate(const Sample& sample) {
  Update update{.removed_fragment_ids = RemovedFragments(sample),
                .updated_fragments = {SampleFragment(sample.fragment())},
                .fields_modified = {sample.field()},
                .mode = UpdateMode::kRewriteColumns,
                .compacted_sstables = {CompactedShard(sample)}};
  // Note k2 alone would hide note a.
  return update;
}

Operation SampleCreateIndex(const Sample& sample) {
  IndexMetadata index = SampleIndex(sample.name(), sample.is_theirs ? 1 : 2,
                                    {static_cast<uint32_t>(sample.fragment())});
  index.field_ids = {sample.field()};
  CreateIndex create{.new_indices = {index}};
  if (sample.collides) {
    IndexMetadata wal = SampleIndex("__lance_mem_wal", sample.is_theirs ? 3 : 4, {});
    const std::string shard = CompactedShard(sample);
    wal.details_value = FromHex("4a 16") + shard;
    create.new_indices.push_back(wal);
  }
  return create;
}

Operation SampleUpdateConfig(const Sample& sample) {
  UpdateConfig update = SetConfig({{sample.name(), "1"}});
  if (sample.collides) {
    update.schema_metadata = UpdateMap{};
    update.field_metadata[0] = UpdateMap{};
  }
  return update;
}

/// A schema that lacks the field of colliding samples and has all others.
format::LanceSchema SchemaWithoutField(const Sample& sample) {
  format::LanceSchema schema = SampleSchema();
  schema.fields.push_back({.name = "x", .id = 20, .logical_type = "int64"});
  schema.fields.push_back({.name = "y", .id = 30, .logical_type = "int64"});
  if (sample.collides) schema.fields.erase(schema.fields.begin());
  return schema;
}

Operation SampleDataReplacement(const Sample& sample) {
  DataReplacement replacement;
  for (const uint64_t id : ReplacedFragments(sample)) {
    replacement.groups.push_back(
        {.fragment_id = id, .new_file = {.path = "r.lance", .field_ids = {sample.field()}}});
  }
  return replacement;
}

Operation SampleMemWal(const Sample& sample) {
  return ForeignOperation{.field_number = 112,
                          .name = "UpdateMemWalState",
                          .shards = {{CompactedShard(sample).substr(4, 16), 5}}};
}

Operation SampleOverlay(const Sample& sample) {
  ForeignOperation overlay{.field_number = 115, .name = "DataOverlay"};
  for (const uint64_t id : ReplacedFragments(sample)) {
    overlay.overlaid.push_back({.fragment_id = id, .field_ids = {sample.field()}});
  }
  return overlay;
}

struct KindOfOperation {
  std::string_view name;  // in the table
  std::function<Operation(const Sample&)> make;
};

const std::vector<KindOfOperation> kKinds = {
    {"Append", [](const Sample&) { return Append{.fragments = {SampleFragment(0)}}; }},
    {"Delete",
     [](const Sample& sample) {
       return Delete{.updated_fragments = {SampleFragment(sample.fragment())},
                     .deleted_fragment_ids = RemovedFragments(sample)};
     }},
    {"Update", SampleUpdate},
    {"Overwrite",
     [](const Sample& sample) {
       return Overwrite{.config_upsert_values = {{sample.name(), "1"}}};
     }},
    {"CreateIndex", SampleCreateIndex},
    {"Rewrite",
     [](const Sample& sample) {
       return Rewrite{.groups = {{{SampleFragment(sample.fragment())}, {SampleFragment(99)}}}};
     }},
    {"Merge",
     [](const Sample& sample) { return Merge{.preserves_nullability = !sample.collides}; }},
    {"Project",
     [](const Sample& sample) {
       return Project{.schema = SchemaWithoutField(sample),
                      .preserves_nullability = !sample.collides};
     }},
    {"Restore", [](const Sample&) { return Restore{.version = 1}; }},
    {"Reserve", [](const Sample&) { return ReserveFragments{1}; }},
    {"UpdConfig", SampleUpdateConfig},
    {"DataRepl", SampleDataReplacement},
    {"MemWal", SampleMemWal},
    {"Clone", [](const Sample&) { return ForeignOperation{.field_number = 113, .name = "Clone"}; }},
    {"UpdBases",
     [](const Sample& sample) { return UpdateBases{.new_bases = {{.path = sample.name()}}}; }},
    {"Overlay", SampleOverlay},
};

const KindOfOperation& KindNamed(const std::string& name) {
  const auto found = std::ranges::find(kKinds, name, &KindOfOperation::name);
  EXPECT_NE(found, kKinds.end()) << "the table names an operation that nobody makes: " << name;
  return *found;
}

struct PairCase {
  std::string ours;
  std::string theirs;
  std::string cell;
};

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const size_t begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos
                        ? ""
                        : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
  }
  return cells;
}

std::vector<PairCase> AllPairs() {
  std::vector<PairCase> pairs;
  std::stringstream table{std::string(kConflictTable)};
  std::string line;
  std::getline(table, line);
  const std::vector<std::string> header = Cells(line);
  std::getline(table, line);  // the rule below the header
  while (std::getline(table, line)) {
    const std::vector<std::string> cells = Cells(line);
    for (size_t i = 1; i < cells.size(); ++i) pairs.push_back({cells[0], header[i], cells[i]});
  }
  return pairs;
}

/// The strictest of the notes in a cell.
char Expected(const PairCase& pair, bool collides) {
  constexpr std::string_view kByStrictness = ".BRX";
  char expected = '.';
  std::stringstream notes(pair.cell);
  for (std::string note; std::getline(notes, note, ',');) {
    if (note == "m2" && pair.theirs == "CreateIndex") note = "m2t";
    const auto found = std::ranges::find(kConflictNotes, note, &ConflictNote::note);
    EXPECT_NE(found, std::end(kConflictNotes)) << note;
    const char letter = collides ? found->colliding : found->apart;
    if (kByStrictness.find(letter) > kByStrictness.find(expected)) expected = letter;
  }
  return expected;
}

char Letter(const Operation& ours, const Operation& theirs) {
  const auto verdict = CheckConflict(ours, theirs);
  EXPECT_THAT(verdict, testing::IsOk());
  if (!verdict.ok()) return '!';
  EXPECT_EQ(verdict->reason.empty(), verdict->compatibility == Compatibility::kCompatible);
  return std::string_view(".BRX")[static_cast<size_t>(verdict->compatibility)];
}

class ConflictMatrixTest : public ::testing::TestWithParam<PairCase> {};

TEST_P(ConflictMatrixTest, DecidesApartAsTheTableSays) {
  const Operation ours = KindNamed(GetParam().ours).make({.collides = false, .is_theirs = false});
  const Operation theirs =
      KindNamed(GetParam().theirs).make({.collides = false, .is_theirs = true});

  EXPECT_EQ(Letter(ours, theirs), Expected(GetParam(), false)) << GetParam().cell;
}

TEST_P(ConflictMatrixTest, DecidesCollisionsAsTheTableSays) {
  const Operation ours = KindNamed(GetParam().ours).make({.collides = true, .is_theirs = false});
  const Operation theirs = KindNamed(GetParam().theirs).make({.collides = true, .is_theirs = true});

  EXPECT_EQ(Letter(ours, theirs), Expected(GetParam(), true)) << GetParam().cell;
}

INSTANTIATE_TEST_SUITE_P(All, ConflictMatrixTest, ::testing::ValuesIn(AllPairs()),
                         [](const auto& test) {
                           return test.param.ours + "_" + test.param.theirs;
                         });

TEST(ConflictMatrix, HasEveryOrderedPairOfEveryKnownOperation) {
  EXPECT_EQ(AllPairs().size(), kKinds.size() * kKinds.size());
  EXPECT_EQ(kKinds.size(), 16u);
}

TEST(ConflictMatrix, StopsAllButCloneAndUpdateBasesAtAnUnknownOperation) {
  for (const uint32_t number : {0u, 116u, 199u}) {
    const Operation unknown = ForeignOperation{.field_number = number, .name = "unknown"};
    for (const KindOfOperation& kind : kKinds) {
      const bool passes = kind.name == "Clone" || kind.name == "UpdBases";
      EXPECT_EQ(Letter(kind.make({}), unknown), passes ? '.' : 'X') << kind.name;
      EXPECT_EQ(Letter(unknown, kind.make({.is_theirs = true})), 'X') << kind.name;
    }
  }
}

}  // namespace
}  // namespace lance::table
