#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/clustering.h"
#include "lance/fragment.h"
#include "lance/refs.h"
#include "lance/scan.h"
#include "lance/session.h"

namespace lance {

/// How to open a table. A plain value.
struct OpenOptions {
  /// Which version.
  Ref ref = Ref::Latest();
  /// Shared memory, threads and caches; null: a session of its own.
  std::shared_ptr<Session> session;
  /// Options of the store; they win over the session's.
  StorageOptions storage_options;
};

/// What a version says of itself beside schema and fragments. A plain value.
struct TableProperties {
  /// Free configuration; keys `lance.` are reserved.
  std::map<std::string, std::string> config;
  /// Free metadata of the table.
  std::map<std::string, std::string> table_metadata;
  /// Version of its data files, for example "2.1".
  std::string data_storage_version;
  /// Whether rows keep an id for ever.
  bool has_stable_row_ids = false;
  /// Features that a reader must know, as bits.
  uint64_t reader_flags = 0;
  /// Features that a writer must know, as bits.
  uint64_t writer_flags = 0;
  /// Clustering definitions of every provider.
  std::vector<ClusteringDefinition> clustering_definitions;
  /// Why the stored declaration cannot be used; "" when it is absent or good.
  std::string clustering_problem;
};

/// One version of a table. Immutable and cheap to copy; every change returns a new Dataset.
class Dataset {
 public:
  /// Open a table.
  ///
  /// \param uri a plain path, taken literally, or a URI with scheme file or memory
  /// \return KeyError + NotFound when table or version is not there;
  ///   NotImplemented + UnsupportedFeature when the table uses what this version cannot read
  static arrow::Result<Dataset> Open(std::string uri, const OpenOptions& options = {},
                                     const CallOptions& call = {});

  /// Where the table lies, absolute.
  const std::string& uri() const;
  /// The branch that the version is of; "": the main one. A branch lies in a folder of its own,
  /// which uri() names.
  const std::string& branch() const;
  /// The version number, 1 or higher.
  uint64_t version() const;
  /// When the version was committed.
  Timestamp timestamp() const;
  /// The columns.
  const std::shared_ptr<arrow::Schema>& schema() const;
  /// The fragments in scan order.
  const std::vector<FragmentMetadata>& fragments() const;
  /// Configuration, flags and definitions.
  const TableProperties& properties() const;
  /// The session it was opened with.
  const std::shared_ptr<Session>& session() const;

  /// Open another version of the same table.
  arrow::Result<Dataset> Checkout(const Ref& ref = Ref::Latest(),
                                  const CallOptions& call = {}) const;

  /// Prepare a scan. \return Invalid or KeyError when columns or filter do not fit the schema
  arrow::Result<Scanner> Scan(ScanOptions options = {}) const;
  /// Count rows; without a filter from metadata alone.
  arrow::Result<uint64_t> CountRows(const std::optional<Filter>& filter = {},
                                    const CallOptions& call = {}) const;

  /// The declaration; no value: undeclared, or properties().clustering_problem says why.
  const std::optional<ClusteringSpec>& clustering_spec() const;

  /// Declare the layout that the table should have. Metadata only: no data is touched.
  ///
  /// One-way door: the definition that this commits raises a writer feature flag for good. Every
  /// Lance reader still opens the table, but released Lance writers from 12 on refuse to commit to
  /// it, and older ones lose the clustering metadata. The way out is to copy the table.
  ///
  /// \return the same dataset when the same layout is declared already; Invalid or KeyError naming
  ///   key, value and what is allowed. Source: contract sections 2 and 3.
  arrow::Result<Dataset> SetClustering(const ClusteringRequest& request,
                                       const CallOptions& call = {}) const;
  /// Remove the declaration in one commit; stamps and definitions stay.
  arrow::Result<Dataset> ClearClustering(const CommitOptions& commit = {},
                                         const CallOptions& call = {}) const;

  /// The inside; for the library only.
  class Impl;
  /// Wrap an inside; for the library only.
  explicit Dataset(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace lance
