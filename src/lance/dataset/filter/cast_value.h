#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::filter {

/// Whether CastValue converts between the types.
bool CanCast(const arrow::DataType& from, const arrow::DataType& to);

/// Convert values as SQL's CAST: what does not fit is an error, a fraction is cut, finer times are
/// cut to the coarser unit. With `is_try` what does not convert is null.
///
/// \pre CanCast
arrow::Result<arrow::Datum> CastValue(const arrow::Datum& value,
                                      const std::shared_ptr<arrow::DataType>& to, bool is_try);

}  // namespace lance::filter
