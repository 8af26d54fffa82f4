#include "lance/testing/fault_store.h"

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const arrow::StopToken kNeverStop = arrow::StopToken::Unstoppable();
// All but kConflicts, which concerns puts alone.
constexpr Fault kAllFaults[] = {Fault::kFails, Fault::kTorn, Fault::kNoReply, Fault::kLandsLate,
                                Fault::kDies};

class FaultStoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<ObjectStore> inner_ = MakeMemoryStore();
  std::shared_ptr<FaultStore> store_ = FaultStore::Make(inner_);
};

TEST_F(FaultStoreTest, CountsEveryCallAndTheCloseOfAStream) {
  store_->Disarm();

  ASSERT_THAT(PutText(*store_, "x", "1"), IsOk());
  ASSERT_THAT(store_->Head("x"), IsOk());
  ASSERT_THAT(store_->Get("x", {{0, 1}}, kNeverStop), IsOk());
  ASSERT_THAT(ListPaths(*store_), IsOk());
  ASSERT_THAT(store_->Delete("x"), IsOk());
  EXPECT_EQ(store_->num_calls(), 5);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("y"));
  ASSERT_THAT(stream->Write("1", 1), IsOk());
  EXPECT_EQ(store_->num_calls(), 6);
  ASSERT_THAT(stream->Close(), IsOk());
  ASSERT_THAT(stream->Close(), IsOk());
  EXPECT_EQ(store_->num_calls(), 7);

  EXPECT_EQ(store_->hit(), "");
}

TEST_F(FaultStoreTest, HitsOnlyTheArmedCallAndNamesIt) {
  store_->Arm(1, Fault::kFails);

  EXPECT_THAT(PutText(*store_, "a", "1"), IsOkAndHolds(PutOutcome::kStored));
  EXPECT_EQ(store_->hit(), "");
  EXPECT_THAT(PutText(*store_, "_versions/1.manifest", "1"),
              IsIOError(HasSubstr("Put _versions/1.manifest")));
  EXPECT_THAT(PutText(*store_, "c", "1"), IsOkAndHolds(PutOutcome::kStored));

  EXPECT_EQ(store_->hit(), "Put _versions/1.manifest");
  EXPECT_EQ(store_->num_calls(), 3);
  EXPECT_THAT(ListPaths(*inner_), IsOkAndHolds(ElementsAre("a", "c")));
}

TEST_F(FaultStoreTest, ArmCountsFromThere) {
  ASSERT_THAT(PutText(*store_, "a", "1"), IsOk());
  store_->Arm(0, Fault::kFails);
  EXPECT_EQ(store_->num_calls(), 0);

  EXPECT_THAT(store_->Head("a"), IsIOError());

  store_->Disarm();
  EXPECT_EQ(store_->hit(), "");
  EXPECT_THAT(store_->Head("a"), IsOk());
}

TEST_F(FaultStoreTest, DiesFailsAllThatFollows) {
  store_->Arm(1, Fault::kDies);

  EXPECT_THAT(PutText(*store_, "a", "1"), IsOk());
  EXPECT_THAT(PutText(*store_, "b", "1"), IsIOError());
  EXPECT_THAT(PutText(*store_, "c", "1"), IsIOError());
  EXPECT_THAT(store_->Delete("a"), IsIOError());

  EXPECT_EQ(store_->hit(), "Put b");
  EXPECT_THAT(ListPaths(*inner_), IsOkAndHolds(ElementsAre("a")));
}

TEST_F(FaultStoreTest, AThrottlingStoreFailsSoManyCalls) {
  store_->Arm(1, Fault::kFails, /*num_faults=*/2);

  EXPECT_THAT(PutText(*store_, "a", "1"), IsOk());
  EXPECT_THAT(PutText(*store_, "b", "1"), IsIOError());
  EXPECT_THAT(store_->Head("a"), IsIOError());
  EXPECT_THAT(store_->Head("a"), IsOk());

  EXPECT_EQ(store_->hit(), "Put b");
  EXPECT_THAT(store_->calls(), ElementsAre("Put a", "Put b", "Head a", "Head a"));
}

TEST_F(FaultStoreTest, AConflictingPutIfAbsentStoresNothingAndSaysExists) {
  store_->Arm(0, Fault::kConflicts, /*num_faults=*/4);

  EXPECT_THAT(PutText(*store_, "w", "1"), IsOkAndHolds(PutOutcome::kStored));
  EXPECT_THAT(store_->Head("w"), IsOk());
  EXPECT_THAT(store_->Delete("w"), IsOk());
  EXPECT_EQ(store_->hit(), "");
  EXPECT_THAT(PutText(*store_, "x", "1", PutMode::kIfAbsent), IsOkAndHolds(PutOutcome::kExists));
  EXPECT_THAT(PutText(*store_, "y", "1", PutMode::kIfAbsent), IsOkAndHolds(PutOutcome::kStored));

  EXPECT_EQ(store_->hit(), "Put x");
  EXPECT_THAT(ListPaths(*inner_), IsOkAndHolds(ElementsAre("y")));
}

/// Paths in the order of a listing.
std::vector<std::string> Visited(ObjectStore& store, const std::string& prefix = "") {
  std::vector<std::string> paths;
  EXPECT_THAT(store.List(prefix,
                         [&](const ObjectInfo& info) {
                           paths.push_back(info.path);
                           return arrow::Status::OK();
                         }),
              IsOk());
  return paths;
}

TEST_F(FaultStoreTest, EachPageOfAListingIsACall) {
  for (const char* path : {"a", "b", "c", "d", "e"})
    ASSERT_THAT(PutText(*inner_, path, "1"), IsOk());
  store_->SetListing({.page_size = 2});
  store_->Disarm();

  EXPECT_THAT(Visited(*store_), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(store_->calls(), ElementsAre("List ", "List  page 2", "List  page 3"));

  store_->Arm(1, Fault::kFails);
  int num_visits = 0;
  EXPECT_THAT(store_->List("",
                           [&](const ObjectInfo&) {
                             ++num_visits;
                             return arrow::Status::OK();
                           }),
              IsIOError(HasSubstr("page 2")));
  EXPECT_EQ(num_visits, 2);
  EXPECT_THAT(Visited(*store_, "none"), IsEmpty());
  EXPECT_EQ(store_->num_calls(), 3);
}

TEST_F(FaultStoreTest, AShuffledListingHasEveryObjectOnce) {
  std::vector<std::string> paths;
  for (char name = 'a'; name <= 'z'; ++name) {
    paths.emplace_back(1, name);
    ASSERT_THAT(PutText(*inner_, paths.back(), "1"), IsOk());
  }
  store_->SetListing({.is_shuffled = true});

  const auto found = Visited(*store_);

  EXPECT_NE(found, paths);
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(paths));
}

TEST_F(FaultStoreTest, ALaggingListingLacksWhatWasStoredLast) {
  ASSERT_THAT(PutText(*store_, "v/1", "1"), IsOk());
  store_->SetListing({.num_hidden = 1});
  EXPECT_THAT(Visited(*store_), ElementsAre("v/1"));

  ASSERT_THAT(PutText(*store_, "v/2", "1"), IsOk());
  ASSERT_THAT(PutText(*store_, "w/1", "1"), IsOk());

  EXPECT_THAT(Visited(*store_, "v"), ElementsAre("v/1"));
  EXPECT_THAT(store_->Head("v/2"), IsOk());
  ASSERT_THAT(PutText(*store_, "v/3", "1"), IsOk());
  EXPECT_THAT(Visited(*store_, "v"), ElementsAre("v/1", "v/2"));
}

TEST_F(FaultStoreTest, FailedAndTornPutsLeaveTheOldObject) {
  for (const Fault fault : {Fault::kFails, Fault::kTorn, Fault::kDies}) {
    ASSERT_THAT(PutText(*inner_, "x", "old"), IsOk());
    store_->Arm(0, fault);

    EXPECT_THAT(PutText(*store_, "x", "new"), IsIOError());

    EXPECT_THAT(ReadText(*inner_, "x"), IsOkAndHolds("old"));
  }
}

TEST_F(FaultStoreTest, PutWithoutReplyLandsAndIsUnknown) {
  store_->Arm(0, Fault::kNoReply);

  EXPECT_THAT(PutText(*store_, "x", "new", PutMode::kIfAbsent), IsOkAndHolds(PutOutcome::kUnknown));

  EXPECT_THAT(ReadText(*inner_, "x"), IsOkAndHolds("new"));
}

TEST_F(FaultStoreTest, DelayedPutLandsWhenToldUnlessAnotherWasFirst) {
  store_->Arm(0, Fault::kLandsLate);
  EXPECT_THAT(PutText(*store_, "x", "late", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kUnknown));
  store_->Arm(0, Fault::kLandsLate);
  EXPECT_THAT(PutText(*store_, "y", "late", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kUnknown));
  EXPECT_THAT(ListPaths(*inner_), IsOkAndHolds(IsEmpty()));
  ASSERT_THAT(PutText(*store_, "y", "first", PutMode::kIfAbsent), IsOk());

  EXPECT_THAT(store_->LandDelayed(), IsOk());

  EXPECT_THAT(ReadText(*inner_, "x"), IsOkAndHolds("late"));
  EXPECT_THAT(ReadText(*inner_, "y"), IsOkAndHolds("first"));
}

TEST_F(FaultStoreTest, DelayedWritesLandOnce) {
  store_->Arm(0, Fault::kLandsLate);
  ASSERT_THAT(PutText(*store_, "x", "late"), IsOk());
  ASSERT_THAT(store_->LandDelayed(), IsOk());
  ASSERT_THAT(store_->Delete("x"), IsOk());

  EXPECT_THAT(store_->LandDelayed(), IsOk());

  EXPECT_THAT(store_->Head("x"), IsKeyError());
}

TEST_F(FaultStoreTest, DeleteLandsOnlyWithoutReplyOrLate) {
  for (const Fault fault : kAllFaults) {
    ASSERT_THAT(PutText(*inner_, "x", "1"), IsOk());
    store_->Arm(0, fault);

    EXPECT_THAT(store_->Delete("x"), IsIOError(HasSubstr("Delete x")));

    EXPECT_EQ(inner_->Head("x").ok(), fault != Fault::kNoReply);
    store_->Disarm();
    ASSERT_THAT(store_->LandDelayed(), IsOk());
    EXPECT_EQ(inner_->Head("x").ok(), fault != Fault::kNoReply && fault != Fault::kLandsLate);
  }
}

TEST_F(FaultStoreTest, ReadsFailUnderEveryFault) {
  ASSERT_THAT(PutText(*inner_, "x", "1"), IsOk());
  for (const Fault fault : kAllFaults) {
    store_->Arm(0, fault);
    EXPECT_THAT(store_->Get("x", {{0, 1}}, kNeverStop), IsIOError(HasSubstr("Get x")));
    store_->Arm(0, fault);
    EXPECT_THAT(store_->Head("x"), IsIOError(HasSubstr("Head x")));
  }
}

TEST_F(FaultStoreTest, TornListVisitsHalfAndLostReplyAll) {
  for (const char* path : {"a", "b", "c", "d"}) ASSERT_THAT(PutText(*inner_, path, "1"), IsOk());
  for (const auto& [fault, expected] : {std::pair(Fault::kFails, 0),
                                        {Fault::kTorn, 2},
                                        {Fault::kNoReply, 4},
                                        {Fault::kLandsLate, 0},
                                        {Fault::kDies, 0}}) {
    store_->Arm(0, fault);
    int num_visits = 0;

    const auto status = store_->List("", [&](const ObjectInfo&) {
      ++num_visits;
      return arrow::Status::OK();
    });

    EXPECT_THAT(status, IsIOError(HasSubstr("List ")));
    EXPECT_EQ(num_visits, expected);
  }
}

TEST_F(FaultStoreTest, OpenWriteFailsUnderEveryFaultAndLeavesNothing) {
  for (const Fault fault : kAllFaults) {
    store_->Arm(0, fault);
    EXPECT_THAT(store_->OpenWrite("x"), IsIOError(HasSubstr("OpenWrite x")));
  }
  store_->Disarm();

  EXPECT_THAT(store_->LandDelayed(), IsOk());
  EXPECT_THAT(ListPaths(*inner_), IsOkAndHolds(IsEmpty()));
}

TEST_F(FaultStoreTest, StreamLandsAtCloseOnlyWithoutReplyOrLate) {
  for (const Fault fault : kAllFaults) {
    ASSERT_THAT(inner_->Delete("x"), IsOk());
    store_->Arm(1, fault);
    LANCE_ASSERT_OK_AND_ASSIGN(auto stream, store_->OpenWrite("x"));
    ASSERT_THAT(stream->Write("whole", 5), IsOk());

    EXPECT_THAT(stream->Close(), IsIOError(HasSubstr("Close x")));

    EXPECT_TRUE(stream->closed());
    EXPECT_EQ(store_->hit(), "Close x");
    EXPECT_EQ(inner_->Head("x").ok(), fault == Fault::kNoReply);
    stream.reset();
    store_->Disarm();
    ASSERT_THAT(store_->LandDelayed(), IsOk());
    EXPECT_EQ(inner_->Head("x").ok(), fault == Fault::kNoReply || fault == Fault::kLandsLate);
  }
}

}  // namespace
}  // namespace lance::testing
