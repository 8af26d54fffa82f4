// A cleanup that removes a version, and an operation that makes something of this version, in
// every order of their storage calls with up to three changes from one to the other: whatever is
// there afterwards can be read, and the operation did what it says.
//
// Why that is so: docs/decisions/0013-notes-of-work.md.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "faulty_operation.h"
#include "lance/cleanup.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/history.h"
#include "lance/refs.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "table_state.h"
#include "turn_store.h"

namespace lance::testing {
namespace {

constexpr const char* kOldRows = "7:70:g 8:80:h";
const CallOptions kOneThread{.num_threads = 1};

/// Makes something of the old version that it gets.
struct Maker {
  std::string name;
  std::function<arrow::Status(const Dataset& old)> act;
  /// Opens what it made.
  std::function<arrow::Result<Dataset>(const Dataset& newest)> open;
};

void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }

arrow::Result<Dataset> OpenDetached(const Dataset& newest) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, DetachedVersions(*newest.impl().opened.store));
  if (versions.size() != 1) return arrow::Status::KeyError("there is no detached version");
  return newest.Checkout(Ref::Version(versions[0]));
}

std::vector<Maker> Makers() {
  const auto restore = [](bool is_detached) {
    return [=](const Dataset& old) {
      return Restore(old, {.detached = is_detached}, kOneThread).status();
    };
  };
  return {
      {.name = "Restore",
       .act = restore(false),
       .open = [](const Dataset& newest) { return newest.Checkout(); }},
      {.name = "DetachedRestore", .act = restore(true), .open = OpenDetached},
      {.name = "DetachedCommit",
       .act =
           [](const Dataset& old) {
             return UpdateMetadata(old, {.values = {{"a", "1"}}, .commit = {.detached = true}},
                                   kOneThread)
                 .status();
           },
       .open = OpenDetached},
      {.name = "CreateTag",
       .act = [](const Dataset& old) { return CreateTag(old, "new", kOneThread).status(); },
       .open = [](const Dataset& newest) { return newest.Checkout(Ref::Tag("new")); }},
      {.name = "UpdateTag",
       .act = [](const Dataset& old) { return UpdateTag(old, "moving", kOneThread).status(); },
       .open = [](const Dataset& newest) { return newest.Checkout(Ref::Tag("moving")); }},
      {.name = "CreateBranch",
       .act = [](const Dataset& old) { return CreateBranch(old, "side", kOneThread).status(); },
       .open = [](const Dataset& newest) { return newest.Checkout(Ref::Latest("side")); }},
  };
}

arrow::Status Overwrite(const OpenOptions& options, const std::string& rows) {
  InsertBuilder builder(FaultySession::kUri);
  builder.WithMode(WriteMode::kOverwrite).WithOpenOptions(options);
  return builder.Execute(BaseRows(rows)).status();
}

/// Both operations on one table.
class Race {
 public:
  explicit Race(std::shared_ptr<ObjectStore> memory) : memory_(std::move(memory)) {
    for (size_t i = 0; i < 2; ++i) stores_[i] = std::make_shared<TurnStore>(memory_, i);
  }

  /// Version 2 is the old one.
  Dataset Open(size_t operation, const Ref& ref = Ref::Latest()) const {
    return OpenIn(stores_[operation], ref);
  }
  /// Without turns.
  Dataset Open() const { return OpenIn(memory_, Ref::Latest()); }

  const std::shared_ptr<ObjectStore>& memory() const { return memory_; }

  void Run(const std::array<std::function<void()>, 2>& acts, Turns* turns) {
    for (const auto& store : stores_) store->Begin(turns);
    std::thread second([&] {
      acts[1]();
      turns->End(1);
    });
    acts[0]();
    turns->End(0);
    second.join();
    for (const auto& store : stores_) store->Begin(nullptr);
  }

 private:
  static Dataset OpenIn(const std::shared_ptr<ObjectStore>& store, const Ref& ref) {
    SessionOptions options;
    options.object_stores["fault"] = [store](const std::string&, const StorageOptions&)
        -> arrow::Result<std::shared_ptr<ObjectStore>> { return store; };
    return Dataset::Open(FaultySession::kUri,
                         {.ref = ref, .session = Session::Make(std::move(options)).ValueOrDie()})
        .ValueOrDie();
  }

  std::shared_ptr<ObjectStore> memory_;
  std::array<std::shared_ptr<TurnStore>, 2> stores_;
};

class WorkBesideCleanupTest : public ::testing::TestWithParam<Maker> {
 protected:
  /// Three versions, none of which has a file of another, and a tag on the newest.
  void SetUp() override {
    const FaultySession session;
    ASSERT_THAT(MakeBaseTable(session.Options()), IsOk());
    ASSERT_THAT(Overwrite(session.Options(), R"([[7, 70, "g"], [8, 80, "h"]])"), IsOk());
    ASSERT_THAT(Overwrite(session.Options(), R"([[9, 90, "i"]])"), IsOk());
    const Dataset newest = Race(session.memory()).Open();
    old_version_ = newest.version() - 1;
    ASSERT_THAT(CreateTag(newest, "moving"), IsOk());
    base_ = session.memory();
  }

  /// All that is there opens and reads.
  static void CheckAllReads(const Race& race) {
    const Dataset newest = race.Open();
    std::vector<Ref> refs = {Ref::Latest()};
    const auto versions = newest.impl().manifests().ListVersions().ValueOrDie();
    for (const auto& entry : versions) refs.push_back(Ref::Version(entry.version));
    for (const TagInfo& tag : ListTags(newest).ValueOrDie()) refs.push_back(Ref::Tag(tag.name));
    for (const BranchInfo& branch : ListBranches(newest).ValueOrDie()) {
      refs.push_back(Ref::Latest(branch.name));
    }
    const auto detached = DetachedVersions(*race.memory()).ValueOrDie();
    for (const uint64_t version : detached) refs.push_back(Ref::Version(version));
    for (const Ref& ref : refs) {
      const auto opened = newest.Checkout(ref);
      ASSERT_THAT(opened, IsOk());
      EXPECT_THAT(StateOf(*opened), IsOk());
    }
  }

  void CheckMaker(const Race& race, const arrow::Status& status) const {
    const auto made = GetParam().open(race.Open());
    if (!status.ok()) {
      EXPECT_NE(NotFound::From(status), nullptr) << status.ToString();
      return;
    }
    ASSERT_THAT(made, IsOk());
    const auto state = StateOf(*made);
    ASSERT_THAT(state, IsOk());
    EXPECT_EQ(state->rows, kOldRows);
  }

  /// \param maker_is 0: the maker makes the first calls, 1: the cleanup
  /// \return whether the first, and the second, had more calls than counted
  std::pair<bool, bool> RunOnce(size_t maker_is, size_t first_calls, size_t second_calls) {
    Race race(CopyToMemory(*base_).ValueOrDie());
    const Dataset old = race.Open(maker_is, Ref::Version(old_version_));
    const Dataset newest = race.Open(1 - maker_is);
    arrow::Status made;
    arrow::Status cleaned;
    Turns turns(first_calls, second_calls);
    std::array<std::function<void()>, 2> acts;
    acts[maker_is] = [&] { made = GetParam().act(old); };
    acts[1 - maker_is] = [&] {
      cleaned = CleanupOldVersions(newest,
                                   {.older_than = std::chrono::microseconds(0),
                                    .error_if_tagged_old_versions = false},
                                   kOneThread)
                    .status();
    };
    race.Run(acts, &turns);
    SCOPED_TRACE((maker_is == 0 ? "maker " : "cleanup ") + std::to_string(first_calls) +
                 " calls, then " + std::to_string(second_calls) +
                 " of the other; maker: " + made.ToString());
    EXPECT_THAT(cleaned, IsOk());
    CheckAllReads(race);
    CheckMaker(race, made);
    EXPECT_THAT(ListPaths(*race.memory(), "_refs/pins").ValueOrDie(), ::testing::IsEmpty());
    EXPECT_THAT(ListPaths(*race.memory(), "_refs/removals").ValueOrDie(), ::testing::IsEmpty());
    ++(made.ok() ? num_made_ : num_refused_);
    num_waits_ += turns.gave_way() ? 1 : 0;
    return {turns.num_calls(0) > first_calls, turns.num_calls(1) > second_calls};
  }

  /// All orders that begin with one of them; in the short size some.
  void RunAll(size_t maker_is) {
    const uint64_t step = IsLongSize() ? 1 : 7;
    uint64_t order = TestSeed();
    for (size_t first = 0;; ++first) {
      bool has_more = true;
      for (size_t second = 0; has_more; ++second) {
        if (++order % step != 0 && first + second > 0) {
          if (second > kMostCalls) break;
          continue;
        }
        const auto more = RunOnce(maker_is, first, second);
        if (HasFailure()) return;
        if (!more.first) return;
        has_more = more.second;
      }
    }
  }

  static constexpr size_t kMostCalls = 200;

  std::shared_ptr<ObjectStore> base_;
  uint64_t old_version_ = 0;
  int num_made_ = 0;
  int num_refused_ = 0;
  int num_waits_ = 0;
};

TEST_P(WorkBesideCleanupTest, WhateverIsThereReads) {
  RunAll(/*maker_is=*/0);
  RunAll(/*maker_is=*/1);
  EXPECT_GT(num_made_, 10);
  EXPECT_GT(num_refused_, 10);
  RecordProperty("made", num_made_);
  RecordProperty("refused", num_refused_);
  RecordProperty("waits", num_waits_);
}

INSTANTIATE_TEST_SUITE_P(All, WorkBesideCleanupTest, ::testing::ValuesIn(Makers()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lance::testing
