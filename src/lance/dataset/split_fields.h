#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"

namespace lance {

// Fields whose parts lie in several data files of a fragment: after a member of a struct was cast
// or replaced, its file holds the struct with that member only (table-format 9.5, 5.12).

/// Which of the fields that own columns to keep.
using LeafFilter = std::function<bool(const format::FieldNode& leaf)>;

/// A field without the leaves that a filter drops, and without what is empty then.
///
/// \pre at least one leaf is kept
format::FieldNode KeepLeaves(const format::FieldNode& field, const LeafFilter& keeps);

/// Put the parts of a field together again.
///
/// A struct is null where it is null in every part. Members that no part has are null.
///
/// \param field the whole, whose type the result has
/// \param parts arrays of equal length, each with some of the members
/// \return SerializationError when lists differ in their lengths; NotImplemented for maps and
///   fixed-size lists in parts
arrow::Result<std::shared_ptr<arrow::Array>> JoinParts(
    const format::FieldNode& field, const std::vector<std::shared_ptr<arrow::Array>>& parts,
    arrow::MemoryPool* pool);

}  // namespace lance
