#include "lance/table/manifest.h"

#include <algorithm>

#include "lance/base/byte_reader.h"

namespace lance::table {

arrow::Result<std::optional<RoaringBitmap>> IndexMetadata::Coverage() const {
  if (fragment_bitmap.empty()) return std::optional<RoaringBitmap>();
  ARROW_ASSIGN_OR_RAISE(
      RoaringBitmap bitmap,
      RoaringBitmap::Parse(AsBytes(fragment_bitmap), "fragment_bitmap of index " + name));
  return std::optional<RoaringBitmap>(std::move(bitmap));
}

const Fragment* Manifest::FindFragment(uint64_t id) const {
  const auto found = std::ranges::find(fragments, id, &Fragment::id);
  return found == fragments.end() ? nullptr : &*found;
}

}  // namespace lance::table
