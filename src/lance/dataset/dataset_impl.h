#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"
#include "lance/dataset/session_impl.h"
#include "lance/dataset/table_place.h"
#include "lance/format/field_tree.h"
#include "lance/table/clustering_metadata.h"
#include "lance/table/commit.h"
#include "lance/table/manifest_store.h"

namespace lance {

class RowIdIndex;

/// One version of a table, opened. Immutable.
class Dataset::Impl : public std::enable_shared_from_this<Impl> {
 public:
  std::string uri;
  std::shared_ptr<ObjectStore> store;  // finds the files of other base paths, too
  std::shared_ptr<Session> session;
  OpenedTable opened;  // to open other versions; its root is known
  std::shared_ptr<const table::LoadedManifest> loaded;

  // Derived from the manifest once.
  std::shared_ptr<arrow::Schema> schema;
  std::vector<format::FieldNode> fields;  // top-level, in the schema's order
  TableProperties properties;
  std::optional<ClusteringSpec> clustering_spec;

  const table::Manifest& manifest() const { return loaded->manifest; }
  /// The fragments as the outside sees them; made when first asked for.
  const std::vector<FragmentMetadata>& fragments() const;
  table::ManifestStore manifests() const { return table::ManifestStore(store); }
  /// A top-level field by id. \return null when there is none
  const format::FieldNode* FindField(int32_t field_id) const;
  /// The live rows by their stable ids, read when first asked for. Thread-safe.
  ///
  /// \pre the table has stable row ids
  arrow::Result<std::shared_ptr<const RowIdIndex>> RowIds(const RunContext& run) const;
  RunContext Run(const CallOptions& call) const { return MakeRunContext(*session, call); }

  /// Derive the rest from a manifest.
  static arrow::Result<Dataset> Make(const OpenedTable& table, table::LoadedManifest loaded);

  /// This version with only one of its fragments, to read it; not to commit to.
  ///
  /// \return KeyError + NotFound{fragment} for an unknown id
  arrow::Result<Dataset> OnlyFragment(uint64_t id) const;

  /// Commit a transaction on this version and open the result.
  arrow::Result<Dataset> Commit(table::CommitRequest request, const RunContext& run) const;

 private:
  mutable std::once_flag fragments_made_;
  mutable std::vector<FragmentMetadata> fragments_;
  /// What is read when it is first asked for.
  struct Lazy {
    std::mutex mutex;
    std::shared_ptr<const RowIdIndex> row_ids;
  };
  std::shared_ptr<Lazy> lazy_ = std::make_shared<Lazy>();
};

/// The inside of FragmentMetadata. Immutable; what only some callers look at is made when asked
/// for.
struct FragmentMetadata::Impl {
  explicit Impl(std::shared_ptr<const table::Fragment> shown) : fragment(std::move(shown)) {}

  const table::Stamp& stamp() const;
  const std::vector<DataFileInfo>& files() const;

  const std::shared_ptr<const table::Fragment> fragment;  // perhaps a part of a manifest

 private:
  void Derive() const;

  mutable std::once_flag derived_;
  mutable table::Stamp stamp_;
  mutable std::vector<DataFileInfo> files_;
};

/// Show a fragment to the outside.
FragmentMetadata MakeFragmentMetadata(const table::Fragment& fragment);

/// A transaction of ours with a fresh uuid, message and properties.
table::Transaction MakeTransaction(uint64_t read_version, table::Operation operation,
                                   const CommitOptions& commit, const RunContext& run);

/// The retry policy that a caller asked for. \return Invalid for negative numbers
arrow::Result<table::RetryPolicy> MakeRetryPolicy(const CommitOptions& commit);

}  // namespace lance
