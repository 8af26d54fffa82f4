#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/btree_lookup.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Rows of pages of a BTree: values and the numbers that name their rows. A plain value.
struct BTreeRows {
  std::shared_ptr<arrow::Array> values;  // nulls first, then ascending
  std::shared_ptr<arrow::UInt64Array> ids;
};

/// The files of a BTree segment, opened. Immutable; thread-safe.
///
/// What is read of its pages is checked against their lookup, so that a file that was damaged, or
/// whose pages were cut wrongly (zonemap-and-indices 8.1-18), is an error and no wrong answer.
class BTreeSegment {
 public:
  static arrow::Result<std::shared_ptr<const BTreeSegment>> Open(
      const std::shared_ptr<ObjectStore>& store, const table::IndexMetadata& segment,
      const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run);

  RowDomain domain() const { return domain_; }
  const std::shared_ptr<arrow::DataType>& type() const { return type_; }
  const BTreeLookup& lookup() const { return lookup_; }
  uint64_t num_nulls() const { return num_nulls_; }

  /// Pages [begin, end) that are in the order of a BTree from one to the next.
  struct SortedPages {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  /// All pages; more than one run of them where several range partitions have nulls.
  std::vector<SortedPages> SortedRuns() const;

  /// How many of the first of `pages` to read at once: they are in one file, and their rows take
  /// some megabytes. \pre not empty, ascending
  size_t CountReadable(std::span<const uint32_t> pages) const;

  /// Read pages in as few requests as they allow. \pre CountReadable allows it
  arrow::Result<BTreeRows> Read(std::span<const uint32_t> pages, const RunContext& run) const;

  /// Read the numbers of rows of pages that are all null, as Read.
  arrow::Result<std::shared_ptr<arrow::UInt64Array>> ReadIds(std::span<const uint32_t> pages,
                                                             const RunContext& run) const;

 private:
  struct Part {
    std::shared_ptr<const format::DataFileReader> file;
    uint64_t first_page = 0;
    uint64_t num_pages = 0;
    int values = 0;  // columns
    int ids = 0;
  };

  BTreeSegment(BTreeLookup lookup, std::shared_ptr<arrow::DataType> type, RowDomain domain)
      : lookup_(std::move(lookup)), type_(std::move(type)), domain_(domain) {}

  arrow::Status OpenParts(const std::shared_ptr<ObjectStore>& store,
                          const table::IndexMetadata& segment, const RunContext& run);
  arrow::Status AddPart(std::shared_ptr<const format::DataFileReader> file, uint64_t num_pages);
  const Part& PartOf(uint64_t page) const;
  RowRange RowsOf(const Part& part, uint64_t page) const;
  RowRanges RowsOf(const Part& part, std::span<const uint32_t> pages) const;
  arrow::Status CheckPages(const Part& part, std::span<const uint32_t> pages,
                           const arrow::Array& values) const;

  BTreeLookup lookup_;
  std::shared_ptr<arrow::DataType> type_;
  RowDomain domain_;
  std::vector<Part> parts_;  // none without pages
  uint64_t num_nulls_ = 0;
};

}  // namespace lance::index
