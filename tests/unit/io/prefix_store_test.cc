#include "lance/io/prefix_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance {
namespace {

using lance::testing::IsOk;
using ::lance::testing::ListPaths;
using ::lance::testing::PutText;
using ::lance::testing::ReadText;
using ::testing::ElementsAre;

class PrefixStoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<ObjectStore> outer_ = MakeMemoryStore();
  std::shared_ptr<ObjectStore> inner_ = MakePrefixStore(outer_, "tree/a");
};

TEST_F(PrefixStoreTest, ReadsAndWritesBelowItsFolder) {
  ASSERT_THAT(PutText(*inner_, "data/x", "one"), IsOk());
  EXPECT_EQ(ReadText(*outer_, "tree/a/data/x").ValueOrDie(), "one");
  EXPECT_EQ(ReadText(*inner_, "data/x").ValueOrDie(), "one");
  EXPECT_EQ(inner_->Head("data/x").ValueOrDie().path, "data/x");
  EXPECT_THAT(inner_->Delete("data/x"), IsOk());
  EXPECT_THAT(ListPaths(*outer_).ValueOrDie(), ElementsAre());
}

TEST_F(PrefixStoreTest, ListsWhatIsBelowItsFolderAlone) {
  for (const char* path : {"tree/a/data/x", "tree/a/y", "tree/ab/z", "w"}) {
    ASSERT_THAT(PutText(*outer_, path, ""), IsOk());
  }
  EXPECT_THAT(ListPaths(*inner_).ValueOrDie(), ElementsAre("data/x", "y"));
  EXPECT_THAT(ListPaths(*inner_, "data").ValueOrDie(), ElementsAre("data/x"));
}

/// Gives names without looking at the objects; everything else is not expected.
class NamesStore : public ObjectStore {
 public:
  using Buffers = std::vector<std::shared_ptr<arrow::Buffer>>;
  using Stream = std::shared_ptr<arrow::io::OutputStream>;
  using Visit = std::function<arrow::Status(const ObjectInfo&)>;
  MOCK_METHOD(arrow::Result<Buffers>, Get,
              (const std::string&, const std::vector<ByteRange>&, const arrow::StopToken&),
              (override));
  MOCK_METHOD(arrow::Result<ObjectInfo>, Head, (const std::string&), (override));
  MOCK_METHOD(arrow::Status, List, (const std::string&, const Visit&), (override));
  MOCK_METHOD(arrow::Result<PutOutcome>, Put,
              (const std::string&, std::shared_ptr<arrow::Buffer>, PutMode), (override));
  MOCK_METHOD(arrow::Result<Stream>, OpenWrite, (const std::string&), (override));
  MOCK_METHOD(arrow::Status, Delete, (const std::string&), (override));

  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    EXPECT_EQ(prefix, "tree/a/_versions");
    ARROW_RETURN_NOT_OK(visit("tree/a/_versions/1.manifest"));
    return visit("tree/ab/z");
  }
};

// Where names alone are cheaper than a look at every object, they are in a branch, too.
TEST(PrefixStoreNamesTest, ListsNamesAsItsStoreDoes) {
  const auto outer = std::make_shared<::testing::StrictMock<NamesStore>>();
  std::vector<std::string> names;
  EXPECT_THAT(MakePrefixStore(outer, "tree/a")
                  ->ListPaths("_versions",
                              [&](std::string name) {
                                names.push_back(std::move(name));
                                return arrow::Status::OK();
                              }),
              IsOk());
  EXPECT_THAT(names, ElementsAre("_versions/1.manifest"));
}

}  // namespace
}  // namespace lance
