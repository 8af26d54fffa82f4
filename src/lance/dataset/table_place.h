#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/dataset.h"
#include "lance/object_store.h"

namespace lance {

/// Where a table has its tags, its branches, and its main branch.
struct TableRoot {
  std::string uri;
  std::shared_ptr<ObjectStore> store;  // null: nobody can say where
};

/// A branch of a table: its store and canonical URI, and the session to use.
///
/// A branch is a folder of its own, `tree/{name}` below the root (table-format 1.8).
struct OpenedTable {
  std::string uri;
  std::shared_ptr<ObjectStore> store;  // the branch's alone: it knows no other base paths
  std::shared_ptr<Session> session;
  StorageOptions storage_options;
  std::string branch = {};  // "": the main one
  /// No value: the place may be that of a branch, which its manifests will say.
  std::optional<TableRoot> root = {};
};

/// Open the store of a table, or of a branch by its own place, that may not be there yet.
arrow::Result<OpenedTable> OpenTableStore(const std::string& uri, const OpenOptions& options);

/// Complete what a manifest says of its place: the branch, and where its table's root is.
///
/// \param manifest_branch of any manifest there
/// \return SerializationError when the folder is another branch's
arrow::Result<OpenedTable> FindRoot(OpenedTable table,
                                    const std::optional<std::string>& manifest_branch);

/// The root's store. \return Invalid when nobody can say where it is
arrow::Result<std::shared_ptr<ObjectStore>> RootStore(const OpenedTable& table);

/// Another branch of the same table, whether it is there or not.
///
/// \param name "" and "main" for the main one \return Invalid for a name that is not allowed
arrow::Result<OpenedTable> PlaceOfBranch(const OpenedTable& table, const std::string& name);

/// The branch that a reference names; the table as given when it names none. A tag is no name of
/// one.
///
/// \return KeyError + NotFound{branch} when there is no such branch
arrow::Result<OpenedTable> FindBranch(OpenedTable table, const Ref& ref, const RunContext& run);

/// Open the version that is asked for, by number, tag or time, and on its branch.
///
/// \return KeyError + NotFound{version, tag or branch} when there is none
arrow::Result<Dataset> OpenRef(const OpenedTable& table, const Ref& ref, const RunContext& run);

/// The store of a base path: the table's own root and branches without opening them again.
arrow::Result<std::shared_ptr<ObjectStore>> OpenBase(const OpenedTable& table,
                                                     const std::string& path);

}  // namespace lance
