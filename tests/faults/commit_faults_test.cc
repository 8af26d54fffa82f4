#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <thread>

#include "../unit/table/manifest_samples.h"
#include "lance/base/executor.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/fault_store.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using ::lance::testing::Fault;
using ::lance::testing::FaultStore;
using ::lance::testing::IsOk;

constexpr const char* kGroup = "550e8400-e29b-41d4-a716-446655440000";

/// A run context whose time and randomness repeat.
struct Surroundings {
  Surroundings() {
    context.clock = &clock;
    context.random = &random;
  }

  testing::FakeClock clock;
  testing::SeededRandom random{3};
  RunContext context;
};

/// How often a file is in the newest version.
int CountOf(const Manifest& manifest, const std::string& file) {
  int count = 0;
  for (const Fragment& fragment : manifest.fragments) {
    for (const DataFile& data : fragment.files) count += data.path == file ? 1 : 0;
  }
  return count;
}

/// One scenario: a table, and a commit that must survive every fault of storage.
struct Scenario {
  std::string name;
  bool has_table;  // else the commit creates it
  int num_rivals;  // versions that landed after our read version
  bool is_stamped;
};

CommitRequest OursFor(const Scenario& scenario) {
  CommitRequest request = scenario.has_table ? AppendRequest(1, "ours") : CreateRequest();
  if (!scenario.has_table) {
    std::get<Overwrite>(request.transaction.operation).fragments[0].files[0].path = "ours";
  }
  if (scenario.is_stamped) {
    request.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  }
  return request;
}

void SetUpTable(const Scenario& scenario, const std::shared_ptr<ObjectStore>& store) {
  Surroundings run;
  const ManifestStore manifests(store);
  if (scenario.has_table) {
    ASSERT_THAT(Commit(manifests, CreateRequest(), run.context), IsOk());
  }
  for (int i = 0; i < scenario.num_rivals; ++i) {
    CommitRequest rival = AppendRequest(1, "rival" + std::to_string(i));
    rival.transaction.uuid.clear();
    ASSERT_THAT(Commit(manifests, rival, run.context), IsOk());
  }
}

/// Check that the status told the truth about a store that is in its final state.
void CheckTruth(const arrow::Result<LoadedManifest>& result, uint64_t old_version,
                const std::shared_ptr<ObjectStore>& store, bool is_final) {
  Surroundings run;
  const ManifestStore manifests(store);
  const auto latest = manifests.LoadLatest(run.context);
  if (old_version == 0 && !latest.ok()) {
    ASSERT_NE(NotFound::From(latest.status()), nullptr) << latest.status();
    EXPECT_FALSE(result.ok());
    return;
  }
  ASSERT_THAT(latest, IsOk());
  const int count = CountOf(latest->manifest, "ours");
  ASSERT_EQ(latest->manifest.version, old_version + static_cast<uint64_t>(count));
  ASSERT_LE(count, 1);
  if (result.ok()) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(result->manifest.version, latest->manifest.version);
    EXPECT_TRUE(result->manifest == latest->manifest);
  } else if (CommitUnknown::From(result.status()) == nullptr && is_final) {
    EXPECT_EQ(count, 0) << result.status();
  }
}

class CommitFaultsTest : public ::testing::TestWithParam<std::tuple<Scenario, Fault>> {
 protected:
  const Scenario& scenario() const { return std::get<0>(GetParam()); }
  Fault fault() const { return std::get<1>(GetParam()); }
  uint64_t old_version() const {
    return scenario().has_table ? 1 + static_cast<uint64_t>(scenario().num_rivals) : 0;
  }

  /// Run the commit with one call disturbed. \return whether the fault was hit
  bool RunWithFault(int64_t k) {
    const auto memory = MakeMemoryStore();
    SetUpTable(scenario(), memory);
    const auto store = FaultStore::Make(memory);
    const ManifestStore manifests(store);
    Surroundings run;
    store->Arm(k, fault());

    const auto result = Commit(manifests, OursFor(scenario()), run.context);

    const std::string hit = store->hit();
    SCOPED_TRACE("call " + std::to_string(k) + " " + hit + ": " + result.status().ToString());
    CheckTruth(result, old_version(), memory, /*is_final=*/false);
    EXPECT_THAT(store->LandDelayed(), IsOk());
    CheckTruth(result, old_version(), memory, /*is_final=*/true);
    CheckRetry(result, memory);
    return !hit.empty();
  }

  /// Whoever does not know may run the same commit again: it lands exactly once.
  void CheckRetry(const arrow::Result<LoadedManifest>& result,
                  const std::shared_ptr<ObjectStore>& memory) {
    if (result.ok()) return;
    Surroundings run;
    const auto again = Commit(ManifestStore(memory), OursFor(scenario()), run.context);
    ASSERT_THAT(again, IsOk());
    CheckTruth(again, old_version(), memory, /*is_final=*/true);
  }
};

TEST_P(CommitFaultsTest, EveryCallMayFail) {
  int64_t k = 0;
  while (RunWithFault(k)) {
    if (HasFatalFailure()) return;
    ++k;
  }
  EXPECT_GE(k, 4);  // list, transaction file, manifest, hint
}

std::string NameOf(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return "None";
    case Fault::kFails:
      return "Fails";
    case Fault::kTorn:
      return "Torn";
    case Fault::kNoReply:
      return "NoReply";
    case Fault::kLandsLate:
      return "LandsLate";
    case Fault::kConflicts:
      return "Conflicts";
    case Fault::kDies:
      return "Dies";
  }
  return "";
}

INSTANTIATE_TEST_SUITE_P(All, CommitFaultsTest,
                         ::testing::Combine(::testing::ValuesIn<Scenario>({
                                                {"Create", false, 0, false},
                                                {"Append", true, 0, false},
                                                {"AppendPastRivals", true, 2, false},
                                                {"StampedAppend", true, 1, true},
                                            }),
                                            ::testing::Values(Fault::kFails, Fault::kTorn,
                                                              Fault::kNoReply, Fault::kLandsLate,
                                                              Fault::kDies)),
                         [](const auto& test) {
                           return std::get<0>(test.param).name + NameOf(std::get<1>(test.param));
                         });

/// What becomes of one put of a manifest, and what becomes of later reads.
enum class PutFault {
  kStored,     // it works
  kRival,      // another takes the name first
  kFails,      // nothing happens, and the status says so
  kLostLands,  // it lands, nobody knows
  kLostLate,   // it lands when all is over, if the name is free then
  kLostGone,   // it never lands, nobody knows
  kLostSoon,   // it lands after we have looked, before the next round lists versions
};

/// Plays a script of put faults; can also fail every read from a point on.
class ScriptedStore : public ObjectStore {
 public:
  ScriptedStore(std::shared_ptr<ObjectStore> store, std::vector<PutFault> script,
                int first_failing_read)
      : store_(std::move(store)),
        script_(std::move(script)),
        first_failing_read_(first_failing_read) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ARROW_RETURN_NOT_OK(CountRead());
    return store_->Head(path);
  }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    ARROW_RETURN_NOT_OK(CountRead());
    if (num_lists_++ > 0) LandSoon();
    return store_->List(prefix, visit);
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    if (mode == PutMode::kOverwrite) return store_->Put(path, std::move(bytes), mode);
    const PutFault fault = next_ < script_.size() ? script_[next_++] : PutFault::kStored;
    switch (fault) {
      case PutFault::kStored:
        return store_->Put(path, std::move(bytes), mode);
      case PutFault::kRival: {
        const auto digit = static_cast<char>('2' + num_rivals_++);
        const CommitRequest rival = AppendRequest(1, std::string("rival") + digit, digit);
        Surroundings run;
        ARROW_RETURN_NOT_OK(Commit(ManifestStore(store_), rival, run.context).status());
        return store_->Put(path, std::move(bytes), mode);
      }
      case PutFault::kFails:
        return arrow::Status::IOError("scripted failure");
      case PutFault::kLostLands:
        ARROW_RETURN_NOT_OK(store_->Put(path, std::move(bytes), mode));
        return PutOutcome::kUnknown;
      case PutFault::kLostLate:
        delayed_.emplace_back(path, std::move(bytes));
        return PutOutcome::kUnknown;
      case PutFault::kLostGone:
        return PutOutcome::kUnknown;
      case PutFault::kLostSoon:
        soon_.emplace_back(path, std::move(bytes));
        return PutOutcome::kUnknown;
    }
    return arrow::Status::UnknownError("no such fault");
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override { return store_->Delete(path); }

  void LandSoon() {
    for (auto& [path, bytes] : soon_) {
      ASSERT_THAT(store_->Put(path, bytes, PutMode::kIfAbsent), IsOk());
    }
    soon_.clear();
  }
  void LandDelayed() {
    LandSoon();
    for (auto& [path, bytes] : delayed_) {
      ASSERT_THAT(store_->Put(path, bytes, PutMode::kIfAbsent), IsOk());
    }
  }
  int num_rivals() const { return num_rivals_; }

 private:
  arrow::Status CountRead() {
    if (first_failing_read_ < 0 || num_reads_++ < first_failing_read_) return arrow::Status::OK();
    return arrow::Status::IOError("scripted failure of a read");
  }

  std::shared_ptr<ObjectStore> store_;
  std::vector<PutFault> script_;
  int first_failing_read_;
  int num_reads_ = 0;
  int num_lists_ = 0;
  size_t next_ = 0;
  int num_rivals_ = 0;
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Buffer>>> delayed_;
  std::vector<std::pair<std::string, std::shared_ptr<arrow::Buffer>>> soon_;
};

constexpr PutFault kAllFaults[] = {PutFault::kStored,    PutFault::kRival,    PutFault::kFails,
                                   PutFault::kLostLands, PutFault::kLostLate, PutFault::kLostGone,
                                   PutFault::kLostSoon};

/// Run one script and check that the commit landed at most once and that its status was true.
void CheckScript(const std::vector<PutFault>& script, int first_failing_read, bool is_stamped) {
  const auto memory = MakeMemoryStore();
  SetUpTable({"", true, 0, false}, memory);
  const auto store = std::make_shared<ScriptedStore>(memory, script, first_failing_read);
  Surroundings run;
  CommitRequest request = OursFor({"", true, 0, is_stamped});
  request.retry.max_retries = 2;

  const auto result = Commit(ManifestStore(store), request, run.context);

  store->LandDelayed();
  const auto latest = ManifestStore(memory).LoadLatest(run.context);
  ASSERT_THAT(latest, IsOk());
  const int count = CountOf(latest->manifest, "ours");
  ASSERT_LE(count, 1);
  EXPECT_EQ(latest->manifest.version, 1u + static_cast<uint64_t>(store->num_rivals() + count));
  if (result.ok()) {
    EXPECT_EQ(count, 1);
    const auto landed = ManifestStore(memory).Load(result->manifest.version, run.context);
    ASSERT_THAT(landed, IsOk());
    EXPECT_TRUE(landed->manifest == result->manifest);
  } else if (CommitUnknown::From(result.status()) == nullptr) {
    EXPECT_EQ(count, 0) << result.status();
  } else if (count == 1) {
    const std::string file = "_transactions/" + latest->manifest.transaction_file;
    EXPECT_THAT(memory->Head(file), IsOk());  // what may have landed keeps its files
  }
}

TEST(CommitScripts, EveryScriptLandsOnceOrReportsTruthfully) {
  for (const PutFault first : kAllFaults) {
    for (const PutFault second : kAllFaults) {
      for (const PutFault third : kAllFaults) {
        for (int first_failing_read = -1; first_failing_read < 8; ++first_failing_read) {
          for (const bool is_stamped : {false, true}) {
            SCOPED_TRACE("puts " + std::to_string(static_cast<int>(first)) +
                         std::to_string(static_cast<int>(second)) +
                         std::to_string(static_cast<int>(third)) + ", failing read " +
                         std::to_string(first_failing_read));
            CheckScript({first, second, third}, first_failing_read, is_stamped);
            if (::testing::Test::HasFailure()) return;
          }
        }
      }
    }
  }
}

/// Threads that each append `num_commits` times to one table.
void Race(int num_threads, int num_commits, const std::shared_ptr<ObjectStore>& store) {
  SetUpTable({"", true, 0, false}, store);
  std::vector<std::vector<uint64_t>> versions(static_cast<size_t>(num_threads));
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t) {
    threads.emplace_back([&, t] {
      RunContext run;
      const ManifestStore manifests(store);
      for (int i = 0; i < num_commits; ++i) {
        CommitRequest request = AppendRequest(1, "t" + std::to_string(t) + "_" + std::to_string(i));
        request.transaction.uuid.clear();
        if (i % 2 == 0) {
          request.clustering = {.define = SampleLayout(static_cast<uint64_t>(t) + 1),
                                .stamp_group_ids = {kGroup}};
        }
        request.retry = {.max_retries = 1000, .timeout = std::chrono::minutes(5)};
        const auto landed = Commit(manifests, request, run);
        ASSERT_THAT(landed, IsOk());
        versions[static_cast<size_t>(t)].push_back(landed->manifest.version);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::set<uint64_t> seen;
  for (const auto& of_thread : versions) seen.insert(of_thread.begin(), of_thread.end());
  const auto total = static_cast<size_t>(num_threads) * static_cast<size_t>(num_commits);
  EXPECT_EQ(seen.size(), total);
  EXPECT_EQ(*seen.begin(), 2u);
  EXPECT_EQ(*seen.rbegin(), total + 1);
  RunContext run;
  const auto latest = ManifestStore(store).LoadLatest(run);
  ASSERT_THAT(latest, IsOk());
  EXPECT_EQ(latest->manifest.fragments.size(), total + 1);
  EXPECT_EQ(latest->manifest.clustering.size(), static_cast<size_t>(num_threads));
  EXPECT_EQ(FindClusteringCorruption(latest->manifest), "");
  const auto listed = ManifestStore(store).ListVersions();
  ASSERT_THAT(listed, IsOk());
  EXPECT_EQ(listed->size(), total + 1);
  EXPECT_EQ(testing::ListPaths(*store, "_transactions").ValueOrDie().size(), total + 1);
}

TEST(CommitRaces, TwoThreadsLandEveryCommitOnce) {
  Race(2, testing::IsLongSize() ? 200 : 20, MakeMemoryStore());
}

TEST(CommitRaces, FourThreadsLandEveryCommitOnce) {
  Race(4, testing::IsLongSize() ? 100 : 10, MakeMemoryStore());
}

}  // namespace
}  // namespace lance::table
