#include <limits>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/checked_math.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encodings/fsst.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/offsets_builder.h"
#include "lance/format/v20/page_readers.h"
#include "lance/format/v20/wide_offsets.h"

namespace lance::format::v20 {
namespace {

// How many bytes a compressed buffer has is known when it was expanded; until then no span of it is
// refused.
constexpr uint64_t kUnknownBytes = uint64_t{1} << 56;

/// A bytes reader whose values are single bytes.
arrow::Result<FixedValuesReader> MakeBytesReader(const FixedValues& form,
                                                 const PageMetadata& page) {
  const uint64_t bytes = form.is_compressed() ? kUnknownBytes : page.buffers[form.buffer].length;
  return FixedValuesReader::Make(form, page, 8, bytes);
}

/// Put an array of text or binary values together.
arrow::Result<std::shared_ptr<arrow::Array>> MakeBinaryArray(const PageRequest& request,
                                                             const OffsetsBuilder& offsets,
                                                             std::shared_ptr<arrow::Buffer> bytes) {
  if (static_cast<uint64_t>(bytes->size()) < offsets.total()) {
    return arrow::Status::SerializationError("the values of the page have ", bytes->size(),
                                             " bytes, their ends need ", offsets.total());
  }
  auto array = arrow::MakeArray(arrow::ArrayData::Make(
      request.type, static_cast<int64_t>(CountRows(request.rows)),
      {offsets.validity(), offsets.offsets(), std::move(bytes)}, offsets.null_count()));
  ARROW_RETURN_NOT_OK(CheckStoredText(*array));
  return array;
}

/// Expands the values of a page one by one.
class FsstExpander {
 public:
  FsstExpander(FsstSymbolTable table, arrow::MemoryPool* pool)
      : table_(std::move(table)), out_(pool) {}

  /// \param offsets of the compressed values; replaced by those of the expanded ones
  template <typename Offset>
  arrow::Result<std::shared_ptr<arrow::Buffer>> Expand(const arrow::Buffer& bytes,
                                                       uint64_t num_rows, Offset* offsets) {
    const auto* from = reinterpret_cast<const std::byte*>(bytes.data());
    Offset begin = offsets[0];
    for (uint64_t i = 1; i <= num_rows; ++i) {
      const Offset end = offsets[i];
      const std::span<const std::byte> codes(from + begin, static_cast<size_t>(end - begin));
      const size_t size_before = out_.size();
      std::byte* const at =
          out_.Grow((codes.size() + 1) * static_cast<size_t>(FsstSymbolTable::kSymbolBytes));
      const std::byte* const behind = table_.Expand(codes, at);
      if (behind == nullptr) {
        return arrow::Status::SerializationError(
            "Fsst: a value has a code that is not in the "
            "symbol table, or ends in an escape code");
      }
      out_.Truncate(size_before + static_cast<size_t>(behind - at));
      if (out_.size() > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
        return arrow::Status::CapacityError("the rows have ", out_.size(),
                                            " bytes, 32-bit offsets reach 2147483647; read fewer "
                                            "rows at once");
      }
      offsets[i] = static_cast<Offset>(out_.size());
      begin = end;
    }
    return out_.Finish();
  }

 private:
  FsstSymbolTable table_;
  ByteBuffer out_;
};

class BinaryPageReader : public ArrayReader {
 public:
  BinaryPageReader(PageRequest request, uint64_t null_adjustment, uint64_t max_end,
                   FixedValuesReader ends, FixedValuesReader bytes,
                   std::optional<FsstSymbolTable> symbols)
      : request_(std::move(request)),
        null_adjustment_(null_adjustment),
        max_end_(max_end),
        ends_(std::move(ends)),
        bytes_(std::move(bytes)),
        symbols_(std::move(symbols)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    switch (step_++) {
      case 0: {
        ends_.Plan(SlotsOfEnds(request_.rows), batch);
        // Where all bytes are needed anyway they need not wait for the ends.
        const bool is_whole_page = CountRows(request_.rows) == request_.num_rows;
        if (is_whole_page || max_end_ == kUnknownBytes) bytes_.PlanWhole(batch);
        return false;
      }
      case 1: {
        ARROW_ASSIGN_OR_RAISE(const auto ends, ends_.Take(request_.pool));
        ARROW_ASSIGN_OR_RAISE(
            offsets_, OffsetsBuilder::Make(HasWideOffsets(*request_.type), CountRows(request_.rows),
                                           request_.pool));
        ARROW_ASSIGN_OR_RAISE(auto extents, offsets_->Append({.values = *ends,
                                                              .rows = request_.rows,
                                                              .null_adjustment = null_adjustment_,
                                                              .limit = max_end_}));
        bytes_.Plan(std::move(extents), batch);
        return false;
      }
      default:
        return true;
    }
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(auto bytes, bytes_.Take(request_.pool));
    if (symbols_.has_value() && !symbols_->is_off()) {
      FsstExpander expander(*std::move(symbols_), request_.pool);
      const uint64_t num_rows = CountRows(request_.rows);
      uint8_t* offsets = offsets_->offsets()->mutable_data();
      const bool is_wide = HasWideOffsets(*request_.type);
      auto expanded = is_wide
                          ? expander.Expand(*bytes, num_rows, reinterpret_cast<int64_t*>(offsets))
                          : expander.Expand(*bytes, num_rows, reinterpret_cast<int32_t*>(offsets));
      ARROW_RETURN_NOT_OK(std::move(expanded).Value(&bytes));
    }
    return MakeBinaryArray(request_, *offsets_, std::move(bytes));
  }

 private:
  PageRequest request_;
  uint64_t null_adjustment_;
  uint64_t max_end_;
  FixedValuesReader ends_;
  FixedValuesReader bytes_;
  std::optional<FsstSymbolTable> symbols_;
  std::optional<OffsetsBuilder> offsets_;
  int step_ = 0;
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakeBinaryPageReader(PageRequest request,
                                                                 const BinaryEncoding& encoding) {
  if (!arrow::is_base_binary_like(request.type->id())) return CannotBe(request);
  std::optional<FsstSymbolTable> symbols;
  if (!encoding.symbol_table.empty()) {
    ARROW_ASSIGN_OR_RAISE(symbols, FsstSymbolTable::Parse(AsBytes(encoding.symbol_table)));
  }
  ARROW_ASSIGN_OR_RAISE(auto ends,
                        FixedValuesReader::Make(encoding.ends, request.page, 64, request.num_rows));
  ARROW_ASSIGN_OR_RAISE(auto bytes, MakeBytesReader(encoding.bytes, request.page));
  const uint64_t max_end = encoding.bytes.is_compressed()
                               ? kUnknownBytes
                               : request.page.buffers[encoding.bytes.buffer].length;
  return std::make_unique<BinaryPageReader>(std::move(request), encoding.null_adjustment, max_end,
                                            std::move(ends), std::move(bytes), std::move(symbols));
}

}  // namespace lance::format::v20
