#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::table {

// The names of tags and branches, and of the files that describe them (table-format 1.8).

/// The name that stands for the main branch; no branch can be called so.
inline constexpr std::string_view kMainBranch = "main";

/// Check a tag's name: letters and digits of any script, '.', '-' and '_'; no dot at either end, no
/// two in a row, no ".lock" at the end.
///
/// \return Invalid saying what is wrong and what is allowed
arrow::Status CheckTagName(std::string_view name);

/// Check a branch's name: segments of letters and digits of any script, '.', '-' and '_', joined by
/// '/'; no two dots in a row, no segment ".", no ".lock" at the end, and not "main".
///
/// \return Invalid saying what is wrong and what is allowed
arrow::Status CheckBranchName(std::string_view name);

/// Check the name of a branch to be made: besides CheckBranchName, what releases of the reference
/// up to 14.0.2 would do harm with.
///
/// Deleting `main/x` they delete the whole table, and deleting `x/data` the files of a branch `x`.
///
/// \return Invalid saying what is wrong and what is allowed
arrow::Status CheckNewBranchName(std::string_view name);

/// Whether a folder of this name is part of a table (table-format 1.1), and of each of its
/// branches.
bool IsTableFolder(std::string_view name);

/// A valid name as one component of a path, without extension: '/' and all but ASCII are
/// percent-encoded.
std::string EncodeRefName(std::string_view name);

/// The inverse of EncodeRefName. \return no value: not encoded so
std::optional<std::string> DecodeRefName(std::string_view encoded);

/// The folder of a branch below the root of its table, without '/' at the end.
std::string BranchFolder(std::string_view name);

/// A file in the folder of versions of a table or of one of its branches. Its name is borrowed.
struct VersionsFile {
  std::string branch;  // "": the main one; not checked
  std::string_view file_name;
};

/// Take a path below a table's root apart. \return no value: not directly in such a folder
std::optional<VersionsFile> ParseVersionsPath(std::string_view path);

}  // namespace lance::table
