#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "lance/table/manifest.h"
#include "lance/write.h"

namespace lance {

// Which base paths the data files of a write go to (table-format 1.9). Pure functions.

/// Base paths as the outside sees them.
std::vector<DatasetBasePath> ShowBasePaths(const std::vector<table::BasePath>& bases);

/// Base paths as a manifest has them.
std::vector<table::BasePath> TakeBasePaths(const std::vector<DatasetBasePath>& shown);

/// The base paths that a table has once a write is committed. Initial ones get their ids.
///
/// \param present those that are there; null: the write creates the table
/// \return Invalid for initial ones of a table that is there; as AddBasePaths
arrow::Result<std::vector<table::BasePath>> PlanBasePaths(
    const WriteOptions& options, const std::vector<table::BasePath>* present);

/// The base paths that get the files, in turn; no value: the table itself. Empty: it alone.
///
/// \return Invalid naming one that is not there
arrow::Result<std::vector<std::optional<uint32_t>>> ChooseTargets(
    const WriteOptions& options, const std::vector<table::BasePath>& bases);

}  // namespace lance
