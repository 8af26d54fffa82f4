#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_writer.h"
#include "lance/format/file_version.h"
#include "lance/format/schema.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance {

/// A column whose zone statistics are stored in the data files as a seed.
struct SeedColumn {
  std::string name;
  int32_t field_id = -1;
  uint64_t rows_per_zone = 0;
};

/// How fragments are cut and what goes into them. A plain value.
struct FragmentWriterOptions {
  uint64_t max_rows_per_file = 1ull << 20;
  uint64_t max_bytes_per_file = 90ull << 30;  // soft
  format::FileVersion version = format::kDefaultFileVersion;
  std::optional<uint64_t> max_page_bytes;
  std::vector<SeedColumn> seeds;
  /// The base paths that get the files, in turn; no value: the table itself. Empty: it alone.
  std::vector<std::optional<uint32_t>> bases;
};

/// Writes rows into new data files, one file a fragment. Commits nothing; ids stay 0.
///
/// Files that were written are deleted again unless Finish succeeded. Thread-compatible.
class FragmentWriter {
 public:
  FragmentWriter(std::shared_ptr<ObjectStore> store, format::LanceSchema schema,
                 FragmentWriterOptions options, const RunContext& run);
  ~FragmentWriter();

  /// Append rows; columns in the schema's order and of its types.
  arrow::Status Write(const arrow::RecordBatch& batch);

  /// End the current file here; the next row starts a new one.
  arrow::Status CutFile();

  /// End the last file and hand over the fragments in row order.
  arrow::Result<std::vector<table::Fragment>> Finish();

  uint64_t num_rows() const { return num_rows_; }
  uint64_t bytes_written() const { return bytes_written_; }

 private:
  class OpenFile;

  arrow::Status StartFile();
  /// How many of some rows to write before the limits of the file are looked at again.
  int64_t RowsToWrite(const arrow::RecordBatch& rest) const;

  std::shared_ptr<ObjectStore> store_;
  format::LanceSchema schema_;
  FragmentWriterOptions options_;
  RunContext run_;
  std::unique_ptr<OpenFile> file_;
  std::vector<table::Fragment> fragments_;
  uint64_t num_rows_ = 0;
  uint64_t bytes_written_ = 0;
  bool finished_ = false;
};

/// Rows of each file of a clustered write of `num_rows` rows (contract section 5).
///
/// n = ceil(num_rows / max_rows) files. When the last would have fewer than max_rows / 8 rows, all
/// get floor(num_rows / n) or one more, the larger ones first; else all but the last get max_rows.
std::vector<uint64_t> ClusteredFileSizes(uint64_t num_rows, uint64_t max_rows);

/// Write a sorted table with clustered file cuts.
arrow::Status WriteClustered(const arrow::Table& sorted, uint64_t max_rows_per_file,
                             FragmentWriter* writer);

/// The manifest's entry for a file that was written below data/.
table::DataFile MakeDataFile(std::string name, const format::DataFileSummary& summary);

/// Delete data files that no version refers to; failures are ignored, cleanup finds what stays.
void DeleteDataFiles(ObjectStore& store, const std::vector<table::Fragment>& fragments);

}  // namespace lance
