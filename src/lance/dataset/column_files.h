#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/format/schema.h"
#include "lance/table/commit.h"
#include "lance/table/manifest.h"

namespace lance {

/// Visit some columns of the live rows of one fragment in order, blobs as payloads.
///
/// \param columns top-level names; empty: all
/// \param visit gets the columns, and the offset of each row in the fragment
arrow::Status VisitFragment(
    const Dataset& dataset, const table::Fragment& fragment, std::vector<std::string> columns,
    uint64_t batch_size, const CallOptions& call,
    const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>& rows,
                                      const std::vector<uint32_t>& offsets)>& visit);

/// Writes a new data file with more columns for a fragment that is there. Thread-compatible.
///
/// The file has a value for every physical row: a deleted row gets that of another row of its
/// batch, as the reference does (table-format 9.5).
class ColumnFileWriter {
 public:
  ColumnFileWriter(std::shared_ptr<ObjectStore> store, const table::Fragment& fragment,
                   format::LanceSchema schema, FragmentWriterOptions options,
                   const RunContext& run);

  /// Append the values of live rows, in order of their offsets.
  arrow::Status Write(const std::shared_ptr<arrow::RecordBatch>& values,
                      const std::vector<uint32_t>& offsets);

  /// End the file. \return no value when the fragment has no live row
  arrow::Result<std::optional<table::DataFile>> Finish();

 private:
  uint64_t physical_rows_;
  uint64_t next_offset_ = 0;
  std::shared_ptr<arrow::RecordBatch> filler_;  // one row
  RunContext run_;
  FragmentWriter writer_;
};

/// Makes the values of new columns for the live rows of one batch of a fragment.
using MakeValues = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(
    const std::shared_ptr<arrow::RecordBatch>& rows)>;

/// What to write for every fragment. A plain value.
struct ColumnRewrite {
  /// The fields of the new files.
  format::LanceSchema schema;
  /// What `make` gets; empty: all columns.
  std::vector<std::string> read_columns;
  uint64_t batch_size = 8192;
  MakeValues make;
};

/// Write the files of one fragment. \return no value when it has no live row
arrow::Result<std::optional<table::DataFile>> WriteColumnFile(const Dataset& dataset,
                                                              const table::Fragment& fragment,
                                                              const ColumnRewrite& rewrite,
                                                              const CallOptions& call);

/// Fragments with new files that are not committed yet. Files are deleted again unless Keep was
/// called.
class NewColumnFiles {
 public:
  /// Write the files of all fragments of a version, in its order.
  static arrow::Result<NewColumnFiles> Write(const Dataset& dataset, const ColumnRewrite& rewrite,
                                             const CallOptions& call);
  NewColumnFiles(NewColumnFiles&&) = default;
  NewColumnFiles& operator=(NewColumnFiles&&) = default;
  ~NewColumnFiles();

  /// All fragments of the version, those with live rows with their new file at the end.
  const std::vector<table::Fragment>& fragments() const { return fragments_; }
  void Keep() { store_.reset(); }

 private:
  NewColumnFiles() = default;

  std::shared_ptr<ObjectStore> store_;
  std::vector<table::Fragment> fragments_;
  std::vector<table::Fragment> added_;  // with the new files only
};

/// Check that this version may write to the table at all. \return Invalid, NotImplemented
arrow::Status CheckSchemaChangeable(const Dataset::Impl& dataset);

/// Commit a change of the schema on the version that it was made for.
///
/// \param files kept unless the commit certainly did not land; null: none
arrow::Result<Dataset> CommitSchemaChange(const Dataset& dataset, table::Operation operation,
                                          table::ClusteringChange clustering,
                                          const CommitOptions& options, NewColumnFiles* files,
                                          const CallOptions& call);

}  // namespace lance
