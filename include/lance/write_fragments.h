#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/write.h"

namespace lance {

/// What a worker wrote, to be committed by somebody else. A plain value.
struct WrittenFragment {
  /// The fragment; its id is given at the commit.
  FragmentMetadata fragment;
};

/// A worker's half of a distributed write: never commits, never sorts. Thread-compatible.
class FragmentCreateBuilder {
 public:
  /// Write for a table that is there: columns and data version are its own.
  explicit FragmentCreateBuilder(Dataset dataset);
  /// Write for a table that is not there yet, or for an overwrite. Field ids count from 0.
  ///
  /// \param schema the columns of the new table
  FragmentCreateBuilder(std::string uri, std::shared_ptr<arrow::Schema> schema);

  /// Choose how to write; how to commit is not looked at.
  FragmentCreateBuilder& WithOptions(WriteOptions options);
  /// Choose how to open; for a builder made from a place.
  FragmentCreateBuilder& WithOpenOptions(OpenOptions options);

  /// Write rows into data files that nothing refers to. They stay when nobody commits them.
  ///
  /// \return as InsertBuilder::Execute
  arrow::Result<std::vector<WrittenFragment>> WriteFragments(BatchSource source,
                                                             const CallOptions& call = {}) const;

 private:
  std::string uri_;
  std::optional<Dataset> dataset_;
  std::shared_ptr<arrow::Schema> schema_;
  WriteOptions options_;
  OpenOptions open_options_;
};

/// What workers wrote, and what to do with it. A plain value.
struct CommitFragmentsRequest {
  /// kAppend or kOverwrite; a table that is created looks at neither.
  WriteMode mode = WriteMode::kAppend;
  /// The fragments, in the order of their rows.
  std::vector<WrittenFragment> fragments;
  /// How to commit; of the options of the table those count that are chosen when it is created.
  WriteOptions options;
  /// The identity of the commit, a UUID; "": a fresh one.
  std::string transaction_uuid;
};

/// Commit fragments on a table that is there.
arrow::Result<Dataset> CommitFragments(const Dataset& dataset,
                                       const CommitFragmentsRequest& request,
                                       const CallOptions& call = {});

/// Create a table of fragments.
///
/// \param schema the columns that the workers wrote
/// \return AlreadyExists when the table is there
arrow::Result<Dataset> CreateFromFragments(const std::string& uri,
                                           const std::shared_ptr<arrow::Schema>& schema,
                                           const CommitFragmentsRequest& request,
                                           const OpenOptions& open = {},
                                           const CallOptions& call = {});

}  // namespace lance
