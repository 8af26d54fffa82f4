#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/base/run_context.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/data_file_cache.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/field_tree.h"
#include "lance/format/schema.h"
#include "lance/table/manifest.h"

namespace lance {

/// Reads columns of one fragment. Files are opened when first needed. Thread-safe.
class FragmentReader {
 public:
  FragmentReader(std::shared_ptr<ObjectStore> store, const table::Fragment& fragment,
                 const RunContext& run)
      : store_(std::move(store)), fragment_(fragment), run_(run) {}

  ~FragmentReader();

  /// Open files by what the session knows of the table's, and leave there what was read of them.
  void UseCacheOf(const Dataset::Impl& dataset);

  /// Give blobs as payloads; descriptors otherwise.
  void set_blob_form(BlobForm form) { blob_form_ = form; }

  const table::Fragment& fragment() const { return fragment_; }

  /// The rows that are not deleted. Reads the deletion file each time.
  arrow::Result<RowRanges> Live() const;

  /// Read rows of one column, children included; what no file holds is null.
  ///
  /// Parts may lie in several files (split_fields.h).
  arrow::Result<std::shared_ptr<arrow::Array>> ReadColumn(const format::FieldNode& field,
                                                          const RowRanges& rows);

  /// Read rows of several columns, in parallel.
  arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ReadColumns(
      const std::vector<const format::FieldNode*>& fields, const RowRanges& rows);

  /// Open a file of the fragment, which checks the manifest's row count. For scans that read no
  /// column: row addresses alone would follow whatever the manifest claims.
  arrow::Status CheckRowCount();

  /// The last file of the fragment that maps a field, opened. \return null when none does
  arrow::Result<std::shared_ptr<const format::DataFileReader>> FileOf(int32_t field_id);

 private:
  /// The file that maps a field; no value: none. The last one wins.
  std::optional<size_t> FindFile(int32_t field_id) const;
  /// Read what one file holds of a field.
  arrow::Result<std::shared_ptr<arrow::Array>> ReadPart(const format::FieldNode& part,
                                                        size_t file_index, const RowRanges& rows);
  /// The columns of a file, by field.
  format::ColumnMap ColumnsOf(size_t file_index) const;
  arrow::Result<std::shared_ptr<const format::DataFileReader>> OpenFile(size_t file_index);
  arrow::Result<std::shared_ptr<const format::DataFileReader>> OpenUnchecked(size_t file_index);
  std::string CacheKey(const table::DataFile& file) const;

  std::shared_ptr<ObjectStore> store_;
  const table::Fragment& fragment_;  // of the manifest that the scan holds
  RunContext run_;
  BlobForm blob_form_ = BlobForm::kDescriptors;
  DataFileCache* cache_ = nullptr;
  std::string table_uri_;
  std::mutex mutex_;
  std::map<size_t, std::shared_ptr<const format::DataFileReader>> files_;
  std::map<size_t, uint64_t> known_bytes_;  // of files that were in the cache
};

/// The addresses of rows of a fragment: (fragment id << 32) | offset.
arrow::Result<std::shared_ptr<arrow::Array>> RowAddresses(uint64_t fragment_id,
                                                          const RowRanges& rows,
                                                          arrow::MemoryPool* pool);

}  // namespace lance
