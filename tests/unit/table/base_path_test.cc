#include "lance/table/base_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "lance/base/status_detail.h"
#include "lance/io/stores.h"
#include "lance/table/deletion_file.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsInvalid;
using ::lance::testing::IsKeyError;
using ::lance::testing::IsNotImplemented;
using ::lance::testing::IsOk;
using ::lance::testing::IsOkAndHolds;
using ::lance::testing::IsSerializationError;
using ::lance::testing::IsUnknownError;
using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BasePathStoreTest : public ::testing::Test {
 protected:
  BasePathStoreTest() {
    PutText("/root", "data/x.lance", "of the root");
    PutText("/clone", "data/x.lance", "of the clone");
    PutText("/clone", "_deletions/1-2-3.bin", "deletions");
    PutText("/clone", "_indices/u/zonemap.lance", "index");
    PutText("/flat", "x.lance", "flat");
    PutText("/flat", "u/zonemap.lance", "flat index");
  }

  void PutText(const std::string& place, const std::string& path, const std::string& text) {
    std::shared_ptr<ObjectStore>& store = places_[place];
    if (store == nullptr) store = MakeMemoryStore();
    EXPECT_THAT(testing::PutText(*store, path, text), IsOk());
  }

  std::shared_ptr<ObjectStore> Store(std::vector<BasePath> bases) {
    return MakeBasePathStore(
        places_["/root"], std::move(bases),
        [this](const std::string& path) -> arrow::Result<std::shared_ptr<ObjectStore>> {
          opened_.push_back(path);
          const auto found = places_.find(path);
          if (found == places_.end()) return arrow::Status::IOError("no such place");
          return found->second;
        });
  }

  std::map<std::string, std::shared_ptr<ObjectStore>> places_;
  std::vector<std::string> opened_;
};

TEST_F(BasePathStoreTest, FindsFilesWhereTheirBaseHasThem) {
  const auto store = Store({{.id = 0, .is_dataset_root = true, .path = "/clone"},
                            {.id = 7, .is_dataset_root = false, .path = "/flat"}});
  const auto read = [&](const std::string& path) { return testing::ReadText(*store, path); };
  const DataFile own{.path = "x.lance"};
  const DataFile cloned{.path = "x.lance", .base_id = 0};
  const DataFile flat{.path = "x.lance", .base_id = 7};

  EXPECT_THAT(read(DataFilePath(own)), IsOkAndHolds("of the root"));
  EXPECT_THAT(read(DataFilePath(cloned)), IsOkAndHolds("of the clone"));
  EXPECT_THAT(read(DataFilePath(flat)), IsOkAndHolds("flat"));
  EXPECT_THAT(read(BaseFolder(0) + "_indices/u/zonemap.lance"), IsOkAndHolds("index"));
  EXPECT_THAT(read(BaseFolder(7) + "_indices/u/zonemap.lance"), IsOkAndHolds("flat index"));
  const DeletionFile deletions{.file_type = 1, .read_version = 2, .id = 3, .base_id = 0};
  EXPECT_THAT(read(DeletionFilePath(1, deletions)), IsOkAndHolds("deletions"));
}

TEST_F(BasePathStoreTest, SaysThePathThatWasAskedFor) {
  const auto store = Store({{.id = 7, .is_dataset_root = false, .path = "/flat"}});

  LANCE_ASSERT_OK_AND_ASSIGN(const ObjectInfo info, store->Head("_bases/7/data/x.lance"));

  EXPECT_EQ(info.path, "_bases/7/data/x.lance");
  EXPECT_EQ(info.size_bytes, 4u);
}

TEST_F(BasePathStoreTest, OpensABaseOnceAndOnlyWhenItIsNeeded) {
  const auto store = Store({{.id = 1, .is_dataset_root = true, .path = "/clone"},
                            {.id = 2, .is_dataset_root = true, .path = "/gone"}});
  EXPECT_THAT(testing::ReadText(*store, "data/x.lance"), IsOk());
  EXPECT_TRUE(opened_.empty());

  EXPECT_THAT(testing::ReadText(*store, "_bases/1/data/x.lance"), IsOk());
  EXPECT_THAT(testing::ReadText(*store, "_bases/1/data/x.lance"), IsOk());

  EXPECT_THAT(opened_, ElementsAre("/clone"));
}

TEST_F(BasePathStoreTest, NamesTheBaseThatFails) {
  const auto store = Store({{.id = 1, .is_dataset_root = true, .path = "/clone"},
                            {.id = 2, .is_dataset_root = true, .path = "/gone"}});

  EXPECT_THAT(store->Head("_bases/2/data/x.lance"),
              testing::IsIOError(HasSubstr("base path 2 (/gone)")));
  const auto missing = store->Head("_bases/1/data/y.lance");
  EXPECT_THAT(missing, IsKeyError(HasSubstr("base path 1 (/clone)")));
  EXPECT_THAT(missing, HasDetail<NotFound>(_));
}

TEST_F(BasePathStoreTest, WritesAndDeletesDataFilesOnly) {
  const auto store = Store({{.id = 7, .is_dataset_root = false, .path = "/flat"}});
  const auto write = [&](const std::string& path) -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(const auto stream, store->OpenWrite(path));
    ARROW_RETURN_NOT_OK(stream->Write("new", 3));
    return stream->Close();
  };

  EXPECT_THAT(write("_bases/7/data/n.lance"), IsOk());
  EXPECT_THAT(testing::ReadText(*places_["/flat"], "n.lance"), IsOkAndHolds("new"));
  EXPECT_THAT(store->Delete("_bases/7/data/n.lance"), IsOk());
  EXPECT_THAT(places_["/flat"]->Head("n.lance"), IsKeyError());
  EXPECT_THAT(write("_bases/7/_indices/u/i.lance"), IsUnknownError(HasSubstr("only data files")));
  EXPECT_THAT(store->Delete("_bases/7/_indices/u/zonemap.lance"), IsUnknownError());
  EXPECT_THAT(testing::PutText(*store, "_bases/7/data/n.lance", "new"), IsUnknownError());
  EXPECT_THAT(store->List("_bases/7/", [](const ObjectInfo&) { return arrow::Status::OK(); }),
              IsUnknownError());
  EXPECT_THAT(write("_bases/8/data/n.lance"), IsSerializationError(HasSubstr("base path 8")));
}

TEST(AddBasePathsTest, GivesTheSmallestFreeIds) {
  std::vector<BasePath> bases{{.id = 2, .name = "two", .path = "/two"}};

  EXPECT_THAT(AddBasePaths({{.name = "a", .path = "/a"},
                            {.id = 9, .name = "b", .path = "/b"},
                            {.name = "c", .path = "/c"}},
                           BaseNames::kUnique, &bases),
              IsOk());

  std::vector<uint32_t> ids;
  for (const BasePath& base : bases) ids.push_back(base.id);
  EXPECT_THAT(ids, ElementsAre(2, 1, 9, 3));
  EXPECT_THAT(AddBasePaths({{.id = 9, .name = "x", .path = "/x"}}, BaseNames::kAny, &bases),
              IsInvalid(HasSubstr("/b")));
  const std::vector<BasePath> same_name{{.name = "a", .path = "/other"}};
  EXPECT_THAT(AddBasePaths(same_name, BaseNames::kUnique, &bases), IsInvalid(HasSubstr("/a")));
  EXPECT_THAT(AddBasePaths(same_name, BaseNames::kAny, &bases), IsOk());
}

TEST_F(BasePathStoreTest, RefusesBasesThatAreNotThereOrThereTwice) {
  const auto store = Store({{.id = 1, .is_dataset_root = true, .path = "/clone"},
                            {.id = 1, .is_dataset_root = true, .path = "/flat"},
                            {.id = 3, .is_dataset_root = true, .path = "/clone"}});

  EXPECT_THAT(store->Head("_bases/2/data/x.lance"),
              IsSerializationError(HasSubstr("base path 2, which the table does not have")));
  EXPECT_THAT(store->Head("_bases/4294967295/data/x.lance"), IsSerializationError());
  EXPECT_THAT(store->Head("_bases/1/data/x.lance"),
              IsSerializationError(HasSubstr("base path 1, which the table has twice")));
  EXPECT_THAT(store->Head("_bases/3/data/x.lance"), IsOk());
}

TEST_F(BasePathStoreTest, RefusesDeletionFilesBelowABaseThatIsNoRoot) {
  const auto store = Store({{.id = 7, .is_dataset_root = false, .path = "/flat"}});

  EXPECT_THAT(store->Head("_bases/7/_deletions/1-2-3.bin"),
              IsSerializationError(HasSubstr("is no root of a dataset")));
}

TEST_F(BasePathStoreTest, LeavesEverythingElseToTheRoot) {
  const auto store = Store({{.id = 1, .is_dataset_root = true, .path = "/clone"}});

  ASSERT_THAT(testing::PutText(*store, "data/y.lance", "new"), IsOk());
  EXPECT_THAT(testing::ListPaths(*store),
              IsOkAndHolds(ElementsAre("data/x.lance", "data/y.lance")));
  ASSERT_THAT(store->Delete("data/y.lance"), IsOk());
  EXPECT_THAT(testing::ListPaths(*places_["/root"]), IsOkAndHolds(ElementsAre("data/x.lance")));
}

TEST(CheckBasePath, TakesAbsolutePathsAndUris) {
  for (const char* path :
       {"/a/b", "/", "/a/../b", "file:///a%20b", "memory://m", "s3://bucket/x"}) {
    EXPECT_THAT(CheckBasePath({.id = 1, .path = path}), IsOk()) << path;
  }
  EXPECT_THAT(CheckBasePath({.id = 1, .path = ""}), IsInvalid(HasSubstr("base path 1 is empty")));
  for (const char* path : {"a/b", "../x", ".", "~/x", "c://x", "://x", "%2Fa"}) {
    EXPECT_THAT(CheckBasePath({.id = 1, .path = path}),
                IsNotImplemented(AllOf(HasSubstr("base path 1"), HasSubstr("is relative"))))
        << path;
  }
}

}  // namespace
}  // namespace lance::table
