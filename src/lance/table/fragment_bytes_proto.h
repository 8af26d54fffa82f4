#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// Check and take over one serialized fragment (table-format 2.4, 11).
///
/// \return SerializationError naming the fragment and what is wrong with it
arrow::Result<Fragment> ParseFragment(std::string_view bytes);

/// The inverse of ParseFragment. Equal fragments give equal bytes.
arrow::Result<std::string> SerializeFragment(const Fragment& fragment);

}  // namespace lance::table
