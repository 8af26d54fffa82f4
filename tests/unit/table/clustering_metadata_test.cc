#include "lance/table/clustering_metadata.h"

#include <gtest/gtest.h>

#include <functional>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsCapacityError;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::string_view kGroup = "550e8400-e29b-41d4-a716-446655440000";

ClusteringDefinition Ours(uint32_t id, uint64_t version = 1) {
  return {.id = id,
          .field_ids = {0, 1},
          .provider = std::string(kClusteringProvider),
          .version = version};
}

/// A table that declares a, b at `version`, with its definition.
Manifest DeclaredManifest(uint64_t version = 1) {
  Manifest manifest = SampleManifest({0});
  const ClusteringSpec spec{.columns = {"a", "b"}, .version = version};
  for (const auto& [key, value] : DeclarationEntries(spec)) manifest.config[key] = value;
  EXPECT_THAT(EnsureDefinition(LayoutOf(spec, manifest.schema), &manifest), IsOk());
  return manifest;
}

TEST(EnsureDefinition, AllocatesWithItsKeysMaximumAndMirrors) {
  Manifest manifest = SampleManifest({});
  LayoutDefinition layout = SampleLayout(7);
  layout.curve = ClusteringCurve::kZOrder;
  layout.bits_per_dim = 20;

  EXPECT_THAT(EnsureDefinition(layout, &manifest), IsOkAndHolds(1u));

  EXPECT_THAT(manifest.clustering, ElementsAre(Ours(1, 7)));
  EXPECT_EQ(manifest.max_clustering_id, 1u);
  EXPECT_THAT(manifest.table_metadata,
              ElementsAre(Pair("lance.liquid-clustering.1.algorithm", "quantile-rank-v1"),
                          Pair("lance.liquid-clustering.1.bits_per_dim", "20"),
                          Pair("lance.liquid-clustering.1.curve", "zorder"),
                          Pair("lance.liquid-clustering.max_clustering_id", "1"),
                          Pair("lance.liquid-clustering.max_version", "7")));
  EXPECT_EQ(ReadLayout(manifest, manifest.clustering[0]), layout);
}

TEST(EnsureDefinition, TakesAnEqualOneAgain) {
  Manifest manifest = SampleManifest({});
  ASSERT_THAT(EnsureDefinition(SampleLayout(1), &manifest), IsOkAndHolds(1u));
  ASSERT_THAT(EnsureDefinition(SampleLayout(2), &manifest), IsOkAndHolds(2u));
  const Manifest before = manifest;

  EXPECT_THAT(EnsureDefinition(SampleLayout(1), &manifest), IsOkAndHolds(1u));

  EXPECT_TRUE(manifest == before);
}

TEST(EnsureDefinition, NeverTakesOneWhoseLayoutKeysAreBroken) {
  Manifest manifest = SampleManifest({});
  ASSERT_THAT(EnsureDefinition(SampleLayout(1), &manifest), IsOkAndHolds(1u));
  manifest.table_metadata["lance.liquid-clustering.1.curve"] = "spiral";

  EXPECT_THAT(EnsureDefinition(SampleLayout(1), &manifest), IsOkAndHolds(2u));
}

struct IdCase {
  std::string name;
  std::function<void(Manifest*)> change;
  uint32_t expected;
};

class NextIdTest : public ::testing::TestWithParam<IdCase> {};

TEST_P(NextIdTest, IsAboveEverySignOfAnOlderId) {
  Manifest manifest = SampleManifest({});
  GetParam().change(&manifest);

  EXPECT_THAT(EnsureDefinition(SampleLayout(), &manifest), IsOkAndHolds(GetParam().expected));
  EXPECT_EQ(manifest.max_clustering_id, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, NextIdTest,
    ::testing::ValuesIn<IdCase>({
        {"Nothing", [](Manifest*) {}, 1},
        {"Maximum", [](Manifest* m) { m->max_clustering_id = 4; }, 5},
        {"DefinitionOfAnother",
         [](Manifest* m) {
           m->clustering = {{.id = 6, .field_ids = {0}, .provider = "p", .version = 1}};
         },
         7},
        {"OurKeys", [](Manifest* m) { m->table_metadata["lance.liquid-clustering.8.curve"]; }, 9},
        {"KeysOfAKnownProvider",
         [](Manifest* m) {
           m->clustering = {{.id = 1, .field_ids = {0}, .provider = "p.q", .version = 1}};
           m->table_metadata["p.q.11.x"];
         },
         12},
        {"KeysOfAnUnknownProvider", [](Manifest* m) { m->table_metadata["p.q.11.x"]; }, 1},
        {"KeyWithoutAPart", [](Manifest* m) { m->table_metadata["lance.liquid-clustering.8"]; }, 1},
        {"KeyWithANumberThatIsNoId",
         [](Manifest* m) { m->table_metadata["lance.liquid-clustering.4294967296.x"]; }, 1},
        {"Mirror",
         [](Manifest* m) { m->table_metadata["lance.liquid-clustering.max_clustering_id"] = "13"; },
         14},
        {"GarbageMirror",
         [](Manifest* m) { m->table_metadata["lance.liquid-clustering.max_clustering_id"] = "x"; },
         1},
        {"LastId", [](Manifest* m) { m->max_clustering_id = 4294967294u; }, 4294967295u},
    }),
    [](const auto& test) { return test.param.name; });

TEST(EnsureDefinition, ReportsExhaustedIds) {
  Manifest manifest = SampleManifest({});
  manifest.max_clustering_id = 4294967295u;

  EXPECT_THAT(EnsureDefinition(SampleLayout(), &manifest),
              IsCapacityError(HasSubstr("clustering ids are exhausted")));
}

TEST(CurrentDefinition, IsTheHighestEqualToTheDeclaration) {
  Manifest manifest = DeclaredManifest();
  manifest.clustering.push_back(Ours(5));
  for (const char* key : {"algorithm", "bits_per_dim", "curve"}) {
    manifest.table_metadata[std::string("lance.liquid-clustering.5.") + key] =
        manifest.table_metadata[std::string("lance.liquid-clustering.1.") + key];
  }
  manifest.clustering.push_back(Ours(3));  // without layout keys

  const ClusteringDefinition* current = CurrentDefinition(manifest);

  ASSERT_NE(current, nullptr);
  EXPECT_EQ(current->id, 5u);
}

TEST(CurrentDefinition, IsNullWithoutAnEqualOne) {
  Manifest manifest = DeclaredManifest();
  EXPECT_NE(CurrentDefinition(manifest), nullptr);

  manifest.config["lance.clustering.version"] = "2";
  EXPECT_EQ(CurrentDefinition(manifest), nullptr);

  manifest.config.clear();
  EXPECT_EQ(CurrentDefinition(manifest), nullptr);
}

TEST(CurrentDefinition, SurvivesARenamedColumn) {
  Manifest manifest = DeclaredManifest();
  manifest.schema.fields[0].name = "renamed";
  manifest.config["lance.clustering.columns"] = R"(["renamed","b"])";

  EXPECT_NE(CurrentDefinition(manifest), nullptr);
}

TEST(ReadLayout, IsAbsentForAnotherProvider) {
  Manifest manifest = DeclaredManifest();
  manifest.clustering[0].provider = "other";

  EXPECT_FALSE(ReadLayout(manifest, manifest.clustering[0]).has_value());
}

TEST(WriteStamp, IsReadBack) {
  Fragment fragment = SampleFragment(0);
  fragment.metadata["foreign"] = "kept";

  WriteStamp(4, 9, kGroup, &fragment);

  const Stamp stamp = ReadStamp(fragment);
  EXPECT_EQ(stamp.clustering_id, 4u);
  EXPECT_EQ(stamp.version, 9u);
  EXPECT_EQ(stamp.group_id, kGroup);
  EXPECT_THAT(fragment.metadata,
              ElementsAre(Pair("foreign", "kept"), Pair("lance.liquid-clustering.group", kGroup),
                          Pair("lance.liquid-clustering.version", "9")));
}

TEST(ReadStamp, TakesEntriesWithoutAnIdForNothing) {
  Fragment fragment = SampleFragment(0);
  WriteStamp(4, 9, kGroup, &fragment);
  fragment.clustering_id.reset();

  const Stamp stamp = ReadStamp(fragment);

  EXPECT_EQ(stamp.clustering_id, 0u);
  EXPECT_EQ(stamp.version, 0u);
  EXPECT_EQ(stamp.group_id, "");
}

struct StampCase {
  std::string name;
  std::function<void(Fragment*)> change;
  bool expected;
};

class StampValidityTest : public ::testing::TestWithParam<StampCase> {};

TEST_P(StampValidityTest, FollowsTheContract) {
  Fragment fragment = SampleFragment(0);
  WriteStamp(4, 9, kGroup, &fragment);
  GetParam().change(&fragment);

  EXPECT_EQ(IsStampedWith(fragment, Ours(4, 9)), GetParam().expected);
}

std::string& StampVersion(Fragment* f) { return f->metadata["lance.liquid-clustering.version"]; }
std::string& GroupEntry(Fragment* f) { return f->metadata["lance.liquid-clustering.group"]; }

INSTANTIATE_TEST_SUITE_P(
    All, StampValidityTest,
    ::testing::ValuesIn<StampCase>({
        {"Good", [](Fragment*) {}, true},
        {"NoId", [](Fragment* f) { f->clustering_id.reset(); }, false},
        {"AnotherId", [](Fragment* f) { f->clustering_id = 5; }, false},
        {"NoVersion", [](Fragment* f) { f->metadata.erase("lance.liquid-clustering.version"); },
         false},
        {"AnotherVersion", [](Fragment* f) { StampVersion(f) = "10"; }, false},
        {"MalformedVersion", [](Fragment* f) { StampVersion(f) = "9 "; }, false},
        {"NoGroup", [](Fragment* f) { f->metadata.erase("lance.liquid-clustering.group"); }, true},
        {"MalformedGroup", [](Fragment* f) { GroupEntry(f) = "group"; }, false},
        {"GroupInCapitals",
         [](Fragment* f) { GroupEntry(f) = "550E8400-E29B-41D4-A716-446655440000"; }, false},
    }),
    [](const auto& test) { return test.param.name; });

struct CorruptCase {
  std::string name;
  std::function<void(Manifest*)> change;
  std::string expected;
};

class ClusteringCorruptionTest : public ::testing::TestWithParam<CorruptCase> {};

TEST_P(ClusteringCorruptionTest, IsFoundAndRefusesEveryCommit) {
  const Manifest good = DeclaredManifest();
  Manifest manifest = good;
  manifest.indices = {SampleIndex("i", 1, {})};
  GetParam().change(&manifest);

  EXPECT_THAT(FindClusteringCorruption(manifest), HasSubstr(GetParam().expected));
  EXPECT_THAT(CheckClusteringOfNewManifest(manifest, manifest),
              IsInvalid(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, ClusteringCorruptionTest,
    ::testing::ValuesIn<CorruptCase>({
        {"IdZero", [](Manifest* m) { m->clustering[0].id = 0; }, "ids start at 1"},
        {"IdAboveMaximum", [](Manifest* m) { m->clustering[0].id = 9; },
         "definition 9 is above max_clustering_id 1"},
        {"IdTwice", [](Manifest* m) { m->clustering.push_back(m->clustering[0]); },
         "definition 1 is there twice"},
        {"NoColumns", [](Manifest* m) { m->clustering[0].field_ids.clear(); }, "has no columns"},
        {"ColumnTwice",
         [](Manifest* m) {
           m->clustering[0].field_ids = {1, 1};
         },
         "repeats a column"},
        {"NoProvider", [](Manifest* m) { m->clustering[0].provider.clear(); }, "has no provider"},
        {"VersionZero", [](Manifest* m) { m->clustering[0].version = 0; }, "has version 0"},
        {"DanglingFragment", [](Manifest* m) { m->fragments[0].clustering_id = 8; },
         "fragment 0 names clustering definition 8, which is not there"},
        {"FragmentIdZero", [](Manifest* m) { m->fragments[0].clustering_id = 0; },
         "fragment 0 names clustering definition 0"},
        {"DanglingIndex", [](Manifest* m) { m->indices[0].clustering_id = 8; },
         "of index i names clustering definition 8"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(FindClusteringCorruption, AllowsADefinitionWhoseColumnsHaveLeft) {
  Manifest manifest = DeclaredManifest();
  manifest.clustering[0].field_ids = {77};

  EXPECT_EQ(FindClusteringCorruption(manifest), "");
}

TEST(HighestKnownVersion, LooksEverywhere) {
  Manifest manifest = SampleManifest({0});
  EXPECT_EQ(HighestKnownVersion(manifest), 0u);
  manifest.clustering = {Ours(1, 2), {.id = 2, .field_ids = {0}, .provider = "p", .version = 99}};
  EXPECT_EQ(HighestKnownVersion(manifest), 2u);
  manifest.config["lance.clustering.version"] = "3";  // alone, so the declaration is broken
  EXPECT_EQ(HighestKnownVersion(manifest), 3u);
  WriteStamp(1, 4, kGroup, &manifest.fragments[0]);
  EXPECT_EQ(HighestKnownVersion(manifest), 4u);
  manifest.table_metadata["lance.liquid-clustering.max_version"] = "5";
  EXPECT_EQ(HighestKnownVersion(manifest), 5u);
}

/// Change a declared table and check the result as a commit would.
struct CommitCase {
  std::string name;
  std::function<void(Manifest*)> change;
  std::string refused;  // "": accepted
};

class ClusteringCommitTest : public ::testing::TestWithParam<CommitCase> {};

TEST_P(ClusteringCommitTest, KeepsTheRules) {
  const Manifest previous = DeclaredManifest(3);
  Manifest next = previous;
  GetParam().change(&next);

  const arrow::Status status = CheckClusteringOfNewManifest(previous, next);

  if (GetParam().refused.empty()) {
    EXPECT_THAT(status, IsOk());
  } else {
    EXPECT_THAT(status, IsInvalid(HasSubstr(GetParam().refused)));
  }
}

void Clear(Manifest* m) {
  std::erase_if(m->config,
                [](const auto& entry) { return entry.first.starts_with("lance.clustering."); });
}

INSTANTIATE_TEST_SUITE_P(
    All, ClusteringCommitTest,
    ::testing::ValuesIn<CommitCase>({
        {"NoChange", [](Manifest*) {}, ""},
        {"Cleared", Clear, ""},
        {"KeyMissing", [](Manifest* m) { m->config.erase("lance.clustering.curve"); },
         "lance.clustering.curve is missing"},
        {"NamesBothWaysOut", [](Manifest* m) { m->config.erase("lance.clustering.curve"); },
         "set_clustering with what is allowed, or clear_clustering, first"},
        {"ColumnDropped", [](Manifest* m) { m->schema.fields.erase(m->schema.fields.begin()); },
         "names \"a\", which is not a top-level column"},
        {"ColumnRetyped", [](Manifest* m) { m->schema.fields[0].logical_type = "list"; },
         "of type list"},
        {"ColumnRenamedWithTheDeclaration",
         [](Manifest* m) {
           m->schema.fields[0].name = "n";
           m->config["lance.clustering.columns"] = R"(["n","b"])";
         },
         ""},
        {"ColumnsGotOtherFieldIdsByAnOverwrite",
         [](Manifest* m) {
           m->schema.fields[0].name = "b";
           m->schema.fields[1].name = "a";
         },
         ""},
        {"HigherVersion", [](Manifest* m) { m->config["lance.clustering.version"] = "4"; }, ""},
        {"LowerVersion", [](Manifest* m) { m->config["lance.clustering.version"] = "2"; },
         "lance.clustering.version is \"2\"; allowed: more than 3"},
        {"AnotherLayoutAtTheSameVersion",
         [](Manifest* m) { m->config["lance.clustering.columns"] = R"(["b"])"; },
         "lance.clustering.version is \"3\"; allowed: more than 3"},
        {"AnotherCurveAtTheSameVersion",
         [](Manifest* m) { m->config["lance.clustering.curve"] = "zorder"; },
         "allowed: more than 3"},
        {"AnotherLayoutAtAHigherVersion",
         [](Manifest* m) {
           m->config["lance.clustering.columns"] = R"(["b"])";
           m->config["lance.clustering.version"] = "9";
         },
         ""},
        {"MaximumLowered",
         [](Manifest* m) {
           m->clustering.clear();
           m->max_clustering_id = 0;
         },
         "max_clustering_id is 0; allowed: 1 and more"},
        {"IdMirrorGone",
         [](Manifest* m) { m->table_metadata.erase("lance.liquid-clustering.max_clustering_id"); },
         "lance.liquid-clustering.max_clustering_id is 0"},
        {"VersionMirrorLowered",
         [](Manifest* m) { m->table_metadata["lance.liquid-clustering.max_version"] = "2"; },
         "lance.liquid-clustering.max_version is 2; allowed: 3"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(CheckClusteringOfNewManifest, LetsABrokenDeclarationBeRepairedAtItsVersion) {
  const Manifest good = DeclaredManifest(3);
  Manifest broken = good;
  broken.config.erase("lance.clustering.curve");
  Manifest other = good;
  other.config["lance.clustering.curve"] = "zorder";

  EXPECT_THAT(CheckClusteringOfNewManifest(broken, good), IsOk());
  EXPECT_THAT(CheckClusteringOfNewManifest(broken, other), IsInvalid(HasSubstr("more than 3")));
  Clear(&other);
  EXPECT_THAT(CheckClusteringOfNewManifest(broken, other), IsOk());
}

TEST(CheckUserMetadataUpdate, ProtectsOurKeysOnly) {
  const Manifest manifest = DeclaredManifest(3);
  const auto update = [&](const std::string& key, std::optional<std::string> value) {
    UpdateConfig config;
    config.table_metadata = UpdateMap{.entries = {{key, std::move(value)}}};
    return CheckUserMetadataUpdate(config, manifest);
  };

  EXPECT_THAT(update("free", "1"), IsOk());
  EXPECT_THAT(update("lance.liquid-clusterings", "1"), IsOk());
  EXPECT_THAT(update("lance.liquid-clustering.max_version", "3"), IsOk());
  EXPECT_THAT(update("lance.liquid-clustering.max_version", "4"), IsInvalid(HasSubstr("reserved")));
  EXPECT_THAT(update("lance.liquid-clustering.max_version", {}), IsInvalid(HasSubstr("reserved")));
  EXPECT_THAT(update("lance.liquid-clustering.7.curve", "hilbert"),
              IsInvalid(HasSubstr("lance.liquid-clustering.7.curve")));
  EXPECT_THAT(CheckUserMetadataUpdate(SetConfig({{"k", "v"}}), manifest), IsOk());
}

}  // namespace
}  // namespace lance::table
