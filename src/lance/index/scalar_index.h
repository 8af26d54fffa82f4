#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/base/uuid.h"
#include "lance/index/predicate.h"
#include "lance/index/row_address_map.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// What an index stores to name a row: its address, or its stable row id (zonemap-and-indices 1.5).
enum class RowDomain { kAddress, kRowId };

/// Rows that an index segment names for one leaf, over all that it holds. A plain value.
///
/// Numbers are split into high and low 32 bits, whatever the domain. Rows outside the segment's
/// effective coverage may be in it: the caller discards them (zonemap-and-indices 1.7).
struct LeafMatches {
  /// Every row of the index for which the leaf is TRUE; with `is_exact` no other.
  RowAddressMap rows;
  bool is_exact = false;
  /// Rows for which the leaf is NULL; no value: not known, or not asked for. Only with `is_exact`.
  std::optional<RowAddressMap> null_rows;
};

/// Whether a search also names the rows for which the leaf is NULL, which only NOT asks for: where
/// nulls are many, it reads more for them than for the matches.
enum class NullRows { kLeftOut, kNamed };

/// One opened segment of an index that names rows: btree, bitmap, label list, bloom filter.
///
/// Immutable; reads parts of its files as they are asked for. Thread-safe.
class ScalarIndex {
 public:
  virtual ~ScalarIndex() = default;

  /// What its rows are named by.
  virtual RowDomain domain() const = 0;

  /// Whether `Search` can say anything about a leaf: by its kind, and the type of its literals.
  virtual bool Answers(const Predicate& leaf) const = 0;

  /// About which share of its rows, 0 to 1, a search for a leaf that it answers looks at; no value:
  /// not known without searching. From what is in memory.
  virtual std::optional<double> EstimateShare(const Predicate& /*leaf*/) const {
    return std::nullopt;
  }

  /// Find the rows of a leaf that it answers.
  ///
  /// \return an error that says why the segment cannot be used; the caller then scans in full
  virtual arrow::Result<LeafMatches> Search(const Predicate& leaf, NullRows nulls,
                                            const RunContext& run) const = 0;

  /// What people may want to know about it, by the reference's names: "num_pages" of a btree,
  /// "num_bitmaps" of a bitmap or label list. From what is in memory.
  using Fact = std::variant<uint64_t, std::string>;
  virtual std::vector<std::pair<std::string, Fact>> Facts() const { return {}; }

  /// Bytes that it holds in memory, for the session's cache.
  virtual uint64_t SizeBytes() const = 0;
};

/// Open a segment of one of the types above.
///
/// \param store of the table, base paths included (base_path.h)
/// \param column_type of the keyed column; for a label list the list type
/// \return an error that says why the segment cannot be used: unknown type or version
///   (NotImplemented), missing file, column or metadata that does not fit
/// Source: zonemap-and-indices 1.4, 1.5, 6
arrow::Result<std::shared_ptr<const ScalarIndex>> OpenScalarIndex(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

/// Where the rows that an old segment names are now. Thread-safe.
class RowMapping {
 public:
  virtual ~RowMapping() = default;
  /// The number that names the row in the new segment; no value: it is gone, or not covered.
  virtual std::optional<uint64_t> Map(uint64_t row) const = 0;
};

/// What a new segment is made of: rows of old ones, carried over, and new rows. Building, updating,
/// merging and remapping are all this.
struct NewScalarIndex {
  /// An old segment of the same type and column.
  struct OldPart {
    const table::IndexMetadata* segment = nullptr;
    const RowMapping* mapping = nullptr;
  };

  /// "BTree", "Bitmap" or "LabelList".
  std::string index_type;
  /// For messages.
  std::string column;
  std::shared_ptr<arrow::DataType> column_type;
  RowDomain domain = RowDomain::kAddress;
  std::vector<OldPart> old_parts;
  /// New rows: `value` (column_type) and `row` (uint64, ascending); null: none.
  std::shared_ptr<arrow::RecordBatchReader> rows;
};

/// Files of a new segment, and what the manifest says of them.
struct NewScalarIndexFiles {
  std::string details_type_url;
  int32_t index_version = 0;
  std::vector<table::IndexFile> files;  // with sizes; names relative to the segment's folder
};

/// Write `_indices/{uuid}/...`; commits nothing. What was written is deleted again on an error.
///
/// \return NotImplemented + UnsupportedFeature for another type of index, or a type of column that
///   this type of index cannot hold; what is wrong with an old part
/// Source: zonemap-and-indices 5.2 to 5.6, 6
arrow::Result<NewScalarIndexFiles> WriteScalarIndex(const std::shared_ptr<ObjectStore>& store,
                                                    const Uuid& uuid, const NewScalarIndex& request,
                                                    const RunContext& run);

}  // namespace lance::index
