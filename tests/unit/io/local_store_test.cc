// What is special about the local file system; the rest is in the conformance suite.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/own_files.h"
#include "lance/io/posix_file.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"
#include "lance/testing/temp_folder.h"

namespace lance {
namespace {

namespace fs = std::filesystem;
using lance::testing::IsInvalid;
using lance::testing::IsIOError;
using lance::testing::IsKeyError;
using lance::testing::IsOk;
using lance::testing::IsOkAndHolds;
using lance::testing::ListPaths;
using lance::testing::PutText;
using lance::testing::ReadText;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LocalStoreTest : public ::testing::Test {
 protected:
  LocalStoreTest() : root_(folder_.path() + "/t.lance"), store_(*MakeLocalStore(root_)) {}

  void WriteFile(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
  }

  /// The names in a folder, temporary ones too.
  std::vector<std::string> NamesIn(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(root_ + "/" + folder)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  lance::testing::TempFolder folder_;
  std::string root_;
  std::shared_ptr<ObjectStore> store_;
};

TEST_F(LocalStoreTest, LeavesNoTemporaryFileBehind) {
  ASSERT_THAT(PutText(*store_, "v/1", "a", PutMode::kIfAbsent), IsOk());
  ASSERT_THAT(PutText(*store_, "v/1", "b", PutMode::kIfAbsent), IsOk());
  ASSERT_THAT(PutText(*store_, "v/2", "c"), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto closed, store_->OpenWrite("v/3"));
  ASSERT_THAT(closed->Close(), IsOk());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto aborted, store_->OpenWrite("v/4"));
  ASSERT_THAT(aborted->Abort(), IsOk());

  EXPECT_THAT(NamesIn("v"), ElementsAre("1", "2", "3"));
}

TEST_F(LocalStoreTest, StreamWritesBesideItsTarget) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("data/x"));

  EXPECT_THAT(NamesIn("data"), ElementsAre(::testing::StartsWith(".tmp_")));
}

TEST_F(LocalStoreTest, MakesNoFolderBeforeTheFirstFile) {
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(store_->Head("x"), IsKeyError());

  EXPECT_FALSE(fs::exists(root_));
}

TEST_F(LocalStoreTest, LeftoversOfACrashAreNotListedAndBlockNobody) {
  WriteFile("_versions/.tmp_550e8400-e29b-41d4-a716-446655440000", "half a mani");
  WriteFile(".tmp_1/x", "1");

  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(PutText(*store_, "_versions/1.manifest", "whole", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kStored));
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(ElementsAre("_versions/1.manifest")));
}

TEST_F(LocalStoreTest, AKilledWriterLeavesNothingThatIsSeenOrBlocks) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto temporary = TemporaryFile::Create(root_ + "/_versions/1.manifest");
    if (temporary.ok()) (void)temporary->Write("half", 4);  // nobody is left to hear of it
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_THAT(NamesIn("_versions"), ElementsAre(::testing::StartsWith(".tmp_")));

  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(PutText(*store_, "_versions/1.manifest", "whole", PutMode::kIfAbsent),
              IsOkAndHolds(PutOutcome::kStored));
}

/// Put if absent in a process of its own, which exits with the outcome. \return its id
pid_t StartRacer(ObjectStore* store, const int (&start_pipe)[2], int number) {
  const pid_t child = fork();
  if (child != 0) return child;
  close(start_pipe[1]);  // else it would wait for itself
  char go = 0;
  const bool started = read(start_pipe[0], &go, 1) == 0;
  const auto outcome = PutText(*store, "_versions/1.manifest", "writer " + std::to_string(number),
                               PutMode::kIfAbsent);
  _exit(started && outcome.ok() ? static_cast<int>(*outcome) : 100);
}

TEST_F(LocalStoreTest, ExactlyOneOfEightRacingProcessesStores) {
  constexpr int kStored = static_cast<int>(PutOutcome::kStored);
  constexpr int kExists = static_cast<int>(PutOutcome::kExists);
  for (int round = 0; round < 5; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::vector<pid_t> racers;
    for (int i = 0; i < 8; ++i) {
      racers.push_back(StartRacer(store_.get(), ends, i));
      ASSERT_GT(racers.back(), 0);
    }
    close(ends[0]);
    close(ends[1]);  // all start at once

    std::vector<int> winners;
    for (int i = 0; i < 8; ++i) {
      int status = 0;
      ASSERT_EQ(waitpid(racers[static_cast<size_t>(i)], &status, 0),
                racers[static_cast<size_t>(i)]);
      ASSERT_TRUE(WIFEXITED(status));
      ASSERT_THAT(WEXITSTATUS(status), ::testing::AnyOf(kStored, kExists));
      if (WEXITSTATUS(status) == kStored) winners.push_back(i);
    }

    ASSERT_EQ(winners.size(), 1u);
    EXPECT_THAT(ReadText(*store_, "_versions/1.manifest"),
                IsOkAndHolds("writer " + std::to_string(winners[0])));
    EXPECT_THAT(NamesIn("_versions"), ElementsAre("1.manifest"));
    ASSERT_THAT(store_->Delete("_versions/1.manifest"), IsOk());
  }
}

TEST_F(LocalStoreTest, AFolderInPlaceOfTheTargetIsAConflictForPutIfAbsentAndAnErrorElse) {
  fs::create_directories(root_ + "/x/y");

  EXPECT_THAT(PutText(*store_, "x", "1", PutMode::kIfAbsent), IsOkAndHolds(PutOutcome::kExists));
  EXPECT_THAT(PutText(*store_, "x", "1"),
              IsIOError(AllOf(HasSubstr(root_ + "/x"), HasSubstr("rename"))));
  EXPECT_THAT(NamesIn(""), ElementsAre("x"));
}

TEST_F(LocalStoreTest, NamesTheFileWhenAFolderCannotBeMade) {
  WriteFile("file", "1");

  EXPECT_THAT(PutText(*store_, "file/x", "1"), IsIOError(HasSubstr(root_ + "/file")));
  EXPECT_THAT(store_->OpenWrite("file/x"), IsIOError(HasSubstr(root_ + "/file")));
  EXPECT_THAT(store_->Head("file/x"), IsKeyError());
}

TEST_F(LocalStoreTest, StreamReportsAFolderThatVanished) {
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store_->OpenWrite("data/x"));
  ASSERT_THAT(stream->Write("1", 1), IsOk());
  fs::remove_all(root_ + "/data");

  EXPECT_THAT(stream->Close(), IsIOError(HasSubstr("data/x")));
  EXPECT_TRUE(stream->closed());
}

TEST_F(LocalStoreTest, RemovesFoldersThatAreEmptyAndNoOthers) {
  auto* const folders = dynamic_cast<StoredFolders*>(store_.get());
  ASSERT_NE(folders, nullptr);
  const fs::path root(root_);
  const fs::path elsewhere = root / "elsewhere";
  for (const char* folder : {"a/b/c", "a/d", "elsewhere", "links"}) {
    fs::create_directories(root / folder);
  }
  ASSERT_THAT(PutText(*store_, "a/d/file", "x"), IsOk());
  fs::create_directory_symlink(elsewhere, root / "links/link");

  folders->RemoveIfEmpty("a/b");
  EXPECT_TRUE(fs::exists(root / "a/b/c"));
  folders->RemoveIfEmpty("../elsewhere");
  folders->RemoveEmptyFolders("links");
  EXPECT_TRUE(fs::exists(elsewhere));
  folders->RemoveEmptyFolders("a");
  EXPECT_FALSE(fs::exists(root / "a/b"));
  EXPECT_TRUE(fs::exists(root / "a/d/file"));
  ASSERT_THAT(store_->Delete("a/d/file"), IsOk());
  folders->RemoveEmptyFolders("a");
  EXPECT_FALSE(fs::exists(root / "a"));
  EXPECT_THAT(PutText(*store_, "a/b/file", "x"), IsOk());
}

TEST_F(LocalStoreTest, WritesBesideWhoeverRemovesEmptyFolders) {
  auto* const folders = dynamic_cast<StoredFolders*>(store_.get());
  std::atomic<bool> is_done = false;
  std::thread remover([&] {
    while (!is_done) {
      folders->RemoveEmptyFolders("a");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(PutText(*store_, "a/b/file", "x", PutMode::kOverwriteLazily), IsOk());
    EXPECT_THAT(store_->Delete("a/b/file"), IsOk());
  }
  is_done = true;
  remover.join();
}

TEST_F(LocalStoreTest, FollowsLinksToFilesAndFoldersButNotInCircles) {
  WriteFile("data/a", "1");
  fs::create_directory(folder_.path() + "/elsewhere");
  std::ofstream(folder_.path() + "/elsewhere/b") << "22";
  fs::create_directory_symlink(folder_.path() + "/elsewhere", root_ + "/linked");
  fs::create_symlink(root_ + "/data/a", root_ + "/data/link");
  fs::create_directory_symlink(root_, root_ + "/data/up");
  fs::create_symlink(root_ + "/nowhere", root_ + "/dangling");
  fs::create_symlink("itself", root_ + "/itself");

  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(ElementsAre("data/a", "data/link", "linked/b")));
  EXPECT_THAT(ReadText(*store_, "linked/b"), IsOkAndHolds("22"));
}

TEST_F(LocalStoreTest, PipesAreNoObjectsAndBlockNoReader) {
  fs::create_directories(root_);
  ASSERT_EQ(mkfifo((root_ + "/pipe").c_str(), 0600), 0);

  EXPECT_THAT(store_->Head("pipe"), IsKeyError());
  EXPECT_THAT(store_->Get("pipe", {{0, 1}}, arrow::StopToken::Unstoppable()), IsKeyError());
  EXPECT_THAT(ListPaths(*store_), IsOkAndHolds(IsEmpty()));
}

TEST_F(LocalStoreTest, ReadsRangesAcrossSmallAndLargeGaps) {
  std::string text;
  for (int i = 0; i < 60000; ++i) text.push_back(static_cast<char>(i * 7 + i / 256));
  WriteFile("x", text);

  // Gaps of 0, 1, 4096 and 4097 bytes.
  const std::vector<ByteRange> ranges{{0, 10}, {10, 10}, {21, 10}, {4127, 10}, {8234, 10}};
  LANCE_ASSERT_OK_AND_ASSIGN(const auto buffers,
                             store_->Get("x", ranges, arrow::StopToken::Unstoppable()));

  for (size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(buffers[i]->ToString(), text.substr(ranges[i].offset, 10)) << i;
  }
}

TEST_F(LocalStoreTest, BuffersAreAlignedWhateverTheOffset) {
  WriteFile("x", std::string(1000, 'x'));

  LANCE_ASSERT_OK_AND_ASSIGN(const auto buffers,
                             store_->Get("x", {{1, 9}, {13, 7}}, arrow::StopToken::Unstoppable()));

  for (const auto& buffer : buffers) EXPECT_EQ(buffer->address() % 64, 0u);
}

TEST_F(LocalStoreTest, ModifiedIsTheFilesTime) {
  WriteFile("x", "1");
  const timespec times[2] = {{1704067200, 123456789}, {1704067200, 123456789}};
  ASSERT_EQ(utimensat(AT_FDCWD, (root_ + "/x").c_str(), times, 0), 0);

  LANCE_ASSERT_OK_AND_ASSIGN(const ObjectInfo info, store_->Head("x"));

  EXPECT_EQ(info.modified.time_since_epoch().count(), 1704067200123456789);
}

TEST_F(LocalStoreTest, FilesGetTheUsersPermissions) {
  const mode_t before = umask(0027);
  ASSERT_THAT(PutText(*store_, "data/x", "1", PutMode::kIfAbsent), IsOk());
  umask(before);

  struct stat file {
  }, folder{};
  ASSERT_EQ(stat((root_ + "/data/x").c_str(), &file), 0);
  ASSERT_EQ(stat((root_ + "/data").c_str(), &folder), 0);

  EXPECT_EQ(file.st_mode & 0777, 0640u);
  EXPECT_EQ(folder.st_mode & 0777, 0750u);
}

TEST(MakeLocalStore, RefusesNothingAndNul) {
  EXPECT_THAT(MakeLocalStore(""), IsInvalid());
  EXPECT_THAT(MakeLocalStore(std::string("a\0b", 3)), IsInvalid());
}

TEST(MakeLocalStore, ARelativeRootStaysWhereItWas) {
  const lance::testing::TempFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  LANCE_ASSERT_OK_AND_ASSIGN(const auto store, MakeLocalStore("t.lance/"));
  fs::current_path(before);

  ASSERT_THAT(PutText(*store, "x", "1"), IsOk());

  EXPECT_TRUE(fs::exists(folder.path() + "/t.lance/x"));
}

}  // namespace
}  // namespace lance
