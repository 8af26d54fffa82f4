#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset/filter/ast.h"
#include "lance/format/field_tree.h"
#include "lance/format/schema.h"

namespace lance::filter {

/// A column that a filter uses. A plain value.
struct FilterColumn {
  std::string name;       // as the schema spells it
  int32_t field_id = -1;  // -1: a system column
  std::string logical_type;
  /// What expressions compute with: of a struct the members that they use. Null for types that
  /// this version cannot read.
  std::shared_ptr<arrow::DataType> type;
  /// The fields that are used, each with all below it: the column itself, or members of structs.
  std::set<int32_t> used_ids;
  /// The field with the used members alone; null for columns that are not structs.
  std::shared_ptr<const format::FieldNode> field;

  /// Whether all of the column is used.
  bool is_whole() const { return used_ids.contains(field_id); }
};

/// Look up every column of a tree, and write its name into the tree as the schema spells it.
///
/// A bare name is matched exactly, else ignoring the case of ASCII letters when that is unique; a
/// name in backticks is matched exactly.
///
/// \param sql the text that `expression` was parsed from, for errors
/// \return the columns in the order of first use, each once; Invalid with FilterError for a name
///   that is not there or not unique, and for "x" where x is a column: that is text in this dialect
arrow::Result<std::vector<FilterColumn>> ResolveColumns(std::string_view sql,
                                                        const format::LanceSchema& schema,
                                                        Expression* expression);

/// The arrays of a batch that hold the columns, in their order, of their types: members of structs
/// that are not used are left out.
///
/// \return UnknownError when the batch lacks a column or has one of another type: the caller's bug
arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> ArraysOf(
    const std::vector<FilterColumn>& columns, const arrow::RecordBatch& batch);

}  // namespace lance::filter
