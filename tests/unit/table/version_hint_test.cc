#include "lance/table/version_hint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "lance/base/status_detail.h"
#include "lance/io/stores.h"
#include "lance/table/manifest_names.h"
#include "lance/table/manifest_store.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::IsKeyError;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::lance::testing::IsSerializationError;

/// Lists backwards and counts what it is asked; can fail looks, and lose an object before its read.
class BackwardStore : public ObjectStore {
 public:
  explicit BackwardStore(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    bytes_asked += ranges[0].length;
    if (path == lost_before_read) ARROW_RETURN_NOT_OK(store_->Delete(path));
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ++num_heads;
    if (fails_heads) return arrow::Status::IOError(path, ": out of order");
    return store_->Head(path);
  }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    ++num_lists;
    std::vector<ObjectInfo> infos;
    ARROW_RETURN_NOT_OK(store_->List(prefix, [&](const ObjectInfo& info) {
      infos.push_back(info);
      return arrow::Status::OK();
    }));
    std::ranges::reverse(infos);
    for (const ObjectInfo& info : infos) ARROW_RETURN_NOT_OK(visit(info));
    return arrow::Status::OK();
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    return store_->Put(path, std::move(bytes), mode);
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override { return store_->Delete(path); }
  bool HasCheapListing() const override { return has_cheap_listing; }

  int num_lists = 0;
  int num_heads = 0;
  uint64_t bytes_asked = 0;
  bool fails_heads = false;
  bool has_cheap_listing = false;
  std::string lost_before_read;

 private:
  std::shared_ptr<ObjectStore> store_;
};

class VersionHintTest : public ::testing::TestWithParam<NamingScheme> {
 protected:
  /// A new table with these versions.
  void Fill(const std::vector<uint64_t>& versions) {
    store_ = std::make_shared<BackwardStore>(MakeMemoryStore());
    manifests_ = ManifestStore(store_);
    for (const uint64_t version : versions) {
      Manifest manifest = SampleManifest({0});
      manifest.version = version;
      ASSERT_THAT(manifests_.PutManifest(manifest, GetParam(), ""),
                  IsOkAndHolds(PutOutcome::kStored));
    }
  }

  void PutHint(const std::string& text) {
    ASSERT_THAT(testing::PutText(*store_, std::string(kVersionHintPath), text), IsOk());
  }

  /// The newest version as found from here.
  arrow::Result<uint64_t> Newest() {
    store_->num_lists = 0;
    ARROW_ASSIGN_OR_RAISE(const LoadedManifest loaded, manifests_.LoadLatest(run_));
    EXPECT_EQ(loaded.naming, GetParam());
    return loaded.manifest.version;
  }

  std::shared_ptr<BackwardStore> store_;
  ManifestStore manifests_{nullptr};
  RunContext run_;
};

INSTANTIATE_TEST_SUITE_P(BothSchemes, VersionHintTest,
                         ::testing::Values(NamingScheme::kV1, NamingScheme::kV2),
                         [](const auto& test) {
                           return test.param == NamingScheme::kV1 ? "V1" : "V2";
                         });

TEST_P(VersionHintTest, SparesTheListingWhenItIsAtMostThreeVersionsOld) {
  Fill({1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (uint64_t age = 0; age <= 8; ++age) {
    PutHint("{\"version\":" + std::to_string(9 - age) + "}");

    EXPECT_THAT(Newest(), IsOkAndHolds(9u)) << "age " << age;
    EXPECT_EQ(store_->num_lists, age <= 3 ? 0 : 1) << "age " << age;
  }
}

TEST_P(VersionHintTest, IsWhatOurOwnCommitsLeave) {
  Fill({1, 2});
  manifests_.WriteHint(2);

  EXPECT_THAT(Newest(), IsOkAndHolds(2u));
  EXPECT_EQ(store_->num_lists, 0);
}

TEST_P(VersionHintTest, IsNotNeeded) {
  Fill({1, 2});

  EXPECT_THAT(Newest(), IsOkAndHolds(2u));
  EXPECT_EQ(store_->num_lists, 1);
}

TEST_P(VersionHintTest, IsHarmlessWhenItIsTornOrHostile) {
  Fill({1, 2, 3});
  const std::string huge_number(400, '9');
  for (const std::string& text : {std::string(),
                                  std::string(R"({"vers)"),
                                  std::string(R"({"version":)"),
                                  std::string(R"({"version":2)"),
                                  std::string("\0\0\0\0", 4),
                                  std::string("\xff\xfe"),
                                  std::string("3"),
                                  std::string("[3]"),
                                  std::string("null"),
                                  std::string(R"({"version":"2"})"),
                                  std::string(R"({"version":2.0})"),
                                  std::string(R"({"version":-2})"),
                                  std::string(R"({"version":0})"),
                                  std::string(R"({"version":null})"),
                                  std::string(R"({"version":9223372036854775808})"),
                                  std::string(R"({"version":18446744073709551615})"),
                                  R"({"version":)" + huge_number + "}",
                                  std::string(R"({"Version":2})"),
                                  std::string(500, '[') + std::string(500, ']'),
                                  R"({"version":2)" + std::string(2000, ' ') + "}"}) {
    PutHint(text);

    EXPECT_THAT(Newest(), IsOkAndHolds(3u)) << text;
    EXPECT_EQ(store_->num_lists, 1) << text;
  }
}

TEST_P(VersionHintTest, IsNotReadWhenItIsHuge) {
  Fill({1});
  PutHint(std::string(1 << 20, ' '));

  EXPECT_THAT(Newest(), IsOkAndHolds(1u));
  EXPECT_LT(store_->bytes_asked, uint64_t{1} << 20);
}

TEST_P(VersionHintTest, IsHarmlessWhenItIsFromTheFuture) {
  Fill({1, 2, 3});
  for (const uint64_t version :
       {uint64_t{4}, uint64_t{400}, kFirstDetachedVersion - 1, kFirstDetachedVersion - 3}) {
    manifests_.WriteHint(version);

    EXPECT_THAT(Newest(), IsOkAndHolds(3u)) << version;
    EXPECT_EQ(store_->num_lists, 1) << version;
  }
}

TEST_P(VersionHintTest, IsHarmlessWhenItsVersionWasCleanedUp) {
  Fill({6, 7});
  PutHint(R"({"version":5})");

  EXPECT_THAT(Newest(), IsOkAndHolds(7u));
  EXPECT_EQ(store_->num_lists, 1);
}

TEST_P(VersionHintTest, IsHarmlessWhenCleanUpLeftAGapBehindItsVersion) {
  for (const uint64_t newest : {7u, 8u, 9u}) {
    Fill({5, newest});
    PutHint(R"({"version":5})");

    EXPECT_THAT(Newest(), IsOkAndHolds(newest));
    EXPECT_EQ(store_->num_lists, 1);
  }
}

TEST_P(VersionHintTest, IsHarmlessWhenItsVersionVanishesWhileWeLook) {
  Fill({1, 2});
  manifests_.WriteHint(2);
  store_->lost_before_read = ManifestPath(2, GetParam());

  EXPECT_THAT(Newest(), IsOkAndHolds(1u));
  EXPECT_EQ(store_->num_lists, 1);
}

TEST_P(VersionHintTest, DoesNotStandInTheWayWhenLooksFail) {
  Fill({1, 2});
  manifests_.WriteHint(2);
  store_->fails_heads = true;

  EXPECT_THAT(Newest(), IsOkAndHolds(2u));
  EXPECT_EQ(store_->num_lists, 1);
}

TEST_P(VersionHintTest, ConjuresUpNoTable) {
  Fill({});
  manifests_.WriteHint(2);

  EXPECT_THAT(Newest(), IsKeyError());
}

TEST_P(VersionHintTest, DoesNotHideACorruptNewestVersion) {
  Fill({1, 2});
  ASSERT_THAT(testing::PutText(*store_, ManifestPath(3, GetParam()), "torn"), IsOk());
  manifests_.WriteHint(2);

  EXPECT_THAT(Newest(), IsSerializationError());
}

TEST_P(VersionHintTest, IsLeftAloneWhereListingIsCheap) {
  Fill({1, 2, 30});
  PutHint(R"({"version":2})");
  store_->has_cheap_listing = true;
  store_->num_heads = 0;

  EXPECT_THAT(Newest(), IsOkAndHolds(30u));
  EXPECT_EQ(store_->num_lists, 1);
  EXPECT_EQ(store_->num_heads, 1);  // at the manifest: the listing tells paths alone
}

TEST_P(VersionHintTest, CanBeSwitchedOff) {
  for (const char* off : {"0", "false", "off"}) {
    Fill({1, 2});
    PutHint(R"({"version":1})");
    ASSERT_EQ(setenv("LANCE_USE_VERSION_HINT", off, 1), 0);
    manifests_.WriteHint(2);
    const auto newest = Newest();
    ASSERT_EQ(unsetenv("LANCE_USE_VERSION_HINT"), 0);

    EXPECT_THAT(newest, IsOkAndHolds(2u));
    EXPECT_EQ(store_->num_lists, 1);
    EXPECT_THAT(testing::ReadText(*store_, std::string(kVersionHintPath)),
                IsOkAndHolds(R"({"version":1})"));
  }
}

TEST(ParseVersionHint, TakesAnyFormatting) {
  EXPECT_EQ(ParseVersionHint(R"({"version":42})"), 42u);
  EXPECT_EQ(ParseVersionHint("{\r\n  \"version\" : 42,\n \"by\": [{}]\n}\n"), 42u);
  EXPECT_EQ(ParseVersionHint(R"({"version":9223372036854775807})"), kFirstDetachedVersion - 1);
}

}  // namespace
}  // namespace lance::table
