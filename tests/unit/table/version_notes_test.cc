#include "lance/table/version_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/base/status_detail.h"
#include "lance/io/stores.h"
#include "lance/testing/fake_clock.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance::table {
namespace {

using ::lance::testing::IsIOError;
using ::lance::testing::IsOk;
using ::lance::testing::IsSerializationError;
using ::lance::testing::ListPaths;
using ::lance::testing::PutText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class VersionNotesTest : public ::testing::Test {
 protected:
  VersionNotesTest() { run_.clock = &clock_; }

  void PutVersion(uint64_t version) {
    ASSERT_THAT(PutText(*store_, ManifestPath(version, NamingScheme::kV2), "a manifest"), IsOk());
  }

  lance::testing::FakeClock clock_;
  RunContext run_;
  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  ManifestStore manifests_{store_};
  VersionNotes pins_{store_, NoteKind::kPin};
  VersionNotes removals_{store_, NoteKind::kRemoval};
};

TEST_F(VersionNotesTest, ComeBackAsTheyWereLeft) {
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string name, removals_.Leave({3, 5}, run_));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto notes, removals_.List(run_));
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes[0].name, name);
  EXPECT_EQ(notes[0].created_at, clock_.Now());
  EXPECT_EQ(notes[0].versions, (std::set<uint64_t>{3, 5}));
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), IsEmpty());
  EXPECT_THAT(removals_.Remove(name), IsOk());
  EXPECT_THAT(removals_.List(run_).ValueOrDie(), IsEmpty());
}

TEST_F(VersionNotesTest, AreStaleAfterSevenDays) {
  ASSERT_THAT(pins_.Leave({1}, run_), IsOk());
  clock_.Advance(std::chrono::hours(7 * 24));
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), SizeIs(1));
  EXPECT_THAT(pins_.RemoveStale(run_), IsOk());
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), SizeIs(1));
  clock_.Advance(std::chrono::nanoseconds(1));
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), IsEmpty());
  EXPECT_THAT(pins_.RemoveStale(run_), IsOk());
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), IsEmpty());
}

TEST_F(VersionNotesTest, OfAClockThatIsFarAheadPinNothing) {
  const Timestamp now = clock_.Now();
  clock_.Advance(std::chrono::hours(8 * 24));
  ASSERT_THAT(pins_.Leave({1}, run_), IsOk());
  clock_.SetNow(now);
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), IsEmpty());
}

TEST_F(VersionNotesTest, ThatLostTheirTextWithThePowerAreStale) {
  ASSERT_THAT(PutText(*store_, "_refs/pins/a.json", ""), IsOk());
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), IsEmpty());
  EXPECT_THAT(pins_.RemoveStale(run_), IsOk());
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), IsEmpty());
}

TEST_F(VersionNotesTest, ThatAreDamagedAreNamed) {
  for (const char* text : {" ", "[]", "{}", R"({"versions": 1, "createdAt": "x"})",
                           R"({"versions": ["1"], "createdAt": "2024-01-01T00:00:00Z"})",
                           R"({"versions": [1], "createdAt": "yesterday"})"}) {
    ASSERT_THAT(PutText(*store_, "_refs/pins/a.json", text), IsOk());
    EXPECT_THAT(pins_.List(run_), IsSerializationError(HasSubstr("_refs/pins/a.json"))) << text;
  }
}

TEST_F(VersionNotesTest, APinIsThereUntilItIsGivenUp) {
  PutVersion(2);
  {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto pin, VersionPin::Take(manifests_, 2, run_));
    EXPECT_THAT(pins_.List(run_).ValueOrDie(), SizeIs(1));
  }
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), IsEmpty());
  {
    LANCE_ASSERT_OK_AND_ASSIGN(const auto pin, VersionPin::Take(manifests_, 2, run_));
    pin->LeaveBehind();
  }
  EXPECT_THAT(pins_.List(run_).ValueOrDie(), SizeIs(1));
}

TEST_F(VersionNotesTest, AVersionThatIsNotThereIsNotPinned) {
  const auto pin = VersionPin::Take(manifests_, 2, run_);
  EXPECT_NE(NotFound::From(pin.status()), nullptr);
  EXPECT_THAT(ListPaths(*store_).ValueOrDie(), IsEmpty());
}

TEST_F(VersionNotesTest, ARemovalThatNeverEndsIsRefusedByName) {
  PutVersion(2);
  PutVersion(4);
  LANCE_ASSERT_OK_AND_ASSIGN(const std::string name, removals_.Leave({1, 2}, run_));
  EXPECT_THAT(VersionPin::Take(manifests_, 2, run_), IsIOError(HasSubstr(name)));
  EXPECT_GE(clock_.slept(), std::chrono::seconds(5));
  EXPECT_LE(clock_.slept(), std::chrono::seconds(15));
  EXPECT_THAT(VersionPin::Take(manifests_, 4, run_), IsOk());
  clock_.Advance(std::chrono::hours(7 * 24));
  EXPECT_THAT(VersionPin::Take(manifests_, 2, run_), IsOk()) << "its cleanup died";
}

}  // namespace
}  // namespace lance::table
