#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "lance/format/encode/choose_encoding.h"
#include "lance/format/encode/page_values.h"
#include "lance/format/encodings/value_shape.h"

namespace lance_pb::encodings21 {
class CompressiveEncoding;
}

namespace lance::format {

/// Whether the rows of a packed struct are of one width, so that mini-blocks can hold them: no
/// member is of variable width or a list.
bool IsPlainPackedStruct(const ValueShape& shape);

/// The members of packed structs, each with a slot for every struct. Borrows the arrays.
///
/// \param shape of the struct's type
/// \param arrays struct arrays, in order; may be slices
/// \param slots as PageLevels::slots
/// \return Invalid naming a member that is null where the struct is not
arrow::Result<std::vector<PageValues>> CollectMembers(
    const ValueShape& shape, const std::vector<std::shared_ptr<arrow::Array>>& arrays,
    std::span<const uint16_t> slots, arrow::MemoryPool* pool);

/// Put members side by side as rows of one width. \pre IsPlainPackedStruct
PageValues PackFixedRows(const std::vector<PageValues>& members, arrow::MemoryPool* pool);

/// Put members side by side as rows of any width; null structs have none (file-format 9.8).
///
/// Members of variable width stand behind their length, each value compressed as one of a full-zip
/// page would be.
///
/// \param[out] encoding a VariablePackedStruct
/// \return CapacityError when rows exceed 32-bit offsets
arrow::Result<PageValues> PackVariableRows(const std::vector<PageValues>& members,
                                           const ValueShape& shape, std::span<const uint16_t> slots,
                                           const EncodingRequest& request,
                                           lance_pb::encodings21::CompressiveEncoding* encoding);

}  // namespace lance::format
