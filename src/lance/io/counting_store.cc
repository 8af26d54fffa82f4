#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/stores.h"

namespace lance {

namespace {

/// See MakeCountingStore. Thread-safe when the wrapped store is.
class CountingObjectStore : public ObjectStore {
 public:
  CountingObjectStore(std::shared_ptr<ObjectStore> store, std::shared_ptr<IoCounters> counters)
      : store_(std::move(store)), counters_(std::move(counters)) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken& stop) override {
    ++counters_->requests;
    counters_->iops += ranges.size();
    ARROW_ASSIGN_OR_RAISE(auto buffers, store_->Get(path, ranges, stop));
    for (const auto& buffer : buffers) {
      counters_->bytes_read += static_cast<uint64_t>(buffer->size());
    }
    return buffers;
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    ++counters_->requests;
    return store_->Head(path);
  }

  arrow::Status List(const std::string& prefix,
                     const std::function<arrow::Status(const ObjectInfo&)>& visit) override {
    ++counters_->requests;
    return store_->List(prefix, visit);
  }

  arrow::Status ListPaths(const std::string& prefix,
                          const std::function<arrow::Status(std::string)>& visit) override {
    ++counters_->requests;
    return store_->ListPaths(prefix, visit);
  }

  arrow::Result<PutOutcome> Put(const std::string& path, std::shared_ptr<arrow::Buffer> bytes,
                                PutMode mode) override {
    ++counters_->requests;
    return store_->Put(path, std::move(bytes), mode);
  }

  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(
      const std::string& path) override {
    ++counters_->requests;
    return store_->OpenWrite(path);
  }

  arrow::Status Delete(const std::string& path) override {
    ++counters_->requests;
    return store_->Delete(path);
  }

  bool HasCheapListing() const override { return store_->HasCheapListing(); }

 private:
  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<IoCounters> counters_;
};

}  // namespace

std::shared_ptr<ObjectStore> MakeCountingStore(std::shared_ptr<ObjectStore> store,
                                               std::shared_ptr<IoCounters> counters) {
  return std::make_shared<CountingObjectStore>(std::move(store), std::move(counters));
}

}  // namespace lance
