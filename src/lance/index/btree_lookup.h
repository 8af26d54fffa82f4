#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/btree_intervals.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Rows of a page where nothing says otherwise (zonemap-and-indices 6.1).
inline constexpr uint64_t kDefaultPageRows = 4096;

/// What `page_lookup.lance` of a BTree says of its pages: bounds and nulls. Immutable.
///
/// Every page is sorted, nulls first, and no page has a value below one of the pages before it.
/// Checked by Load, but for what needs the sizes of pages: that is CheckSizes.
/// Source: zonemap-and-indices 6.1
class BTreeLookup {
 public:
  /// Pages that are in a file of their own.
  struct Partition {
    uint64_t id = 0;
    uint64_t num_pages = 0;
  };

  static arrow::Result<BTreeLookup> Load(const std::shared_ptr<ObjectStore>& store,
                                         const table::IndexMetadata& segment,
                                         const std::shared_ptr<arrow::DataType>& column_type,
                                         const RunContext& run);

  /// The rows of every page but the last of each file.
  uint64_t page_rows() const { return page_rows_; }
  uint64_t num_pages() const { return num_pages_; }
  uint64_t size_bytes() const;

  /// The files of a range-partitioned index in order; empty: all pages are in `page_data.lance`.
  const std::vector<Partition>& partitions() const { return partitions_; }
  bool is_partitioned() const { return is_partitioned_; }

  /// The first and the last value of every page; null where that is null.
  const arrow::Array& min() const { return *min_; }
  const arrow::Array& max() const { return *max_; }
  uint64_t null_count(uint64_t page) const;
  bool IsAllNull(uint64_t page) const;

  /// Check the nulls of a page against its rows, and against its bounds.
  arrow::Status CheckSize(uint64_t page, uint64_t num_rows) const;

  /// Pages with nulls, ascending.
  const std::vector<uint32_t>& pages_with_nulls() const { return pages_with_nulls_; }

  /// The pages that may hold a value of one of the intervals, ascending.
  std::vector<uint32_t> PagesOf(std::span<const ValueInterval> intervals) const;

 private:
  BTreeLookup() = default;
  arrow::Status ReadColumns(const format::DataFileReader& file,
                            const std::shared_ptr<arrow::DataType>& type, const RunContext& run);
  arrow::Status ReadMetadata(const format::LanceSchema& schema);
  arrow::Status CheckOrder();

  std::shared_ptr<arrow::Array> min_;
  std::shared_ptr<arrow::Array> max_;
  std::shared_ptr<arrow::Array> null_count_;  // uint32
  uint64_t num_pages_ = 0;
  uint64_t page_rows_ = kDefaultPageRows;
  bool is_partitioned_ = false;
  std::vector<Partition> partitions_;
  std::vector<uint32_t> pages_with_values_;  // ascending
  std::vector<uint32_t> pages_with_nulls_;
};

}  // namespace lance::index
