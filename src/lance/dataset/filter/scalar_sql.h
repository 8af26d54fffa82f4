#pragma once

#include <optional>
#include <string>

#include "arrow/type_fwd.h"

namespace lance::filter {

/// A text as the filter dialect writes it: 'it''s'.
std::string TextSql(const std::string& text);

/// A value as the filter dialect writes it: beside a column of its type it means exactly this
/// value.
///
/// \return no value: null, or of a type without a literal form
std::optional<std::string> ScalarSql(const arrow::Scalar& scalar);

}  // namespace lance::filter
