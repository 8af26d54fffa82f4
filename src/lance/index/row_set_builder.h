#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lance/index/row_address_map.h"

namespace lance::index {

/// Collects numbers of rows, in any order, as bitmaps by their high 32 bits. Thread-compatible.
class RowSetBuilder {
 public:
  void Add(std::span<const uint64_t> rows);

  /// The rows added so far; the builder is empty then.
  RowAddressMap Finish();

 private:
  std::map<uint32_t, RoaringBitmap> offsets_;
  // Kept for their memory.
  std::vector<uint64_t> sorted_;
  std::vector<uint64_t> scratch_;
  std::vector<uint32_t> low_;
};

}  // namespace lance::index
