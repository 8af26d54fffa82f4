#include "lance/format/pages/leaf_builder.h"

#include <algorithm>
#include <limits>

namespace lance::format {
namespace {

// Bytes that one byte of a page may make room for before it is decoded: dense bit packing has less.
constexpr uint64_t kMaxExpansion = 16;

}  // namespace

LeafBuilder::LeafBuilder(const ValueShape& shape, arrow::MemoryPool* pool) : column_(pool) {
  column_.values = ValueBuffer(shape, pool);
}

void LeafBuilder::AppendDef(std::span<const uint16_t> levels) {
  std::vector<uint16_t>& def = column_.def;
  if (def.empty()) {
    uint16_t any = 0;
    for (const uint16_t level : levels) any |= level;
    if (any == 0) {
      column_.num_entries += levels.size();
      return;
    }
    def.resize(column_.num_entries);
  }
  def.insert(def.end(), levels.begin(), levels.end());
  column_.num_entries += levels.size();
}

void LeafBuilder::AppendSameDef(uint16_t level, uint64_t count) {
  column_.num_entries += count;
  if (level == 0 && column_.def.empty()) return;
  column_.def.resize(column_.num_entries - count);  // zeros, where nothing was there yet
  column_.def.resize(column_.num_entries, level);
}

void LeafBuilder::Reserve(uint64_t num_values, uint64_t input_bytes) {
  const ValueBuffer& values = column_.values;
  const uint64_t most =
      std::min(input_bytes, std::numeric_limits<uint64_t>::max() / kMaxExpansion) * kMaxExpansion;
  // Rounded up: 8 values of b bits have b bytes.
  const auto bytes_for = [&](uint64_t bits) -> uint64_t {
    const uint64_t groups = num_values / 8 + 1;
    return bits == 0 || groups > most / bits ? 0 : groups * bits;
  };
  if (values.is_variable()) {
    column_.values.offsets.Reserve(bytes_for(values.offset_bits));
  } else if (!values.is_packed()) {
    column_.values.bytes.Reserve(bytes_for(values.items_per_value * values.bits_per_value));
  }
}

}  // namespace lance::format
