#include "lance/index/address_mapping.h"

#include <map>
#include <utility>
#include <vector>

namespace lance::index {

std::optional<uint64_t> AddressMapping::Map(uint64_t row) const {
  if (steps_.reuse != nullptr) {
    const auto reused = steps_.reuse->Map(row);
    if (!reused) return std::nullopt;
    row = *reused;
  }
  if (steps_.covered && !steps_.covered->Contains(static_cast<uint32_t>(row >> 32))) {
    return std::nullopt;
  }
  return steps_.moves != nullptr ? steps_.moves->Map(row) : row;
}

RowAddressMap MapRows(const RowAddressMap& rows, const table::FragmentReuse& reuse) {
  std::map<uint32_t, std::optional<RoaringBitmap>> mapped;
  const auto add = [&](uint64_t address) {
    const auto entry = mapped.try_emplace(static_cast<uint32_t>(address >> 32), RoaringBitmap());
    auto& offsets = entry.first->second;
    if (offsets) offsets->Add(static_cast<uint32_t>(address));  // else all of them are in already
  };
  for (const RowAddressMap::Entry& entry : rows.entries) {
    const RoaringBitmap* survivors = reuse.FindSurvivors(entry.fragment_id);
    if (survivors == nullptr) {
      // It may be a new fragment to which others have moved.
      if (reuse.MapCoverage({entry.fragment_id}).empty()) continue;
      auto& offsets = mapped.try_emplace(entry.fragment_id, RoaringBitmap()).first->second;
      if (!entry.offsets) offsets.reset();
      if (offsets) *offsets |= *entry.offsets;
      continue;
    }
    RoaringBitmap moved = *survivors;
    if (entry.offsets) moved &= *entry.offsets;
    for (const uint32_t offset : moved.ToVector()) {
      const auto address = reuse.Map(uint64_t{entry.fragment_id} << 32 | offset);
      if (address) add(*address);
    }
  }
  RowAddressMap result;
  for (auto& [fragment_id, offsets] : mapped) {
    if (offsets && offsets->empty()) continue;
    result.entries.push_back({fragment_id, std::move(offsets)});
  }
  return result;
}

}  // namespace lance::index
