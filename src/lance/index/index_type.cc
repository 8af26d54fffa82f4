#include "lance/index/index_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace lance::index {

namespace {

struct KnownType {
  std::string_view message;  // lower case, without "indexdetails"
  std::string_view name;
  int32_t highest_version;
};

// zonemap-and-indices 1.4 and 1.5: message names, and the highest version that release 14.0.2
// reads.
constexpr std::array<KnownType, 13> kKnownTypes = {{
    {"bitmap", "Bitmap", 0},
    {"bloomfilter", "BloomFilter", 0},
    {"btree", "BTree", 1},
    {"fm", "FM", 10},
    {"fragmentreuse", "FragmentReuse", 1},
    {"inverted", "Inverted", 3},
    {"json", "Json", 0},
    {"labellist", "LabelList", 1},
    {"memwal", "MemWal", 0},
    {"minhashlsh", "MinHashLsh", 0},
    {"ngram", "NGram", 0},
    {"rtree", "RTree", 0},
    {"vector", "Vector", 2},
}};
constexpr KnownType kZoneMap = {"zonemap", "ZoneMap", 0};

std::string LastComponent(const std::string& type_url) {
  const size_t place = type_url.find_last_of("./");
  return place == std::string::npos ? type_url : type_url.substr(place + 1);
}

const KnownType* FindType(const table::IndexMetadata& segment) {
  constexpr std::string_view kSuffix = "indexdetails";
  std::string message = LastComponent(segment.details_type_url);
  std::transform(message.begin(), message.end(), message.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!message.ends_with(kSuffix)) return nullptr;
  message.resize(message.size() - kSuffix.size());
  if (message == kZoneMap.message) return &kZoneMap;
  const auto found = std::find_if(kKnownTypes.begin(), kKnownTypes.end(),
                                  [&](const KnownType& type) { return type.message == message; });
  return found == kKnownTypes.end() ? nullptr : &*found;
}

}  // namespace

std::string IndexTypeName(const table::IndexMetadata& segment) {
  const KnownType* type = FindType(segment);
  return type != nullptr ? std::string(type->name) : LastComponent(segment.details_type_url);
}

bool IsSystemIndex(const table::IndexMetadata& segment) {
  return segment.name.starts_with("__lance_");
}

bool IsKnownIndex(const table::IndexMetadata& segment) {
  // Very old tables store no details; their types are the first ones, which are all known.
  if (!segment.has_details) return true;
  const KnownType* type = FindType(segment);
  return type != nullptr && segment.index_version.value_or(0) <= type->highest_version;
}

}  // namespace lance::index
