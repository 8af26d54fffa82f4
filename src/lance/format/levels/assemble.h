#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"
#include "lance/format/levels/leaf_column.h"

namespace lance::format {

/// Build the Arrow array of a field from its leaves' levels and values.
///
/// Lists and the validity of structs come from the first leaf below them; that the others agree is
/// checked. Linear in entries times layers; a flat column's values are not copied.
///
/// \param leaves one for each of LeavesOf(node), in order; the levels are untrusted
/// \return SerializationError when levels do not make `num_rows` rows, siblings differ, a
///   non-nullable field is null below a value, text is not UTF-8; CapacityError when a list's
///   offsets do not fit its type ("read fewer rows at once")
///
/// Source: file-format 6.4.
arrow::Result<std::shared_ptr<arrow::Array>> AssembleField(const FieldNode& node, uint64_t num_rows,
                                                           std::vector<LeafColumn> leaves,
                                                           arrow::MemoryPool* pool);

}  // namespace lance::format
