#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/format/data_file_writer.h"
#include "lance/format/file_output.h"

namespace lance::format {

/// Why the pages of a file cannot stand in another one as they are; "": they can.
///
/// They can when the file has exactly the fields of `schema`, which may have other names now, in
/// its version, and no blobs, whose pages hold positions in the file.
///
/// \param metadata of the file
std::string WhyPagesCannotMove(const DataFileMetadata& metadata, const LanceSchema& schema,
                               FileVersion version);

/// Makes one data file of the pages of several, without looking into them (table-format 10.1
/// "binary copy"). Application buffers are left behind. Thread-compatible.
///
/// Memory is bounded by what is read at once, or one buffer if that is larger.
class PageCopier {
 public:
  /// \param read_bytes most bytes that are read at once
  static arrow::Result<std::unique_ptr<PageCopier>> Make(
      std::shared_ptr<arrow::io::OutputStream> out, LanceSchema schema, FileVersion version,
      uint64_t read_bytes, const arrow::StopToken& stop);

  /// Copy a file behind the others. \pre WhyPagesCannotMove gave ""
  ///
  /// \return CapacityError when one file cannot hold the rows; else what storage fails with
  arrow::Status Append(const DataFileLocation& location, const DataFileMetadata& metadata);

  uint64_t num_rows() const { return tail_.num_rows; }
  uint64_t bytes_written() const { return out_.position(); }

  /// Write the metadata and close the stream.
  arrow::Result<DataFileSummary> Finish();

 private:
  PageCopier(std::shared_ptr<arrow::io::OutputStream> out, uint64_t read_bytes,
             const arrow::StopToken& stop)
      : out_(std::move(out)), read_bytes_(read_bytes), stop_(stop) {}

  /// Note the pages of a file; their buffers are where they were in it.
  void AddPages(const DataFileMetadata& metadata, std::vector<ByteRange*>* buffers);
  /// Copy buffers, and note where they are now.
  arrow::Status CopyBuffers(const DataFileLocation& location,
                            const std::vector<ByteRange*>& buffers);

  AlignedOutput out_;
  uint64_t read_bytes_;
  arrow::StopToken stop_;
  ColumnMap column_numbers_;
  /// Of 2.0: columns of structs, which have no values and one page whatever their rows.
  std::set<size_t> struct_columns_;
  FileTail tail_;
};

}  // namespace lance::format
