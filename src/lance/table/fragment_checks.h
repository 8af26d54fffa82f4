#pragma once

#include "arrow/result.h"
#include "lance/table/manifest.h"

namespace lance::table {

/// What a new fragment may hold besides fields of the schema.
enum class StrayFields {
  kRefuse,  // the operation brings the schema along
  kAllow,   // a column may have been dropped since the fragment was written; readers skip it
};

/// Check fragments that an operation adds, against the manifest that they go into: what our own
/// writers must keep true, and what readers cannot repair.
///
/// \param data_version the table's; every file must have it
/// \return Invalid naming the fragment's file and what is wrong
arrow::Status CheckNewFragments(const std::vector<Fragment>& fragments,
                                const format::LanceSchema& schema, std::string_view data_version,
                                StrayFields stray_fields);

/// Check a fragment of the table that an operation gives other files.
///
/// \param added of which only the files count: those that the fragment did not have before
/// \return Invalid naming the file, or the column that lacks
arrow::Status CheckFragmentFiles(const Fragment& added, const Fragment& fragment,
                                 const format::LanceSchema& schema, std::string_view data_version);

/// Check that no data file of `added` is in the table already, or is given twice: rows would be
/// there twice. \return Invalid naming the file
arrow::Status CheckFilesAreNew(const std::vector<Fragment>& added,
                               const std::vector<Fragment>& present);

/// Drop data files that hold no field any more, and fragments that hold no live row; then sort by
/// id.
void TidyFragments(std::vector<Fragment>* fragments);

/// Check that no two of the sorted fragments share an id. \return Invalid naming it
arrow::Status CheckFragmentIdsAreUnique(const std::vector<Fragment>& fragments);

}  // namespace lance::table
