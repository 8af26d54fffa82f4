#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/format/pages/range_batch.h"
#include "lance/object_store.h"

namespace lance::format::v20 {

/// Ascending byte spans of one page buffer, read as few ranges: spans that lie close together are
/// one. Thread-compatible.
class SpanReader {
 public:
  /// \param buffer the page buffer's place in the file
  explicit SpanReader(const ByteRange& buffer) : buffer_(buffer) {}

  /// Size of the page buffer.
  uint64_t buffer_bytes() const { return buffer_.length; }

  /// Ask for the bytes [begin, end) of the page buffer.
  ///
  /// \pre begin <= end <= buffer_bytes(); begin is not below the begin of the span before it
  void Add(uint64_t begin, uint64_t end);

  /// Put the ranges that hold the spans into a batch, which must outlive the reader. Once, after
  /// the last Add.
  void Plan(RangeBatch* batch);

  /// Take the spans from memory instead: the whole page buffer.
  void Provide(std::shared_ptr<arrow::Buffer> whole);

  /// View a span that was asked for, or a part of one. \pre the batch was read
  std::span<const std::byte> View(uint64_t begin, uint64_t end) const;

  /// The same bytes as a buffer that shares memory. \pre the batch was read
  std::shared_ptr<arrow::Buffer> Slice(uint64_t begin, uint64_t end) const;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t end;
    size_t number;  // in the batch
  };

  /// The piece that holds a byte.
  const Piece& Find(uint64_t begin) const;
  const std::shared_ptr<arrow::Buffer>& BytesOf(const Piece& piece) const;

  ByteRange buffer_;
  std::vector<Piece> pieces_;
  const RangeBatch* batch_ = nullptr;
  std::shared_ptr<arrow::Buffer> whole_;  // from memory
};

}  // namespace lance::format::v20
