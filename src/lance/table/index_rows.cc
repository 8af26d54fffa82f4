#include "lance/table/index_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "lance/table/feature_flags.h"

namespace lance::table {
namespace {

// In lower case: case does not count (zonemap-and-indices 1.4). Zone maps, Bloom filters and FM
// indices store addresses in every table (table-format 8.2). A JSON index is as its inner index,
// which nobody here looks for.
constexpr std::array<std::string_view, 8> kTypesWithRowIds = {
    "btreeindexdetails",    "bitmapindexdetails", "labellistindexdetails", "ngramindexdetails",
    "invertedindexdetails", "vectorindexdetails", "rtreeindexdetails",     "minhashlshindexdetails"};

constexpr std::string_view kBTree = "btreeindexdetails";

/// The message of an index's details, in lower case.
std::string MessageOf(const IndexMetadata& index) {
  const std::string& url = index.details_type_url;
  const size_t place = url.find_last_of("./");
  std::string message = place == std::string::npos ? url : url.substr(place + 1);
  std::ranges::transform(message, message.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return message;
}

}  // namespace

bool StoresStableRowIds(const IndexMetadata& index, const Manifest& manifest) {
  if (!HasStableRowIds(manifest)) return false;
  const std::string type = MessageOf(index);
  if (type == kBTree) return index.index_version.value_or(0) < 1;
  return std::ranges::find(kTypesWithRowIds, type) != kTypesWithRowIds.end();
}

}  // namespace lance::table
