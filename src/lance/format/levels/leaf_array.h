#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/leaf_column.h"
#include "lance/format/levels/level_scan.h"

namespace lance::format {

/// The type of array that a leaf's values make: node.type, but for legacy blobs whose values are
/// packed struct<position, size>.
std::shared_ptr<arrow::DataType> LeafTypeOf(const FieldNode& node, const LeafColumn& leaf);

/// Whether a leaf's type has values in files; null and structs without members have none.
bool HasValues(const arrow::DataType& type);

/// Build the array of a leaf. The values are handed over, not copied. Text is not checked.
///
/// \param num_slots how many values there must be, unless the type has none
/// \param leaf its values and dictionary are taken
/// \return SerializationError when an index is behind the dictionary's end; UnknownError when the
///   values are not those of the type, which decoders have to prevent
arrow::Result<std::shared_ptr<arrow::ArrayData>> MakeLeafArray(const FieldNode& node,
                                                               uint64_t num_slots,
                                                               Validity validity, LeafColumn* leaf,
                                                               arrow::MemoryPool* pool);

}  // namespace lance::format
