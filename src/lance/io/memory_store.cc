#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/buffer_builder.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/base/clock.h"
#include "lance/io/object_path.h"
#include "lance/io/stores.h"

namespace lance {

namespace {

using Buffers = std::vector<std::shared_ptr<arrow::Buffer>>;

/// One stored object. Its bytes never change.
struct MemoryObject {
  std::shared_ptr<arrow::Buffer> bytes;
  Timestamp modified;
};

/// See MakeMemoryStore. Thread-safe.
///
/// Copies on the way in and out, so that no caller can change what is stored, and that a read past
/// a buffer's end is a read past an allocation's end.
class MemoryObjectStore : public ObjectStore,
                          public std::enable_shared_from_this<MemoryObjectStore> {
 public:
  arrow::Result<Buffers> Get(const std::string& path, const std::vector<ByteRange>& ranges,
                             const arrow::StopToken& stop) override {
    ARROW_RETURN_NOT_OK(CheckObjectPath(path));
    ARROW_RETURN_NOT_OK(stop.Poll());
    ARROW_ASSIGN_OR_RAISE(const MemoryObject object, Find(path));
    ARROW_RETURN_NOT_OK(CheckByteRanges(path, ranges, static_cast<uint64_t>(object.bytes->size())));
    Buffers buffers;
    for (const ByteRange& range : ranges) {
      ARROW_ASSIGN_OR_RAISE(auto copy, object.bytes->CopySlice(static_cast<int64_t>(range.offset),
                                                               static_cast<int64_t>(range.length)));
      buffers.push_back(std::move(copy));
    }
    return buffers;
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ARROW_RETURN_NOT_OK(CheckObjectPath(path));
    ARROW_ASSIGN_OR_RAISE(const MemoryObject object, Find(path));
    return InfoOf(path, object);
  }

  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    if (!prefix.empty()) ARROW_RETURN_NOT_OK(CheckObjectPath(prefix));
    for (const ObjectInfo& info : Snapshot(prefix.empty() ? "" : prefix + "/")) {
      ARROW_RETURN_NOT_OK(visit(info));
    }
    return arrow::Status::OK();
  }

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    ARROW_RETURN_NOT_OK(CheckObjectPath(path));
    ARROW_ASSIGN_OR_RAISE(auto copy, bytes->CopySlice(0, bytes->size()));
    return Store(path, std::move(copy), mode);
  }

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override;

  arrow::Status Delete(const std::string& path) override {
    ARROW_RETURN_NOT_OK(CheckObjectPath(path));
    const std::lock_guard lock(mutex_);
    objects_.erase(path);
    return arrow::Status::OK();
  }

  PutOutcome Store(const std::string& path, std::shared_ptr<arrow::Buffer> bytes, PutMode mode) {
    MemoryObject object{std::move(bytes), SystemClock().Now()};
    const std::lock_guard lock(mutex_);
    if (mode == PutMode::kIfAbsent && objects_.count(path) > 0) return PutOutcome::kExists;
    objects_[path] = std::move(object);
    return PutOutcome::kStored;
  }

 private:
  static ObjectInfo InfoOf(const std::string& path, const MemoryObject& object) {
    return {.path = path,
            .size_bytes = static_cast<uint64_t>(object.bytes->size()),
            .modified = object.modified,
            .etag = ""};
  }

  arrow::Result<MemoryObject> Find(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) return ObjectNotFound(path);
    return found->second;
  }

  std::vector<ObjectInfo> Snapshot(const std::string& start) {
    const std::lock_guard lock(mutex_);
    std::vector<ObjectInfo> infos;
    for (auto it = objects_.lower_bound(start);
         it != objects_.end() && it->first.compare(0, start.size(), start) == 0; ++it) {
      const std::string_view below = std::string_view(it->first).substr(start.size());
      if (!IsTemporaryPath(below)) infos.push_back(InfoOf(it->first, it->second));
    }
    return infos;
  }

  std::mutex mutex_;
  std::map<std::string, MemoryObject> objects_;
};

/// Collects bytes and stores them at Close. Thread-compatible.
class MemoryOutputStream : public arrow::io::OutputStream {
 public:
  MemoryOutputStream(std::shared_ptr<MemoryObjectStore> store, std::string path)
      : store_(std::move(store)), path_(std::move(path)) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  using arrow::io::Writable::Write;

  arrow::Status Write(const void* bytes, int64_t size_bytes) override {
    if (closed_) return arrow::Status::Invalid(path_, ": write to a closed stream");
    position_ += size_bytes;
    return bytes_.Append(bytes, size_bytes);
  }

  arrow::Status Close() override {
    if (std::exchange(closed_, true)) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto bytes, bytes_.Finish());
    store_->Store(path_, std::move(bytes), PutMode::kOverwrite);
    return arrow::Status::OK();
  }

  arrow::Status Abort() override {
    closed_ = true;
    bytes_.Reset();
    return arrow::Status::OK();
  }

  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return closed_; }

 private:
  std::shared_ptr<MemoryObjectStore> store_;
  std::string path_;
  arrow::BufferBuilder bytes_;
  int64_t position_ = 0;
  bool closed_ = false;
};

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> MemoryObjectStore::OpenWrite(
    const std::string& path) {
  ARROW_RETURN_NOT_OK(CheckObjectPath(path));
  return std::make_shared<MemoryOutputStream>(shared_from_this(), path);
}

}  // namespace

std::shared_ptr<ObjectStore> MakeMemoryStore() { return std::make_shared<MemoryObjectStore>(); }

}  // namespace lance
