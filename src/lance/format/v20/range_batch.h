#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/format/data_file_metadata.h"

namespace lance::format::v20 {

/// Byte ranges of one file that are read in one request. Move-only, thread-compatible.
class RangeBatch {
 public:
  /// Ask for a range.
  ///
  /// \param out gets the bytes when the batch is read; must live until then
  void Add(const ByteRange& range, std::shared_ptr<arrow::Buffer>* out);

  bool empty() const { return ranges_.empty(); }

  /// Read what was asked for, in one request, and forget it.
  arrow::Status Read(const DataFileLocation& location, const arrow::StopToken& stop);

 private:
  std::vector<ByteRange> ranges_;
  std::vector<std::shared_ptr<arrow::Buffer>*> outputs_;
};

/// Ascending byte spans of one page buffer, read as few ranges: spans that lie close together are
/// one. Move-only, thread-compatible.
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

  /// Put the ranges that hold the spans into a batch. Once, after the last Add; the reader must
  /// stay where it is until the batch is read.
  void Plan(RangeBatch* batch);

  /// Take the spans from memory instead: the whole page buffer.
  void Provide(const std::shared_ptr<arrow::Buffer>& whole);

  /// View a span that was asked for, or a part of one. \pre the batch was read
  std::span<const std::byte> View(uint64_t begin, uint64_t end) const;

  /// The same bytes as a buffer that shares memory. \pre the batch was read
  std::shared_ptr<arrow::Buffer> Slice(uint64_t begin, uint64_t end) const;

 private:
  struct Piece {
    uint64_t begin;
    uint64_t end;
    std::shared_ptr<arrow::Buffer> bytes;
  };

  const Piece& Find(uint64_t begin) const;

  ByteRange buffer_;
  std::vector<Piece> pieces_;
};

}  // namespace lance::format::v20
