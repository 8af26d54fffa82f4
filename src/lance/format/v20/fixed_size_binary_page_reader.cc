#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/page_readers.h"
#include "lance/format/v20/wide_offsets.h"

namespace lance::format::v20 {
namespace {

/// Values of one length: no ends are stored.
class FixedSizeBinaryPageReader : public ArrayReader {
 public:
  FixedSizeBinaryPageReader(PageRequest request, uint32_t byte_width, FixedValuesReader bytes,
                            std::optional<FixedValuesReader> validity)
      : request_(std::move(request)),
        byte_width_(byte_width),
        bytes_(std::move(bytes)),
        validity_(std::move(validity)) {}

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    if (is_planned_) return true;
    is_planned_ = true;
    if (validity_.has_value()) validity_->Plan(request_.rows, batch);
    bytes_.Plan(request_.rows, batch);
    return false;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, bytes_.Take(request_.pool));
    std::shared_ptr<arrow::Buffer> validity;
    if (validity_.has_value()) {
      ARROW_ASSIGN_OR_RAISE(validity, validity_->Take(request_.pool));
    }
    const auto num_rows = static_cast<int64_t>(CountRows(request_.rows));
    const auto values = arrow::MakeArray(arrow::ArrayData::Make(
        arrow::fixed_size_binary(static_cast<int32_t>(byte_width_)), num_rows, {validity, bytes}));
    return ToVariable(static_cast<const arrow::FixedSizeBinaryArray&>(*values));
  }

 private:
  arrow::Result<std::shared_ptr<arrow::Array>> ToVariable(
      const arrow::FixedSizeBinaryArray& values) const {
    const int64_t total = values.length() * values.byte_width();
    const bool is_wide = HasWideOffsets(*request_.type);
    if (!is_wide && total > std::numeric_limits<int32_t>::max()) {
      return arrow::Status::CapacityError("the rows have ", total,
                                          " bytes, 32-bit offsets reach 2147483647; read fewer "
                                          "rows at once");
    }
    const int64_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> offsets,
                          arrow::AllocateBuffer((values.length() + 1) * width, request_.pool));
    for (int64_t i = 0; i <= values.length(); ++i) {
      const int64_t offset = i * values.byte_width();
      std::memcpy(offsets->mutable_data() + i * width, &offset, static_cast<size_t>(width));
    }
    auto array = arrow::MakeArray(
        arrow::ArrayData::Make(request_.type, values.length(),
                               {values.null_bitmap(), offsets, values.data()->buffers[1]}));
    ARROW_RETURN_NOT_OK(CheckStoredText(*array));
    return array;
  }

  PageRequest request_;
  uint32_t byte_width_;
  FixedValuesReader bytes_;
  std::optional<FixedValuesReader> validity_;
  bool is_planned_ = false;
};

}  // namespace

arrow::Result<std::unique_ptr<ArrayReader>> MakeFixedSizeBinaryPageReader(
    PageRequest request, const FixedSizeBinaryEncoding& encoding) {
  if (!arrow::is_base_binary_like(request.type->id())) return CannotBe(request);
  if (encoding.byte_width == 0 || encoding.byte_width > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::SerializationError("FixedSizeBinary.byte_width is ", encoding.byte_width,
                                             "; allowed: 1 to 2147483647");
  }
  FixedValues values = encoding.bytes;
  values.bits_per_value = uint64_t{encoding.byte_width} * 8;
  ARROW_ASSIGN_OR_RAISE(
      auto bytes,
      FixedValuesReader::Make(values, request.page, values.bits_per_value, request.num_rows));
  std::optional<FixedValuesReader> validity;
  if (encoding.rows.nulls == Nulls::kSome) {
    const FixedValues bits{.bits_per_value = 1, .buffer = encoding.rows.validity_buffer};
    ARROW_ASSIGN_OR_RAISE(validity,
                          FixedValuesReader::Make(bits, request.page, 1, request.num_rows));
  }
  return std::make_unique<FixedSizeBinaryPageReader>(std::move(request), encoding.byte_width,
                                                     std::move(bytes), std::move(validity));
}

}  // namespace lance::format::v20
