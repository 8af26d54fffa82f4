#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "keywords.h"
#include "lance/scan.h"

namespace lance::python {

/// Columns that are computed: `computed_names` and, by place, their `expressions`.
std::vector<ComputedColumn> TakeComputedColumns(Keywords* keywords);

/// The options of a scan from the arguments of a call. Throws TypeError for one that is unknown.
ScanOptions ScanOptionsOf(nanobind::kwargs arguments);

}  // namespace lance::python
