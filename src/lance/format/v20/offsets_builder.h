#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"

namespace lance::format::v20 {

/// What the rows of a list or binary page cover, as read from its ends.
struct PageEnds {
  /// One u64 for every row of `rows`, and one before each range that does not begin at row 0.
  const arrow::Buffer& values;
  const std::vector<RowRange>& rows;
  /// What the ends of null rows were raised by. 0: no row is null.
  uint64_t null_adjustment = 0;
  /// The largest end that can be.
  uint64_t limit = 0;
};

/// The positions of the ends that PageEnds of some rows takes.
std::vector<RowRange> SlotsOfEnds(const std::vector<RowRange>& rows);

/// Turns the ends of lists or binary values, page by page, into Arrow offsets that begin at 0 and
/// skip what lies between the asked rows. Move-only, thread-compatible.
class OffsetsBuilder {
 public:
  /// \param is_wide offsets have 64 bits, else 32
  static arrow::Result<OffsetsBuilder> Make(bool is_wide, uint64_t num_rows,
                                            arrow::MemoryPool* pool);

  /// Append rows.
  ///
  /// \param ends untrusted
  /// \return what each range of rows covers, [begin, end); SerializationError when the ends
  ///   descend or pass the limit; CapacityError when the offsets' width does not do
  arrow::Result<std::vector<RowRange>> Append(const PageEnds& ends);

  /// What the rows cover together.
  uint64_t total() const { return total_; }
  int64_t null_count() const { return null_count_; }
  /// The offsets of all rows; all of them were appended.
  const std::shared_ptr<arrow::Buffer>& offsets() const { return offsets_; }
  /// One bit a row. Null: no row is null.
  std::shared_ptr<arrow::Buffer> validity() const { return null_count_ > 0 ? validity_ : nullptr; }

 private:
  explicit OffsetsBuilder(bool is_wide) : is_wide_(is_wide) {}

  template <typename Offset>
  arrow::Result<std::vector<RowRange>> AppendAs(const PageEnds& ends);

  bool is_wide_;
  uint64_t num_rows_ = 0;
  uint64_t total_ = 0;
  int64_t null_count_ = 0;
  std::shared_ptr<arrow::Buffer> offsets_;
  std::shared_ptr<arrow::Buffer> validity_;
};

}  // namespace lance::format::v20
