#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// Our name in the manifests that we write.
inline constexpr std::string_view kWriterLibrary = "lance-cpp";

/// What a new manifest takes from outside the table.
struct BuildInput {
  Timestamp now{};
  std::string transaction_file;  // its name, "": none
  /// The version that a Restore takes; nobody else needs it. Borrowed.
  const Manifest* restored = nullptr;
};

/// Build the manifest that follows `newest` by a transaction.
///
/// Pure and deterministic. Assigns fragment ids, sorts fragments, drops those without live rows,
/// and computes the feature flags. Clustering metadata is carried over as `newest` has it.
///
/// \param newest the manifest to build on; version 0 stands for a table that is not there yet and
///   allows Overwrite only
/// \return Invalid when the operation does not fit the manifest, naming what does not;
/// AlreadyExists +
///   CommitConflict when a rewrite's sources have changed; CapacityError when ids are exhausted;
///   NotImplemented when the result would need a feature that this version does not write
///
/// Source: table-format 4.6, 4.8, 5.1 to 5.12, 5.15.
arrow::Result<Manifest> BuildManifest(const Manifest& newest, const Transaction& transaction,
                                      const BuildInput& input);

}  // namespace lance::table
