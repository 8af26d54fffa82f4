#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_tree.h"
#include "lance/format/schema.h"
#include "lance/object_store.h"

namespace lance::format {

class PageHeaderCache;

/// What is known of a data file without its rows: enough to open it again without a request. Shared
/// by its readers; thread-safe.
struct OpenedFile {
  std::shared_ptr<const DataFileMetadata> metadata;
  std::shared_ptr<PageHeaderCache> headers;

  /// Bytes that it takes in memory, about; more when more of it has been read.
  uint64_t size_bytes() const;
};

/// Which rows of a field of a data file to read. Borrows everything for the call.
struct FieldRead {
  /// The field, or a projection of it.
  const FieldNode& node;
  /// The file column of every field id that owns one: NumberColumns, or what the manifest says.
  const ColumnMap& columns;
  /// Offsets below num_rows(); only the bytes that they need are read.
  const RowRanges& rows;
};

/// One data file, opened. Immutable apart from a cache of page headers; share freely.
///
/// Every failure names the file; SerializationError carries CorruptFile. Reads 2.0, 2.1 and 2.2
/// files; other versions are NotImplemented by name. Source: file-format 2 to 9, 12.
class DataFileReader {
 public:
  /// Read footer, descriptor and column metadata: one or two requests.
  ///
  /// \param size_bytes the file's size when known; a wrong one is an error. No value: asks the
  ///   store
  static arrow::Result<std::shared_ptr<const DataFileReader>> Open(
      std::shared_ptr<ObjectStore> store, const std::string& path,
      std::optional<uint64_t> size_bytes, const arrow::StopToken& stop,
      arrow::MemoryPool* pool = nullptr);
  /// Open a file again, perhaps through another store. Makes no request, so that a file that is
  /// gone is noticed when rows are read.
  static std::shared_ptr<const DataFileReader> Reopen(std::shared_ptr<ObjectStore> store,
                                                      const std::string& path, OpenedFile opened,
                                                      arrow::MemoryPool* pool = nullptr);
  ~DataFileReader();

  /// What Reopen takes.
  const OpenedFile& opened() const;

  const std::string& path() const;
  /// Where the file is; its path is relative to the store's root.
  const std::shared_ptr<ObjectStore>& store() const;
  uint64_t num_rows() const;
  int num_columns() const;
  uint64_t size_bytes() const;
  FileVersion version() const;
  /// The schema in the file's descriptor, with the file's schema metadata.
  const LanceSchema& schema() const;
  /// Pages and sizes, as the file says.
  const DataFileMetadata& metadata() const;

  /// The number of global buffers, the descriptor (number 0) included.
  int num_global_buffers() const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadGlobalBuffer(
      int index, const arrow::StopToken& stop) const;

  /// Read some rows of a field, children included.
  ///
  /// Legacy blobs inside it come as descriptors, struct<position: uint64, size: uint64>, blob v2 as
  /// the struct of node.type.
  /// \return the values of `rows` in ascending order as one array; Invalid when no column is known
  ///   for a leaf
  arrow::Result<std::shared_ptr<arrow::Array>> ReadField(const FieldRead& read,
                                                         const arrow::StopToken& stop) const;

  /// Read some rows of one file column without nesting: what index files hold.
  ///
  /// \param type what the schema says the column is; another width than the pages' is corrupt
  arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(
      int column_index, const std::shared_ptr<arrow::DataType>& type, const RowRanges& rows,
      const arrow::StopToken& stop) const;

 private:
  class Impl;
  explicit DataFileReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace lance::format
