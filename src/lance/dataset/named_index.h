#pragma once

#include <string>
#include <vector>

#include "arrow/status.h"
#include "lance/table/manifest.h"

namespace lance {

/// The segments of the index of a name; of system entries none.
std::vector<table::IndexMetadata> SegmentsOfIndexNamed(const table::Manifest& manifest,
                                                       const std::string& name);

/// KeyError + NotFound{index} that names those that are there.
arrow::Status NoSuchIndex(const table::Manifest& manifest, const std::string& name);

}  // namespace lance
