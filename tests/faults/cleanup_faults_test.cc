// Every storage call of a cleanup failing, torn, unanswered, late, or its process dying there:
// every version that still opens reads as before, and the cleanup can be done again, to the same
// end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "faulty_operation.h"
#include "lance/cleanup.h"
#include "lance/dataset/cleanup_impl.h"
#include "lance/table/manifest_names.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "table_state.h"

namespace lance::testing {
namespace {

constexpr CleanupRequest kEverything{.older_than = std::chrono::microseconds(0),
                                     .error_if_tagged_old_versions = false};

std::string NameOfFault(Fault fault) {
  switch (fault) {
    case Fault::kFails:
      return "Fails";
    case Fault::kTorn:
      return "Torn";
    case Fault::kNoReply:
      return "NoReply";
    case Fault::kLandsLate:
      return "LandsLate";
    default:
      return "Dies";
  }
}

class CleanupFaultsTest : public ::testing::TestWithParam<Fault> {
 protected:
  /// Versions with deletion files, a replaced index, a tag and an overwrite.
  void SetUp() override {
    FaultySession session;
    LANCE_ASSERT_OK_AND_ASSIGN(Dataset dataset, MakeBaseTable(session.Options()));
    ASSERT_THAT(AppendRows(dataset, R"([[7, 70, "g"]])"), IsOk());
    LANCE_ASSERT_OK_AND_ASSIGN(dataset, dataset.Checkout());
    ASSERT_THAT(CreateTag(dataset, "keep"), IsOk());
    LANCE_ASSERT_OK_AND_ASSIGN(auto deleted, Delete(dataset, "id = 2"));
    LANCE_ASSERT_OK_AND_ASSIGN(dataset, CreateIndex(deleted.dataset, {.column = "k"}));
    LANCE_ASSERT_OK_AND_ASSIGN(dataset, CreateIndex(dataset, {.column = "k"}));
    LANCE_ASSERT_OK_AND_ASSIGN(auto updated,
                               Update(dataset, {.updates = {{"s", "'new'"}}, .where = "id > 3"}));
    newest_version_ = updated.dataset.version();
    LANCE_ASSERT_OK_AND_ASSIGN(base_, CopyToMemory(*session.memory()));
    for (uint64_t version = 1; version <= newest_version_; ++version) {
      const auto old = updated.dataset.Checkout(Ref::Version(version)).ValueOrDie();
      states_[version] = StateOf(old).ValueOrDie().whole;
    }
    FaultySession undisturbed(CopyToMemory(*base_).ValueOrDie());
    ASSERT_THAT(CleanupOldVersions(Open(undisturbed), kEverything), IsOk());
    kept_ = ListPaths(*undisturbed.memory()).ValueOrDie();
    ASSERT_LT(kept_.size(), ListPaths(*base_).ValueOrDie().size());
  }

  static Dataset Open(const FaultySession& session, bool with_faults = false) {
    return Dataset::Open(FaultySession::kUri, session.Options(with_faults)).ValueOrDie();
  }

  /// Versions that are there are what they were; the newest and the tagged one are there.
  void CheckVersions(const FaultySession& session) const {
    const Dataset newest = Open(session);
    EXPECT_EQ(newest.version(), newest_version_);
    std::set<uint64_t> there;
    const auto versions = newest.impl().manifests().ListVersions().ValueOrDie();
    for (const table::VersionEntry& entry : versions) {
      there.insert(entry.version);
      const auto version = newest.Checkout(Ref::Version(entry.version));
      ASSERT_THAT(version, IsOk());
      const auto state = StateOf(*version);
      ASSERT_THAT(state, IsOk()) << "version " << entry.version;
      EXPECT_EQ(state->whole, states_.at(entry.version));
    }
    EXPECT_TRUE(there.contains(2) && there.contains(newest_version_));
  }

  /// Done again when seven days have passed, it comes to the same end.
  void CheckRepetition(const FaultySession& session) const {
    const Dataset newest = Open(session);
    ASSERT_THAT(CleanupOldVersions(newest, kEverything), IsOk());
    CheckVersions(session);
    FakeClock later(
        std::chrono::time_point_cast<Timestamp::duration>(std::chrono::system_clock::now()) +
        std::chrono::hours(8 * 24));
    RunContext run = newest.impl().Run({});
    run.clock = &later;
    ASSERT_THAT(CleanUp(newest.impl(), kEverything, run), IsOk());
    CheckVersions(session);
    EXPECT_EQ(Objects(session), kept_);
  }

  /// The paths of all that is there.
  static std::vector<std::string> Objects(const FaultySession& session) {
    return ListPaths(*session.memory()).ValueOrDie();
  }

  /// \return the call that was hit; "": there is none
  std::string RunWithFault(int64_t k, int64_t num_faults) {
    FaultySession session(CopyToMemory(*base_).ValueOrDie());
    const Dataset dataset = Open(session, /*with_faults=*/true);
    session.store().SetListing({.page_size = 3, .is_shuffled = true});
    session.store().Arm(k, GetParam(), num_faults);
    const auto result = CleanupOldVersions(dataset, kEverything, {.num_threads = 1});
    const std::string hit = session.store().hit();
    session.store().Disarm();
    if (hit.empty()) return hit;
    SCOPED_TRACE("call " + std::to_string(k) + ": " + hit + "; " + result.status().ToString());
    CheckVersions(session);
    if (result.ok() && result->failed_deletes == 0) {
      EXPECT_EQ(Objects(session), kept_);
    }
    if (hit.starts_with("Delete ") && GetParam() != Fault::kDies && num_faults == 1) {
      EXPECT_THAT(result, IsOk()) << "one file that stays must not stop the others";
    }
    EXPECT_THAT(session.store().LandDelayed(), IsOk());
    CheckVersions(session);
    CheckRepetition(session);
    return hit;
  }

  std::shared_ptr<ObjectStore> base_;
  uint64_t newest_version_ = 0;
  std::map<uint64_t, std::string> states_;
  std::vector<std::string> kept_;
};

TEST_P(CleanupFaultsTest, NeverTakesFilesOfAVersionThatOpens) {
  for (int64_t k = 0;; ++k) {
    if (RunWithFault(k, 1).empty()) {
      EXPECT_GT(k, 20);
      return;
    }
    if (IsLongSize() || (k + static_cast<int64_t>(TestSeed())) % 5 == 0) RunWithFault(k, 4);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CleanupFaultsTest,
                         ::testing::Values(Fault::kFails, Fault::kTorn, Fault::kNoReply,
                                           Fault::kLandsLate, Fault::kDies),
                         [](const auto& tested) { return NameOfFault(tested.param); });

}  // namespace
}  // namespace lance::testing
