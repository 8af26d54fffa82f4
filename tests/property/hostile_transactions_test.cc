// Transactions out of bytes that somebody damaged: refused, or checked at the commit. Whatever
// lands leaves a table that opens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuzz/mutate_message.h"
#include "lance/file_operations.h"
#include "lance/table/manifest_names.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/table_session.h"
#include "lance_table.pb.h"

namespace lance::testing {
namespace {

/// A transaction of each kind on the second version of a table, by name.
class HostileTransactionsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithOpenOptions(session_.Options()).WithOptions({.max_rows_per_file = 2});
    const auto rows = Rows(R"([[0, "0"], [1, "1"], [2, "2"], [3, "3"]])");
    dataset_.emplace(builder.Execute(rows).ValueOrDie().dataset);
    dataset_ = CreateIndex(*dataset_, {.column = "a"}).ValueOrDie();
  }

  static std::shared_ptr<arrow::Table> Rows(const std::string& rows) {
    return TableFromJson({{"a", arrow::int32()}, {"s", arrow::utf8()}}, rows);
  }

  arrow::Result<Transaction> Merge() const {
    MergeOperation merge;
    for (const FragmentMetadata& fragment : dataset_->fragments()) {
      ARROW_ASSIGN_OR_RAISE(
          auto merged,
          AddColumnsToFragment(*dataset_, fragment.id(),
                               {.values = std::vector<ComputedColumn>{{"c", "a * 2"}}}));
      merge.fragments.push_back(std::move(merged));
    }
    ARROW_ASSIGN_OR_RAISE(merge.schema,
                          dataset_->schema()->AddField(2, arrow::field("c", arrow::int32())));
    return MakeMergeTransaction(*dataset_, std::move(merge));
  }

  arrow::Result<Transaction> Make(const std::string& kind) const {
    const Dataset& dataset = *dataset_;
    if (kind == "Append") return InsertBuilder(dataset).ExecuteUncommitted(Rows(R"([[9, "9"]])"));
    if (kind == "Overwrite") {
      return InsertBuilder(dataset)
          .WithMode(WriteMode::kOverwrite)
          .ExecuteUncommitted(Rows(R"([[9, "9"]])"));
    }
    if (kind == "Update") {
      MergeInsertBuilder builder(dataset, {"a"});
      builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
      return builder.ExecuteUncommitted(Rows(R"([[1, "new"], [9, "9"]])"));
    }
    if (kind == "Delete") {
      ARROW_ASSIGN_OR_RAISE(const auto left, DeleteFromFragment(dataset, 0, "a = 1"));
      return MakeDeleteTransaction(dataset, {.updated_fragments = {*left}, .predicate = "a = 1"});
    }
    if (kind == "Merge") return Merge();
    if (kind == "Project") {
      return MakeProjectTransaction(dataset,
                                    {.schema = arrow::schema({dataset.schema()->field(1)})});
    }
    if (kind == "CreateIndex") {
      ARROW_ASSIGN_OR_RAISE(auto segments, IndexSegments(dataset));
      segments[0].uuid = "550e8400-e29b-41d4-a716-446655440000";
      return MakeCreateIndexTransaction(dataset, {.new_indices = segments});
    }
    if (kind == "UpdateConfig") {
      return MakeUpdateConfigTransaction(dataset, {.updates = {{.values = {{"c", "1"}}}}});
    }
    if (kind == "DataReplacement") {
      DataFileInfo file = dataset.fragments()[0].files()[0];
      file.path = dataset.fragments()[1].files()[0].path;
      return MakeDataReplacementTransaction(dataset, {.replacements = {{0, file}}});
    }
    return MakeUpdateBasesTransaction(dataset, {.new_bases = {{.path = "/p", .name = "n"}}});
  }

  /// Make a version unhappened.
  void TakeBack(uint64_t version) {
    const std::string manifest = table::ManifestPath(version, table::NamingScheme::kV2);
    ASSERT_THAT(session_.memory()->Delete(manifest), IsOk());
    ASSERT_EQ(dataset_->Checkout()->version(), dataset_->version());
  }

  FaultySession session_;
  std::optional<Dataset> dataset_;
};

void ChangeBytes(SeededRandom* random, std::string* bytes, size_t max_size) {
  if (bytes->empty() || random->OneIn(8)) bytes->push_back('\0');
  (*bytes)[random->Below(bytes->size())] = static_cast<char>(random->Below(256));
  if (bytes->size() > max_size) bytes->resize(max_size);
}

TEST_P(HostileTransactionsTest, AreRefusedOrLeaveATableThatOpens) {
  SCOPED_TRACE(SeedMessage());
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction made, Make(GetParam()));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string good, made.Serialize());
  SeededRandom random;
  const auto change = [&](std::string* bytes, size_t max_size) {
    ChangeBytes(&random, bytes, max_size);
  };
  int landed = 0, refused = 0;
  for (int round = 0; round < NumRounds(150, 100); ++round) {
    std::string bytes = good;
    constexpr size_t kMaxSize = 1 << 16;
    fuzz::MutateSerialized(lance_pb::table::Transaction::default_instance(), kMaxSize, &random,
                           change, &bytes);
    const auto parsed = Transaction::Parse(bytes);
    if (!parsed.ok()) {
      ++refused;
      ASSERT_THAT(parsed, IsSerializationError()) << "round " << round;
      continue;
    }
    LANCE_ASSERT_OK_AND_ASSIGN(const std::string stored, parsed->Serialize());
    LANCE_ASSERT_OK_AND_ASSIGN(const Transaction again, Transaction::Parse(stored));
    ASSERT_THAT(again.Serialize(), IsOkAndHolds(stored)) << "round " << round;
    const auto committed = CommitTransaction(*dataset_, *parsed, {.max_retries = 0});
    landed += committed.ok() ? 1 : 0;
    const auto opened = dataset_->Checkout();
    ASSERT_THAT(opened, IsOk()) << "round " << round << ": " << parsed->operation();
    if (opened->version() != dataset_->version()) TakeBack(opened->version());
  }
  EXPECT_GT(landed + refused, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, HostileTransactionsTest,
                         ::testing::Values("Append", "Overwrite", "Update", "Delete", "Merge",
                                           "Project", "CreateIndex", "UpdateConfig",
                                           "DataReplacement", "UpdateBases"),
                         [](const auto& kind) { return std::string(kind.param); });

}  // namespace
}  // namespace lance::testing
