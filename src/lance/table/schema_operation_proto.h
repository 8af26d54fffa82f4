#pragma once

#include "arrow/result.h"
#include "lance/table/transaction.h"
#include "lance_table.pb.h"

namespace lance::table {

// Operations on the schema, on whole versions and on base paths, from and to their messages
// (table-format 2.8). Each parser returns SerializationError naming the part and what is wrong.

/// Take over a Merge.
arrow::Result<Merge> ParseMerge(const lance_pb::table::Merge& message);
/// The inverse of ParseMerge.
void WriteMerge(const Merge& merge, lance_pb::table::Merge* message);

/// Take over a Project.
arrow::Result<Project> ParseProject(const lance_pb::table::Project& message);
/// The inverse of ParseProject.
void WriteProject(const Project& project, lance_pb::table::Project* message);

/// Take over a Restore.
arrow::Result<Restore> ParseRestore(const lance_pb::table::Restore& message);
/// The inverse of ParseRestore.
void WriteRestore(const Restore& restore, lance_pb::table::Restore* message);

/// Take over an UpdateBases.
arrow::Result<UpdateBases> ParseUpdateBases(const lance_pb::table::UpdateBases& message);
/// The inverse of ParseUpdateBases.
void WriteUpdateBases(const UpdateBases& update, lance_pb::table::UpdateBases* message);

}  // namespace lance::table
