#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// The data version of new tables: the one with the widest reach (table-format 0).
inline constexpr std::string_view kDefaultDataVersion = "2.1";

/// The manifest's version string of a data file, for example "2.1" (table-format 2.4).
///
/// \return SerializationError for numbers that no release writes
arrow::Result<std::string> DataVersionOf(const DataFile& file);

/// Work out the data version of a manifest being read, and check that its files have it.
///
/// \param stored data_format.version; "": an old table, whose version its files tell
/// \return SerializationError when a file differs and no flag allows that; NotImplemented for a
///   version that this release does not know
arrow::Result<std::string> ResolveDataVersion(std::string_view stored, const Manifest& manifest);

}  // namespace lance::table
