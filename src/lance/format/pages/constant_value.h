#pragma once

#include <cstddef>
#include <span>

#include "arrow/status.h"
#include "lance/format/encodings/value_buffer.h"

namespace lance::format {

/// Parse the value of a constant page that lies in its description: the Arrow bytes of a value of
/// fixed width, a bool as one byte.
///
/// \param[out] value made for the leaf's shape, empty; gets one value. Source: file-format 8.3.
arrow::Status ParseInlineValue(std::span<const std::byte> bytes, ValueBuffer* value);

/// Parse the value of a constant page that lies in a buffer: an Arrow array of length 1.
///
///   u32 k | k x u32 length | k buffers: the value, or two offsets and the value
///
/// \param[out] value as above
arrow::Status ParseStoredValue(std::span<const std::byte> bytes, ValueBuffer* value);

}  // namespace lance::format
