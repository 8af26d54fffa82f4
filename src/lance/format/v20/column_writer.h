#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_tree.h"
#include "lance/format/field_writer.h"

namespace lance::format::v20 {

/// Writes a field and those below it: the columns that they own. Thread-compatible.
class ColumnWriter {
 public:
  virtual ~ColumnWriter() = default;

  /// Append the rows [begin, end) of an array of the field's type; writes pages that are full.
  ///
  /// \return Invalid naming the path of a field that has a null and must not
  virtual arrow::Status Append(const arrow::Array& array, int64_t begin, int64_t end) = 0;

  /// Whether no page of the field, or of one below it, would be too large with these rows too.
  virtual bool Fits(const arrow::Array& array, int64_t begin, int64_t end) const = 0;

  /// Write what is buffered as pages.
  virtual arrow::Status Flush() = 0;

  /// Flush, for the last time.
  ///
  /// \param needs_page write a page without values when the column has none: below lists
  virtual arrow::Status Finish(bool needs_page) = 0;

  /// Bytes that are buffered.
  virtual uint64_t pending_bytes() const = 0;

  /// Append the columns in their order, complete after Finish.
  virtual void TakeColumns(std::vector<ColumnMetadata>* columns) = 0;
};

/// Make the writer of a field.
///
/// \param path the field's name behind those above it, for messages
/// \return NotImplemented + UnsupportedFeature; Invalid for metadata that are not allowed
arrow::Result<std::unique_ptr<ColumnWriter>> MakeColumnWriter(const FieldNode& node,
                                                              const std::string& path,
                                                              const FieldWriterOptions& options,
                                                              PageSink* sink);

/// The most rows [begin, result) of an array that fit, at least one. \pre begin < end
int64_t EndOfRowsThatFit(const ColumnWriter& writer, const arrow::Array& array, int64_t begin,
                         int64_t end);

/// Check the nulls of rows [begin, end) of an array.
///
/// \return Invalid naming `path` when the field must not have any; structs never: 2.0 has no place
///   for them
arrow::Status CheckNulls(const FieldNode& node, const std::string& path, const arrow::Array& array,
                         int64_t begin, int64_t end);

}  // namespace lance::format::v20
