// Indices that name rows, through the public classes, in memory.

#include "lance/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/mutate.h"
#include "lance/scan.h"
#include "lance/status_detail.h"
#include "lance/testing/matchers.h"
#include "lance/testing/table_session.h"
#include "lance/verify.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Keeps warnings.
class Warnings : public Observer {
 public:
  void OnProgress(const Progress&) override {}
  void OnWarning(const Warning& warning) override { seen.push_back(warning.code); }
  std::vector<std::string> seen;
};

class IndexTest : public ::testing::Test {
 protected:
  /// Six rows in two fragments.
  Dataset Create(bool stable_row_ids = false) {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithOpenOptions(session_.Options())
        .WithOptions({.max_rows_per_file = 3, .enable_stable_row_ids = stable_row_ids});
    return builder
        .Execute(
            TableFromJson({{"a", arrow::int32()}, {"s", arrow::utf8()}},
                          R"([[1, "x"], [2, "y"], [3, null], [4, "x"], [null, "z"], [6, "y"]])"))
        .ValueOrDie()
        .dataset;
  }

  Dataset WithIndex(const Dataset& dataset, CreateIndexRequest request) {
    return CreateIndex(dataset, request).ValueOrDie();
  }

  /// Values of `a` that a filter keeps, and how many rows it looked at.
  struct Found {
    std::vector<std::string> values;
    ScanStatistics statistics;
    std::vector<std::string> warnings;
  };
  static Found Find(const Dataset& dataset, const std::string& filter, ScanOptions options = {}) {
    options.filter = filter;
    const auto warnings = std::make_shared<Warnings>();
    const auto reader = dataset.Scan(options).ValueOrDie().ToReader({.observer = warnings});
    const auto table = arrow::Table::FromRecordBatchReader(reader->get()).ValueOrDie();
    Found found{.statistics = *scan_statistics(**reader), .warnings = warnings->seen};
    for (int64_t i = 0; i < table->num_rows(); ++i) {
      found.values.push_back(table->column(0)->GetScalar(i).ValueOrDie()->ToString());
    }
    return found;
  }

  FaultySession session_;
};

TEST_F(IndexTest, NamesTheRowsOfACondition) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});

  const Found first = Find(dataset, "a = 4");
  EXPECT_THAT(first.values, ElementsAre("4"));
  EXPECT_EQ(first.statistics.rows_scanned, 1u);
  EXPECT_EQ(first.statistics.indices_loaded, 1u);
  EXPECT_EQ(first.statistics.index_comparisons, 1u);
  EXPECT_GT(first.statistics.parts_loaded, 0u);
  const Found second = Find(dataset, "a IN (1, 6)");
  EXPECT_THAT(second.values, ElementsAre("1", "6"));
  EXPECT_EQ(second.statistics.rows_scanned, 2u);
  EXPECT_EQ(second.statistics.indices_loaded, 0u);
  EXPECT_EQ(second.statistics.index_cache_hits, 1u);
}

TEST_F(IndexTest, KnowsThatNullsAreNeitherTrueNorFalse) {
  for (const bool stable_row_ids : {false, true}) {
    SCOPED_TRACE(stable_row_ids);
    session_ = FaultySession();
    Dataset dataset = WithIndex(Create(stable_row_ids), {.column = "a", .type = IndexType::kBTree});
    dataset = WithIndex(dataset, {.column = "s", .type = IndexType::kBitmap});

    const Found outside = Find(dataset, "NOT (a = 4)");
    EXPECT_THAT(outside.values, ElementsAre("1", "2", "3", "6"));
    EXPECT_EQ(outside.statistics.rows_scanned, 4u);
    EXPECT_EQ(Find(dataset, "a IS NULL").statistics.rows_scanned, 1u);
    EXPECT_THAT(Find(dataset, "s IS NOT NULL AND a > 2").values, ElementsAre("4", "6"));
    const Found either = Find(dataset, "NOT (s = 'x' AND a < 3)");
    EXPECT_THAT(either.values, ElementsAre("2", "3", "4", "null", "6"));
    EXPECT_EQ(either.statistics.rows_scanned, 5u);
  }
}

TEST_F(IndexTest, ReadsFragmentsThatItDoesNotCoverInFull) {
  const Dataset dataset = WithIndex(
      Create(),
      {.column = "a", .type = IndexType::kBTree, .fragment_ids = std::vector<uint64_t>{1}});

  const Found found = Find(dataset, "a >= 3");
  EXPECT_THAT(found.values, ElementsAre("3", "4", "6"));
  EXPECT_EQ(found.statistics.rows_scanned, 3u + 2u);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto indices, ListIndices(dataset));
  EXPECT_EQ(indices[0].num_unindexed_rows, 3u);
  EXPECT_THAT(indices[0].segments[0].fragment_ids.value(), ElementsAre(1));
}

TEST_F(IndexTest, FollowsRowsByTheirStableIds) {
  Dataset dataset =
      WithIndex(Create(/*stable_row_ids=*/true), {.column = "s", .type = IndexType::kBitmap});
  LANCE_ASSERT_OK_AND_ASSIGN(const auto updated,
                             Update(dataset, {.updates = {{"a", "20"}}, .where = Filter("a = 2")}));

  const Found found = Find(updated.dataset, "s = 'y'");
  EXPECT_THAT(found.values, ElementsAre("6", "20"));
  EXPECT_EQ(found.statistics.rows_scanned, 2u);
}

TEST_F(IndexTest, IsNotUsedWhenTheCallerSaysSo) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});

  const Found found = Find(dataset, "a = 4", {.use_scalar_index = false});
  EXPECT_EQ(found.statistics.rows_scanned, 6u);
  EXPECT_EQ(found.statistics.indices_loaded, 0u);
}

TEST_F(IndexTest, DoesNotHideRowsThatWereDeletedBeforeIt) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto deleted, Delete(Create(), "a = 4"));
  const Dataset dataset = WithIndex(deleted.dataset, {.column = "a", .type = IndexType::kBTree});

  const Found found = Find(dataset, "a = 4", {.include_deleted_rows = true, .with_row_id = true});
  EXPECT_THAT(found.values, ElementsAre("4"));
}

TEST_F(IndexTest, IsLeftAsideWithOneWarningWhenItIsDamaged) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  const auto& segment = dataset.impl().manifest().indices[0];
  const std::string path = "_indices/" + segment.uuid.ToString() + "/page_lookup.lance";
  ASSERT_THAT(session_.memory()->Delete(path), IsOk());

  const Found found = Find(dataset, "a = 4 OR a = 6");
  EXPECT_THAT(found.values, ElementsAre("4", "6"));
  EXPECT_EQ(found.statistics.rows_scanned, 6u);
  EXPECT_THAT(found.warnings, ElementsAre("index_unusable"));
}

TEST_F(IndexTest, IsLeftAsideWhenNobodyKnowsWhereItsRowsWent) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  table::LoadedManifest loaded = *dataset.impl().loaded;
  loaded.manifest.indices.push_back({.name = "__lance_frag_reuse",
                                     .details_type_url = "/lance.table.FragmentReuseIndexDetails",
                                     .details_value = "\xff",
                                     .has_details = true});
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset moved,
                             Dataset::Impl::Make(dataset.impl().opened, std::move(loaded)));

  const Found found = Find(moved, "a = 4");
  EXPECT_THAT(found.values, ElementsAre("4"));
  EXPECT_EQ(found.statistics.rows_scanned, 6u);
  EXPECT_THAT(found.warnings, ElementsAre("index_unusable"));
}

TEST_F(IndexTest, TakesNamesThatAreFreeOrItsOwn) {
  Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  dataset = WithIndex(dataset, {.column = "a", .type = IndexType::kBitmap});
  dataset = WithIndex(dataset, {.column = "a", .type = IndexType::kBTree});
  dataset = WithIndex(dataset, {.column = "a", .name = "a_idx_2"});

  LANCE_ASSERT_OK_AND_ASSIGN(const auto indices, ListIndices(dataset));
  ASSERT_THAT(indices, SizeIs(2));
  EXPECT_EQ(indices[0].name + " " + indices[0].index_type, "a_idx BTree");
  EXPECT_EQ(indices[1].name + " " + indices[1].index_type, "a_idx_2 ZoneMap");
  EXPECT_THAT(CreateIndex(dataset, {.column = "s", .name = "a_idx"}),
              IsInvalid(HasSubstr("the name a_idx is taken by a BTree index on a")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .name = "a_idx", .replace = false}),
              IsAlreadyExists(HasSubstr("index a_idx is there already")));
}

TEST_F(IndexTest, RefusesByNameWhatIsNotBuilt) {
  const Dataset dataset = Create();
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .type = IndexType::kBloomFilter}),
              IsNotImplemented(HasSubstr("BloomFilter cannot be built")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .type = IndexType::kLabelList}),
              IsInvalid(HasSubstr("column a of type int32; allowed: lists")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "b", .type = IndexType::kBTree}),
              IsKeyError(HasSubstr("there is no column b")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .type = IndexType::kBTree, .rows_per_zone = 7}),
              IsInvalid(HasSubstr("options of zonemaps")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .fragment_ids = std::vector<uint64_t>{9}}),
              IsKeyError(HasSubstr("there is no fragment 9")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .uuid = "zz"}), IsInvalid(HasSubstr("zz")));
  EXPECT_THAT(CreateIndex(dataset, {.column = "a", .name = "__lance_mem_wal"}),
              IsInvalid(HasSubstr("another beginning than __lance_")));
}

TEST_F(IndexTest, NeverWritesIntoTheFolderOfAnother) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  const std::string uuid = ListIndices(dataset).ValueOrDie()[0].segments[0].uuid;
  const Dataset without = DropIndex(dataset, "a_idx").ValueOrDie();

  for (const Dataset& at : {dataset, without}) {  // older versions have it still
    EXPECT_THAT(CreateIndex(at, {.column = "s", .type = IndexType::kBTree, .uuid = uuid}),
                IsAlreadyExists(HasSubstr(uuid)));
  }

  EXPECT_THAT(Find(dataset, "a = 4").values, ElementsAre("4"));
  EXPECT_EQ(Find(dataset, "a = 4").statistics.rows_scanned, 1u);
}

TEST_F(IndexTest, KeepsWithinTheMemoryOfItsSession) {
  const Dataset dataset = Create();
  SessionOptions options = session_.Options().session->options();
  options.max_memory_bytes = 300;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto session, Session::Make(options));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset small,
                             Dataset::Open(FaultySession::kUri, {.session = session}));

  EXPECT_THAT(CreateIndex(small, {.column = "s", .type = IndexType::kBitmap}),
              IsCapacityError(HasSubstr("the keys of an index")));
}

TEST_F(IndexTest, OptimizeTakesANameThatIsGivenTwiceOnce) {
  Dataset dataset = WithIndex(
      Create(),
      {.column = "a", .type = IndexType::kBTree, .fragment_ids = std::vector<uint64_t>{0}});

  LANCE_ASSERT_OK_AND_ASSIGN(dataset,
                             OptimizeIndices(dataset, {.index_names = {"a_idx", "a_idx"}}));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto indices, ListIndices(dataset));
  EXPECT_EQ(indices[0].num_segments, 1u);
  EXPECT_EQ(indices[0].num_rows_indexed, 6u);
}

TEST_F(IndexTest, OptimizeTrainsAnewWhatCannotBeRead) {
  const Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  const auto& segment = dataset.impl().manifest().indices[0];
  const std::string path = "_indices/" + segment.uuid.ToString() + "/page_lookup.lance";
  ASSERT_THAT(session_.memory()->Delete(path), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset trained, OptimizeIndices(dataset, {.retrain = true}));

  const Found found = Find(trained, "a = 4");
  EXPECT_THAT(found.values, ElementsAre("4"));
  EXPECT_EQ(found.statistics.rows_scanned, 1u);
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST_F(IndexTest, VerifyPruningFindsAnIndexThatLosesARow) {
  Dataset dataset = Create();
  const Dataset indexed = WithIndex(dataset, {.column = "a", .type = IndexType::kBTree});
  LANCE_ASSERT_OK_AND_ASSIGN(const auto good, VerifyPruning(indexed, {.filter = Filter("a = 4")}));
  EXPECT_THAT(good.missed, IsEmpty());
  EXPECT_EQ(good.rows_reread, 5u);

  // An index of fragment 0 that claims fragment 1.
  const Dataset partial = WithIndex(
      dataset,
      {.column = "a", .type = IndexType::kBTree, .fragment_ids = std::vector<uint64_t>{0}});
  table::LoadedManifest loaded = *partial.impl().loaded;
  loaded.manifest.indices[0].fragment_bitmap = RoaringBitmap({0, 1}).Serialize();
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset wrong,
                             Dataset::Impl::Make(partial.impl().opened, std::move(loaded)));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto bad, VerifyPruning(wrong, {.filter = Filter("a = 4")}));
  ASSERT_THAT(bad.missed, SizeIs(1));
  EXPECT_THAT(bad.missed[0].message, HasSubstr("1 rows of fragment 1 pass the filter a = 4"));
}

TEST_F(IndexTest, OptimizeKeepsTheParametersOfAZonemap) {
  Dataset dataset = WithIndex(Create(), {.column = "a",
                                         .fragment_ids = std::vector<uint64_t>{0},
                                         .rows_per_zone = 2,
                                         .use_seeds = false});
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset appended,
                             OptimizeIndices(dataset, {.num_segments_to_merge = 0}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset merged, OptimizeIndices(appended));

  const auto& segments = appended.impl().manifest().indices;
  ASSERT_THAT(segments, SizeIs(2));
  EXPECT_EQ(segments[0].details_value, segments[1].details_value);
  ASSERT_THAT(merged.impl().manifest().indices, SizeIs(1));
  EXPECT_EQ(merged.impl().manifest().indices[0].details_value, segments[0].details_value);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto zones, LoadZones(merged, "a"));
  EXPECT_EQ(zones->num_rows(), 4);
}

TEST_F(IndexTest, OptimizeAnswersForNewFragmentsAndKeepsOthers) {
  Dataset dataset = WithIndex(Create(), {.column = "a", .type = IndexType::kBTree});
  dataset = WithIndex(dataset, {.column = "s", .type = IndexType::kBitmap, .train = false});
  LANCE_ASSERT_OK_AND_ASSIGN(const auto before, ListIndices(dataset));
  EXPECT_EQ(before[1].num_rows_indexed, 0u);

  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset filled, OptimizeIndices(dataset));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto after, ListIndices(filled));
  EXPECT_EQ(after[0].segments[0].uuid, before[0].segments[0].uuid);
  EXPECT_EQ(after[1].num_rows_indexed, 6u);
  EXPECT_EQ(Find(filled, "s = 'x'").statistics.rows_scanned, 2u);
  LANCE_ASSERT_OK_AND_ASSIGN(const Dataset again, OptimizeIndices(filled));
  EXPECT_EQ(again.version(), filled.version());
}

}  // namespace
}  // namespace lance::testing
