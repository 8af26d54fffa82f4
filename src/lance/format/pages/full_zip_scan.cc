#include <optional>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/checked_math.h"
#include "lance/format/pages/page_scan.h"
#include "lance/format/pages/row_index.h"
#include "lance/format/pages/zipped_entries.h"

namespace lance::format {
namespace {

// A page's buffers, in their order (file-format 8.2).
enum PageBuffer : size_t { kDataBuffer = 0, kIndexBuffer = 1 };

// Pages up to this size are read whole: one request or two less.
constexpr uint64_t kSmallPageBytes = 32 << 10;

// Row indices up to this size are read whole and kept: one request less for later calls.
constexpr uint64_t kSmallIndexBytes = 64 << 10;

/// Consecutive wanted rows. Numbers are those in the batch.
struct RowRun {
  RowRange rows;
  // The index entries of the first row and of the row behind the last.
  size_t begin_entry = 0;
  size_t end_entry = 0;
  // Where the rows are in the data, and their bytes.
  uint64_t begin_byte = 0;
  uint64_t end_byte = 0;
  size_t bytes = 0;

  uint64_t num_bytes() const { return end_byte - begin_byte; }
};

/// See MakeFullZipScan.
class FullZipScan : public PageScan {
 public:
  FullZipScan(const LeafScope& scope, PageRead read, HeaderSlot slot)
      : scope_(scope),
        read_(std::move(read)),
        slot_(std::move(slot)),
        layout_(std::get<FullZipLayout>(slot_.header->layout.body)) {
    for (const RowRange& rows : read_.rows) runs_.push_back({.rows = rows});
  }

  void PlanHeader(RangeBatch* batch) override {
    if (read_.IsWhole() || data().length <= kSmallPageBytes) {
      whole_data_ = batch->Add(data());
      if (layout_.has_index() && !read_.IsWhole() && slot_.header->row_index != nullptr) return;
      if (layout_.has_index()) whole_index_ = batch->Add(index());
      return;
    }
    const bool keeps_index = slot_.loading != nullptr && index_bytes() <= kSmallIndexBytes;
    if (layout_.has_index() && keeps_index) whole_index_ = batch->Add(index());
  }

  arrow::Status PlanIndex(RangeBatch* batch) override {
    if (!layout_.has_index()) return CheckFixedSize();
    ARROW_ASSIGN_OR_RAISE(shape_,
                          MakeRowIndexShape(index_bytes(), read_.page->num_rows, data().length));
    if (whole_index_.has_value()) {
      ARROW_RETURN_NOT_OK(shape_.CheckEntries(batch->View(*whole_index_), 0));
      if (slot_.loading != nullptr && index_bytes() <= kSmallIndexBytes) {
        // A copy: what the batch read may hold much more.
        ARROW_ASSIGN_OR_RAISE(slot_.loading->row_index,
                              batch->Share(*whole_index_)->CopySlice(0, index_bytes()));
      }
    }
    if (whole_index_.has_value() || slot_.header->row_index != nullptr) return arrow::Status::OK();
    for (RowRun& run : runs_) {
      run.begin_entry = batch->Add(EntryRange(run.rows.begin));
      run.end_entry = batch->Add(EntryRange(run.rows.end));
    }
    return arrow::Status::OK();
  }

  arrow::Status PlanData(RangeBatch* batch) override {
    for (RowRun& run : runs_) {
      ARROW_RETURN_NOT_OK(LocateRun(*batch, &run));
      if (whole_data_.has_value()) continue;
      run.bytes = batch->Add({data().offset + run.begin_byte, run.num_bytes()});
    }
    return arrow::Status::OK();
  }

  uint64_t EstimateValues() const override {
    if (layout_.layers.max_rep == 0) return read_.num_rows();
    return read_.IsWhole() ? layout_.num_visible : 0;
  }

  arrow::Status Decode(RangeBatch* batch, LeafBuilder* out) override {
    ZippedEntries entries(layout_, out);
    std::span<const std::byte> index;
    if (read_.IsWhole() && whole_index_.has_value()) index = batch->View(*whole_index_);
    std::shared_ptr<arrow::Buffer> whole;
    if (whole_data_.has_value()) whole = batch->Take(*whole_data_);
    for (const RowRun& run : runs_) {
      if (scope_.stop.IsStopRequested()) return scope_.stop.Poll();
      const auto part = whole != nullptr ? nullptr : batch->Take(run.bytes);
      const auto bytes = whole != nullptr ? ViewOf(*whole).subspan(run.begin_byte, run.num_bytes())
                                          : ViewOf(*part);
      ARROW_RETURN_NOT_OK(entries.Decode(bytes, run.rows.size(), shape_, index));
    }
    if (!read_.IsWhole()) return arrow::Status::OK();
    if (entries.num_entries() == layout_.num_entries &&
        entries.num_visible() == layout_.num_visible) {
      return arrow::Status::OK();
    }
    return arrow::Status::SerializationError("the page has ", entries.num_entries(), " entries, ",
                                             entries.num_visible(), " visible, FullZipLayout says ",
                                             layout_.num_entries, ", ", layout_.num_visible);
  }

 private:
  const ByteRange& data() const { return read_.page->buffers[kDataBuffer]; }
  const ByteRange& index() const { return read_.page->buffers[kIndexBuffer]; }
  uint64_t index_bytes() const { return index().length; }

  ByteRange EntryRange(uint64_t row) const {
    return {index().offset + row * shape_.entry_bytes, shape_.entry_bytes};
  }

  /// Rows of equal size fill the data.
  arrow::Status CheckFixedSize() const {
    ARROW_ASSIGN_OR_RAISE(
        const uint64_t expected,
        CheckedMul(layout_.entry_bytes(), read_.page->num_rows, "the size of a full-zip page"));
    if (expected == data().length) return arrow::Status::OK();
    return arrow::Status::SerializationError("the page has ", data().length, " bytes, its ",
                                             read_.page->num_rows, " rows need ", expected);
  }

  arrow::Status LocateRun(const RangeBatch& batch, RowRun* run) const {
    if (!layout_.has_index()) {
      run->begin_byte = run->rows.begin * layout_.entry_bytes();
      run->end_byte = run->rows.end * layout_.entry_bytes();
      return arrow::Status::OK();
    }
    std::span<const std::byte> all;
    if (whole_index_.has_value()) {
      all = batch.View(*whole_index_);
    } else if (slot_.header->row_index != nullptr) {
      all = ViewOf(*slot_.header->row_index);
    }
    if (!all.empty()) {  // checked when it was read
      run->begin_byte = shape_.Load(all.data() + run->rows.begin * shape_.entry_bytes);
      run->end_byte = shape_.Load(all.data() + run->rows.end * shape_.entry_bytes);
      return arrow::Status::OK();
    }
    return LoadEntries(batch, run);
  }

  /// Take the ends of some rows from their two entries alone.
  arrow::Status LoadEntries(const RangeBatch& batch, RowRun* run) const {
    const auto begin = batch.View(run->begin_entry);
    const auto end = batch.View(run->end_entry);
    ARROW_RETURN_NOT_OK(shape_.CheckEntries(begin, run->rows.begin));
    ARROW_RETURN_NOT_OK(shape_.CheckEntries(end, run->rows.end));
    run->begin_byte = shape_.Load(begin.data());
    run->end_byte = shape_.Load(end.data());
    if (run->begin_byte <= run->end_byte) return arrow::Status::OK();
    return arrow::Status::SerializationError("RowIndex: row ", run->rows.begin, " begins at byte ",
                                             run->begin_byte, ", row ", run->rows.end, " at ",
                                             run->end_byte);
  }

  const LeafScope& scope_;
  PageRead read_;
  HeaderSlot slot_;
  const FullZipLayout& layout_;
  RowIndexShape shape_;
  std::vector<RowRun> runs_;
  // Numbers in the batch.
  std::optional<size_t> whole_data_;
  std::optional<size_t> whole_index_;
};

}  // namespace

std::unique_ptr<PageScan> MakeFullZipScan(const LeafScope& scope, PageRead read, HeaderSlot slot) {
  return std::make_unique<FullZipScan>(scope, std::move(read), std::move(slot));
}

}  // namespace lance::format
