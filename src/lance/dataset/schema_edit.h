#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/schema.h"
#include "lance/table/manifest.h"

namespace lance {

// Pure changes of a table's schema (table-format 9.1, 9.5).

/// The id of the next new field: above all that the schema, the data files and the table's mark of
/// ids that were handed out know. \return CapacityError when there is none left
arrow::Result<int32_t> NextFieldId(const table::Manifest& manifest);

/// A schema before and after columns were added. A plain value.
struct AddedColumns {
  format::LanceSchema whole;
  /// The new top-level columns only: what their data files hold.
  format::LanceSchema added;
};

/// Add top-level columns at the end. \return Invalid naming one that is there already
arrow::Result<AddedColumns> AddFields(const table::Manifest& manifest,
                                      const arrow::Schema& columns);

/// Add columns at the end, or members at the end of structs that are there.
///
/// \return Invalid naming what is there already, or is not nullable
arrow::Result<format::LanceSchema> AddNullFields(const table::Manifest& manifest,
                                                 const arrow::Schema& columns);

/// Drop fields with all below them, and structs and lists that are left without any member.
///
/// \return Invalid when no column is left, or what is left is no type
arrow::Result<format::LanceSchema> DropFields(const format::LanceSchema& schema,
                                              const std::set<int32_t>& ids);

/// A field's id and those of all below it.
std::set<int32_t> IdsBelow(const format::LanceSchema& schema, int32_t id);

/// Put another type into the place of a field, under fresh ids.
///
/// \param next_id raised past the ids that were taken
/// \return the new id of the field
arrow::Result<int32_t> ReplaceType(int32_t id, const std::shared_ptr<arrow::DataType>& type,
                                   int32_t* next_id, format::LanceSchema* schema);

/// Give a field another name. \return Invalid for a name that is taken or not allowed
arrow::Status RenameField(int32_t id, const std::string& name, format::LanceSchema* schema);

/// Only some fields with all above them: what a data file with their columns holds.
format::LanceSchema SelectFields(const format::LanceSchema& schema, const std::set<int32_t>& ids);

/// Take out the files that hold no field of a schema, hidden columns aside.
void DropFilesWithoutFields(const format::LanceSchema& schema, table::Fragment* fragment);

}  // namespace lance
