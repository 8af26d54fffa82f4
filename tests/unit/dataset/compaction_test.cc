// Ordinary compaction through the public API.

#include "lance/compaction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/json.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class CompactionTest : public ::testing::Test {
 protected:
  /// Fragments of two rows: a counts from 0.
  void SetUp() override { MakeTable({}); }

  void MakeTable(const WriteOptions& options) {
    InsertBuilder builder(FaultySession::kUri);
    WriteOptions cut = options;
    cut.max_rows_per_file = 2;
    builder.WithOpenOptions(session_.Options()).WithMode(WriteMode::kOverwrite).WithOptions(cut);
    dataset_.emplace(
        builder.Execute(TableFromJson({{"a", arrow::int32()}}, "[[0], [1], [2], [3], [4], [5]]"))
            .ValueOrDie()
            .dataset);
  }

  CompactionRequest Parse(const std::string& json) {
    return ParseCompactionRequest(*dataset_, json).ValueOrDie();
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

TEST_F(CompactionTest, MergesAndThenHasNothingToDo) {
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionResult first, Compact(*dataset_, CompactionOptions()));
  EXPECT_EQ(first.mode, "reencode");
  EXPECT_EQ(first.fragments_removed, 3u);
  EXPECT_EQ(first.files_removed, 3u);
  EXPECT_EQ(first.rows_rewritten, 6u);
  EXPECT_GT(first.bytes_read, 0u);
  EXPECT_GT(first.bytes_written, 0u);
  EXPECT_THAT(first.dataset.fragments(), SizeIs(1));
  EXPECT_EQ(first.version, first.dataset.version());

  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionResult second,
                             Compact(first.dataset, CompactionOptions()));
  EXPECT_EQ(second.version, std::nullopt);
  EXPECT_EQ(second.dataset.version(), first.dataset.version());
}

TEST_F(CompactionTest, SaysWhatABudgetLeft) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const CompactionResult result,
      Compact(*dataset_,
              CompactionOptions{.target_rows_per_fragment = 3, .budget = {.max_source_rows = 1}}));
  EXPECT_EQ(result.version, std::nullopt);
  ASSERT_TRUE(result.stopped_by);
  EXPECT_EQ(result.stopped_by->needed, 6u);
  EXPECT_EQ(result.remaining.rows, 6u);
}

TEST_F(CompactionTest, DeletesTheFilesOfTasksWhoseCommitCannotLand) {
  const auto before = ListPaths(*session_.memory(), "data").ValueOrDie();
  ASSERT_THAT(Delete(*dataset_, "a = 3"), IsOk());
  // The handle is old: one of its fragments is not what it was any more.
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionResult result,
                             Compact(*dataset_, CompactionOptions()));
  EXPECT_EQ(result.dataset.CountRows().ValueOrDie(), 5u);
  const auto after = ListPaths(*session_.memory(), "data").ValueOrDie();
  EXPECT_EQ(after.size(), before.size() + 1) << "the files of the first attempt are gone";
}

TEST_F(CompactionTest, CommittingAResultTwiceLosesNothing) {
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionPlan plan, PlanCompaction(*dataset_));
  LANCE_ASSERT_OK_AND_ASSIGN(const RewriteResult result, plan.tasks().front().Execute(*dataset_));
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionResult committed,
                             CommitCompaction(*dataset_, {result}));

  const auto again = CommitCompaction(*dataset_, {result});

  EXPECT_NE(CommitConflict::From(again.status()), nullptr) << again.status();
  EXPECT_EQ(committed.dataset.Scan().ValueOrDie().ToTable().ValueOrDie()->num_rows(), 6);
}

TEST_F(CompactionTest, RefusesAResultThatDoesNotHoldTheRows) {
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionPlan plan,
                             PlanCompaction(*dataset_, {.target_rows_per_fragment = 3}));
  LANCE_ASSERT_OK_AND_ASSIGN(const RewriteResult result, plan.tasks().front().Execute(*dataset_));
  for (const std::string& path : ListPaths(*session_.memory(), "data").ValueOrDie()) {
    if (path == "data/" + result.new_fragments().front().files().front().path) {
      ASSERT_THAT(session_.memory()->Delete(path), IsOk());
    }
  }
  EXPECT_FALSE(CommitCompaction(*dataset_, {result}).ok());
  EXPECT_EQ(dataset_->Checkout().ValueOrDie().version(), dataset_->version());
}

TEST_F(CompactionTest, EnvelopesOfEveryKindComeBackAsTheyWere) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const CompactionPlan plan,
      PlanCompaction(*dataset_, {.target_rows_per_fragment = 4,
                                 .max_bytes_per_file = 1000,
                                 .compaction_mode = CompactionMode::kTryBinaryCopy,
                                 .materialize_deletions_threshold = 0.25,
                                 .excluded_fragment_ids = {7}}));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes, plan.Serialize());
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionPlan parsed, CompactionPlan::Parse(bytes));
  EXPECT_EQ(ToJson(parsed), ToJson(plan));
  EXPECT_EQ(parsed.Serialize().ValueOrDie(), bytes);
  EXPECT_EQ(bytes.substr(0, 8), "LNCECOMP");
}

TEST_F(CompactionTest, NoDamagedEnvelopeIsTaken) {
  LANCE_ASSERT_OK_AND_ASSIGN(const CompactionPlan plan, PlanCompaction(*dataset_));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes, plan.tasks().front().Serialize());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(CompactionTask::Parse(bytes.substr(0, size)).ok());
    std::string damaged = bytes;
    damaged[size] = static_cast<char>(damaged[size] ^ 0x20);
    EXPECT_FALSE(CompactionTask::Parse(damaged).ok()) << "byte " << size;
  }
  EXPECT_FALSE(CompactionTask::Parse(bytes + "x").ok());
  EXPECT_THAT(RewriteResult::Parse(bytes).status().message(), HasSubstr("its kind is 2"));
  EXPECT_THAT(CompactionPlan::Parse(std::string("LNCECLST") + bytes.substr(8)).status().message(),
              HasSubstr("does not begin with LNCECOMP"));
}

TEST_F(CompactionTest, ARequestIsForClusteringOnADeclaredTableOnly) {
  EXPECT_TRUE(std::holds_alternative<CompactionOptions>(Parse("{}")));
  EXPECT_TRUE(std::holds_alternative<ClusteringCompactionOptions>(
      Parse(R"({"compaction_mode": "cluster"})")));
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->SetClustering({.columns = {"a"}}));
  EXPECT_TRUE(std::holds_alternative<ClusteringCompactionOptions>(
      Parse(R"({"compaction_mode": null, "max_source_rows": 5})")));
  const auto ordinary = Parse(R"({"compaction_mode": "reencode", "max_source_rows": 5})");
  ASSERT_TRUE(std::holds_alternative<CompactionOptions>(ordinary));
  EXPECT_EQ(std::get<CompactionOptions>(ordinary).budget.max_source_rows, 5u);
}

TEST_F(CompactionTest, ARequestNamesWhatIsWrongWithIt) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "allowed: a JSON object"},
      {"[]", "allowed: a JSON object"},
      {R"({"colour": 1})", "has no option colour"},
      {R"({"full": true})", "has no option full"},
      {R"({"compaction_mode": "fast"})", "compaction_mode is \"fast\""},
      {R"({"max_source_rows": -1})", "max_source_rows is -1"},
      {R"({"max_source_rows": 0})", "max_source_rows is 0"},
      {R"({"batch_size": "8"})", "batch_size is \"8\""},
      {R"({"excluded_fragment_ids": [1.5]})", "excluded_fragment_ids is 1.5"},
      {R"({"materialize_deletions": 1})", "materialize_deletions is 1"},
      {R"({"compaction_mode": "cluster", "batch_size": 8})", "clustering has no option batch_size"},
  };
  for (const auto& [json, message] : wrong) {
    const auto request = ParseCompactionRequest(*dataset_, json);
    EXPECT_THAT(request.status().message(), HasSubstr(message)) << json;
    EXPECT_TRUE(request.status().IsInvalid()) << json;
  }
}

TEST_F(CompactionTest, PagesThatCannotBeCopiedAreSaid) {
  ASSERT_THAT(Delete(*dataset_, "a = 3"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->Checkout());
  const auto refused =
      Compact(*dataset_, CompactionOptions{.compaction_mode = CompactionMode::kForceBinaryCopy});
  EXPECT_TRUE(refused.status().IsNotImplemented());
  EXPECT_THAT(refused.status().message(), HasSubstr("fragment 1 has deleted rows"));

  LANCE_ASSERT_OK_AND_ASSIGN(dataset_, dataset_->SetClustering({.columns = {"a"}}));
  const auto seeded =
      Compact(*dataset_, CompactionOptions{.compaction_mode = CompactionMode::kForceBinaryCopy});
  EXPECT_THAT(seeded.status().message(), HasSubstr("statistics of a"));
}

}  // namespace
}  // namespace lance::testing
