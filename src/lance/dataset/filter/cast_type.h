#pragma once

#include <memory>
#include <string_view>

#include "arrow/type_fwd.h"

namespace lance::filter {

/// The types of CAST, for messages.
inline constexpr const char* kCastTypesText =
    "a type: boolean, tinyint, smallint, int, bigint (each [unsigned]), float, double, string, "
    "binary, date, timestamp[(0|3|6|9)], datetime or decimal(p, s)";

/// The type that CAST(x AS `name`) makes, of a name in upper case such as "INT UNSIGNED".
///
/// \return null when there is no such type
/// Source: zonemap-and-indices 11.2.
std::shared_ptr<arrow::DataType> MakeCastType(std::string_view name);

/// The type that arrow_cast(x, 'name') makes, of a name such as "Int64". \return null: none
std::shared_ptr<arrow::DataType> MakeArrowCastType(std::string_view name);

}  // namespace lance::filter
