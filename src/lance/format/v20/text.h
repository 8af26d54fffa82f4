#pragma once

#include "arrow/status.h"
#include "arrow/type_fwd.h"

namespace lance::format::v20 {

/// Whether the values of a type are text.
bool IsText(const arrow::DataType& type);

/// Whether the offsets of a text, binary or list type have 64 bits.
bool HasWideOffsets(const arrow::DataType& type);

/// Check that every value of a text array is UTF-8 of its own. Other arrays pass.
bool AreValuesUtf8(const arrow::Array& array);

}  // namespace lance::format::v20
