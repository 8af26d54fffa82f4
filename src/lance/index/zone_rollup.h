#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/index/zone.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// Put the zones of each fragment into one, so that a predicate can be asked about all fragments of
/// a version at once.
///
/// The fragments' rows are numbered through, in the order of the manifest: the zone of a fragment
/// begins where the rows of those before it end. A fragment has none when its zones do not cover
/// all of it, or leave any doubt about its bounds; rows in no zone stay candidates. \param zones
/// ascending fragment id
arrow::Result<FragmentZones> RollUp(const std::vector<FragmentZones>& zones,
                                    const std::shared_ptr<arrow::DataType>& type,
                                    const std::vector<table::Fragment>& fragments);

}  // namespace lance::index
