#pragma once

#include <vector>

#include "arrow/result.h"
#include "lance/file_operations.h"
#include "lance/fragment.h"
#include "lance/table/manifest.h"

namespace lance {

/// A data file as the outside sees it.
DataFileInfo ShowDataFile(const table::DataFile& file);

/// The inverse of ShowDataFile. \return Invalid for a version that is no "major.minor"
arrow::Result<table::DataFile> TakeDataFile(const DataFileInfo& shown);

/// Segments of indices as the outside sees them. \return SerializationError for a corrupt bitmap
arrow::Result<std::vector<IndexSegmentInfo>> ShowSegments(
    const std::vector<table::IndexMetadata>& indices);

}  // namespace lance
