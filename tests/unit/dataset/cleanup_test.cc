// Old versions go, with what nothing needs any more, and nothing else.

#include "lance/cleanup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lance/dataset/cleanup_impl.h"
#include "lance/history.h"
#include "lance/io/prefix_store.h"
#include "lance/io/stores.h"
#include "lance/refs.h"
#include "lance/table/manifest_names.h"
#include "lance/table/version_notes.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "lance/testing/table_session.h"
#include "lance/testing/temp_folder.h"

namespace lance::testing {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr CleanupRequest kEverything{.older_than = microseconds(0)};

class CleanupTest : public ::testing::Test {
 protected:
  /// Version i has one file with i rows, which i + 1 overwrites.
  void SetUp() override { dataset_.emplace(Overwrite(4)); }

  Dataset Overwrite(int num_versions) {
    std::optional<Dataset> newest;
    for (int i = 1; i <= num_versions; ++i) {
      std::string rows = "[";
      for (int row = 0; row < i; ++row)
        rows += (row == 0 ? "[" : ", [") + std::to_string(row) + "]";
      InsertBuilder builder(FaultySession::kUri);
      builder.WithOpenOptions(session_.Options())
          .WithMode(i == 1 ? WriteMode::kCreate : WriteMode::kOverwrite);
      newest.emplace(
          builder.Execute(TableFromJson({{"a", arrow::int64()}}, rows + "]")).ValueOrDie().dataset);
    }
    return *newest;
  }

  std::vector<uint64_t> Versions() {
    std::vector<uint64_t> versions;
    for (const VersionInfo& info : ListVersions(*dataset_).ValueOrDie()) {
      versions.push_back(info.version);
    }
    return versions;
  }

  std::vector<std::string> Paths(const std::string& folder = "") {
    return ListPaths(*session_.memory(), folder).ValueOrDie();
  }

  /// Put files that nothing names.
  void Plant(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      EXPECT_THAT(PutText(*session_.memory(), path, "leftover"), IsOk());
    }
  }

  /// Clean up at a later time.
  arrow::Result<CleanupResult> CleanUpIn(hours time, const CleanupRequest& request) {
    FakeClock clock(
        std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now()) + time);
    RunContext run = dataset_->impl().Run({});
    run.clock = &clock;
    return CleanUp(dataset_->impl(), request, run);
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

TEST_F(CleanupTest, RemovesOldVersionsWithTheirFiles) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, CleanupOldVersions(*dataset_, kEverything));

  EXPECT_THAT(Versions(), ElementsAre(4));
  EXPECT_THAT(Paths("data"), SizeIs(1));
  EXPECT_THAT(Paths("_transactions"), SizeIs(1));
  EXPECT_EQ(result.old_versions, 3u);
  EXPECT_EQ(result.data_files_removed, 3u);
  EXPECT_EQ(result.transaction_files_removed, 3u);
  EXPECT_EQ(result.files.size(), 9u);
  EXPECT_EQ(result.failed_deletes, 0u);
  EXPECT_EQ(*dataset_->CountRows(), 4u);
}

TEST_F(CleanupTest, DryRunSaysTheSameAndRemovesNothing) {
  const auto before = Paths();
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto planned,
      CleanupOldVersions(*dataset_, {.older_than = microseconds(0), .dry_run = true}));
  EXPECT_EQ(Paths(), before);
  EXPECT_TRUE(planned.dry_run);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto done, CleanupOldVersions(*dataset_, kEverything));
  EXPECT_EQ(planned.bytes_removed, done.bytes_removed);
  EXPECT_EQ(planned.files.size(), done.files.size());
  uint64_t bytes = 0;
  for (const CleanupFile& file : done.files) bytes += file.size_bytes;
  EXPECT_EQ(done.bytes_removed, bytes);
}

TEST_F(CleanupTest, KeepsWhatYoungerVersionsShare) {
  dataset_.emplace(InsertBuilder(*dataset_)
                       .Execute(TableFromJson({{"a", arrow::int64()}}, "[[9]]"))
                       .ValueOrDie()
                       .dataset);
  ASSERT_THAT(CleanupOldVersions(*dataset_, kEverything), IsOk());
  EXPECT_THAT(Versions(), ElementsAre(5));
  EXPECT_EQ(*dataset_->CountRows(), 5u);
  EXPECT_EQ(dataset_->Scan()->ToTable().ValueOrDie()->num_rows(), 5);
}

TEST_F(CleanupTest, DefaultIsTwoWeeks) {
  EXPECT_EQ(CleanUpIn(hours(13 * 24), {})->old_versions, 0u);
  EXPECT_EQ(CleanUpIn(hours(15 * 24), {})->old_versions, 3u);
}

TEST_F(CleanupTest, KeepsTheVersionOfTheDatasetAndNewerOnes) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset old, dataset_->Checkout(Ref::Version(2)));
  ASSERT_THAT(CleanupOldVersions(old, kEverything), IsOk());
  EXPECT_THAT(Versions(), ElementsAre(2, 3, 4));
}

TEST_F(CleanupTest, TaggedVersionsStay) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset second, dataset_->Checkout(Ref::Version(2)));
  ASSERT_THAT(CreateTag(second, "keep"), IsOk());
  const auto before = Paths();

  EXPECT_THAT(CleanupOldVersions(*dataset_, kEverything), IsInvalid(HasSubstr("keep (version 2)")));
  EXPECT_EQ(Paths(), before);

  CleanupRequest request = kEverything;
  request.error_if_tagged_old_versions = false;
  ASSERT_THAT(CleanupOldVersions(*dataset_, request), IsOk());
  EXPECT_THAT(Versions(), ElementsAre(2, 4));
  EXPECT_EQ(second.Scan()->ToTable().ValueOrDie()->num_rows(), 2);
}

TEST_F(CleanupTest, ATagOnAnotherBranchHoldsNothing) {
  ASSERT_THAT(PutText(*session_.memory(), "_refs/tags/t.json",
                      R"({"branch": "b", "version": 2, "manifestSize": 1})"),
              IsOk());
  ASSERT_THAT(CleanupOldVersions(*dataset_, kEverything), IsOk());
  EXPECT_THAT(Versions(), ElementsAre(4));
}

TEST_F(CleanupTest, YoungFilesThatNoVersionNamesStayForTheirWriter) {
  Plant({"data/new.lance", "_indices/u/i.lance", "_transactions/4-u.txn"});
  ASSERT_THAT(CleanUpIn(hours(6 * 24), kEverything), IsOk());
  EXPECT_THAT(Paths("data"), Contains("data/new.lance"));
  EXPECT_THAT(Paths("_indices"), SizeIs(1));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, CleanUpIn(hours(8 * 24), kEverything));
  EXPECT_THAT(Paths("data"), SizeIs(1));
  EXPECT_THAT(Paths("_indices"), IsEmpty());
  EXPECT_THAT(Paths("_transactions"), SizeIs(1));
  EXPECT_EQ(result.data_files_removed, 1u);
  EXPECT_TRUE(result.files.front().unverified);
}

TEST_F(CleanupTest, UnverifiedFilesGoAtOnceWhenAsked) {
  Plant({"data/new.lance", "data/other.txt", "elsewhere/x.lance", "_transactions/4-u.txn"});
  ASSERT_THAT(CleanupOldVersions(*dataset_, {.retain_versions = 4, .delete_unverified = true}),
              IsOk());
  EXPECT_THAT(Paths("data"), SizeIs(5));  // of four versions, and the text
  EXPECT_THAT(Paths(), Contains("elsewhere/x.lance"));
  EXPECT_THAT(Paths(), Contains("_transactions/4-u.txn"));  // of a commit that is being made
}

TEST_F(CleanupTest, DetachedVersionsKeepTheirFiles) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset second, dataset_->Checkout(Ref::Version(2)));
  LANCE_ASSERT_OK_AND_ASSIGN(auto written,
                             InsertBuilder(second)
                                 .WithOptions({.commit = {.detached = true}})
                                 .Execute(TableFromJson({{"a", arrow::int64()}}, "[[9]]")));
  ASSERT_THAT(CleanUpIn(hours(24 * 365), kEverything), IsOk());
  EXPECT_EQ(written.dataset.Scan()->ToTable().ValueOrDie()->num_rows(), 3);
}

TEST_F(CleanupTest, AVersionThatCannotBeReadStopsIt) {
  const std::string path = table::ManifestPath(2, table::NamingScheme::kV2);
  ASSERT_THAT(PutText(*session_.memory(), path, "no manifest, but long enough"), IsOk());
  const auto before = Paths();
  const auto result = CleanupOldVersions(*dataset_, kEverything);
  EXPECT_THAT(result.status().message(), HasSubstr(path));
  EXPECT_EQ(Paths(), before);
}

TEST_F(CleanupTest, AVersionWithUnknownFeaturesStopsIt) {
  table::Manifest strange = dataset_->impl().manifest();
  strange.version = 5;
  strange.writer_feature_flags |= uint64_t{1} << 40;
  ASSERT_THAT(dataset_->impl().manifests().PutManifest(strange, table::NamingScheme::kV2, ""),
              IsOk());
  EXPECT_NE(UnsupportedFeature::From(CleanupOldVersions(*dataset_, kEverything).status()), nullptr);
  EXPECT_THAT(Versions(), SizeIs(5));
}

TEST_F(CleanupTest, ManifestsGoBeforeWhatTheyName) {
  session_.store().Disarm();
  ASSERT_THAT(CleanupOldVersions(*dataset_, kEverything), IsOk());
  bool has_file_gone = false;
  for (const std::string& call : session_.store().calls()) {
    if (call.starts_with("Delete data/")) has_file_gone = true;
    EXPECT_FALSE(has_file_gone && call.starts_with("Delete _versions/")) << call;
  }
  EXPECT_TRUE(has_file_gone);
}

TEST_F(CleanupTest, AManifestThatStaysKeepsItsFiles) {
  session_.store().Disarm();
  const Dataset& dataset = *dataset_;
  CleanupResult result;
  for (int64_t k = 0; !session_.store().hit().starts_with("Delete _versions/"); ++k) {
    ASSERT_THAT(Versions(), SizeIs(4)) << "before call " << k;
    session_.store().Arm(k, Fault::kFails);
    result = CleanupOldVersions(dataset, kEverything).ValueOr(CleanupResult{});
  }

  // It was one of the three manifests.
  EXPECT_EQ(result.failed_deletes, 1u);
  EXPECT_EQ(result.old_versions, 2u);
  EXPECT_THAT(Versions(), SizeIs(2));
  session_.store().Disarm();
  const Dataset left = dataset.Checkout(Ref::Version(Versions().front())).ValueOrDie();
  EXPECT_EQ(left.Scan()->ToTable().ValueOrDie()->num_rows(), static_cast<int64_t>(left.version()));
  EXPECT_EQ(CleanupOldVersions(dataset, kEverything)->old_versions, 1u);
}

TEST_F(CleanupTest, AVersionWithoutAllOfItsFilesIsNotRestored) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset old, dataset_->Checkout(Ref::Version(2)));
  const std::string file = "data/" + old.impl().manifest().fragments[0].files[0].path;
  ASSERT_THAT(session_.memory()->Delete(file), IsOk());
  EXPECT_THAT(Restore(old), IsIOError(HasSubstr(file)));
  EXPECT_THAT(Versions(), SizeIs(4));
  EXPECT_THAT(Restore(dataset_->Checkout(Ref::Version(3)).ValueOrDie()), IsOk());
  EXPECT_THAT(Paths("_refs"), IsEmpty());
}

TEST_F(CleanupTest, KeepsWhatIsPinned) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset old, dataset_->Checkout(Ref::Version(2)));
  {
    LANCE_ASSERT_OK_AND_ASSIGN(
        const auto pin, table::VersionPin::Take(old.impl().manifests(), 2, old.impl().Run({})));
    EXPECT_EQ(CleanupOldVersions(*dataset_, kEverything)->old_versions, 2u);
  }
  EXPECT_EQ(old.Scan()->ToTable().ValueOrDie()->num_rows(), 2);
  EXPECT_EQ(CleanupOldVersions(*dataset_, kEverything)->old_versions, 1u);
}

TEST_F(CleanupTest, KeepsWhatRestoresAndBranchesTakeWhileItIsAtWork) {
  const Dataset::Impl& impl = dataset_->impl();
  const RunContext run = impl.Run({});
  LANCE_ASSERT_OK_AND_ASSIGN(const CleanupPlace place, PlaceOf(impl));
  ProgressReporter progress(run, "cleanup", "files");
  CleanupSurvey survey(place, kEverything, run, &progress);
  LANCE_ASSERT_OK_AND_ASSIGN(const CleanupFindings findings, survey.Run(4));
  const auto doomed_files = [&] {
    return std::ranges::count_if(findings.files, [&](const DoomedFile& file) {
      return file.kind == CleanupKind::kData && survey.IsDoomed(file);
    });
  };
  ASSERT_EQ(doomed_files(), 3);

  ASSERT_THAT(Restore(dataset_->Checkout(Ref::Version(2)).ValueOrDie()), IsOk());
  ASSERT_THAT(CreateBranch(dataset_->Checkout(Ref::Version(3)).ValueOrDie(), "b"), IsOk());
  ASSERT_THAT(survey.LookAgain(), IsOk());

  EXPECT_EQ(doomed_files(), 1);
  ASSERT_THAT(survey.LookAgain(), IsOk());
  EXPECT_EQ(doomed_files(), 1);
}

TEST_F(CleanupTest, LooksAgainBetweenManifestsAndFiles) {
  session_.store().Disarm();
  ASSERT_THAT(CleanupOldVersions(*dataset_, kEverything), IsOk());
  const auto calls = session_.store().calls();
  const auto is_of = [](const std::string& prefix) {
    return [prefix](const std::string& call) { return call.starts_with(prefix); };
  };
  const auto manifest = std::ranges::find_if(calls, is_of("Delete _versions/"));
  const auto file = std::ranges::find_if(calls, is_of("Delete data/"));
  ASSERT_LT(manifest - calls.begin(), file - calls.begin());
  EXPECT_NE(std::find_if(manifest, file, is_of("List _versions")), file);
  EXPECT_NE(std::find_if(manifest, file, is_of("List tree")), file);
}

TEST_F(CleanupTest, KeepsTheRateThatIsAsked) {
  FakeClock clock;
  RunContext run = dataset_->impl().Run({});
  run.clock = &clock;
  FileDeleter deleter(session_.memory(), /*max_per_second=*/4, run);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto gone, deleter.Delete({"a", "b", "c", "d", "e"}));
  EXPECT_THAT(gone, SizeIs(5));
  EXPECT_EQ(clock.slept(), std::chrono::seconds(1));
}

/// What a store has that is being written.
std::vector<std::string> StagingPaths(ObjectStore& store, const std::string& folder) {
  std::vector<std::string> paths;
  auto* const staging = dynamic_cast<StagingFiles*>(&store);
  EXPECT_NE(staging, nullptr);
  EXPECT_THAT(staging->ListStaging(folder,
                                   [&](const ObjectInfo& info) {
                                     paths.push_back(info.path);
                                     return arrow::Status::OK();
                                   }),
              IsOk());
  return paths;
}

TEST(StagingTest, LeftoversOnDiskAreListedApart) {
  const TempFolder folder;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto store, MakeLocalStore(folder.path()));
  ASSERT_THAT(PutText(*store, "data/.tmp_left", "x"), IsOk());
  ASSERT_THAT(PutText(*store, "data/sub/.tmp_deep", "x"), IsOk());
  ASSERT_THAT(PutText(*store, "data/a.lance", "x"), IsOk());
  EXPECT_THAT(StagingPaths(*store, "data"),
              UnorderedElementsAre("data/.tmp_left", "data/sub/.tmp_deep"));
  EXPECT_THAT(*ListPaths(*store, "data"), ElementsAre("data/a.lance"));
  const auto inside = MakePrefixStore(store, "data");
  EXPECT_THAT(StagingPaths(*inside, ""), UnorderedElementsAre(".tmp_left", "sub/.tmp_deep"));
  EXPECT_THAT(StagingPaths(*inside, "sub"), ElementsAre("sub/.tmp_deep"));
}

/// A commit cleans up when the configuration says so.
TEST_F(CleanupTest, CommitsCleanUpAsConfigured) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      Dataset newest,
      UpdateMetadata(*dataset_, {.values = {{"lance.auto_cleanup.interval", "3"},
                                            {"lance.auto_cleanup.retain_versions", "2"}}}));
  EXPECT_THAT(Versions(), ElementsAre(1, 2, 3, 4, 5));
  LANCE_ASSERT_OK_AND_ASSIGN(newest, UpdateMetadata(newest, {.values = {{"a", "b"}}}));
  EXPECT_THAT(Versions(), ElementsAre(5, 6));
}

/// Collects warnings.
class WarningCollector : public Observer {
 public:
  void OnWarning(const Warning& warning) override { codes.push_back(warning.code); }
  std::vector<std::string> codes;
};

TEST_F(CleanupTest, ACleanupThatFailsAfterACommitIsAWarning) {
  const auto observer = std::make_shared<WarningCollector>();
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset newest,
      UpdateMetadata(*dataset_, {.values = {{"lance.auto_cleanup.interval", "often"}}},
                     {.observer = observer}));
  EXPECT_EQ(newest.version(), 5u);
  EXPECT_THAT(observer->codes, ElementsAre("auto_cleanup_failed"));
}

/// Versions of one file each, as many commits would leave them.
void PutVersions(const Dataset& base, ObjectStore& store, uint64_t count) {
  const auto manifests = base.impl().manifests();
  for (uint64_t version = base.version() + 1; version <= base.version() + count; ++version) {
    table::Manifest manifest = base.impl().manifest();
    manifest.version = version;
    manifest.transaction_file = std::to_string(version) + "-u.txn";
    manifest.fragments[0].files[0].path = "f" + std::to_string(version) + ".lance";
    ASSERT_THAT(PutText(store, "data/" + manifest.fragments[0].files[0].path, "x"), IsOk());
    ASSERT_THAT(PutText(store, "_transactions/" + manifest.transaction_file, "x"), IsOk());
    ASSERT_THAT(manifests.PutManifest(manifest, table::NamingScheme::kV2, ""), IsOk());
  }
}

TEST_F(CleanupTest, ManyVersionsTakeAFewCallsEachAndLittleMemory) {
  const uint64_t count = IsLongSize() ? 10'000 : 300;
  PutVersions(*dataset_, *session_.memory(), count);
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset newest, dataset_->Checkout());
  session_.store().Disarm();
  RunContext run = newest.impl().Run({});
  run.memory_budget = MemoryBudget::Make(uint64_t{4} << 20);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, CleanUp(newest.impl(), kEverything, run));

  EXPECT_EQ(result.old_versions, count + 3);
  EXPECT_EQ(result.data_files_removed, count + 3);
  // Each version is read once, and its manifest, transaction and data file are deleted once.
  // With each 64 manifests go a note, and looks at pins, tags, and what came since.
  const auto calls_beside = static_cast<int64_t>(40 + 6 * count / 64);
  EXPECT_LE(session_.store().num_calls(), static_cast<int64_t>(4 * count) + calls_beside);
  EXPECT_THAT(Paths("data"), SizeIs(1));
  EXPECT_THAT(Paths("_versions"), SizeIs(2));  // and the hint
}

TEST_F(CleanupTest, KeepsWithinItsMemory) {
  PutVersions(*dataset_, *session_.memory(), 20);
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset newest, dataset_->Checkout());
  RunContext run = newest.impl().Run({});
  run.memory_budget = MemoryBudget::Make(1000);
  const auto refused = CleanUp(newest.impl(), kEverything, run);
  EXPECT_NE(OverBudget::From(refused.status()), nullptr) << refused.status().ToString();
  EXPECT_THAT(Versions(), SizeIs(24));
  EXPECT_EQ(run.memory_budget->in_use_bytes(), 0u);
}

}  // namespace
}  // namespace lance::testing
