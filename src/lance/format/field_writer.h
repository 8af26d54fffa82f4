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

/// Where page buffers go. Implemented by the data file writer.
class PageSink {
 public:
  virtual ~PageSink() = default;
  /// Store a buffer at the next aligned position. \return where it is
  virtual arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) = 0;
  /// As AppendBuffer, for bytes that the sink may keep.
  virtual arrow::Result<ByteRange> AppendOwned(ByteBuffer bytes) {
    return AppendBuffer({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
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
  /// is
  ///   not UTF-8; what the sink fails with
  virtual arrow::Status Write(const std::shared_ptr<arrow::Array>& array) = 0;

  /// Write what is buffered.
  virtual arrow::Status Finish() = 0;

  /// Bytes of Arrow data that are not in pages yet.
  virtual uint64_t pending_bytes() const = 0;

  /// The columns in their order (NumberColumns), complete after Finish.
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
