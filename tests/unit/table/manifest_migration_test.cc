#include "lance/table/manifest_migration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/io/stores.h"
#include "lance/table/manifest_names.h"
#include "lance/table/manifest_store.h"
#include "lance/testing/fault_store.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::Fault;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kNewest = 3;

class ManifestMigrationTest : public ::testing::Test {
 protected:
  /// A table of three versions with V1 names, and what clean-up, branches and crashes leave there.
  void Fill() {
    memory_ = MakeMemoryStore();
    store_ = testing::FaultStore::Make(memory_);
    for (uint64_t version = 1; version <= kNewest; ++version) Put(version, NamingScheme::kV1);
    for (const char* other : {"latest_version_hint.json", "d9223372036854775813.manifest",
                              "2.manifest#1", "note.txt"}) {
      ASSERT_THAT(testing::PutText(*memory_, "_versions/" + std::string(other), other), IsOk());
    }
  }

  void Put(uint64_t version, NamingScheme naming) {
    Manifest manifest = SampleManifest({version});
    manifest.version = version;
    ASSERT_THAT(ManifestStore(memory_).PutManifest(manifest, naming, ""),
                IsOkAndHolds(PutOutcome::kStored));
  }

  std::vector<std::string> Names() {
    return testing::ListPaths(*memory_, "_versions").ValueOrDie();
  }

  arrow::Status Migrate() { return MigrateManifestNames(*store_, run_); }

  /// Every version is there, with its own fragments.
  void CheckVersions(const std::string& when) {
    for (uint64_t version = 1; version <= kNewest; ++version) {
      const auto loaded = ManifestStore(memory_).Load(version, run_);
      ASSERT_THAT(loaded, IsOk()) << when;
      EXPECT_EQ(loaded->manifest.version, version) << when;
      EXPECT_EQ(loaded->manifest.fragments.at(0).id, version) << when;
    }
  }

  std::shared_ptr<ObjectStore> memory_;
  std::shared_ptr<testing::FaultStore> store_;
  RunContext run_;
};

TEST_F(ManifestMigrationTest, RenamesManifestsAndNothingElse) {
  Fill();

  ASSERT_THAT(Migrate(), IsOk());

  EXPECT_THAT(Names(),
              ElementsAre("_versions/18446744073709551612.manifest",
                          "_versions/18446744073709551613.manifest",
                          "_versions/18446744073709551614.manifest", "_versions/2.manifest#1",
                          "_versions/d9223372036854775813.manifest",
                          "_versions/latest_version_hint.json", "_versions/note.txt"));
  CheckVersions("migrated");
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest latest, ManifestStore(memory_).LoadLatest(run_));
  EXPECT_EQ(latest.manifest.version, kNewest);
  EXPECT_EQ(latest.naming, NamingScheme::kV2);
}

TEST_F(ManifestMigrationTest, DoesNothingTheSecondTime) {
  Fill();
  ASSERT_THAT(Migrate(), IsOk());
  const auto names = Names();
  store_->Disarm();

  ASSERT_THAT(Migrate(), IsOk());

  EXPECT_EQ(Names(), names);
  EXPECT_EQ(store_->num_calls(), 1);  // the listing
}

TEST_F(ManifestMigrationTest, IsHarmlessWhereverItStopsAndCanBeFinished) {
  Fill();
  store_->Disarm();
  ASSERT_THAT(Migrate(), IsOk());
  const int64_t num_calls = store_->num_calls();
  for (const Fault fault :
       {Fault::kFails, Fault::kTorn, Fault::kNoReply, Fault::kLandsLate, Fault::kDies}) {
    for (int64_t k = 0; k < num_calls; ++k) {
      Fill();
      store_->Arm(k, fault);
      const arrow::Status status = Migrate();
      const std::string when = "fault " + std::to_string(static_cast<int>(fault)) + " at " +
                               store_->hit() + ": " + status.ToString();
      store_->Disarm();
      CheckVersions(when);

      ASSERT_THAT(Migrate(), IsOk()) << when;
      ASSERT_THAT(store_->LandDelayed(), IsOk());

      CheckVersions(when);
      const auto latest = ManifestStore(memory_).LoadLatest(run_);
      ASSERT_THAT(latest, IsOk()) << when;
      EXPECT_EQ(latest->manifest.version, kNewest) << when;
    }
  }
}

TEST_F(ManifestMigrationTest, StartsWithTheNewestVersion) {
  Fill();
  store_->Arm(5, Fault::kDies);  // the listing, then head, get, put and delete of one version

  ASSERT_FALSE(Migrate().ok());

  EXPECT_THAT(ManifestStore(memory_).ListVersions(),
              IsInvalid(HasSubstr("call MigrateManifestPathsV2")));
  EXPECT_THAT(memory_->Head(ManifestPath(kNewest, NamingScheme::kV2)), IsOk());
  EXPECT_THAT(memory_->Head(ManifestPath(kNewest - 1, NamingScheme::kV1)), IsOk());
}

TEST_F(ManifestMigrationTest, LeavesTwoDifferentManifestsOfAVersionAlone) {
  Fill();
  ASSERT_THAT(testing::PutText(*memory_, ManifestPath(2, NamingScheme::kV2), "another"), IsOk());

  EXPECT_THAT(Migrate(), IsInvalid(HasSubstr("version 2 has two different manifests")));

  EXPECT_THAT(memory_->Head(ManifestPath(2, NamingScheme::kV1)), IsOk());
  EXPECT_THAT(testing::ReadText(*memory_, ManifestPath(2, NamingScheme::kV2)),
              IsOkAndHolds("another"));
}

TEST_F(ManifestMigrationTest, FindsNothingToDoWithoutATable) {
  memory_ = MakeMemoryStore();

  EXPECT_THAT(MigrateManifestNames(*memory_, run_), IsOk());
}

}  // namespace
}  // namespace lance::table
