// Changes of rows through the public classes, in memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "arrow/api.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/merge_keys.h"
#include "lance/index.h"
#include "lance/mutate.h"
#include "lance/scan.h"
#include "lance/schema_evolution.h"
#include "lance/status_detail.h"
#include "lance/table/deletion_file.h"
#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RowsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<arrow::Table> Numbers(const std::string& rows) {
    return TableFromJson({{"a", arrow::int32()}, {"s", arrow::utf8()}}, rows);
  }
  /// Six rows in two fragments.
  Dataset Create() {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithOpenOptions(session_.Options()).WithOptions({.max_rows_per_file = 3});
    return builder
        .Execute(Numbers(R"([[1, "x"], [2, "y"], [3, null], [4, "x"], [null, "z"], [6, "y"]])"))
        .ValueOrDie()
        .dataset;
  }
  static std::string Read(const Dataset& dataset) {
    const auto table = dataset.Scan({}).ValueOrDie().ToTable().ValueOrDie();
    std::string text;
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      text += (i > 0 ? " " : "") + table->column(0)->GetScalar(i).ValueOrDie()->ToString() + ":" +
              table->column(1)->GetScalar(i).ValueOrDie()->ToString();
    }
    return text;
  }
  Dataset Newest() { return Dataset::Open(FaultySession::kUri, session_.Options()).ValueOrDie(); }

  FaultySession session_;
};

TEST_F(RowsTest, DeletesRows) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto result, Delete(Create(), "a >= 3"));

  EXPECT_EQ(result.num_deleted_rows, 3);
  EXPECT_EQ(result.dataset.version(), 2);
  EXPECT_EQ(Read(result.dataset), "1:x 2:y null:z");
  ASSERT_THAT(result.dataset.fragments(), SizeIs(2));
  EXPECT_EQ(result.dataset.fragments()[0].num_deletions(), 1);
  EXPECT_EQ(result.dataset.fragments()[1].num_deletions(), 2);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto again, Delete(result.dataset, "a IS NULL OR a = 1"));
  EXPECT_EQ(Read(again.dataset), "2:y");
  EXPECT_THAT(again.dataset.fragments(), SizeIs(1));
}

TEST_F(RowsTest, RunsAgainWhenAnotherCommitIsInTheWay) {
  const Dataset old = Create();
  ASSERT_THAT(Delete(old, "a = 1"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const auto deleted, Delete(old, "a <= 2"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto updated, Update(old, {.updates = {{"a", "a * 10"}}}));

  EXPECT_EQ(deleted.dataset.version(), 3);
  EXPECT_EQ(deleted.num_deleted_rows, 1);
  EXPECT_EQ(updated.num_rows_updated, 4);
  EXPECT_EQ(Read(updated.dataset), "30:null 40:x null:z 60:y");
}

TEST_F(RowsTest, LeavesTheDeletionFilesThatVersionsName) {
  const Dataset old = Create();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto first, Delete(old, "a = 1"));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto rebased, Delete(old, "a = 3"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto emptied,
                             Update(old, {.updates = {{"a", "9"}}, .where = "a = 2"}));

  EXPECT_EQ(Read(rebased.dataset), "2:y 4:x null:z 6:y");
  EXPECT_EQ(Read(emptied.dataset), "4:x null:z 6:y 9:y");
  std::set<std::string> named, found;
  for (const Dataset& version : {first.dataset, rebased.dataset, emptied.dataset}) {
    for (const table::Fragment& fragment : version.impl().manifest().fragments) {
      if (!fragment.deletion_file) continue;
      named.insert(table::DeletionFilePath(fragment.id, *fragment.deletion_file));
    }
  }
  ASSERT_THAT(session_.memory()->List("_deletions",
                                      [&](const ObjectInfo& info) {
                                        found.insert(info.path);
                                        return arrow::Status::OK();
                                      }),
              IsOk());
  EXPECT_THAT(named, SizeIs(2));
  EXPECT_EQ(found, named);
}

TEST_F(RowsTest, GivesUpWhenNoRetriesAreAllowed) {
  const Dataset old = Create();
  ASSERT_THAT(Update(old, {.updates = {{"a", "0"}}}), IsOk());

  const auto updated =
      Update(old, {.updates = {{"a", "1"}}, .commit = {.max_retries = 0}}).status();

  EXPECT_TRUE(updated.IsAlreadyExists()) << updated;
  ASSERT_NE(CommitConflict::From(updated), nullptr);
  EXPECT_TRUE(CommitConflict::From(updated)->retryable());
  EXPECT_EQ(Newest().version(), 2);
}

TEST_F(RowsTest, UpdatesComputeFromTheRowBefore) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto result,
      Update(Create(), {.updates = {{"a", "length(s)"}, {"s", "s || a"}}, .where = "a < 3"}));

  EXPECT_EQ(result.num_rows_updated, 2);
  EXPECT_EQ(Read(result.dataset), "3:null 4:x null:z 6:y 1:x1 1:y2");
}

TEST_F(RowsTest, MergesInTheOrderOfTableThenSource) {
  MergeInsertBuilder builder(Create(), {"a"});
  builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();

  LANCE_ASSERT_OK_AND_ASSIGN(
      const auto result,
      builder.Execute(Numbers(R"([[9, "n"], [6, "F"], [1, "A"], [null, "N"]])")));

  EXPECT_EQ(result.num_inserted_rows, 2);
  EXPECT_EQ(result.num_updated_rows, 2);
  EXPECT_EQ(Read(result.dataset), "2:y 3:null 4:x null:z 1:A 6:F 9:n null:N");
}

TEST_F(RowsTest, TruncatesAndKeepsTheSchema) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto empty, Truncate(Create()));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto again, Truncate(empty));

  EXPECT_THAT(empty.fragments(), IsEmpty());
  EXPECT_THAT(empty.schema()->field_names(), ElementsAre("a", "s"));
  EXPECT_EQ(again.version(), 2);
}

TEST_F(RowsTest, DeletesFromOneFragmentWithoutACommit) {
  const Dataset dataset = Create();
  LANCE_ASSERT_OK_AND_ASSIGN(const auto some, DeleteFromFragment(dataset, 1, "a = 4 OR a = 1"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto none, DeleteFromFragment(dataset, 1, "a = 1"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto all, DeleteFromFragment(dataset, 0, "true"));

  ASSERT_TRUE(some.has_value());
  EXPECT_EQ(some->num_rows(), 2);
  EXPECT_EQ(none->num_rows(), 3);
  EXPECT_FALSE(all.has_value());
  EXPECT_EQ(Newest().version(), 1);
  EXPECT_THAT(DeleteFromFragment(dataset, 7, "true"), IsKeyError(HasSubstr("has no fragment 7")));
}

TEST_F(RowsTest, LeavesNoFilesWhenTheRetriesAreWrong) {
  const Dataset dataset = Create();
  const auto count = [&] {
    int files = 0;
    const auto visit = [&](const ObjectInfo&) {
      ++files;
      return arrow::Status::OK();
    };
    EXPECT_THAT(session_.memory()->List("", visit), IsOk());
    return files;
  };
  const int before = count();

  EXPECT_TRUE(Update(dataset, {.updates = {{"a", "0"}}, .commit = {.max_retries = -1}})
                  .status()
                  .IsInvalid());
  EXPECT_TRUE(Delete(dataset, "a = 1", {.max_retries = -1}).status().IsInvalid());

  EXPECT_EQ(count(), before);
}

// A count of 0 means that it is not known; every answer that needs it would be wrong.
TEST_F(RowsTest, RefusesDeletionFilesWithoutARowCount) {
  const Dataset deleted = Delete(Create(), "a = 1").ValueOrDie().dataset;
  const Dataset::Impl& impl = deleted.impl();
  table::LoadedManifest loaded = *impl.loaded;
  loaded.manifest.fragments[0].deletion_file->num_deleted_rows = 0;

  const auto opened = Dataset::Impl::Make(impl.opened, std::move(loaded));

  EXPECT_TRUE(opened.status().IsNotImplemented()) << opened.status();
  EXPECT_THAT(opened.status().message(), HasSubstr("fragment 0 does not say how many rows"));
}

// Old writers leave sizes of files out, too; those can be looked up.
TEST_F(RowsTest, EstimatesBytesOfFilesWhoseSizesTheManifestDoesNotSay) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset dataset, CreateIndex(Create(), {.column = "a"}));
  const ScanOptions options{.filter = "a > 4"};
  LANCE_ASSERT_OK_AND_ASSIGN(const ScanEstimate known,
                             dataset.Scan(options).ValueOrDie().Estimate());
  table::LoadedManifest loaded = *dataset.impl().loaded;
  for (table::Fragment& fragment : loaded.manifest.fragments) fragment.files[0].size_bytes = 0;
  ASSERT_THAT(loaded.manifest.indices, SizeIs(1));
  ASSERT_THAT(loaded.manifest.indices[0].files, SizeIs(1));
  loaded.manifest.indices[0].files.clear();

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset old,
                             Dataset::Impl::Make(dataset.impl().opened, std::move(loaded)));
  LANCE_ASSERT_OK_AND_ASSIGN(const ScanEstimate unknown, old.Scan(options).ValueOrDie().Estimate());
  EXPECT_EQ(unknown.bytes_max, known.bytes_max);
}

TEST_F(RowsTest, AddsColumnsToOneFragmentWithoutACommit) {
  const Dataset dataset = Create();
  const AddColumnsRequest request{.values = std::vector<ComputedColumn>{{"b", "a * 2"}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const auto changed, AddColumnsToFragment(dataset, 1, request));

  ASSERT_THAT(changed.files(), SizeIs(2));
  EXPECT_THAT(changed.files()[1].field_ids, ElementsAre(2));
  EXPECT_EQ(changed.num_rows(), 3);
  EXPECT_EQ(Newest().version(), 1);
  EXPECT_THAT(AddColumnsToFragment(dataset, 7, request).status(),
              IsKeyError(HasSubstr("has no fragment 7")));
}

TEST(SourceKeys, FindsRowsByBytes) {
  const auto texts = TableFromJson({{"k", arrow::utf8()}, {"l", arrow::list(arrow::int8())}},
                                   R"([["a", [1]], ["ab", [1]], ["a", [1]], [null, [1]],
                                       ["a", [1, null]], ["a", []]])");
  const arrow::ArrayVector columns = {texts->column(0)->chunk(0), texts->column(1)->chunk(0)};
  LANCE_ASSERT_OK_AND_ASSIGN(auto keys, SourceKeys::Make(columns, RunContext()));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto encoder, KeyEncoder::Make(columns));
  std::string key;

  ASSERT_TRUE(encoder.Encode(2, &key));
  EXPECT_EQ(keys.First(key), 0);
  EXPECT_EQ(keys.Next(0), 2);
  EXPECT_EQ(keys.Next(2), -1);
  ASSERT_TRUE(encoder.Encode(4, &key));
  EXPECT_EQ(keys.First(key), 4);
  EXPECT_FALSE(encoder.Encode(3, &key));
  keys.SetMatched(0);
  keys.SetMatched(4);
  EXPECT_THAT(keys.Unmatched(), ElementsAre(1, 2, 3, 5));
}

}  // namespace
}  // namespace lance::testing
