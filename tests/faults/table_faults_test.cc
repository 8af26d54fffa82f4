// Every storage call of every operation that commits failing, torn, unanswered, late, in conflict,
// throttled: the table opens as the old or as the new version, the status said which, no file that
// a version needs is gone, and the operation can be done again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "faulty_operation.h"
#include "lance/table/manifest_names.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "ordeals.h"
#include "table_state.h"

namespace lance::testing {
namespace {

using ::testing::IsEmpty;

std::vector<FaultyOperation> AllOperations() {
  std::vector<FaultyOperation> all = RowOperations();
  for (auto& operation : ColumnOperations()) all.push_back(std::move(operation));
  for (auto& operation : MetadataOperations()) all.push_back(std::move(operation));
  for (auto& operation : IndexOperations()) all.push_back(std::move(operation));
  for (auto& operation : CompactionOperations()) all.push_back(std::move(operation));
  for (auto& operation : IndexRewriteOperations()) all.push_back(std::move(operation));
  for (auto& operation : RawOperations()) all.push_back(std::move(operation));
  for (auto& operation : TransactionOperations()) all.push_back(std::move(operation));
  for (auto& operation : HandMadeOperations()) all.push_back(std::move(operation));
  return all;
}

/// What a table is after an operation, seen without faults.
struct Sight {
  std::optional<Dataset> dataset;  // no value: there is no table
  size_t num_commits = 0;          // of the operation
};

class TableFaultsTest : public ::testing::TestWithParam<FaultyOperation> {
 protected:
  void SetUp() override {
    FaultySession session;
    if (!operation().creates_table) {
      LANCE_ASSERT_OK_AND_ASSIGN(const Dataset base, MakeBaseTable(session.Options()));
      if (operation().prepare != nullptr) {
        ASSERT_THAT(operation().prepare(base), IsOk());
      }
    }
    LANCE_ASSERT_OK_AND_ASSIGN(base_, CopyToMemory(*session.memory()));
    LearnStates();
  }

  const FaultyOperation& operation() const { return GetParam(); }
  bool has_failed() const { return ::testing::Test::HasFailure(); }

  /// Open the table of a session and let the rival commit.
  TableHandle OpenHandle(const FaultySession& session) const {
    TableHandle handle{.options = session.Options()};
    if (operation().creates_table) return handle;
    handle.dataset = Dataset::Open(FaultySession::kUri, handle.options).ValueOrDie();
    if (operation().rival != nullptr) {
      EXPECT_THAT(operation().rival(*handle.dataset), IsOk());
    }
    return handle;
  }

  /// The versions that the operation makes when storage works.
  void LearnStates() {
    FaultySession session(CopyToMemory(*base_).ValueOrDie());
    const TableHandle handle = OpenHandle(session);
    if (!operation().creates_table) {
      const Dataset old = handle.dataset->Checkout().ValueOrDie();
      old_version_ = old.version();
      states_.push_back(StateOf(old).ValueOrDie());
    } else {
      states_.emplace_back();
    }
    const auto before = ListPaths(*session.memory()).ValueOrDie();
    session.store().Disarm();
    LANCE_ASSERT_OK_AND_ASSIGN(const Dataset made, operation().act(handle));
    if (!operation().leaves_files) CheckLeftovers(session, before);
    const Sight sight = Look(session);
    if (!operation().is_detached) {
      ASSERT_EQ(sight.dataset->version(), made.version());
    }
    for (size_t i = 1; i < sight.num_commits; ++i) {
      const Dataset between = made.Checkout(Ref::Version(old_version_ + i)).ValueOrDie();
      states_.push_back(StateOf(between).ValueOrDie());
    }
    states_.push_back(StateOf(*sight.dataset).ValueOrDie());
    EXPECT_EQ(states_.back().rows, operation().rows);
    ASSERT_NE(states_.back().whole, states_.front().whole) << "the operation changes nothing";
    const size_t num_rewrite_states = operation().refreshes_zonemaps ? 4 : 3;
    ASSERT_EQ(states_.size(), operation().is_rewrite ? num_rewrite_states : 2);
  }

  /// Look at a table with a session that nobody used before.
  Sight Look(const FaultySession& session) const {
    const OpenOptions clean = session.Options(/*with_faults=*/false);
    auto newest = Dataset::Open(FaultySession::kUri, clean);
    if (operation().creates_table && NotFound::From(newest.status()) != nullptr) return {};
    EXPECT_THAT(newest, IsOk());
    if (!newest.ok()) return {};
    if (!operation().is_detached) return {*newest, newest->version() - old_version_};
    EXPECT_EQ(newest->version(), old_version_) << "a detached version became the newest";
    const auto detached = DetachedVersions(*session.memory()).ValueOrDie();
    EXPECT_LE(detached.size(), 1u);
    if (detached.empty()) return {*newest, 0};
    return {newest->Checkout(Ref::Version(detached[0])).ValueOrDie(), 1};
  }

  /// Whether the rows are where the operation wants them.
  bool IsDone(size_t num_commits) const {
    return num_commits >= (operation().is_rewrite ? 2 : states_.size() - 1);
  }

  /// The table is one of the expected versions, and the status is true.
  void CheckTruth(const FaultySession& session, const arrow::Result<Dataset>& result,
                  bool is_final) const {
    const Sight sight = Look(session);
    ASSERT_LT(sight.num_commits, states_.size());
    if (sight.dataset) {
      LANCE_ASSERT_OK_AND_ASSIGN(const TableState state, StateOf(*sight.dataset));
      EXPECT_EQ(state.whole, states_[sight.num_commits].whole);
    }
    const bool is_done = IsDone(sight.num_commits);
    if (result.ok()) {
      ASSERT_TRUE(is_done) << "success was reported";
      // Only doubt about refreshed zonemaps may leave a newer version than the one reported.
      EXPECT_LE(result->version(), sight.dataset->version());
      if (!operation().is_rewrite && !operation().is_detached) {
        EXPECT_EQ(result->version(), sight.dataset->version());
      }
    } else if (CommitUnknown::From(result.status()) == nullptr && is_final) {
      EXPECT_FALSE(is_done) << "failure was reported";
    }
    CheckVersions(session, sight);
  }

  /// Every version has all of its files, and the old one reads as before.
  void CheckVersions(const FaultySession& session, const Sight& sight) const {
    if (!sight.dataset) return;
    const auto paths = ListPaths(*session.memory()).ValueOrDie();
    const std::set<std::string> there(paths.begin(), paths.end());
    for (const std::string& path : KeptPaths(*sight.dataset)) {
      EXPECT_TRUE(there.contains(path)) << path << " is gone";
    }
    if (old_version_ == 0) return;
    const auto old = sight.dataset->Checkout(Ref::Version(old_version_));
    ASSERT_THAT(old, IsOk());
    EXPECT_EQ(StateOf(*old).ValueOrDie().whole, states_[0].whole);
  }

  /// What all versions refer to.
  static std::set<std::string> KeptPaths(const Dataset& newest) {
    std::set<std::string> kept = PathsOf(newest).ValueOrDie();
    const auto versions = ListVersions(newest).ValueOrDie();
    for (const VersionInfo& version : versions) {
      const auto old = newest.Checkout(Ref::Version(version.version)).ValueOrDie();
      kept.merge(PathsOf(old).ValueOrDie());
    }
    return kept;
  }

  /// Nothing is left behind when storage said clearly what it did.
  void CheckLeftovers(const FaultySession& session, const std::vector<std::string>& before) const {
    const Sight sight = Look(session);
    std::vector<std::string> left;
    for (const std::string& path : ListPaths(*session.memory()).ValueOrDie()) {
      const bool is_old = std::ranges::find(before, path) != before.end();
      const bool is_kept = sight.dataset && KeptPaths(*sight.dataset).contains(path);
      if (!is_old && !is_kept && path != table::kVersionHintPath) left.push_back(path);
    }
    EXPECT_THAT(left, IsEmpty());
  }

  /// Whoever failed does it again; whoever succeeded goes on.
  void CheckGoingOn(const FaultySession& session) const {
    const Sight sight = Look(session);
    TableHandle handle{.options = session.Options(/*with_faults=*/false)};
    if (sight.dataset)
      handle.dataset = Dataset::Open(FaultySession::kUri, handle.options).ValueOrDie();
    if (!IsDone(sight.num_commits)) {
      const auto again = operation().act(handle);
      ASSERT_THAT(again, IsOk());
      EXPECT_EQ(StateOf(*Look(session).dataset).ValueOrDie().rows, operation().rows);
      return;
    }
    const auto next = UpdateMetadata(*handle.dataset, {.values = {{"next", "works"}}});
    ASSERT_THAT(next, IsOk());
    EXPECT_EQ(next->version(), handle.dataset->version() + 1);
  }

  /// Trying again is the commit's own business, and a hint is never needed.
  static bool IsHarmless(const std::string& hit, const Ordeal& ordeal) {
    if (ordeal.num_faults > 1 || ordeal.fault == Fault::kDies) return false;
    return hit == "Put " + std::string(table::kVersionHintPath) ||
           (ordeal.fault == Fault::kConflicts && hit.starts_with("Put _versions/"));
  }

  /// Run the operation with call `k` disturbed. \return the call that was hit; "": there is none
  std::string RunWithFault(int64_t k, const Ordeal& ordeal, bool goes_on_first) const {
    FaultySession session(CopyToMemory(*base_).ValueOrDie());
    const TableHandle handle = OpenHandle(session);
    const auto before = ListPaths(*session.memory()).ValueOrDie();
    session.store().SetListing({.page_size = 3, .is_shuffled = true});
    session.store().Arm(k, ordeal.fault, ordeal.num_faults);
    const auto result = operation().act(handle);
    const std::string hit = session.store().hit();
    session.store().Disarm();
    if (hit.empty()) return hit;
    SCOPED_TRACE("call " + std::to_string(k) + " " + ordeal.name + ": " + hit + "; status " +
                 result.status().ToString());
    if (IsHarmless(hit, ordeal)) {
      EXPECT_THAT(result, IsOk());
    }
    if (!ordeal.loses_replies) {
      EXPECT_EQ(CommitUnknown::From(result.status()), nullptr) << "doubt without reason";
    }
    CheckTruth(session, result, /*is_final=*/ordeal.fault != Fault::kLandsLate);
    const bool is_plain = !ordeal.loses_replies && !hit.starts_with("Delete ");
    if (is_plain && !operation().leaves_files) CheckLeftovers(session, before);
    if (goes_on_first) {
      CheckGoingOn(session);
      EXPECT_THAT(session.store().LandDelayed(), IsOk());
      const auto newest =
          Dataset::Open(FaultySession::kUri, session.Options(/*with_faults=*/false));
      EXPECT_THAT(newest, IsOk());
      if (!operation().is_detached) {
        EXPECT_EQ(StateOf(*newest).ValueOrDie().rows, operation().rows);
      }
    } else {
      EXPECT_THAT(session.store().LandDelayed(), IsOk());
      CheckTruth(session, result, /*is_final=*/true);
      CheckGoingOn(session);
    }
    return hit;
  }

  std::shared_ptr<ObjectStore> base_;
  uint64_t old_version_ = 0;
  std::vector<TableState> states_;  // before the operation, and after each of its commits
};

/// Whether the short size also runs this: each call meets one more short ordeal, the manifest's put
/// all of them, and some calls a long one, which takes real time where a commit waits. When files
/// have been written the manifest's put also meets the loss of all replies: doubt must keep them.
bool IsInShortSize(const std::string& operation, int64_t k, size_t ordeal, const std::string& call,
                   bool has_files) {
  constexpr size_t kShortOrdeals = 5;
  constexpr size_t kFewerLongOnes = 24;
  const bool is_lasting_loss = Ordeals()[ordeal].name == "NoReplies";
  if (call.starts_with("Put _versions/") && call.ends_with(".manifest") &&
      (ordeal < kShortOrdeals || (has_files && is_lasting_loss))) {
    return true;
  }
  const size_t round = static_cast<size_t>(k) + operation.size() + TestSeed();
  return round % (ordeal < kShortOrdeals ? kShortOrdeals : kFewerLongOnes) == ordeal;
}

TEST_P(TableFaultsTest, LandsOnceOrNotAtAllAndSaysSo) {
  ASSERT_FALSE(has_failed());
  bool has_files = false;
  for (int64_t k = 0;; ++k) {
    // The first run tells what call this is.
    const std::string hit = RunWithFault(k, Ordeals()[0], /*goes_on_first=*/false);
    if (hit.empty()) {
      ASSERT_GE(k, 4);  // list versions, put the transaction, the manifest and the hint
      return;
    }
    has_files = has_files || hit.starts_with("Close ") || hit.starts_with("Put _deletions/");
    for (size_t i = 1; i < Ordeals().size(); ++i) {
      if (!IsLongSize() && !IsInShortSize(operation().name, k, i, hit, has_files)) continue;
      const bool is_late = Ordeals()[i].fault == Fault::kLandsLate;
      const bool goes_on_first = is_late && k % 2 == 1;
      RunWithFault(k, Ordeals()[i], goes_on_first);
      if (is_late && IsLongSize()) RunWithFault(k, Ordeals()[i], !goes_on_first);
    }
    if (has_failed()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TableFaultsTest, ::testing::ValuesIn(AllOperations()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lance::testing
