#include "lance/format/v20/column_reader.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"

namespace lance::format::v20 {
namespace {

/// Reads the pages of one column side by side.
class ColumnReader : public ArrayReader {
 public:
  ColumnReader(int column, std::shared_ptr<arrow::DataType> type, const FieldRequest& field)
      : column_(column), type_(std::move(type)), pool_(field.pool), stop_(field.stop) {}

  arrow::Status AddPage(const PageRows& rows, uint64_t max_null_bytes) {
    auto encoding = ParseArrayEncoding(*rows.page);
    if (!encoding.ok()) return InPage(encoding.status(), column_, rows.index);
    auto reader =
        MakePageReader({.page = *rows.page,
                        .encoding = std::make_shared<const ArrayEncoding>(*std::move(encoding)),
                        .type = type_,
                        .num_rows = rows.page->num_rows,
                        .rows = rows.rows,
                        .max_null_bytes = max_null_bytes,
                        .pool = pool_});
    if (!reader.ok()) return InPage(reader.status(), column_, rows.index);
    pages_.push_back({*std::move(reader), rows.index});
    return arrow::Status::OK();
  }

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    bool is_done = true;
    for (const Page& page : pages_) {
      auto done = page.reader->Advance(batch);
      if (!done.ok()) return InPage(done.status(), column_, page.index);
      is_done &= *done;
    }
    return is_done;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    std::vector<std::shared_ptr<arrow::Array>> arrays;
    for (const Page& page : pages_) {
      ARROW_RETURN_NOT_OK(stop_.Poll());
      auto array = page.reader->Finish();
      if (!array.ok()) return InPage(array.status(), column_, page.index);
      arrays.push_back(*std::move(array));
    }
    auto array = ConcatenatePages(std::move(arrays), type_, pool_);
    if (!array.ok()) return WithContext(array.status(), "column " + std::to_string(column_));
    return array;
  }

 private:
  struct Page {
    std::unique_ptr<ArrayReader> reader;
    size_t index;
  };

  int column_;
  std::shared_ptr<arrow::DataType> type_;
  arrow::MemoryPool* pool_;
  const arrow::StopToken& stop_;
  std::vector<Page> pages_;
};

/// The bytes of text and binary arrays, which 32-bit offsets bound. Other types: 0.
uint64_t OffsetBytes(const arrow::Array& array) {
  if (array.type_id() != arrow::Type::STRING && array.type_id() != arrow::Type::BINARY) return 0;
  const auto& binary = static_cast<const arrow::BinaryArray&>(array);
  return static_cast<uint64_t>(binary.total_values_length());
}

}  // namespace

arrow::Status CheckColumn(const ColumnRequest& request, ColumnEncodingKind kind) {
  const auto& columns = request.field.metadata.columns;
  if (request.column < 0 || static_cast<size_t>(request.column) >= columns.size()) {
    return arrow::Status::SerializationError("the field's column is ", request.column,
                                             ", the file has ", columns.size(), " columns");
  }
  const ColumnMetadata& column = columns[static_cast<size_t>(request.column)];
  const std::string name = "column " + std::to_string(request.column);
  auto found = CheckColumnEncoding(column.encoding);
  if (!found.ok()) return WithContext(found.status(), name);
  if (*found != kind) {
    return arrow::Status::SerializationError(
        name, ": its encoding is ", *found == ColumnEncodingKind::kBlob ? "blob" : "values",
        ", the schema says ", kind == ColumnEncodingKind::kBlob ? "blob" : "values");
  }
  uint64_t num_values = 0;
  for (const PageMetadata& page : column.pages) {
    ARROW_ASSIGN_OR_RAISE(num_values, CheckedAdd(num_values, page.num_rows, "Page.length"));
  }
  if (num_values != request.num_values) {
    return arrow::Status::SerializationError(name, ": its pages have ", num_values,
                                             " values, the column has ", request.num_values);
  }
  return arrow::Status::OK();
}

std::vector<PageRows> PlanPages(const ColumnRequest& request) {
  const auto& pages = request.field.metadata.columns[static_cast<size_t>(request.column)].pages;
  const std::vector<RowRange>& ranges = request.rows.ranges();
  std::vector<PageRows> planned;
  auto range = ranges.begin();
  uint64_t first = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    const uint64_t last = first + pages[i].num_rows;
    PageRows page{.page = &pages[i], .index = i, .first = first, .rows = {}};
    for (; range != ranges.end() && range->begin < last; ++range) {
      const uint64_t begin = std::max(range->begin, first);
      page.rows.push_back({begin - first, std::min(range->end, last) - first});
      if (range->end > last) break;  // the next page has a part of it too
    }
    if (!page.rows.empty()) planned.push_back(std::move(page));
    first = last;
  }
  return planned;
}

arrow::Status InPage(const arrow::Status& status, int column, size_t page) {
  return WithContext(status, "column " + std::to_string(column) + ": page " + std::to_string(page));
}

arrow::Result<std::shared_ptr<arrow::Array>> ConcatenatePages(
    std::vector<std::shared_ptr<arrow::Array>> arrays, const std::shared_ptr<arrow::DataType>& type,
    arrow::MemoryPool* pool) {
  if (arrays.empty()) return arrow::MakeEmptyArray(type, pool);
  if (arrays.size() == 1) return arrays[0];
  uint64_t total = 0;
  for (const auto& array : arrays) total += OffsetBytes(*array);
  if (total > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    return arrow::Status::CapacityError("the rows have ", total,
                                        " bytes, 32-bit offsets reach 2147483647; read fewer rows "
                                        "at once");
  }
  auto joined = arrow::Concatenate(arrays, pool);
  if (!joined.ok() && joined.status().IsInvalid()) {
    // The pages' dictionaries together have more items than the index type can name.
    return arrow::Status::CapacityError(joined.status().message(), "; read fewer rows at once");
  }
  return joined;
}

arrow::Result<std::unique_ptr<ArrayReader>> MakeColumnReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type,
    ColumnEncodingKind kind) {
  ARROW_RETURN_NOT_OK(CheckColumn(request, kind));
  auto reader = std::make_unique<ColumnReader>(request.column, type, request.field);
  for (const PageRows& page : PlanPages(request)) {
    ARROW_RETURN_NOT_OK(reader->AddPage(page, request.max_null_bytes));
  }
  return reader;
}

}  // namespace lance::format::v20
