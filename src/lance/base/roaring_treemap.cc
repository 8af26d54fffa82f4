#include "lance/base/roaring_treemap.h"

#include <optional>
#include <utility>

#include "lance/base/byte_reader.h"

namespace lance {
namespace {

constexpr size_t kLeastEntryBytes = 4 + 8;  // high bits, and an empty bitmap

}  // namespace

arrow::Result<RoaringTreemap> ParseTreemap(std::span<const std::byte> bytes,
                                           std::string_view structure) {
  ByteReader header(bytes, structure);
  ARROW_ASSIGN_OR_RAISE(const auto claimed_entries, header.Read<uint64_t>("num_entries"));
  if (claimed_entries > header.remaining() / kLeastEntryBytes) {
    return header.Corrupt("num_entries", "is ", claimed_entries, ", ", header.remaining(),
                          " bytes are left");
  }
  RoaringTreemap map;
  std::optional<uint32_t> previous;
  auto rest = bytes.subspan(header.offset());
  for (uint64_t i = 0; i < claimed_entries; ++i) {
    ByteReader in(rest, structure);
    ARROW_ASSIGN_OR_RAISE(const auto high, in.Read<uint32_t>("high_bits"));
    if (previous && high <= *previous) {
      return in.Corrupt("high_bits", "of entry ", i, " are ", high, " after ", *previous,
                        ", must ascend");
    }
    previous = high;
    rest = rest.subspan(in.offset());
    ARROW_ASSIGN_OR_RAISE(RoaringBitmap low, RoaringBitmap::ParsePrefix(&rest, structure));
    if (!low.empty()) map.emplace(high, std::move(low));
  }
  ARROW_RETURN_NOT_OK(ByteReader(rest, structure).ExpectEnd());
  return map;
}

std::string SerializeTreemap(const RoaringTreemap& map) {
  std::string bytes;
  AppendLittleEndian(static_cast<uint64_t>(map.size()), &bytes);
  for (const auto& [high, low] : map) {
    AppendLittleEndian(high, &bytes);
    bytes += low.Serialize();
  }
  return bytes;
}

}  // namespace lance
