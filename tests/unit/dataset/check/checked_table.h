#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/lance.h"
#include "lance/table/manifest.h"
#include "lance/testing/table_session.h"

namespace lance::testing {

/// Which healthy table a test begins with.
enum class Sample {
  kPlain,      // versions, deletions of both kinds, a zonemap of two segments, tags, config
  kStable,     // stable row ids, after a deletion and an update
  kDeclared,   // clustered, with stamps, zonemaps and seeds
  kOldFormat,  // data files of version 2.0
};

/// A table in memory that a test damages.
class CheckedTable {
 public:
  /// A copy of a healthy table of one kind; it is made once.
  static CheckedTable Make(Sample sample);

  ObjectStore& store() const { return *store_; }
  const std::shared_ptr<ObjectStore>& shared_store() const { return store_; }
  OpenOptions options() const { return FaultySession(store_).Options(/*with_faults=*/false); }

  /// Check the table, whether it can be opened or not.
  arrow::Result<std::vector<Finding>> Check(bool deep) const;

  /// The newest manifest, or that of a version.
  table::Manifest Manifest(uint64_t version = 0) const;
  std::string ManifestPath(uint64_t version = 0) const;
  /// Write a manifest again under its name.
  void Rewrite(const std::function<void(table::Manifest*)>& change, uint64_t version = 0) const;

  std::string Read(const std::string& path) const;
  void Write(const std::string& path, std::string bytes) const;
  void Remove(const std::string& path) const;
  bool Has(const std::string& path) const;

 private:
  explicit CheckedTable(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}
  uint64_t Newest() const;

  std::shared_ptr<ObjectStore> store_;
};

/// "error data_file_missing data/x.lance", one line for each finding that is at least a warning.
std::vector<std::string> ProblemsOf(const std::vector<Finding>& findings);

}  // namespace lance::testing
