#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/data_file_writer.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"

namespace lance::format {

/// Keeps track of the position in a file being written. Thread-compatible.
class AlignedOutput : public PageSink {
 public:
  explicit AlignedOutput(std::shared_ptr<arrow::io::OutputStream> out) : out_(std::move(out)) {}

  uint64_t position() const { return position_; }

  /// Write bytes where the file ends.
  arrow::Status Append(std::string_view bytes);
  /// Write a buffer and pad the file to the next aligned position.
  arrow::Result<ByteRange> AppendBuffer(std::string_view bytes) override;
  /// End the file.
  arrow::Status Close();

 private:
  std::shared_ptr<arrow::io::OutputStream> out_;
  uint64_t position_ = 0;
};

/// What stands behind the pages of a data file. A plain value.
struct FileTail {
  FileVersion version = kDefaultFileVersion;
  LanceSchema schema;
  uint64_t num_rows = 0;
  std::vector<ColumnMetadata> columns;
  std::vector<ByteRange> global_buffers;  // without the descriptor
};

/// Write the descriptor, the column metadata, both tables and the footer, and close the file.
///
/// \param column_numbers the columns of the schema's fields
/// \return what manifests say of the file
arrow::Result<DataFileSummary> FinishFile(const FileTail& tail, const ColumnMap& column_numbers,
                                          AlignedOutput* out);

}  // namespace lance::format
