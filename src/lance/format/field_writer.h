#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_tree.h"
#include "lance/format/file_version.h"

namespace lance::format {

class PageSink;

/// A page whose rows are complete. What it needs is its own, so that pages can be encoded at the
/// same time; it outlives neither the field's writer nor the sink.
class PendingPage {
 public:
  virtual ~PendingPage() = default;
  /// Bytes of Arrow data that are to be encoded; about what Encode costs.
  virtual uint64_t size_bytes() const = 0;
  /// Make the page's bytes. Once, from any thread.
  virtual arrow::Status Encode() = 0;
  /// Store them and note the page in its column: once, after Encode, in the order of AppendPage.
  virtual arrow::Status Write(PageSink* out) = 0;
};

/// Where pages and their buffers go. Implemented by the data file writer.
class PageSink {
 public:
  virtual ~PageSink() = default;
  /// Store a buffer at the next aligned position. \return where it is
  virtual arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) = 0;
  /// Take a page; here: encode and write it at once.
  virtual arrow::Status AppendPage(std::unique_ptr<PendingPage> page) {
    ARROW_RETURN_NOT_OK(page->Encode());
    return page->Write(this);
  }
};

/// How the pages of a field are made. A plain value.
struct FieldWriterOptions {
  /// Buffered Arrow bytes of one column that make a page; 1 or more.
  uint64_t max_page_bytes = 8ull << 20;
  arrow::MemoryPool* pool = nullptr;  // null: Arrow's default pool
};

/// Writes one top-level field, children included, as columns of a data file. Thread-compatible.
///
/// Holds at most about a page of Arrow data for each column, whatever the input.
class FieldWriter {
 public:
  virtual ~FieldWriter() = default;

  /// Append rows.
  ///
  /// \param array of the field's type; may be a slice
  /// \return Invalid naming the path of a field that is not nullable and has a null, or text that
  ///   is not UTF-8; what the sink fails with
  virtual arrow::Status Write(const std::shared_ptr<arrow::Array>& array) = 0;

  /// Copy what is buffered where it keeps much more of the caller's memory alive: a small slice of
  /// a large array does, and so does a column of a batch whose memory is let go of as a whole.
  ///
  /// \param batch_bytes what the batches that rows came in took; all of it may be alive
  virtual arrow::Status LetGoOfInput(uint64_t batch_bytes) = 0;

  /// Give what is buffered to the sink.
  virtual arrow::Status Finish() = 0;

  /// Bytes of Arrow data that are not in pages yet.
  virtual uint64_t pending_bytes() const = 0;

  /// The columns in their order (NumberColumns), complete when all pages are written.
  virtual std::vector<ColumnMetadata> TakeColumns() = 0;
};

/// Make a writer of 2.1 or 2.2 pages.
///
/// \pre CheckWritable(node, version)
/// \param sink outlives the writer
arrow::Result<std::unique_ptr<FieldWriter>> MakeFieldWriter(const FieldNode& node,
                                                            FileVersion version,
                                                            const FieldWriterOptions& options,
                                                            PageSink* sink);

namespace v20 {

/// Make a writer of 2.0 pages. As lance::format::MakeFieldWriter.
arrow::Result<std::unique_ptr<FieldWriter>> MakeFieldWriter(const FieldNode& node,
                                                            const FieldWriterOptions& options,
                                                            PageSink* sink);

}  // namespace v20
}  // namespace lance::format
