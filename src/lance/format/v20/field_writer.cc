#include "lance/format/field_writer.h"

#include <algorithm>
#include <utility>

#include "arrow/array.h"
#include "arrow/memory_pool.h"
#include "lance/format/v20/column_writer.h"

namespace lance::format::v20 {
namespace {

/// Writes a field through the writers of its tree.
class TreeWriter : public FieldWriter {
 public:
  explicit TreeWriter(FieldNode node) : node_(std::move(node)) {}

  arrow::Status Init(const FieldWriterOptions& options, PageSink* sink) {
    return MakeColumnWriter(node_, node_.name, options, sink).Value(&writer_);
  }

  arrow::Status Write(const std::shared_ptr<arrow::Array>& array) override {
    if (!array->type()->Equals(*node_.type)) {
      return arrow::Status::Invalid("field ", node_.name, " is a ", node_.type->ToString(),
                                    ", the array a ", array->type()->ToString());
    }
    return writer_->Append(*array, 0, array->length());
  }

  /// Nothing to do: builders copy what they are given.
  arrow::Status LetGoOfInput(uint64_t /*batch_bytes*/) override { return arrow::Status::OK(); }
  arrow::Status Finish() override { return writer_->Finish(/*needs_page=*/false); }
  uint64_t pending_bytes() const override { return writer_->pending_bytes(); }

  std::vector<ColumnMetadata> TakeColumns() override {
    std::vector<ColumnMetadata> columns;
    writer_->TakeColumns(&columns);
    return columns;
  }

 private:
  FieldNode node_;  // the writers borrow it
  std::unique_ptr<ColumnWriter> writer_;
};

}  // namespace

arrow::Result<std::unique_ptr<FieldWriter>> MakeFieldWriter(const FieldNode& node,
                                                            const FieldWriterOptions& options,
                                                            PageSink* sink) {
  FieldWriterOptions used = options;
  if (used.pool == nullptr) used.pool = arrow::default_memory_pool();
  auto writer = std::make_unique<TreeWriter>(node);
  ARROW_RETURN_NOT_OK(writer->Init(used, sink));
  return writer;
}

}  // namespace lance::format::v20
