#include "lance/format/v20/list_reader.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/offsets_builder.h"
#include "lance/format/v20/wide_offsets.h"

namespace lance::format::v20 {
namespace {

/// A page of the offsets column with asked rows.
struct OffsetsPage {
  size_t index = 0;
  std::vector<RowRange> rows;
  uint64_t null_offset_adjustment = 0;
  /// The items that belong to the page, counted over the item column.
  RowRange items;
  FixedValuesReader ends;
};

class ListReader : public ArrayReader {
 public:
  ListReader(int column, const FieldRequest& field, uint64_t num_rows,
             std::shared_ptr<arrow::DataType> type, MakeItemReader make_items)
      : column_(column),
        pool_(field.pool),
        num_rows_(num_rows),
        type_(std::move(type)),
        make_items_(std::move(make_items)) {}

  /// Parse the pages of the column: where the items of one begin depends on all before it.
  arrow::Status Init(const ColumnRequest& request) {
    const auto& pages = request.field.metadata.columns[static_cast<size_t>(column_)].pages;
    const std::vector<PageRows> planned = PlanPages(request);
    auto asked = planned.begin();
    for (size_t i = 0; i < pages.size(); ++i) {
      const bool is_asked = asked != planned.end() && asked->index == i;
      const auto status = AddPage(pages[i], i, is_asked ? asked->rows : std::vector<RowRange>());
      if (!status.ok()) return InPage(status, column_, i);
      if (is_asked) ++asked;
    }
    return arrow::Status::OK();
  }

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    if (step_ == 0) {
      step_ = 1;
      for (OffsetsPage& page : pages_) page.ends.Plan(SlotsOfEnds(page.rows), batch);
      if (is_whole_) ARROW_RETURN_NOT_OK(MakeItems(ItemsOfPages()));
    } else if (step_ == 1) {
      step_ = 2;
      ARROW_ASSIGN_OR_RAISE(const RowRanges items, TakeOffsets());
      if (!is_whole_) ARROW_RETURN_NOT_OK(MakeItems(items));
    }
    if (items_ == nullptr) return false;
    ARROW_ASSIGN_OR_RAISE(const bool has_items, items_->Advance(batch));
    return has_items && step_ == 2;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto items, items_->Finish());
    if (static_cast<uint64_t>(items->length()) != offsets_->total()) {
      return InternalError("a list's items are not what its offsets cover");
    }
    const bool is_wide = HasWideOffsets(*type_);
    const auto field = type_->field(0)->WithType(items->type());  // blobs came as descriptors
    auto type = is_wide ? arrow::large_list(field) : arrow::list(field);
    return arrow::MakeArray(arrow::ArrayData::Make(std::move(type), static_cast<int64_t>(num_rows_),
                                                   {offsets_->validity(), offsets_->offsets()},
                                                   {items->data()}, offsets_->null_count()));
  }

 private:
  arrow::Status AddPage(const PageMetadata& page, size_t index, std::vector<RowRange> rows) {
    ARROW_ASSIGN_OR_RAISE(const ArrayEncoding encoding, ParseArrayEncoding(page));
    const auto* list = std::get_if<ListEncoding>(&encoding.form);
    if (list == nullptr) {
      return arrow::Status::SerializationError("the page's encoding is ", EncodingName(encoding),
                                               ", the column's type is ", type_->ToString());
    }
    const uint64_t first = num_items_;
    ARROW_ASSIGN_OR_RAISE(num_items_, CheckedAdd(first, list->num_items, "List.num_items"));
    if (rows.empty()) return arrow::Status::OK();
    is_whole_ &= CountRows(rows) == page.num_rows;
    ARROW_ASSIGN_OR_RAISE(auto ends, FixedValuesReader::Make(list->ends, page, 64, page.num_rows));
    pages_.push_back({.index = index,
                      .rows = std::move(rows),
                      .null_offset_adjustment = list->null_offset_adjustment,
                      .items = {first, num_items_},
                      .ends = std::move(ends)});
    return arrow::Status::OK();
  }

  RowRanges ItemsOfPages() const {
    std::vector<RowRange> items;
    for (const OffsetsPage& page : pages_) items.push_back(page.items);
    return RowRanges::Make(std::move(items));
  }

  arrow::Status MakeItems(const RowRanges& items) {
    return make_items_(num_items_, items).Value(&items_);
  }

  /// Use the offsets of all pages. \return the items that the lists cover
  arrow::Result<RowRanges> TakeOffsets() {
    ARROW_ASSIGN_OR_RAISE(offsets_, OffsetsBuilder::Make(HasWideOffsets(*type_), num_rows_, pool_));
    std::vector<RowRange> items;
    for (const OffsetsPage& page : pages_) {
      auto extents = TakePage(page);
      if (!extents.ok()) return InPage(extents.status(), column_, page.index);
      for (const RowRange& extent : *extents) {
        items.push_back({page.items.begin + extent.begin, page.items.begin + extent.end});
      }
    }
    return RowRanges::Make(std::move(items));
  }

  arrow::Result<std::vector<RowRange>> TakePage(const OffsetsPage& page) {
    ARROW_ASSIGN_OR_RAISE(const auto ends, page.ends.Take(pool_));
    ARROW_ASSIGN_OR_RAISE(auto extents,
                          offsets_->Append({.values = *ends,
                                            .rows = page.rows,
                                            .null_adjustment = page.null_offset_adjustment,
                                            .limit = page.items.size()}));
    if (is_whole_ && extents.back().end != page.items.size()) {
      return arrow::Status::SerializationError("List.num_items is ", page.items.size(),
                                               ", the lists of the page have ", extents.back().end);
    }
    return extents;
  }

  int column_;
  arrow::MemoryPool* pool_;
  uint64_t num_rows_;
  std::shared_ptr<arrow::DataType> type_;
  MakeItemReader make_items_;
  std::vector<OffsetsPage> pages_;
  uint64_t num_items_ = 0;  // of all pages of the column
  bool is_whole_ = true;    // every asked page is read as a whole
  std::optional<OffsetsBuilder> offsets_;
  std::unique_ptr<ArrayReader> items_;
  int step_ = 0;
};

/// Turns lists of bytes into text or binary values.
class ListedBytesReader : public ArrayReader {
 public:
  ListedBytesReader(std::unique_ptr<ArrayReader> lists, std::shared_ptr<arrow::DataType> type)
      : lists_(std::move(lists)), type_(std::move(type)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override { return lists_->Advance(batch); }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto lists, lists_->Finish());
    const arrow::ArrayData& data = *lists->data();
    const arrow::ArrayData& bytes = *data.child_data[0];
    if (bytes.GetNullCount() > 0) {
      return arrow::Status::SerializationError("a byte of a text or binary value is null");
    }
    auto array = arrow::MakeArray(arrow::ArrayData::Make(
        type_, data.length, {data.buffers[0], data.buffers[1], bytes.buffers[1]}, data.null_count));
    ARROW_RETURN_NOT_OK(CheckStoredText(*array));
    return array;
  }

 private:
  std::unique_ptr<ArrayReader> lists_;
  std::shared_ptr<arrow::DataType> type_;
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakeListReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type,
    MakeItemReader make_items) {
  ARROW_RETURN_NOT_OK(CheckColumn(request, ColumnEncodingKind::kValues));
  auto reader = std::make_unique<ListReader>(request.column, request.field, request.rows.num_rows(),
                                             type, std::move(make_items));
  ARROW_RETURN_NOT_OK(reader->Init(request));
  return reader;
}

arrow::Result<std::unique_ptr<ArrayReader>> MakeListedBytesReader(
    const ColumnRequest& request, const std::shared_ptr<arrow::DataType>& type) {
  auto make_bytes = [&field = request.field, column = request.column + 1,
                     most = request.max_null_bytes](uint64_t num_items, const RowRanges& items) {
    return MakeColumnReader({.field = field,
                             .column = column,
                             .num_values = num_items,
                             .rows = items,
                             .max_null_bytes = most},
                            arrow::uint8(), ColumnEncodingKind::kValues);
  };
  const auto list_type =
      HasWideOffsets(*type) ? arrow::large_list(arrow::uint8()) : arrow::list(arrow::uint8());
  ARROW_ASSIGN_OR_RAISE(auto lists, MakeListReader(request, list_type, std::move(make_bytes)));
  return std::make_unique<ListedBytesReader>(std::move(lists), type);
}

bool IsListedBytes(const FieldRequest& request, int column) {
  const auto& columns = request.metadata.columns;
  if (column < 0 || static_cast<size_t>(column) >= columns.size()) return false;
  const auto& pages = columns[static_cast<size_t>(column)].pages;
  if (pages.empty()) return false;
  const auto encoding = ParseArrayEncoding(pages[0]);  // what is wrong with it is found later
  return encoding.ok() && std::holds_alternative<ListEncoding>(encoding->form);
}

}  // namespace lance::format::v20
