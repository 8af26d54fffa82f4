#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/filter.h"
#include "lance/session.h"

namespace lance {

class Dataset;

/// What a scan gives for blob columns.
enum class BlobHandling {
  kDescriptions,  ///< Where the bytes are: a struct with position and size, and more for blob v2.
  kBinary,        ///< The bytes themselves, as large_binary.
};

/// A column that is computed from others. A plain value.
struct ComputedColumn {
  /// What it is called.
  std::string name;
  /// SQL over the row; docs/guide/filters.md.
  std::string expression;
};

/// One column to sort by. A plain value.
struct ColumnOrdering {
  /// A column, or the path of a member of a struct, of a type that has an order.
  std::string column_name;
  /// False: from the greatest value on.
  bool ascending = true;
  /// Where nulls go, whatever the direction.
  bool nulls_first = false;
};

/// What to read. A plain value; names as in pylance's scanner.
struct ScanOptions {
  /// Columns in output order; empty: all, unless there are computed ones. A path ("a.b") gives a
  /// member of a struct as a column that is called so, and reads no more than it. `_rowid`,
  /// `_rowaddr`, `_rowoffset` and the versions of rows may be named.
  std::vector<std::string> columns;
  /// Columns that are computed, behind the others.
  std::vector<ComputedColumn> computed_columns;
  /// Rows to keep; always applied exactly.
  std::optional<Filter> filter;
  /// At most so many rows, after the filter.
  std::optional<uint64_t> limit;
  /// Rows to skip, after the filter.
  uint64_t offset = 0;
  /// Sort by these, before offset and limit; empty: fragments in order, rows as stored. Floats by
  /// IEEE 754 total order, texts bytewise; equal rows stay in the order of the scan. With a limit
  /// memory holds about limit + offset rows of these columns, without one the whole result.
  std::vector<ColumnOrdering> order_by;
  /// Most rows of one batch; 1 or more.
  uint64_t batch_size = 8192;
  /// About the most bytes of one batch, at least a row; 1 or more. No value: none.
  std::optional<uint64_t> batch_size_bytes;
  /// Read these fragments alone, in this order; no value: all.
  std::optional<std::vector<uint64_t>> fragment_ids;
  /// Give deleted rows as well, with a null `_rowid`, which must be asked for.
  bool include_deleted_rows = false;
  /// Add `_rowid` (uint64) after the data columns.
  bool with_row_id = false;
  /// Add `_rowaddr` (uint64): fragment id in the high, offset in the low 32 bits.
  bool with_row_address = false;
  /// What blob columns give.
  BlobHandling blob_handling = BlobHandling::kDescriptions;
  /// Off: use no index; seeds in data files still prune. Answers are the same.
  bool use_scalar_index = true;
  /// Off: no pruning at all. Answers are the same.
  bool use_stats = true;
};

/// Kept and total of something that can be skipped. A plain value.
struct ScanPart {
  /// What a scan would read.
  uint64_t kept = 0;
  /// What there is.
  uint64_t total = 0;
};

/// What a scan did. A plain value. Fields: docs/guide/json.md.
struct ScanStatistics {
  /// Ranges read.
  uint64_t iops = 0;
  /// Calls to storage.
  uint64_t requests = 0;
  /// Bytes read, indices included.
  uint64_t bytes_read = 0;
  /// Indices opened.
  uint64_t indices_loaded = 0;
  /// Parts of indices read: zonemaps as a whole, ranges of the files of others.
  uint64_t parts_loaded = 0;
  /// Zones compared with a literal, and searches of other indices.
  uint64_t index_comparisons = 0;
  /// Index segments found in the session's cache.
  uint64_t index_cache_hits = 0;
  /// Index segments that had to be loaded.
  uint64_t index_cache_misses = 0;
  /// Fragments of which rows were read.
  uint64_t fragments_scanned = 0;
  /// Ranges of rows read.
  uint64_t ranges_scanned = 0;
  /// Live rows handed to the filter.
  uint64_t rows_scanned = 0;
  /// Rows returned.
  uint64_t rows_returned = 0;
  /// Zones not skipped; in fragments without zones each 8,192 rows count as one.
  uint64_t zones_kept = 0;
  /// Zones in all.
  uint64_t zones_total = 0;
  /// Fragments not skipped.
  uint64_t fragments_kept = 0;
  /// Fragments in all.
  uint64_t fragments_total = 0;
  /// Wall time.
  double seconds = 0;
};

/// One condition of a filter. A plain value.
struct ScanPredicate {
  /// The condition in SQL.
  std::string predicate;
  /// The index used; no value: seeds or none.
  std::optional<std::string> index;
  /// "zonemap", "btree", "bitmap", "labellist", "bloomfilter" or "seed"; no value: none.
  std::optional<std::string> index_type;
  /// Whether the index gives exactly the matching rows, in all fragments.
  bool exact = false;
  /// Zones that may hold a match of this condition alone.
  uint64_t zones_kept = 0;
  /// Zones in all; 0: no statistics are asked about it.
  uint64_t zones_total = 0;
};

/// How a scan would run, or ran. A plain value. Fields: docs/guide/json.md.
struct ScanExplanation {
  /// The version that is read.
  uint64_t table_version = 0;
  /// The filter in canonical SQL.
  std::optional<std::string> filter;
  /// What each condition could skip; last those that are not asked of statistics.
  std::vector<ScanPredicate> predicates;
  /// Fragments.
  ScanPart fragments;
  /// Zones.
  ScanPart zones;
  /// Rows.
  ScanPart rows;
  /// Bytes of all data files, and their share by the rows kept: an estimate that ignores columns.
  ScanPart bytes;
  /// Columns that are read only where rows survive.
  std::vector<std::string> late_materialization;
  /// The plan for people, several lines.
  std::string text;
  /// What really happened; only of Analyze.
  std::optional<ScanStatistics> actual;
};

/// What is known of one output column without reading it. A plain value.
struct ColumnEstimate {
  /// Its name.
  std::string column;
  /// No value of the scan is below; null: not known.
  std::shared_ptr<arrow::Scalar> min;
  /// No value of the scan is above; null: not known.
  std::shared_ptr<arrow::Scalar> max;
  /// The scan has no more nulls; no value: not known.
  std::optional<uint64_t> null_count;
  /// Whether these are the true ones of what the scan gives.
  bool exact = false;
};

/// Bounds for what a scan gives and reads. A plain value. Fields: docs/guide/json.md.
struct ScanEstimate {
  /// At least so many rows.
  uint64_t rows_min = 0;
  /// At most so many rows.
  uint64_t rows_max = 0;
  /// At least so many bytes are read.
  uint64_t bytes_min = 0;
  /// At most so many bytes are read, indices included.
  uint64_t bytes_max = 0;
  /// Whether both bounds of the rows are the same.
  bool exact = false;
  /// The columns of the table among those that come out.
  std::vector<ColumnEstimate> columns;
};

/// A scan of one version, ready to run any number of times. Immutable.
class Scanner {
 public:
  /// The columns that come out.
  const std::shared_ptr<arrow::Schema>& projected_schema() const;

  /// Read batches in row order. \return a reader; see scan_statistics
  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ToReader(
      const CallOptions& call = {}) const;
  /// Read everything.
  arrow::Result<std::shared_ptr<arrow::Table>> ToTable(const CallOptions& call = {}) const;
  /// Count the rows that would come out; without a filter from metadata alone.
  arrow::Result<uint64_t> CountRows(const CallOptions& call = {}) const;
  /// Bounds from the manifest and indices. Reads no data file, and indices once per session.
  arrow::Result<ScanEstimate> Estimate(const CallOptions& call = {}) const;
  /// Say what would be read. Reads indices and seeds, no data.
  arrow::Result<ScanExplanation> Explain(const CallOptions& call = {}) const;
  /// Run it and say what was read beside what was expected.
  arrow::Result<ScanExplanation> Analyze(const CallOptions& call = {}) const;

  /// The inside; for the library only.
  class Impl;
  /// Wrap an inside; for the library only.
  explicit Scanner(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  /// The inside; for the library only.
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

/// The statistics of a reader that ToReader made; null for other readers. Final once it has ended.
const ScanStatistics* scan_statistics(const arrow::RecordBatchReader& reader);

/// How rows are named.
enum class RowSelector {
  kOffsets,       ///< Positions in the version, 0 to its number of rows.
  kRowIds,        ///< Values of `_rowid`.
  kRowAddresses,  ///< Values of `_rowaddr`.
};

/// Which rows to take. A plain value.
struct TakeRequest {
  /// Rows in the order wanted; repeats are fine.
  std::vector<uint64_t> rows;
  /// What `rows` are.
  RowSelector by = RowSelector::kOffsets;
  /// Columns in output order; empty: all, unless there are computed ones. Paths of members
  /// ("a.b", below lists "l.item.b") give one struct or list with these members, in the schema's
  /// order, where the first of them stands.
  std::vector<std::string> columns;
  /// What blob columns give.
  BlobHandling blob_handling = BlobHandling::kDescriptions;
  /// Columns that are computed, behind the others.
  std::vector<ComputedColumn> computed_columns;
};

/// Which rows to draw. A plain value.
struct SampleRequest {
  /// How many; all when there are fewer.
  uint64_t num_rows = 0;
  /// The same draw for the same seed and version.
  uint64_t seed = 0;
  /// Columns, as in TakeRequest.
  std::vector<std::string> columns;
  /// Columns that are computed, behind the others.
  std::vector<ComputedColumn> computed_columns;
};

/// Draw rows at random without repeats, in the order of the table.
arrow::Result<std::shared_ptr<arrow::Table>> Sample(const Dataset& dataset,
                                                    const SampleRequest& request,
                                                    const CallOptions& call = {});

/// Read rows by position or address. Reads only the pages' parts that hold them.
///
/// \return IndexError naming a row that is not there; KeyError naming a column that is not
arrow::Result<std::shared_ptr<arrow::Table>> Take(const Dataset& dataset,
                                                  const TakeRequest& request,
                                                  const CallOptions& call = {});

}  // namespace lance
