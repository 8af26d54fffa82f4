#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "fuzz/input.h"
#include "lance/object_store.h"

namespace lance::fuzz {

/// A buffer in an allocation of exactly its size: Arrow's own are padded, which hides reads behind
/// the end.
class ExactBuffer : public arrow::Buffer {
 public:
  explicit ExactBuffer(std::span<const std::byte> bytes)
      : Buffer(nullptr, 0), bytes_(ExactCopy(bytes)) {
    static constexpr uint8_t kEmpty = 0;  // data() of an empty vector may be null
    data_ = bytes_.empty() ? &kEmpty : reinterpret_cast<const uint8_t*>(bytes_.data());
    size_ = capacity_ = static_cast<int64_t>(bytes_.size());
  }

 private:
  ExactBytes bytes_;
};

/// A store of one object under any name. Borrows its bytes.
class BytesStore : public ObjectStore {
 public:
  explicit BytesStore(std::span<const std::byte> bytes) : bytes_(bytes) {}

  arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> Get(
      const std::string& path, const std::vector<ByteRange>& ranges,
      const arrow::StopToken&) override {
    std::vector<std::shared_ptr<arrow::Buffer>> buffers;
    for (const ByteRange& range : ranges) {
      if (range.offset > bytes_.size() || range.length > bytes_.size() - range.offset) {
        return arrow::Status::IOError(path, ": the range is behind the end");
      }
      buffers.push_back(std::make_shared<ExactBuffer>(bytes_.subspan(range.offset, range.length)));
    }
    return buffers;
  }

  arrow::Result<ObjectInfo> Head(const std::string& path) override {
    return ObjectInfo{.path = path, .size_bytes = bytes_.size(), .modified = {}, .etag = {}};
  }

  arrow::Status List(const std::string&,
                     const std::function<arrow::Status(const ObjectInfo&)>&) override {
    return arrow::Status::NotImplemented("the store has one object");
  }
  arrow::Result<PutOutcome> Put(const std::string&, std::shared_ptr<arrow::Buffer>,
                                PutMode) override {
    return arrow::Status::NotImplemented("the store is read-only");
  }
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenWrite(const std::string&) override {
    return arrow::Status::NotImplemented("the store is read-only");
  }
  arrow::Status Delete(const std::string&) override {
    return arrow::Status::NotImplemented("the store is read-only");
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace lance::fuzz
