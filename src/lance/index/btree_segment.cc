#include "lance/index/btree_segment.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

using format::DataFileReader;

constexpr int32_t kHighestVersion = 1;

/// What is read at once at most, as it is stored and in rows.
constexpr uint64_t kMaxReadBytes = 4ull << 20;
constexpr uint64_t kMaxReadRows = 1ull << 18;

arrow::Status CheckEntry(const table::IndexMetadata& segment, const arrow::DataType& type) {
  ARROW_RETURN_NOT_OK(CheckPlainSegment(segment, "BTree", kHighestVersion));
  if (!HasOrder(type)) {
    const std::string name = "BTree of type " + type.ToString();
    return UnsupportedError(name,
                            name + " is not supported; allowed: types whose values have an order");
  }
  return arrow::Status::OK();
}

/// Check one page of a longer array.
///
/// \param previous the last value of the page before; unknown: none
arrow::Status CheckPage(const BTreeLookup& lookup, uint64_t page, const arrow::Array& values,
                        RowRange rows, OrderedValue* previous) {
  const auto corrupt = [page](const char* what) {
    return arrow::Status::SerializationError("BTree page ", page, " ", what);
  };
  const uint64_t first_value = rows.begin + lookup.null_count(page);
  for (uint64_t row = rows.begin; row < rows.end; ++row) {
    const OrderedValue value = ToOrderedValue(values, static_cast<int64_t>(row));
    if (value.is_known() != (row >= first_value)) return corrupt("has other nulls than its lookup");
    if (!value.is_known()) continue;
    if (previous->is_known() && value < *previous) return corrupt("is not sorted");
    *previous = value;
  }
  const auto at = static_cast<int64_t>(page);
  const auto is_same = [&](const arrow::Array& bound, uint64_t row) {
    return ToOrderedValue(bound, at) == ToOrderedValue(values, static_cast<int64_t>(row));
  };
  if (!is_same(lookup.min(), rows.begin) || !is_same(lookup.max(), rows.end - 1)) {
    return corrupt("begins or ends with another value than its lookup says");
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::UInt64Array>> ReadIdColumn(const DataFileReader& file,
                                                                int column, const RowRanges& rows,
                                                                const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto ids, file.ReadColumn(column, arrow::uint64(), rows, run.stop_token));
  if (ids->null_count() > 0) {
    return arrow::Status::SerializationError("BTree column ids has ", ids->null_count(),
                                             " nulls, allowed none");
  }
  return std::static_pointer_cast<arrow::UInt64Array>(ids);
}

}  // namespace

arrow::Result<std::shared_ptr<const BTreeSegment>> BTreeSegment::Open(
    const std::shared_ptr<ObjectStore>& store, const table::IndexMetadata& segment,
    const std::shared_ptr<arrow::DataType>& column_type, const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckEntry(segment, *column_type));
  ARROW_ASSIGN_OR_RAISE(auto lookup, BTreeLookup::Load(store, segment, column_type, run));
  const auto domain =
      segment.index_version.value_or(0) >= 1 ? RowDomain::kAddress : RowDomain::kRowId;
  std::shared_ptr<BTreeSegment> opened(new BTreeSegment(std::move(lookup), column_type, domain));
  ARROW_RETURN_NOT_OK(opened->OpenParts(store, segment, run));
  return opened;
}

arrow::Status BTreeSegment::OpenParts(const std::shared_ptr<ObjectStore>& store,
                                      const table::IndexMetadata& segment, const RunContext& run) {
  const auto open = [&](const std::string& name, uint64_t num_pages) {
    ARROW_ASSIGN_OR_RAISE(auto file, OpenIndexFile(store, segment, name, run));
    const std::string path = file->path();
    return InFile(AddPart(std::move(file), num_pages), path);
  };
  if (!lookup_.is_partitioned()) return open("page_data.lance", lookup_.num_pages());
  uint64_t num_pages = 0;
  for (const auto& partition : lookup_.partitions()) {
    ARROW_RETURN_NOT_OK(run.stop_token.Poll());
    ARROW_RETURN_NOT_OK(
        open("part_" + std::to_string(partition.id) + "_page_data.lance", partition.num_pages));
    num_pages += partition.num_pages;
  }
  if (num_pages == lookup_.num_pages()) return arrow::Status::OK();
  return arrow::Status::SerializationError("BTree has ", lookup_.num_pages(), " pages, ", num_pages,
                                           " in its partitions");
}

arrow::Status BTreeSegment::AddPart(std::shared_ptr<const DataFileReader> file,
                                    uint64_t num_pages) {
  ARROW_ASSIGN_OR_RAISE(const int values, FindTypedColumn(*file, "values", *type_));
  ARROW_ASSIGN_OR_RAISE(const int ids, FindTypedColumn(*file, "ids", *arrow::uint64()));
  const uint64_t num_rows = file->num_rows();
  const uint64_t first_page =
      parts_.empty() ? 0 : parts_.back().first_page + parts_.back().num_pages;
  if (CeilDiv(num_rows, lookup_.page_rows()) != num_pages ||
      num_pages > lookup_.num_pages() - first_page) {
    return arrow::Status::SerializationError("BTree lookup has ", num_pages, " pages of ",
                                             lookup_.page_rows(), " rows, the file has ", num_rows,
                                             " rows");
  }
  if (num_pages == 0) return arrow::Status::OK();
  parts_.push_back({std::move(file), first_page, num_pages, values, ids});
  for (uint64_t page = first_page; page < first_page + num_pages; ++page) {
    ARROW_RETURN_NOT_OK(lookup_.CheckSize(page, RowsOf(parts_.back(), page).size()));
    // Searches and merges take the nulls of a part to be its first rows.
    if (page > first_page && lookup_.null_count(page) > 0 && !lookup_.IsAllNull(page - 1)) {
      return arrow::Status::SerializationError("BTree page ", page, " has nulls behind values");
    }
    num_nulls_ += lookup_.null_count(page);
  }
  return arrow::Status::OK();
}

std::vector<BTreeSegment::SortedPages> BTreeSegment::SortedRuns() const {
  std::vector<SortedPages> runs;
  for (const Part& part : parts_) {
    // Nulls are the first of each part, and no value is below those of the parts before.
    const bool goes_on = !runs.empty() && lookup_.null_count(part.first_page) == 0;
    if (!goes_on) runs.push_back({part.first_page, part.first_page});
    runs.back().end = part.first_page + part.num_pages;
  }
  return runs;
}

const BTreeSegment::Part& BTreeSegment::PartOf(uint64_t page) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), page,
                       [](uint64_t wanted, const Part& part) { return wanted < part.first_page; });
  return *(after - 1);
}

/// The rows of a page in its file.
RowRange BTreeSegment::RowsOf(const Part& part, uint64_t page) const {
  const uint64_t begin = (page - part.first_page) * lookup_.page_rows();
  const uint64_t left = part.file->num_rows() - begin;
  return {begin, begin + std::min(left, lookup_.page_rows())};
}

RowRanges BTreeSegment::RowsOf(const Part& part, std::span<const uint32_t> pages) const {
  std::vector<RowRange> ranges;
  for (const uint32_t page : pages) ranges.push_back(RowsOf(part, page));
  return RowRanges::Make(std::move(ranges));
}

size_t BTreeSegment::CountReadable(std::span<const uint32_t> pages) const {
  const Part& part = PartOf(pages.front());
  const uint64_t page_bytes = part.file->size_bytes() / part.num_pages + 1;
  const uint64_t most = std::clamp<uint64_t>(
      std::min(kMaxReadBytes / page_bytes, kMaxReadRows / lookup_.page_rows()), 1, pages.size());
  size_t count = 1;
  while (count < most && pages[count] < part.first_page + part.num_pages) ++count;
  return count;
}

arrow::Result<BTreeRows> BTreeSegment::Read(std::span<const uint32_t> pages,
                                            const RunContext& run) const {
  const Part& part = PartOf(pages.front());
  const RowRanges rows = RowsOf(part, pages);
  const auto read = [&]() -> arrow::Result<BTreeRows> {
    BTreeRows found;
    ARROW_ASSIGN_OR_RAISE(found.values,
                          part.file->ReadColumn(part.values, type_, rows, run.stop_token));
    ARROW_RETURN_NOT_OK(CheckPages(part, pages, *found.values));
    ARROW_ASSIGN_OR_RAISE(found.ids, ReadIdColumn(*part.file, part.ids, rows, run));
    return found;
  };
  auto result = read();
  return result.ok() ? result : InFile(result.status(), part.file->path());
}

arrow::Result<std::shared_ptr<arrow::UInt64Array>> BTreeSegment::ReadIds(
    std::span<const uint32_t> pages, const RunContext& run) const {
  const Part& part = PartOf(pages.front());
  auto ids = ReadIdColumn(*part.file, part.ids, RowsOf(part, pages), run);
  return ids.ok() ? ids : InFile(ids.status(), part.file->path());
}

arrow::Status BTreeSegment::CheckPages(const Part& part, std::span<const uint32_t> pages,
                                       const arrow::Array& values) const {
  OrderedValue previous;
  uint64_t begin = 0;
  for (const uint32_t page : pages) {
    const uint64_t end = begin + RowsOf(part, page).size();
    ARROW_RETURN_NOT_OK(CheckPage(lookup_, page, values, {begin, end}, &previous));
    begin = end;
  }
  return arrow::Status::OK();
}

}  // namespace lance::index
