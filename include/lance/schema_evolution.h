#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"
#include "lance/fragment.h"
#include "lance/scan.h"
#include "lance/write.h"

namespace lance {

// Changes of the schema. What adds or converts values writes one data file a fragment; what is
// written already stays as it is. A change that changes nothing makes no version. None of them is
// tried again when another commit meets it: the status says whether trying again can help.
//
// On a table with a declared clustering: a clustering column is not dropped, nor given a type that
// cannot be clustered; renaming one rewrites the declaration, and a cast defines the same layout
// over the new field. Source: table-format 5.7, 5.8, 9.5; contract sections 2 and 3.

/// Makes values of new columns from values of others, a batch at a time.
using BatchFunction = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>(
    const arrow::RecordBatch& batch)>;

/// Which columns to add. A plain value.
struct AddColumnsRequest {
  /// One of: SQL expressions over the row; columns that are null everywhere, which writes no data;
  /// rows in the order of a scan, exactly as many as there are; a function, called for each batch
  /// in the order of a scan. Columns that are null everywhere may also be members of structs that
  /// are there ("s" with new members only), in tables of data version 2.2.
  std::variant<std::vector<ComputedColumn>, std::shared_ptr<arrow::Schema>, BatchSource,
               BatchFunction>
      values;
  /// What the function's batches are.
  std::shared_ptr<arrow::Schema> function_schema;
  /// The columns that the function gets; empty: all.
  std::vector<std::string> read_columns;
  /// Most rows of one batch for the function.
  uint64_t batch_size = 8192;
  /// How to commit.
  CommitOptions commit;
};

/// Add columns behind those that are there.
///
/// \return Invalid naming a column that is there already, whose values do not fit, or whose rows
///   are too few or too many; NotImplemented naming one that the table's data version cannot hold
arrow::Result<Dataset> AddColumns(const Dataset& dataset, const AddColumnsRequest& request,
                                  const CallOptions& call = {});

/// Write the values of new columns for one fragment and commit nothing: for a transaction of one's
/// own over several fragments. Field ids are those that AddColumns would give.
///
/// \return the fragment with its new file; KeyError + NotFound{fragment} for an unknown id;
///   otherwise as AddColumns
arrow::Result<FragmentMetadata> AddColumnsToFragment(const Dataset& dataset, uint64_t id,
                                                     const AddColumnsRequest& request,
                                                     const CallOptions& call = {});

/// The columns that expressions would add, with the types that they give. Reads no rows.
///
/// \return as AddColumns
arrow::Result<std::shared_ptr<arrow::Schema>> ComputedColumnsSchema(
    const Dataset& dataset, const std::vector<ComputedColumn>& columns);

/// Drop columns by name, or members of structs and of lists' items by path ("s.a", "l.item.p").
///
/// Metadata only: the bytes stay until the next compaction. A struct goes with its last member;
/// indices on dropped columns go, too.
///
/// \return KeyError + NotFound{column}; Invalid for all columns, or a clustering column
arrow::Result<Dataset> DropColumns(const Dataset& dataset, const std::vector<std::string>& columns,
                                   const CommitOptions& commit = {}, const CallOptions& call = {});

/// What to change of one column. A plain value.
struct ColumnAlteration {
  /// Its name, or the path of a member.
  std::string path;
  /// A new name, without the path in front.
  std::optional<std::string> name;
  /// Whether it may be null; false only when no row is, and not together with a type.
  std::optional<bool> nullable;
  /// A new type; null: as it is.
  std::shared_ptr<arrow::DataType> data_type;
};

/// Rename columns, change whether they may be null, or convert them to another type.
///
/// Paths are those before the call. A conversion writes the column again under a new field id:
/// between integers, between floats, between dates and times, between decimals, text to large text,
/// binary to large binary, and lists of those. A value that would be lost is an error. Indices stay
/// on renamed columns.
///
/// \return Invalid naming a column, and the value or the index that stands in the way
arrow::Result<Dataset> AlterColumns(const Dataset& dataset,
                                    const std::vector<ColumnAlteration>& alterations,
                                    const CommitOptions& commit = {}, const CallOptions& call = {});

/// A left join whose columns are added. A plain value.
struct MergeColumnsRequest {
  /// The rows to join, held in memory within the session's budget.
  BatchSource right;
  /// The table's key column.
  std::string left_on;
  /// The key column of the right side; "": left_on.
  std::string right_on;
  /// How to commit.
  CommitOptions commit;
};

/// Add all columns of `right` but the key to the rows with the same key; null where there is none.
///
/// A null key has no partner; of several right rows with one key the last counts.
///
/// \return Invalid when the keys differ in type, a column is on both sides, or a column that cannot
///   be null has no partner
arrow::Result<Dataset> MergeColumns(const Dataset& dataset, MergeColumnsRequest request,
                                    const CallOptions& call = {});

}  // namespace lance
