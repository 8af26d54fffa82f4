#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lance/format/byte_buffer.h"
#include "lance/format/v20/column_pages.h"
#include "lance/format/v20/column_writer.h"

namespace lance::format::v20 {

/// Writes a list or large list: the offsets column, and its items behind each page of it.
class ListWriter : public ColumnWriter {
 public:
  /// \param node lives as long as the writer
  ListWriter(const FieldNode& node, std::string path, const FieldWriterOptions& options,
             std::unique_ptr<ColumnWriter> items, ColumnPages pages);

  arrow::Status Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  bool Fits(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Status Flush() override;
  arrow::Status Finish(bool needs_page) override;
  uint64_t pending_bytes() const override { return ends_.size() + items_->pending_bytes(); }
  void TakeColumns(std::vector<ColumnMetadata>* columns) override;

 private:
  template <typename List>
  arrow::Status AppendLists(const List& lists, int64_t begin, int64_t end);
  arrow::Status WritePage();
  uint64_t num_rows() const { return ends_.size() / sizeof(uint64_t); }

  const FieldNode& node_;
  std::string path_;
  uint64_t max_page_bytes_;
  std::unique_ptr<ColumnWriter> items_;
  ColumnPages pages_;
  ByteBuffer ends_;  // one u64 a row, without what nulls are raised by
  std::vector<uint64_t> null_rows_;
  uint64_t num_items_ = 0;  // of the page
};

}  // namespace lance::format::v20
