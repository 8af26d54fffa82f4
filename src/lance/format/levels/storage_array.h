#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// The storage of an extension array; other arrays as they are. Children are not looked at.
std::shared_ptr<arrow::ArrayData> UnwrapExtension(std::shared_ptr<arrow::ArrayData> data);

/// Give an array the type that its column has in files, without copying where it is laid out alike:
/// extension types become their storage, at every depth; what the schema does not keep (names and
/// nullability of items of fixed-size lists, whether a dictionary is ordered) follows `wanted`.
/// String and binary views become plain strings and binaries.
///
/// \return an array of another type than `wanted` when the two have nothing to do with each other;
///   CapacityError when views do not fit the offsets of the plain type
///
/// Source: file-format 3.2.
arrow::Result<std::shared_ptr<arrow::ArrayData>> ToStorageArray(
    std::shared_ptr<arrow::ArrayData> data, const std::shared_ptr<arrow::DataType>& wanted,
    arrow::MemoryPool* pool);

}  // namespace lance::format
