#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"
#include "lance/transaction.h"

namespace lance {

/// The input of a write. Implicit, so that calls read as one line.
class BatchSource {
 public:
  /// Opens a new reader over the same rows each time.
  using Factory = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatchReader>>()>;

  /// Read a stream once.
  BatchSource(std::shared_ptr<arrow::RecordBatchReader> reader);  // NOLINT: implicit on purpose
  /// Read a table.
  BatchSource(std::shared_ptr<arrow::Table> table);  // NOLINT: implicit on purpose
  /// Read from a source that can be opened again.
  BatchSource(std::shared_ptr<arrow::Schema> schema, Factory factory);

  /// The columns of the input.
  const std::shared_ptr<arrow::Schema>& schema() const { return schema_; }
  /// Open the input; a one-shot stream only once.
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Open() const { return factory_(); }

 private:
  std::shared_ptr<arrow::Schema> schema_;
  Factory factory_;
};

/// What a write does when the table is or is not there.
enum class WriteMode {
  kCreate,     ///< Make a new table; it must not be there.
  kAppend,     ///< Add rows to a table that is there.
  kOverwrite,  ///< Replace all rows and the schema; makes the table when it is not there.
};

/// How rows are written. A plain value; names and defaults of pylance's write_dataset.
struct WriteOptions {
  /// Most rows of one data file, and so of one fragment.
  uint64_t max_rows_per_file = 1ull << 20;
  /// Soft upper bound of a data file's size.
  uint64_t max_bytes_per_file = 90ull << 30;
  /// Soft upper bound of the Arrow bytes of one column that make a page; no value: 8 MiB.
  std::optional<uint64_t> max_page_bytes;
  /// Version of the data files: "2.0", "2.1" or "2.2"; "": the table's, "2.1" for a new one. On an
  /// existing table only an overwrite may name another.
  std::string data_storage_version;
  /// Name manifests so that the newest sorts first; off: the older scheme. New tables only.
  bool enable_v2_manifest_paths = true;
  /// Call rows by ids that stay when they move. Chosen when a table is created; a table that is
  /// there must have them already.
  bool enable_stable_row_ids = false;
  /// Places that files of the table can be in from its beginning. New tables only.
  std::vector<DatasetBasePath> initial_bases;
  /// Names or paths of the base paths that get the data files, in turn; empty: the table itself.
  std::vector<std::string> target_bases;
  /// In place of target_bases: all base paths in turn, the table itself before them (true) or not
  /// at all (false).
  std::optional<bool> target_all_bases;
  /// How to commit.
  CommitOptions commit;
};

/// What a write did. A plain value.
struct WriteResult {
  /// The version that holds the rows.
  Dataset dataset;
  /// Rows written.
  uint64_t num_rows = 0;
  /// Fragments made.
  uint64_t num_fragments = 0;
  /// Bytes of data files written.
  uint64_t bytes_written = 0;
  /// How rows were sorted; no value: they kept their order. A one-shot sort has version 0.
  std::optional<ClusteringSpec> clustered_by;
  /// Whether the fragments carry the stamp of a definition.
  bool stamped = false;
};

/// Writes rows and commits them. Thread-compatible.
///
/// On a declared table rows arrive in curve order and stamped; contract section 5.
class InsertBuilder {
 public:
  /// Write to a table by place; default mode kCreate.
  explicit InsertBuilder(std::string uri);
  /// Write to an open table; default mode kAppend. The commit goes past newer versions that it does
  /// not conflict with.
  explicit InsertBuilder(Dataset dataset);

  /// Choose what to do when the table is there.
  InsertBuilder& WithMode(WriteMode mode);
  /// Choose how to write.
  InsertBuilder& WithOptions(WriteOptions options);
  /// Choose how to open; for a builder made from a place.
  InsertBuilder& WithOpenOptions(OpenOptions options);
  /// Sort by these columns: on a declared table exactly the declared ones, in order; elsewhere a
  /// one-shot sort that declares and stamps nothing.
  InsertBuilder& WithClusterByColumns(std::vector<std::string> columns);
  /// Keep the input's order and stamp nothing, also on a declared table.
  InsertBuilder& WithoutClustering();
  /// Create and declare in one commit; kCreate only. Rows arrive stamped.
  InsertBuilder& WithClustering(ClusteringRequest request);
  /// Give the table that is created a configuration and free metadata; kCreate only. A clustering
  /// is not declared so.
  InsertBuilder& WithMaps(std::map<std::string, std::string> config,
                          std::map<std::string, std::string> table_metadata);

  /// Write and commit.
  ///
  /// \return Invalid, KeyError or NotImplemented before anything is written, when the request does
  ///   not fit the table; AlreadyExists when creating a table that is there; and what commits
  ///   return
  arrow::Result<WriteResult> Execute(BatchSource source, const CallOptions& call = {}) const;

  /// Write, but commit nothing. On a declared table the transaction carries the stamp, which its
  /// commit gives to the fragments. Its files stay when nobody commits it.
  ///
  /// \return as Execute; Invalid for a table that is not there yet, which no handle could commit to
  arrow::Result<Transaction> ExecuteUncommitted(BatchSource source,
                                                const CallOptions& call = {}) const;

 private:
  friend class FragmentCreateBuilder;
  struct Prepared;
  /// Write, and make the commit of it, also of a table that is not there.
  static arrow::Result<Transaction> WriteUncommitted(const Prepared& prepared,
                                                     const BatchSource& source);
  /// Everything that is decided before the first byte is written.
  arrow::Result<Prepared> Prepare(const arrow::Schema& input, const CallOptions& call) const;

  std::string uri_;
  std::optional<Dataset> dataset_;
  WriteMode mode_;
  WriteOptions options_;
  OpenOptions open_options_;
  std::vector<std::string> cluster_by_;
  bool without_clustering_ = false;
  std::optional<ClusteringRequest> declaration_;
  std::map<std::string, std::string> config_;
  std::map<std::string, std::string> table_metadata_;
};

}  // namespace lance
