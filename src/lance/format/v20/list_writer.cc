#include "lance/format/v20/list_writer.h"

#include <cstring>
#include <utility>

#include "arrow/array.h"
#include "lance/base/byte_reader.h"

namespace lance::format::v20 {
namespace {

/// The items of rows [begin, end), which may hold some below null lists.
struct ItemRange {
  const arrow::Array& items;
  int64_t begin;
  int64_t end;
};

ItemRange ItemsOf(const arrow::Array& array, int64_t begin, int64_t end) {
  if (array.type_id() == arrow::Type::LARGE_LIST) {
    const auto& lists = static_cast<const arrow::LargeListArray&>(array);
    return {*lists.values(), lists.value_offset(begin), lists.value_offset(end)};
  }
  const auto& lists = static_cast<const arrow::ListArray&>(array);
  return {*lists.values(), lists.value_offset(begin), lists.value_offset(end)};
}

}  // namespace

ListWriter::ListWriter(const FieldNode& node, std::string path, const FieldWriterOptions& options,
                       std::unique_ptr<ColumnWriter> items, ColumnPages pages)
    : node_(node),
      path_(std::move(path)),
      max_page_bytes_(options.max_page_bytes),
      items_(std::move(items)),
      pages_(std::move(pages)),
      ends_(options.pool) {}

arrow::Status ListWriter::Append(const arrow::Array& array, int64_t begin, int64_t end) {
  ARROW_RETURN_NOT_OK(CheckNulls(node_, path_, array, begin, end));
  while (begin < end) {
    if (num_rows() > 0 && !Fits(array, begin, begin + 1)) ARROW_RETURN_NOT_OK(Flush());
    const int64_t fitting = EndOfRowsThatFit(*this, array, begin, end);
    if (array.type_id() == arrow::Type::LARGE_LIST) {
      ARROW_RETURN_NOT_OK(
          AppendLists(static_cast<const arrow::LargeListArray&>(array), begin, fitting));
    } else {
      ARROW_RETURN_NOT_OK(AppendLists(static_cast<const arrow::ListArray&>(array), begin, fitting));
    }
    begin = fitting;
    // The items of a page end with it, so that rows can be found in both.
    if (begin < end) ARROW_RETURN_NOT_OK(Flush());
  }
  return arrow::Status::OK();
}

/// Append lists whose page is not full. Items below null lists are left out.
template <typename List>
arrow::Status ListWriter::AppendLists(const List& lists, int64_t begin, int64_t end) {
  const arrow::Array& items = *lists.values();
  int64_t run_begin = lists.value_offset(begin);  // items that are not appended yet
  int64_t run_end = run_begin;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = lists.value_offset(i);
    const int64_t count = lists.value_length(i);
    if (lists.IsNull(i)) {
      null_rows_.push_back(num_rows());
    } else if (count > 0) {
      if (first != run_end) {
        ARROW_RETURN_NOT_OK(items_->Append(items, run_begin, run_end));
        run_begin = first;
      }
      run_end = first + count;
      num_items_ += static_cast<uint64_t>(count);
    }
    std::memcpy(ends_.Grow(sizeof(num_items_)), &num_items_, sizeof(num_items_));
  }
  return items_->Append(items, run_begin, run_end);
}

bool ListWriter::Fits(const arrow::Array& array, int64_t begin, int64_t end) const {
  if (begin == end) return true;  // an array without rows may lack its buffers
  const uint64_t ends = static_cast<uint64_t>(end - begin) * sizeof(uint64_t);
  if (ends_.size() + ends > max_page_bytes_) return false;
  const ItemRange range = ItemsOf(array, begin, end);
  return items_->Fits(range.items, range.begin, range.end);
}

arrow::Status ListWriter::WritePage() {
  ListEncoding encoding{.ends = {.bits_per_value = 64},
                        .null_offset_adjustment = num_items_ + 1,
                        .num_items = num_items_};
  for (const uint64_t row : null_rows_) {
    std::byte* end = ends_.data() + row * sizeof(uint64_t);
    const uint64_t raised = LoadLittleEndian<uint64_t>(end) + encoding.null_offset_adjustment;
    std::memcpy(end, &raised, sizeof(raised));
  }
  const uint64_t rows = num_rows();
  ARROW_RETURN_NOT_OK(pages_.Append(ArrayEncoding{std::move(encoding)}, rows, {ends_.Finish()}));
  null_rows_.clear();
  num_items_ = 0;
  return arrow::Status::OK();
}

arrow::Status ListWriter::Flush() {
  if (num_rows() > 0) ARROW_RETURN_NOT_OK(WritePage());
  return items_->Flush();
}

arrow::Status ListWriter::Finish(bool needs_page) {
  if (num_rows() > 0 || (needs_page && pages_.empty())) ARROW_RETURN_NOT_OK(WritePage());
  return items_->Finish(/*needs_page=*/!pages_.empty());
}

void ListWriter::TakeColumns(std::vector<ColumnMetadata>* columns) {
  columns->push_back(pages_.Take());
  items_->TakeColumns(columns);
}

}  // namespace lance::format::v20
