#include "lance/format/levels/level_scan.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"

namespace lance::format {
namespace {

/// 1 when both hold, else 0; without a branch.
uint64_t Both(bool one, bool other) { return uint64_t{one} & uint64_t{other}; }

/// Turn 64 bytes that are 0 or 1 into 64 bits.
void PackBlock(const uint8_t* flags, uint8_t* bits) {
  for (size_t i = 0; i < 8; ++i) {
    uint64_t eight = 0;
    std::memcpy(&eight, flags + i * 8, sizeof(eight));
    // Moves the lowest bit of byte k to bit 56 + k; no two of the products meet.
    bits[i] = static_cast<uint8_t>((eight * 0x0102040810204080u) >> 56);
  }
}

arrow::Result<Validity> FinishBits(std::unique_ptr<arrow::Buffer> bits, uint64_t num_slots) {
  const auto length = static_cast<int64_t>(num_slots);
  const int64_t num_valid = arrow::internal::CountSetBits(bits->data(), 0, length);
  if (num_valid == length) return Validity{};
  return Validity{.bits = std::move(bits), .null_count = length - num_valid};
}

/// Room for bits in blocks of 64, the way Arrow pads its buffers anyway.
arrow::Result<std::unique_ptr<arrow::Buffer>> AllocateBits(uint64_t num_bits,
                                                           arrow::MemoryPool* pool) {
  const auto num_bytes = static_cast<int64_t>((num_bits + 63) / 64 * 8);
  ARROW_ASSIGN_OR_RAISE(auto bits, arrow::AllocateResizableBuffer(num_bytes, pool));
  return bits;
}

/// Pack flags that are 0 or 1. \pre there are flags up to the next multiple of 64
arrow::Result<Validity> PackFlags(const uint8_t* flags, uint64_t num_slots,
                                  arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto bits, AllocateBits(num_slots, pool));
  for (uint64_t i = 0; i < num_slots; i += 64) PackBlock(flags + i, bits->mutable_data() + i / 8);
  return FinishBits(std::move(bits), num_slots);
}

/// Pack "level < null_level" where every entry is a slot.
arrow::Result<Validity> PackLevels(const std::vector<uint16_t>& levels, uint16_t null_level,
                                   arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto bits, AllocateBits(levels.size(), pool));
  uint8_t* out = bits->mutable_data();
  uint8_t flags[64] = {};
  const size_t whole = levels.size() / 64 * 64;
  for (size_t i = 0; i < whole; i += 64, out += 8) {
    for (size_t k = 0; k < 64; ++k) flags[k] = levels[i + k] < null_level ? 1 : 0;
    PackBlock(flags, out);
  }
  if (whole < levels.size()) {
    for (size_t k = 0; k < 64; ++k) {
      flags[k] = whole + k < levels.size() && levels[whole + k] < null_level ? 1 : 0;
    }
    PackBlock(flags, out);
  }
  return FinishBits(std::move(bits), levels.size());
}

/// Room for a flag of each slot, of one more that a loop without branches writes, and of a block.
std::vector<uint8_t> MakeFlags(uint64_t num_slots) {
  return std::vector<uint8_t>((num_slots + 1 + 63) / 64 * 64);
}

bool IsEveryEntryASlot(const LayerScan& scan, const LeafColumn& leaf, uint64_t num_slots) {
  return scan.stride == 1 && num_slots == leaf.num_entries;
}

template <typename Offset, bool kHasDef>
void FillOffsets(const LayerScan& scan, const LeafColumn& leaf, Offset* offsets, uint8_t* flags) {
  const uint16_t* const rep = leaf.rep.data();
  const uint16_t* const def = leaf.def.data();
  const auto empty_level = static_cast<uint16_t>(scan.null_level + 1);
  uint64_t slot = 0;
  Offset num_items = 0;
  // No branches: whether an entry begins a list is not predictable.
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    offsets[slot] = num_items;
    bool is_slot = rep[i] >= scan.min_rep;
    bool is_item = rep[i] + 1 >= scan.min_rep;
    if constexpr (kHasDef) {
      flags[slot] = static_cast<uint8_t>(def[i] < scan.null_level) |
                    static_cast<uint8_t>(def[i] == empty_level);
      is_slot = is_slot & (def[i] < scan.absent);
      is_item = is_item & (def[i] < scan.null_level);
    }
    slot += is_slot ? 1 : 0;
    num_items = static_cast<Offset>(num_items + (is_item ? 1 : 0));
  }
  offsets[slot] = num_items;
}

template <typename Offset>
arrow::Result<ListSlots> MakeSlotsOf(const LayerScan& scan, const LeafColumn& leaf,
                                     uint64_t num_slots, arrow::MemoryPool* pool) {
  const auto num_bytes = static_cast<int64_t>((num_slots + 1) * sizeof(Offset));
  ARROW_ASSIGN_OR_RAISE(auto buffer, arrow::AllocateBuffer(num_bytes, pool));
  auto* const offsets = reinterpret_cast<Offset*>(buffer->mutable_data());
  ListSlots slots;
  if (leaf.def.empty()) {
    FillOffsets<Offset, false>(scan, leaf, offsets, nullptr);
  } else {
    std::vector<uint8_t> flags = MakeFlags(num_slots);
    FillOffsets<Offset, true>(scan, leaf, offsets, flags.data());
    ARROW_ASSIGN_OR_RAISE(slots.validity, PackFlags(flags.data(), num_slots, pool));
  }
  slots.offsets = std::move(buffer);
  return slots;
}

/// Walks the slots of a layer with what the layer and those outside of it say.
class SlotReader {
 public:
  SlotReader(const LayerScan& scan, const LeafColumn& leaf)
      : scan_(scan), leaf_(leaf), inner_(static_cast<uint16_t>(scan.null_level - 1)) {}

  /// \return whether there is another slot
  bool Next() {
    next_ += at_first_ ? 0 : scan_.stride;
    at_first_ = false;
    while (next_ < leaf_.num_entries && Rep() < scan_.min_rep) ++next_;
    return next_ < leaf_.num_entries;
  }

  uint16_t rep() const { return static_cast<uint16_t>(Rep() - scan_.min_rep); }
  uint16_t def() const {
    const uint16_t def = leaf_.def.empty() ? 0 : leaf_.def[next_];
    return static_cast<uint16_t>(std::max(def, inner_) - inner_);
  }

 private:
  uint16_t Rep() const { return leaf_.rep.empty() ? 0 : leaf_.rep[next_]; }

  const LayerScan& scan_;
  const LeafColumn& leaf_;
  const uint16_t inner_;
  uint64_t next_ = 0;
  bool at_first_ = true;
};

/// What a layer and those outside of it say, of one entry.
uint16_t OuterLevel(uint16_t def, uint16_t inner) {
  return static_cast<uint16_t>(std::max(def, inner) - inner);
}

bool AreOuterLevelsZero(const LayerScan& scan, const std::vector<uint16_t>& def) {
  uint16_t largest = 0;
  for (const uint16_t level : def) largest = std::max(largest, level);
  return largest < scan.null_level;
}

/// HaveSameSlots where every entry of both is a slot.
bool HaveSameEntries(const LayerScan& scan, const LeafColumn& leaf, const LayerScan& other_scan,
                     const LeafColumn& other) {
  if (leaf.num_entries != other.num_entries || leaf.rep != other.rep) return false;
  if (leaf.def.empty()) return AreOuterLevelsZero(other_scan, other.def);
  if (other.def.empty()) return AreOuterLevelsZero(scan, leaf.def);
  const auto inner = static_cast<uint16_t>(scan.null_level - 1);
  const auto other_inner = static_cast<uint16_t>(other_scan.null_level - 1);
  uint16_t differences = 0;
  for (size_t i = 0; i < leaf.def.size(); ++i) {
    differences |= OuterLevel(leaf.def[i], inner) ^ OuterLevel(other.def[i], other_inner);
  }
  return differences == 0;
}

}  // namespace

LayerScan MakeLayerScan(const LeafPath& path, size_t i) {
  LayerScan scan;
  scan.null_level = path.null_level(i);
  for (size_t k = 0; k <= i; ++k) {
    scan.min_rep += path.layers[k].is_list ? 1 : 0;
    scan.stride *= path.layers[k].dimension;
  }
  size_t outside = i + 1;
  while (outside < path.layers.size() && !path.layers[outside].is_list) ++outside;
  scan.absent = path.null_level(outside);
  return scan;
}

uint64_t CountSlots(const LayerScan& scan, const LeafColumn& leaf) {
  uint64_t count = leaf.num_entries;
  if (!leaf.def.empty() && scan.min_rep > 0) {
    count = 0;
    for (uint64_t i = 0; i < leaf.num_entries; ++i) {
      count += Both(leaf.rep[i] >= scan.min_rep, leaf.def[i] < scan.absent);
    }
  } else if (!leaf.def.empty()) {
    count = 0;
    for (const uint16_t def : leaf.def) count += def < scan.absent ? 1 : 0;
  } else if (scan.min_rep > 0) {
    count = 0;
    for (const uint16_t rep : leaf.rep) count += rep >= scan.min_rep ? 1 : 0;
  }
  return count / scan.stride;
}

bool HasLevel(uint16_t level, const LeafColumn& leaf) {
  bool found = false;
  for (const uint16_t def : leaf.def) found |= def == level;
  return found;
}

arrow::Result<Validity> MakeItemValidity(const LayerScan& scan, const LeafColumn& leaf,
                                         uint64_t num_slots, arrow::MemoryPool* pool) {
  if (leaf.def.empty()) return Validity{};
  if (IsEveryEntryASlot(scan, leaf, num_slots)) {
    return PackLevels(leaf.def, scan.null_level, pool);
  }
  std::vector<uint8_t> flags = MakeFlags(num_slots);
  uint64_t slot = 0;
  if (scan.stride > 1) {
    for (; slot < num_slots; ++slot) {
      flags[slot] = leaf.def[slot * scan.stride] < scan.null_level ? 1 : 0;
    }
    return PackFlags(flags.data(), num_slots, pool);
  }
  for (uint64_t i = 0; i < leaf.num_entries; ++i) {
    flags[slot] = leaf.def[i] < scan.null_level ? 1 : 0;
    slot += Both(leaf.rep[i] >= scan.min_rep, leaf.def[i] < scan.absent);
  }
  LANCE_DCHECK(slot == num_slots);
  return PackFlags(flags.data(), num_slots, pool);
}

arrow::Result<ListSlots> MakeListSlots(const LayerScan& scan, const LeafColumn& leaf,
                                       uint64_t num_slots, bool is_large, arrow::MemoryPool* pool) {
  return is_large ? MakeSlotsOf<int64_t>(scan, leaf, num_slots, pool)
                  : MakeSlotsOf<int32_t>(scan, leaf, num_slots, pool);
}

bool HaveSameSlots(const LayerScan& scan, const LeafColumn& leaf, const LayerScan& other_scan,
                   const LeafColumn& other) {
  const auto has_only_slots = [](const LayerScan& any) {
    return any.min_rep == 0 && any.stride == 1;
  };
  if (has_only_slots(scan) && has_only_slots(other_scan)) {
    return HaveSameEntries(scan, leaf, other_scan, other);
  }
  SlotReader slots(scan, leaf);
  SlotReader other_slots(other_scan, other);
  while (true) {
    const bool has_next = slots.Next();
    if (other_slots.Next() != has_next) return false;
    if (!has_next) return true;
    if (slots.rep() != other_slots.rep() || slots.def() != other_slots.def()) return false;
  }
}

}  // namespace lance::format
