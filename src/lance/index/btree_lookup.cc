#include "lance/index/btree_lookup.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/status_detail.h"
#include "lance/index/index_file.h"
#include "lance/index/stored_columns.h"

namespace lance::index {
namespace {

using format::DataFileReader;

constexpr char kFileName[] = "page_lookup.lance";

arrow::Result<std::shared_ptr<arrow::Array>> ReadBounds(
    const DataFileReader& file, std::string_view name, const std::shared_ptr<arrow::DataType>& type,
    const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const int column, FindTypedColumn(file, name, *type));
  return file.ReadColumn(column, type, RowRanges::All(file.num_rows()), run.stop_token);
}

/// Parse `[[id, number of pages], ...]`.
arrow::Result<std::vector<BTreeLookup::Partition>> ParsePartitions(const std::string& text) {
  const auto bad = [&] {
    return arrow::Status::SerializationError("BTree page_num_per_range_partition is \"",
                                             text.substr(0, 64),
                                             "\", allowed a list of [id, number of pages]");
  };
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array()) return bad();
  std::vector<BTreeLookup::Partition> partitions;
  for (const auto& pair : json) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return bad();
    }
    partitions.push_back({pair[0].get<uint64_t>(), pair[1].get<uint64_t>()});
  }
  return partitions;
}

}  // namespace

arrow::Result<BTreeLookup> BTreeLookup::Load(const std::shared_ptr<ObjectStore>& store,
                                             const table::IndexMetadata& segment,
                                             const std::shared_ptr<arrow::DataType>& column_type,
                                             const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenIndexFile(store, segment, kFileName, run));
  BTreeLookup lookup;
  const auto read = [&] {
    ARROW_RETURN_NOT_OK(lookup.ReadColumns(*file, column_type, run));
    ARROW_RETURN_NOT_OK(lookup.ReadMetadata(file->schema()));
    return lookup.CheckOrder();
  };
  ARROW_RETURN_NOT_OK(InFile(read(), file->path()));
  return lookup;
}

arrow::Status BTreeLookup::ReadColumns(const DataFileReader& file,
                                       const std::shared_ptr<arrow::DataType>& type,
                                       const RunContext& run) {
  num_pages_ = file.num_rows();
  if (num_pages_ > std::numeric_limits<uint32_t>::max()) {
    return arrow::Status::SerializationError("BTree has ", num_pages_, " pages");
  }
  ARROW_ASSIGN_OR_RAISE(min_, ReadBounds(file, "min", type, run));
  ARROW_ASSIGN_OR_RAISE(max_, ReadBounds(file, "max", type, run));
  const auto read_numbers = [&](std::string_view name) {
    return ReadRequiredColumn(file, name, arrow::uint32(), run.stop_token);
  };
  ARROW_ASSIGN_OR_RAISE(null_count_, read_numbers("null_count"));
  ARROW_ASSIGN_OR_RAISE(const auto page_idx, read_numbers("page_idx"));
  const uint32_t* idx = static_cast<const arrow::UInt32Array&>(*page_idx).raw_values();
  for (int64_t page = 0; page < page_idx->length(); ++page) {
    if (idx[page] != page) {
      return arrow::Status::SerializationError("BTree page_idx of page ", page, " is ", idx[page]);
    }
  }
  return arrow::Status::OK();
}

arrow::Status BTreeLookup::ReadMetadata(const format::LanceSchema& schema) {
  if (const std::string* text = FindMetadata(schema, "batch_size")) {
    page_rows_ = ParseDecimal(*text).value_or(kDefaultPageRows);
    if (page_rows_ == 0) {
      return arrow::Status::SerializationError("BTree batch_size is 0, allowed from 1");
    }
  }
  const std::string* partitioned = FindMetadata(schema, "range_partitioned");
  if (!partitioned || *partitioned == "false") return arrow::Status::OK();
  if (*partitioned != "true") {
    return arrow::Status::SerializationError("BTree range_partitioned is \"",
                                             partitioned->substr(0, 64), "\", allowed true, false");
  }
  const std::string* pages = FindMetadata(schema, "page_num_per_range_partition");
  if (!pages) {
    return arrow::Status::SerializationError(
        "BTree is range-partitioned, but has no page_num_per_range_partition");
  }
  is_partitioned_ = true;
  ARROW_ASSIGN_OR_RAISE(partitions_, ParsePartitions(*pages));
  return arrow::Status::OK();
}

/// Check bounds against each other, and sort pages into those with values and those with nulls.
arrow::Status BTreeLookup::CheckOrder() {
  OrderedValue highest;  // of the pages before
  for (uint32_t page = 0; page < num_pages(); ++page) {
    const OrderedValue first = ToOrderedValue(*min_, page);
    const OrderedValue last = ToOrderedValue(*max_, page);
    if (null_count(page) > 0) pages_with_nulls_.push_back(page);
    if (first.is_known() == (null_count(page) > 0)) {
      return arrow::Status::SerializationError("BTree page ", page, " has ", null_count(page),
                                               " nulls, and its min does not fit that");
    }
    if (!last.is_known()) {
      if (!first.is_known()) continue;
      return arrow::Status::SerializationError("BTree page ", page, " has a min, but no max");
    }
    const OrderedValue& least = first.is_known() ? first : last;
    if (least > last || (highest.is_known() && least < highest)) {
      return arrow::Status::SerializationError("BTree page ", page, " is out of order");
    }
    highest = last;
    pages_with_values_.push_back(page);
  }
  return arrow::Status::OK();
}

uint64_t BTreeLookup::size_bytes() const {
  const int64_t columns = arrow::util::TotalBufferSize(*min_) +
                          arrow::util::TotalBufferSize(*max_) +
                          arrow::util::TotalBufferSize(*null_count_);
  return static_cast<uint64_t>(columns) +
         sizeof(uint32_t) * (pages_with_values_.size() + pages_with_nulls_.size());
}

uint64_t BTreeLookup::null_count(uint64_t page) const {
  return static_cast<const arrow::UInt32Array&>(*null_count_).Value(static_cast<int64_t>(page));
}

bool BTreeLookup::IsAllNull(uint64_t page) const {
  return max_->IsNull(static_cast<int64_t>(page));
}

arrow::Status BTreeLookup::CheckSize(uint64_t page, uint64_t num_rows) const {
  if (null_count(page) <= num_rows && IsAllNull(page) == (null_count(page) == num_rows)) {
    return arrow::Status::OK();
  }
  return arrow::Status::SerializationError("BTree page ", page, " has ", null_count(page),
                                           " nulls of ", num_rows,
                                           " rows, and its max does not fit that");
}

std::vector<uint32_t> BTreeLookup::PagesOf(std::span<const ValueInterval> intervals) const {
  std::vector<uint32_t> pages;
  const size_t num_pages = pages_with_values_.size();
  size_t next = 0;  // pages before it are dealt with
  for (const ValueInterval& interval : intervals) {
    // Maxima ascend: the first page that reaches the interval, and the first that ends above it.
    const size_t begin = FirstThat(next, num_pages, [&](size_t i) {
      return !interval.IsAbove(ToOrderedValue(*max_, pages_with_values_[i]));
    });
    const size_t last = FirstThat(begin, num_pages, [&](size_t i) {
      return interval.IsBelow(ToOrderedValue(*max_, pages_with_values_[i]));
    });
    next = std::max(next, last);
    pages.insert(pages.end(), pages_with_values_.begin() + static_cast<ptrdiff_t>(begin),
                 pages_with_values_.begin() + static_cast<ptrdiff_t>(last));
    if (last == num_pages) break;
    const OrderedValue first = ToOrderedValue(*min_, pages_with_values_[last]);
    if (!first.is_known() || !interval.IsBelow(first)) {
      pages.push_back(pages_with_values_[last]);
      next = last + 1;
    }
  }
  return pages;
}

}  // namespace lance::index
