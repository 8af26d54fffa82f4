#include "lance/table/commit.h"

#include <gtest/gtest.h>

#include <functional>

#include "lance/io/stores.h"
#include "lance/table/manifest_names.h"
#include "lance/table/transaction_proto.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsAlreadyExists;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsKeyError;
using ::lance::testing::IsNotImplemented;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::lance::testing::IsSerializationError;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kGroup = "550e8400-e29b-41d4-a716-446655440000";

class CommitTest : public ::testing::Test {
 protected:
  CommitTest() {
    run_.clock = &clock_;
    run_.random = &random_;
  }

  arrow::Result<LoadedManifest> Land(CommitRequest request) {
    return Commit(manifests_, std::move(request), run_);
  }

  arrow::Result<LoadedManifest> Land(uint64_t read_version, Operation operation, char digit) {
    return Land({.transaction = SampleTransaction(read_version, std::move(operation), digit)});
  }

  /// Put a hand-made version.
  void PutVersion(Manifest manifest, uint64_t version, const Transaction& transaction) {
    manifest.version = version;
    const auto bytes = SerializeTransaction(transaction);
    ASSERT_THAT(bytes, IsOk());
    ASSERT_THAT(manifests_.PutManifest(manifest, NamingScheme::kV2, *bytes),
                IsOkAndHolds(PutOutcome::kStored));
  }

  std::vector<std::string> Paths(const std::string& folder) {
    return testing::ListPaths(*store_, folder).ValueOrDie();
  }

  Manifest Latest() { return manifests_.LoadLatest(run_).ValueOrDie().manifest; }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  ManifestStore manifests_{store_};
  testing::FakeClock clock_;
  testing::SeededRandom random_{1};
  RunContext run_;
};

TEST_F(CommitTest, CreatesATable) {
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest created, Land(CreateRequest()));

  EXPECT_EQ(created.manifest.version, 1u);
  EXPECT_EQ(created.manifest.timestamp, clock_.Now());
  EXPECT_THAT(Paths(""), ElementsAre("_transactions/0-cccccccc-cccc-cccc-cccc-cccccccccccc.txn",
                                     "_versions/18446744073709551614.manifest",
                                     "_versions/latest_version_hint.json"));
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest loaded, manifests_.LoadLatest(run_));
  EXPECT_TRUE(loaded.manifest == created.manifest);
  EXPECT_EQ(loaded.size_bytes, created.size_bytes);
  EXPECT_EQ(loaded.inline_transaction, created.inline_transaction);
  LANCE_ASSERT_OK_AND_ASSIGN(
      const std::string beside,
      testing::ReadText(*store_, "_transactions/" + created.manifest.transaction_file));
  EXPECT_EQ(beside, *created.inline_transaction);
}

TEST_F(CommitTest, SaysThatTheTableIsThereWithoutDetail) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest again = CreateRequest();
  again.transaction.uuid.clear();

  const auto result = Land(again);

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("the table is there already")));
  EXPECT_THAT(result, Not(HasDetail<CommitConflict>()));
  EXPECT_EQ(Latest().version, 1u);
  EXPECT_EQ(Paths("_transactions").size(), 1u);
}

TEST_F(CommitTest, KeepsTheNamingSchemeOfTheTable) {
  CommitRequest create = CreateRequest();
  create.naming_of_new_table = NamingScheme::kV1;
  ASSERT_THAT(Land(create), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x")), IsOk());

  EXPECT_THAT(Paths("_versions"), ElementsAre("_versions/1.manifest", "_versions/2.manifest",
                                              "_versions/latest_version_hint.json"));
}

TEST_F(CommitTest, RebasesAnAppendPastNewerVersions) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x", '1')), IsOk());
  ASSERT_THAT(Land(1, SetConfig({{"k", "v"}}), '2'), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, Land(AppendRequest(1, "y", '3')));

  EXPECT_EQ(landed.manifest.version, 4u);
  ASSERT_EQ(landed.manifest.fragments.size(), 3u);
  EXPECT_EQ(landed.manifest.fragments[2].id, 2u);
  EXPECT_EQ(landed.manifest.fragments[2].files[0].path, "y");
  EXPECT_THAT(landed.manifest.config, ElementsAre(Pair("k", "v")));
  EXPECT_EQ(landed.manifest.transaction_file, "1-33333333-3333-3333-3333-333333333333.txn");
  EXPECT_EQ(clock_.slept().count(), 0);
}

TEST_F(CommitTest, TheSameTransactionLandsOnce) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest first, Land(AppendRequest(1, "x", '1')));
  ASSERT_THAT(Land(AppendRequest(2, "y", '2')), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest second, Land(AppendRequest(1, "x", '1')));

  EXPECT_EQ(second.manifest.version, 2u);
  EXPECT_TRUE(second.manifest == first.manifest);
  EXPECT_EQ(Latest().version, 3u);
}

TEST_F(CommitTest, TheSameCreationLandsOnce) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest again, Land(CreateRequest()));

  EXPECT_EQ(again.manifest.version, 1u);
}

TEST_F(CommitTest, TheSameStampedTransactionLandsOnceAlthoughIdsMoved) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest other = AppendRequest(1, "x", '1');
  other.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  CommitRequest request = AppendRequest(1, "y", '2');
  request.clustering = {.define = SampleLayout(2), .stamp_group_ids = {kGroup}};
  ASSERT_THAT(Land(other), IsOk());
  ASSERT_THAT(Land(request), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest again, Land(request));

  EXPECT_EQ(again.manifest.version, 3u);
  EXPECT_EQ(again.manifest.fragments[2].clustering_id, 2u);
}

TEST_F(CommitTest, RefusesAUuidThatBelongsToAnotherCommit) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x", '1')), IsOk());

  EXPECT_THAT(Land(AppendRequest(1, "y", '1')), IsInvalid(HasSubstr("belongs to another commit")));
  EXPECT_EQ(Latest().version, 2u);
}

struct ConflictCase {
  std::string name;
  Operation ours;
  Operation theirs;
  bool is_retryable;
};

class CommitConflictTest : public CommitTest, public ::testing::WithParamInterface<ConflictCase> {};

TEST_P(CommitConflictTest, NamesWhomItMet) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x", '1')), IsOk());
  ASSERT_THAT(Land(2, GetParam().theirs, '2'), IsOk());
  ASSERT_THAT(Land(AppendRequest(3, "y", '3')), IsOk());

  const auto result = Land(1, GetParam().ours, '4');

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("version 3")));
  EXPECT_THAT(result, HasDetail<CommitConflict>(Field(&CommitConflict::version, 3u)));
  EXPECT_THAT(result, HasDetail<CommitConflict>(
                          Field(&CommitConflict::operation, OperationName(GetParam().theirs))));
  EXPECT_THAT(result, HasDetail<CommitConflict>(
                          Field(&CommitConflict::is_retryable, GetParam().is_retryable)));
  EXPECT_EQ(Latest().version, 4u);
  EXPECT_EQ(Paths("_transactions").size(), 4u);
}

const Operation kOverwriteAll = Overwrite{.schema = SampleSchema()};

INSTANTIATE_TEST_SUITE_P(
    All, CommitConflictTest,
    ::testing::ValuesIn<ConflictCase>({
        {"AppendMeetsOverwrite", Append{}, kOverwriteAll, false},
        {"OverwriteMeetsOverwrite", kOverwriteAll, kOverwriteAll, true},
        {"ConfigMeetsConfig", SetConfig({{"k", "1"}}), SetConfig({{"k", "2"}}), false},
        {"IndexMeetsIndex", CreateIndex{.new_indices = {SampleIndex("i", 1, {0})}},
         CreateIndex{.new_indices = {SampleIndex("i", 2, {0})}}, true},
    }),
    [](const auto& test) { return test.param.name; });

TEST_F(CommitTest, RefusesToPassAnOperationThatNobodyKnows) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  PutVersion(Latest(), 2, SampleTransaction(1, ForeignOperation{.field_number = 150}, '9'));

  const auto result = Land(AppendRequest(1, "x"));

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("its operation is not known")));
  EXPECT_THAT(result, HasDetail<CommitConflict>(Field(&CommitConflict::is_retryable, false)));
  EXPECT_THAT(Land(AppendRequest(2, "x")), IsOk());  // it starts from there
}

TEST_F(CommitTest, RefusesToPassAVersionWithoutATransaction) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  Manifest manifest = Latest();
  manifest.version = 2;
  manifest.transaction_file.clear();
  ASSERT_THAT(manifests_.PutManifest(manifest, NamingScheme::kV2, ""), IsOk());

  EXPECT_THAT(Land(AppendRequest(1, "x")), IsAlreadyExists(HasSubstr("names no transaction")));
  EXPECT_THAT(Land(AppendRequest(2, "x")), IsOk());
}

TEST_F(CommitTest, RefusesToPassAVersionThatWasCleanedUp) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x", '1')), IsOk());
  ASSERT_THAT(Land(AppendRequest(2, "y", '2')), IsOk());
  ASSERT_THAT(store_->Delete(ManifestPath(2, NamingScheme::kV2)), IsOk());

  EXPECT_THAT(Land(AppendRequest(1, "z", '3')), IsAlreadyExists(HasSubstr("cleaned up")));
  EXPECT_THAT(Land(AppendRequest(3, "z", '3')), IsOk());
}

TEST_F(CommitTest, RefusesAReadVersionFromTheFuture) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());

  EXPECT_THAT(Land(AppendRequest(5, "x")), IsInvalid(HasSubstr("read version 5 is not there")));
}

TEST_F(CommitTest, SaysThatThereIsNoTable) {
  EXPECT_THAT(Land(AppendRequest(1, "x")), IsKeyError());
  EXPECT_THAT(Land(0, Append{}, '1'), IsInvalid(HasSubstr("only Overwrite creates a table")));
  EXPECT_THAT(Paths(""), IsEmpty());
}

TEST_F(CommitTest, LooksAtTheFlagsOfTheNewestVersion) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  Manifest flagged = Latest();
  flagged.writer_feature_flags = uint64_t{1} << 33;
  PutVersion(flagged, 2, SampleTransaction(1, Append{}, '9'));

  EXPECT_THAT(Land(AppendRequest(1, "x")), IsNotImplemented(HasSubstr("bit 33")));
}

TEST_F(CommitTest, RefusesToWriteWhenNameAndNumberDiffer) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes,
                             testing::ReadText(*store_, ManifestPath(1, NamingScheme::kV2)));
  ASSERT_THAT(testing::PutText(*store_, ManifestPath(4, NamingScheme::kV2), bytes), IsOk());

  EXPECT_THAT(Land(AppendRequest(4, "x")), IsSerializationError(HasSubstr("its name says 4")));
}

TEST_F(CommitTest, WritesNothingWhenTheResultWouldBeWrong) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  const auto before = Paths("");

  EXPECT_THAT(Land(AppendRequest(1, "a/b")), IsInvalid());
  EXPECT_THAT(Land(1, SetConfig({{"lance.clustering.curve", "hilbert"}}), '2'),
              IsInvalid(HasSubstr("lance.clustering.columns is missing")));
  EXPECT_THAT(Land(1, UpdateConfig{.field_metadata = {{99, UpdateMap{}}}}, '3'), IsInvalid());

  EXPECT_EQ(Paths(""), before);
}

TEST_F(CommitTest, ProtectsClusteringMetadataFromUsers) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  UpdateConfig update;
  update.table_metadata = UpdateMap{.entries = {{"lance.liquid-clustering.max_version", "9"}}};

  EXPECT_THAT(Land(1, update, '1'), IsInvalid(HasSubstr("reserved for clustering")));
}

/// The five keys of a declaration over columns a and b.
UpdateConfig Declare(uint64_t version) {
  UpdateMap map;
  for (const auto& [key, value] : DeclarationEntries({.columns = {"a", "b"}, .version = version})) {
    map.entries.emplace_back(key, value);
  }
  return {.config = std::move(map)};
}

TEST_F(CommitTest, DeclaresAndDefinesInOneCommit) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest request{.transaction = SampleTransaction(1, Declare(1))};
  request.clustering.define = SampleLayout(1);

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, Land(request));

  const ClusteringDefinition* current = CurrentDefinition(landed.manifest);
  ASSERT_NE(current, nullptr);
  EXPECT_EQ(current->id, 1u);
  EXPECT_EQ(landed.manifest.writer_feature_flags, 131072u + 8u);
  EXPECT_EQ(landed.manifest.reader_feature_flags, 0u);
}

TEST_F(CommitTest, CreatesADeclaredTableWhoseFirstRowsAreStamped) {
  CommitRequest request = CreateRequest();
  auto& overwrite = std::get<Overwrite>(request.transaction.operation);
  const UpdateConfig declare = Declare(1);
  for (const auto& [key, value] : declare.config->entries) {
    overwrite.config_upsert_values[key] = *value;
  }
  request.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest created, Land(request));

  const ClusteringDefinition* current = CurrentDefinition(created.manifest);
  ASSERT_NE(current, nullptr);
  EXPECT_TRUE(IsStampedWith(created.manifest.fragments[0], *current));
}

TEST_F(CommitTest, AllocatesAgainstTheNewestVersionOnEveryAttempt) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest first = AppendRequest(1, "x", '1');
  first.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  CommitRequest second = AppendRequest(1, "y", '2');
  second.clustering = {.define = SampleLayout(2), .stamp_group_ids = {kGroup}};
  CommitRequest third = AppendRequest(1, "z", '3');
  third.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  for (const CommitRequest& request : {first, second, third}) ASSERT_THAT(Land(request), IsOk());

  const Manifest latest = Latest();

  ASSERT_EQ(latest.fragments.size(), 4u);
  EXPECT_FALSE(latest.fragments[0].clustering_id.has_value());
  EXPECT_EQ(latest.fragments[1].clustering_id, 1u);
  EXPECT_EQ(latest.fragments[2].clustering_id, 2u);
  EXPECT_EQ(latest.fragments[3].clustering_id, 1u);
  EXPECT_EQ(latest.max_clustering_id, 2u);
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest loaded, manifests_.Load(3, run_));
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction stored, manifests_.LoadTransaction(loaded, run_));
  EXPECT_EQ(std::get<Append>(stored.operation).fragments[0].clustering_id, 2u);
}

TEST_F(CommitTest, RestoresWhatAnOldReleaseErased) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest declare{.transaction = SampleTransaction(1, Declare(1))};
  declare.clustering.define = SampleLayout(1);
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest declared, Land(declare));
  Manifest stripped = declared.manifest;
  stripped.clustering.clear();
  stripped.max_clustering_id = 0;
  stripped.writer_feature_flags = 8;
  PutVersion(stripped, 3, SampleTransaction(2, Append{}, '9'));

  CommitRequest append = AppendRequest(3, "x", '2');
  append.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, Land(append));

  EXPECT_EQ(landed.manifest.max_clustering_id, 2u);
  ASSERT_NE(CurrentDefinition(landed.manifest), nullptr);
  EXPECT_EQ(CurrentDefinition(landed.manifest)->id, 2u);
}

TEST_F(CommitTest, StampsEachGroupOfARewriteApart) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(AppendRequest(1, "x", '1')), IsOk());
  const Manifest before = Latest();
  ASSERT_THAT(Land(2, ReserveFragments{2}, '2'), IsOk());
  CommitRequest request{.transaction = SampleTransaction(
                            2,
                            Rewrite{.groups = {{{before.fragments[0]}, {SampleFragment(2)}},
                                               {{before.fragments[1]}, {SampleFragment(3)}}}},
                            '3')};
  request.clustering = {.define = SampleLayout(1),
                        .stamp_group_ids = {kGroup, "650e8400-e29b-41d4-a716-446655440000"}};

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, Land(request));

  ASSERT_EQ(landed.manifest.fragments.size(), 2u);
  EXPECT_EQ(ReadStamp(landed.manifest.fragments[0]).group_id, kGroup);
  EXPECT_EQ(ReadStamp(landed.manifest.fragments[1]).group_id,
            "650e8400-e29b-41d4-a716-446655440000");
  request.transaction = SampleTransaction(4, Append{}, '4');
  EXPECT_THAT(Land(request), IsInvalid(HasSubstr("got 2 clustering groups; allowed: 1")));
}

TEST_F(CommitTest, KeepsStampsThroughAppendConfigAndIndexAndLosesThemInAPlainRewrite) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest append = AppendRequest(1, "x", '1');
  append.clustering = {.define = SampleLayout(1), .stamp_group_ids = {kGroup}};
  ASSERT_THAT(Land(append), IsOk());
  ASSERT_THAT(Land(AppendRequest(2, "y", '2')), IsOk());
  ASSERT_THAT(Land(3, SetConfig({{"k", "v"}}), '3'), IsOk());
  ASSERT_THAT(Land(4, CreateIndex{.new_indices = {SampleIndex("i", 1, {0, 1})}}, '4'), IsOk());

  const Manifest kept = Latest();
  EXPECT_EQ(ReadStamp(kept.fragments[1]).group_id, kGroup);
  EXPECT_EQ(ReadStamp(kept.fragments[2]).clustering_id, 0u);  // appended unsorted

  ASSERT_THAT(Land(5, Rewrite{.groups = {{{kept.fragments[1]}, {SampleFragment(0, "z")}}}}, '5'),
              IsOk());
  const Manifest lost = Latest();
  EXPECT_EQ(ReadStamp(lost.fragments[2]).clustering_id, 0u);
  EXPECT_THAT(lost.fragments[2].metadata, IsEmpty());
  EXPECT_EQ(lost.clustering, kept.clustering);
}

TEST_F(CommitTest, ABrokenDeclarationStopsEverythingButSetAndClear) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  Manifest broken = Latest();
  broken.config["lance.clustering.curve"] = "spiral";
  broken.writer_feature_flags = 8;
  PutVersion(broken, 2, SampleTransaction(1, Append{}, '9'));
  UpdateConfig clear;
  clear.config = UpdateMap{.entries = {{"lance.clustering.curve", std::nullopt}}};

  EXPECT_THAT(Land(AppendRequest(2, "x")), IsInvalid(HasSubstr("clear_clustering")));
  EXPECT_THAT(Land(2, Declare(1), '2'), IsOk());
  EXPECT_THAT(Land(3, SetConfig({{"lance.clustering.curve", "spiral"}}), '3'),
              IsInvalid(HasSubstr("lance.clustering.curve is \"spiral\"")));
  EXPECT_THAT(manifests_.LoadLatest(run_), IsOk());
}

TEST_F(CommitTest, ADeclaredColumnSurvivesOverwrite) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  ASSERT_THAT(Land(1, Declare(1), '1'), IsOk());
  format::LanceSchema without_b = SampleSchema();
  without_b.fields.erase(without_b.fields.begin() + 1);

  EXPECT_THAT(Land(2, Overwrite{.schema = without_b}, '2'),
              IsInvalid(HasSubstr("lance.clustering.columns names \"b\"")));
  EXPECT_THAT(Land(2, kOverwriteAll, '3'), IsOk());
}

TEST_F(CommitTest, StopsWhenAskedTo) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  arrow::StopSource source;
  source.RequestStop();
  run_.stop_token = source.token();

  EXPECT_THAT(Land(AppendRequest(1, "x")), testing::IsCancelled());
  EXPECT_EQ(Paths("_transactions").size(), 1u);
}

/// Lets a rival commit right before each of our manifests is put.
class RivalStore : public ObjectStore {
 public:
  RivalStore(std::shared_ptr<ObjectStore> store, std::function<void()> rival)
      : store_(std::move(store)), rival_(std::move(rival)) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override { return store_->Head(path); }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    return store_->List(prefix, visit);
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    if (mode == PutMode::kIfAbsent) rival_();
    return store_->Put(path, std::move(bytes), mode);
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override { return store_->Delete(path); }

 private:
  std::shared_ptr<ObjectStore> store_;
  std::function<void()> rival_;
};

class RaceTest : public CommitTest {
 protected:
  /// Commit while a rival wins the first `num_wins` races.
  arrow::Result<LoadedManifest> LandAgainstRival(CommitRequest request, int num_wins) {
    const auto rival = [&, wins = 0]() mutable {
      if (wins++ >= num_wins) return;
      CommitRequest append =
          AppendRequest(static_cast<uint64_t>(wins), "rival" + std::to_string(wins));
      append.transaction.uuid.clear();
      ASSERT_THAT(Land(append), IsOk());
    };
    const ManifestStore contested(std::make_shared<RivalStore>(store_, rival));
    return Commit(contested, std::move(request), run_);
  }
};

TEST_F(RaceTest, LosesThenWinsOnTopOfTheRival) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed,
                             LandAgainstRival(AppendRequest(1, "mine"), 3));

  EXPECT_EQ(landed.manifest.version, 5u);
  EXPECT_EQ(landed.manifest.fragments.size(), 5u);
  EXPECT_EQ(Latest().fragments.back().files[0].path, "mine");
  EXPECT_THAT(Paths("_transactions"),
              Contains("_transactions/1-11111111-1111-1111-1111-111111111111.txn"));
}

TEST_F(RaceTest, GivesUpAfterTheLastRetryAndLeavesNothing) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest request = AppendRequest(1, "mine");
  request.retry.max_retries = 2;

  const auto result = LandAgainstRival(request, 100);

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("too much write contention: 3 attempts lost")));
  EXPECT_THAT(result, HasDetail<CommitConflict>(Field(&CommitConflict::is_retryable, true)));
  EXPECT_THAT(result, HasDetail<CommitConflict>(Field(&CommitConflict::version, 4u)));
  EXPECT_THAT(result, HasDetail<CommitConflict>(Field(&CommitConflict::operation, "Append")));
  EXPECT_THAT(Paths("_transactions"),
              Not(Contains("_transactions/1-11111111-1111-1111-1111-111111111111.txn")));
}

TEST_F(RaceTest, GivesUpWhenItsTimeIsOver) {
  ASSERT_THAT(Land(CreateRequest()), IsOk());
  CommitRequest request = AppendRequest(1, "mine");
  request.retry.timeout = std::chrono::milliseconds(10);
  const ManifestStore contested(std::make_shared<RivalStore>(store_, [&] {
    clock_.Advance(std::chrono::milliseconds(11));
    CommitRequest append = AppendRequest(1, "rival");
    append.transaction.uuid.clear();
    ASSERT_THAT(Land(append), IsOk());
  }));

  EXPECT_THAT(Commit(contested, request, run_),
              IsAlreadyExists(HasSubstr("too much write contention: 1 attempts lost")));
}

}  // namespace
}  // namespace lance::table
