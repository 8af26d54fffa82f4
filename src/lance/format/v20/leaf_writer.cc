#include "lance/format/v20/leaf_writer.h"

#include <utility>

#include "arrow/array.h"
#include "lance/base/status_detail.h"

namespace lance::format::v20 {

LeafWriter::LeafWriter(const FieldNode& node, std::string path, uint64_t max_page_bytes,
                       std::unique_ptr<PageBuilder> builder, ColumnPages pages)
    : node_(node),
      path_(std::move(path)),
      max_page_bytes_(max_page_bytes),
      builder_(std::move(builder)),
      pages_(std::move(pages)) {}

arrow::Status LeafWriter::Append(const arrow::Array& array, int64_t begin, int64_t end) {
  ARROW_RETURN_NOT_OK(CheckNulls(node_, path_, array, begin, end));
  while (begin < end) {
    if (builder_->num_rows() > 0 && !Fits(array, begin, begin + 1)) ARROW_RETURN_NOT_OK(Flush());
    const int64_t fitting = EndOfRowsThatFit(*this, array, begin, end);
    auto taken = builder_->Append(array, begin, fitting);
    if (!taken.ok()) return WithContext(taken.status(), "field " + path_);
    begin += *taken;
    if (begin < end) ARROW_RETURN_NOT_OK(Flush());
  }
  return arrow::Status::OK();
}

bool LeafWriter::Fits(const arrow::Array& array, int64_t begin, int64_t end) const {
  if (begin == end) return true;  // an array without rows may lack its buffers
  return builder_->pending_bytes() + builder_->BytesOf(array, begin, end) <= max_page_bytes_;
}

arrow::Status LeafWriter::WritePage() {
  const uint64_t num_rows = builder_->num_rows();
  std::vector<std::shared_ptr<arrow::Buffer>> buffers;
  ARROW_ASSIGN_OR_RAISE(const ArrayEncoding encoding, builder_->Build(&buffers));
  return pages_.Append(encoding, num_rows, buffers);
}

arrow::Status LeafWriter::Flush() {
  return builder_->num_rows() > 0 ? WritePage() : arrow::Status::OK();
}

arrow::Status LeafWriter::Finish(bool needs_page) {
  ARROW_RETURN_NOT_OK(Flush());
  return needs_page && pages_.empty() ? WritePage() : arrow::Status::OK();
}

void LeafWriter::TakeColumns(std::vector<ColumnMetadata>* columns) {
  columns->push_back(pages_.Take());
}

}  // namespace lance::format::v20
