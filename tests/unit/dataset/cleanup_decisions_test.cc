// What a cleanup decides, without storage.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/dataset/auto_cleanup.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/testing/matchers.h"

namespace lance::testing {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Timestamp At(int64_t second) { return Timestamp(std::chrono::seconds(second)); }

std::vector<table::VersionEntry> Versions(uint64_t count) {
  std::vector<table::VersionEntry> versions;
  for (uint64_t version = 1; version <= count; ++version) versions.push_back({.version = version});
  return versions;
}

TEST(RecogniseFileTest, TellsWhatAFileBelongsTo) {
  const std::pair<const char*, OwnedFile> kFiles[] = {
      {"data/a.lance", {CleanupKind::kData, "data/a.lance"}},
      {"data/sub/a.lance", {CleanupKind::kData, "data/sub/a.lance"}},
      {"data/a/01.blob", {CleanupKind::kData, "data/a.lance"}},
      {"data/.tmp_x", {CleanupKind::kData, "data/.tmp_x"}},
      {"_deletions/1-2-3.arrow", {CleanupKind::kDeletion, "_deletions/1-2-3.arrow"}},
      {"_deletions/1-2-3.bin", {CleanupKind::kDeletion, "_deletions/1-2-3.bin"}},
      {"_indices/u/a/b.lance", {CleanupKind::kIndex, "_indices/u/"}},
      {"_indices/loose", {CleanupKind::kIndex, "_indices/loose"}},
      {"_transactions/1-u.txn", {CleanupKind::kTransaction, "_transactions/1-u.txn"}},
      {"_versions/.tmp_x", {CleanupKind::kTemporary, "_versions/.tmp_x"}},
      {"_blobs/x/y.blob", {CleanupKind::kData, "_blobs/x/y.blob"}},
      {"_fri/3/stable_partition.lance", {CleanupKind::kIndex, "_fri/3/stable_partition.lance"}},
  };
  for (const auto& [path, file] : kFiles) EXPECT_EQ(RecogniseFile(path), file) << path;
}

TEST(RecogniseFileTest, LeavesOthersAlone) {
  for (const char* path :
       {"data/a.txt", "data/a.lance-stage", "_versions/1.manifest", "_versions/1.manifest-x",
        "_versions/latest_version_hint.json", "_deletions/x.txt", "_transactions/x",
        "_refs/tags/t.json", "tree/b/data/a.lance", "other/a.lance", "a.lance", "_clustering/x"}) {
    EXPECT_EQ(RecogniseFile(path), std::nullopt) << path;
  }
}

TEST(UnverifiedTest, YoungFilesStay) {
  const UnverifiedRule rule{.cutoff = At(100), .oldest_kept = At(500)};
  for (const auto kind : {CleanupKind::kData, CleanupKind::kIndex, CleanupKind::kDeletion}) {
    EXPECT_TRUE(DeletesUnverified(kind, At(99), rule));
    EXPECT_FALSE(DeletesUnverified(kind, At(100), rule));
  }
}

TEST(UnverifiedTest, AllGoWhenThatIsAsked) {
  const UnverifiedRule rule{.cutoff = At(100), .delete_all = true, .oldest_kept = At(500)};
  EXPECT_TRUE(DeletesUnverified(CleanupKind::kData, At(900), rule));
  EXPECT_TRUE(DeletesUnverified(CleanupKind::kIndex, At(900), rule));
  // A transaction of the newest commits may be of one that is being made.
  EXPECT_TRUE(DeletesUnverified(CleanupKind::kTransaction, At(499), rule));
  EXPECT_FALSE(DeletesUnverified(CleanupKind::kTransaction, At(500), rule));
  EXPECT_FALSE(DeletesUnverified(CleanupKind::kTemporary, At(500), rule));
}

TEST(PolicyTest, AVersionMeetsAllConditions) {
  CleanupPolicy policy{.before_time = At(100), .before_version = 5, .versions = {2, 3, 7}};
  policy.pinned = {3};
  EXPECT_TRUE(policy.Removes(2, At(99)));
  EXPECT_FALSE(policy.Removes(2, At(100)));  // young
  EXPECT_FALSE(policy.Removes(2, At(0)));    // without a time
  EXPECT_FALSE(policy.Removes(1, At(99)));   // not among the versions
  EXPECT_FALSE(policy.Removes(3, At(99)));   // a branch began there
  EXPECT_FALSE(policy.Removes(7, At(99)));   // newer than the dataset
}

TEST(PolicyTest, KeepsTheNewestSoMany) {
  const auto policy_of = [](uint64_t retained, uint64_t read_version) {
    return MakeCleanupPolicy({.retain_versions = retained}, read_version, Versions(6), At(1000))
        .ValueOrDie()
        .before_version;
  };
  EXPECT_EQ(policy_of(1, 6), 6u);
  EXPECT_EQ(policy_of(4, 6), 3u);
  EXPECT_EQ(policy_of(4, 2), 2u);
  EXPECT_EQ(policy_of(6, 6), 0u);
  EXPECT_EQ(policy_of(100, 6), 0u);
}

TEST(PolicyTest, TheNewestStaysAlsoFromADetachedVersion) {
  constexpr uint64_t kDetached = (uint64_t{1} << 63) + 5;
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto policy,
      MakeCleanupPolicy({.older_than = microseconds(0)}, kDetached, Versions(6), At(1000)));
  EXPECT_TRUE(policy.Removes(5, At(1)));
  EXPECT_FALSE(policy.Removes(6, At(1)));
  EXPECT_FALSE(policy.Removes(kDetached, At(1)));
}

TEST(PolicyTest, NothingAskedMeansTwoWeeks) {
  const auto now = At(100 * 86'400);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto policy, MakeCleanupPolicy({}, 6, Versions(6), now));
  EXPECT_EQ(policy.before_time, now - hours(14 * 24));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto listed,
                             MakeCleanupPolicy({.versions = {1}}, 6, Versions(6), now));
  EXPECT_EQ(listed.before_time, std::nullopt);
}

TEST(PolicyTest, AgesBeyondAllTimeRemoveNothing) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto policy,
      MakeCleanupPolicy({.older_than = microseconds::max()}, 6, Versions(6), At(1000)));
  EXPECT_FALSE(policy.Removes(1, At(1)));
}

TEST(PolicyTest, RefusesWhatIsOutOfRange) {
  const auto make = [](const CleanupRequest& request) {
    return MakeCleanupPolicy(request, 6, Versions(6), At(1000));
  };
  EXPECT_THAT(make({.older_than = microseconds(-1)}), IsInvalid(HasSubstr("older_than is -1")));
  EXPECT_THAT(make({.retain_versions = 0}), IsInvalid(HasSubstr("retain_versions is 0")));
  EXPECT_THAT(make({.max_deletes_per_second = 0}),
              IsInvalid(HasSubstr("deletions in a second are 0")));
}

TEST(DurationTest, ReadsNumbersWithUnits) {
  const std::pair<const char*, microseconds> kTexts[] = {
      {"14days", hours(14 * 24)}, {"2h 30m", hours(2) + std::chrono::minutes(30)},
      {"7d", hours(7 * 24)},      {"0s", microseconds(0)},
      {"0", microseconds(0)},     {"1ms 5us", microseconds(1005)},
      {" 3 weeks ", hours(504)},  {"1h30m", std::chrono::minutes(90)},
      {"1y", hours(8766)},        {"999ns", microseconds(0)},
  };
  for (const auto& [text, age] : kTexts) {
    const auto read = ParseDuration(text);
    ASSERT_THAT(read, IsOk()) << text;
    EXPECT_EQ(*read, age) << text;
  }
}

TEST(DurationTest, RefusesOthers) {
  for (const char* text : {"", " ", "7", "d", "-7d", "7x", "7 d x", "99999999999y", "1.5h",
                           "300y 300y", "18446744073709551616s"}) {
    EXPECT_THAT(ParseDuration(text), IsInvalid(HasSubstr("allowed: numbers with units"))) << text;
  }
}

using Config = std::map<std::string, std::string>;

TEST(AutoCleanupTest, IsDueEverySoManyVersions) {
  const Config config = {{"lance.auto_cleanup.interval", "3"},
                         {"lance.auto_cleanup.older_than", "2h"},
                         {"lance.auto_cleanup.retain_versions", "5"},
                         {"lance.auto_cleanup.delete_rate_limit", "9"},
                         {"lance.auto_cleanup.delete_concurrency", "2"},
                         {"lance.auto_cleanup.referenced_branch", "false"}};
  EXPECT_EQ(AutoCleanupOf(config, 4)->has_value(), false);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto due, AutoCleanupOf(config, 6));
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->request.older_than, microseconds(hours(2)));
  EXPECT_EQ(due->request.retain_versions, 5u);
  EXPECT_EQ(due->request.max_deletes_per_second, 9u);
  EXPECT_EQ(due->num_threads, 2);
  EXPECT_FALSE(due->request.delete_unverified);
  EXPECT_FALSE(due->request.error_if_tagged_old_versions);
}

TEST(AutoCleanupTest, WithoutAConditionEverythingOldGoes) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto due,
                             AutoCleanupOf({{"lance.auto_cleanup.interval", "0"}}, 7));
  ASSERT_TRUE(due.has_value());
  EXPECT_EQ(due->request.older_than, microseconds(0));
}

TEST(AutoCleanupTest, WithoutAnIntervalNothingIsDue) {
  EXPECT_EQ(AutoCleanupOf({{"lance.auto_cleanup.older_than", "x"}}, 7)->has_value(), false);
}

TEST(AutoCleanupTest, SaysWhatItCannotRead) {
  const std::pair<const char*, const char*> kValues[] = {
      {"older_than", "soon"}, {"retain_versions", "-1"},   {"delete_rate_limit", "1x"},
      {"interval", " 1"},     {"delete_concurrency", "0"}, {"referenced_branch", "maybe"}};
  for (const auto& [key, value] : kValues) {
    const std::string name = std::string("lance.auto_cleanup.") + key;
    Config config = {{"lance.auto_cleanup.interval", "1"}};
    config[name] = value;
    EXPECT_THAT(AutoCleanupOf(config, 7), IsInvalid(HasSubstr(name))) << key;
  }
  const auto branches = AutoCleanupOf(
      {{"lance.auto_cleanup.interval", "1"}, {"lance.auto_cleanup.referenced_branch", "true"}}, 7);
  ASSERT_NE(UnsupportedFeature::From(branches.status()), nullptr);
}

TEST(KeysTest, OfAVersionAndOfWhatItTookFromElsewhere) {
  table::Manifest manifest;
  manifest.transaction_file = "1-u.txn";
  manifest.fragments.push_back(
      {.id = 4,
       .files = {{.path = "own.lance"}, {.path = "theirs.lance", .base_id = 0}},
       .deletion_file = table::DeletionFile{.read_version = 2, .id = 3}});
  manifest.fragments.push_back(
      {.id = 5, .deletion_file = table::DeletionFile{.read_version = 1, .id = 9, .base_id = 0}});
  manifest.indices = {{.name = "own"}, {.name = "theirs", .base_id = 0}};
  std::vector<std::string> own, elsewhere;

  VisitOwnKeys(manifest, [&](std::string key) { own.push_back(std::move(key)); });
  VisitKeysElsewhere(manifest, [&](std::string key) { elsewhere.push_back(std::move(key)); });

  const std::string index = "_indices/00000000-0000-0000-0000-000000000000/";
  EXPECT_THAT(elsewhere,
              ElementsAre("data/theirs.lance", "theirs.lance", "_deletions/5-1-9.arrow", index));
  // A base path may be the table's own place.
  std::vector<std::string> all = {"data/own.lance", "_deletions/4-2-3.arrow", index,
                                  "_transactions/1-u.txn"};
  all.insert(all.end(), elsewhere.begin(), elsewhere.end());
  EXPECT_EQ(own, all);
}

TEST(KeysTest, OfBasesThatAreFoldersOfATable) {
  const auto keys_of = [](const std::string& base, bool is_dataset_root) {
    table::Manifest manifest;
    manifest.base_paths = {{.id = 3, .is_dataset_root = is_dataset_root, .path = base}};
    manifest.fragments = {{.files = {{.path = "x.lance", .base_id = 3}}}};
    std::vector<std::string> keys;
    VisitOwnKeys(manifest, [&](std::string key) { keys.push_back(std::move(key)); });
    return keys;
  };
  EXPECT_THAT(keys_of("/a/t/data/sub/", false), Contains("data/sub/x.lance"));
  EXPECT_THAT(keys_of("s3://a/t/data", false), Contains("data/x.lance"));
  EXPECT_THAT(keys_of("/a/data/t/data/sub", false), Contains("data/sub/x.lance"));
  EXPECT_THAT(keys_of("/a/t/data/inner", true), Contains("data/inner/data/x.lance"));
  EXPECT_THAT(keys_of("", false), Contains("data/x.lance"));
}

}  // namespace
}  // namespace lance::testing
