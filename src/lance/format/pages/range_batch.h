#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/format/data_file_metadata.h"

namespace lance::format {

/// Collects ranges of one file and reads them together: one request for all that were added since
/// the last. Neighbours are read as one range. Not thread-safe.
class RangeBatch {
 public:
  /// Add a range, which must lie inside the file. \return its number
  size_t Add(const ByteRange& range) {
    ranges_.push_back(range);
    return ranges_.size() - 1;
  }

  /// Read what was added since the last call; no request when that is nothing.
  arrow::Status Read(const DataFileLocation& location, const arrow::StopToken& stop);

  /// Take the bytes of a range that was read, which the batch then forgets: once for each number.
  std::shared_ptr<arrow::Buffer> Take(size_t number) { return std::move(buffers_[number]); }

  /// Share the bytes of a range that was read.
  const std::shared_ptr<arrow::Buffer>& Share(size_t number) const { return buffers_[number]; }

  /// Borrow the bytes of a range that was read, valid as long as the batch.
  std::span<const std::byte> View(size_t number) const;

  /// Bytes of all ranges so far.
  uint64_t num_bytes() const { return num_bytes_; }

 private:
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;  // of the ranges that were read
  uint64_t num_bytes_ = 0;
};

/// View a buffer's bytes.
std::span<const std::byte> ViewOf(const arrow::Buffer& buffer);

}  // namespace lance::format
