#include <filesystem>
#include <stdexcept>

#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "lance/testing/temp_folder.h"

namespace lance {
namespace {

using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsOk;
using lance::testing::IsOkAndHolds;
using lance::testing::IsUnknownError;
using lance::testing::PutText;
using lance::testing::ReadText;
using lance::testing::TempFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Open `uri`, put an object, and give back the canonical URI.
arrow::Result<std::string> PutThrough(StoreRegistry* registry, const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(const OpenedStore opened, registry->Open(uri, {}));
  ARROW_RETURN_NOT_OK(PutText(*opened.store, "object", uri));
  return opened.uri;
}

TEST(StoreRegistry, TakesAPlainPathLiterally) {
  const TempFolder folder;
  StoreRegistry registry({});

  for (const char* name : {"t.lance", "a b", "100%", "a%20b", "h#sh?q", "caf\xc3\xa9", "c:x"}) {
    const std::string path = folder.path() + "/" + name;
    EXPECT_THAT(PutThrough(&registry, path), IsOkAndHolds(path));
    EXPECT_TRUE(std::filesystem::is_regular_file(path + "/object")) << path;
  }
}

TEST(StoreRegistry, NormalizesAPlainPath) {
  const TempFolder folder;
  StoreRegistry registry({});

  EXPECT_THAT(PutThrough(&registry, folder.path() + "//x/../t.lance/"),
              IsOkAndHolds(folder.path() + "/t.lance"));
}

TEST(StoreRegistry, DecodesAFileUriOnce) {
  const TempFolder folder;
  StoreRegistry registry({});

  EXPECT_THAT(PutThrough(&registry, "file://" + folder.path() + "/a%20b"),
              IsOkAndHolds(folder.path() + "/a b"));
  EXPECT_THAT(PutThrough(&registry, "FILE://localhost" + folder.path() + "/a%2520b/"),
              IsOkAndHolds(folder.path() + "/a%20b"));

  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() + "/a b/object"));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder.path() + "/a%20b/object"));
}

TEST(StoreRegistry, KeepsMemoryStoresByName) {
  StoreRegistry registry({});
  ASSERT_THAT(PutThrough(&registry, "memory://a%20b"), IsOkAndHolds("memory://a%20b"));

  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore again, registry.Open("memory://a b/", {}));
  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore other, registry.Open("memory://other", {}));

  EXPECT_EQ(again.uri, "memory://a%20b");
  EXPECT_THAT(ReadText(*again.store, "object"), IsOkAndHolds("memory://a%20b"));
  EXPECT_FALSE(other.store->Head("object").ok());
}

TEST(StoreRegistry, MemoryStoresOfTwoRegistriesAreApart) {
  StoreRegistry first({});
  StoreRegistry second({});
  ASSERT_THAT(PutThrough(&first, "memory://t"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore opened, second.Open("memory://t", {}));

  EXPECT_FALSE(opened.store->Head("object").ok());
}

TEST(StoreRegistry, OpensWhatItNamesAsCanonicalAgain) {
  const TempFolder folder;
  StoreRegistry registry({});

  for (const std::string& uri : {folder.path() + "/a%b/", "file://" + folder.path() + "/c%25d",
                                 std::string("memory://e%25f//"), std::string("MEMORY://g/h")}) {
    LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore first, registry.Open(uri, {}));
    LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore second, registry.Open(first.uri, {}));
    ASSERT_THAT(PutText(*first.store, "object", "1"), IsOk());

    EXPECT_EQ(second.uri, first.uri);
    EXPECT_THAT(ReadText(*second.store, "object"), IsOkAndHolds("1"));
  }
}

TEST(StoreRegistry, RefusesMalformedUris) {
  StoreRegistry registry({});

  EXPECT_THAT(registry.Open("", {}), IsInvalid());
  EXPECT_THAT(registry.Open("memory://", {}), IsInvalid(HasSubstr("memory://name")));
  EXPECT_THAT(registry.Open("memory:////", {}), IsInvalid());
  EXPECT_THAT(registry.Open("file://host/a", {}), IsInvalid(HasSubstr("file:///absolute/path")));
  EXPECT_THAT(registry.Open("file:///a%2", {}), IsInvalid(HasSubstr("file:///a%2")));
}

TEST(StoreRegistry, NamesTheSchemesThatItServes) {
  StoreRegistry registry(
      {{"s3", [](const std::string&, const StorageOptions&) { return MakeMemoryStore(); }}});

  EXPECT_THAT(registry.Open("gs://bucket/t", {}),
              IsInvalid(AllOf(HasSubstr("\"gs\""), HasSubstr("file, memory, s3"))));
}

TEST(StoreRegistry, GivesUriAndOptionsToTheCallersFactory) {
  std::string seen_uri;
  StorageOptions seen_options;
  StoreRegistry registry({{"s3", [&](const std::string& uri, const StorageOptions& options) {
                             seen_uri = uri;
                             seen_options = options;
                             return MakeMemoryStore();
                           }}});

  LANCE_ASSERT_OK_AND_ASSIGN(const OpenedStore opened,
                             registry.Open("S3://bucket/a%20b/", {{"region", "eu"}}));

  EXPECT_EQ(opened.uri, "s3://bucket/a%20b");
  EXPECT_EQ(seen_uri, "s3://bucket/a%20b");
  EXPECT_THAT(seen_options, ::testing::ElementsAre(::testing::Pair("region", "eu")));
}

TEST(StoreRegistry, TurnsWhateverAFactoryDoesIntoAStatus) {
  using Store = arrow::Result<std::shared_ptr<ObjectStore>>;
  StoreRegistry registry({
      {"fails", [](auto&, auto&) -> Store { return arrow::Status::IOError("down"); }},
      {"null", [](auto&, auto&) -> Store { return std::shared_ptr<ObjectStore>(); }},
      {"throws", [](auto&, auto&) -> Store { throw std::runtime_error("boom"); }},
  });

  EXPECT_THAT(registry.Open("fails://t", {}), IsIOError("down"));
  EXPECT_THAT(registry.Open("null://t", {}), IsInvalid(HasSubstr("null://t")));
  EXPECT_THAT(registry.Open("throws://t", {}), IsUnknownError(HasSubstr("boom")));
}

}  // namespace
}  // namespace lance
