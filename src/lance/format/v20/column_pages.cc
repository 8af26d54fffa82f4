#include "lance/format/v20/column_pages.h"

#include <utility>

#include "arrow/buffer.h"
#include "lance/format/v20/array_encoding_proto.h"

namespace lance::format::v20 {

ColumnPages::ColumnPages(std::string encoding, PageSink* sink) : sink_(sink) {
  column_.encoding = std::move(encoding);
}

arrow::Status ColumnPages::Append(const ArrayEncoding& encoding, uint64_t num_values,
                                  const std::vector<std::shared_ptr<arrow::Buffer>>& buffers) {
  PageMetadata page;
  for (const auto& buffer : buffers) {
    const std::string_view bytes(reinterpret_cast<const char*>(buffer->data()),
                                 static_cast<size_t>(buffer->size()));
    ARROW_ASSIGN_OR_RAISE(const ByteRange range, sink_->AppendBuffer(bytes));
    page.buffers.push_back(range);
  }
  page.num_rows = num_values;
  page.first_row = num_values_;
  page.encoding = SerializeArrayEncoding(encoding);
  num_values_ += num_values;
  column_.pages.push_back(std::move(page));
  return arrow::Status::OK();
}

}  // namespace lance::format::v20
