#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/format/file_version.h"
#include "lance/format/schema.h"

namespace arrow::io {
class OutputStream;
}

namespace lance::format {

/// How a data file is written. A plain value.
struct DataFileWriterOptions {
  FileVersion version = kDefaultFileVersion;
  /// A column's buffered Arrow bytes that make a page.
  uint64_t max_page_bytes = 8ull << 20;
  /// Buffered Arrow bytes of all columns together, divided among the top-level ones; no value: only
  /// max_page_bytes counts.
  std::optional<uint64_t> data_cache_bytes;
  /// Pages that are encoded at once; 0: Arrow's pool size. Does not change the bytes.
  int num_threads = 1;
  /// Looked at between pages; what is written when it fires is of no use.
  arrow::StopToken stop_token = arrow::StopToken::Unstoppable();
  arrow::MemoryPool* memory_pool = nullptr;  // null: Arrow's default pool
};

/// What a finished data file holds. A plain value.
struct DataFileSummary {
  uint64_t size_bytes = 0;
  uint64_t num_rows = 0;
  /// The ids of the fields that own file columns, in the schema's order, and for each the index of
  /// its column: what manifests hold (the reference lists no others).
  std::vector<int32_t> field_ids;
  std::vector<int32_t> column_indices;
  uint32_t major_version = 2;
  uint32_t minor_version = 1;
};

/// Writes one data file of format 2.0, 2.1 or 2.2.
///
/// Memory is bounded by about a page per column. Thread-compatible. Source: file-format 2, 4, 6, 8,
/// 10, 11.
class DataFileWriter {
 public:
  /// Start a file.
  ///
  /// \return NotImplemented naming a column that the version cannot hold; Invalid for metadata
  ///   that ask for an encoding that is not there
  static arrow::Result<std::unique_ptr<DataFileWriter>> Make(
      std::shared_ptr<arrow::io::OutputStream> out, const LanceSchema& schema,
      const DataFileWriterOptions& options = {});
  ~DataFileWriter();

  /// Append rows. Columns in the schema's order and of its types; slices with offsets are fine.
  ///
  /// \return Invalid when the schema differs or a non-nullable column has a null
  arrow::Status Write(const arrow::RecordBatch& batch);

  /// Store application bytes. \return the buffer's number, 1 or more
  arrow::Result<int> AddGlobalBuffer(const arrow::Buffer& bytes);

  /// Add one entry to the file's schema metadata.
  void AddSchemaMetadata(std::string key, std::string value);

  uint64_t num_rows() const;

  /// Bytes written so far plus an estimate of what is buffered.
  uint64_t estimated_size_bytes() const;

  /// Write what is buffered, the metadata and the footer, and close the stream.
  arrow::Result<DataFileSummary> Finish();

 private:
  class Impl;
  explicit DataFileWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::format
