// What commits did, in numbers, and what is different between two versions.

#include "lance/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/diff.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

/// "1 2 3", or what kept it from being known.
std::string NumbersOf(arrow::RecordBatchReader& reader, const std::string& column) {
  std::string text;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader.ReadNext(&batch);
    if (!status.ok()) return status.ToString();
    if (batch == nullptr) return text;
    const auto values = batch->GetColumnByName(column);
    for (int64_t i = 0; i < values->length(); ++i) {
      text += (text.empty() ? "" : " ") + values->GetScalar(i).ValueOrDie()->ToString();
    }
  }
}

/// Rows of columns id and x.
std::shared_ptr<arrow::Table> Rows(const std::string& rows) {
  return TableFromJson({{"id", arrow::int64()}, {"x", arrow::int64()}}, rows);
}

class HistoryTest : public ::testing::TestWithParam<bool> {
 protected:
  /// Create 1..4, append 5..6, update 2, merge 3 and 7, delete 1 and 5.
  void SetUp() override {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithOpenOptions(session_.Options())
        .WithOptions({.enable_stable_row_ids = GetParam(),
                      .commit = {.message = "first", .properties = {{"by", "test"}}}});
    Dataset dataset =
        builder.Execute(Rows("[[1, 1], [2, 2], [3, 3], [4, 4]]")).ValueOrDie().dataset;
    dataset = InsertBuilder(dataset).Execute(Rows("[[5, 5], [6, 6]]")).ValueOrDie().dataset;
    dataset = Update(dataset, {.updates = {{"x", "0"}}, .where = "id = 2"}).ValueOrDie().dataset;
    MergeInsertBuilder merge(dataset, {"id"});
    merge.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
    dataset = merge.Execute(Rows("[[3, 33], [7, 77]]")).ValueOrDie().dataset;
    dataset = Delete(dataset, "id IN (1, 5)").ValueOrDie().dataset;
    dataset_.emplace(std::move(dataset));
  }

  std::string Ids(const std::shared_ptr<arrow::RecordBatchReader>& reader) {
    return NumbersOf(*reader, "id");
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

INSTANTIATE_TEST_SUITE_P(All, HistoryTest, ::testing::Bool(), [](const auto& tested) {
  return tested.param ? "StableRowIds" : "Addresses";
});

TEST_P(HistoryTest, TellsWhatEachCommitDid) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset second, dataset_->Checkout(Ref::Version(2)));
  ASSERT_THAT(CreateTag(second, "t"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto history, ListHistory(*dataset_));
  ASSERT_THAT(history, SizeIs(5));
  std::vector<std::string> operations;
  for (const HistoryEntry& entry : history) operations.push_back(entry.operation);
  EXPECT_THAT(operations, ElementsAre("Delete", "Update", "Update", "Append", "Overwrite"));

  const HistoryEntry& created = history[4];
  EXPECT_EQ(created.message, "first");
  EXPECT_THAT(created.properties, ElementsAre(std::pair("by", "test")));
  EXPECT_THAT(created.rows_inserted, Optional(4));
  EXPECT_THAT(created.rows_deleted, Optional(0));
  EXPECT_THAT(created.fragments_added, Optional(1));
  EXPECT_GT(created.bytes_added.value_or(0), 0u);
  const HistoryEntry& appended = history[3];
  EXPECT_THAT(appended.tags, ElementsAre("t"));
  EXPECT_THAT(appended.rows_inserted, Optional(2));
  EXPECT_EQ(appended.read_version, 1u);
  const HistoryEntry& deleted = history[0];
  EXPECT_THAT(deleted.rows_deleted, Optional(2));
  EXPECT_THAT(deleted.rows_updated, Optional(0));
}

TEST_P(HistoryTest, TellsUpdatedFromInsertedRowsOnlyByTheirLineage) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto history, ListHistory(*dataset_));
  const HistoryEntry& updated = history[2];
  const HistoryEntry& merged = history[1];
  if (GetParam()) {
    EXPECT_THAT(updated.rows_updated, Optional(1));
    EXPECT_THAT(updated.rows_inserted, Optional(0));
    EXPECT_THAT(updated.rows_deleted, Optional(0));
    EXPECT_THAT(merged.rows_updated, Optional(1));
    EXPECT_THAT(merged.rows_inserted, Optional(1));
    EXPECT_THAT(merged.rows_deleted, Optional(0));
  } else {
    EXPECT_EQ(updated.rows_updated, std::nullopt);
    EXPECT_EQ(merged.rows_inserted, std::nullopt);
  }
  EXPECT_THAT(merged.fragments_added, Optional(1));
}

TEST_P(HistoryTest, BeginsAtTheVersionOfTheDatasetAndEndsWhereAsked) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset third, dataset_->Checkout(Ref::Version(3)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto history, ListHistory(third, 2));
  ASSERT_THAT(history, SizeIs(2));
  EXPECT_EQ(history[0].version, 3u);
  EXPECT_EQ(history[1].version, 2u);
  EXPECT_THAT(ListHistory(third, 0), IsInvalid(HasSubstr("max_entries is 0")));
}

TEST_P(HistoryTest, WhatHangsOnAVersionThatIsGoneIsNotKnown) {
  ASSERT_THAT(CleanupOldVersions(*dataset_, {.versions = {4}}), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto history, ListHistory(*dataset_));
  ASSERT_THAT(history, SizeIs(4));
  EXPECT_EQ(history[0].operation, "Delete");
  EXPECT_EQ(history[0].rows_deleted, std::nullopt);
  EXPECT_EQ(history[0].fragments_added, std::nullopt);
  EXPECT_EQ(history[1].version, 3u);
}

TEST_P(HistoryTest, ATransactionThatCannotBeReadHarmsNobodyElse) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset before, dataset_->Checkout(Ref::Version(5)));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset restored, Restore(before));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto history, ListHistory(restored));
  EXPECT_EQ(history[0].operation, "Restore");
  EXPECT_EQ(history[0].rows_inserted, std::nullopt);
}

TEST_P(HistoryTest, VersionsKnowTheirTags) {
  ASSERT_THAT(CreateTag(*dataset_, "b"), IsOk());
  ASSERT_THAT(CreateTag(*dataset_, "a"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto versions, ListVersions(*dataset_));
  EXPECT_THAT(versions.back().tags, ElementsAre("a", "b"));
  EXPECT_THAT(versions.front().tags, IsEmpty());
  EXPECT_EQ(versions.back().metadata.at("total_rows"), "5");
}

TEST_P(HistoryTest, ADamagedTagHidesNoVersion) {
  ASSERT_THAT(PutText(*session_.memory(), "_refs/tags/t.json", "damaged"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto versions, ListVersions(*dataset_));
  EXPECT_THAT(versions, SizeIs(5));
  EXPECT_THAT(ListHistory(*dataset_), IsOk());
  // What it protects cannot be known.
  EXPECT_THAT(CleanupOldVersions(*dataset_, {.older_than = std::chrono::microseconds(0)}),
              IsSerializationError(HasSubstr("_refs/tags/t.json")));
}

TEST_P(HistoryTest, DiffNeedsStableRowIds) {
  const auto diff = DiffVersions(*dataset_, {.begin_version = 1, .end_version = 5});
  if (!GetParam()) {
    EXPECT_NE(UnsupportedFeature::From(diff.status()), nullptr);
    return;
  }
  ASSERT_THAT(diff, IsOk());
  EXPECT_EQ(Ids(diff->inserted), "6 7");
  EXPECT_EQ(Ids(diff->updated), "2 3");
  EXPECT_EQ(NumbersOf(*diff->deleted_row_ids, "_rowid"), "0");
  EXPECT_THAT(diff->transactions, SizeIs(4));
  EXPECT_EQ(diff->transactions.front().version, 2u);
}

class DiffTest : public HistoryTest {};

INSTANTIATE_TEST_SUITE_P(StableRowIds, DiffTest, ::testing::Values(true));

TEST_P(DiffTest, OfAnOlderVersionShowsItsRows) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto diff,
                             DiffVersions(*dataset_, {.begin_version = 1, .end_version = 3}));
  EXPECT_EQ(Ids(diff.inserted), "5 6");
  EXPECT_EQ(Ids(diff.updated), "2");
  EXPECT_EQ(NumbersOf(*diff.deleted_row_ids, "_rowid"), "");
}

TEST_P(DiffTest, FromBeforeTheFirstVersionEverythingIsInserted) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto diff,
                             DiffVersions(*dataset_, {.begin_version = 0, .end_version = 1}));
  EXPECT_EQ(Ids(diff.inserted), "1 2 3 4");
  EXPECT_EQ(Ids(diff.updated), "");
  EXPECT_EQ(NumbersOf(*diff.deleted_row_ids, "_rowid"), "");
}

TEST_P(DiffTest, OfOneVersionIsEmpty) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto diff,
                             DiffVersions(*dataset_, {.begin_version = 5, .end_version = 5}));
  EXPECT_EQ(Ids(diff.inserted) + Ids(diff.updated), "");
  EXPECT_THAT(diff.transactions, IsEmpty());
}

TEST_P(DiffTest, WithoutTransactionsReadsNoManifests) {
  session_.store().Disarm();
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto diff,
      DiffVersions(*dataset_, {.begin_version = 1, .end_version = 5, .with_transactions = false}));
  EXPECT_THAT(diff.transactions, IsEmpty());
  EXPECT_EQ(session_.store().num_calls(), 0);
  EXPECT_EQ(Ids(diff.inserted), "6 7");
}

TEST_P(DiffTest, RefusesVersionsTheWrongWayRound) {
  EXPECT_THAT(DiffVersions(*dataset_, {.begin_version = 3, .end_version = 2}),
              IsInvalid(HasSubstr("begin_version 3 is newer than end_version 2")));
  EXPECT_THAT(DiffVersions(*dataset_, {}), IsInvalid(HasSubstr("end_version is 0")));
  const auto missing = DiffVersions(*dataset_, {.begin_version = 3, .end_version = 9});
  EXPECT_NE(NotFound::From(missing.status()), nullptr);
}

TEST_P(DiffTest, WithoutTheOlderVersionOnlyDeletionsAreUnknown) {
  ASSERT_THAT(CleanupOldVersions(*dataset_, {.versions = {1}}), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto diff,
                             DiffVersions(*dataset_, {.begin_version = 1, .end_version = 5}));
  EXPECT_EQ(Ids(diff.inserted), "6 7");
  EXPECT_THAT(NumbersOf(*diff.deleted_row_ids, "_rowid"), HasSubstr("version 1"));
}

}  // namespace
}  // namespace lance::testing
