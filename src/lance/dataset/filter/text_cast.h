#pragma once

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::filter {

/// Whether CastToText writes values of the type.
bool HasTextCast(const arrow::DataType& type);

/// The texts of floats, decimals, times of day and timestamps, in the form of the reference: a
/// timestamp as 2024-01-31T12:00:00.500, with the offset of its zone.
arrow::Result<arrow::Datum> CastToText(const arrow::Datum& value);

}  // namespace lance::filter
