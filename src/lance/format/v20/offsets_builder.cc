#include "lance/format/v20/offsets_builder.h"

#include <cstring>
#include <limits>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"

namespace lance::format::v20 {
namespace {

/// The real end of a row, and whether it is null.
struct RowEnd {
  uint64_t end;
  bool is_null;
};

RowEnd Decode(uint64_t stored, uint64_t null_adjustment) {
  const bool is_null = null_adjustment > 0 && stored >= null_adjustment;
  return {is_null ? stored - null_adjustment : stored, is_null};
}

arrow::Status NotRising(uint64_t row, uint64_t end, uint64_t end_before, uint64_t limit) {
  return arrow::Status::SerializationError("row ", row, " of the page ends at ", end,
                                           ", rows before it at ", end_before,
                                           ", allowed are up to ", limit);
}

}  // namespace

std::vector<RowRange> SlotsOfEnds(const std::vector<RowRange>& rows) {
  std::vector<RowRange> slots = rows;
  for (RowRange& range : slots) range.begin -= range.begin > 0 ? 1 : 0;
  return slots;
}

arrow::Result<OffsetsBuilder> OffsetsBuilder::Make(bool is_wide, uint64_t num_rows,
                                                   arrow::MemoryPool* pool) {
  OffsetsBuilder builder(is_wide);
  const uint64_t width = is_wide ? sizeof(int64_t) : sizeof(int32_t);
  ARROW_ASSIGN_OR_RAISE(const uint64_t bytes, CheckedMul(num_rows + 1, width, "offsets"));
  ARROW_ASSIGN_OR_RAISE(builder.offsets_, arrow::AllocateBuffer(static_cast<int64_t>(bytes), pool));
  ARROW_ASSIGN_OR_RAISE(builder.validity_,
                        arrow::AllocateBuffer(static_cast<int64_t>(CeilDiv(num_rows, 8)), pool));
  std::memset(builder.offsets_->mutable_data(), 0, width);
  std::memset(builder.validity_->mutable_data(), 0xff, CeilDiv(num_rows, 8));
  return builder;
}

arrow::Result<std::vector<RowRange>> OffsetsBuilder::Append(const PageEnds& ends) {
  return is_wide_ ? AppendAs<int64_t>(ends) : AppendAs<int32_t>(ends);
}

template <typename Offset>
arrow::Result<std::vector<RowRange>> OffsetsBuilder::AppendAs(const PageEnds& ends) {
  auto* offsets = reinterpret_cast<Offset*>(offsets_->mutable_data()) + num_rows_ + 1;
  const auto* stored = reinterpret_cast<const std::byte*>(ends.values.data());
  std::vector<RowRange> extents;
  extents.reserve(ends.rows.size());
  uint64_t last_of_range = 0;
  for (const RowRange& rows : ends.rows) {
    uint64_t begin = 0;
    if (rows.begin > 0) {
      begin = Decode(LoadLittleEndian<uint64_t>(stored), ends.null_adjustment).end;
      stored += sizeof(uint64_t);
    }
    if (begin < last_of_range) return NotRising(rows.begin - 1, begin, last_of_range, ends.limit);
    uint64_t last = begin;
    for (uint64_t i = rows.begin; i < rows.end; ++i, stored += sizeof(uint64_t)) {
      const RowEnd row = Decode(LoadLittleEndian<uint64_t>(stored), ends.null_adjustment);
      if (row.end < last || row.end > ends.limit) {
        return NotRising(i, row.end, last, ends.limit);
      }
      if (row.is_null) {
        arrow::bit_util::ClearBit(validity_->mutable_data(), static_cast<int64_t>(num_rows_));
        ++null_count_;
      }
      last = row.end;
      *offsets++ = static_cast<Offset>(total_ + (last - begin));
      ++num_rows_;
    }
    last_of_range = last;
    total_ += last - begin;
    // Offsets ascend, so that the last one tells for all.
    if (total_ > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
      return arrow::Status::CapacityError("the rows cover ", total_,
                                          " items or bytes, 32-bit "
                                          "offsets reach 2147483647; read fewer rows at once");
    }
    extents.push_back({begin, last});
  }
  return extents;
}

}  // namespace lance::format::v20
