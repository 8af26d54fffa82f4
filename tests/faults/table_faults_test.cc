// Every storage call of append, optimize and changes of the schema failing, torn, unanswered or
// late: the table opens as the old or as the new version, and the status said which.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

struct FaultCase {
  std::string name;
  Fault fault;
};

std::vector<uint64_t> SortedIds(const Dataset& dataset) {
  auto ids = Ids(*dataset.Scan().ValueOrDie().ToTable().ValueOrDie());
  std::sort(ids.begin(), ids.end());
  return ids;
}

/// A clustered table with three fragments, one of them not covered by any zonemap.
class TableFaultsTest : public ::testing::TestWithParam<FaultCase> {
 protected:
  static constexpr int kRows = 60;

  static void MakeTable(FaultySession* session) {
    SeededRandom random(5);
    const OpenOptions options = session->Options(/*with_faults=*/false);
    const auto insert = [&](WriteMode mode, uint64_t first_id) {
      return InsertBuilder(FaultySession::kUri)
          .WithMode(mode)
          .WithOpenOptions(options)
          .Execute(RandomRows(kRows, first_id, &random))
          .ValueOrDie();
    };
    insert(WriteMode::kCreate, 0);
    const auto second = insert(WriteMode::kAppend, kRows);
    second.dataset.SetClustering({.columns = {"a", "s"}}).ValueOrDie();
    insert(WriteMode::kAppend, 2 * kRows);
  }

  /// Run `operation` with each call in turn suffering the fault, and `check` the table after it.
  static void ForEachCall(Fault fault,
                          const std::function<arrow::Status(const OpenOptions&)>& operation,
                          const std::function<void(const Dataset&, const arrow::Status&)>& check) {
    for (int64_t k = 0;; ++k) {
      FaultySession session;
      MakeTable(&session);
      session.store().Arm(k, fault);
      const arrow::Status status = operation(session.Options());
      const std::string hit = session.store().hit();
      session.store().Disarm();
      if (hit.empty()) {
        ASSERT_GT(k, 5) << "the operation made too few calls to be a test";
        EXPECT_THAT(status, IsOk());
        return;
      }
      SCOPED_TRACE("call " + std::to_string(k) + ": " + hit + "; status " + status.ToString());
      const OpenOptions clean = session.Options(/*with_faults=*/false);
      LANCE_ASSERT_OK_AND_ASSIGN(const Dataset before, Dataset::Open(FaultySession::kUri, clean));
      check(before, status);
      if (fault != Fault::kLandsLate) continue;
      ASSERT_THAT(session.store().LandDelayed(), IsOk());
      LANCE_ASSERT_OK_AND_ASSIGN(const Dataset after, Dataset::Open(FaultySession::kUri, clean));
      check(after, status);
    }
  }
};

TEST_P(TableFaultsTest, AppendLandsOnceOrNotAtAllAndSaysSo) {
  ForEachCall(
      GetParam().fault,
      [](const OpenOptions& options) {
        SeededRandom random(9);
        return InsertBuilder(FaultySession::kUri)
            .WithMode(WriteMode::kAppend)
            .WithOpenOptions(options)
            .Execute(RandomRows(kRows, 3 * kRows, &random))
            .status();
      },
      [](const Dataset& dataset, const arrow::Status& status) {
        std::vector<uint64_t> ids = SortedIds(dataset);
        const bool is_new = ids.size() == 4 * kRows;
        ASSERT_TRUE(is_new || ids.size() == 3 * kRows) << ids.size() << " rows";
        for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
        // In doubt either is true; otherwise the status must be.
        if (CommitUnknown::From(status) == nullptr) {
          EXPECT_EQ(is_new, status.ok());
        }
      });
}

TEST_P(TableFaultsTest, OptimizeNeverLosesOrDoublesARow) {
  ForEachCall(
      GetParam().fault,
      [](const OpenOptions& options) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Dataset dataset, Dataset::Open(FaultySession::kUri, options));
        return CompactFilesWithClustering(dataset, {.rows_per_zone = 16}).status();
      },
      [](const Dataset& dataset, const arrow::Status& status) {
        std::vector<uint64_t> ids = SortedIds(dataset);
        ASSERT_EQ(ids.size(), 3 * kRows);
        for (size_t i = 0; i < ids.size(); ++i) ASSERT_EQ(ids[i], i);
        const bool is_rewritten = dataset.fragments().size() == 1;
        ASSERT_TRUE(is_rewritten || dataset.fragments().size() == 3);
        EXPECT_TRUE(is_rewritten || !status.ok());
        // Pruning by whatever indices and seeds are there now gives the same rows.
        for (const char* filter : {"a < 0", "s = 'k5'", "a IS NULL"}) {
          const auto pruned = dataset.CountRows(filter);
          const auto full = dataset.Scan({.filter = filter, .use_stats = false})
                                .ValueOrDie()
                                .CountRows()
                                .ValueOrDie();
          EXPECT_THAT(pruned, IsOkAndHolds(full)) << filter;
        }
      });
}

/// What is there of a change that adds `x` and casts `a`: everything or nothing, as the status
/// says.
void CheckChanged(const Dataset& dataset, const arrow::Status& status, bool is_new) {
  const auto rows = dataset.Scan().ValueOrDie().ToTable().ValueOrDie();
  EXPECT_EQ(rows->num_rows(), 180);
  if (CommitUnknown::From(status) == nullptr) {
    EXPECT_EQ(is_new, status.ok());
  }
}

TEST_P(TableFaultsTest, AddedColumnsAreThereInEveryFragmentOrInNone) {
  ForEachCall(
      GetParam().fault,
      [](const OpenOptions& options) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Dataset dataset, Dataset::Open(FaultySession::kUri, options));
        const std::vector<ComputedColumn> columns = {{"x", "id + 1"}};
        return AddColumns(dataset, {.values = columns}).status();
      },
      [](const Dataset& dataset, const arrow::Status& status) {
        const bool is_new = dataset.schema()->GetFieldByName("x") != nullptr;
        CheckChanged(dataset, status, is_new);
        for (const FragmentMetadata& fragment : dataset.fragments()) {
          EXPECT_EQ(fragment.files().size(), is_new ? 2 : 1);
        }
      });
}

TEST_P(TableFaultsTest, ACastColumnHasItsTypeInEveryFragmentOrInNone) {
  ForEachCall(
      GetParam().fault,
      [](const OpenOptions& options) -> arrow::Status {
        ARROW_ASSIGN_OR_RAISE(const Dataset dataset, Dataset::Open(FaultySession::kUri, options));
        return AlterColumns(dataset, {{.path = "a", .data_type = arrow::int16()}}).status();
      },
      [](const Dataset& dataset, const arrow::Status& status) {
        const auto& type = dataset.schema()->GetFieldByName("a")->type();
        const bool is_new = type->Equals(arrow::int16());
        ASSERT_TRUE(is_new || type->Equals(arrow::int64()));
        CheckChanged(dataset, status, is_new);
        EXPECT_EQ(dataset.properties().clustering_definitions.size(), is_new ? 2 : 1);
      });
}

INSTANTIATE_TEST_SUITE_P(All, TableFaultsTest,
                         ::testing::ValuesIn<FaultCase>({
                             {"Fails", Fault::kFails},
                             {"Torn", Fault::kTorn},
                             {"NoReply", Fault::kNoReply},
                             {"LandsLate", Fault::kLandsLate},
                             {"Dies", Fault::kDies},
                         }),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lance::testing
