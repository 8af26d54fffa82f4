#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base_path.h"
#include "lance/dataset.h"
#include "lance/fragment.h"
#include "lance/metadata.h"

namespace lance {

/// A change to a table that is no version yet: its files are written, nothing refers to them.
/// Immutable and cheap to copy.
///
/// A commit goes past newer versions when the change allows it, and never lands twice.
class Transaction {
 public:
  /// The version that it was made on.
  uint64_t read_version() const;
  /// Its identity.
  const std::string& uuid() const;
  /// The name of its operation, for example "Append".
  const std::string& operation() const;
  /// Entries for programs, kept with the version.
  const std::map<std::string, std::string>& properties() const;

  /// The bytes of the format's message Transaction, as its file would have them; see Parse.
  arrow::Result<std::string> Serialize() const;
  /// Read a transaction from bytes from anywhere: checked here, and against the table at its
  /// commit.
  ///
  /// The message says neither which rows a Delete or an Update means nor how new rows are sorted.
  /// So one that was parsed does not pass other changes of the same fragments, and stamps nothing.
  ///
  /// \return SerializationError naming the part and what is wrong with it
  static arrow::Result<Transaction> Parse(std::string_view bytes);
  /// The same change under an identity of the caller's: a UUID, hyphenated, in lower case.
  arrow::Result<Transaction> WithUuid(std::string uuid) const;

  /// The inside; for the library only.
  class Impl;
  /// Wrap an inside; for the library only.
  explicit Transaction(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// Commit a transaction on a table.
///
/// \param dataset any handle of the table that the transaction was made for
/// \param options its message and properties are added to the transaction's own
/// \return AlreadyExists + CommitConflict when another commit is in the way: make the transaction
///   again on the newest version if it is retryable; UnknownError + CommitUnknown when it may have
///   landed; Invalid when it does not fit the table. The files of a transaction are never deleted
/// Source: table-format 4 and 5.
arrow::Result<Dataset> CommitTransaction(const Dataset& dataset, const Transaction& transaction,
                                         const CommitOptions& options = {},
                                         const CallOptions& call = {});

// One struct and one function per operation, named as pylance's LanceOperation. A transaction
// stands on the version of the dataset that it is made with; what does not fit that version or the
// one it is committed to is refused at the commit.

/// Add fragments; they get their ids at the commit.
struct AppendOperation {
  /// The new fragments.
  std::vector<FragmentMetadata> fragments;
};
/// Make an Append.
arrow::Result<Transaction> MakeAppendTransaction(const Dataset& dataset, AppendOperation operation);

/// Ids of all fields of a dataset's schema, depth-first: each before its members.
std::vector<int32_t> FieldIds(const Dataset& dataset);
/// The largest field id that the table knows of; -1 for none. New columns get those behind it.
int32_t MaxFieldId(const Dataset& dataset);

/// Replace all rows and the schema. Configuration and history stay.
struct OverwriteOperation {
  /// The new columns.
  std::shared_ptr<arrow::Schema> new_schema;
  /// The fragments of the new version.
  std::vector<FragmentMetadata> fragments;
  /// The ids of all fields, each before its members: see FieldIds. Empty: they count
  /// from 0.
  std::vector<int32_t> field_ids = {};
};
/// Make an Overwrite.
arrow::Result<Transaction> MakeOverwriteTransaction(const Dataset& dataset,
                                                    OverwriteOperation operation);

/// Delete rows; see DeleteFromFragment.
struct DeleteOperation {
  /// Fragments with their new deletion files.
  std::vector<FragmentMetadata> updated_fragments;
  /// Fragments without any row left.
  std::vector<uint64_t> deleted_fragment_ids;
  /// What was deleted, for people.
  std::string predicate;
};
/// Make a Delete.
arrow::Result<Transaction> MakeDeleteTransaction(const Dataset& dataset, DeleteOperation operation);

/// How an update changed its rows.
enum class UpdateMode {
  kRewriteRows,     ///< Deleted where they were, written again in new fragments.
  kRewriteColumns,  ///< New data files of some columns in the same fragments.
};

/// Change rows.
struct UpdateOperation {
  /// Fragments without any row left.
  std::vector<uint64_t> removed_fragment_ids;
  /// Fragments with new deletion files or new data files.
  std::vector<FragmentMetadata> updated_fragments;
  /// Fragments with the changed rows, and with added ones.
  std::vector<FragmentMetadata> new_fragments;
  /// kRewriteColumns: ids of the fields that were written again.
  std::vector<int32_t> fields_modified;
  /// Ids of the fields whose values changed; when in doubt all.
  std::vector<int32_t> fields_for_preserving_frag_bitmap;
  /// How.
  UpdateMode update_mode = UpdateMode::kRewriteRows;
};
/// Make an Update.
arrow::Result<Transaction> MakeUpdateTransaction(const Dataset& dataset, UpdateOperation operation);

/// Add columns; see AddColumnsToFragment.
struct MergeOperation {
  /// All fragments of the version, in any order, with the files of the new columns.
  std::vector<FragmentMetadata> fragments;
  /// The columns that are there, in their order, then the new ones, as AddColumnsToFragment got or
  /// made them: their field ids are those that it uses.
  std::shared_ptr<arrow::Schema> schema;
  /// The ids of all fields, each before its members: see FieldIds. Empty: by name.
  std::vector<int32_t> field_ids = {};
};
/// Make a Merge. \return Invalid when the schema does not begin with the columns that are there
arrow::Result<Transaction> MakeMergeTransaction(const Dataset& dataset, MergeOperation operation);

/// Keep some top-level columns, in an order.
struct ProjectOperation {
  /// The columns that stay, with their types. What was not nullable may become so.
  std::shared_ptr<arrow::Schema> schema;
  /// The ids of all fields, each before its members: by which
  /// columns get other names. Empty: by name.
  std::vector<int32_t> field_ids = {};
};
/// Make a Project. \return Invalid for another type, and for a column that would refuse nulls;
///   KeyError for an unknown one
arrow::Result<Transaction> MakeProjectTransaction(const Dataset& dataset,
                                                  const ProjectOperation& operation);

/// Make an older version the newest.
struct RestoreOperation {
  /// That version.
  uint64_t version = 0;
};
/// Make a Restore.
arrow::Result<Transaction> MakeRestoreTransaction(const Dataset& dataset,
                                                  RestoreOperation operation);

/// Fragments that are replaced by others with the same live rows. A plain value.
struct RewriteGroup {
  /// The fragments that go.
  std::vector<FragmentMetadata> old_fragments;
  /// Those that come.
  std::vector<FragmentMetadata> new_fragments;
};
/// Move rows; values do not change. Indices are not remapped: they do not answer for new fragments.
struct RewriteOperation {
  /// Groups without common fragments.
  std::vector<RewriteGroup> groups;
};
/// Make a Rewrite.
arrow::Result<Transaction> MakeRewriteTransaction(const Dataset& dataset,
                                                  RewriteOperation operation);

/// Change configuration, table metadata, schema metadata or field metadata in one commit.
struct UpdateConfigOperation {
  /// Each target at most once, each field at most once; their commit options are not looked at.
  std::vector<MetadataUpdate> updates;
};
/// Make an UpdateConfig. \return as UpdateMetadata
arrow::Result<Transaction> MakeUpdateConfigTransaction(const Dataset& dataset,
                                                       const UpdateConfigOperation& operation);

/// The places besides its own that files of a table can be in.
std::vector<DatasetBasePath> BasePaths(const Dataset& dataset);

/// Add places that files of the table can be in.
struct UpdateBasesOperation {
  /// The new ones; none ever goes.
  std::vector<DatasetBasePath> new_bases;
};
/// Make an UpdateBases.
arrow::Result<Transaction> MakeUpdateBasesTransaction(const Dataset& dataset,
                                                      const UpdateBasesOperation& operation);

}  // namespace lance
