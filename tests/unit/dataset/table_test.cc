// A table through the public classes, in memory: create, append, overwrite, open, scan, count.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/table/manifest_store.h"
#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TableTest : public ::testing::Test {
 protected:
  InsertBuilder Insert(WriteMode mode) {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithMode(mode).WithOpenOptions(session_.Options());
    return builder;
  }
  arrow::Result<Dataset> Open(Ref ref = Ref::Latest()) {
    OpenOptions options = session_.Options();
    options.ref = ref;
    return Dataset::Open(FaultySession::kUri, options);
  }
  static std::shared_ptr<arrow::Table> Numbers(const std::string& rows) {
    return TableFromJson({{"a", arrow::int32()}, {"s", arrow::utf8()}}, rows);
  }
  static std::shared_ptr<arrow::Table> Read(const Dataset& dataset, ScanOptions options = {}) {
    return dataset.Scan(std::move(options)).ValueOrDie().ToTable().ValueOrDie();
  }

  FaultySession session_;
};

TEST_F(TableTest, HoldsTheRowsThatWereWritten) {
  const auto first = Numbers(R"([[1, "x"], [null, "y"]])");
  const auto second = Numbers(R"([[3, null]])");

  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(first), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto appended, Insert(WriteMode::kAppend).Execute(second));

  EXPECT_EQ(appended.num_rows, 1);
  EXPECT_EQ(appended.dataset.version(), 2);
  EXPECT_FALSE(appended.stamped);
  const auto read = Read(appended.dataset);
  EXPECT_TRUE(read->Equals(*Numbers(R"([[1, "x"], [null, "y"], [3, null]])"), false))
      << read->ToString();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto old, Open(Ref::Version(1)));
  EXPECT_TRUE(Read(old)->Equals(*first, false));
}

TEST_F(TableTest, IsCreatedEmptyFromNoRows) {
  const auto none = Numbers("[]");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto created, Insert(WriteMode::kCreate).Execute(none));

  EXPECT_THAT(created.dataset.fragments(), IsEmpty());
  EXPECT_EQ(Read(created.dataset)->num_rows(), 0);
  EXPECT_TRUE(Read(created.dataset)->schema()->Equals(*none->schema(), false));
  EXPECT_THAT(created.dataset.CountRows(), IsOkAndHolds(0u));
}

TEST_F(TableTest, RefusesToBeCreatedTwice) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());

  const auto again = Insert(WriteMode::kCreate).Execute(Numbers(R"([[2, "y"]])"));

  EXPECT_THAT(again, IsAlreadyExists(HasSubstr("fault://t")));
  EXPECT_EQ(CommitConflict::From(again.status()), nullptr);
}

TEST_F(TableTest, IsNotFoundBeforeItIsCreated) {
  const auto opened = Open();

  ASSERT_THAT(opened, IsKeyError());
  ASSERT_NE(NotFound::From(opened.status()), nullptr);
  EXPECT_EQ(NotFound::From(opened.status())->kind, "table");
  EXPECT_THAT(Insert(WriteMode::kAppend).Execute(Numbers("[]")), IsKeyError());
}

TEST_F(TableTest, NamesAVersionThatIsNotThere) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());

  const auto opened = Open(Ref::Version(9));

  ASSERT_THAT(opened, IsKeyError(HasSubstr("9")));
  EXPECT_EQ(NotFound::From(opened.status())->kind, "version");
}

TEST_F(TableTest, TakesColumnsByNameAndFillsMissingOnesWithNull) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  const auto turned = TableFromJson({{"s", arrow::utf8()}, {"a", arrow::int32()}}, R"([["y", 2]])");
  const auto partial = TableFromJson({{"a", arrow::int32()}}, "[[3]]");

  ASSERT_THAT(Insert(WriteMode::kAppend).Execute(turned), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, Insert(WriteMode::kAppend).Execute(partial));

  EXPECT_TRUE(Read(result.dataset)->Equals(*Numbers(R"([[1, "x"], [2, "y"], [3, null]])"), false));
}

struct RefusedInput {
  std::string name;
  std::shared_ptr<arrow::Table> rows;
  std::string expected;
};

TEST_F(TableTest, RefusesInputThatDoesNotFitAndWritesNothing) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  const std::vector<RefusedInput> cases = {
      {"unknown column", TableFromJson({{"z", arrow::int32()}}, "[[1]]"), "column z"},
      {"another type", TableFromJson({{"a", arrow::int64()}}, "[[1]]"), "int64"},
  };
  for (const RefusedInput& refused : cases) {
    SCOPED_TRACE(refused.name);
    EXPECT_THAT(Insert(WriteMode::kAppend).Execute(refused.rows),
                IsInvalid(HasSubstr(refused.expected)));
  }
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Open());
  EXPECT_EQ(dataset.version(), 1);
  int num_files = 0;
  ASSERT_THAT(session_.memory()->List("data",
                                      [&](const ObjectInfo&) {
                                        ++num_files;
                                        return arrow::Status::OK();
                                      }),
              IsOk());
  EXPECT_EQ(num_files, 1);
}

TEST_F(TableTest, OverwriteReplacesRowsAndSchema) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  const auto other = TableFromJson({{"t", arrow::timestamp(arrow::TimeUnit::MICRO)}}, "[[5]]");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, Insert(WriteMode::kOverwrite).Execute(other));

  EXPECT_EQ(result.dataset.version(), 2);
  EXPECT_TRUE(Read(result.dataset)->Equals(*other, false));
  EXPECT_THAT(Open(Ref::Version(1)), IsOk());
}

TEST_F(TableTest, WritesOntoTheVersionOfAHandle) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto created,
                             Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")));
  ASSERT_THAT(Insert(WriteMode::kAppend).Execute(Numbers(R"([[2, "y"]])")), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto appended,
                             InsertBuilder(created.dataset).Execute(Numbers(R"([[3, "z"]])")));

  EXPECT_EQ(appended.dataset.version(), 3);
  const auto expected = Numbers(R"([[1, "x"], [2, "y"], [3, "z"]])");
  EXPECT_TRUE(Read(appended.dataset)->Equals(*expected, false));
}

TEST_F(TableTest, RefusesToWriteOntoAHandleFromBeforeAnOverwrite) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto created,
                             Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")));
  ASSERT_THAT(Insert(WriteMode::kOverwrite).Execute(Numbers(R"([[2, "y"]])")), IsOk());
  const auto rows = Numbers(R"([[3, "z"]])");

  const auto appended = InsertBuilder(created.dataset).Execute(rows);
  const auto overwritten =
      InsertBuilder(created.dataset).WithMode(WriteMode::kOverwrite).Execute(rows);
  const auto again = InsertBuilder(created.dataset).WithMode(WriteMode::kCreate).Execute(rows);

  ASSERT_NE(CommitConflict::From(appended.status()), nullptr) << appended.status().ToString();
  EXPECT_FALSE(CommitConflict::From(appended.status())->retryable());
  ASSERT_NE(CommitConflict::From(overwritten.status()), nullptr) << overwritten.status().ToString();
  EXPECT_TRUE(CommitConflict::From(overwritten.status())->retryable());
  EXPECT_THAT(again, IsAlreadyExists(HasSubstr("fault://t")));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto newest, Open());
  EXPECT_TRUE(Read(newest)->Equals(*Numbers(R"([[2, "y"]])"), false));
}

/// B114 (a).
TEST_F(TableTest, AnIndexOfAColumnThatAnOverwriteTookCannotBeTriedAgain) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto created,
                             Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")));
  const auto other = TableFromJson({{"b", arrow::int32()}}, "[[1]]");
  ASSERT_THAT(Insert(WriteMode::kOverwrite).Execute(other), IsOk());

  const arrow::Status failed = CreateIndex(created.dataset, {.column = "a"}).status();

  ASSERT_NE(CommitConflict::From(failed), nullptr) << failed;
  EXPECT_FALSE(CommitConflict::From(failed)->retryable());
}

TEST_F(TableTest, CutsFilesByRows) {
  SeededRandom random(1);
  WriteOptions options;
  options.max_rows_per_file = 100;

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto result,
      Insert(WriteMode::kCreate).WithOptions(options).Execute(RandomRows(250, 0, &random)));

  ASSERT_THAT(result.dataset.fragments(), SizeIs(3));
  EXPECT_EQ(result.dataset.fragments()[2].num_rows(), 50);
}

TEST_F(TableTest, ScansColumnsLimitOffsetAndAddresses) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"], [2, "y"]])")), IsOk());
  ASSERT_THAT(Insert(WriteMode::kAppend).Execute(Numbers(R"([[3, "z"], [4, "w"]])")), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Open());

  const auto rows = Read(dataset, {.columns = {"S", "a"},
                                   .filter = "a >= 2",
                                   .limit = 2,
                                   .offset = 1,
                                   .with_row_address = true});

  const auto expected =
      TableFromJson({{"s", arrow::utf8()}, {"a", arrow::int32()}, {"_rowaddr", arrow::uint64()}},
                    R"([["z", 3, 4294967296], ["w", 4, 4294967297]])");
  EXPECT_TRUE(rows->Equals(*expected, false)) << rows->ToString();
  EXPECT_THAT(dataset.CountRows("a > 1"), IsOkAndHolds(3u));
  EXPECT_EQ(Read(dataset, {.limit = 0})->num_rows(), 0);
  EXPECT_EQ(Read(dataset, {.offset = 99})->num_rows(), 0);
}

TEST_F(TableTest, NamesNearColumnsWhenOneIsNotThere) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Open());

  EXPECT_THAT(dataset.Scan({.columns = {"aa"}}), IsKeyError(HasSubstr("near names: a")));
  EXPECT_THAT(dataset.Scan({.filter = "nope = 1"}), ::testing::Not(IsOk()));
  EXPECT_THAT(dataset.Scan({.batch_size = 0}), IsInvalid(HasSubstr("batch_size")));
}

TEST_F(TableTest, ListsVersionsWithTheirCounts) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  ASSERT_THAT(Insert(WriteMode::kAppend).Execute(Numbers(R"([[2, "x"], [3, "y"]])")), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Open());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto versions, ListVersions(dataset));

  ASSERT_THAT(versions, SizeIs(2));
  EXPECT_EQ(versions[1].metadata.at("total_rows"), "3");
  EXPECT_EQ(versions[1].metadata.at("total_fragments"), "2");
}

TEST_F(TableTest, ChangesConfigInOneCommit) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto dataset, Open());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto changed,
                             UpdateMetadata(dataset, {.values = {{"owner", "me"}}}));

  EXPECT_EQ(changed.version(), 2);
  EXPECT_EQ(changed.properties().config.at("owner"), "me");
  EXPECT_THAT(UpdateMetadata(changed, {.values = {{"lance.clustering.curve", "hilbert"}}}),
              IsInvalid(HasSubstr("lance.clustering")));
}

TEST_F(TableTest, DoesNotFollowARowCountThatTheFileDoesNotHave) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  const table::ManifestStore manifests(session_.memory());
  LANCE_ASSERT_OK_AND_ASSIGN(auto loaded, manifests.LoadLatest({}));
  loaded.manifest.version = 2;
  loaded.manifest.fragments[0].physical_rows = uint64_t{1} << 31;
  ASSERT_THAT(manifests.PutManifest(loaded.manifest, loaded.naming, ""), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset forged, Open());

  for (const ScanOptions& options :
       {ScanOptions{.columns = {"_rowaddr"}}, ScanOptions{.columns = {"_rowid"}, .filter = "true"},
        ScanOptions{.columns = {"a"}}}) {
    EXPECT_THAT(forged.Scan(options).ValueOrDie().ToTable(),
                IsSerializationError(HasSubstr("fragment 0 says 2147483648")));
  }
}

TEST_F(TableTest, OpensTheNewestVersionThatIsAsOldAsATime) {
  const auto rows = Numbers(R"([[1, "x"]])");
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, Insert(WriteMode::kCreate).Execute(rows));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto second, Insert(WriteMode::kAppend).Execute(rows));
  const Timestamp begin = first.dataset.timestamp();
  const Timestamp end = second.dataset.timestamp();
  ASSERT_LT(begin, end);
  const std::chrono::nanoseconds moment(1);

  EXPECT_EQ(Open(Ref::AsOf(begin)).ValueOrDie().version(), 1u);
  EXPECT_EQ(Open(Ref::AsOf(end - moment)).ValueOrDie().version(), 1u);
  EXPECT_EQ(Open(Ref::AsOf(end)).ValueOrDie().version(), 2u);
  EXPECT_EQ(second.dataset.Checkout(Ref::AsOf(begin)).ValueOrDie().version(), 1u);
  EXPECT_THAT(Open(Ref::AsOf(begin - moment)), IsKeyError(HasSubstr("no version is as old as")));
}

TEST_F(TableTest, DoesNotCallATagChangedWhenTheReplyIsLost) {
  ASSERT_THAT(Insert(WriteMode::kCreate).Execute(Numbers(R"([[1, "x"]])")), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset dataset, Open());
  const auto call_of_put = [&] {
    const auto calls = session_.store().calls();
    return std::ranges::find(calls, "Put _refs/tags/t.json") - calls.begin();
  };
  session_.store().Disarm();
  ASSERT_THAT(CreateTag(dataset, "t"), IsOk());
  const int64_t call = call_of_put();
  ASSERT_THAT(DeleteTag(dataset, "t"), IsOk());
  session_.store().Arm(call, Fault::kNoReply);
  EXPECT_THAT(CreateTag(dataset, "t"), IsIOError(HasSubstr("reply about tag t was lost")));
  session_.store().Disarm();
  ASSERT_THAT(UpdateTag(dataset, "t"), IsOk());  // it had landed
  session_.store().Arm(call_of_put(), Fault::kNoReply);
  EXPECT_THAT(UpdateTag(dataset, "t"), IsIOError(HasSubstr("reply about tag t was lost")));
}

TEST_F(TableTest, StopsWhenTheTokenFires) {
  SeededRandom random(1);
  arrow::StopSource stop;
  stop.RequestStop();

  EXPECT_THAT(
      Insert(WriteMode::kCreate).Execute(RandomRows(100, 0, &random), {.stop_token = stop.token()}),
      IsCancelled());
  EXPECT_THAT(Open(), IsKeyError());
}

}  // namespace
}  // namespace lance::testing
