#include "lance/format/v20/struct_writer.h"

#include "arrow/array.h"

namespace lance::format::v20 {

arrow::Status StructWriter::Append(const arrow::Array& array, int64_t begin, int64_t end) {
  ARROW_RETURN_NOT_OK(CheckNulls(node_, path_, array, begin, end));
  const auto& structs = static_cast<const arrow::StructArray&>(array);
  for (size_t i = 0; i < members_.size(); ++i) {
    ARROW_RETURN_NOT_OK(members_[i]->Append(*structs.field(static_cast<int>(i)), begin, end));
  }
  num_rows_ += static_cast<uint64_t>(end - begin);
  return arrow::Status::OK();
}

bool StructWriter::Fits(const arrow::Array& array, int64_t begin, int64_t end) const {
  const auto& structs = static_cast<const arrow::StructArray&>(array);
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i]->Fits(*structs.field(static_cast<int>(i)), begin, end)) return false;
  }
  return true;
}

arrow::Status StructWriter::Flush() {
  for (const auto& member : members_) ARROW_RETURN_NOT_OK(member->Flush());
  return arrow::Status::OK();
}

arrow::Status StructWriter::Finish(bool needs_page) {
  // Also when there are no rows (file-format 4.2).
  ARROW_RETURN_NOT_OK(pages_.Append(ArrayEncoding{StructEncoding{}}, num_rows_, {}));
  for (const auto& member : members_) ARROW_RETURN_NOT_OK(member->Finish(needs_page));
  return arrow::Status::OK();
}

uint64_t StructWriter::pending_bytes() const {
  uint64_t bytes = 0;
  for (const auto& member : members_) bytes += member->pending_bytes();
  return bytes;
}

void StructWriter::TakeColumns(std::vector<ColumnMetadata>* columns) {
  columns->push_back(pages_.Take());
  for (const auto& member : members_) member->TakeColumns(columns);
}

}  // namespace lance::format::v20
