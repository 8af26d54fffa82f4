#include "lance/table/clone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/io/stores.h"
#include "lance/table/feature_flags.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using lance::testing::IsAlreadyExists;
using lance::testing::IsNotImplemented;
using lance::testing::IsOk;
using ::lance::testing::ListPaths;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;

Manifest Source() {
  Manifest manifest;
  manifest.version = 7;
  manifest.tag = "t";
  manifest.schema.fields = {{.name = "a", .id = 0, .parent_id = -1, .logical_type = "int64"}};
  manifest.data_storage_version = "2.1";
  manifest.config = {{"k", "v"}};
  manifest.base_paths = {{.id = 1, .is_dataset_root = true, .path = "/one"}};
  Fragment fragment{.id = 3, .physical_rows = 10};
  fragment.files = {
      {.path = "own.lance", .field_ids = {0}, .column_indices = {0}},
      {.path = "of one.lance", .field_ids = {0}, .column_indices = {0}, .base_id = 1}};
  fragment.deletion_file = DeletionFile{.read_version = 6, .id = 5, .num_deleted_rows = 1};
  manifest.fragments = {fragment};
  manifest.indices = {{.field_ids = {0}, .name = "i"}};
  return manifest;
}

const CloneOperation kClone{.ref_name = "exp", .ref_version = 7, .ref_path = "/source"};

TEST(MakeShallowClone, NamesTheSourceByABasePathOfItsOwn) {
  const Manifest clone = MakeShallowClone(Source(), kClone).ValueOrDie();
  EXPECT_EQ(clone.version, 7u);
  EXPECT_EQ(clone.config, Source().config);
  EXPECT_EQ(clone.tag, "");
  EXPECT_EQ(clone.branch, std::nullopt);
  ASSERT_THAT(clone.base_paths, SizeIs(2));
  EXPECT_EQ(clone.base_paths[1],
            (BasePath{.id = 0, .name = "exp", .is_dataset_root = true, .path = "/source"}));
  const Fragment& fragment = clone.fragments[0];
  EXPECT_THAT(fragment.files[0].base_id, Optional(0u));
  EXPECT_THAT(fragment.files[1].base_id, Optional(1u));
  EXPECT_THAT(fragment.deletion_file->base_id, Optional(0u));
  EXPECT_THAT(clone.indices[0].base_id, Optional(0u));
  EXPECT_NE(clone.reader_feature_flags & kBasePathsFlag, 0u);
  EXPECT_NE(clone.writer_feature_flags & kBasePathsFlag, 0u);
}

TEST(MakeShallowClone, TakesTheSmallestFreeIdAndTheNameOfTheBranch) {
  Manifest source = Source();
  source.base_paths = {{.id = 0}, {.id = 2}, {.id = 1}};
  CloneOperation branch = kClone;
  branch.branch_name = "new";
  const Manifest clone = MakeShallowClone(source, branch).ValueOrDie();
  EXPECT_EQ(clone.base_paths.back().id, 3u);
  EXPECT_EQ(clone.branch, "new");
}

TEST(CloneOperation, ComesBackFromATransaction) {
  for (CloneOperation clone : {kClone, CloneOperation{}}) {
    const Operation operation = MakeCloneOperation(clone).ValueOrDie();
    EXPECT_EQ(OperationName(operation), "Clone");
    EXPECT_THAT(ParseCloneOperation(operation).ValueOrDie(), Optional(clone));
  }
  EXPECT_EQ(ParseCloneOperation(Append{}).ValueOrDie(), std::nullopt);
}

class CommitShallowCloneTest : public ::testing::Test {
 protected:
  arrow::Result<LoadedManifest> Commit(const CloneOperation& clone = kClone) {
    return CommitShallowClone(target_, {.manifest = Source()}, clone, run_);
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  ManifestStore target_{store_};
  RunContext run_;
};

TEST_F(CommitShallowCloneTest, IsFoundAgainAndRemoved) {
  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest made, Commit());
  const auto found = FindShallowClone(target_, kClone, run_).ValueOrDie();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->manifest, made.manifest);
  CloneOperation other = kClone;
  other.ref_path = "/other";
  EXPECT_FALSE(FindShallowClone(target_, other, run_).ValueOrDie().has_value());
  EXPECT_THAT(RemoveShallowClone(target_, made), IsOk());
  EXPECT_FALSE(FindShallowClone(target_, kClone, run_).ValueOrDie().has_value());
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), ::testing::IsEmpty());
}

TEST_F(CommitShallowCloneTest, IsRefusedWhereAVersionIs) {
  ASSERT_THAT(Commit(), IsOk());
  const auto paths = ListPaths(*store_).ValueOrDie();
  EXPECT_THAT(Commit(), IsAlreadyExists(HasSubstr("newest version 7")));
  EXPECT_EQ(ListPaths(*store_).ValueOrDie(), paths);
}

TEST_F(CommitShallowCloneTest, RefusesASourceThatItMayNotWrite) {
  Manifest source = Source();
  source.writer_feature_flags = uint64_t{1} << 40;
  EXPECT_THAT(CommitShallowClone(target_, {.manifest = source}, kClone, run_),
              IsNotImplemented(HasSubstr("40")));
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), ::testing::IsEmpty());
}

/// A store in which another call's first version comes at the same time.
class RivalStore : public lance::ObjectStore {
 public:
  explicit RivalStore(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    return store_->Get(path, ranges, stop);
  }
  arrow::Result<ObjectInfo> Head(const std::string& path) override { return store_->Head(path); }
  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    return store_->List(prefix, visit);
  }
  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    if (path.ends_with(".manifest")) {
      ARROW_RETURN_NOT_OK(
          store_->Put(ManifestPath(3, NamingScheme::kV2), bytes, PutMode::kOverwrite).status());
    }
    return store_->Put(path, std::move(bytes), mode);
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    return store_->OpenWrite(path);
  }
  arrow::Status Delete(const std::string& path) override { return store_->Delete(path); }

 private:
  std::shared_ptr<ObjectStore> store_;
};

TEST_F(CommitShallowCloneTest, GivesWayToAnotherFirstVersion) {
  const ManifestStore contested(std::make_shared<RivalStore>(store_));
  EXPECT_THAT(CommitShallowClone(contested, {.manifest = Source()}, kClone, run_),
              IsAlreadyExists(HasSubstr("at the same time")));
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), ElementsAre(ManifestPath(3, NamingScheme::kV2)));
}

}  // namespace
}  // namespace lance::table
