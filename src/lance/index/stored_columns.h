#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lance/format/schema.h"

namespace lance::index {

/// The leaf fields of a data file in the order of its columns (file-format 3.3).
///
/// Right for files without packed structs: there are as many leaves as columns. Borrows `schema`.
std::vector<const format::SchemaField*> LeafFields(const format::LanceSchema& schema);

/// Find a column by the name of its top-level field. \return no value: not there, or nested
std::optional<int> FindColumn(const format::LanceSchema& schema, std::string_view name);

/// Parse a decimal number of digits only. \return no value for anything else
std::optional<uint64_t> ParseDecimal(std::string_view text);

/// Find an entry of a schema's metadata. \return null when it is not there
const std::string* FindMetadata(const format::LanceSchema& schema, const std::string& key);

}  // namespace lance::index
