#include "lance/table/build_manifest.h"

#include <gtest/gtest.h>

#include <functional>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsAlreadyExists;
using ::lance::testing::IsCapacityError;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsNotImplemented;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const BuildInput kInput{.now = Timestamp(std::chrono::seconds(77)), .transaction_file = "x.txn"};

arrow::Result<Manifest> Build(const Manifest& newest, Operation operation) {
  return BuildManifest(newest, SampleTransaction(newest.version, std::move(operation)), kInput);
}

std::vector<uint64_t> IdsOf(const Manifest& manifest) {
  std::vector<uint64_t> ids;
  for (const Fragment& fragment : manifest.fragments) ids.push_back(fragment.id);
  return ids;
}

TEST(BuildManifest, RenewsWhatEveryVersionHasOfItsOwn) {
  Manifest newest = SampleManifest({0});
  newest.tag = "old";
  newest.transaction_file = "old.txn";
  newest.writer_version = WriterVersion{"lance", "9.9.9", "p", "b"};
  newest.writer_feature_flags = 32;
  newest.config = {{"k", "v"}};
  Transaction transaction = SampleTransaction(1, ReserveFragments{1});
  transaction.tag = "new";

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, BuildManifest(newest, transaction, kInput));

  EXPECT_EQ(next.version, 2u);
  EXPECT_EQ(next.timestamp, kInput.now);
  EXPECT_EQ(next.tag, "new");
  EXPECT_EQ(next.transaction_file, "x.txn");
  EXPECT_EQ(next.writer_version, (WriterVersion{"lance-cpp", "0.1.0", {}, {}}));
  EXPECT_EQ(next.reader_feature_flags, 0u);
  EXPECT_EQ(next.writer_feature_flags, 8u);
}

TEST(BuildManifest, CarriesEverythingElseOver) {
  Manifest newest = SampleManifest({0});
  newest.schema.metadata = {{"s", "m"}};
  newest.config = {{"k", "v"}};
  newest.table_metadata = {{"t", "m"}};
  newest.branch = "b";
  newest.next_row_id = 5;
  newest.clustering = {{.id = 1, .field_ids = {0}, .provider = "p", .version = 1}};
  newest.max_clustering_id = 3;
  newest.indices = {SampleIndex("i", 1, {0})};
  newest.fragments[0].clustering_id = 1;
  newest.fragments[0].metadata = {{"a", "b"}};
  newest.unknown_fields = FromHex("c2 3e 02 68 69");

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, Append{}));

  EXPECT_EQ(next.schema, newest.schema);
  EXPECT_EQ(next.fragments, newest.fragments);
  EXPECT_EQ(next.config, newest.config);
  EXPECT_EQ(next.table_metadata, newest.table_metadata);
  EXPECT_EQ(next.branch, "b");
  EXPECT_EQ(next.next_row_id, 5u);
  EXPECT_EQ(next.clustering, newest.clustering);
  EXPECT_EQ(next.max_clustering_id, 3u);
  EXPECT_EQ(next.indices, newest.indices);
  EXPECT_EQ(next.unknown_fields, newest.unknown_fields);
  EXPECT_EQ(next.writer_feature_flags, 131072u + 8u);
}

TEST(BuildManifest, RefusesToCreateATableByAnythingButOverwrite) {
  EXPECT_THAT(Build(Manifest{}, Append{}), IsInvalid(HasSubstr("allowed: Overwrite")));
}

TEST(BuildManifest, CreatesATable) {
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(Manifest{}, Overwrite{.fragments = {SampleFragment(9), SampleFragment(9, "b.lance")},
                                  .schema = SampleSchema(),
                                  .config_upsert_values = {{"k", "v"}}}));

  EXPECT_EQ(next.version, 1u);
  EXPECT_THAT(IdsOf(next), ElementsAre(0, 1));
  EXPECT_EQ(next.max_fragment_id, 1u);
  EXPECT_EQ(next.data_storage_version, "2.1");
  EXPECT_EQ(next.schema, SampleSchema());
  EXPECT_THAT(next.config, ElementsAre(Pair("k", "v")));
  EXPECT_EQ(next.writer_feature_flags, 8u);
}

TEST(BuildManifest, CreatesAnEmptyTableThatNeverHadAFragment) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(Manifest{}, Overwrite{.schema = SampleSchema()}));

  EXPECT_THAT(next.fragments, IsEmpty());
  EXPECT_FALSE(next.max_fragment_id.has_value());
  EXPECT_EQ(next.data_storage_version, "2.1");
}

TEST(BuildManifest, AppendNumbersBehindTheHighestIdEverUsed) {
  Manifest newest = SampleManifest({0, 4});
  newest.max_fragment_id = 6;

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, Append{.fragments = {SampleFragment(0, "x"), SampleFragment(0, "y")}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0, 4, 7, 8));
  EXPECT_EQ(next.fragments[2].files[0].path, "x");
  EXPECT_EQ(next.max_fragment_id, 8u);
}

TEST(BuildManifest, AppendDoesNotTrustAMaximumThatIsTooSmall) {
  Manifest newest = SampleManifest({0, 4});
  newest.max_fragment_id = 1;

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(newest, Append{.fragments = {SampleFragment(0, "x")}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0, 4, 5));
  EXPECT_EQ(next.max_fragment_id, 5u);
}

TEST(BuildManifest, AppendKeepsAReservedId) {
  Manifest newest = SampleManifest({0});
  newest.max_fragment_id = 5;

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest next,
      Build(newest, Append{.fragments = {SampleFragment(0, "x"), SampleFragment(3, "y")}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0, 3, 6));
}

TEST(BuildManifest, AppendLandsAlthoughAColumnOfItsWasDropped) {
  Append append{.fragments = {SampleFragment(0, "x")}};
  append.fragments[0].files[0].field_ids = {0, 99};

  EXPECT_THAT(Build(SampleManifest({0}), append), testing::IsOk());
}

TEST(BuildManifest, SortsUnsortedFragments) {
  Manifest newest = SampleManifest({5, 2});

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, Append{}));

  EXPECT_THAT(IdsOf(next), ElementsAre(2, 5));
}

TEST(BuildManifest, ReportsExhaustedFragmentIds) {
  Manifest newest = SampleManifest({0});
  newest.max_fragment_id = 4294967295u;

  EXPECT_THAT(Build(newest, Append{.fragments = {SampleFragment(0, "x")}}),
              IsCapacityError(HasSubstr("fragment ids are exhausted")));
  EXPECT_THAT(Build(newest, ReserveFragments{1}),
              IsCapacityError(HasSubstr("fragment ids are exhausted")));
}

TEST(BuildManifest, GivesOutTheLastPossibleId) {
  Manifest newest = SampleManifest({0});
  newest.max_fragment_id = 4294967294u;

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(newest, Append{.fragments = {SampleFragment(0, "x")}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0, 4294967295u));
}

TEST(BuildManifest, ReservesTheLastIdsBelowTheNewMaximum) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(SampleManifest({0, 4}), ReserveFragments{3}));

  EXPECT_EQ(next.max_fragment_id, 7u);
  EXPECT_THAT(IdsOf(next), ElementsAre(0, 4));
}

TEST(BuildManifest, DropsFilesAndFragmentsThatHoldNothing) {
  Manifest newest = SampleManifest({0, 1});
  newest.fragments[0].files.push_back({.path = "dead", .field_ids = {-2, -2}});
  newest.fragments[1].deletion_file = DeletionFile{.num_deleted_rows = 10};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, Append{}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0));
  EXPECT_EQ(next.fragments[0].files.size(), 1u);
  EXPECT_EQ(next.max_fragment_id, 1u);
}

TEST(BuildManifest, KeepsAFragmentWhoseRowsNobodyCounted) {
  Manifest newest = SampleManifest({0});
  newest.fragments[0].physical_rows = 0;

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, Append{}));

  EXPECT_THAT(IdsOf(next), ElementsAre(0));
}

TEST(BuildManifest, OverwriteKeepsTheTableAndReplacesItsContent) {
  Manifest newest = SampleManifest({0, 1});
  newest.config = {{"k", "old"}, {"stays", "x"}};
  newest.table_metadata = {{"t", "m"}};
  newest.schema.metadata = {{"gone", "x"}};
  newest.indices = {SampleIndex("i", 1, {0})};
  newest.branch = "b";
  newest.clustering = {{.id = 1, .field_ids = {0}, .provider = "p", .version = 1}};
  newest.max_clustering_id = 1;
  format::LanceSchema schema = SampleSchema();
  schema.fields.pop_back();
  schema.fields.pop_back();

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(newest, Overwrite{.fragments = {SampleFragment(77, "x")},
                                                     .schema = schema,
                                                     .config_upsert_values = {{"k", "new"}}}));

  EXPECT_THAT(IdsOf(next), ElementsAre(2));
  EXPECT_EQ(next.max_fragment_id, 2u);
  EXPECT_EQ(next.schema, schema);
  EXPECT_THAT(next.config, ElementsAre(Pair("k", "new"), Pair("stays", "x")));
  EXPECT_THAT(next.table_metadata, ElementsAre(Pair("t", "m")));
  EXPECT_THAT(next.indices, IsEmpty());
  EXPECT_EQ(next.branch, "b");
  EXPECT_EQ(next.clustering, newest.clustering);
}

TEST(BuildManifest, OverwriteTakesTheDataVersionOfItsFiles) {
  Manifest newest = SampleManifest({});
  newest.data_storage_version = "2.2";

  LANCE_ASSERT_OK_AND_ASSIGN(
      const Manifest with_files,
      Build(newest, Overwrite{.fragments = {SampleFragment(0)}, .schema = SampleSchema()}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest without_files,
                             Build(newest, Overwrite{.schema = SampleSchema()}));

  EXPECT_EQ(with_files.data_storage_version, "2.1");
  EXPECT_EQ(without_files.data_storage_version, "2.2");
}

TEST(BuildManifest, RewriteReplacesSourcesByOutputs) {
  Manifest newest = SampleManifest({0, 1, 2, 3});
  newest.max_fragment_id = 6;
  const Rewrite rewrite{
      .groups = {{{newest.fragments[0], newest.fragments[2]}, {SampleFragment(6)}},
                 {{newest.fragments[3]}, {SampleFragment(5), SampleFragment(0, "fresh")}}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, rewrite));

  EXPECT_THAT(IdsOf(next), ElementsAre(1, 5, 6, 7));
  EXPECT_EQ(next.fragments[3].files[0].path, "fresh");
  EXPECT_EQ(next.max_fragment_id, 7u);
}

TEST(BuildManifest, RewriteMovesNamedSegmentsAndLeavesOthersAlone) {
  Manifest newest = SampleManifest({0, 1, 2});
  newest.max_fragment_id = 4;
  IndexMetadata named = SampleIndex("i", 1, {0, 1, 2});
  named.clustering_id = 1;
  named.metadata = {{"k", "v"}};
  newest.clustering = {{.id = 1, .field_ids = {0}, .provider = "p", .version = 1}};
  newest.max_clustering_id = 1;
  newest.indices = {named, SampleIndex("u", 2, {0, 2})};
  const Rewrite rewrite{
      .groups = {{{newest.fragments[0], newest.fragments[1]}, {SampleFragment(4)}}},
      .rewritten_indices = {{.old_uuid = SampleUuid(1),
                             .new_uuid = SampleUuid(7),
                             .details_type_url = "/lance.table.New",
                             .details_value = "d",
                             .index_version = 3,
                             .files = {{"f", 1}}},
                            {.old_uuid = SampleUuid(99), .new_uuid = SampleUuid(98)}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, rewrite));

  ASSERT_EQ(next.indices.size(), 2u);
  const IndexMetadata& moved = next.indices[0];
  EXPECT_EQ(moved.uuid, SampleUuid(7));
  EXPECT_EQ(moved.name, "i");
  EXPECT_EQ(moved.dataset_version, 1u);
  EXPECT_EQ(moved.details_type_url, "/lance.table.New");
  EXPECT_EQ(moved.index_version, 3);
  EXPECT_THAT(moved.files, ElementsAre(IndexFile{"f", 1}));
  EXPECT_FALSE(moved.clustering_id.has_value());
  EXPECT_THAT(moved.metadata, IsEmpty());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto coverage, moved.Coverage());
  EXPECT_EQ(coverage, RoaringBitmap({2, 4}));
  EXPECT_EQ(next.indices[1], newest.indices[1]);
}

TEST(BuildManifest, CreateIndexReplacesByUuid) {
  Manifest newest = SampleManifest({0});
  newest.indices = {SampleIndex("i", 1, {0}), SampleIndex("i", 2, {})};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next,
                             Build(newest, CreateIndex{.new_indices = {SampleIndex("i", 3, {0})},
                                                       .removed_indices = {newest.indices[0]}}));

  ASSERT_EQ(next.indices.size(), 2u);
  EXPECT_EQ(next.indices[0], newest.indices[1]);
  EXPECT_EQ(next.indices[1].uuid, SampleUuid(3));
}

TEST(BuildManifest, UpdateConfigMergesAndReplaces) {
  Manifest newest = SampleManifest({});
  newest.config = {{"keep", "1"}, {"change", "1"}, {"drop", "1"}};
  newest.table_metadata = {{"old", "1"}, {"lance.liquid-clustering.max_version", "4"}};
  newest.schema.fields[0].metadata = {{"f", "1"}};
  UpdateConfig update = SetConfig({{"change", "2"}, {"add", ""}});
  update.config->entries.emplace_back("drop", std::nullopt);
  update.table_metadata = UpdateMap{.entries = {{"new", "2"}, {"ignored", {}}}, .replace = true};
  update.schema_metadata = UpdateMap{.entries = {{"s", "m"}}};
  update.field_metadata[0] = UpdateMap{.entries = {{"g", "2"}}};

  LANCE_ASSERT_OK_AND_ASSIGN(const Manifest next, Build(newest, update));

  EXPECT_THAT(next.config, ElementsAre(Pair("add", ""), Pair("change", "2"), Pair("keep", "1")));
  EXPECT_THAT(next.table_metadata,
              ElementsAre(Pair("lance.liquid-clustering.max_version", "4"), Pair("new", "2")));
  EXPECT_THAT(next.schema.metadata, ElementsAre(Pair("s", "m")));
  EXPECT_THAT(next.schema.fields[0].metadata, ElementsAre(Pair("f", "1"), Pair("g", "2")));
}

Fragment Changed(const std::function<void(Fragment*)>& change) {
  Fragment fragment = SampleFragment(0, "new");
  change(&fragment);
  return fragment;
}

struct RefusedCase {
  std::string name;
  Operation operation;
  std::string expected;
};

class BuildManifestRefusesTest : public ::testing::TestWithParam<RefusedCase> {};

TEST_P(BuildManifestRefusesTest, WithAReason) {
  Manifest newest = SampleManifest({0, 1});
  newest.indices = {SampleIndex("i", 1, {0})};
  newest.schema.fields[0].nullable = false;

  EXPECT_THAT(Build(newest, GetParam().operation), IsInvalid(HasSubstr(GetParam().expected)));
}

Operation AppendChanged(const std::function<void(Fragment*)>& change) {
  return Append{.fragments = {Changed(change)}};
}

INSTANTIATE_TEST_SUITE_P(
    All, BuildManifestRefusesTest,
    ::testing::ValuesIn<RefusedCase>({
        {"NoRows", AppendChanged([](Fragment* f) { f->physical_rows = 0; }), "has 0 rows"},
        {"TooManyRows", AppendChanged([](Fragment* f) { f->physical_rows = uint64_t{1} << 32; }),
         "has 4294967296 rows"},
        {"NoFile", AppendChanged([](Fragment* f) { f->files.clear(); }), "has no data file"},
        {"NoField", AppendChanged([](Fragment* f) { f->files[0].field_ids.clear(); }),
         "holds no field"},
        {"ColumnsMissing", AppendChanged([](Fragment* f) { f->files[0].column_indices = {0}; }),
         "2 fields and 1 column indices"},
        {"OtherDataVersion", AppendChanged([](Fragment* f) { f->files[0].minor_version = 0; }),
         "data version 2.0, the table has 2.1"},
        {"FieldThatTheNewSchemaLacks",
         Overwrite{.fragments = {Changed([](Fragment* f) {
                     f->files[0].field_ids = {0, 99};
                   })},
                   .schema = SampleSchema()},
         "field 99"},
        {"FieldTwice", AppendChanged([](Fragment* f) {
           f->files[0].field_ids = {0, 0};
         }),
         "field 0, which is there already"},
        {"RequiredColumnMissing", AppendChanged([](Fragment* f) {
           f->files[0].field_ids = {1, 4};
         }),
         "column a is missing"},
        {"PathIsAPath", AppendChanged([](Fragment* f) { f->files[0].path = "a/b"; }),
         "one plain path component"},
        {"FileIsThereAlready", AppendChanged([](Fragment* f) { f->files[0].path = "f1.lance"; }),
         "f1.lance is in the table already"},
        {"IdIsThereAlready", AppendChanged([](Fragment* f) { f->id = 1; }),
         "fragment id 1 is there twice"},
        {"OverwriteWithoutSchema", Overwrite{}, "no columns"},
        {"OverwriteWithDeletions",
         Overwrite{.fragments = {Changed([](Fragment* f) { f->deletion_file.emplace(); })},
                   .schema = SampleSchema()},
         "deletion file"},
        {"SourceTwice", Rewrite{.groups = {{{SampleFragment(0)}, {}}, {{SampleFragment(0)}, {}}}},
         "named twice"},
        {"SegmentReplacedTwice",
         Rewrite{.rewritten_indices = {{.old_uuid = SampleUuid(1)}, {.old_uuid = SampleUuid(1)}}},
         "replaced twice"},
        {"SegmentCoversPartOfAGroup",
         Rewrite{.groups = {{{SampleFragment(0), SampleFragment(1)}, {SampleFragment(9)}}},
                 .rewritten_indices = {{.old_uuid = SampleUuid(1)}}},
         "fragment 1 is not covered"},
        {"IndexWithoutName", CreateIndex{.new_indices = {SampleIndex("", 5, {})}}, "name is empty"},
        {"IndexThereAlready", CreateIndex{.new_indices = {SampleIndex("j", 1, {})}},
         "is there already"},
        {"FieldMetadataOfNoField", UpdateConfig{.field_metadata = {{99, UpdateMap{}}}},
         "field id 99"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(BuildManifest, RefusesAnIndexOverAFieldThatIsNotThere) {
  IndexMetadata index = SampleIndex("j", 5, {});
  index.field_ids = {42};

  EXPECT_THAT(Build(SampleManifest({}), CreateIndex{.new_indices = {index}}),
              IsInvalid(HasSubstr("field id 42")));
}

TEST(BuildManifest, ReportsASourceThatIsGoneAsAConflict) {
  const auto result =
      Build(SampleManifest({0}), Rewrite{.groups = {{{SampleFragment(3)}, {SampleFragment(9)}}}});

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("source fragment 3 is not there")));
  EXPECT_THAT(result, HasDetail<CommitConflict>());
}

TEST(BuildManifest, ReportsASourceWithOtherFilesAsAConflict) {
  const auto result =
      Build(SampleManifest({0}),
            Rewrite{.groups = {{{SampleFragment(0, "other")}, {SampleFragment(9)}}}});

  EXPECT_THAT(result, IsAlreadyExists(HasSubstr("source fragment 0 has other files")));
}

TEST(BuildManifest, RefusesWhatItsResultWouldNeed) {
  IndexMetadata covering = SampleIndex("i", 1, {0});
  covering.field_ids = {0, 1};
  covering.covering_field_ids = {1};

  EXPECT_THAT(Build(SampleManifest({0}), CreateIndex{.new_indices = {covering}}),
              IsNotImplemented(HasSubstr("covered index metadata (bit 7)")));
}

TEST(BuildManifest, RefusesToChangePrimaryKeyMetadata) {
  UpdateConfig update;
  update.field_metadata[0] =
      UpdateMap{.entries = {{"lance-schema:unenforced-primary-key", "true"}}};

  EXPECT_THAT(Build(SampleManifest({}), update),
              IsNotImplemented(HasSubstr("unenforced-primary-key")));
}

TEST(BuildManifest, RefusesForeignOperations) {
  EXPECT_THAT(Build(SampleManifest({}), ForeignOperation{.field_number = 113, .name = "Clone"}),
              IsNotImplemented(HasSubstr("Clone")));
}

}  // namespace
}  // namespace lance::table
