#include "lance/testing/fault_store.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"

namespace lance::testing {

namespace {

using Buffers = std::vector<std::shared_ptr<arrow::Buffer>>;
using Stream = std::shared_ptr<arrow::io::OutputStream>;

/// See FaultStore. Thread-safe when the wrapped store is.
class FaultStoreImpl : public FaultStore, public std::enable_shared_from_this<FaultStoreImpl> {
 public:
  explicit FaultStoreImpl(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  void Arm(int64_t k, Fault fault, int64_t num_faults) override {
    const std::lock_guard lock(mutex_);
    armed_call_ = k;
    fault_ = k < 0 ? Fault::kNone : fault;
    num_faults_ = fault == Fault::kDies ? std::numeric_limits<int64_t>::max() : num_faults;
    calls_.clear();
    hit_.clear();
  }

  int64_t num_calls() const override {
    const std::lock_guard lock(mutex_);
    return static_cast<int64_t>(calls_.size());
  }

  std::vector<std::string> calls() const override {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

  std::string hit() const override {
    const std::lock_guard lock(mutex_);
    return hit_;
  }

  void SetListing(const ListingStyle& style) override {
    const std::lock_guard lock(mutex_);
    listing_ = style;
    stored_.clear();
  }

  arrow::Status LandDelayed() override;

  arrow::Result<Buffers> Get(const std::string& path, const std::vector<ByteRange>& ranges,
                             const arrow::StopToken& stop) override {
    const std::string call = "Get " + path;
    const Fault fault = CountCall(call);
    if (fault == Fault::kNone) return store_->Get(path, ranges, stop);
    if (fault == Fault::kNoReply) (void)store_->Get(path, ranges, stop);  // its reply is lost
    return Failure(call, fault);
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    const std::string call = "Head " + path;
    const Fault fault = CountCall(call);
    if (fault == Fault::kNone) return store_->Head(path);
    return Failure(call, fault);
  }

  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override;

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    const std::string call = "Put " + path;
    switch (const Fault fault = CountCall(call, mode)) {
      case Fault::kNone:
        NoteStored(path);
        return store_->Put(path, std::move(bytes), mode);
      case Fault::kNoReply:
        NoteStored(path);
        ARROW_RETURN_NOT_OK(store_->Put(path, std::move(bytes), mode));
        return PutOutcome::kUnknown;
      case Fault::kConflicts:
        return PutOutcome::kExists;
      case Fault::kLandsLate:
        Delay([store = store_, path, bytes = std::move(bytes), mode] {
          return store->Put(path, bytes, mode).status();
        });
        return PutOutcome::kUnknown;
      case Fault::kFails:
      case Fault::kTorn:
      case Fault::kDies:
        return Failure(call, fault);
    }
    return Failure(call, Fault::kFails);
  }

  arrow::Result<Stream> OpenWrite(const std::string& path) override;

  arrow::Status Delete(const std::string& path) override {
    const std::string call = "Delete " + path;
    const Fault fault = CountCall(call);
    if (fault == Fault::kNone) return store_->Delete(path);
    if (fault == Fault::kNoReply) ARROW_RETURN_NOT_OK(store_->Delete(path));
    if (fault == Fault::kLandsLate) {
      Delay([store = store_, path] { return store->Delete(path); });
    }
    return Failure(call, fault);
  }

  bool HasCheapListing() const override { return store_->HasCheapListing(); }

  /// Close a stream that this store opened, or let its Close suffer.
  arrow::Status CloseStream(const std::string& path, const Stream& stream);

 private:
  /// Count one call. \return what it suffers
  Fault CountCall(const std::string& call, PutMode mode = PutMode::kOverwrite) {
    const std::lock_guard lock(mutex_);
    const auto k = static_cast<int64_t>(calls_.size());
    calls_.push_back(call);
    if (fault_ == Fault::kNone || k < armed_call_ || k - armed_call_ >= num_faults_) {
      return Fault::kNone;
    }
    if (fault_ == Fault::kConflicts && mode != PutMode::kIfAbsent) return Fault::kNone;
    if (hit_.empty()) hit_ = call;
    return fault_;
  }

  static arrow::Status Failure(const std::string& call, Fault fault) {
    static constexpr const char* kNames[] = {"none",       "fails",     "torn", "no reply",
                                             "lands late", "conflicts", "dies"};
    return arrow::Status::IOError(call, ": injected fault: ", kNames[static_cast<size_t>(fault)]);
  }

  void Delay(std::function<arrow::Status()> write) {
    const std::lock_guard lock(mutex_);
    delayed_.push_back(std::move(write));
  }

  /// Remember what the listing may not have yet.
  void NoteStored(const std::string& path) {
    const std::lock_guard lock(mutex_);
    std::erase(stored_, path);
    stored_.push_back(path);
  }

  /// What a listing shows, in the order in which it comes.
  arrow::Result<std::vector<ObjectInfo>> Found(const std::string& prefix,
                                               const ListingStyle& style);

  const std::shared_ptr<ObjectStore> store_;
  mutable std::mutex mutex_;
  int64_t armed_call_ = -1;
  Fault fault_ = Fault::kNone;
  int64_t num_faults_ = 1;
  std::vector<std::string> calls_;
  std::string hit_;
  ListingStyle listing_;
  std::vector<std::string> stored_;  // since the style was chosen, oldest first
  std::mt19937_64 engine_;           // orders listings
  std::vector<std::function<arrow::Status()>> delayed_;
};

/// A stream whose Close is a storage call. Thread-compatible.
class FaultStream : public arrow::io::OutputStream {
 public:
  FaultStream(std::shared_ptr<FaultStoreImpl> store, std::string path, Stream stream)
      : store_(std::move(store)), path_(std::move(path)), stream_(std::move(stream)) {
    set_mode(arrow::io::FileMode::WRITE);
  }

  using arrow::io::Writable::Write;

  arrow::Status Write(const void* bytes, int64_t size_bytes) override {
    if (closed_) return arrow::Status::Invalid(path_, ": write to a closed stream");
    return stream_->Write(bytes, size_bytes);
  }

  arrow::Status Flush() override { return closed_ ? arrow::Status::OK() : stream_->Flush(); }

  arrow::Status Close() override {
    if (std::exchange(closed_, true)) return arrow::Status::OK();
    return store_->CloseStream(path_, stream_);
  }

  arrow::Status Abort() override {
    if (std::exchange(closed_, true)) return arrow::Status::OK();
    return stream_->Abort();
  }

  arrow::Result<int64_t> Tell() const override { return stream_->Tell(); }
  bool closed() const override { return closed_; }

 private:
  std::shared_ptr<FaultStoreImpl> store_;
  std::string path_;
  Stream stream_;
  bool closed_ = false;
};

arrow::Status FaultStoreImpl::LandDelayed() {
  std::vector<std::function<arrow::Status()>> writes;
  {
    const std::lock_guard lock(mutex_);
    writes.swap(delayed_);
  }
  arrow::Status first_failure;
  for (const auto& write : writes) first_failure &= write();
  return first_failure;
}

arrow::Result<std::vector<ObjectInfo>> FaultStoreImpl::Found(const std::string& prefix,
                                                             const ListingStyle& style) {
  std::vector<ObjectInfo> found;
  ARROW_RETURN_NOT_OK(store_->List(prefix, [&](const ObjectInfo& info) {
    found.push_back(info);
    return arrow::Status::OK();
  }));
  std::ranges::sort(found, {}, &ObjectInfo::path);
  const std::lock_guard lock(mutex_);
  size_t num_hidden = 0;
  for (auto path = stored_.rbegin(); path != stored_.rend(); ++path) {
    if (num_hidden == style.num_hidden) break;
    num_hidden += std::erase_if(found, [&](const ObjectInfo& info) { return info.path == *path; });
  }
  if (style.is_shuffled) std::ranges::shuffle(found, engine_);
  return found;
}

arrow::Status FaultStoreImpl::List(const std::string& prefix,
                                   const std::function<arrow::Status(const ObjectInfo&)>& visit) {
  ListingStyle style;
  {
    const std::lock_guard lock(mutex_);
    style = listing_;
  }
  ARROW_ASSIGN_OR_RAISE(const std::vector<ObjectInfo> found, Found(prefix, style));
  const size_t page_size =
      style.page_size == 0 ? std::max<size_t>(found.size(), 1) : style.page_size;
  size_t begin = 0;
  do {  // also an empty listing has a page
    const std::string call =
        "List " + prefix + (begin == 0 ? "" : " page " + std::to_string(begin / page_size + 1));
    const Fault fault = CountCall(call);
    const size_t end = std::min(found.size(), begin + page_size);
    size_t num_visited = end - begin;
    if (fault == Fault::kTorn) num_visited /= 2;
    if (fault != Fault::kNone && fault != Fault::kTorn && fault != Fault::kNoReply) num_visited = 0;
    for (size_t i = begin; i < begin + num_visited; ++i) ARROW_RETURN_NOT_OK(visit(found[i]));
    if (fault != Fault::kNone) return Failure(call, fault);
    begin = end;
  } while (begin < found.size());
  return arrow::Status::OK();
}

arrow::Result<Stream> FaultStoreImpl::OpenWrite(const std::string& path) {
  const std::string call = "OpenWrite " + path;
  const Fault fault = CountCall(call);
  if (fault != Fault::kNone) return Failure(call, fault);
  ARROW_ASSIGN_OR_RAISE(Stream stream, store_->OpenWrite(path));
  return std::make_shared<FaultStream>(shared_from_this(), path, std::move(stream));
}

arrow::Status FaultStoreImpl::CloseStream(const std::string& path, const Stream& stream) {
  const std::string call = "Close " + path;
  const Fault fault = CountCall(call);
  switch (fault) {
    case Fault::kNone:
      NoteStored(path);
      return stream->Close();
    case Fault::kNoReply:
      NoteStored(path);
      ARROW_RETURN_NOT_OK(stream->Close());
      break;
    case Fault::kLandsLate:
      Delay([stream] { return stream->Close(); });
      break;
    case Fault::kFails:
    case Fault::kTorn:
    case Fault::kConflicts:  // never: not a put
    case Fault::kDies:
      ARROW_RETURN_NOT_OK(stream->Abort());
      break;
  }
  return Failure(call, fault);
}

}  // namespace

std::shared_ptr<FaultStore> FaultStore::Make(std::shared_ptr<ObjectStore> store) {
  return std::make_shared<FaultStoreImpl>(std::move(store));
}

}  // namespace lance::testing
