#pragma once

#include <cstdint>
#include <vector>

#include "arrow/status.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Give ids to the fragments that have none, and keep the maximum (table-format 4.6). A stored
/// maximum that is too small is not trusted.
///
/// \param keep_ids whether an id other than 0 was reserved earlier and stays
/// \return CapacityError when ids are exhausted
arrow::Status AssignFragmentIds(bool keep_ids, Manifest* manifest,
                                std::vector<Fragment>* fragments);

/// Take ids without using them. \return CapacityError when ids are exhausted
arrow::Status ReserveFragmentIds(uint32_t num_fragments, Manifest* manifest);

}  // namespace lance::table
