#pragma once

#include "arrow/result.h"
#include "lance/metadata.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance {

/// The operation that makes a change of metadata; without any map when it changes nothing.
///
/// \return KeyError + NotFound{column} for an unknown column; Invalid when one is named for a
///   target that has none
arrow::Result<table::UpdateConfig> MakeMetadataChange(const table::Manifest& manifest,
                                                      const MetadataUpdate& update);

}  // namespace lance
