#pragma once

#include <cstdint>
#include <vector>

#include "arrow/status.h"
#include "arrow/util/cancel.h"
#include "lance/index/row_address_map.h"
#include "lance/index/scalar_index.h"

namespace lance::index {

/// Collects a set of rows one by one, in any order: a short list of the newest, and bitmaps.
///
/// Made for very many sets of which most are small. Thread-compatible.
class RowGather {
 public:
  /// Add one row, an address or a stable row id.
  void Add(uint64_t row) {
    newest_.push_back(row);
    if (newest_.size() >= kFlushAt) Flush();
  }

  /// Add the rows of a set under the numbers that they have now; those that are gone are left out.
  ///
  /// \param mapping null: no number has changed
  /// \return NotImplemented for a set with a whole fragment, whose rows cannot be numbered
  arrow::Status AddMapped(const RowAddressMap& rows, const RowMapping* mapping,
                          const arrow::StopToken& stop);

  /// Take what was collected out of it.
  RowAddressMap Finish();

 private:
  static constexpr size_t kFlushAt = 1024;
  void Flush();

  std::vector<uint64_t> newest_;
  RowAddressMap rows_;
};

}  // namespace lance::index
