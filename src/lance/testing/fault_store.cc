#include "lance/testing/fault_store.h"

#include <mutex>
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

  void Arm(int64_t k, Fault fault) override {
    const std::lock_guard lock(mutex_);
    armed_call_ = k;
    fault_ = fault;
    num_calls_ = 0;
    hit_.clear();
  }

  int64_t num_calls() const override {
    const std::lock_guard lock(mutex_);
    return num_calls_;
  }

  std::string hit() const override {
    const std::lock_guard lock(mutex_);
    return hit_;
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
    switch (const Fault fault = CountCall(call)) {
      case Fault::kNone:
        return store_->Put(path, std::move(bytes), mode);
      case Fault::kNoReply:
        ARROW_RETURN_NOT_OK(store_->Put(path, std::move(bytes), mode));
        return PutOutcome::kUnknown;
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
  Fault CountCall(const std::string& call) {
    const std::lock_guard lock(mutex_);
    const int64_t k = num_calls_++;
    if (k == armed_call_ && fault_ != Fault::kNone) {
      hit_ = call;
      return fault_;
    }
    const bool is_dead = fault_ == Fault::kDies && armed_call_ >= 0 && k > armed_call_;
    return is_dead ? Fault::kDies : Fault::kNone;
  }

  static arrow::Status Failure(const std::string& call, Fault fault) {
    static constexpr const char* kNames[] = {"none",     "fails",      "torn",
                                             "no reply", "lands late", "dies"};
    return arrow::Status::IOError(call, ": injected fault: ", kNames[static_cast<size_t>(fault)]);
  }

  void Delay(std::function<arrow::Status()> write) {
    const std::lock_guard lock(mutex_);
    delayed_.push_back(std::move(write));
  }

  const std::shared_ptr<ObjectStore> store_;
  mutable std::mutex mutex_;
  int64_t armed_call_ = -1;
  Fault fault_ = Fault::kNone;
  int64_t num_calls_ = 0;
  std::string hit_;
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

arrow::Status FaultStoreImpl::List(const std::string& prefix,
                                   const std::function<arrow::Status(const ObjectInfo&)>& visit) {
  const std::string call = "List " + prefix;
  const Fault fault = CountCall(call);
  if (fault == Fault::kNone) return store_->List(prefix, visit);
  if (fault != Fault::kTorn && fault != Fault::kNoReply) return Failure(call, fault);
  std::vector<ObjectInfo> found;
  ARROW_RETURN_NOT_OK(store_->List(prefix, [&](const ObjectInfo& info) {
    found.push_back(info);
    return arrow::Status::OK();
  }));
  if (fault == Fault::kTorn) found.resize(found.size() / 2);
  for (const ObjectInfo& info : found) ARROW_RETURN_NOT_OK(visit(info));
  return Failure(call, fault);
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
      return stream->Close();
    case Fault::kNoReply:
      ARROW_RETURN_NOT_OK(stream->Close());
      break;
    case Fault::kLandsLate:
      Delay([stream] { return stream->Close(); });
      break;
    case Fault::kFails:
    case Fault::kTorn:
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
