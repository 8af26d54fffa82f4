#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/base/uuid.h"
#include "lance/format/data_file_writer.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// Writes the files of a BTree: page_data.lance as rows come, then page_lookup.lance
/// (zonemap-and-indices 6.1). Thread-compatible.
class BTreeWriter {
 public:
  static arrow::Result<std::unique_ptr<BTreeWriter>> Make(
      std::shared_ptr<ObjectStore> store, const Uuid& uuid,
      const std::shared_ptr<arrow::DataType>& type, const RunContext& run);

  /// Append the next rows in order: the columns value and row.
  arrow::Status Append(const arrow::RecordBatch& rows);

  /// Finish both files. \return their names and sizes
  arrow::Result<std::vector<table::IndexFile>> Finish();

  /// Delete what was written, if that can be done.
  void Abandon();

 private:
  BTreeWriter(std::shared_ptr<ObjectStore> store, const Uuid& uuid,
              std::shared_ptr<arrow::DataType> type, const RunContext& run);

  arrow::Result<std::unique_ptr<format::DataFileWriter>> OpenFile(const std::string& name,
                                                                  const arrow::Schema& schema);
  arrow::Status CutPages(const arrow::Array& values);
  arrow::Result<uint64_t> WriteLookup();

  std::shared_ptr<ObjectStore> store_;
  std::string folder_;
  std::shared_ptr<arrow::DataType> type_;
  RunContext run_;
  std::unique_ptr<format::DataFileWriter> page_data_;
  // Of pages: bounds and nulls. The last page is open while rows_in_page_ is not 0.
  std::unique_ptr<arrow::ArrayBuilder> min_;
  std::unique_ptr<arrow::ArrayBuilder> max_;
  std::vector<uint32_t> null_counts_;
  uint64_t rows_in_page_ = 0;
  std::shared_ptr<arrow::Array> last_value_;  // of the rows so far, as an array of one
};

}  // namespace lance::index
