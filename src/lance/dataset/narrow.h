#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance {

// Structs, and lists of them, with some of their members only: columns that are read in part.

/// Whether a type is `part`, or one with all members of its structs and more, at any depth of
/// structs and lists.
bool HoldsMembersOf(const arrow::DataType& type, const arrow::DataType& part);

/// The same rows with the members of `part` alone. \pre HoldsMembersOf(*array->type(), *part)
std::shared_ptr<arrow::Array> NarrowTo(const std::shared_ptr<arrow::Array>& array,
                                       const std::shared_ptr<arrow::DataType>& part);

/// A member by its path: null where a struct above it is.
///
/// \param path the names of members, spelled as in the type; empty: the array itself
/// \return UnknownError when there is none: the caller's bug
arrow::Result<std::shared_ptr<arrow::Array>> MemberOf(std::shared_ptr<arrow::Array> array,
                                                      const std::vector<std::string>& path);

}  // namespace lance
