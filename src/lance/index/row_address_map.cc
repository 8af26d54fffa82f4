#include "lance/index/row_address_map.h"

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

}  // namespace lance::index
