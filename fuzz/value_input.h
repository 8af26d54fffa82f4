#pragma once

#include <cstdint>
#include <string>

#include "arrow/type_fwd.h"
#include "fuzz/input.h"
#include "lance/format/encodings/value_buffer.h"
#include "lance/format/encodings/value_shape.h"

namespace lance::fuzz {

/// Take the shape of a leaf's values from an input.
///
///   0: text, offsets of 32 bits | 1: of 64 bits | 2: u16 bits, 1 or a multiple of 8
///   3: u8 levels, u16 dimension each, u16 bits  | 4: u8 members, a shape each
format::ValueShape TakeShape(Input* input, int depth = 0);

/// Write a shape as TakeShape wants it.
void AppendShape(const format::ValueShape& shape, std::string* out);

/// Take values of a shape: what a decoder may give. Behind the input's end all bytes are 0.
format::ValueBuffer TakeValues(const format::ValueShape& shape, uint64_t num_values,
                               arrow::MemoryPool* pool, Input* input);

/// Check that decoded values are laid out as their shape says, and use them: copies of some, one
/// many times.
///
/// \param num_values how many there must be
void UseValues(const format::ValueBuffer& values, const format::ValueShape& shape,
               uint64_t num_values, arrow::MemoryPool* pool);

}  // namespace lance::fuzz
