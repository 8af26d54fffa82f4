// Every storage call of every operation on branches, clones and copies disturbed: both places are
// as before or as after, the status said which, and the operation can be done again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "branch_operations.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "ordeals.h"
#include "table_state.h"

namespace lance::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class BranchFaultsTest : public ::testing::TestWithParam<BranchOperation> {
 protected:
  void SetUp() override {
    LANCE_ASSERT_OK_AND_ASSIGN(base_, MakeBranchedTable());
    FaultyPlaces places(base_);
    if (operation().prepare != nullptr) {
      ASSERT_THAT(operation().prepare(OpenHandle(places)), IsOk());
    }
    before_ = StateOfPlaces(places.Options(/*with_faults=*/false)).ValueOrDie();
    FaultyPlaces undisturbed(CopyToMemory(*base_).ValueOrDie());
    ASSERT_THAT(operation().act(OpenHandle(undisturbed)), IsOk());
    after_ = See(undisturbed);
    ASSERT_NE(after_, before_) << "the operation changes nothing";
    LANCE_ASSERT_OK_AND_ASSIGN(files_after_, ListPaths(*undisturbed.memory()));
  }

  const BranchOperation& operation() const { return GetParam(); }
  bool has_failed() const { return ::testing::Test::HasFailure(); }

  Dataset OpenHandle(const FaultyPlaces& places, bool with_faults = true) const {
    OpenOptions options = places.Options(with_faults);
    options.ref = operation().ref;
    return Dataset::Open(FaultyPlaces::kSource, options).ValueOrDie();
  }

  /// Both places as a session sees them that nobody used before.
  static std::string See(const FaultyPlaces& places) {
    const auto state = StateOfPlaces(places.Options(/*with_faults=*/false));
    EXPECT_THAT(state, IsOk());
    return state.ok() ? *state : "cannot be read";
  }

  /// \return whether the operation is done
  bool CheckTruth(const FaultyPlaces& places, const arrow::Status& status, bool is_final) const {
    const std::string seen = See(places);
    EXPECT_THAT(seen, AnyOf(before_, after_));
    const bool is_done = seen == after_;
    if (status.ok()) {
      EXPECT_TRUE(is_done) << "success was reported";
    } else if (CommitUnknown::From(status) == nullptr && is_final && !operation().fails_visibly) {
      EXPECT_TRUE(!is_done || SaysLost(status)) << "failure was reported";
    }
    return is_done;
  }

  /// Of a tag nobody waits: its status says that it may be there.
  static bool SaysLost(const arrow::Status& status) {
    return status.message().find("was lost") != std::string::npos;
  }

  /// Done again it gets done, or says that it was.
  void CheckAgain(const FaultyPlaces& places, bool was_done) const {
    const bool repeats = !operation().answer_when_done.empty();
    if (was_done && !repeats) return;
    const arrow::Status again = operation().act(OpenOrMain(places));
    if (was_done && !again.ok()) {
      EXPECT_THAT(again.message(), HasSubstr(operation().answer_when_done));
    } else {
      EXPECT_THAT(again, IsOk());
    }
    EXPECT_EQ(See(places), after_);
  }

  /// The handle, or the main branch when the one that it is of is gone.
  Dataset OpenOrMain(const FaultyPlaces& places) const {
    OpenOptions options = places.Options(/*with_faults=*/false);
    options.ref = operation().ref;
    const auto handle = Dataset::Open(FaultyPlaces::kSource, options);
    options.ref = Ref::Latest();
    return handle.ok() ? *handle : Dataset::Open(FaultyPlaces::kSource, options).ValueOrDie();
  }

  /// What is there that was not there before and would not be there after.
  std::vector<std::string> Leftovers(const FaultyPlaces& places,
                                     const std::vector<std::string>& before) const {
    std::vector<std::string> left;
    for (const std::string& path : ListPaths(*places.memory()).ValueOrDie()) {
      if (std::ranges::find(before, path) == before.end()) left.push_back(path);
    }
    return left;
  }

  /// Run the operation with call `k` disturbed. \return the call that was hit; "": there is none
  std::string RunWithFault(int64_t k, const Ordeal& ordeal) const {
    FaultyPlaces places(CopyToMemory(*base_).ValueOrDie());
    const Dataset handle = OpenHandle(places);
    const auto files = ListPaths(*places.memory()).ValueOrDie();
    places.store().SetListing({.page_size = 3, .is_shuffled = true});
    places.store().Arm(k, ordeal.fault, ordeal.num_faults);
    const arrow::Status status = operation().act(handle);
    const std::string hit = places.store().hit();
    places.store().Disarm();
    if (hit.empty()) return hit;
    SCOPED_TRACE("call " + std::to_string(k) + " " + ordeal.name + ": " + hit + "; status " +
                 status.ToString());
    if (!ordeal.loses_replies) {
      EXPECT_EQ(CommitUnknown::From(status), nullptr) << "doubt without reason";
    }
    CheckTruth(places, status, /*is_final=*/ordeal.fault != Fault::kLandsLate);
    const bool is_plain = !ordeal.loses_replies && !hit.starts_with("Delete ");
    if (is_plain && !status.ok()) {
      EXPECT_THAT(Leftovers(places, files), IsEmpty());
    }
    EXPECT_THAT(places.store().LandDelayed(), IsOk());
    CheckAgain(places, CheckTruth(places, status, /*is_final=*/true));
    return hit;
  }

  std::shared_ptr<ObjectStore> base_;
  std::string before_, after_;
  std::vector<std::string> files_after_;
};

/// Whether the short size also runs this: each call meets one more ordeal, what makes a branch or a
/// version all of them that take no real time.
bool IsInShortSize(const std::string& operation, int64_t k, size_t ordeal,
                   const std::string& call) {
  constexpr size_t kShortOrdeals = 6;
  const bool is_decisive = call.starts_with("Put ") && (call.ends_with(".manifest") ||
                                                        call.find("_refs/") != std::string::npos);
  if (is_decisive && ordeal < kShortOrdeals) return true;
  const size_t round = static_cast<size_t>(k) + operation.size() + TestSeed();
  return round % (ordeal < kShortOrdeals ? kShortOrdeals : 4 * kShortOrdeals) == ordeal;
}

TEST_P(BranchFaultsTest, IsDoneOrNotAndSaysSo) {
  ASSERT_FALSE(has_failed());
  for (int64_t k = 0;; ++k) {
    const std::string hit = RunWithFault(k, Ordeals()[0]);
    if (hit.empty()) {
      ASSERT_GE(k, 1);
      return;
    }
    for (size_t i = 1; i < Ordeals().size(); ++i) {
      if (!IsLongSize() && !IsInShortSize(operation().name, k, i, hit)) continue;
      RunWithFault(k, Ordeals()[i]);
    }
    if (has_failed()) return;
  }
}

TEST_P(BranchFaultsTest, ALastRunLeavesNoMoreThanNeeded) {
  if (!operation().name.starts_with("DeleteBranch")) return;  // others are checked call by call
  for (const std::string& path : files_after_) {
    EXPECT_THAT(path, ::testing::Not(::testing::StartsWith("source/tree/b/_"))) << path;
    EXPECT_THAT(path, ::testing::Not(::testing::StartsWith("source/tree/b/data/"))) << path;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BranchFaultsTest, ::testing::ValuesIn(BranchOperations()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lance::testing
