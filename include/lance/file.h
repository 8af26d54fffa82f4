#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"

namespace lance {

/// How one data file is written. A plain value.
struct FileWriterOptions {
  /// Format version: "2.0", "2.1" or "2.2". "2.1" is what most readers open.
  std::string version = "2.1";
  /// Bytes of Arrow data of one column that make a page. No value: 8 MiB.
  std::optional<uint64_t> max_page_bytes;
  /// Bytes of Arrow data that all columns together may buffer; divided among the columns.
  std::optional<uint64_t> data_cache_bytes;
  /// Added to the schema's metadata.
  std::map<std::string, std::string> schema_metadata;
};

/// Writes one .lance file, without a table around it. Thread-compatible.
///
/// Source: file-format 2; field metadata keys that choose encodings: file-format 3.4.
class FileWriter {
 public:
  /// Start a file. Nothing is visible under `uri` before Close.
  ///
  /// \return NotImplemented + UnsupportedFeature naming a column that the version cannot hold;
  ///   Invalid for an unknown version or a metadata value that is not allowed
  static arrow::Result<std::unique_ptr<FileWriter>> Open(const std::string& uri,
                                                         std::shared_ptr<arrow::Schema> schema,
                                                         const FileWriterOptions& options = {},
                                                         const OpenOptions& open_options = {});
  ~FileWriter();

  /// Append rows: columns in the schema's order and of its types; slices are fine.
  arrow::Status WriteBatch(const arrow::RecordBatch& batch, const CallOptions& call = {});

  /// Store application bytes. \return the buffer's number, 1 or more
  arrow::Result<int> AddGlobalBuffer(const std::shared_ptr<arrow::Buffer>& bytes);

  /// Add one entry to the file's schema metadata.
  void AddSchemaMetadata(std::string key, std::string value);

  /// Finish the file. Without it no file appears. \return the number of rows
  arrow::Result<uint64_t> Close();

 private:
  class Impl;
  explicit FileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// What to read of a file. A plain value.
struct FileReadOptions {
  /// Top-level columns, or paths of nested ones ("a.b"), in their order. Empty: all columns.
  std::vector<std::string> columns;
  /// Rows of a batch, at most.
  uint64_t batch_size = 8192;
};

/// One page of a file column. A plain value.
struct FilePage {
  /// Rows, or in 2.0 values of the column.
  uint64_t num_rows = 0;
  /// Positions in the file, in bytes.
  std::vector<uint64_t> buffer_offsets;
  /// In bytes.
  std::vector<uint64_t> buffer_sizes;
  /// What the page is encoded as, for people; the text may change.
  std::string encoding;
};

/// One column of a file: a leaf of the schema in 2.1 and later. A plain value.
struct FileColumn {
  /// In row order.
  std::vector<FilePage> pages;
  /// Bytes of all pages' buffers.
  uint64_t size_bytes = 0;
};

/// What a file says of itself. A plain value.
struct FileMetadata {
  /// Rows of the file.
  uint64_t num_rows = 0;
  /// Format version, as in manifests: 2.
  uint32_t major_version = 2;
  /// Format version: 0, 1 or 2.
  uint32_t minor_version = 1;
  /// Bytes of the whole file.
  uint64_t size_bytes = 0;
  /// Bytes before the descriptor, without the application buffers.
  uint64_t num_data_bytes = 0;
  /// Bytes of the columns' metadata and of the table that finds them.
  uint64_t num_column_metadata_bytes = 0;
  /// Bytes of all global buffers, the descriptor included.
  uint64_t num_global_buffer_bytes = 0;
  /// Bytes of each global buffer.
  std::vector<uint64_t> global_buffer_sizes;
  /// Leaves of the schema in 2.1 and later; every field in 2.0.
  std::vector<FileColumn> columns;
};

/// Reads one .lance file. Immutable: copy and share freely, thread-safe.
///
/// Source: file-format 2, 3. Versions 2.0, 2.1 and 2.2.
class FileReader {
 public:
  /// Open a file: one or two requests.
  ///
  /// \return KeyError + NotFound when it is not there; SerializationError + CorruptFile;
  ///   NotImplemented + UnsupportedFeature for 2.3 and legacy files, saying what to do
  static arrow::Result<FileReader> Open(const std::string& uri,
                                        const OpenOptions& open_options = {},
                                        const CallOptions& call = {});

  /// Rows of the file.
  uint64_t num_rows() const;
  /// The columns, with field and schema metadata.
  const std::shared_ptr<arrow::Schema>& schema() const;
  /// Sizes and pages.
  const FileMetadata& metadata() const;

  /// Read consecutive rows.
  ///
  /// \return IndexError when the file has fewer than start + num_rows rows; KeyError naming a
  ///   column that is not there
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ReadRange(
      uint64_t start, uint64_t num_rows, const FileReadOptions& options = {},
      const CallOptions& call = {}) const;

  /// Read rows by position, in the order asked for; repeats are fine.
  arrow::Result<std::shared_ptr<arrow::Table>> TakeRows(const std::vector<uint64_t>& rows,
                                                        const FileReadOptions& options = {},
                                                        const CallOptions& call = {}) const;

  /// Read an application buffer; 0 is the file's descriptor.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(int index) const;

  /// The inside; for the library only.
  class Impl;

 private:
  explicit FileReader(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

}  // namespace lance
