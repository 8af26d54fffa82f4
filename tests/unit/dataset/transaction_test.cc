// Transactions that callers make and commit themselves.

#include "lance/transaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/dataset/dataset_impl.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class TransactionTest : public ::testing::Test {
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

  arrow::Result<Dataset> Commit(const arrow::Result<Transaction>& transaction,
                                const CommitOptions& options = {}) {
    ARROW_RETURN_NOT_OK(transaction.status());
    return CommitTransaction(*dataset_, *transaction, options);
  }

  static std::string Values(const Dataset& dataset, const std::string& column = "a") {
    const auto table = dataset.Scan({.columns = {column}}).ValueOrDie().ToTable().ValueOrDie();
    std::string text;
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      text += (text.empty() ? "" : " ") + table->column(0)->GetScalar(i).ValueOrDie()->ToString();
    }
    return text;
  }

  std::vector<std::string> Paths(const std::string& folder) {
    return ListPaths(*session_.memory(), folder).ValueOrDie();
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

TEST_F(TransactionTest, OfAnInsertIsNoVersionUntilItIsCommitted) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));

  EXPECT_EQ(transaction.operation(), "Append");
  EXPECT_EQ(transaction.read_version(), 1u);
  EXPECT_EQ(transaction.uuid().size(), 36u);
  EXPECT_EQ(merge_insert_counts(transaction), nullptr);
  EXPECT_THAT(transaction.properties(), IsEmpty());
  EXPECT_EQ(Paths("data").size(), 4u);
  EXPECT_EQ(Paths("_transactions").size(), 1u);
  EXPECT_EQ(dataset_->Checkout()->version(), 1u);

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(transaction));

  EXPECT_EQ(committed.version(), 2u);
  EXPECT_EQ(Values(committed), "0 1 2 3 4 5 6");
}

TEST_F(TransactionTest, LandsOnceHoweverOftenItIsCommitted) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));
  ASSERT_THAT(Commit(transaction), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset again, Commit(transaction));

  EXPECT_EQ(again.version(), 2u);
  EXPECT_EQ(dataset_->Checkout()->version(), 2u);
}

TEST_F(TransactionTest, PassesNewerVersions) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));
  ASSERT_THAT(Delete(*dataset_, "a < 2"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(transaction));

  EXPECT_EQ(committed.version(), 3u);
  EXPECT_EQ(Values(committed), "2 3 4 5 6");
}

TEST_F(TransactionTest, KeepsMessageAndProperties) {
  ASSERT_THAT(Commit(MakeRestoreTransaction(*dataset_, {.version = 1}),
                     {.message = "why", .properties = {{"who", "me"}}}),
              IsOk());

  const table::ManifestStore manifests(session_.memory());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto loaded, manifests.Load(2, RunContext{}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stored, manifests.LoadTransaction(loaded, RunContext{}));
  EXPECT_THAT(stored.properties,
              UnorderedElementsAre(Pair("who", "me"), Pair("__lance_commit_message", "why")));
}

TEST_F(TransactionTest, OfADeclaredTableGivesTheStamp) {
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->SetClustering({.columns = {"a"}}));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Transaction transaction,
      InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[9, "9"], [7, "7"]])")));

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(transaction));

  EXPECT_EQ(Values(committed), "0 1 2 3 4 5 7 9");
  EXPECT_EQ(committed.fragments().back().clustering_id(), 1u);
  EXPECT_FALSE(committed.fragments().back().clustering_group_id().empty());
  EXPECT_EQ(committed.fragments().front().clustering_id(), 0u);
}

TEST_F(TransactionTest, DoesNotStampFragmentsOfOtherSources) {
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->SetClustering({.columns = {"a"}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stamped,
                             InsertBuilder(*dataset_).Execute(Rows(R"([[9, "9"]])")));
  const FragmentMetadata fragment = stamped.dataset.fragments().back();
  ASSERT_EQ(fragment.clustering_id(), 1u);

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset committed,
      Commit(MakeOverwriteTransaction(
          *dataset_, {.new_schema = dataset_->schema(), .fragments = {fragment}})));

  EXPECT_EQ(Values(committed), "9");
  EXPECT_EQ(committed.fragments().front().clustering_id(), 0u);
}

TEST_F(TransactionTest, OfATableThatIsNotThereIsRefused) {
  InsertBuilder builder("memory://nothing");

  EXPECT_THAT(builder.ExecuteUncommitted(Rows("[]")), IsInvalid(HasSubstr("is not there")));
}

TEST_F(TransactionTest, AppendsFragments) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto overwritten, [&] {
    InsertBuilder builder(*dataset_);
    return builder.WithMode(WriteMode::kOverwrite).Execute(Rows(R"([[7, "7"]])"));
  }());
  std::vector<FragmentMetadata> old = dataset_->fragments();

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Transaction transaction,
      MakeAppendTransaction(overwritten.dataset, {.fragments = {old[2], old[0]}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(transaction));

  EXPECT_EQ(Values(committed), "7 4 5 0 1");
  std::vector<uint64_t> ids;
  for (const FragmentMetadata& fragment : committed.fragments()) ids.push_back(fragment.id());
  EXPECT_THAT(ids, ElementsAre(3, 4, 5));
}

TEST_F(TransactionTest, DeletesRowsOfSeveralFragmentsAtOnce) {
  DeleteOperation deletion{.predicate = "a in (0, 1, 2)"};
  for (const uint64_t id : {0, 1}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto left,
                               DeleteFromFragment(*dataset_, id, "a in (0, 1, 2)"));
    if (left) {
      deletion.updated_fragments.push_back(*left);
    } else {
      deletion.deleted_fragment_ids.push_back(id);
    }
  }

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeDeleteTransaction(*dataset_, deletion)));

  EXPECT_EQ(Values(committed), "3 4 5");
}

TEST_F(TransactionTest, OfRowsThatNobodyNamesMeetsOtherChangesOfTheirFragments) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto left, DeleteFromFragment(*dataset_, 0, "a = 0"));
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Transaction transaction,
      MakeDeleteTransaction(*dataset_, {.updated_fragments = {*left}, .predicate = "a = 0"}));
  ASSERT_THAT(Delete(*dataset_, "a = 1"), IsOk());

  const auto committed = Commit(transaction);

  EXPECT_THAT(committed, IsAlreadyExists(_));
  ASSERT_NE(CommitConflict::From(committed.status()), nullptr);
  EXPECT_TRUE(CommitConflict::From(committed.status())->retryable());
}

TEST_F(TransactionTest, AddsColumnsThatWereWrittenFragmentByFragment) {
  const AddColumnsRequest request{.values = std::vector<ComputedColumn>{{"twice", "a * 2"}}};
  MergeOperation merge;
  for (const FragmentMetadata& fragment : dataset_->fragments()) {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto wider,
                               AddColumnsToFragment(*dataset_, fragment.id(), request));
    merge.fragments.push_back(wider);
  }
  LANCE_ASSERT_OK_AND_ASSIGN(
      merge.schema, dataset_->schema()->AddField(2, arrow::field("twice", arrow::int32())));

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeMergeTransaction(*dataset_, merge)));

  EXPECT_EQ(Values(committed, "twice"), "0 2 4 6 8 10");
}

TEST_F(TransactionTest, RefusesAMergeOfOtherColumns) {
  const auto& schema = dataset_->schema();
  const auto merge = [&](std::shared_ptr<arrow::Schema> after) {
    return MakeMergeTransaction(*dataset_,
                                {.fragments = dataset_->fragments(), .schema = std::move(after)});
  };

  EXPECT_THAT(merge(nullptr), IsInvalid(HasSubstr("null")));
  EXPECT_THAT(merge(*schema->RemoveField(1)), IsInvalid(HasSubstr("has 1 columns, the table 2")));
  EXPECT_THAT(merge(*schema->SetField(0, arrow::field("b", arrow::int32()))),
              IsInvalid(HasSubstr("column 0 is b")));
  EXPECT_THAT(merge(*schema->AddField(2, arrow::field("a", arrow::int32()))),
              IsInvalid(HasSubstr("a")));
}

TEST_F(TransactionTest, KeepsSomeColumns) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset committed,
      Commit(MakeProjectTransaction(*dataset_,
                                    {.schema = arrow::schema({dataset_->schema()->field(1)})})));

  EXPECT_THAT(committed.schema()->field_names(), ElementsAre("s"));
  EXPECT_EQ(Values(committed, "s"), "0 1 2 3 4 5");
}

TEST_F(TransactionTest, RefusesAProjectionToOtherColumns) {
  const auto project = [&](const arrow::FieldVector& fields) {
    return MakeProjectTransaction(*dataset_, {.schema = arrow::schema(fields)});
  };
  const auto a = dataset_->schema()->field(0);

  EXPECT_THAT(project({arrow::field("x", arrow::int32())}),
              IsKeyError(HasSubstr("x is not there")));
  EXPECT_THAT(project({a, a}), IsKeyError(HasSubstr("named twice")));
  EXPECT_THAT(project({arrow::field("a", arrow::int64())}), IsInvalid(HasSubstr("has type int32")));
  EXPECT_THAT(project({a->WithNullable(false)}), IsInvalid(HasSubstr("may hold nulls")));
  EXPECT_THAT(Commit(project({})), IsInvalid(HasSubstr("no columns")));
}

TEST_F(TransactionTest, RestoresAnOldVersion) {
  ASSERT_THAT(Delete(*dataset_, "a < 4"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeRestoreTransaction(*dataset_, {.version = 1})));

  EXPECT_EQ(committed.version(), 3u);
  EXPECT_EQ(Values(committed), "0 1 2 3 4 5");
}

TEST_F(TransactionTest, RewritesFragments) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction written, InsertBuilder(*dataset_).ExecuteUncommitted(
                                                            Rows(R"([[0, "0"], [1, "1"], [2, "2"],
                                                           [3, "3"]])")));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset appended, Commit(written));
  const FragmentMetadata merged = appended.fragments().back();
  ASSERT_THAT(Commit(MakeRestoreTransaction(appended, {.version = 1})), IsOk());
  const auto& old = dataset_->fragments();

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset committed,
      Commit(MakeRewriteTransaction(
          *dataset_->Checkout(),
          {.groups = {{.old_fragments = {old[0], old[1]}, .new_fragments = {merged}}}})));

  EXPECT_EQ(committed.fragments().size(), 2u);
  EXPECT_EQ(Values(committed), "4 5 0 1 2 3");
}

TEST_F(TransactionTest, ChangesSeveralMapsAtOnce) {
  const UpdateConfigOperation operation{
      .updates = {{.target = MetadataTarget::kConfig, .values = {{"c", "1"}}},
                  {.target = MetadataTarget::kTable, .values = {{"t", "2"}}},
                  {.target = MetadataTarget::kField, .column = "a", .values = {{"f", "3"}}}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed,
                             Commit(MakeUpdateConfigTransaction(*dataset_, operation)));

  EXPECT_THAT(committed.properties().config, ElementsAre(Pair("c", "1")));
  EXPECT_THAT(committed.properties().table_metadata, ElementsAre(Pair("t", "2")));
  EXPECT_THAT(ReadMetadata(committed, MetadataTarget::kField, "a"),
              IsOkAndHolds(ElementsAre(Pair("f", "3"))));
  EXPECT_THAT(MakeUpdateConfigTransaction(
                  *dataset_, {.updates = {{.values = {{"a", "1"}}}, {.values = {{"b", "1"}}}}}),
              IsInvalid(HasSubstr("config is there twice")));
}

TEST_F(TransactionTest, AddsBasePaths) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Dataset committed,
      Commit(MakeUpdateBasesTransaction(
          *dataset_, {.new_bases = {{.path = "/p", .name = "n", .is_dataset_root = true}}})));

  const auto& bases = committed.impl().manifest().base_paths;
  ASSERT_EQ(bases.size(), 1u);
  EXPECT_EQ(bases[0].id, 1u);
  EXPECT_EQ(bases[0].path, "/p");
  EXPECT_EQ(bases[0].name, "n");
  EXPECT_TRUE(bases[0].is_dataset_root);
  EXPECT_EQ(Values(committed), "0 1 2 3 4 5");
  EXPECT_EQ(Values(InsertBuilder(committed).Execute(Rows(R"([[6, "6"]])"))->dataset),
            "0 1 2 3 4 5 6");
}

TEST_F(TransactionTest, OfAMergeKnowsItsRowsAndPassesChangesOfOthers) {
  MergeInsertBuilder builder(*dataset_, {"a"});
  builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             builder.ExecuteUncommitted(Rows(R"([[0, "new"], [9, "9"]])")));
  EXPECT_EQ(transaction.operation(), "Update");
  EXPECT_EQ(Values(*dataset_->Checkout()), "0 1 2 3 4 5");
  const MergeInsertCounts* counts = merge_insert_counts(transaction);
  ASSERT_NE(counts, nullptr);
  EXPECT_EQ(counts->num_inserted_rows, 1u);
  EXPECT_EQ(counts->num_updated_rows, 1u);
  EXPECT_EQ(counts->num_deleted_rows, 0u);
  ASSERT_THAT(Delete(*dataset_, "a = 1 or a = 5"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset committed, Commit(transaction));

  EXPECT_EQ(Values(committed), "2 3 4 0 9");
  EXPECT_EQ(Values(committed, "s"), "2 3 4 new 9");
}

TEST_F(TransactionTest, OfAMergeMeetsChangesOfItsRows) {
  MergeInsertBuilder builder(*dataset_, {"a"});
  builder.WhenMatchedUpdateAll();
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             builder.ExecuteUncommitted(Rows(R"([[0, "new"]])")));
  ASSERT_THAT(Delete(*dataset_, "a = 0"), IsOk());

  const auto committed = Commit(transaction);

  EXPECT_THAT(committed, IsAlreadyExists(_));
  ASSERT_NE(CommitConflict::From(committed.status()), nullptr);
  EXPECT_TRUE(CommitConflict::From(committed.status())->retryable());
}

TEST_F(TransactionTest, CanBeDetached) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             InsertBuilder(*dataset_).ExecuteUncommitted(Rows(R"([[6, "6"]])")));
  ASSERT_THAT(Delete(*dataset_, "a = 0"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset detached, Commit(transaction, {.detached = true}));

  EXPECT_GE(detached.version(), uint64_t{1} << 63);
  EXPECT_EQ(Values(detached), "0 1 2 3 4 5 6");
  EXPECT_EQ(dataset_->Checkout()->version(), 2u);
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset opened,
                             dataset_->Checkout(Ref::Version(detached.version())));
  EXPECT_EQ(Values(opened), "0 1 2 3 4 5 6");
  EXPECT_THAT(ListVersions(*dataset_), IsOkAndHolds(::testing::SizeIs(2)));
}

TEST_F(TransactionTest, EveryChangeCanBeDetached) {
  const CommitOptions detached{.detached = true};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto deleted, Delete(*dataset_, "a < 3", detached));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset renamed,
                             AlterColumns(*dataset_, {{.path = "a", .name = "b"}}, detached));

  EXPECT_EQ(Values(deleted.dataset), "3 4 5");
  EXPECT_EQ(Values(renamed, "b"), "0 1 2 3 4 5");
  EXPECT_EQ(dataset_->Checkout()->version(), 1u);
}

}  // namespace
}  // namespace lance::testing
