#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "lance/base/roaring_bitmap.h"
#include "lance/index/row_address_map.h"
#include "lance/index/scalar_index.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/row_moves.h"

namespace lance::index {

/// Where the rows that an old segment names by address are now: first through the table's
/// fragment-reuse entry, then only those of fragments that the segment answers for, then through a
/// rewrite that is to be committed. Each step may be left out. Immutable.
class AddressMapping final : public RowMapping {
 public:
  /// What it is made of; null or no value: left out.
  struct Steps {
    std::shared_ptr<const table::FragmentReuse> reuse;
    std::optional<RoaringBitmap> covered;
    const table::RowMoves* moves = nullptr;  // borrowed
  };
  explicit AddressMapping(Steps steps) : steps_(std::move(steps)) {}

  std::optional<uint64_t> Map(uint64_t row) const override;

 private:
  Steps steps_;
};

/// The rows of a set as they are named now. A whole fragment of which rows went elsewhere becomes
/// those rows; `num_rows` of fragments need not be known for that.
RowAddressMap MapRows(const RowAddressMap& rows, const table::FragmentReuse& reuse);

}  // namespace lance::index
