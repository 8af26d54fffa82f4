#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lance/format/v20/column_pages.h"
#include "lance/format/v20/column_writer.h"

namespace lance::format::v20 {

/// Writes a struct: its header column, of one page for the whole file, and its members.
class StructWriter : public ColumnWriter {
 public:
  /// \param node lives as long as the writer
  /// \param members one for each member, in order
  StructWriter(const FieldNode& node, std::string path,
               std::vector<std::unique_ptr<ColumnWriter>> members, ColumnPages pages)
      : node_(node),
        path_(std::move(path)),
        members_(std::move(members)),
        pages_(std::move(pages)) {}

  arrow::Status Append(const arrow::Array& array, int64_t begin, int64_t end) override;
  bool Fits(const arrow::Array& array, int64_t begin, int64_t end) const override;
  arrow::Status Flush() override;
  arrow::Status Finish(bool needs_page) override;
  uint64_t pending_bytes() const override;
  void TakeColumns(std::vector<ColumnMetadata>* columns) override;

 private:
  const FieldNode& node_;
  std::string path_;
  std::vector<std::unique_ptr<ColumnWriter>> members_;
  ColumnPages pages_;
  uint64_t num_rows_ = 0;
};

}  // namespace lance::format::v20
