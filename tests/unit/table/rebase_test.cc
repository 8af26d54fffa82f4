#include "lance/table/rebase.h"

#include <gtest/gtest.h>

#include "lance/io/stores.h"
#include "lance/table/commit.h"
#include "lance/table/deletion_file.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "manifest_samples.h"

namespace lance::table {
namespace {

using ::lance::testing::HasDetail;
using ::lance::testing::IsAlreadyExists;
using ::lance::testing::IsOk;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two writers on one table of one fragment with ten rows.
class RebaseTest : public ::testing::Test {
 protected:
  RebaseTest() {
    run_.clock = &clock_;
    run_.random = &random_;
  }

  void SetUp() override {
    CommitRequest create = CreateRequest();
    std::get<Overwrite>(create.transaction.operation).fragments = {SampleFragment(0)};
    ASSERT_THAT(Commit(manifests_, create, run_), IsOk());
  }

  /// Delete rows of fragment 0 as a writer that has seen version 1.
  arrow::Result<LoadedManifest> DeleteRows(const RoaringBitmap& rows, char digit,
                                           bool knows_rows = true) {
    Delete deletion{.predicate = "x"};
    if (rows.size() == 10) {
      deletion.deleted_fragment_ids = {0};
    } else {
      Fragment fragment = SampleFragment(0);
      ARROW_ASSIGN_OR_RAISE(fragment.deletion_file,
                            WriteDeletions(*store_, 0, 1, rows, false, run_));
      deletion.updated_fragments = {fragment};
    }
    CommitRequest request{.transaction = SampleTransaction(1, std::move(deletion), digit)};
    if (knows_rows) request.affected_rows = {{0, rows}};
    return Commit(manifests_, std::move(request), run_);
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  ManifestStore manifests_{store_};
  testing::FakeClock clock_;
  testing::SeededRandom random_{1};
  RunContext run_;
};

TEST_F(RebaseTest, DeletesOfOtherRowsBothLand) {
  ASSERT_THAT(DeleteRows({1, 2}, '1'), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, DeleteRows({5}, '2'));

  EXPECT_EQ(landed.manifest.version, 3u);
  const Fragment& fragment = landed.manifest.fragments.at(0);
  EXPECT_EQ(fragment.deletion_file->read_version, 2u);
  EXPECT_EQ(fragment.deletion_file->num_deleted_rows, 3u);
  LANCE_ASSERT_OK_AND_ASSIGN(const RoaringBitmap deleted, ReadDeletions(*store_, fragment, run_));
  EXPECT_EQ(deleted, (RoaringBitmap{1, 2, 5}));
  LANCE_ASSERT_OK_AND_ASSIGN(const Transaction transaction,
                             manifests_.LoadTransaction(landed, run_));
  EXPECT_EQ(transaction.read_version, 2u);
  EXPECT_THAT(landed.manifest.transaction_file, HasSubstr("2-2222"));
}

TEST_F(RebaseTest, DeletesOfOneRowDoNotBothLand) {
  ASSERT_THAT(DeleteRows({1, 2}, '1'), IsOk());

  const auto second = DeleteRows({2, 3}, '2');

  EXPECT_THAT(second, AllOf(IsAlreadyExists(HasSubstr("lost rows that are changed here")),
                            HasDetail<CommitConflict>()));
  EXPECT_TRUE(CommitConflict::From(second.status())->retryable());
}

TEST_F(RebaseTest, WithoutRowsTheWholeOperationIsToBeDoneAgain) {
  ASSERT_THAT(DeleteRows({1}, '1'), IsOk());

  const auto second = DeleteRows({2}, '2', /*knows_rows=*/false);

  EXPECT_THAT(second, IsAlreadyExists(HasSubstr("both change rows of fragment 0")));
  EXPECT_TRUE(CommitConflict::From(second.status())->retryable());
}

TEST_F(RebaseTest, TheLastRowsTakeTheFragmentAlong) {
  ASSERT_THAT(DeleteRows({0, 1, 2, 3, 4}, '1'), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest landed, DeleteRows({5, 6, 7, 8, 9}, '2'));

  EXPECT_THAT(landed.manifest.fragments, IsEmpty());
}

TEST_F(RebaseTest, TheSameTransactionIsFoundAgainAlthoughItWasRebased) {
  ASSERT_THAT(DeleteRows({1}, '1'), IsOk());
  ASSERT_THAT(DeleteRows({2}, '2'), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const LoadedManifest again, DeleteRows({2}, '2'));

  EXPECT_EQ(again.manifest.version, 3u);
  EXPECT_EQ(manifests_.LoadLatest(run_)->manifest.version, 3u);
}

TEST_F(RebaseTest, DetachedCommitsLeaveTheNewestVersionAlone) {
  ASSERT_THAT(DeleteRows({1}, '1'), IsOk());
  ASSERT_THAT(DeleteRows({2}, '2'), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(
      const LoadedManifest detached,
      CommitDetached(manifests_,
                     {.transaction = SampleTransaction(3, SetConfig({{"k", "v"}}), '3')}, run_));

  EXPECT_GE(detached.manifest.version, uint64_t{1} << 63);
  EXPECT_EQ(manifests_.LoadLatest(run_)->manifest.version, 3u);
  EXPECT_EQ(manifests_.Load(detached.manifest.version, run_)->manifest.config.at("k"), "v");
}

}  // namespace
}  // namespace lance::table
