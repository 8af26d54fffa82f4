#include "lance/format/v20/column_pages.h"

#include <utility>

#include "arrow/buffer.h"
#include "lance/format/v20/array_encoding_proto.h"

namespace lance::format::v20 {
namespace {

/// A page that is encoded. Borrows the column, which has the page at `index` without its buffers.
class EncodedPage : public PendingPage {
 public:
  EncodedPage(std::vector<std::shared_ptr<arrow::Buffer>> buffers, size_t index,
              ColumnMetadata* column)
      : buffers_(std::move(buffers)), index_(index), column_(column) {}

  uint64_t size_bytes() const override {
    uint64_t bytes = 0;
    for (const auto& buffer : buffers_) bytes += static_cast<uint64_t>(buffer->size());
    return bytes;
  }

  arrow::Status Encode() override { return arrow::Status::OK(); }

  arrow::Status Write(PageSink* out) override {
    for (const auto& buffer : std::exchange(buffers_, {})) {
      const std::string_view bytes(reinterpret_cast<const char*>(buffer->data()),
                                   static_cast<size_t>(buffer->size()));
      ARROW_ASSIGN_OR_RAISE(const ByteRange range, out->AppendBuffer(bytes));
      column_->pages[index_].buffers.push_back(range);
    }
    return arrow::Status::OK();
  }

 private:
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  size_t index_;
  ColumnMetadata* column_;
};

}  // namespace

ColumnPages::ColumnPages(std::string encoding, PageSink* sink) : sink_(sink) {
  column_.encoding = std::move(encoding);
}

arrow::Status ColumnPages::Append(const ArrayEncoding& encoding, uint64_t num_values,
                                  std::vector<std::shared_ptr<arrow::Buffer>> buffers) {
  PageMetadata page;
  page.num_rows = num_values;
  page.first_row = num_values_;
  page.encoding = SerializeArrayEncoding(encoding);
  num_values_ += num_values;
  column_.pages.push_back(std::move(page));
  return sink_->AppendPage(
      std::make_unique<EncodedPage>(std::move(buffers), column_.pages.size() - 1, &column_));
}

}  // namespace lance::format::v20
