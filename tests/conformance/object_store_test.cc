// What every ObjectStore must do. A new store joins by one line in the list of factories below.

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/base/clock.h"
#include "lance/base/executor.h"
#include "lance/io/stores.h"
#include "lance/status_detail.h"
#include "lance/testing/fault_store.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"
#include "lance/testing/store_access.h"
#include "lance/testing/temp_folder.h"

namespace lance {
namespace {

using lance::testing::HasDetail;
using lance::testing::IsCancelled;
using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsKeyError;
using lance::testing::IsOk;
using lance::testing::IsOkAndHolds;
using lance::testing::ListPaths;
using lance::testing::NumRounds;
using lance::testing::PutText;
using lance::testing::ReadText;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const arrow::StopToken kNeverStop = arrow::StopToken::Unstoppable();

struct StoreFactory {
  std::string name;
  std::function<std::shared_ptr<ObjectStore>(const std::string& folder)> make;
};

class ObjectStoreTest : public ::testing::TestWithParam<StoreFactory> {
 protected:
  ObjectStoreTest() : store_(GetParam().make(folder_.path() + "/a table.lance")) {}

  arrow::Result<std::vector<std::string>> GetTexts(const std::string& path,
                                                   const std::vector<ByteRange>& ranges) {
    ARROW_ASSIGN_OR_RAISE(const auto buffers, store_->Get(path, ranges, kNeverStop));
    std::vector<std::string> texts;
    for (const auto& buffer : buffers) texts.push_back(buffer->ToString());
    return texts;
  }

  lance::testing::TempFolder folder_;
  std::shared_ptr<ObjectStore> store_;
};

INSTANTIATE_TEST_SUITE_P(
    All, ObjectStoreTest,
    ::testing::ValuesIn<StoreFactory>({
        {"Local", [](const std::string& folder) { return *MakeLocalStore(folder); }},
        {"Memory", [](const std::string&) { return MakeMemoryStore(); }},
        {"Counting",
         [](const std::string&) {
           return MakeCountingStore(MakeMemoryStore(), std::make_shared<IoCounters>());
         }},
        {"Fault",
         [](const std::string&) { return lance::testing::FaultStore::Make(MakeMemoryStore()); }},
    }),
    [](const auto& param) { return param.param.name; });

TEST_P(ObjectStoreTest, ReadsBackWhatWasPut) {
  ASSERT_THAT(PutText(*store_, "data/a.lance", "0123456789"), IsOkAndHolds(PutOutcome::kStored));

  EXPECT_THAT(ReadText(*store_, "data/a.lance"), IsOkAndHolds("0123456789"));
}

TEST_P(ObjectStoreTest, StoresEmptyObjects) {
  ASSERT_THAT(PutText(*store_, "empty", ""), IsOkAndHolds(PutOutcome::kStored));

  EXPECT_THAT(store_->Head("empty"), IsOkAndHolds(Field(&ObjectInfo::size_bytes, 0u)));
  EXPECT_THAT(GetTexts("empty", {{0, 0}}), IsOkAndHolds(ElementsAre("")));
}

TEST_P(ObjectStoreTest, StoresBytesOfAllValuesUnderOddNames) {
  std::string bytes;
  for (int value = 0; value < 256; ++value) bytes.push_back(static_cast<char>(value));

  for (const char* path : {"a b/100%.x", "h#ash/q?x=1&y", "\xc3\xa9t\xc3\xa9/\xe6\x97\xa5",
                           "..x/y..", "back\\slash", ".hidden", "%20"}) {
    ASSERT_THAT(PutText(*store_, path, bytes), IsOkAndHolds(PutOutcome::kStored)) << path;
    EXPECT_THAT(ReadText(*store_, path), IsOkAndHolds(bytes)) << path;
  }
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(::testing::SizeIs(7)));
}

TEST_P(ObjectStoreTest, OverwriteReplacesAll) {
  ASSERT_THAT(PutText(*store_, "x", "a long first text"), IsOk());

  EXPECT_THAT(PutText(*store_, "x", "short"), IsOkAndHolds(PutOutcome::kStored));

  EXPECT_THAT(ReadText(*store_, "x"), IsOkAndHolds("short"));
}

TEST_P(ObjectStoreTest, PutIfAbsentStoresOnceAndLeavesTheFirst) {
  EXPECT_THAT(PutText(*store_, "_versions/1.manifest", "first", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kStored));
  EXPECT_THAT(PutText(*store_, "_versions/1.manifest", "second", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kExists));

  EXPECT_THAT(ReadText(*store_, "_versions/1.manifest"), IsOkAndHolds("first"));
}

TEST_P(ObjectStoreTest, PutIfAbsentStoresAgainAfterDelete) {
  ASSERT_THAT(PutText(*store_, "x", "first", PutMode::kIfAbsent), IsOk());
  ASSERT_THAT(store_->Delete("x"), IsOk());

  EXPECT_THAT(PutText(*store_, "x", "second", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kStored));
}

TEST_P(ObjectStoreTest, ExactlyOneOfManyRacingPutsStores) {
  for (int round = 0; round < NumRounds(10); ++round) {
    const std::string path = "_versions/" + std::to_string(round) + ".manifest";
    std::atomic<int> num_stored = 0;
    std::atomic<int> num_exists = 0;
    std::atomic<int> winner = -1;

    ASSERT_THAT(ParallelFor(8, 8, kNeverStop,
                            [&](int i) {
                              ARROW_ASSIGN_OR_RAISE(
                                  const PutOutcome outcome,
                                  PutText(*store_, path, "writer " + std::to_string(i),
                                          PutMode::kIfAbsent));
                              if (outcome == PutOutcome::kStored) {
                                ++num_stored;
                                winner = i;
                              }
                              if (outcome == PutOutcome::kExists) ++num_exists;
                              return arrow::Status::OK();
                            }),
                IsOk());

    ASSERT_EQ(num_stored, 1);
    ASSERT_EQ(num_exists, 7);
    ASSERT_THAT(ReadText(*store_, path), IsOkAndHolds("writer " + std::to_string(winner)));
  }
}

TEST_P(ObjectStoreTest, PutsLazilyWhatIsThereAtOnce) {
  for (const char* text : {"first", "second"}) {
    EXPECT_THAT(PutText(*store_, "folder/x", text, PutMode::kOverwriteLazily),
                IsOkAndHolds(PutOutcome::kStored));
    EXPECT_THAT(ReadText(*store_, "folder/x"), IsOkAndHolds(text));
  }
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(ElementsAre("folder/x")));
}

TEST_P(ObjectStoreTest, StoredBytesDoNotChangeWithTheCallersBuffer) {
  std::string text = "before";
  ASSERT_THAT(store_->Put("x", arrow::Buffer::Wrap(text.data(), text.size()), PutMode::kOverwrite),
              IsOk());

  text[0] = 'X';

  EXPECT_THAT(ReadText(*store_, "x"), IsOkAndHolds("before"));
}

TEST_P(ObjectStoreTest, GetGivesEachRangeInTheOrderOfTheRequest) {
  ASSERT_THAT(PutText(*store_, "x", "0123456789"), IsOk());

  EXPECT_THAT(GetTexts("x", {{7, 3}, {0, 2}, {2, 5}, {1, 3}, {4, 0}, {10, 0}, {0, 10}}),
              IsOkAndHolds(ElementsAre("789", "01", "23456", "123", "", "", "0123456789")));
  EXPECT_THAT(GetTexts("x", {}), IsOkAndHolds(IsEmpty()));
}

TEST_P(ObjectStoreTest, GetRefusesRangesPastTheEndNamingPathOffsetAndLength) {
  ASSERT_THAT(PutText(*store_, "data/x", "0123456789"), IsOk());

  const auto message = AllOf(HasSubstr("data/x"), HasSubstr("offset 8"), HasSubstr("length 3"));
  EXPECT_THAT(GetTexts("data/x", {{0, 1}, {8, 3}}), IsIOError(message));
  EXPECT_THAT(GetTexts("data/x", {{11, 0}}), IsIOError());
  EXPECT_THAT(GetTexts("data/x", {{UINT64_MAX, 1}}), IsIOError());
  EXPECT_THAT(GetTexts("data/x", {{1, UINT64_MAX}}), IsIOError());
  EXPECT_THAT(GetTexts("data/x", {{5, UINT64_MAX - 4}}), IsIOError());
}

TEST_P(ObjectStoreTest, GetEqualsSubstringsForRandomRanges) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  std::string text;
  for (int i = 0; i < 100000; ++i) text.push_back(static_cast<char>(random.Next()));
  ASSERT_THAT(PutText(*store_, "x", text), IsOk());

  for (int round = 0; round < NumRounds(50); ++round) {
    std::vector<ByteRange> ranges;
    std::vector<std::string> expected;
    const uint64_t num_ranges = random.OneIn(10) ? 2000 : random.Below(20);
    for (uint64_t i = 0; i < num_ranges; ++i) {
      const uint64_t offset = random.Below(text.size());
      const uint64_t length = random.Below(random.OneIn(2) ? 20 : 20000);
      ranges.push_back({offset, std::min<uint64_t>(length, text.size() - offset)});
      expected.push_back(text.substr(offset, length));
    }
    ASSERT_THAT(GetTexts("x", ranges), IsOkAndHolds(expected));
  }
}

TEST_P(ObjectStoreTest, BuffersThatWereReadOutliveTheObject) {
  ASSERT_THAT(PutText(*store_, "x", "0123456789"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto buffers, store_->Get("x", {{2, 3}}, kNeverStop));

  ASSERT_THAT(PutText(*store_, "x", "abcdefghij"), IsOk());
  ASSERT_THAT(store_->Delete("x"), IsOk());

  EXPECT_EQ(buffers[0]->ToString(), "234");
}

TEST_P(ObjectStoreTest, AbsentObjectsAreKeyErrorsNamingTheObject) {
  ASSERT_THAT(PutText(*store_, "folder/x", "1"), IsOk());

  for (const char* path : {"y", "folder/y", "no/such/folder", "folder"}) {
    const auto detail =
        HasDetail<NotFound>(AllOf(Field(&NotFound::kind, "object"), Field(&NotFound::name, path)));
    EXPECT_THAT(store_->Head(path), AllOf(IsKeyError(HasSubstr(path)), detail));
    EXPECT_THAT(GetTexts(path, {{0, 1}}), AllOf(IsKeyError(HasSubstr(path)), detail));
    EXPECT_THAT(GetTexts(path, {}), IsKeyError());
  }
}

TEST_P(ObjectStoreTest, GetIsCancelledWhenTheStopHasFired) {
  ASSERT_THAT(PutText(*store_, "x", "1"), IsOk());
  arrow::StopSource source;
  source.RequestStop();

  EXPECT_THAT(store_->Get("x", {{0, 1}}, source.token()), IsCancelled());
}

TEST_P(ObjectStoreTest, HeadTellsPathSizeAndARecentTime) {
  ASSERT_THAT(PutText(*store_, "data/x", "0123456789"), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const ObjectInfo info, store_->Head("data/x"));

  EXPECT_EQ(info.path, "data/x");
  EXPECT_EQ(info.size_bytes, 10u);
  const auto age = SystemClock().Now() - info.modified;
  EXPECT_LT(age, std::chrono::minutes(10));
  EXPECT_GT(age, std::chrono::minutes(-10));
}

TEST_P(ObjectStoreTest, ListVisitsEveryObjectBelowAFolderOnce) {
  for (const char* path : {"top", "data/b", "data/a", "data/deep/er/c", "data.x/d", "data2/e"}) {
    ASSERT_THAT(PutText(*store_, path, "1"), IsOk());
  }

  EXPECT_THAT(ListPaths(*store_, "data"),
              IsOkAndHolds(ElementsAre("data/a", "data/b", "data/deep/er/c")));
  EXPECT_THAT(ListPaths(*store_, "data/deep"), IsOkAndHolds(ElementsAre("data/deep/er/c")));
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(ElementsAre("data.x/d", "data/a", "data/b",
                                                           "data/deep/er/c", "data2/e", "top")));
}

TEST_P(ObjectStoreTest, ListPathsVisitsWhatListVisits) {
  for (const char* path : {"top", "data/b", "data/deep/er/c", "data.x/d"}) {
    ASSERT_THAT(PutText(*store_, path, "1"), IsOk());
  }
  for (const char* folder : {"", "data", "data/deep", "top", "none"}) {
    std::vector<std::string> paths;

    const auto status = store_->ListPaths(folder, [&](std::string path) {
      paths.push_back(std::move(path));
      return arrow::Status::OK();
    });

    EXPECT_THAT(status, IsOk()) << folder;
    std::ranges::sort(paths);
    EXPECT_THAT(ListPaths(*store_, folder), IsOkAndHolds(paths)) << folder;
  }
  EXPECT_THAT(store_->ListPaths("", [](std::string) { return arrow::Status::Invalid("enough"); }),
              IsInvalid("enough"));
}

TEST_P(ObjectStoreTest, ListOfAFolderThatIsNotThereIsEmpty) {
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(ListPaths(*store_, "_versions"), IsOkAndHolds(IsEmpty()));
  ASSERT_THAT(PutText(*store_, "object", "1"), IsOk());
  EXPECT_THAT(ListPaths(*store_, "object"), IsOkAndHolds(IsEmpty()));
}

TEST_P(ObjectStoreTest, ListTellsSizes) {
  ASSERT_THAT(PutText(*store_, "data/x", "0123456789"), IsOk());
  std::vector<uint64_t> sizes;

  ASSERT_THAT(store_->List("data",
                           [&](const ObjectInfo& info) {
                             sizes.push_back(info.size_bytes);
                             return arrow::Status::OK();
                           }),
              IsOk());

  EXPECT_THAT(sizes, ElementsAre(10u));
}

TEST_P(ObjectStoreTest, ListEndsWithTheVisitorsFailure) {
  for (const char* path : {"a", "b", "c"}) ASSERT_THAT(PutText(*store_, path, "1"), IsOk());
  int num_visits = 0;

  const auto status = store_->List("", [&](const ObjectInfo&) {
    return ++num_visits == 2 ? arrow::Status::Invalid("enough") : arrow::Status::OK();
  });

  EXPECT_THAT(status, IsInvalid("enough"));
  EXPECT_EQ(num_visits, 2);
}

TEST_P(ObjectStoreTest, ListVisitorMayUseTheStore) {
  for (const char* path : {"a", "b", "d/c"}) ASSERT_THAT(PutText(*store_, path, "1"), IsOk());

  EXPECT_THAT(store_->List("", [&](const ObjectInfo& info) { return store_->Delete(info.path); }),
              IsOk());

  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
}

TEST_P(ObjectStoreTest, DeleteRemovesOneObjectAndIsOkWithoutOne) {
  ASSERT_THAT(PutText(*store_, "data/a", "1"), IsOk());
  ASSERT_THAT(PutText(*store_, "data/b", "1"), IsOk());

  EXPECT_THAT(store_->Delete("data/a"), IsOk());
  EXPECT_THAT(store_->Delete("data/a"), IsOk());
  EXPECT_THAT(store_->Delete("no/such/folder/x"), IsOk());
  EXPECT_THAT(store_->Delete("data"), IsOk());

  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(ElementsAre("data/b")));
}

TEST_P(ObjectStoreTest, StreamAppearsAtCloseAndNotBefore) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("data/x"));
  ASSERT_THAT(stream->Write("01234", 5), IsOk());
  ASSERT_THAT(stream->Flush(), IsOk());
  ASSERT_THAT(stream->Write(arrow::Buffer::FromString("56789")), IsOk());

  EXPECT_THAT(store_->Head("data/x"), IsKeyError());
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(stream->Tell(), IsOkAndHolds(10));
  EXPECT_FALSE(stream->closed());
  ASSERT_THAT(stream->Close(), IsOk());

  EXPECT_TRUE(stream->closed());
  EXPECT_THAT(ReadText(*store_, "data/x"), IsOkAndHolds("0123456789"));
}

TEST_P(ObjectStoreTest, StreamTakesManySmallAndLargeWrites) {
  std::string expected;
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
  for (size_t i = 0; i < 3000; ++i) {
    const std::string piece(i % 1000 == 999 ? 700000 : i % 700, static_cast<char>('a' + i % 26));
    ASSERT_THAT(stream->Write(piece.data(), static_cast<int64_t>(piece.size())), IsOk());
    expected += piece;
  }
  EXPECT_THAT(stream->Tell(), IsOkAndHolds(static_cast<int64_t>(expected.size())));
  ASSERT_THAT(stream->Close(), IsOk());

  LANCE_ASSERT_OK_AND_ASSIGN(const std::string stored, ReadText(*store_, "x"));
  EXPECT_TRUE(stored == expected);
}

TEST_P(ObjectStoreTest, StreamReplacesAnObjectAndLeavesItUntilClose) {
  ASSERT_THAT(PutText(*store_, "x", "old"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
  ASSERT_THAT(stream->Write("new text", 8), IsOk());

  EXPECT_THAT(ReadText(*store_, "x"), IsOkAndHolds("old"));
  ASSERT_THAT(stream->Close(), IsOk());

  EXPECT_THAT(ReadText(*store_, "x"), IsOkAndHolds("new text"));
}

TEST_P(ObjectStoreTest, AbortedStreamLeavesNothing) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
  ASSERT_THAT(stream->Write("01234", 5), IsOk());

  EXPECT_THAT(stream->Abort(), IsOk());

  EXPECT_TRUE(stream->closed());
  EXPECT_THAT(stream->Close(), IsOk());
  EXPECT_THAT(store_->Head("x"), IsKeyError());
}

TEST_P(ObjectStoreTest, DestroyedStreamLeavesNothing) {
  {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
    ASSERT_THAT(stream->Write("01234", 5), IsOk());
  }

  EXPECT_THAT(store_->Head("x"), IsKeyError());
}

TEST_P(ObjectStoreTest, ClosedStreamTakesNoWritesAndClosesAgain) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
  ASSERT_THAT(stream->Close(), IsOk());

  EXPECT_THAT(stream->Write("late", 4), IsInvalid(HasSubstr("x")));
  EXPECT_THAT(stream->Close(), IsOk());
  EXPECT_THAT(stream->Abort(), IsOk());

  EXPECT_THAT(ReadText(*store_, "x"), IsOkAndHolds(""));
}

TEST_P(ObjectStoreTest, StreamOutlivesTheHandleOfItsStore) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("x"));
  store_.reset();

  EXPECT_THAT(stream->Write("01234", 5), IsOk());
  EXPECT_THAT(stream->Close(), IsOk());
}

TEST_P(ObjectStoreTest, ReadersNeverSeeAPartOfAnObject) {
  constexpr int kNumWrites = 40;
  const auto text_of = [](int i) { return std::string(300000, static_cast<char>('a' + i % 26)); };
  ASSERT_THAT(PutText(*store_, "x", text_of(0)), IsOk());

  const auto status = ParallelFor(2, 2, kNeverStop, [&](int who) -> arrow::Status {
    for (int i = 0; i < kNumWrites; ++i) {
      if (who == 0) {
        ARROW_RETURN_NOT_OK(PutText(*store_, "x", text_of(i)));
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(const auto buffers, store_->Get("x", {{0, 300000}}, kNeverStop));
      const std::string seen = buffers[0]->ToString();
      if (seen != std::string(300000, seen[0])) return arrow::Status::Invalid("mixed bytes");
    }
    return arrow::Status::OK();
  });

  EXPECT_THAT(status, IsOk());
}

TEST_P(ObjectStoreTest, RefusesPathsThatLeaveTheTable) {
  for (const char* path : {"", "../x", "a/../../x", "/etc/passwd", "a//b", "a/", "a/./b"}) {
    EXPECT_THAT(store_->Head(path), IsInvalid()) << path;
    EXPECT_THAT(GetTexts(path, {}), IsInvalid()) << path;
    EXPECT_THAT(PutText(*store_, path, "1"), IsInvalid()) << path;
    EXPECT_THAT(PutText(*store_, path, "1", PutMode::kIfAbsent), IsInvalid()) << path;
    EXPECT_THAT(store_->OpenWrite(path), IsInvalid()) << path;
    EXPECT_THAT(store_->Delete(path), IsInvalid()) << path;
  }
  EXPECT_THAT(ListPaths(*store_, "../x"), IsInvalid());
}

}  // namespace
}  // namespace lance
