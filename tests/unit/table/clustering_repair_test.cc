#include "lance/table/clustering_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/table/build_manifest.h"
#include "lance/table/clustering_metadata.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kGroup = "00000000-0000-4000-8000-000000000001";

/// A table of one column, declared at layout version 2, with definitions 1 and 2 of ours and a
/// fragment stamped by each.
Manifest MakeTable() {
  Manifest manifest;
  manifest.schema.fields = {{.name = "a", .id = 0, .logical_type = "int64"}};
  for (uint64_t version : {1, 2}) {
    const LayoutDefinition layout{.field_ids = {0}, .version = version};
    const uint32_t id = EnsureDefinition(layout, &manifest).ValueOrDie();
    Fragment fragment{.id = version, .physical_rows = 1};
    WriteStamp(id, version, kGroup, &fragment);
    manifest.fragments.push_back(fragment);
  }
  for (auto& [key, value] : DeclarationEntries({.columns = {"a"}, .version = 2})) {
    manifest.config[key] = value;
  }
  manifest.writer_feature_flags = 1 << 17;
  return manifest;
}

std::vector<std::string> CodesOf(const Manifest& manifest) {
  std::vector<std::string> codes;
  for (const ClusteringFinding& finding : FindClusteringProblems(manifest)) {
    codes.push_back(finding.code);
  }
  return codes;
}

std::vector<uint32_t> IdsOf(const Manifest& manifest) {
  std::vector<uint32_t> ids;
  for (const ClusteringDefinition& definition : manifest.clustering) ids.push_back(definition.id);
  return ids;
}

TEST(ClusteringRepairTest, AHealthyTableHasNoFindingsAndNothingToRepairOrPrune) {
  Manifest manifest = MakeTable();
  const Manifest before = manifest;
  EXPECT_THAT(CodesOf(manifest), IsEmpty());
  EXPECT_FALSE(RepairClustering(&manifest));
  EXPECT_FALSE(PruneDefinitions(&manifest));
  EXPECT_EQ(manifest, before);
}

TEST(ClusteringRepairTest, ADanglingReferenceIsAnErrorAndIsTakenOff) {
  Manifest manifest = MakeTable();
  manifest.fragments[0].clustering_id = 7;
  IndexMetadata index;
  index.name = "a_idx";
  index.clustering_id = 9;
  manifest.indices.push_back(index);
  EXPECT_THAT(CodesOf(manifest),
              ElementsAre("clustering_reference_dangling", "clustering_reference_dangling",
                          "clustering_definition_unused"));
  EXPECT_TRUE(RepairClustering(&manifest));
  EXPECT_EQ(manifest.fragments[0].clustering_id, std::nullopt);
  EXPECT_THAT(manifest.fragments[0].metadata, Not(IsEmpty()));  // entries outlive the id
  EXPECT_EQ(manifest.indices[0].clustering_id, std::nullopt);
  EXPECT_EQ(FindClusteringCorruption(manifest), "");
}

TEST(ClusteringRepairTest, BrokenDefinitionsOfOursGoWithTheirKeysAndReferences) {
  Manifest manifest = MakeTable();
  manifest.clustering[1].version = 0;
  EXPECT_THAT(CodesOf(manifest), Contains("clustering_definition_broken"));
  EXPECT_TRUE(RepairClustering(&manifest));
  EXPECT_THAT(IdsOf(manifest), ElementsAre(1));
  EXPECT_FALSE(manifest.table_metadata.contains("lance.liquid-clustering.2.curve"));
  EXPECT_EQ(manifest.fragments[1].clustering_id, std::nullopt);
  EXPECT_EQ(manifest.max_clustering_id, 2);
  EXPECT_EQ(EnsureDefinition({.field_ids = {0}, .version = 9}, &manifest).ValueOrDie(), 3);
}

TEST(ClusteringRepairTest, AnIdAboveTheMaximumIsNotUsedAgainAfterItsDefinitionWent) {
  Manifest manifest = MakeTable();
  manifest.max_clustering_id = 1;
  manifest.table_metadata.erase("lance.liquid-clustering.max_clustering_id");
  EXPECT_TRUE(RepairClustering(&manifest));
  EXPECT_THAT(IdsOf(manifest), ElementsAre(1));
  EXPECT_EQ(manifest.max_clustering_id, 2);
  EXPECT_THAT(manifest.table_metadata,
              Contains(Pair("lance.liquid-clustering.max_clustering_id", "2")));
}

TEST(ClusteringRepairTest, OfEqualTwinsOneStaysOfDifferentOnesNone) {
  Manifest equal = MakeTable();
  equal.clustering.push_back(equal.clustering[0]);
  EXPECT_TRUE(RepairClustering(&equal));
  EXPECT_THAT(IdsOf(equal), ElementsAre(1, 2));
  EXPECT_EQ(equal.fragments[0].clustering_id, 1);

  Manifest different = MakeTable();
  different.clustering.push_back(different.clustering[0]);
  different.clustering.back().version = 5;
  EXPECT_TRUE(RepairClustering(&different));
  EXPECT_THAT(IdsOf(different), ElementsAre(2));
  EXPECT_EQ(different.fragments[0].clustering_id, std::nullopt);
}

TEST(ClusteringRepairTest, WhatBelongsToAnotherProviderStays) {
  Manifest manifest = MakeTable();
  manifest.clustering.push_back({.id = 3, .field_ids = {}, .provider = "x.other", .version = 1});
  manifest.table_metadata["x.other.3.secret"] = "1";
  EXPECT_FALSE(RepairClustering(&manifest));
  EXPECT_THAT(IdsOf(manifest), ElementsAre(1, 2, 3));
  EXPECT_TRUE(manifest.table_metadata.contains("x.other.3.secret"));
  EXPECT_FALSE(PruneDefinitions(&manifest));
}

TEST(ClusteringRepairTest, PruneRemovesWhatNothingRefersTo) {
  Manifest manifest = MakeTable();
  manifest.fragments.erase(manifest.fragments.begin());
  EXPECT_THAT(CodesOf(manifest), ElementsAre("clustering_definition_unused"));
  EXPECT_TRUE(PruneDefinitions(&manifest));
  EXPECT_THAT(IdsOf(manifest), ElementsAre(2));
  EXPECT_FALSE(manifest.table_metadata.contains("lance.liquid-clustering.1.curve"));
  EXPECT_THAT(manifest.table_metadata, Contains(Pair("lance.liquid-clustering.max_version", "2")));
}

TEST(ClusteringRepairTest, TheDeclaredDefinitionStaysWithoutAnyFragment) {
  Manifest manifest = MakeTable();
  manifest.fragments.clear();
  EXPECT_TRUE(PruneDefinitions(&manifest));
  EXPECT_THAT(IdsOf(manifest), ElementsAre(2));
}

TEST(ClusteringRepairTest, StaleStampsLostLayoutsAndErasedDefinitionsAreNoErrors) {
  Manifest manifest = MakeTable();
  manifest.fragments[0].metadata["lance.liquid-clustering.version"] = "x";
  manifest.table_metadata.erase("lance.liquid-clustering.2.curve");
  manifest.writer_feature_flags = 0;
  EXPECT_THAT(CodesOf(manifest),
              ElementsAre("clustering_layout_missing", "clustering_stamp_stale",
                          "clustering_flag_missing", "clustering_definition_missing"));
  manifest.config.erase("lance.clustering.curve");
  EXPECT_THAT(CodesOf(manifest), Contains("clustering_declaration_broken"));
}

TEST(ClusteringRepairTest, TheDeclarationFollowsRenames) {
  const Manifest before = MakeTable();
  Manifest next = before;
  next.schema.fields[0].name = "b \"c\"";
  FollowRenames(before, &next);
  EXPECT_THAT(ReadDeclaration(next).spec->columns, ElementsAre("b \"c\""));
  EXPECT_TRUE(CheckClusteringOfNewManifest(before, next).ok());

  Manifest dropped = before;
  dropped.schema.fields = {{.name = "z", .id = 1, .logical_type = "int64"}};
  FollowRenames(before, &dropped);
  EXPECT_EQ(dropped.config, before.config);
  EXPECT_FALSE(CheckClusteringOfNewManifest(before, dropped).ok());
}

TEST(ClusteringRepairTest, ACastOfAClusteringColumnTakesTheStampOffAlthoughTheOldFileStays) {
  Manifest newest = SampleManifest({0});
  const uint32_t id = EnsureDefinition({.field_ids = {0}, .version = 1}, &newest).ValueOrDie();
  WriteStamp(id, 1, kGroup, &newest.fragments[0]);
  Merge cast{.fragments = newest.fragments, .schema = newest.schema};
  cast.schema.fields[0].id = 5;
  cast.fragments[0].files.push_back(
      {.path = "cast.lance", .field_ids = {5}, .column_indices = {0}, .size_bytes = 100});
  Transaction transaction;
  transaction.read_version = 1;
  transaction.operation = cast;
  const auto built = BuildManifest(newest, transaction, {}).ValueOrDie();
  EXPECT_EQ(built.fragments[0].files.size(), 2);
  EXPECT_EQ(built.fragments[0].clustering_id, std::nullopt);
  EXPECT_THAT(built.fragments[0].metadata, Not(IsEmpty()));
}

}  // namespace
}  // namespace lance::table
