#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/encode/encoding_hints.h"
#include "lance/format/field_writer.h"
#include "lance/format/levels/layers.h"
#include "lance/format/levels/shred.h"

namespace lance::format {

/// Writes the pages of one column. Thread-compatible.
class ColumnWriter {
 public:
  virtual ~ColumnWriter() = default;

  /// Append rows of the leaf.
  virtual arrow::Status Append(ShreddedLeaf leaf) = 0;

  /// Copy what is buffered where it would keep much more of the caller's memory alive: a small
  /// slice of a large array holds all of it until the page is full.
  virtual arrow::Status LetGoOfInput() { return arrow::Status::OK(); }

  /// Give what is buffered to the sink.
  virtual arrow::Status Finish() = 0;

  virtual uint64_t pending_bytes() const = 0;

  /// The column, complete when all its pages are written; moved out.
  virtual ColumnMetadata TakeColumn() = 0;
};

/// What a column is and how its pages are made. Borrows leaf and sink.
struct ColumnRequest {
  const FieldNode& leaf;
  /// The names from the top-level field to the leaf, for messages.
  std::string name;
  LeafPath path;
  /// As PageRows::nullable_layers.
  std::vector<bool> nullable_layers;
  FileVersion version;
  EncodingHints hints;
  FieldWriterOptions options;
  PageSink* sink;
};

/// Make a writer of a leaf's values.
std::unique_ptr<ColumnWriter> MakeLeafWriter(ColumnRequest request);

/// Make a writer of legacy blobs: payloads go to the sink at once, pages hold where they are
/// (file-format 8.6).
///
/// \return NotImplemented + UnsupportedFeature for blobs in lists, which cannot be read back
arrow::Result<std::unique_ptr<ColumnWriter>> MakeBlobWriter(ColumnRequest request);

/// Store the buffers of a page, and note the page as the column's next one.
///
/// \param num_rows as PageMetadata::num_rows
arrow::Status WritePage(std::string encoding, const std::vector<ByteBuffer>& buffers,
                        uint64_t num_rows, PageSink* out, ColumnMetadata* column);

}  // namespace lance::format
