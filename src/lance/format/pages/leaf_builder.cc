#include "lance/format/pages/leaf_builder.h"

#include <algorithm>
#include <limits>

namespace lance::format {
namespace {

// Bytes that one byte of a page may make room for before it is decoded: dense bit packing has less.
constexpr uint64_t kMaxExpansion = 16;

// One of so many values says how large all are together, with a little more to be safe.
constexpr uint64_t kShareToGuessFrom = 32;
constexpr double kGuessMargin = 1.05;

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
    def.reserve(num_entries_);
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

void LeafBuilder::Reserve(uint64_t num_values, uint64_t num_entries, uint64_t input_bytes) {
  const ValueBuffer& values = column_.values;
  most_bytes_ =
      std::min(input_bytes, std::numeric_limits<uint64_t>::max() / kMaxExpansion) * kMaxExpansion;
  // Rounded up: 8 values of b bits have b bytes.
  const auto bytes_for = [&](uint64_t bits) -> uint64_t {
    const uint64_t groups = num_values / 8 + 1;
    return bits == 0 || groups > most_bytes_ / bits ? 0 : groups * bits;
  };
  if (values.is_variable()) {
    column_.values.offsets.Reserve(bytes_for(values.offset_bits));
    num_values_ = num_values;
    text_after_ = num_values / kShareToGuessFrom + 1;
  } else if (!values.is_packed()) {
    column_.values.bytes.Reserve(bytes_for(values.items_per_value * values.bits_per_value));
  }
  if (num_entries <= most_bytes_ / sizeof(uint16_t)) num_entries_ = num_entries;
}

void LeafBuilder::ReserveRestOfText() {
  text_after_ = std::numeric_limits<uint64_t>::max();
  ByteBuffer& bytes = column_.values.bytes;
  const double mean =
      static_cast<double>(bytes.size()) / static_cast<double>(column_.values.num_values);
  const double guess = mean * static_cast<double>(num_values_) * kGuessMargin;
  if (guess <= static_cast<double>(bytes.size()) || guess > static_cast<double>(most_bytes_)) {
    return;
  }
  bytes.Reserve(static_cast<uint64_t>(guess) - bytes.size());
}

}  // namespace lance::format
