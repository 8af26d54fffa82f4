#pragma once

#include <memory>
#include <vector>

#include "lance/dataset/dataset_impl.h"
#include "lance/table/manifest.h"

namespace lance {

/// The store of a table that also finds the files of other base paths (base_path.h), which are
/// opened when first needed, with the table's session and options.
std::shared_ptr<ObjectStore> StoreWithBases(const OpenedTable& table,
                                            const std::vector<table::BasePath>& bases);

}  // namespace lance
