#pragma once

#include "arrow/type.h"

namespace lance::format::v20 {

/// Whether the offsets of a text, binary or list type have 64 bits.
inline bool HasWideOffsets(const arrow::DataType& type) {
  return type.id() == arrow::Type::LARGE_STRING || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::LARGE_LIST;
}

}  // namespace lance::format::v20
