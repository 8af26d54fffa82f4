// The check finds what is wrong with a table, and nothing when nothing is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "damages.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

/// Read all rows of a version. \return a failure when any of it cannot be read
arrow::Result<std::shared_ptr<arrow::Table>> ReadAll(const Dataset& dataset,
                                                     ScanOptions options = {}) {
  ARROW_ASSIGN_OR_RAISE(const auto scanner, dataset.Scan(std::move(options)));
  return scanner.ToTable();
}

std::vector<Damage> AllDamages() {
  std::vector<Damage> all;
  for (auto* part : {DamagesOfVersions, DamagesOfManifests, DamagesOfFiles, DamagesOfRowIds,
                     DamagesOfIndices, DamagesOfRefs}) {
    const auto more = part();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

class HealthyTable : public ::testing::TestWithParam<Sample> {};

TEST_P(HealthyTable, HasNothingToFind) {
  const auto table = CheckedTable::Make(GetParam());
  for (const bool deep : {false, true}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(deep));
    EXPECT_THAT(ProblemsOf(findings), IsEmpty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, HealthyTable,
                         ::testing::Values(Sample::kPlain, Sample::kStable, Sample::kDeclared,
                                           Sample::kOldFormat));

class DamagedTable : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedTable, IsFound) {
  const Damage& damage = GetParam();
  const auto table = CheckedTable::Make(damage.sample);
  const std::string path = damage.plant(table);
  const auto expected =
      Contains(AllOf(Field(&Finding::code, damage.code), Field(&Finding::path, path)));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto shallow, table.Check(/*deep=*/false));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto deep, table.Check(/*deep=*/true));

  SCOPED_TRACE(::testing::PrintToString(ProblemsOf(deep)));
  EXPECT_THAT(deep, expected) << path;
  if (damage.is_deep) {
    EXPECT_THAT(ProblemsOf(shallow), IsEmpty());
  } else {
    EXPECT_THAT(shallow, expected) << path;
  }
}

std::string NameOfDamage(const ::testing::TestParamInfo<Damage>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, DamagedTable, ::testing::ValuesIn(AllDamages()), NameOfDamage);

class PeculiarTable : public ::testing::TestWithParam<Damage> {};

TEST_P(PeculiarTable, IsDescribedAndNotComplainedAbout) {
  const auto table = CheckedTable::Make(GetParam().sample);
  const std::string path = GetParam().plant(table);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(/*deep=*/true));

  EXPECT_THAT(findings,
              Contains(AllOf(Field(&Finding::severity, "info"),
                             Field(&Finding::code, GetParam().code), Field(&Finding::path, path))));
  EXPECT_THAT(ProblemsOf(findings), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, PeculiarTable, ::testing::ValuesIn(WorthKnowing()), NameOfDamage);

TEST(CheckTest, GoesOnAfterEveryDamage) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  std::set<std::string> expected;
  for (const Damage& damage : DamagesOfRefs()) {
    damage.plant(table);  // each spoils the one before; the last of a file counts
  }
  table.Remove(DataPath(table.Manifest().fragments[0]));
  table.Remove(DeletionPath(table.Manifest().fragments[3]));
  table.Write(DataPath(table.Manifest().fragments[1]), "too short");
  table.Remove(IndexPath(table.Manifest().indices[0]));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(/*deep=*/true));

  for (const Finding& finding : findings) expected.insert(finding.code);
  for (const char* code : {"data_file_missing", "deletion_file_missing", "data_file_size_wrong",
                           "index_file_missing", "tag_dangling", "hint_broken"}) {
    EXPECT_TRUE(expected.contains(code)) << code;
  }
}

TEST(CheckTest, NamesErrorsFirst) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  table.Write("_versions/latest_version_hint.json", "x");
  table.Write("data/unnamed.lance", "x");
  table.Remove(DataPath(table.Manifest().fragments[0]));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(/*deep=*/false));

  std::vector<std::string> severities;
  for (const Finding& finding : findings) severities.push_back(finding.severity);
  EXPECT_THAT(severities, ElementsAre("error", "warning", "info"));
}

TEST(CheckTest, SaysNothingOfOrphansWhenAManifestCannotBeRead) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  table.Write(table.ManifestPath(2), "x");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(/*deep=*/false));

  EXPECT_THAT(findings, Not(Contains(Field(&Finding::code, "orphans"))));
}

TEST(CheckTest, OfNoTableSaysThatThereIsNone) {
  const FaultySession session;
  const auto findings = CheckTableAt(FaultySession::kUri, session.Options());
  ASSERT_THAT(findings, IsKeyError());
  EXPECT_EQ(NotFound::From(findings.status())->kind, "table");
}

TEST(CheckTest, OfAWrongRequestReturnsItsFailure) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  OpenOptions options = table.options();
  options.ref = Ref::Tag("no/such name");
  EXPECT_THAT(CheckTableAt(FaultySession::kUri, options), IsInvalid());
}

TEST(CheckTest, StopsWhenTheCallerWantsIt) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  arrow::StopSource source;
  source.RequestStop();
  const auto dataset = Dataset::Open(FaultySession::kUri, table.options());
  ASSERT_THAT(dataset, IsOk());
  EXPECT_THAT(CheckTable(*dataset, {.deep = true}, {.stop_token = source.token()}), IsCancelled());
}

TEST(CheckTest, ReturnsFailuresOfTheListing) {
  FaultySession session(CheckedTable::Make(Sample::kPlain).shared_store());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset,
                             Dataset::Open(FaultySession::kUri, session.Options()));
  session.store().Arm(0, Fault::kFails);
  EXPECT_THAT(CheckTable(dataset), IsIOError());
}

TEST(CheckTest, SaysWhenStorageFailsAndBlamesNobodyForIt) {
  for (const Sample sample : {Sample::kPlain, Sample::kDeclared}) {
    FaultySession session(CheckedTable::Make(sample).shared_store());
    OpenOptions options = session.Options();
    LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Dataset::Open(FaultySession::kUri, options));
    session.store().Disarm();
    ASSERT_THAT(CheckTable(dataset, {.deep = true}), IsOk());
    const int64_t num_calls = session.store().num_calls();
    for (int64_t call = 0; call < num_calls; ++call) {
      session.store().Arm(call, Fault::kFails);
      const auto findings = CheckTable(dataset, {.deep = true});
      SCOPED_TRACE(session.store().hit());
      if (!findings.ok()) {
        EXPECT_THAT(findings, IsIOError());
      } else if (session.store().hit().find("version_hint") == std::string::npos) {
        // A hint that cannot be read is as good as none.
        EXPECT_THAT(ProblemsOf(*findings),
                    ElementsAre(::testing::StartsWith("error storage_failed ")));
      }
    }
  }
}

TEST(CheckTest, TakesDamageOfOneFragmentOnlyOnce) {
  const auto table = CheckedTable::Make(Sample::kPlain);
  const std::string path = DataPath(table.Manifest().fragments[1]);
  table.Remove(path);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto findings, table.Check(/*deep=*/true));

  EXPECT_EQ(ProblemsOf(findings).size(), 1) << ::testing::PrintToString(ProblemsOf(findings));
}

/// The codes in the table of the guide.
std::set<std::string> CodesOfTheGuide() {
  std::ifstream guide(LANCE_CHECK_GUIDE);
  std::set<std::string> codes;
  for (std::string line; std::getline(guide, line);) {
    if (!line.starts_with("| `")) continue;
    codes.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return codes;
}

TEST(CheckTest, EveryCodeOfTheListIsInTheGuide) {
  const std::set<std::string> guide = CodesOfTheGuide();
  std::vector<Damage> all = AllDamages();
  for (const Damage& known : WorthKnowing()) all.push_back(known);
  EXPECT_GE(AllDamages().size(), 60);
  for (const Damage& damage : all) EXPECT_TRUE(guide.contains(damage.code)) << damage.code;
}

/// What a reader can get out of a table: which versions open, how many rows the newest has, and
/// whether filters give the same with statistics and without.
struct Answers {
  std::vector<bool> opens;  // by version
  int64_t num_rows = -1;    // -1: they cannot be read
  bool is_index_right = true;
  std::string failure;
};

Answers AnswersOf(const CheckedTable& table) {
  Answers answers;
  for (uint64_t version = 1; version <= 5; ++version) {
    OpenOptions options = table.options();
    options.ref = Ref::Version(version);
    answers.opens.push_back(Dataset::Open(FaultySession::kUri, options).ok());
  }
  const auto newest = Dataset::Open(FaultySession::kUri, table.options());
  if (!newest.ok()) return answers;
  const auto rows = ReadAll(*newest);
  if (rows.ok()) answers.num_rows = (*rows)->num_rows();
  answers.failure = rows.status().ToString();
  const std::vector<std::string> id_only = {"id"};  // other columns have NaNs, which equal nothing
  for (const char* filter : {"a = 17", "a IS NULL", "a > 300 AND id < 150", "s = 'k7'"}) {
    const auto pruned = ReadAll(*newest, {.columns = id_only, .filter = Filter(filter)});
    const auto whole =
        ReadAll(*newest, {.columns = id_only, .filter = Filter(filter), .use_stats = false});
    answers.is_index_right &= pruned.ok() == whole.ok();
    if (!pruned.ok() || !whole.ok()) continue;  // a column may be called otherwise
    answers.is_index_right &= (*pruned)->Equals(**whole, /*check_metadata=*/false);
  }
  return answers;
}

/// Law: whatever byte of a table changes, the check ends, and when it finds nothing wrong every
/// version opens, the newest has as many rows as before, and filters give the same with statistics
/// and without.
///
/// The format has no checksums: a byte of a stored value may change unnoticed.
TEST(CheckProperty, WhatHasNoFindingsCanBeRead) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  const int rounds = NumRounds(120, 50);
  int num_found = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto sample = static_cast<Sample>(random.Below(4));
    const auto table = CheckedTable::Make(sample);
    const auto paths = ListPaths(table.store()).ValueOrDie();
    const Answers before = AnswersOf(table);
    const std::string& path = paths[random.Below(paths.size())];
    std::string bytes = table.Read(path);
    const uint64_t flips = random.OneIn(3) ? random.Between(2, 20) : 1;
    for (uint64_t i = 0; i < flips; ++i) {
      bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
    }
    table.Write(path, bytes);

    const auto findings = table.Check(/*deep=*/true);
    // A flag or a version that flipped looks like one of a later release.
    if (UnsupportedFeature::From(findings.status()) != nullptr) continue;
    ASSERT_THAT(findings, IsOk()) << path;
    const auto is_unknown = [](const Finding& f) { return f.code == "version_unsupported"; };
    if (!ProblemsOf(*findings).empty() || std::ranges::any_of(*findings, is_unknown)) {
      ++num_found;
      continue;
    }
    const Answers after = AnswersOf(table);
    SCOPED_TRACE("round " + std::to_string(round) + ", " + path + ", " + after.failure);
    EXPECT_EQ(after.opens, before.opens);
    EXPECT_EQ(after.num_rows, before.num_rows);
    EXPECT_TRUE(after.is_index_right);
  }
  EXPECT_GT(num_found, rounds / 4);
}

}  // namespace
}  // namespace lance::testing
