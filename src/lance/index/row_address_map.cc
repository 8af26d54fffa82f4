#include "lance/index/row_address_map.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "lance/base/byte_reader.h"

namespace lance::index {
namespace {

constexpr size_t kEntryHeaderBytes = 8;

arrow::Result<RowAddressMap::Entry> ParseEntry(ByteReader* in, std::string_view structure,
                                               std::optional<uint32_t> previous_id) {
  RowAddressMap::Entry entry;
  ARROW_ASSIGN_OR_RAISE(entry.fragment_id, in->Read<uint32_t>("fragment_id"));
  if (previous_id && entry.fragment_id <= *previous_id) {
    return in->Corrupt("fragment_id", "is ", entry.fragment_id, " after ", *previous_id,
                       ", must ascend");
  }
  ARROW_ASSIGN_OR_RAISE(const auto claimed_size, in->Read<uint32_t>("bitmap_size"));
  ARROW_ASSIGN_OR_RAISE(const auto bitmap, in->Take(claimed_size, "bitmap"));
  if (!bitmap.empty()) {
    ARROW_ASSIGN_OR_RAISE(entry.offsets, RoaringBitmap::Parse(bitmap, structure));
  }
  return entry;
}

bool IdIsLess(const RowAddressMap::Entry& entry, uint32_t fragment_id) {
  return entry.fragment_id < fragment_id;
}

}  // namespace

arrow::Result<RowAddressMap> RowAddressMap::Parse(std::span<const std::byte> bytes,
                                                  std::string_view structure) {
  ByteReader in(bytes, structure);
  ARROW_ASSIGN_OR_RAISE(const auto claimed_entries, in.Read<uint32_t>("num_entries"));
  if (claimed_entries > in.remaining() / kEntryHeaderBytes) {
    return in.Corrupt("num_entries", "is ", claimed_entries, ", ", in.remaining(),
                      " bytes are left");
  }
  RowAddressMap map;
  std::optional<uint32_t> previous_id;
  for (uint32_t i = 0; i < claimed_entries; ++i) {
    ARROW_ASSIGN_OR_RAISE(Entry entry, ParseEntry(&in, structure, previous_id));
    previous_id = entry.fragment_id;
    map.entries.push_back(std::move(entry));
  }
  ARROW_RETURN_NOT_OK(in.ExpectEnd());
  return map;
}

arrow::Result<std::string> RowAddressMap::Serialize() const {
  std::string bytes;
  AppendLittleEndian(static_cast<uint32_t>(entries.size()), &bytes);
  for (const Entry& entry : entries) {
    const std::string bitmap = entry.offsets ? entry.offsets->Serialize() : std::string();
    if (bitmap.size() > std::numeric_limits<uint32_t>::max()) {
      return arrow::Status::CapacityError("bitmap of fragment ", entry.fragment_id, " has ",
                                          bitmap.size(), " bytes, allowed below 4 GiB");
    }
    AppendLittleEndian(entry.fragment_id, &bytes);
    AppendLittleEndian(static_cast<uint32_t>(bitmap.size()), &bytes);
    bytes += bitmap;
  }
  return bytes;
}

bool RowAddressMap::empty() const {
  return std::all_of(entries.begin(), entries.end(),
                     [](const Entry& entry) { return entry.offsets && entry.offsets->empty(); });
}

RowAddressMap& RowAddressMap::operator|=(const RowAddressMap& other) {
  for (const Entry& added : other.entries) {
    const auto place =
        std::lower_bound(entries.begin(), entries.end(), added.fragment_id, IdIsLess);
    if (place == entries.end() || place->fragment_id != added.fragment_id) {
      entries.insert(place, added);
    } else if (!added.offsets) {
      place->offsets.reset();
    } else if (place->offsets) {
      *place->offsets |= *added.offsets;
    }
  }
  return *this;
}

RowAddressMap& RowAddressMap::operator&=(const RowAddressMap& other) {
  std::vector<Entry> kept;
  for (Entry& entry : entries) {
    const auto same =
        std::lower_bound(other.entries.begin(), other.entries.end(), entry.fragment_id, IdIsLess);
    if (same == other.entries.end() || same->fragment_id != entry.fragment_id) continue;
    if (!entry.offsets) {
      entry.offsets = same->offsets;
    } else if (same->offsets) {
      *entry.offsets &= *same->offsets;
    }
    if (!entry.offsets || !entry.offsets->empty()) kept.push_back(std::move(entry));
  }
  entries = std::move(kept);
  return *this;
}

}  // namespace lance::index
