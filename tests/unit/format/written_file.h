#pragma once

#include <memory>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/io/stores.h"

namespace lance::format {

/// A file that the writer wrote into a store of its own.
struct WrittenFile {
  std::shared_ptr<ObjectStore> store;
  DataFileSummary summary;

  arrow::Result<std::shared_ptr<const DataFileReader>> Open() const {
    return DataFileReader::Open(store, "f.lance", summary.size_bytes,
                                arrow::StopToken::Unstoppable());
  }

  /// All its bytes.
  arrow::Result<std::string> Bytes() const {
    ARROW_ASSIGN_OR_RAISE(const auto buffers, store->Get("f.lance", {{0, summary.size_bytes}},
                                                         arrow::StopToken::Unstoppable()));
    return buffers[0]->ToString();
  }
};

/// Write batches of one schema to f.lance.
inline arrow::Result<WrittenFile> WriteBatches(const arrow::RecordBatchVector& batches,
                                               const DataFileWriterOptions& options = {}) {
  WrittenFile file{MakeMemoryStore(), {}};
  ARROW_ASSIGN_OR_RAISE(auto out, file.store->OpenWrite("f.lance"));
  ARROW_ASSIGN_OR_RAISE(const LanceSchema schema, MakeLanceSchema(*batches.at(0)->schema()));
  ARROW_ASSIGN_OR_RAISE(auto writer, DataFileWriter::Make(std::move(out), schema, options));
  for (const auto& batch : batches) ARROW_RETURN_NOT_OK(writer->Write(*batch));
  ARROW_ASSIGN_OR_RAISE(file.summary, writer->Finish());
  return file;
}

/// A batch of one nullable column named x.
inline std::shared_ptr<arrow::RecordBatch> OneColumn(const std::shared_ptr<arrow::Array>& array) {
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("x", array->type())}),
                                  array->length(), {array});
}

}  // namespace lance::format
