#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::table {

// Base paths (table-format 1.9). In the store of a table with base paths, `_bases/{id}/data/x` is
// the place of file x of that base, and likewise for `_deletions` and `_indices`; where the base
// keeps it is for the store to know. Nothing of that name is on storage.

/// The folder that stands for a base path, with its '/'; "" for the table's own root.
std::string BaseFolder(std::optional<uint32_t> base_id);

/// Where a data file is in the store of its table.
std::string DataFilePath(const DataFile& file);

/// How many bytes a data file has; looked up where the manifest does not say.
arrow::Result<uint64_t> SizeOf(ObjectStore& store, const DataFile& file);

/// Whether two base paths may have one name or path.
enum class BaseNames {
  kUnique,  // no: they are added to a table that is there
  kAny,     // yes: they come with a new table, where the reference allows it
};

/// Put base paths behind those that are there; an id of 0 becomes the smallest free one.
///
/// \return as CheckBasePath; Invalid for an id, and by `names` a name or path, that is taken
arrow::Status AddBasePaths(const std::vector<BasePath>& added, BaseNames names,
                           std::vector<BasePath>* present);

/// Check what can be said of a base path without opening it.
///
/// \return Invalid when it is empty; NotImplemented + UnsupportedFeature when it is relative: what
///   it names would depend on where the process happens to run
arrow::Status CheckBasePath(const BasePath& base);

/// Opens the store of a base path, an absolute path or URI.
using BaseOpener = std::function<arrow::Result<std::shared_ptr<ObjectStore>>(const std::string&)>;

/// The store of a table whose files are in several places. Thread-safe when `open` is.
///
/// Bases are opened when a file of theirs is first needed, so that a bad one harms nobody else.
/// Data files can be written and deleted there, nothing else; listing is refused. A file of a base
/// that is not among `bases`, or there twice, is a SerializationError naming the base.
std::shared_ptr<ObjectStore> MakeBasePathStore(std::shared_ptr<ObjectStore> root,
                                               std::vector<BasePath> bases, BaseOpener open);

}  // namespace lance::table
