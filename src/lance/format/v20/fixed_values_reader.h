#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/v20/array_encoding.h"
#include "lance/format/v20/span_reader.h"

namespace lance::format::v20 {

/// Reads some values of fixed width out of one page. Move-only, thread-compatible.
///
/// Plan, then read the batch, then Take.
class FixedValuesReader {
 public:
  /// \param bits_per_value what the reader needs: 1 or a multiple of 8
  /// \param num_values how many the page has
  /// \return SerializationError when the page has values of another width, or not so many
  static arrow::Result<FixedValuesReader> Make(const FixedValues& form, const PageMetadata& page,
                                               uint64_t bits_per_value, uint64_t num_values);

  /// Ask for the whole buffer, before it is known which values are wanted.
  void PlanWhole(RangeBatch* batch);

  /// Say which values are wanted, and ask for their bytes unless PlanWhole has.
  ///
  /// \param slots ascending and disjoint, below num_values
  void Plan(std::vector<RowRange> slots, RangeBatch* batch);

  /// The values that Plan was given, one after the other; bits from bit 0 on. Shares memory with
  /// what was read when the values are consecutive and lie well.
  arrow::Result<std::shared_ptr<arrow::Buffer>> Take(arrow::MemoryPool* pool) const;

  /// How many values Plan was given.
  uint64_t num_planned() const { return num_planned_; }

 private:
  FixedValuesReader(FixedValues form, uint64_t bits_per_value, const ByteRange& buffer)
      : form_(std::move(form)), bits_per_value_(bits_per_value), spans_(buffer) {}

  arrow::Status CheckSize() const;
  RowRange StoredBytes(RowRange slots) const;
  std::shared_ptr<arrow::Buffer> TakeInPlace() const;
  void GatherBytes(std::byte* out) const;
  void GatherBits(std::byte* out) const;
  void GatherPacked(std::byte* out) const;
  void GatherGroups(std::byte* out) const;
  void GatherConstant(std::byte* out) const;
  arrow::Result<std::shared_ptr<arrow::Buffer>> TakeCompressed(arrow::MemoryPool* pool) const;

  FixedValues form_;
  uint64_t bits_per_value_;
  uint64_t num_values_ = 0;
  bool is_whole_ = false;
  uint64_t num_planned_ = 0;
  SpanReader spans_;
  std::vector<RowRange> slots_;
};

}  // namespace lance::format::v20
