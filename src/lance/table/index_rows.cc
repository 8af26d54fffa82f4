#include "lance/table/index_rows.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "lance/table/feature_flags.h"

namespace lance::table {
namespace {

// Zone maps, Bloom filters and FM indices store addresses in every table (table-format 8.2).
constexpr std::array<std::string_view, 7> kTypesWithRowIds = {
    "BTreeIndexDetails",    "BitmapIndexDetails", "LabelListIndexDetails", "NGramIndexDetails",
    "InvertedIndexDetails", "VectorIndexDetails", "RTreeIndexDetails"};

constexpr std::string_view kBTree = "BTreeIndexDetails";

}  // namespace

bool StoresStableRowIds(const IndexMetadata& index, const Manifest& manifest) {
  if (!HasStableRowIds(manifest)) return false;
  const std::string_view url = index.details_type_url;
  const size_t place = url.find_last_of("./");
  const std::string_view type = place == std::string_view::npos ? url : url.substr(place + 1);
  if (type == kBTree) return index.index_version.value_or(0) < 1;
  return std::ranges::find(kTypesWithRowIds, type) != kTypesWithRowIds.end();
}

}  // namespace lance::table
