#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <optional>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/object_path.h"
#include "lance/io/own_files.h"
#include "lance/io/posix_file.h"
#include "lance/io/stores.h"

namespace lance {

namespace {

using Buffers = std::vector<std::shared_ptr<arrow::Buffer>>;

// Reading over a gap of one page costs less than another system call.
constexpr uint64_t kMaxGapBytes = 4096;
constexpr size_t kMaxPartsPerRead = 512;  // Linux takes 1024
constexpr size_t kWriteBufferBytes = 256 << 10;

/// One system call's worth of reading: consecutive bytes, scattered into where they belong.
struct ScatterRead {
  uint64_t offset = 0;
  uint64_t end = 0;
  std::vector<iovec> parts;
};

/// Whether a range can go on where a read ends, over a small gap.
bool Continues(const ScatterRead& read, const ByteRange& range) {
  return range.offset >= read.end && range.offset - read.end <= kMaxGapBytes &&
         read.parts.size() + 2 <= kMaxPartsPerRead;
}

/// Join neighbouring ranges to few reads. `gap_bytes` takes what lies between them.
///
/// \pre each range lies inside the file, each buffer has its range's length
std::vector<ScatterRead> PlanReads(const std::vector<ByteRange>& ranges, const Buffers& buffers,
                                   std::vector<uint8_t>* gap_bytes) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t lhs, size_t rhs) { return ranges[lhs].offset < ranges[rhs].offset; });
  gap_bytes->resize(kMaxGapBytes);

  std::vector<ScatterRead> reads;
  for (const size_t i : order) {
    const ByteRange& range = ranges[i];
    if (range.length == 0) continue;
    if (reads.empty() || !Continues(reads.back(), range)) {
      reads.push_back({.offset = range.offset, .end = range.offset, .parts = {}});
    }
    ScatterRead& read = reads.back();
    if (range.offset > read.end) {
      read.parts.push_back({gap_bytes->data(), static_cast<size_t>(range.offset - read.end)});
    }
    read.parts.push_back({buffers[i]->mutable_data(), static_cast<size_t>(range.length)});
    read.end = range.offset + range.length;
  }
  return reads;
}

/// Drop the first `size_bytes` bytes of `parts` from index `*first` on.
void SkipRead(size_t size_bytes, std::vector<iovec>* parts, size_t* first) {
  while (size_bytes > 0) {
    iovec& part = (*parts)[*first];
    const size_t taken = std::min(size_bytes, part.iov_len);
    part.iov_base = static_cast<char*>(part.iov_base) + taken;
    part.iov_len -= taken;
    size_bytes -= taken;
    if (part.iov_len == 0) ++*first;
  }
}

arrow::Status ExecuteRead(const std::string& file, int fd, ScatterRead read) {
  uint64_t offset = read.offset;
  size_t first = 0;
  while (first < read.parts.size()) {
    const ssize_t size =
        preadv(fd, read.parts.data() + first, static_cast<int>(read.parts.size() - first),
               static_cast<off_t>(offset));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return SystemError(file, "read", errno);
    if (size == 0) {  // somebody cut the file after we had looked at its size
      return arrow::Status::IOError(file, ": read of offset ", read.offset, ", length ",
                                    read.end - read.offset, " reaches past its end at ", offset);
    }
    SkipRead(static_cast<size_t>(size), &read.parts, &first);
    offset += static_cast<uint64_t>(size);
  }
  return arrow::Status::OK();
}

ObjectInfo InfoOf(std::string path, const struct stat& file) {
  const auto since_epoch =
      std::chrono::seconds(file.st_mtim.tv_sec) + std::chrono::nanoseconds(file.st_mtim.tv_nsec);
  return {.path = std::move(path),
          .size_bytes = static_cast<uint64_t>(file.st_size),
          .modified = Timestamp(since_epoch),
          .etag = ""};
}

bool MeansAbsent(int error) { return error == ENOENT || error == ENOTDIR; }

/// Writes a temporary file and publishes it at Close. Thread-compatible.
class LocalOutputStream : public arrow::io::OutputStream {
 public:
  LocalOutputStream(std::string file, TemporaryFile temporary)
      : file_(std::move(file)), temporary_(std::move(temporary)) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  using arrow::io::Writable::Write;

  arrow::Status Write(const void* bytes, int64_t size_bytes) override {
    if (closed_) return arrow::Status::Invalid(file_, ": write to a closed stream");
    const auto size = static_cast<size_t>(size_bytes);
    if (buffered_.size() + size > kWriteBufferBytes) ARROW_RETURN_NOT_OK(Flush());
    if (size >= kWriteBufferBytes) {
      ARROW_RETURN_NOT_OK(WriteThrough(bytes, size));
    } else {
      buffered_.append(static_cast<const char*>(bytes), size);
    }
    position_ += size_bytes;
    return arrow::Status::OK();
  }

  arrow::Status Flush() override {
    if (closed_) return arrow::Status::OK();
    return FlushBuffered();
  }

  arrow::Status Close() override {
    if (std::exchange(closed_, true)) return arrow::Status::OK();
    arrow::Result<PutOutcome> outcome = Publish();
    temporary_.Discard();
    ARROW_RETURN_NOT_OK(outcome);
    if (*outcome == PutOutcome::kStored) return arrow::Status::OK();
    return arrow::Status::IOError(file_, ": written, but its folder could not be synced");
  }

  arrow::Status Abort() override {
    closed_ = true;
    temporary_.Discard();
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return closed_; }

 private:
  arrow::Status WriteThrough(const void* bytes, size_t size_bytes) {
    ARROW_RETURN_NOT_OK(failure_);
    failure_ = temporary_.Write(bytes, size_bytes);
    return failure_;
  }

  arrow::Status FlushBuffered() {
    ARROW_RETURN_NOT_OK(WriteThrough(buffered_.data(), buffered_.size()));
    buffered_.clear();
    return arrow::Status::OK();
  }

  arrow::Result<PutOutcome> Publish() {
    ARROW_RETURN_NOT_OK(FlushBuffered());
    return temporary_.ReplaceTarget();
  }

  std::string file_;
  TemporaryFile temporary_;
  std::string buffered_;
  arrow::Status failure_;  // of the first failed write: what is half written is never published
  int64_t position_ = 0;
  bool closed_ = false;
};

/// See MakeLocalStore. Immutable; the file system does the rest.
class LocalObjectStore : public ObjectStore, public StagingFiles, public StoredFolders {
 public:
  explicit LocalObjectStore(std::string root) : root_(std::move(root)) {}

  arrow::Result<Buffers> Get(const std::string& path, const std::vector<ByteRange>& ranges,
                             const arrow::StopToken& stop) override {
    ARROW_ASSIGN_OR_RAISE(const std::string file, FileOf(path));
    ARROW_RETURN_NOT_OK(stop.Poll());
    // Without O_NONBLOCK the open of a pipe that lies there would wait for its writer.
    const FileDescriptor opened = OpenDescriptor(file, O_RDONLY | O_NONBLOCK);
    if (!opened.is_open()) return ReadFailure(path, file, "open");
    struct stat info {};
    if (fstat(opened.get(), &info) != 0) return SystemError(file, "fstat", errno);
    if (!S_ISREG(info.st_mode)) return ObjectNotFound(path);
    ARROW_RETURN_NOT_OK(CheckByteRanges(file, ranges, static_cast<uint64_t>(info.st_size)));

    Buffers buffers;
    for (const ByteRange& range : ranges) {
      ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                            arrow::AllocateBuffer(static_cast<int64_t>(range.length)));
      buffers.push_back(std::move(buffer));
    }
    std::vector<uint8_t> gap_bytes;
    for (ScatterRead& read : PlanReads(ranges, buffers, &gap_bytes)) {
      ARROW_RETURN_NOT_OK(stop.Poll());
      ARROW_RETURN_NOT_OK(ExecuteRead(file, opened.get(), std::move(read)));
    }
    return buffers;
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const std::string file, FileOf(path));
    struct stat info {};
    if (stat(file.c_str(), &info) != 0) return ReadFailure(path, file, "stat");
    if (!S_ISREG(info.st_mode)) return ObjectNotFound(path);
    return InfoOf(path, info);
  }

  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    return ListAll(prefix, [&](Entry entry) {
      return entry.is_temporary ? arrow::Status::OK() : VisitFile(std::move(entry), visit);
    });
  }

  arrow::Status ListStaging(const std::string& prefix,
                            const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    return ListAll(prefix, [&](Entry entry) {
      return entry.is_temporary ? VisitFile(std::move(entry), visit) : arrow::Status::OK();
    });
  }

  arrow::Result<std::vector<std::string>> ListLinks(const std::string& prefix) override {
    if (!prefix.empty()) ARROW_RETURN_NOT_OK(CheckObjectPath(prefix));
    std::vector<std::string> links;
    ARROW_RETURN_NOT_OK(ListLinksIn(prefix, &links));
    return links;
  }

  void RemoveIfEmpty(const std::string& folder) override {
    if (folder.empty() || CheckObjectPath(folder).ok()) (void)rmdir(FullPath(folder).c_str());
  }

  void RemoveEmptyFolders(const std::string& folder) override {
    const auto entries = ReadFolder(folder);
    for (const Entry& entry : entries.ValueOr({})) {
      // What is a link stays: the folder that it stands for is not ours.
      if (entry.kind == Kind::kFolder) RemoveEmptyFolders(entry.path);
    }
    RemoveIfEmpty(folder);
  }

  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    return ListAll(prefix, [&](Entry entry) {
      return entry.is_temporary ? arrow::Status::OK() : visit(std::move(entry.path));
    });
  }

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    ARROW_ASSIGN_OR_RAISE(std::string file, FileOf(path));
    ARROW_ASSIGN_OR_RAISE(TemporaryFile temporary, TemporaryFile::Create(std::move(file)));
    ARROW_RETURN_NOT_OK(temporary.Write(bytes->data(), static_cast<size_t>(bytes->size())));
    switch (mode) {
      case PutMode::kOverwrite:
        return temporary.ReplaceTarget();
      case PutMode::kOverwriteLazily:
        return temporary.ReplaceTargetLazily();
      case PutMode::kIfAbsent:
        break;
    }
    return temporary.CreateTarget();
  }

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(std::string file, FileOf(path));
    ARROW_ASSIGN_OR_RAISE(TemporaryFile temporary, TemporaryFile::Create(file));
    return std::make_shared<LocalOutputStream>(std::move(file), std::move(temporary));
  }

  arrow::Status Delete(const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const std::string file, FileOf(path));
    // A folder is no object, so there is none to remove.
    if (unlink(file.c_str()) == 0 || MeansAbsent(errno) || errno == EISDIR) {
      return arrow::Status::OK();
    }
    return SystemError(file, "unlink", errno);
  }

  bool HasCheapListing() const override { return true; }

 private:
  using FolderId = std::pair<dev_t, ino_t>;

  /// What a folder holds under one name.
  enum class Kind { kUnknown, kFile, kFolder, kOther };

  struct Entry {
    std::string path;  // below the root
    bool is_temporary = false;
    Kind kind = Kind::kUnknown;
    std::optional<ObjectInfo> info;  // once it was looked at
  };

  using EntryVisit = std::function<arrow::Status(Entry)>;

  arrow::Result<std::string> FileOf(const std::string& path) const {
    ARROW_RETURN_NOT_OK(CheckObjectPath(path));
    return root_ == "/" ? root_ + path : root_ + "/" + path;
  }

  static arrow::Status ReadFailure(const std::string& path, const std::string& file,
                                   std::string_view call) {
    return MeansAbsent(errno) ? ObjectNotFound(path) : SystemError(file, call, errno);
  }

  /// Visit every file below a folder, those that are being written too.
  arrow::Status ListAll(const std::string& prefix, const EntryVisit& visit) const {
    if (!prefix.empty()) ARROW_RETURN_NOT_OK(CheckObjectPath(prefix));
    std::vector<FolderId> above;
    return ListFolder(prefix, visit, &above);
  }

  arrow::Status VisitFile(Entry entry,
                          const std::function<arrow::Status(const ObjectInfo&)>& visit) const {
    ARROW_RETURN_NOT_OK(Look(&entry));
    return entry.kind == Kind::kFile ? visit(*entry.info) : arrow::Status::OK();
  }

  static Kind KindOf(const dirent& entry) {
    if (entry.d_type == DT_REG) return Kind::kFile;
    return entry.d_type == DT_DIR ? Kind::kFolder : Kind::kUnknown;  // a link has to be followed
  }

  /// What is in a folder without "." and ".."; none when it is absent.
  arrow::Result<std::vector<Entry>> ReadFolder(const std::string& folder) const {
    std::vector<Entry> entries;
    const std::string full = FullPath(folder);
    DIR* opened = opendir(full.c_str());
    if (opened == nullptr && MeansAbsent(errno)) return entries;
    if (opened == nullptr) return SystemError(full, "opendir", errno);
    const std::unique_ptr<DIR, int (*)(DIR*)> closer(opened, closedir);
    for (;;) {
      errno = 0;
      const dirent* entry = readdir(opened);
      if (entry == nullptr && errno != 0) return SystemError(full, "readdir", errno);
      if (entry == nullptr) return entries;
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      entries.push_back({.path = folder.empty() ? name : folder + "/" + name,
                         .is_temporary = IsTemporaryPath(name),
                         .kind = KindOf(*entry),
                         .info = std::nullopt});
    }
  }

  std::string FullPath(const std::string& path) const {
    return path.empty() ? root_ : root_ + "/" + path;
  }

  /// Find out what an entry is. What was removed since we read its name, or is a dangling link,
  /// is neither a file nor a folder.
  arrow::Status Look(Entry* entry) const {
    const std::string file = FullPath(entry->path);
    struct stat info {};
    entry->kind = Kind::kOther;
    if (stat(file.c_str(), &info) != 0) {
      return MeansAbsent(errno) || errno == ELOOP ? arrow::Status::OK()
                                                  : SystemError(file, "stat", errno);
    }
    if (S_ISDIR(info.st_mode)) entry->kind = Kind::kFolder;
    if (S_ISREG(info.st_mode)) {
      entry->kind = Kind::kFile;
      entry->info = InfoOf(entry->path, info);
    }
    return arrow::Status::OK();
  }

  /// Visit the files below a folder. `above` holds the folders being listed, so that a link to one
  /// of them ends the descent.
  arrow::Status ListFolder(const std::string& folder, const EntryVisit& visit,
                           std::vector<FolderId>* above) const {
    const std::string full = FullPath(folder);
    struct stat folder_info {};
    if (stat(full.c_str(), &folder_info) != 0) {
      return MeansAbsent(errno) ? arrow::Status::OK() : SystemError(full, "stat", errno);
    }
    const FolderId id(folder_info.st_dev, folder_info.st_ino);
    if (std::find(above->begin(), above->end(), id) != above->end()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto entries, ReadFolder(folder));
    above->push_back(id);
    for (Entry& entry : entries) {
      if (entry.kind == Kind::kUnknown) ARROW_RETURN_NOT_OK(Look(&entry));
      if (entry.kind == Kind::kFolder && !entry.is_temporary) {
        ARROW_RETURN_NOT_OK(ListFolder(entry.path, visit, above));
      }
      if (entry.kind == Kind::kFile) ARROW_RETURN_NOT_OK(visit(std::move(entry)));
    }
    above->pop_back();
    return arrow::Status::OK();
  }

  arrow::Status ListLinksIn(const std::string& folder, std::vector<std::string>* links) const {
    ARROW_ASSIGN_OR_RAISE(auto entries, ReadFolder(folder));
    for (Entry& entry : entries) {
      if (entry.kind == Kind::kFile) continue;
      const std::string file = FullPath(entry.path);
      struct stat info {};
      if (lstat(file.c_str(), &info) != 0) {
        if (MeansAbsent(errno)) continue;  // removed since we read its name
        return SystemError(file, "lstat", errno);
      }
      if (S_ISDIR(info.st_mode)) ARROW_RETURN_NOT_OK(ListLinksIn(entry.path, links));
      if (!S_ISLNK(info.st_mode)) continue;
      ARROW_RETURN_NOT_OK(Look(&entry));
      if (entry.kind == Kind::kFolder) links->push_back(std::move(entry.path));
    }
    return arrow::Status::OK();
  }

  const std::string root_;
};

}  // namespace

arrow::Result<std::shared_ptr<ObjectStore>> MakeLocalStore(const std::string& root) {
  if (root.empty() || root.find('\0') != std::string::npos) {
    return arrow::Status::Invalid("table path is empty or holds a NUL character");
  }
  std::error_code error;
  const auto absolute = std::filesystem::absolute(root, error);
  if (error) return arrow::Status::IOError(root, ": no current folder: ", error.message());
  std::string folder = absolute.string();
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return std::make_shared<LocalObjectStore>(std::move(folder));
}

}  // namespace lance
