#pragma once

#include <memory>
#include <string>

#include "lance/format/v20/column_pages.h"
#include "lance/format/v20/column_writer.h"
#include "lance/format/v20/page_builder.h"

namespace lance::format::v20 {

/// Writes a field that has one column: leaves, packed structs, blobs.
class LeafWriter : public ColumnWriter {
 public:
  /// \param node lives as long as the writer
  LeafWriter(const FieldNode& node, std::string path, uint64_t max_page_bytes,
             std::unique_ptr<PageBuilder> builder, ColumnPages pages);

  arrow::Status Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  bool Fits(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Status Flush() override;
  arrow::Status Finish(bool needs_page) override;
  uint64_t pending_bytes() const override { return builder_->pending_bytes(); }
  void TakeColumns(std::vector<ColumnMetadata>* columns) override;

 private:
  arrow::Status WritePage();

  const FieldNode& node_;
  std::string path_;
  uint64_t max_page_bytes_;
  std::unique_ptr<PageBuilder> builder_;
  ColumnPages pages_;
};

}  // namespace lance::format::v20
