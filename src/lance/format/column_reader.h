#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "arrow/util/cancel.h"
#include "lance/base/row_ranges.h"
#include "lance/format/column_type.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/mini_block_page.h"
#include "lance/format/page_layout.h"

namespace lance::format {

/// What one page's values are decoded with. Immutable.
struct PageHeader {
  /// The width that the layout's decoders were made for.
  uint32_t bits_per_value = 0;
  PageLayout layout;
  ChunkTable chunks;
  /// The page's dictionary, decoded; empty when it has none.
  ValueBuffer dictionary;
};

/// The page headers of one file that were read so far, so that each is read once. Thread-safe.
class PageHeaderCache {
 public:
  /// Find a page's header. \return null when it is not there, or was made for another width
  std::shared_ptr<const PageHeader> Find(int column, size_t page, uint32_t bits_per_value);
  void Put(int column, size_t page, std::shared_ptr<const PageHeader> header);

 private:
  std::mutex mutex_;
  std::map<std::pair<int, size_t>, std::shared_ptr<const PageHeader>> headers_;
};

/// Which rows of which column to read, and from where. Borrows everything for the call.
struct ColumnRequest {
  const DataFileLocation& location;
  const DataFileMetadata& metadata;
  PageHeaderCache& headers;
  int column_index;
  const ColumnType& type;
  const RowRanges& rows;
  arrow::MemoryPool* pool;
  const arrow::StopToken& stop;
};

/// Read some rows of a column, in at most two requests: page headers that are not cached yet, then
/// the chunks that hold the rows.
///
/// \pre the column and rows exist
/// \return as DataFileReader::ReadColumn, without the file's name
arrow::Result<std::shared_ptr<arrow::Array>> ReadColumnRows(const ColumnRequest& request);

}  // namespace lance::format
