#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/status.h"
#include "arrow/type_fwd.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/field_writer.h"
#include "lance/format/v20/array_encoding.h"

namespace lance::format::v20 {

/// The pages of one column that were given to the sink so far. Must not move after the first.
/// Thread-compatible.
class ColumnPages {
 public:
  /// \param encoding serialized Encoding message of the column
  ColumnPages(std::string encoding, PageSink* sink);

  bool empty() const { return column_.pages.empty(); }

  /// Give a page to the sink.
  arrow::Status Append(const ArrayEncoding& encoding, uint64_t num_values,
                       std::vector<std::shared_ptr<arrow::Buffer>> buffers);

  /// Hand over the column when its pages are written. Once.
  ColumnMetadata Take() { return std::move(column_); }

 private:
  PageSink* sink_;
  uint64_t num_values_ = 0;
  ColumnMetadata column_;
};

}  // namespace lance::format::v20
