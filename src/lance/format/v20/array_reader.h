#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/pages/range_batch.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// Reads an array in steps, so that everything of one step is read in one request.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;

  /// Use the bytes that the last call asked for, and ask for more.
  ///
  /// \return whether the reader needs no more bytes; then Finish is next
  virtual arrow::Result<bool> Advance(RangeBatch* batch) = 0;

  /// Make the array. Once, after Advance has given true.
  virtual arrow::Result<std::shared_ptr<arrow::Array>> Finish() = 0;
};

/// Which rows of which page to read. Borrows the page.
struct PageRequest {
  const PageMetadata& page;
  std::shared_ptr<const ArrayEncoding> encoding;
  std::shared_ptr<arrow::DataType> type;
  /// Rows of the array: Page.length, or the items of a dictionary.
  uint64_t num_rows = 0;
  /// Ascending, disjoint, not empty, below num_rows.
  std::vector<RowRange> rows;
  /// Bytes that null rows may take without bytes in the file.
  uint64_t max_null_bytes = 0;
  arrow::MemoryPool* pool = nullptr;
};

/// Make a reader of a page of a column without columns below it.
///
/// \return SerializationError when the encoding does not make arrays of the type
arrow::Result<std::unique_ptr<ArrayReader>> MakePageReader(PageRequest request);

/// Check that the text of an array that was read is UTF-8; other arrays pass.
///
/// \return SerializationError naming the first broken value
arrow::Status CheckStoredText(const arrow::Array& array);

/// Count the rows of some ranges.
uint64_t CountRows(const std::vector<RowRange>& rows);

}  // namespace lance::format::v20
