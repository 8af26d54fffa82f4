#include "lance/table/manifest_store.h"

#include <gtest/gtest.h>

#include "lance/io/stores.h"
#include "lance/table/manifest_names.h"
#include "lance/table/transaction_proto.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsKeyError;
using ::lance::testing::IsNotImplemented;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::lance::testing::IsSerializationError;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ManifestStoreTest : public ::testing::Test {
 protected:
  /// Store a version.
  void Put(Manifest manifest, uint64_t version, NamingScheme naming = NamingScheme::kV2,
           const std::string& transaction = "") {
    manifest.version = version;
    ASSERT_THAT(manifests_.PutManifest(manifest, naming, transaction),
                IsOkAndHolds(PutOutcome::kStored));
  }

  void PutFile(const std::string& path, const std::string& text) {
    ASSERT_THAT(testing::PutText(*store_, path, text), IsOk());
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  ManifestStore manifests_{store_};
  RunContext run_;
};

TEST_F(ManifestStoreTest, FindsTheNewestOfBothSchemes) {
  for (const NamingScheme naming : {NamingScheme::kV1, NamingScheme::kV2}) {
    store_ = MakeMemoryStore();
    manifests_ = ManifestStore(store_);
    for (const uint64_t version : {2u, 10u, 9u}) Put(SampleManifest({0}), version, naming);
    PutFile("_versions/.tmp_x", "leftover");
    PutFile("_versions/latest_version_hint.json", R"({"version":400})");
    PutFile("_versions/11.manifest#1", "leftover");
    PutFile("_versions/d9223372036854775813.manifest", "detached");

    LANCE_ASSERT_OK_AND_ASSIGN(const auto versions, manifests_.ListVersions());
    LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest latest, manifests_.LoadLatest(run_));

    ASSERT_EQ(versions.size(), 3u);
    EXPECT_EQ(versions[0].version, 2u);
    EXPECT_EQ(versions[2].version, 10u);
    EXPECT_EQ(latest.manifest.version, 10u);
    EXPECT_EQ(latest.naming, naming);
    EXPECT_EQ(latest.size_bytes, versions[2].size_bytes);
  }
}

TEST_F(ManifestStoreTest, RefusesMixedNames) {
  Put(SampleManifest({}), 1, NamingScheme::kV1);
  Put(SampleManifest({}), 2, NamingScheme::kV2);

  EXPECT_THAT(manifests_.ListVersions(), IsInvalid(HasSubstr("allowed: one scheme")));
  EXPECT_THAT(manifests_.LoadLatest(run_), IsInvalid());
}

TEST_F(ManifestStoreTest, SaysThatThereIsNoTable) {
  PutFile("_latest.manifest", "old style");

  EXPECT_THAT(manifests_.ListVersions(), IsOkAndHolds(IsEmpty()));
  const auto latest = manifests_.LoadLatest(run_);
  EXPECT_THAT(latest, IsKeyError());
  EXPECT_THAT(latest, HasDetail<NotFound>(Field(&NotFound::kind, "table")));
}

TEST_F(ManifestStoreTest, SaysThatAVersionIsNotThere) {
  Put(SampleManifest({}), 1);

  for (const uint64_t version : {uint64_t{0}, uint64_t{2}, uint64_t{1} << 63}) {
    const auto loaded = manifests_.Load(version, run_);
    EXPECT_THAT(loaded, IsKeyError());
    EXPECT_THAT(loaded,
                HasDetail<NotFound>(AllOf(Field(&NotFound::kind, "version"),
                                          Field(&NotFound::name, std::to_string(version)))));
  }
}

TEST_F(ManifestStoreTest, LoadsADetachedVersion) {
  const uint64_t version = (uint64_t{1} << 63) + 5;
  Put(SampleManifest({4}), version);

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest loaded, manifests_.Load(version, run_));

  EXPECT_EQ(loaded.manifest.version, version);
  EXPECT_THAT(manifests_.ListVersions(), IsOkAndHolds(IsEmpty()));
}

TEST_F(ManifestStoreTest, ReadsManifestsLargerThanTheFirstRead) {
  Manifest manifest = SampleManifest({});
  for (uint64_t id = 0; id < 3000; ++id) manifest.fragments.push_back(SampleFragment(id));
  manifest.indices = {SampleIndex("i", 1, {5})};
  Put(manifest, 1);

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest loaded, manifests_.LoadLatest(run_));

  EXPECT_GT(loaded.size_bytes, 65536u);
  EXPECT_TRUE(loaded.manifest == manifest);
}

TEST_F(ManifestStoreTest, NeverReplacesAManifest) {
  Put(SampleManifest({0}), 1);
  const Manifest other = SampleManifest({1});

  EXPECT_THAT(manifests_.PutManifest(other, NamingScheme::kV2, ""),
              IsOkAndHolds(PutOutcome::kExists));

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest loaded, manifests_.LoadLatest(run_));
  EXPECT_TRUE(loaded.manifest == SampleManifest({0}));
}

TEST_F(ManifestStoreTest, OpensAVersionWithAnotherNumberInside) {
  Put(SampleManifest({}), 1);
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string bytes,
                             testing::ReadText(*store_, "_versions/18446744073709551614.manifest"));
  PutFile("_versions/18446744073709551610.manifest", bytes);

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest latest, manifests_.LoadLatest(run_));

  EXPECT_EQ(latest.manifest.version, 1u);
}

TEST_F(ManifestStoreTest, NamesTheFileThatIsCorrupt) {
  PutFile("_versions/1.manifest", "this is not a manifest");

  const auto latest = manifests_.LoadLatest(run_);

  EXPECT_THAT(latest, IsSerializationError(HasSubstr("_versions/1.manifest")));
  EXPECT_THAT(latest, HasDetail<CorruptFile>(Field(&CorruptFile::path, "_versions/1.manifest")));
}

TEST_F(ManifestStoreTest, RefusesAnEmptyFile) {
  PutFile("_versions/1.manifest", "");

  EXPECT_THAT(manifests_.LoadLatest(run_), IsSerializationError(HasSubstr("has 0 bytes")));
}

TEST_F(ManifestStoreTest, RefusesToReadAnUnknownReaderFlagButStillListsIt) {
  Manifest manifest = SampleManifest({});
  manifest.reader_feature_flags = 64;
  Put(manifest, 1);

  EXPECT_THAT(manifests_.LoadLatest(run_), IsNotImplemented(HasSubstr("data overlays (bit 6)")));
  EXPECT_THAT(manifests_.Load(1, run_), IsNotImplemented());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto versions, manifests_.ListVersions());
  EXPECT_THAT(manifests_.LoadEntry(versions[0], run_), IsOk());
}

TEST_F(ManifestStoreTest, TakesTheTransactionFromInsideOrFromItsFile) {
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string inside,
                             SerializeTransaction(SampleTransaction(0, ReserveFragments{1}, 'a')));
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string beside,
                             SerializeTransaction(SampleTransaction(0, ReserveFragments{1}, 'b')));
  Manifest manifest = SampleManifest({});
  manifest.transaction_file = "0-x.txn";
  PutFile("_transactions/0-x.txn", beside);
  Put(manifest, 1, NamingScheme::kV2, inside);
  Put(manifest, 2, NamingScheme::kV2);
  Put(manifest, 3, NamingScheme::kV2, "\x08");  // not decodable
  const auto uuid_of = [&](uint64_t version) -> arrow::Result<std::string> {
    ARROW_ASSIGN_OR_RAISE(const LoadedManifest loaded, manifests_.Load(version, run_));
    ARROW_ASSIGN_OR_RAISE(const Transaction transaction, manifests_.LoadTransaction(loaded, run_));
    return transaction.uuid.substr(0, 8);
  };

  EXPECT_THAT(uuid_of(1), IsOkAndHolds("aaaaaaaa"));
  EXPECT_THAT(uuid_of(2), IsOkAndHolds("bbbbbbbb"));
  EXPECT_THAT(uuid_of(3), IsOkAndHolds("bbbbbbbb"));
}

TEST_F(ManifestStoreTest, SaysWhyATransactionCannotBeHad) {
  Manifest manifest = SampleManifest({});
  Put(manifest, 1);
  Put(manifest, 2, NamingScheme::kV2, "\x08");
  manifest.transaction_file = "0-x.txn";
  Put(manifest, 3);
  manifest.transaction_file = "0-y.txn";
  Put(manifest, 4);
  PutFile("_transactions/0-y.txn", "\x08");
  const auto load = [&](uint64_t version) -> arrow::Result<Transaction> {
    ARROW_ASSIGN_OR_RAISE(const LoadedManifest loaded, manifests_.Load(version, run_));
    return manifests_.LoadTransaction(loaded, run_);
  };

  EXPECT_THAT(load(1), IsKeyError(HasSubstr("version 1 names no transaction")));
  EXPECT_THAT(load(2), IsSerializationError(HasSubstr("transaction")));
  EXPECT_THAT(load(3), IsKeyError(HasSubstr("_transactions/0-x.txn")));
  EXPECT_THAT(load(4), IsSerializationError(HasSubstr("_transactions/0-y.txn")));
}

TEST_F(ManifestStoreTest, WritesTheHintWithoutBlanks) {
  manifests_.WriteHint(42);

  EXPECT_THAT(testing::ReadText(*store_, std::string(kVersionHintPath)),
              IsOkAndHolds(R"({"version":42})"));
}

}  // namespace
}  // namespace lance::table
