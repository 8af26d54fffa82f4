#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/util/cancel.h"
#include "lance/format/file_version.h"
#include "lance/format/schema.h"
#include "lance/object_store.h"

namespace lance::format {

/// One page of a file column, as its metadata describes it. A plain value.
struct PageMetadata {
  /// Inside the file; in 2.1 and later each at a multiple of kBufferAlignment.
  std::vector<ByteRange> buffers;
  /// Page.length: rows; below fixed-size lists of struct their flattened number; in 2.0 the values
  /// of the column's own domain (a list's items count items).
  uint64_t num_rows = 0;
  /// Where the page begins, counted as num_rows: the sum over the pages before it.
  uint64_t first_row = 0;
  /// Serialized Encoding message, not looked into yet: only columns that are read need be known.
  std::string encoding;
};

/// One column of a file. A plain value.
struct ColumnMetadata {
  /// In row order; in 2.1 and later without empty pages. Their sum is not checked here: only the
  /// schema says what it must be.
  std::vector<PageMetadata> pages;
  /// Serialized Encoding message of the column.
  std::string encoding;
  /// For writers: the entries of each row below fixed-size lists of struct, else 1. Pages are
  /// marked with the row that they begin with, first_row / entries_per_row. Not known when a file
  /// is read.
  uint64_t entries_per_row = 1;
};

/// Everything of a data file but its pages. A plain value.
///
/// Source: file-format 2 and 3.
struct DataFileMetadata {
  FileVersion version = kDefaultFileVersion;
  uint64_t file_size = 0;
  uint64_t num_rows = 0;
  LanceSchema schema;
  std::vector<ColumnMetadata> columns;
  /// Size of the columns' metadata and of the table that finds them.
  uint64_t column_metadata_bytes = 0;
  /// Inside the file; the first is the descriptor.
  std::vector<ByteRange> global_buffers;
};

/// One data file in a store. A plain value.
struct DataFileLocation {
  std::shared_ptr<ObjectStore> store;
  std::string path;
};

/// Read and check a file's metadata: one request, or two when it does not fit the file's tail.
///
/// \param size_bytes the file's size; no value: asks the store first
/// \return as DataFileReader::Open, without the file's name
arrow::Result<DataFileMetadata> LoadDataFileMetadata(const DataFileLocation& location,
                                                     std::optional<uint64_t> size_bytes,
                                                     const arrow::StopToken& stop);

/// Read the ranges of a file.
///
/// \return one buffer per range, of exactly its length
arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(
    const DataFileLocation& location, const std::vector<ByteRange>& ranges,
    const arrow::StopToken& stop);

}  // namespace lance::format
