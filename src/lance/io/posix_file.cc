#include "lance/io/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "lance/base/uuid.h"
#include "lance/io/object_path.h"

namespace lance {

namespace {

/// The folder of a path; "/" for an entry of the root.
std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int SyncDescriptor(int fd) {
  int result = 0;
  do {
    result = fsync(fd);
  } while (result != 0 && errno == EINTR);
  return result;
}

/// How many names the file has; 0 when the system does not say.
uint64_t CountLinks(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 ? static_cast<uint64_t>(info.st_nlink) : 0;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this == &other) return *this;
  Close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);  // whatever had to be durable has been synced
  fd_ = -1;
}

arrow::Status SystemError(const std::string& file, std::string_view call, int error) {
  return arrow::Status::IOError(file, ": ", call,
                                " failed: ", std::generic_category().message(error), " (errno ",
                                error, ")");
}

FileDescriptor OpenDescriptor(const std::string& file, int flags) {
  int fd = -1;
  do {
    fd = open(file.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  return FileDescriptor(fd);
}

arrow::Status SyncFolder(const std::string& folder) {
  const FileDescriptor opened = OpenDescriptor(folder, O_RDONLY | O_DIRECTORY);
  if (!opened.is_open()) return SystemError(folder, "open", errno);
  if (SyncDescriptor(opened.get()) != 0) return SystemError(folder, "fsync", errno);
  return arrow::Status::OK();
}

arrow::Status MakeFolders(const std::string& folder) {
  if (mkdir(folder.c_str(), 0777) == 0) return SyncFolder(ParentOf(folder));
  if (errno == EEXIST) return arrow::Status::OK();
  const std::string parent = ParentOf(folder);
  if (errno != ENOENT || parent == folder) return SystemError(folder, "mkdir", errno);
  ARROW_RETURN_NOT_OK(MakeFolders(parent));
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return SystemError(folder, "mkdir", errno);
  }
  return SyncFolder(parent);
}

arrow::Result<TemporaryFile> TemporaryFile::Create(std::string target) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL;
  constexpr int kMaxTries = 100;
  std::string folder = ParentOf(target);
  std::string name =
      folder + "/" + std::string(kTemporaryPrefix) + Uuid::Random(SystemRandom()).ToString();
  FileDescriptor file;
  const auto has_folder = [&] {
    file = OpenDescriptor(name, kFlags);
    return file.is_open() || errno != ENOENT;
  };
  // Whoever removes empty folders may remove it in between.
  arrow::Status made;
  for (int i = 0; i < kMaxTries && !has_folder(); ++i) made = MakeFolders(folder);
  if (!file.is_open()) {
    ARROW_RETURN_NOT_OK(made);
    return SystemError(name, "open", errno);
  }
  return TemporaryFile(std::move(target), std::move(folder), std::move(name), std::move(file));
}

arrow::Status TemporaryFile::Write(const void* bytes, size_t size_bytes) {
  const char* next = static_cast<const char*>(bytes);
  while (size_bytes > 0) {
    const ssize_t written = write(file_.get(), next, size_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(target_, "write", errno);
    next += written;
    size_bytes -= static_cast<size_t>(written);
    size_bytes_ += static_cast<uint64_t>(written);
  }
  StartWriteback();
  return arrow::Status::OK();
}

void TemporaryFile::StartWriteback() {
#ifdef __linux__
  // The device works while the rest is made, and Sync waits for little. Only a hint: what fails
  // here fails in Sync, too.
  constexpr uint64_t kStep = 4ull << 20;
  if (size_bytes_ - handed_over_ < kStep) return;
  (void)sync_file_range(file_.get(), static_cast<off_t>(handed_over_),
                        static_cast<off_t>(size_bytes_ - handed_over_), SYNC_FILE_RANGE_WRITE);
  handed_over_ = size_bytes_;
#endif
}

arrow::Status TemporaryFile::Sync() {
  if (SyncDescriptor(file_.get()) == 0) return arrow::Status::OK();
  return SystemError(target_, "fsync", errno);
}

PutOutcome TemporaryFile::OutcomeInFolder() const {
  return SyncFolder(folder_).ok() ? PutOutcome::kStored : PutOutcome::kUnknown;
}

arrow::Result<PutOutcome> TemporaryFile::ReplaceTarget() {
  ARROW_RETURN_NOT_OK(Sync());
  if (rename(name_.c_str(), target_.c_str()) != 0) return SystemError(target_, "rename", errno);
  file_.Close();
  return OutcomeInFolder();
}

arrow::Result<PutOutcome> TemporaryFile::ReplaceTargetLazily() {
  if (rename(name_.c_str(), target_.c_str()) != 0) return SystemError(target_, "rename", errno);
  file_.Close();
  return PutOutcome::kStored;
}

arrow::Result<PutOutcome> TemporaryFile::CreateTarget() {
  ARROW_RETURN_NOT_OK(Sync());
  if (link(name_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    // A network file system may repeat a link whose reply got lost and then meet its own work: a
    // second name of our file tells.
    const uint64_t num_links = CountLinks(file_.get());
    if (num_links == 1) {
      if (error == EEXIST) return PutOutcome::kExists;
      return SystemError(target_, "link", error);
    }
    if (num_links == 0) return PutOutcome::kUnknown;
  }
  const PutOutcome outcome = OutcomeInFolder();
  Discard();
  return outcome;
}

void TemporaryFile::Discard() {
  if (!file_.is_open()) return;
  unlink(name_.c_str());  // a leftover is in nobody's way
  file_.Close();
}

}  // namespace lance
