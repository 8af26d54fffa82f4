// What callers make by hand for transactions: bytes, fragments, files, segments of indices.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/dataset/dataset_impl.h"
#include "lance/file_operations.h"
#include "lance/stored_operation.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "lance/testing/table_session.h"
#include "lance/write_fragments.h"

namespace lance::testing {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::Pair;
using ::testing::SizeIs;

class OperationsTest : public ::testing::Test {
 protected:
  /// Three fragments of two rows: a counts from 0, s is its text.
  void SetUp() override {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithOpenOptions(session_.Options()).WithOptions({.max_rows_per_file = 2});
    dataset_.emplace(
        builder.Execute(Rows(R"([[0, "0"], [1, "1"], [2, "2"], [3, "3"], [4, "4"], [5, "5"]])"))
            .ValueOrDie()
            .dataset);
  }

  static std::shared_ptr<arrow::Table> Rows(const std::string& rows) {
    return TableFromJson({{"a", arrow::int32()}, {"s", arrow::utf8()}}, rows);
  }

  arrow::Result<Dataset> Commit(const arrow::Result<Transaction>& transaction) {
    ARROW_RETURN_NOT_OK(transaction.status());
    return CommitTransaction(*dataset_, *transaction);
  }

  static std::string Values(const Dataset& dataset, const std::string& column = "a",
                            ScanOptions options = {}) {
    options.columns = {column};
    const auto table = dataset.Scan(std::move(options)).ValueOrDie().ToTable().ValueOrDie();
    std::string text;
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      text += (text.empty() ? "" : " ") + table->column(0)->GetScalar(i).ValueOrDie()->ToString();
    }
    return text;
  }

  std::vector<std::string> Paths(const std::string& folder) {
    return ListPaths(*session_.memory(), folder).ValueOrDie();
  }

  /// Give the table a column c in data files of its own. \return the dataset with it
  Dataset WithColumn() {
    dataset_ = AddColumns(*dataset_, {.values = std::vector<ComputedColumn>{{"c", "a * 10"}}})
                   .ValueOrDie();
    return *dataset_;
  }

  /// The file of some values of c, which nothing refers to.
  DataFileInfo ColumnFile(const std::string& values) {
    const auto rows = TableFromJson({{"c", arrow::int32()}}, values);
    FragmentCreateBuilder builder(FaultySession::kUri, rows->schema());
    const auto written = builder.WithOpenOptions(session_.Options()).WriteFragments(rows);
    const std::string path = written.ValueOrDie().front().fragment.files().front().path;
    return DescribeDataFile(*dataset_, path).ValueOrDie();
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

// --- Bytes -------------------------------------------------------------------------------------

TEST_F(OperationsTest, ATransactionIsTheSameAfterItWasBytes) {
  MergeInsertBuilder builder(*dataset_, {"a"});
  builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made,
                             builder.ExecuteUncommitted(Rows(R"([[0, "new"], [9, "9"]])")));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes, made.Serialize());

  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction parsed, Transaction::Parse(bytes));

  EXPECT_EQ(parsed.uuid(), made.uuid());
  EXPECT_EQ(parsed.read_version(), 1u);
  EXPECT_EQ(parsed.operation(), "Update");
  EXPECT_THAT(parsed.Serialize(), IsOkAndHolds(bytes));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(parsed));
  EXPECT_EQ(Values(committed), "1 2 3 4 5 0 9");
  EXPECT_EQ(Commit(made)->version(), 2u) << "it is the same commit";
}

TEST_F(OperationsTest, TheBytesAreThoseOfATransactionFile) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));
  ASSERT_THAT(Commit(made), IsOk());

  EXPECT_THAT(
      made.Serialize(),
      IsOkAndHolds(
          ReadText(*session_.memory(), "_transactions/1-" + made.uuid() + ".txn").ValueOrDie()));
}

TEST_F(OperationsTest, AParsedTransactionDoesNotPassChangesOfItsFragments) {
  MergeInsertBuilder builder(*dataset_, {"a"});
  builder.WhenMatchedUpdateAll();
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made,
                             builder.ExecuteUncommitted(Rows(R"([[0, "new"]])")));
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction parsed, Transaction::Parse(*made.Serialize()));
  ASSERT_THAT(Delete(*dataset_, "a = 1"), IsOk());

  EXPECT_THAT(Commit(parsed), HasDetail<CommitConflict>(_));
  EXPECT_THAT(Commit(made), IsOk());
}

TEST_F(OperationsTest, AParsedTransactionStampsNothing) {
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->SetClustering({.columns = {"a"}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made, InsertBuilder(*dataset_).ExecuteUncommitted(
                                                         Rows(R"([[9, "9"], [7, "7"]])")));

  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction parsed, Transaction::Parse(*made.Serialize()));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(parsed));

  EXPECT_EQ(committed.fragments().back().clustering_id(), 0u);
}

TEST_F(OperationsTest, ATransactionTakesAnotherIdentity) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));

  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction other,
                             made.WithUuid("550e8400-e29b-41d4-a716-446655440000"));

  EXPECT_EQ(other.uuid(), "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(other.operation(), "Append");
  EXPECT_THAT(made.WithUuid("550E8400-e29b-41d4-a716-446655440000"),
              IsInvalid(HasSubstr("lower case")));
  EXPECT_THAT(made.WithUuid(""), IsInvalid());
}

TEST_F(OperationsTest, HostileBytesAreRefusedOrBecomeATransactionThatStaysTheSame) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));
  const std::string good = *made.Serialize();
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  const int rounds = NumRounds(2000, 100);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = good;
    for (uint64_t i = 0; i <= random.Below(3); ++i) {
      const size_t place = random.Below(bytes.size());
      if (random.OneIn(4)) {
        bytes.resize(place + 1);
      } else {
        bytes[place] = static_cast<char>(random.Below(256));
      }
    }
    const auto parsed = Transaction::Parse(bytes);
    if (!parsed.ok()) {
      ++refused;
      ASSERT_THAT(parsed, IsSerializationError()) << "round " << round;
      continue;
    }
    const std::string stored = *parsed->Serialize();
    LANCE_ASSERT_OK_AND_ASSIGN(const Transaction again, Transaction::Parse(stored));
    ASSERT_THAT(again.Serialize(), IsOkAndHolds(stored)) << "round " << round;
    if (round % 100 == 0) (void)Commit(parsed);
  }
  EXPECT_GT(refused, rounds / 10);
  EXPECT_THAT(Transaction::Parse(""), IsSerializationError());
  EXPECT_THAT(dataset_->Checkout(), IsOk());
}

// --- Fragments ---------------------------------------------------------------------------------

TEST_F(OperationsTest, AFragmentIsTheSameInParts) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto left, DeleteFromFragment(*dataset_, 0, "a = 1"));
  const FragmentParts parts = left->parts();
  EXPECT_EQ(parts.files[0].column_indices, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(parts.deletion_file->file_type, "array");

  LANCE_ASSERT_OK_AND_ASSIGN(const FragmentMetadata made, FragmentMetadata::Make(parts));

  EXPECT_THAT(made.Serialize(), IsOkAndHolds(*left->Serialize()));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto parsed, FragmentMetadata::Parse(*left->Serialize()));
  EXPECT_EQ(parsed.num_deletions(), 1u);
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeDeleteTransaction(
                                 *dataset_, {.updated_fragments = {made}, .predicate = "a = 1"})));
  EXPECT_EQ(Values(committed), "0 2 3 4 5");
}

TEST_F(OperationsTest, PartsThatMayNotBeStoredMakeNoFragment) {
  const FragmentParts good = dataset_->fragments()[0].parts();
  const auto with = [&](const std::function<void(FragmentParts*)>& change) {
    FragmentParts parts = good;
    change(&parts);
    return FragmentMetadata::Make(parts);
  };

  EXPECT_THAT(with([](auto* p) { p->files[0].path = "../x.lance"; }),
              IsInvalid(HasSubstr("x.lance")));
  EXPECT_THAT(with([](auto* p) { p->files[0].column_indices = {0}; }),
              IsInvalid(HasSubstr("equally many")));
  EXPECT_THAT(with([](auto* p) {
                p->files[0].column_indices = {0, 0};
              }),
              IsInvalid(HasSubstr("two fields")));
  for (const char* version : {"", "2", "2.", "2.x", "2.1 ", "9.9"}) {
    EXPECT_THAT(with([&](auto* p) { p->files[0].version = version; }),
                IsInvalid(HasSubstr("version")))
        << version;
  }
  EXPECT_THAT(with([](auto* p) { p->id = 1ull << 32; }), IsInvalid(HasSubstr("id")));
  EXPECT_THAT(with([](auto* p) { p->deletion_file = DeletionFileInfo{.file_type = "list"}; }),
              IsInvalid(HasSubstr("array, bitmap")));
  EXPECT_THAT(FragmentMetadata::Parse("\xff"), IsSerializationError());
}

TEST_F(OperationsTest, WorkersWriteFragmentsThatACoordinatorCommits) {
  std::vector<WrittenFragment> all;
  for (const char* rows : {R"([[6, "6"], [7, "7"], [8, "8"]])", R"([[9, "9"]])"}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto written, FragmentCreateBuilder(*dataset_)
                                                       .WithOptions({.max_rows_per_file = 2})
                                                       .WriteFragments(Rows(rows)));
    all.insert(all.end(), written.begin(), written.end());
  }
  EXPECT_EQ(dataset_->Checkout()->version(), 1u);

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset appended,
                             CommitFragments(*dataset_, {.fragments = all}));
  EXPECT_EQ(Values(appended), "0 1 2 3 4 5 6 7 8 9");

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto replacing, FragmentCreateBuilder(*dataset_).WriteFragments(Rows(R"([[1, "x"]])")));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset replaced,
      CommitFragments(appended, {.mode = WriteMode::kOverwrite, .fragments = replacing}));
  EXPECT_EQ(Values(replaced, "s"), "x");
  EXPECT_THAT(CommitFragments(replaced, {.mode = WriteMode::kCreate}),
              IsInvalid(HasSubstr("is there")));
}

TEST_F(OperationsTest, ATableIsCreatedFromFragments) {
  const FaultySession other;
  const OpenOptions open = other.Options();
  const auto rows = Rows(R"([[1, "1"], [2, "2"]])");
  FragmentCreateBuilder builder(FaultySession::kUri, rows->schema());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto written,
                             builder.WithOpenOptions(open).WriteFragments(rows));
  const CommitFragmentsRequest request{.fragments = written,
                                       .options = {.enable_stable_row_ids = true},
                                       .transaction_uuid = "550e8400-e29b-41d4-a716-446655440000"};

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset made, CreateFromFragments(FaultySession::kUri, rows->schema(), request, open));

  EXPECT_EQ(Values(made), "1 2");
  EXPECT_TRUE(made.properties().has_stable_row_ids);
  EXPECT_THAT(ListPaths(*other.memory(), "_transactions"),
              IsOkAndHolds(ElementsAre("_transactions/0-" + request.transaction_uuid + ".txn")));
  EXPECT_THAT(
      CreateFromFragments(FaultySession::kUri, rows->schema(), {.fragments = written}, open),
      IsAlreadyExists());
  EXPECT_THAT(CreateFromFragments("memory://new", nullptr, {}), IsInvalid(HasSubstr("null")));
}

TEST_F(OperationsTest, ScansOfSomeFragmentsReadThemInTheOrderGiven) {
  EXPECT_EQ(Values(*dataset_, "a", {.fragment_ids = {{2, 0}}}), "4 5 0 1");
  EXPECT_EQ(Values(*dataset_, "a", {.filter = "a > 0", .fragment_ids = {{0}}}), "1");
  EXPECT_EQ(Values(*dataset_, "a", {.fragment_ids = std::vector<uint64_t>{}}), "");
  EXPECT_THAT(dataset_->Scan({.fragment_ids = {{7}}}),
              IsKeyError(HasSubstr("fragment 7 is not in version")));
}

// --- Schemas with ids --------------------------------------------------------------------------

TEST_F(OperationsTest, FieldsAreProjectedByIds) {
  EXPECT_THAT(FieldIds(*dataset_), ElementsAre(0, 1));
  EXPECT_EQ(MaxFieldId(*dataset_), 1);
  const auto swapped =
      arrow::schema({arrow::field("a", arrow::utf8()), arrow::field("s", arrow::int32())});

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset committed,
      Commit(MakeProjectTransaction(*dataset_, {.schema = swapped, .field_ids = {1, 0}})));

  EXPECT_EQ(Values(committed, "s"), "0 1 2 3 4 5");
  EXPECT_THAT(FieldIds(committed), ElementsAre(1, 0));
}

TEST_F(OperationsTest, RefusesIdsThatDoNotFit) {
  const auto project = [&](std::vector<int32_t> ids) {
    return Commit(MakeProjectTransaction(
        *dataset_, {.schema = dataset_->schema(), .field_ids = std::move(ids)}));
  };

  EXPECT_THAT(project({0}), IsInvalid(HasSubstr("has 1 ids; the schema has 2")));
  EXPECT_THAT(project({0, 0}), IsInvalid(HasSubstr("twice")));
  EXPECT_THAT(project({0, -1}), IsInvalid(HasSubstr("negative")));
  EXPECT_THAT(project({0, 9}), IsInvalid(HasSubstr("not in the schema")));
  EXPECT_THAT(project({1, 0}), IsInvalid(HasSubstr("changes its type")));
}

// --- Files -------------------------------------------------------------------------------------

TEST_F(OperationsTest, ColumnsOfAFragmentAreReplaced) {
  const Dataset base = WithColumn();
  const DataFileInfo file = ColumnFile("[[7], [8]]");
  EXPECT_THAT(file.field_ids, ElementsAre(2));

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeDataReplacementTransaction(
                                 base, {.replacements = {{.fragment_id = 1, .new_file = file}}})));

  EXPECT_EQ(Values(committed, "c"), "0 10 7 8 40 50");
}

TEST_F(OperationsTest, AReplacementThatDoesNotFitIsRefused) {
  const Dataset base = WithColumn();
  const DataFileInfo file = ColumnFile("[[7], [8]]");
  const auto replace = [&](uint64_t id, DataFileInfo by) {
    return Commit(MakeDataReplacementTransaction(
        base, {.replacements = {{.fragment_id = id, .new_file = std::move(by)}}}));
  };

  EXPECT_THAT(replace(9, file), HasDetail<CommitConflict>(_));
  DataFileInfo other = file;
  other.field_ids = {5};
  EXPECT_THAT(replace(0, other), IsInvalid(HasSubstr("field id 5")));
  other = file;
  other.version = "2.0";
  EXPECT_THAT(replace(0, other), IsInvalid(HasSubstr("2.0")));
  other = file;
  other.path = base.fragments()[0].files()[1].path;
  EXPECT_THAT(replace(1, other), IsInvalid(HasSubstr(other.path)));
  EXPECT_THAT(Commit(MakeDataReplacementTransaction(
                  base, {.replacements = {{.fragment_id = 0, .new_file = file},
                                          {.fragment_id = 0, .new_file = file}}})),
              IsInvalid());
  EXPECT_THAT(DescribeDataFile(base, "nowhere.lance"), IsKeyError());
  const auto stranger = TableFromJson({{"z", arrow::int32()}}, "[[1]]");
  FragmentCreateBuilder builder(FaultySession::kUri, stranger->schema());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto written,
                             builder.WithOpenOptions(session_.Options()).WriteFragments(stranger));
  EXPECT_THAT(DescribeDataFile(base, written[0].fragment.files()[0].path),
              IsKeyError(HasSubstr("a field z")));
}

TEST_F(OperationsTest, SegmentsOfIndicesAreTakenOutAndPutIn) {
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, CreateIndex(*dataset_, {.column = "a"}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto segments, IndexSegments(*dataset_));
  ASSERT_THAT(segments, SizeIs(1));
  EXPECT_EQ(segments[0].name, "a_idx");
  EXPECT_THAT(segments[0].fragment_ids, Optional(ElementsAre(0, 1, 2)));
  const table::IndexMetadata stored = dataset_->impl().manifest().indices[0];
  const IndexSegmentInfo only_uuid{.uuid = segments[0].uuid};

  LANCE_ASSERT_OK_AND_ASSIGN(
      dataset_, Commit(MakeCreateIndexTransaction(*dataset_, {.removed_indices = {only_uuid}})));
  EXPECT_THAT(IndexSegments(*dataset_), IsOkAndHolds(IsEmpty()));

  LANCE_ASSERT_OK_AND_ASSIGN(
      dataset_, Commit(MakeCreateIndexTransaction(*dataset_, {.new_indices = segments})));
  ASSERT_THAT(dataset_->impl().manifest().indices, SizeIs(1));
  table::IndexMetadata again = dataset_->impl().manifest().indices[0];
  again.metadata = stored.metadata;
  again.clustering_id = stored.clustering_id;
  EXPECT_EQ(again, stored);
}

TEST_F(OperationsTest, ASegmentThatDoesNotFitIsRefused) {
  const IndexSegmentInfo good{.uuid = "550e8400-e29b-41d4-a716-446655440000",
                              .name = "i",
                              .field_ids = {0},
                              .dataset_version = 1};
  const auto create = [&](IndexSegmentInfo segment) {
    return Commit(MakeCreateIndexTransaction(*dataset_, {.new_indices = {std::move(segment)}}));
  };

  IndexSegmentInfo other = good;
  other.uuid = "nonsense";
  EXPECT_THAT(create(other), IsInvalid());
  other = good;
  other.name = "";
  EXPECT_THAT(create(other), IsInvalid(HasSubstr("name is empty")));
  other = good;
  other.field_ids = {4};
  EXPECT_THAT(create(other), IsInvalid(HasSubstr("field id 4")));
}

TEST_F(OperationsTest, AnOperationComesOutOfItsTransaction) {
  const auto& fragments = dataset_->fragments();
  const auto again = [&](const arrow::Result<Transaction>& made) -> arrow::Result<StoredOperation> {
    ARROW_RETURN_NOT_OK(made.status());
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, made->Serialize());
    ARROW_ASSIGN_OR_RAISE(const Transaction parsed, Transaction::Parse(bytes));
    return OperationOf(parsed);
  };

  LANCE_ASSERT_OK_AND_ASSIGN(
      StoredOperation found,
      again(MakeProjectTransaction(
          *dataset_, {.schema = arrow::schema({dataset_->schema()->field(1)}), .field_ids = {1}})));
  EXPECT_THAT(std::get<ProjectOperation>(found).field_ids, ElementsAre(1));
  EXPECT_EQ(std::get<ProjectOperation>(found).schema->ToString(), "s: string");

  LANCE_ASSERT_OK_AND_ASSIGN(
      found, again(MakeDeleteTransaction(*dataset_, {.updated_fragments = {fragments[1]},
                                                     .deleted_fragment_ids = {2},
                                                     .predicate = "p"})));
  const auto& deletion = std::get<DeleteOperation>(found);
  EXPECT_EQ(deletion.updated_fragments[0].Serialize(), fragments[1].Serialize());
  EXPECT_THAT(deletion.deleted_fragment_ids, ElementsAre(2));
  EXPECT_EQ(deletion.predicate, "p");

  LANCE_ASSERT_OK_AND_ASSIGN(
      found, again(MakeUpdateConfigTransaction(
                 *dataset_, {.updates = {{.target = MetadataTarget::kField,
                                          .column = "s",
                                          .values = {{"k", "v"}, {"gone", std::nullopt}}}}})));
  const auto& config = std::get<StoredConfigUpdate>(found);
  EXPECT_FALSE(config.config.has_value());
  EXPECT_THAT(config.field_metadata.at(1).updates,
              ElementsAre(Pair("gone", std::nullopt), Pair("k", Optional(std::string("v")))));

  LANCE_ASSERT_OK_AND_ASSIGN(found, again(MakeUpdateBasesTransaction(
                                        *dataset_, {.new_bases = {{.path = "/p", .id = 3}}})));
  EXPECT_EQ(std::get<UpdateBasesOperation>(found).new_bases[0].id, 3u);
  LANCE_ASSERT_OK_AND_ASSIGN(found, again(MakeRestoreTransaction(*dataset_, {.version = 1})));
  EXPECT_EQ(std::get<RestoreOperation>(found).version, 1u);
}

// --- Base paths --------------------------------------------------------------------------------

TEST_F(OperationsTest, FilesGoToBasePathsInTurn) {
  const OpenOptions open = session_.Options();
  const WriteOptions options{.max_rows_per_file = 1,
                             .initial_bases = {{.path = "memory://b1", .name = "one"},
                                               {.path = "memory://b2", .is_dataset_root = true}},
                             .target_bases = {"one", "memory://b2"}};
  InsertBuilder builder("memory://spread");
  builder.WithOptions(options);

  LANCE_ASSERT_OK_AND_ASSIGN(const auto written, builder.Execute(Rows(R"([[1, "1"], [2, "2"],
                                                                          [3, "3"]])")));

  std::vector<uint32_t> places;
  for (const FragmentMetadata& fragment : written.dataset.fragments()) {
    places.push_back(fragment.files()[0].base_id.value_or(0));
  }
  EXPECT_THAT(places, ElementsAre(1, 2, 1));
  EXPECT_EQ(Values(written.dataset), "1 2 3");
  EXPECT_THAT(BasePaths(written.dataset), SizeIs(2));
  InsertBuilder all(written.dataset);
  EXPECT_EQ(
      Values(all.WithOptions({.target_all_bases = true}).Execute(Rows(R"([[4, "4"]])"))->dataset),
      "1 2 3 4");
  const auto refused = [&](WriteOptions wrong) {
    return InsertBuilder(written.dataset).WithOptions(std::move(wrong)).Execute(Rows("[]"));
  };
  EXPECT_THAT(refused({.target_bases = {"nowhere"}}), IsInvalid(HasSubstr("allowed: one, memory")));
  EXPECT_THAT(refused({.initial_bases = options.initial_bases}),
              IsInvalid(HasSubstr("there already")));
  EXPECT_THAT(refused({.target_bases = {"one"}, .target_all_bases = true}),
              IsInvalid(HasSubstr("allowed: one")));
  EXPECT_THAT(InsertBuilder(*dataset_).WithOptions({.target_all_bases = false}).Execute(Rows("[]")),
              IsInvalid(HasSubstr("no base paths")));
}

}  // namespace
}  // namespace lance::testing
