#include <limits>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/checked_math.h"
#include "lance/format/v20/fixed_values_reader.h"
#include "lance/format/v20/page_readers.h"

namespace lance::format::v20 {
namespace {

/// The bits that one null slot of a type takes in memory, about.
uint64_t NullSlotBits(const arrow::DataType& type) {
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
    const uint64_t item = NullSlotBits(*list.value_type());
    const auto count = static_cast<uint64_t>(list.list_size());
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();  // far beyond any limit
    return count > 0 && item > kMost / count ? kMost : item * count + 1;
  }
  if (type.id() == arrow::Type::STRUCT) {
    uint64_t bits = 1;
    for (const auto& member : type.fields()) bits += NullSlotBits(*member->type());
    return bits;
  }
  if (type.id() == arrow::Type::NA) return 32;  // no memory, but who uses them may need some
  return arrow::is_fixed_width(type.id()) ? static_cast<uint64_t>(type.bit_width()) + 1 : 65;
}

/// One level of slots: rows, or the items of a fixed-size list.
struct Level {
  std::shared_ptr<arrow::DataType> type;
  Nulls nulls = Nulls::kNone;
  uint64_t num_slots = 0;
  std::optional<FixedValuesReader> validity = {};
};

class FixedPageReader : public ArrayReader {
 public:
  explicit FixedPageReader(PageRequest request) : request_(std::move(request)) {}

  arrow::Status Init(const FixedWidthEncoding& encoding) {
    const PageMetadata& page = request_.page;
    std::shared_ptr<arrow::DataType> type = request_.type;
    uint64_t slots_per_row = 1;
    for (size_t i = 0; i < encoding.levels.size(); ++i) {
      if (i > 0) {
        ARROW_ASSIGN_OR_RAISE(type, ItemType(*type, encoding.dimensions[i - 1]));
        ARROW_ASSIGN_OR_RAISE(slots_per_row,
                              CheckedMul(slots_per_row, encoding.dimensions[i - 1], "items"));
      }
      ARROW_ASSIGN_OR_RAISE(const uint64_t slots_in_page,
                            CheckedMul(request_.num_rows, slots_per_row, "items"));
      const SlotLevel& stored = encoding.levels[i];
      Level level{.type = type,
                  .nulls = stored.nulls,
                  .num_slots = CountRows(request_.rows) * slots_per_row};
      if (stored.nulls == Nulls::kSome) {
        const FixedValues bits{.bits_per_value = 1, .buffer = stored.validity_buffer};
        ARROW_ASSIGN_OR_RAISE(level.validity,
                              FixedValuesReader::Make(bits, page, 1, slots_in_page));
      }
      levels_.push_back(std::move(level));
      level_factors_.push_back(slots_per_row);
    }
    return InitValues(encoding, *type);
  }

  arrow::Result<bool> Advance(RangeBatch* batch) override {
    if (is_planned_) return true;
    is_planned_ = true;
    for (size_t i = 0; i < levels_.size(); ++i) {
      if (levels_[i].validity.has_value()) levels_[i].validity->Plan(SlotsOf(i), batch);
    }
    if (values_.has_value()) values_->Plan(SlotsOf(levels_.size() - 1), batch);
    return false;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> Finish() override {
    std::shared_ptr<arrow::ArrayData> below;
    for (size_t i = levels_.size(); i-- > 0;) {
      ARROW_ASSIGN_OR_RAISE(below, FinishLevel(levels_[i], std::move(below)));
    }
    return arrow::MakeArray(below);
  }

 private:
  arrow::Result<std::shared_ptr<arrow::DataType>> ItemType(const arrow::DataType& type,
                                                           uint32_t dimension) const {
    if (type.id() != arrow::Type::FIXED_SIZE_LIST) return CannotBe(request_);
    const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
    if (static_cast<uint32_t>(list.list_size()) != dimension) {
      return arrow::Status::SerializationError("FixedSizeList.dimension is ", dimension,
                                               ", the column's type is ", type.ToString());
    }
    return list.value_type();
  }

  arrow::Status InitValues(const FixedWidthEncoding& encoding, const arrow::DataType& type) {
    if (!encoding.values.has_value()) return arrow::Status::OK();
    const bool is_plain = arrow::is_fixed_width(type.id()) && !arrow::is_nested(type.id()) &&
                          !arrow::is_dictionary(type.id());
    if (!is_plain) return CannotBe(request_);
    return FixedValuesReader::Make(*encoding.values, request_.page,
                                   static_cast<uint64_t>(type.bit_width()),
                                   request_.num_rows * level_factors_.back())
        .Value(&values_);
  }

  std::vector<RowRange> SlotsOf(size_t level) const {
    std::vector<RowRange> slots = request_.rows;
    for (RowRange& range : slots) {
      range = {range.begin * level_factors_[level], range.end * level_factors_[level]};
    }
    return slots;
  }

  /// \param below the items of a fixed-size list
  arrow::Result<std::shared_ptr<arrow::ArrayData>> FinishLevel(
      const Level& level, std::shared_ptr<arrow::ArrayData> below) {
    if (level.nulls == Nulls::kAll) {
      ARROW_ASSIGN_OR_RAISE(const auto nulls,
                            MakeNullSlots(request_, *level.type, level.num_slots));
      return nulls->data();
    }
    const auto count = static_cast<int64_t>(level.num_slots);
    std::shared_ptr<arrow::Buffer> validity;
    int64_t null_count = 0;
    if (level.validity.has_value()) {
      ARROW_ASSIGN_OR_RAISE(validity, level.validity->Take(request_.pool));
      null_count = count - arrow::internal::CountSetBits(validity->data(), 0, count);
      if (null_count == 0) validity = nullptr;
    }
    if (below != nullptr) {
      return arrow::ArrayData::Make(level.type, count, {std::move(validity)}, {std::move(below)},
                                    null_count);
    }
    ARROW_ASSIGN_OR_RAISE(auto values, values_->Take(request_.pool));
    return arrow::ArrayData::Make(level.type, count, {std::move(validity), std::move(values)},
                                  null_count);
  }

  PageRequest request_;
  std::vector<Level> levels_;
  std::vector<uint64_t> level_factors_;  // slots of one row
  std::optional<FixedValuesReader> values_;
  bool is_planned_ = false;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::Array>> MakeNullSlots(const PageRequest& request,
                                                           const arrow::DataType& type,
                                                           uint64_t count) {
  const uint64_t most = request.max_null_bytes / NullSlotBits(type) * 8;
  if (type.id() != arrow::Type::NA && count > most) {
    return arrow::Status::CapacityError("the page has ", count, " null values of type ",
                                        type.ToString(), ", allowed are ", most,
                                        " in one read; read fewer rows at once");
  }
  return arrow::MakeArrayOfNull(type.GetSharedPtr(), static_cast<int64_t>(count), request.pool);
}

arrow::Result<std::unique_ptr<ArrayReader>> MakeFixedPageReader(
    PageRequest request, const FixedWidthEncoding& encoding) {
  auto reader = std::make_unique<FixedPageReader>(std::move(request));
  ARROW_RETURN_NOT_OK(reader->Init(encoding));
  return reader;
}

}  // namespace lance::format::v20
