#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/format/encodings/encoding_grammar.h"
#include "lance/format/pages/constant_value.h"
#include "lance/format/pages/level_decoder.h"
#include "lance/format/pages/page_scan.h"

namespace lance::format {
namespace {

constexpr uint64_t kLevelBytes = sizeof(uint16_t);

// Entries of these pages may take no bytes of the file: what the caller may expect of one row.
constexpr uint64_t kFreeBytesPerRow = uint64_t{64} << 10;

/// Bits that a null or the constant takes in memory. Text is bounded by its offsets.
uint64_t BitsOf(const ValueShape& shape) {
  uint64_t bits = shape.items_per_value() * shape.bits_per_value;
  for (const ValueShape& member : shape.members) bits += BitsOf(member);
  return bits;
}

/// Levels of some consecutive rows. Numbers are those in the batch.
struct LevelRun {
  uint64_t first_row = 0;
  std::span<const RowRange> wanted;
  uint64_t num_entries = 0;
  std::optional<size_t> rep;
  std::optional<size_t> def;
};

/// See MakeConstantScan.
class ConstantScan : public PageScan {
 public:
  ConstantScan(const LeafScope& scope, PageRead read, HeaderSlot slot)
      : scope_(scope),
        read_(std::move(read)),
        slot_(std::move(slot)),
        layout_(std::get<ConstantLayout>(slot_.header->layout.body)),
        levels_(layout_.layers, scope.target.path) {}

  void PlanHeader(RangeBatch* batch) override {
    const auto& buffers = read_.page->buffers;
    const bool is_stored = layout_.has_value && !layout_.inline_value.has_value();
    if (slot_.loading != nullptr && is_stored) value_ = batch->Add(buffers.front());
    if (!layout_.has_levels) return;
    rep_buffer_ = &buffers[buffers.size() - 2];
    def_buffer_ = &buffers[buffers.size() - 1];
    PlanLevels(batch);
  }

  arrow::Status PlanIndex(RangeBatch* batch) override {
    if (layout_.has_levels) ARROW_RETURN_NOT_OK(CheckLevelCounts());
    if (slot_.loading == nullptr || !layout_.has_value) return arrow::Status::OK();
    ValueBuffer* const constant = &slot_.loading->constant;
    *constant = ValueBuffer(scope_.target.shape, nullptr);
    if (layout_.inline_value.has_value()) {
      return WithContext(ParseInlineValue(AsBytes(*layout_.inline_value), constant),
                         "ConstantLayout.inline_value");
    }
    return WithContext(ParseStoredValue(batch->View(value_), constant), "constant value");
  }

  arrow::Status PlanData(RangeBatch*) override { return arrow::Status::OK(); }

  arrow::Status Decode(RangeBatch* batch, LeafBuilder* out) override {
    if (!layout_.has_levels) {
      ARROW_RETURN_NOT_OK(CheckSize(read_.num_rows()));
      return AppendAlike(read_.num_rows(), out);
    }
    std::vector<EntrySlice> slices;
    for (const LevelRun& run : runs_) {
      if (scope_.stop.IsStopRequested()) return scope_.stop.Poll();
      ARROW_RETURN_NOT_OK(DecodeLevels(run, batch));
      levels_.Slice(run.first_row, run.wanted, &slices);
      for (const EntrySlice& slice : slices) ARROW_RETURN_NOT_OK(AppendSlice(slice, out));
    }
    return arrow::Status::OK();
  }

 private:
  bool has_lists() const { return layout_.layers.max_rep > 0; }

  /// Add the levels: those of the wanted rows where they lie at known places, else all.
  void PlanLevels(RangeBatch* batch) {
    const bool has_def = def_buffer_->length > 0;
    const uint64_t num_rows = read_.page->num_rows;
    const bool is_addressable = !has_lists() && !layout_.num_def.has_value() &&
                                def_buffer_->length % kLevelBytes == 0 &&
                                def_buffer_->length / kLevelBytes == num_rows;
    if (has_def && is_addressable) {
      for (const RowRange& rows : read_.rows) {
        LevelRun run{.first_row = rows.begin, .wanted = {&rows, 1}, .num_entries = rows.size()};
        run.def =
            batch->Add({def_buffer_->offset + rows.begin * kLevelBytes, rows.size() * kLevelBytes});
        runs_.push_back(run);
      }
      return;
    }
    LevelRun run{.first_row = 0, .wanted = read_.rows};
    run.num_entries = has_lists() ? CountRep() : num_rows;
    if (rep_buffer_->length > 0) run.rep = batch->Add(*rep_buffer_);
    if (has_def) run.def = batch->Add(*def_buffer_);
    runs_.push_back(run);
  }

  uint64_t CountRep() const { return layout_.num_rep.value_or(rep_buffer_->length / kLevelBytes); }
  uint64_t CountDef() const { return layout_.num_def.value_or(def_buffer_->length / kLevelBytes); }

  arrow::Status CheckLevelCounts() const {
    const bool has_rep = rep_buffer_->length > 0;
    const bool has_def = def_buffer_->length > 0;
    if (has_rep != has_lists()) {
      return arrow::Status::SerializationError("the page has ", has_rep ? "" : "no ",
                                               "repetition levels and ", layout_.layers.max_rep,
                                               " list layers");
    }
    const uint64_t num_entries = has_rep ? CountRep() : read_.page->num_rows;
    if (num_entries < read_.page->num_rows || (has_def && CountDef() != num_entries)) {
      return arrow::Status::SerializationError("the page has ", num_entries, " repetition and ",
                                               has_def ? CountDef() : 0, " definition levels for ",
                                               read_.page->num_rows, " rows");
    }
    return arrow::Status::OK();
  }

  arrow::Status DecodeLevels(const LevelRun& run, RangeBatch* batch) {
    const auto rep = run.rep.has_value() ? batch->Take(*run.rep) : nullptr;
    const auto def = run.def.has_value() ? batch->Take(*run.def) : nullptr;
    ARROW_RETURN_NOT_OK(levels_.Decode(rep != nullptr ? layout_.rep : LevelStream{},
                                       rep != nullptr ? ViewOf(*rep) : std::span<const std::byte>(),
                                       def != nullptr ? layout_.def : LevelStream{},
                                       def != nullptr ? ViewOf(*def) : std::span<const std::byte>(),
                                       run.num_entries));
    return has_lists() ? levels_.CheckRows(false, read_.page->num_rows, 0) : arrow::Status::OK();
  }

  /// Check the memory that `num_entries` more entries take, which nothing in the file bounds.
  arrow::Status CheckSize(uint64_t num_entries) {
    const uint64_t num_rows = read_.num_rows() / scope_.target.path.entries_per_row();
    const uint64_t entry_bits = 8 * kLevelBytes + BitsOf(scope_.target.value_shape());
    const uint64_t most = (kMaxExpandedBytes + num_rows * kFreeBytesPerRow) / entry_bits * 8;
    num_entries_ += num_entries;
    if (num_entries_ <= most) return arrow::Status::OK();
    return arrow::Status::CapacityError("the rows have ", num_entries_, " entries of ", entry_bits,
                                        " bits that are not stored, allowed are ", most,
                                        "; read fewer rows at once");
  }

  /// Append rows of a page without levels.
  arrow::Status AppendAlike(uint64_t num_rows, LeafBuilder* out) const {
    if (layout_.has_value) {
      out->AppendSameDef(0, num_rows);
      return AppendRepeated(slot_.header->constant, 0, num_rows, out->values());
    }
    const uint16_t null_level = scope_.target.path.null_level(0);
    out->AppendSameDef(scope_.target.is_empty_struct ? uint16_t{0} : null_level, num_rows);
    AppendDummies(num_rows, out->values());
    return arrow::Status::OK();
  }

  arrow::Status AppendSlice(const EntrySlice& slice, LeafBuilder* out) {
    ARROW_RETURN_NOT_OK(CheckSize(slice.num_entries));
    if (!levels_.rep().empty()) {
      out->AppendRep(levels_.rep().subspan(slice.first_entry, slice.num_entries));
    }
    if (levels_.def().empty()) {
      out->AppendSameDef(0, slice.num_entries);
    } else {
      out->AppendDef(levels_.def().subspan(slice.first_entry, slice.num_entries));
    }
    levels_.MarkNulls(slice, &is_null_);
    if (!layout_.has_value) return AppendNulls(slice, out);
    return AppendRuns(out);
  }

  arrow::Status AppendNulls(const EntrySlice& slice, LeafBuilder* out) const {
    const bool has_present = std::find(is_null_.begin(), is_null_.end(), 0) != is_null_.end();
    if (has_present && !scope_.target.is_empty_struct) {
      return arrow::Status::SerializationError("an entry is not null, the page has no values");
    }
    AppendDummies(slice.num_values, out->values());
    return arrow::Status::OK();
  }

  /// Append the constant where a value is, and dummies where it is null.
  arrow::Status AppendRuns(LeafBuilder* out) const {
    for (auto run = is_null_.begin(); run != is_null_.end();) {
      const auto end = std::find(run, is_null_.end(), *run == 0 ? 1 : 0);
      const auto length = static_cast<uint64_t>(end - run);
      if (*run != 0) {
        AppendDummies(length, out->values());
      } else {
        ARROW_RETURN_NOT_OK(AppendRepeated(slot_.header->constant, 0, length, out->values()));
      }
      run = end;
    }
    return arrow::Status::OK();
  }

  const LeafScope& scope_;
  PageRead read_;
  HeaderSlot slot_;
  const ConstantLayout& layout_;
  LevelDecoder levels_;
  const ByteRange* rep_buffer_ = nullptr;
  const ByteRange* def_buffer_ = nullptr;
  size_t value_ = 0;  // number in the batch
  std::vector<LevelRun> runs_;
  std::vector<uint8_t> is_null_;
  uint64_t num_entries_ = 0;  // appended
};

}  // namespace

std::unique_ptr<PageScan> MakeConstantScan(const LeafScope& scope, PageRead read, HeaderSlot slot) {
  return std::make_unique<ConstantScan>(scope, std::move(read), std::move(slot));
}

}  // namespace lance::format
