#include "lance/table/manifest_file.h"

#include <gtest/gtest.h>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/table/transaction_proto.h"
#include "lance/testing/matchers.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsNotImplemented;
using ::lance::testing::IsSerializationError;
using ::testing::HasSubstr;

// table-format 12.1: release 0.36.0, an index section, no transaction section.
const std::string kWithIndex = FromHex(R"(
64 00 00 00 0a 62 0a 12 0a 10 a7 1f f0 8b bb 4c
4f 4d 9c d0 a8 8e 26 84 fc 7b 12 01 00 1a 05 78
5f 69 64 78 20 01 2a 12 3a 30 00 00 01 00 00 00
00 00 00 00 10 00 00 00 00 00 32 23 0a 21 2f 6c
61 6e 63 65 2e 69 6e 64 65 78 2e 70 62 2e 42 54
72 65 65 49 6e 64 65 78 44 65 74 61 69 6c 73 38
00 40 83 e6 f0 8b 97 33 c1 00 00 00 0a 22 12 01
78 20 ff ff ff ff ff ff ff ff ff 01 2a 05 69 6e
74 36 34 30 01 38 01 5a 07 64 65 66 61 75 6c 74
12 3c 12 37 0a 2a 32 36 36 33 37 39 39 30 2d 64
37 66 36 2d 34 33 61 62 2d 62 65 33 33 2d 30 36
38 65 32 35 61 34 38 39 35 62 2e 6c 61 6e 63 65
12 01 00 1a 01 00 20 02 30 9c 40 20 e8 07 18 02
30 00 3a 0c 08 b4 8d c5 c6 06 10 8b bb e2 da 03
58 00 62 2a 31 2d 35 64 31 30 64 64 35 65 2d 32
65 66 63 2d 34 33 35 32 2d 61 33 34 31 2d 30 30
34 63 34 37 37 32 36 62 30 36 2e 74 78 6e 6a 0f
0a 05 6c 61 6e 63 65 12 06 30 2e 33 36 2e 30 7a
0c 0a 05 6c 61 6e 63 65 12 03 32 2e 30 68 00 00
00 00 00 00 00 00 00 01 00 4c 41 4e 43)");

// table-format 12.2: release 12.0.0, an inline transaction in field 21, a deletion file.
const std::string kWithTransaction = FromHex(R"(
92 00 00 00 08 01 12 24 62 65 35 64 32 31 62 36
2d 34 64 32 64 2d 34 39 65 33 2d 39 64 31 36 2d
62 66 64 62 62 31 37 39 65 64 31 63 aa 06 67 0a
5d 12 49 0a 38 31 30 30 30 31 31 30 31 30 31 31
30 30 30 31 30 30 30 30 31 31 30 30 31 61 61 62
31 38 39 34 66 66 39 62 35 63 33 32 38 62 31 31
38 38 33 64 62 66 31 2e 6c 61 6e 63 65 12 02 00
01 1a 02 00 01 20 02 28 02 30 fb 04 1a 0e 10 01
18 a6 c2 fa a5 fc f3 c2 a9 67 20 01 20 03 1a 06
69 64 20 3d 20 32 fd 00 00 00 0a 1b 12 02 69 64
20 ff ff ff ff ff ff ff ff ff 01 2a 06 64 6f 75
62 6c 65 30 01 38 01 0a 1c 12 01 73 18 01 20 ff
ff ff ff ff ff ff ff ff 01 2a 06 73 74 72 69 6e
67 30 01 38 02 12 5d 12 49 0a 38 31 30 30 30 31
31 30 31 30 31 31 30 30 30 31 30 30 30 30 31 31
30 30 31 61 61 62 31 38 39 34 66 66 39 62 35 63
33 32 38 62 31 31 38 38 33 64 62 66 31 2e 6c 61
6e 63 65 12 02 00 01 1a 02 00 01 20 02 28 02 30
fb 04 1a 0e 10 01 18 a6 c2 fa a5 fc f3 c2 a9 67
20 01 20 03 18 02 3a 0b 08 a4 ee b1 d8 06 10 82
93 ed 60 48 01 50 01 58 00 62 2a 31 2d 62 65 35
64 32 31 62 36 2d 34 64 32 64 2d 34 39 65 33 2d
39 64 31 36 2d 62 66 64 62 62 31 37 39 65 64 31
63 2e 74 78 6e 6a 0f 0a 05 6c 61 6e 63 65 12 06
31 32 2e 30 2e 30 7a 0c 0a 05 6c 61 6e 63 65 12
03 32 2e 32 a8 01 00 96 00 00 00 00 00 00 00 00
00 02 00 4c 41 4e 43)");

constexpr size_t kMinorVersionOfIndexSample = 0x137;
constexpr size_t kTransactionTagOfSample = 0x194;

/// Message and footer around a manifest message given as bytes.
std::string FileAround(const std::string& message) {
  std::string file;
  AppendLittleEndian(static_cast<uint32_t>(message.size()), &file);
  file += message;
  AppendLittleEndian(uint64_t{0}, &file);
  return file + FromHex("00 00 02 00 4c 41 4e 43");
}

TEST(DecodeManifestFile, ReadsThePublishedManifestWithIndices) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file, DecodeManifestFile(AsBytes(kWithIndex)));

  const Manifest& manifest = file.manifest;
  EXPECT_FALSE(file.inline_transaction.has_value());
  EXPECT_EQ(manifest.version, 2u);
  ASSERT_EQ(manifest.schema.fields.size(), 1u);
  EXPECT_EQ(manifest.schema.fields[0].name, "x");
  EXPECT_EQ(manifest.schema.fields[0].parent_id, -1);
  EXPECT_EQ(manifest.schema.fields[0].logical_type, "int64");
  ASSERT_EQ(manifest.fragments.size(), 1u);
  EXPECT_EQ(manifest.fragments[0].physical_rows, 1000u);
  EXPECT_EQ(manifest.fragments[0].files[0].path, "26637990-d7f6-43ab-be33-068e25a4895b.lance");
  EXPECT_EQ(manifest.fragments[0].files[0].size_bytes, 8220u);
  EXPECT_EQ(manifest.max_fragment_id, 0u);
  EXPECT_EQ(manifest.timestamp.time_since_epoch().count(), 1758545588995663243);
  EXPECT_EQ(manifest.transaction_file, "1-5d10dd5e-2efc-4352-a341-004c47726b06.txn");
  EXPECT_EQ(manifest.writer_version, (WriterVersion{.library = "lance", .version = "0.36.0"}));
  EXPECT_EQ(manifest.data_storage_version, "2.0");
  ASSERT_EQ(manifest.indices.size(), 1u);
  const IndexMetadata& index = manifest.indices[0];
  EXPECT_EQ(index.uuid.ToString(), "a71ff08b-bb4c-4f4d-9cd0-a88e2684fc7b");
  EXPECT_EQ(index.name, "x_idx");
  EXPECT_EQ(index.dataset_version, 1u);
  EXPECT_EQ(index.details_type_url, "/lance.index.pb.BTreeIndexDetails");
  EXPECT_EQ(index.index_version, 0);
  EXPECT_EQ(index.created_at_ms, 1758545588995u);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto coverage, index.Coverage());
  EXPECT_EQ(coverage, RoaringBitmap({0}));
}

TEST(EncodeManifestFile, GivesTheBytesOfThePublishedManifestWithIndices) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file, DecodeManifestFile(AsBytes(kWithIndex)));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, EncodeManifestFile(file.manifest, ""));

  std::string expected = kWithIndex;
  expected[kMinorVersionOfIndexSample] = 2;  // what releases since 1.0.0 write
  EXPECT_EQ(bytes->ToString(), expected);
}

TEST(DecodeManifestFile, ReadsThePublishedManifestWithATransaction) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file,
                             DecodeManifestFile(AsBytes(kWithTransaction)));

  const Manifest& manifest = file.manifest;
  EXPECT_EQ(manifest.reader_feature_flags, 1u);
  EXPECT_EQ(manifest.writer_feature_flags, 1u);
  ASSERT_EQ(manifest.fragments.size(), 1u);
  ASSERT_TRUE(manifest.fragments[0].deletion_file.has_value());
  EXPECT_EQ(manifest.fragments[0].deletion_file->id, 7445307389802094886u);
  EXPECT_EQ(manifest.fragments[0].live_rows(), 2u);
  EXPECT_EQ(manifest.data_storage_version, "2.2");
  ASSERT_TRUE(file.inline_transaction.has_value());
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             ParseTransaction(*file.inline_transaction));
  EXPECT_EQ(transaction.uuid, "be5d21b6-4d2d-49e3-9d16-bfdbb179ed1c");
  EXPECT_EQ(OperationName(transaction.operation), "Delete");
}

TEST(EncodeManifestFile, GivesThePublishedBytesWithTheTransactionInField23) {
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file,
                             DecodeManifestFile(AsBytes(kWithTransaction)));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes,
                             EncodeManifestFile(file.manifest, *file.inline_transaction));

  std::string expected = kWithTransaction;
  expected[kTransactionTagOfSample] = static_cast<char>(0xb8);
  EXPECT_EQ(bytes->ToString(), expected);
}

TEST(EncodeManifestFile, LeavesAnOversizedTransactionOut) {
  const std::string transaction(kMaxInlineTransactionBytes + 1, 'x');

  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, EncodeManifestFile(SampleManifest(), transaction));

  EXPECT_LT(bytes->size(), 1000);
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file,
                             DecodeManifestFile(AsBytes(bytes->ToString())));
  EXPECT_FALSE(file.inline_transaction.has_value());
}

/// Every member set, and a field that nobody knows at every level.
Manifest FullManifest() {
  const std::string unknown = FromHex("c2 3e 02 68 69");  // field 1000, "hi"
  Manifest manifest = SampleManifest({3, 5});
  manifest.schema.metadata = {{"m", std::string("\xff\x00z", 3)}};
  manifest.schema.fields[0].unknown_fields = unknown;
  manifest.schema.fields[0].metadata = {{"x", "y"}, {"a", "b"}};
  manifest.version = 9;
  manifest.timestamp = Timestamp(std::chrono::nanoseconds(1700000000123456789));
  manifest.tag = "t";
  manifest.max_fragment_id = 7;
  manifest.transaction_file = "8-x.txn";
  manifest.writer_version = WriterVersion{"lib", "1.2.3", "rc.1", "build"};
  manifest.next_row_id = 4;
  manifest.config = {{"", "empty key"}, {"k", ""}};
  manifest.table_metadata = {{"p.1.curve", "hilbert"}};
  manifest.base_paths = {
      {.id = 0, .name = "n", .is_dataset_root = true, .path = "/x", .unknown_fields = unknown}};
  manifest.branch = "b";
  manifest.max_allocated_field_id = 0;
  manifest.clustering = {
      {.id = 4, .field_ids = {1, 0}, .provider = "p", .version = 2, .unknown_fields = unknown}};
  manifest.max_clustering_id = 4;
  manifest.unknown_fields = unknown;
  Fragment& fragment = manifest.fragments[0];
  fragment.clustering_id = 4;
  fragment.metadata = {{"lance.liquid-clustering.version", "2"}, {"other", "kept"}};
  fragment.deletion_file = DeletionFile{1, 2, 3, 4, 0, unknown};
  fragment.files[0].base_id = 0;
  fragment.files[0].unknown_fields = unknown;
  fragment.files[0].field_ids = {-2, 1};
  fragment.files[0].column_indices = {-1, 1};
  fragment.unknown_fields = unknown;
  IndexMetadata index = SampleIndex("i", 1, {3});
  index.field_ids = {0, 1};
  index.covering_field_ids = {1};
  index.index_version = 0;
  index.created_at_ms = 0;
  index.base_id = 0;
  index.files = {{"page.lance", 12}};
  index.clustering_id = 4;
  index.metadata = {{"k", "v"}};
  index.unknown_fields = unknown;
  manifest.indices = {index, SampleIndex("j", 2, {})};
  return manifest;
}

TEST(ManifestFile, KeepsEveryMemberAndEveryUnknownField) {
  const Manifest manifest = FullManifest();

  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, EncodeManifestFile(manifest, "\x08\x01"));
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file,
                             DecodeManifestFile(AsBytes(bytes->ToString())));

  EXPECT_EQ(file.inline_transaction, "\x08\x01");
  EXPECT_EQ(file.manifest.schema, manifest.schema);
  EXPECT_EQ(file.manifest.fragments, manifest.fragments);
  EXPECT_EQ(file.manifest.indices, manifest.indices);
  EXPECT_EQ(file.manifest.base_paths, manifest.base_paths);
  EXPECT_EQ(file.manifest.clustering, manifest.clustering);
  EXPECT_TRUE(file.manifest == manifest);
}

TEST(WithOtherFragments, KeepsEveryOtherMember) {
  const Manifest manifest = FullManifest();
  const std::vector<Fragment> others = {SampleFragment(11)};

  EXPECT_TRUE(WithOtherFragments(manifest, manifest.fragments) == manifest);
  EXPECT_EQ(WithOtherFragments(manifest, others).fragments, others);
}

TEST(FindFragment, FindsFragmentsInAnyOrder) {
  for (const std::vector<uint64_t>& ids :
       {std::vector<uint64_t>{0, 2, 5, 9}, {9, 5, 2, 0}, {2, 9, 0, 5}}) {
    const Manifest manifest = SampleManifest(ids);
    for (const uint64_t id : ids) {
      const Fragment* found = manifest.FindFragment(id);
      ASSERT_NE(found, nullptr) << id;
      EXPECT_EQ(found->id, id);
    }
    for (const uint64_t id : {1, 3, 10}) EXPECT_EQ(manifest.FindFragment(id), nullptr) << id;
  }
}

TEST(ManifestFile, KeepsRowSequencesInlineAndInColumns) {
  using Place = StoredSequence::Place;
  Manifest manifest = SampleManifest({0, 1, 2});
  manifest.fragments[0].row_ids = {Place::kInline, FromHex("0a 00")};
  manifest.fragments[0].created_at_versions = {Place::kInline, ""};
  manifest.fragments[0].last_updated_at_versions = {Place::kInline, "not looked at"};
  manifest.fragments[1].row_ids.place = Place::kColumn;
  manifest.fragments[1].created_at_versions.place = Place::kColumn;
  manifest.fragments[1].last_updated_at_versions.place = Place::kColumn;

  LANCE_ASSERT_OK_AND_ASSIGN(const auto bytes, EncodeManifestFile(manifest, ""));
  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file,
                             DecodeManifestFile(AsBytes(bytes->ToString())));

  EXPECT_EQ(file.manifest.fragments, manifest.fragments);
}

TEST(DecodeManifestFile, ToleratesSlackBetweenSections) {
  std::string bytes = kWithIndex;
  bytes.insert(bytes.size() - 16, "slack");

  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file, DecodeManifestFile(AsBytes(bytes)));

  EXPECT_EQ(file.manifest.version, 2u);
}

TEST(DecodeManifestFile, OpensDespiteABrokenTransactionSection) {
  std::string bytes = kWithTransaction;
  bytes[3] = 0x7f;  // its length reaches far beyond the file

  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file, DecodeManifestFile(AsBytes(bytes)));

  EXPECT_FALSE(file.inline_transaction.has_value());
  EXPECT_EQ(file.manifest.version, 2u);
}

struct CorruptFileCase {
  std::string name;
  std::string bytes;
  std::string expected;
};

std::string Patched(std::string bytes, size_t offset, const std::string& hex) {
  return bytes.replace(offset, FromHex(hex).size(), FromHex(hex));
}

// One valid manifest: field "x" int64, version 1.
const std::string kField =
    FromHex("0a 15 12 01 78 20 ff ff ff ff ff ff ff ff ff 01 2a 05 69 6e 74 36 34");
const std::string kVersion1 = FromHex("18 01");

std::string WithFragment(const std::string& fragment_hex) {
  const std::string fragment = FromHex(fragment_hex);
  return FileAround(kField + '\x12' + static_cast<char>(fragment.size()) + fragment + kVersion1);
}

class CorruptManifestTest : public ::testing::TestWithParam<CorruptFileCase> {};

TEST_P(CorruptManifestTest, IsRefusedNamingTheProblem) {
  EXPECT_THAT(DecodeManifestFile(AsBytes(GetParam().bytes)),
              IsSerializationError(HasSubstr(GetParam().expected)));
}

INSTANTIATE_TEST_SUITE_P(
    All, CorruptManifestTest,
    ::testing::ValuesIn<CorruptFileCase>({
        {"Empty", "", "has 0 bytes"},
        {"FifteenBytes", std::string(15, 'x'), "has 15 bytes"},
        {"WrongMagic", Patched(kWithIndex, kWithIndex.size() - 1, "44"), "magic"},
        {"PositionBeyondTheEnd", Patched(kWithIndex, kWithIndex.size() - 16, "2e 01"),
         "manifest is said to be at byte 302, the file has 301 before its footer"},
        {"PositionLeavesNoRoomForALength", Patched(kWithIndex, kWithIndex.size() - 16, "2b 01"),
         "needs 4 bytes, 2 are left"},
        {"NegativePosition", Patched(kWithIndex, kWithIndex.size() - 16, "ff ff ff ff ff ff ff ff"),
         "said to be at"},
        {"LengthBeyondTheFooter", Patched(kWithIndex, 0x68, "c2"), "needs 194 bytes, 193 are left"},
        {"LengthNearFourGigabytes", Patched(kWithIndex, 0x68, "ff ff ff ff"), "193 are left"},
        {"IndexSectionTooLong", Patched(kWithIndex, 3, "01"), "index section"},
        {"IndexUuidTooShort", Patched(kWithIndex, 6, "52 12"), "its uuid has 0 bytes"},
        {"TruncatedMessage", FileAround("\x0a"), "not a well-formed message"},
        {"VersionOfAnotherWireType", FileAround(kField + FromHex("1a 01 00")), "version is 0"},
        {"NoVersion", FileAround(kField), "version is 0"},
        {"NoSchema", FileAround(kVersion1), "the schema is empty"},
        {"RepeatedFieldId", FileAround(kField + kField + kVersion1), "its id 0 is another"},
        {"BadTimestamp", FileAround(kField + kVersion1 + FromHex("3a 06 10 80 94 eb dc 03")),
         "timestamp"},
        {"NanosBelowZero",
         FileAround(kField + kVersion1 + FromHex("3a 0b 10 ff ff ff ff ff ff ff ff ff 01")),
         "timestamp"},
        {"ConfigKeyNotUtf8", FileAround(kField + kVersion1 + FromHex("82 01 03 0a 01 ff")),
         "config holds text that is not UTF-8"},
        {"ProviderNotUtf8", FileAround(kField + kVersion1 + FromHex("ca 01 03 1a 01 ff")),
         "clustering definition holds text that is not UTF-8"},
        {"FragmentIdAbove32Bits", WithFragment("08 80 80 80 80 10"), "its id is above 2^32-1"},
        {"EmptyPath", WithFragment("12 00"), "data file path is empty"},
        {"PathWithSlash", WithFragment("12 05 0a 03 61 2f 62"), "data file path is \"a/b\""},
        {"PathIsParent", WithFragment("12 04 0a 02 2e 2e"), "data file path is \"..\""},
        {"PathWithNul", WithFragment("12 04 0a 02 61 00"), "control character"},
        {"FieldIdMinusOne",
         WithFragment("12 13 0a 01 61 12 0a ff ff ff ff ff ff ff ff ff 01 1a 00 20 02"),
         "field id is -1"},
        {"MoreFieldsThanColumns", WithFragment("12 0e 0a 01 61 12 02 00 01 1a 01 00 20 02 28 01"),
         "has 2 fields and 1 column indices"},
        {"ColumnTwice", WithFragment("12 0f 0a 01 61 12 02 00 01 1a 02 03 03 20 02 28 01"),
         "column index 3 stands for two fields"},
        {"FileVersionNobodyWrites", WithFragment("12 0d 0a 01 61 12 01 00 1a 01 00 20 02 28 09"),
         "has version 2.9"},
        {"TransactionFileIsAPath", FileAround(kField + kVersion1 + FromHex("62 03 61 2f 62")),
         "transaction_file is \"a/b\""},
        {"OtherDataVersionThanTheTable",
         FileAround(kField + FromHex("12 0f 12 0d 0a 01 61 12 01 00 1a 01 00 20 02 28 01") +
                    kVersion1 + FromHex("7a 05 12 03 32 2e 32")),
         "the table's data version is 2.2, its files have 2.1"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(DecodeManifestFile, NamesADataVersionThatIsNotKnown) {
  const std::string bytes = FileAround(kField + kVersion1 + FromHex("7a 05 12 03 32 2e 39"));

  EXPECT_THAT(DecodeManifestFile(AsBytes(bytes)), IsNotImplemented(HasSubstr("data version 2.9")));
}

TEST(DecodeManifestFile, BlamesAnUnknownFeatureBeforeTheBytesItChanged) {
  // A fragment without a path, and reader flag 2^40.
  const std::string bytes =
      FileAround(kField + FromHex("12 02 12 00") + kVersion1 + FromHex("48 80 80 80 80 80 20"));

  EXPECT_THAT(DecodeManifestFile(AsBytes(bytes)), IsNotImplemented(HasSubstr("bit 40")));
}

struct OldVersionCase {
  std::string name;
  std::string rest_hex;
  std::string expected;
};

class OldManifestTest : public ::testing::TestWithParam<OldVersionCase> {};

TEST_P(OldManifestTest, TakesItsDataVersionFromWhatItHas) {
  const std::string bytes = FileAround(kField + kVersion1 + FromHex(GetParam().rest_hex));

  LANCE_ASSERT_OK_AND_ASSIGN(const ManifestFile file, DecodeManifestFile(AsBytes(bytes)));

  EXPECT_EQ(file.manifest.data_storage_version, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    All, OldManifestTest,
    ::testing::ValuesIn<OldVersionCase>({
        {"FromItsFiles", "12 0d 12 0b 0a 01 61 12 01 00 1a 01 00 20 02", "2.0"},
        {"FromLegacyFiles", "12 08 12 06 0a 01 61 12 01 00", "0.1"},
        {"FromItsFlag", "50 04", "2.2"},
        {"FromNothing", "", "0.1"},
        {"LegacyUpgradedByItsFiles",
         "12 0d 12 0b 0a 01 61 12 01 00 1a 01 00 20 02 7a 05 12 03 30 2e 31", "2.0"},
    }),
    [](const auto& test) { return test.param.name; });

TEST(DecodeManifestFile, SurvivesEveryTruncationAndEveryFlippedByte) {
  for (size_t length = 0; length < kWithTransaction.size(); ++length) {
    (void)DecodeManifestFile(AsBytes(kWithTransaction.substr(0, length)));
    (void)DecodeManifestFile(AsBytes(kWithTransaction.substr(length)));
  }
  for (size_t i = 0; i < kWithTransaction.size(); ++i) {
    std::string bytes = kWithTransaction;
    bytes[i] = static_cast<char>(~bytes[i]);
    (void)DecodeManifestFile(AsBytes(bytes));
  }
}

}  // namespace
}  // namespace lance::table
