#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/field_tree.h"
#include "lance/format/schema.h"
#include "lance/table/manifest.h"

namespace lance {

// The schemas of transactions that callers make: pure functions of what they give. `schema` may be
// null, which is Invalid; `field_ids` has the id of each field, depth-first, or is empty.

/// The ids of all fields of a tree, depth-first.
std::vector<int32_t> IdsOf(const std::vector<format::FieldNode>& fields);

/// A schema with ids that are given, or count from 0.
///
/// \return Invalid when there are not as many ids as fields, or one is negative or there twice
arrow::Result<format::LanceSchema> SchemaWithIds(const arrow::Schema* schema,
                                                 const std::vector<int32_t>& field_ids);

/// The schema of a Merge. Without ids: the columns that are there, then new ones.
///
/// \return as SchemaWithIds; Invalid when the schema does not begin with the columns that are there
arrow::Result<format::LanceSchema> MergedSchema(const table::Manifest& manifest,
                                                const arrow::Schema* schema,
                                                const std::vector<int32_t>& field_ids);

/// The schema of a Project. Without ids: columns by name.
///
/// \return as SchemaWithIds; KeyError + NotFound{column}; Invalid for another type or a column that
///   would refuse nulls
arrow::Result<format::LanceSchema> ProjectedSchema(const format::LanceSchema& before,
                                                   const arrow::Schema* schema,
                                                   const std::vector<int32_t>& field_ids);

/// Whether no column becomes stricter about nulls.
bool PreservesNullability(const format::LanceSchema& before, const format::LanceSchema& after);

}  // namespace lance
