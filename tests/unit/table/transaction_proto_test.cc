#include "lance/table/transaction_proto.h"

#include <gtest/gtest.h>

#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsSerializationError;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

// table-format 12.3: release 0.7.5, a Delete of a 0.1 table.
const std::string kDelete = FromHex(R"(
08 01 12 24 31 62 61 66 33 34 30 35 2d 36 36 61
62 2d 34 36 36 38 2d 39 35 37 38 2d 35 63 33 33
33 61 63 64 30 34 34 30 aa 06 55 0a 3f 12 2f 0a
2a 30 31 36 63 31 35 64 63 2d 32 63 39 34 2d 34
33 38 32 2d 62 37 61 34 2d 32 63 37 64 65 66 39
63 33 38 39 37 2e 6c 61 6e 63 65 12 01 00 1a 0c
10 01 18 9d ea a7 cc b6 c9 d1 a8 7c 1a 12 78 20
3e 3d 20 31 30 20 61 6e 64 20 78 20 3c 20 32 30)");

Transaction RoundTrip(const Transaction& transaction) {
  const auto bytes = SerializeTransaction(transaction);
  EXPECT_THAT(bytes, testing::IsOk());
  const auto parsed = ParseTransaction(*bytes);
  EXPECT_THAT(parsed, testing::IsOk());
  return *parsed;
}

TEST(ParseTransaction, ReadsThePublishedDelete) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction, ParseTransaction(kDelete));

  EXPECT_EQ(transaction.read_version, 1u);
  EXPECT_EQ(transaction.uuid, "1baf3405-66ab-4668-9578-5c333acd0440");
  const auto& operation = std::get<Delete>(transaction.operation);
  ASSERT_EQ(operation.updated_fragments.size(), 1u);
  EXPECT_EQ(operation.updated_fragments[0].id, 0u);
  EXPECT_EQ(operation.updated_fragments[0].deletion_file->id, 8958018423523767581u);
  EXPECT_THAT(operation.deleted_fragment_ids, IsEmpty());
  EXPECT_EQ(operation.predicate, "x >= 10 and x < 20");
}

TEST(SerializeTransaction, GivesTheBytesOfThePublishedDelete) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction, ParseTransaction(kDelete));

  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes, SerializeTransaction(transaction));

  EXPECT_EQ(bytes, kDelete);
}

TEST(Transaction, KeepsTagPropertiesAndUnknownFields) {
  Transaction transaction = SampleTransaction(7, ReserveFragments{3});
  transaction.tag = "nightly";
  transaction.properties = {{"__lance_commit_message", "hello"}, {"", "x"}};
  transaction.unknown_fields = FromHex("c2 3e 02 68 69");

  const Transaction read = RoundTrip(transaction);

  EXPECT_EQ(read.read_version, 7u);
  EXPECT_EQ(read.uuid, "11111111-1111-1111-1111-111111111111");
  EXPECT_EQ(read.tag, "nightly");
  EXPECT_EQ(read.properties, transaction.properties);
  EXPECT_EQ(read.unknown_fields, transaction.unknown_fields);
  EXPECT_EQ(std::get<ReserveFragments>(read.operation).num_fragments, 3u);
}

TEST(Transaction, KeepsAppend) {
  const Append append{.fragments = {SampleFragment(0, "x.lance"), SampleFragment(4)}};

  const Transaction read = RoundTrip(SampleTransaction(1, append));

  EXPECT_EQ(std::get<Append>(read.operation).fragments, append.fragments);
}

TEST(Transaction, KeepsOverwrite) {
  Overwrite overwrite{.fragments = {SampleFragment(0)},
                      .schema = SampleSchema(),
                      .config_upsert_values = {{"k", "v"}}};
  overwrite.schema.metadata = {{"s", "t"}};

  const Transaction read = RoundTrip(SampleTransaction(1, overwrite));

  const auto& operation = std::get<Overwrite>(read.operation);
  EXPECT_EQ(operation.fragments, overwrite.fragments);
  EXPECT_EQ(operation.schema, overwrite.schema);
  EXPECT_EQ(operation.config_upsert_values, overwrite.config_upsert_values);
}

TEST(Transaction, KeepsRewrite) {
  const Rewrite rewrite{.groups = {{{SampleFragment(1)}, {SampleFragment(5)}}, {{}, {}}},
                        .rewritten_indices = {{.old_uuid = SampleUuid(1),
                                               .new_uuid = SampleUuid(2),
                                               .details_type_url = "/lance.table.X",
                                               .details_value = "v",
                                               .index_version = 3,
                                               .files = {{"f", 9}}}}};

  const Transaction read = RoundTrip(SampleTransaction(1, rewrite));

  const auto& operation = std::get<Rewrite>(read.operation);
  ASSERT_EQ(operation.groups.size(), 2u);
  EXPECT_EQ(operation.groups[0].old_fragments, rewrite.groups[0].old_fragments);
  EXPECT_EQ(operation.groups[0].new_fragments, rewrite.groups[0].new_fragments);
  ASSERT_EQ(operation.rewritten_indices.size(), 1u);
  const RewrittenIndex& index = operation.rewritten_indices[0];
  EXPECT_EQ(index.old_uuid, SampleUuid(1));
  EXPECT_EQ(index.new_uuid, SampleUuid(2));
  EXPECT_EQ(index.details_type_url, "/lance.table.X");
  EXPECT_EQ(index.details_value, "v");
  EXPECT_EQ(index.index_version, 3u);
  EXPECT_EQ(index.files, rewrite.rewritten_indices[0].files);
}

TEST(Transaction, TakesTheDeprecatedListsOfARewriteAsOneGroup) {
  // Rewrite {1 old_fragments {id 3}, 2 new_fragments {id 4}}
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction read,
                             ParseTransaction(FromHex("c2 06 08 0a 02 08 03 12 02 08 04")));

  const auto& operation = std::get<Rewrite>(read.operation);
  ASSERT_EQ(operation.groups.size(), 1u);
  EXPECT_EQ(operation.groups[0].old_fragments[0].id, 3u);
  EXPECT_EQ(operation.groups[0].new_fragments[0].id, 4u);
}

TEST(Transaction, KeepsCreateIndex) {
  const CreateIndex create{.new_indices = {SampleIndex("i", 1, {0, 2})},
                           .removed_indices = {SampleIndex("i", 3, {})}};

  const Transaction read = RoundTrip(SampleTransaction(1, create));

  EXPECT_EQ(std::get<CreateIndex>(read.operation).new_indices, create.new_indices);
  EXPECT_EQ(std::get<CreateIndex>(read.operation).removed_indices, create.removed_indices);
}

TEST(Transaction, KeepsUpdateConfig) {
  UpdateConfig update = SetConfig({{"a", "1"}});
  update.config->entries.emplace_back("gone", std::nullopt);
  update.table_metadata = UpdateMap{.entries = {{"t", ""}}, .replace = true};
  update.schema_metadata = UpdateMap{};
  update.field_metadata[0] = UpdateMap{.entries = {{"f", "g"}}};

  const Transaction read = RoundTrip(SampleTransaction(1, update));

  const auto& operation = std::get<UpdateConfig>(read.operation);
  EXPECT_EQ(operation.config->entries, update.config->entries);
  EXPECT_FALSE(operation.config->replace);
  EXPECT_EQ(operation.table_metadata->entries, update.table_metadata->entries);
  EXPECT_TRUE(operation.table_metadata->replace);
  ASSERT_TRUE(operation.schema_metadata.has_value());
  EXPECT_TRUE(operation.schema_metadata->entries.empty());
  ASSERT_TRUE(operation.field_metadata.contains(0));
  EXPECT_EQ(operation.field_metadata.at(0).entries, update.field_metadata.at(0).entries);
}

TEST(ParseTransaction, ReadsAnUpdateConfigOfTheOldStyle) {
  // upsert_values {a: b}, delete_keys [c], field_metadata {7: {5: {d: e}}}
  LANCE_ASSERT_OK_AND_ASSIGN(
      const Transaction read,
      ParseTransaction(FromHex("f2 06 19 0a 06 0a 01 61 12 01 62 12 01 63"
                               "22 0c 08 07 12 08 2a 06 0a 01 64 12 01 65")));

  const auto& operation = std::get<UpdateConfig>(read.operation);
  ASSERT_TRUE(operation.config.has_value());
  EXPECT_FALSE(operation.config->replace);
  EXPECT_THAT(operation.config->entries,
              ElementsAre(Pair("a", std::optional<std::string>("b")), Pair("c", std::nullopt)));
  ASSERT_TRUE(operation.field_metadata.contains(7));
  EXPECT_TRUE(operation.field_metadata.at(7).replace);
  EXPECT_THAT(operation.field_metadata.at(7).entries,
              ElementsAre(Pair("d", std::optional<std::string>("e"))));
}

TEST(Transaction, KeepsDelete) {
  Fragment updated = SampleFragment(3);
  updated.deletion_file = DeletionFile{.file_type = 1, .read_version = 2, .id = 7};
  const Delete deletion{.updated_fragments = {updated},
                        .deleted_fragment_ids = {4, 0},
                        .predicate = "true",
                        .unknown_fields = FromHex("c2 3e 02 68 69")};

  const Transaction read = RoundTrip(SampleTransaction(1, deletion));

  const auto& operation = std::get<Delete>(read.operation);
  EXPECT_EQ(operation.updated_fragments, deletion.updated_fragments);
  EXPECT_EQ(operation.deleted_fragment_ids, deletion.deleted_fragment_ids);
  EXPECT_EQ(operation.predicate, "true");
  EXPECT_EQ(operation.unknown_fields, deletion.unknown_fields);
}

TEST(Transaction, KeepsUpdate) {
  const Update update{.removed_fragment_ids = {0, 9},
                      .updated_fragments = {SampleFragment(1)},
                      .new_fragments = {SampleFragment(0, "new.lance")},
                      .fields_modified = {0, 2},
                      .fields_for_preserving_frag_bitmap = {1},
                      .mode = UpdateMode::kRewriteColumns,
                      .inserted_rows = FromHex("08 03"),
                      .compacted_sstables = {FromHex("10 05"), ""},
                      .updated_offsets = {{0, "x"}, {1, RoaringBitmap({3}).Serialize()}},
                      .unknown_fields = FromHex("4a 06 08 01 12 02 0a 00")};  // 9

  const Transaction read = RoundTrip(SampleTransaction(1, update));

  const auto& operation = std::get<Update>(read.operation);
  EXPECT_EQ(operation.removed_fragment_ids, update.removed_fragment_ids);
  EXPECT_EQ(operation.updated_fragments, update.updated_fragments);
  EXPECT_EQ(operation.new_fragments, update.new_fragments);
  EXPECT_EQ(operation.fields_modified, update.fields_modified);
  EXPECT_EQ(operation.fields_for_preserving_frag_bitmap, update.fields_for_preserving_frag_bitmap);
  EXPECT_EQ(operation.mode, update.mode);
  EXPECT_EQ(operation.inserted_rows, update.inserted_rows);
  EXPECT_EQ(operation.compacted_sstables, update.compacted_sstables);
  EXPECT_EQ(operation.updated_offsets, update.updated_offsets);
  EXPECT_EQ(operation.unknown_fields, update.unknown_fields);
}

TEST(Transaction, KeepsMerge) {
  Merge merge{.fragments = {SampleFragment(1), SampleFragment(0, "new.lance")},
              .schema = SampleSchema(),
              .preserves_nullability = true};
  merge.schema.metadata = {{"s", "t"}};

  const Transaction read = RoundTrip(SampleTransaction(1, merge));

  const auto& operation = std::get<Merge>(read.operation);
  EXPECT_EQ(operation.fragments, merge.fragments);
  EXPECT_EQ(operation.schema, merge.schema);
  EXPECT_TRUE(operation.preserves_nullability);
}

TEST(Transaction, KeepsProject) {
  const Project project{.schema = SampleSchema(), .preserves_nullability = true};

  const Transaction read = RoundTrip(SampleTransaction(1, project));

  EXPECT_EQ(std::get<Project>(read.operation).schema, project.schema);
  EXPECT_TRUE(std::get<Project>(read.operation).preserves_nullability);
}

TEST(Transaction, KeepsRestore) {
  const Transaction read = RoundTrip(SampleTransaction(1, Restore{.version = 1u << 31}));

  EXPECT_EQ(std::get<Restore>(read.operation).version, 1u << 31);
}

TEST(Transaction, KeepsDataReplacement) {
  const DataFile file = SampleFragment(0, "r.lance").files[0];
  const DataReplacement replacement{.groups = {{.fragment_id = 4, .new_file = file}}};

  const Transaction read = RoundTrip(SampleTransaction(1, replacement));

  const auto& groups = std::get<DataReplacement>(read.operation).groups;
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].fragment_id, 4u);
  EXPECT_EQ(groups[0].new_file, file);
}

TEST(Transaction, KeepsUpdateBases) {
  const UpdateBases update{
      .new_bases = {{.id = 2, .name = "n", .is_dataset_root = true, .path = "/p"}, {.path = "q"}}};

  const Transaction read = RoundTrip(SampleTransaction(1, update));

  EXPECT_EQ(std::get<UpdateBases>(read.operation).new_bases, update.new_bases);
}

TEST(ParseTransaction, TellsWhatADataOverlayCovers) {
  // DataOverlay {1 groups {1 fragment_id 6, 2 overlays {1 data_file {1 path a, 2 fields 5}}}}
  const std::string bytes = FromHex("9a 07 0e 0a 0c 08 06 12 08 0a 06 0a 01 61 12 01 05");
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction read, ParseTransaction(bytes));

  const auto& operation = std::get<ForeignOperation>(read.operation);
  ASSERT_EQ(operation.overlaid.size(), 1u);
  EXPECT_EQ(operation.overlaid[0].fragment_id, 6u);
  EXPECT_THAT(operation.overlaid[0].field_ids, ElementsAre(5));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string again, SerializeTransaction(read));
  EXPECT_EQ(again, bytes);
}

TEST(ParseTransaction, TellsWhichShardsAMemWalStateRecords) {
  // UpdateMemWalState {1 compacted_sstables {1 shard_id {1 "s"}, 2 generation 7}}
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction read,
                             ParseTransaction(FromHex("82 07 09 0a 07 0a 03 0a 01 73 10 07")));

  const auto& operation = std::get<ForeignOperation>(read.operation);
  ASSERT_EQ(operation.shards.size(), 1u);
  EXPECT_EQ(operation.shards[0].shard_id, "s");
  EXPECT_EQ(operation.shards[0].generation, 7u);
}

struct ForeignCase {
  std::string hex;
  uint32_t field_number;
  std::string name;
};

class ForeignOperationTest : public ::testing::TestWithParam<ForeignCase> {};

TEST_P(ForeignOperationTest, IsKeptAsItCame) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction read, ParseTransaction(FromHex(GetParam().hex)));

  const auto& operation = std::get<ForeignOperation>(read.operation);
  EXPECT_EQ(operation.field_number, GetParam().field_number);
  EXPECT_EQ(operation.name, GetParam().name);
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes, SerializeTransaction(read));
  EXPECT_EQ(bytes, FromHex(GetParam().hex));
}

INSTANTIATE_TEST_SUITE_P(All, ForeignOperationTest,
                         ::testing::ValuesIn<ForeignCase>({
                             {"", 0, "unknown"},
                             {"82 07 00", 112, "UpdateMemWalState"},
                             {"8a 07 00", 113, "Clone"},
                             {"9a 07 04 0a 02 08 06", 115, "DataOverlay"},
                             {"a2 07 01 78", 116, "unknown"},
                             {"ba 0c 00", 199, "unknown"},
                             {"e2 12 00", 0, "unknown"},  // 300 is no operation
                         }),
                         [](const auto& test) {
                           return test.param.name + std::to_string(test.param.field_number) + "_" +
                                  std::to_string(test.index);
                         });

struct CorruptTransactionCase {
  std::string name;
  std::string hex;
  std::string expected;
};

class CorruptTransactionTest : public ::testing::TestWithParam<CorruptTransactionCase> {};

TEST_P(CorruptTransactionTest, IsRefused) {
  EXPECT_THAT(ParseTransaction(FromHex(GetParam().hex)),
              IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptTransactionTest,
    ::testing::ValuesIn<CorruptTransactionCase>({
        {"Truncated", "08", "transaction is not a well-formed message"},
        {"UuidNotUtf8", "12 01 ff", "transaction uuid holds text that is not UTF-8"},
        {"PropertyNotUtf8", "22 03 0a 01 ff", "transaction properties"},
        {"BrokenDelete", "aa 06 01 0a", "transaction is not a well-formed message"},
        {"BrokenOverlay", "9a 07 01 0a", "DataOverlay is not a well-formed message"},
        {"PredicateNotUtf8", "aa 06 03 1a 01 ff", "predicate holds text that is not UTF-8"},
        {"UnknownUpdateMode", "e2 06 02 38 02", "update_mode is 2; allowed: 0 and 1"},
        {"OldAndNewConfig", "f2 06 05 12 01 61 32 00", "old and new fields at once"},
        {"RewrittenIndexWithoutUuid", "c2 06 02 22 00", "old_id has 0 bytes"},
        {"AppendWithAPath", "a2 06 09 0a 07 12 05 0a 03 61 2f 62", "data file path"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::table
