#include "lance/io/prefix_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lance
