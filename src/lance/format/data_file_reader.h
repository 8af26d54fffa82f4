#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/schema.h"
#include "lance/object_store.h"

namespace lance::format {

/// One data file, opened. Immutable apart from a cache of page headers; share freely.
///
/// Every failure names the file; SerializationError carries CorruptFile. Reads 2.1 files; other
/// versions and encodings that this version does not have are NotImplemented by name.
/// Source: file-format 2, 3, 6, 8, 9, 12.
class DataFileReader {
 public:
  /// Read footer, descriptor and column metadata: one or two requests.
  ///
  /// \param size_bytes the file's size when known; a wrong one is an error. No value: asks the
  /// store
  static arrow::Result<std::shared_ptr<const DataFileReader>> Open(
      std::shared_ptr<ObjectStore> store, const std::string& path,
      std::optional<uint64_t> size_bytes, const arrow::StopToken& stop,
      arrow::MemoryPool* pool = nullptr);
  ~DataFileReader();

  const std::string& path() const;
  uint64_t num_rows() const;
  int num_columns() const;
  uint64_t size_bytes() const;
  /// The schema in the file's descriptor, with the file's schema metadata.
  const LanceSchema& schema() const;

  /// The number of global buffers, the descriptor (number 0) included.
  int num_global_buffers() const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(
      int index, const arrow::StopToken& stop) const;

  /// Read some rows of one file column.
  ///
  /// \param column_index the file column, as the manifest's column_indices name it
  /// \param type what the schema says the column is; another width than the pages' is corrupt
  /// \param rows offsets below num_rows(); only the chunks that hold them are read
  /// \return the values of `rows` in ascending order as one array
  arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(
      int column_index, const std::shared_ptr<arrow::DataType>& type, const RowRanges& rows,
      const arrow::StopToken& stop) const;

 private:
  class Impl;
  explicit DataFileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::format
