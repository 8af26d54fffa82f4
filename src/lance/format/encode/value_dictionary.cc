#include "lance/format/encode/value_dictionary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encode/general_compressor.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/unsigned_dispatch.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Values after which nearly distinct ones are given up, and how distinct that is: what would be
/// distinct to this share has some hundred thousand values if it is random.
constexpr uint64_t kTrialValues = 16384;
constexpr uint64_t kTrialMaxItems = kTrialValues / 100 * 97;

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;

uint64_t Mix(uint64_t lhs, uint64_t rhs) {
  const uint64_t mixed = (std::rotl(lhs * kMultiplier, 31) ^ rhs) * 0xD6E8FEB86659FD93;
  return mixed ^ mixed >> 32;
}

uint64_t Load64(const std::byte* bytes) { return LoadLittleEndian<uint64_t>(bytes); }

/// Load up to 8 bytes.
uint64_t LoadTail(const std::byte* bytes, size_t size) {
  uint64_t tail = 0;
  if (size >= 8) return Load64(bytes + size - 8);
  if (size >= 4) {
    return LoadLittleEndian<uint32_t>(bytes) |
           uint64_t{LoadLittleEndian<uint32_t>(bytes + size - 4)} << 32;
  }
  if (size > 0) {
    tail = std::to_integer<uint64_t>(bytes[0]) | std::to_integer<uint64_t>(bytes[size / 2]) << 8 |
           std::to_integer<uint64_t>(bytes[size - 1]) << 16;
  }
  return tail;
}

uint64_t Hash(const std::byte* bytes, size_t size) {
  uint64_t hash = size * kMultiplier;
  size_t at = 0;
  for (; at + 16 <= size; at += 16) hash = Mix(hash ^ Load64(bytes + at), Load64(bytes + at + 8));
  if (at + 8 <= size) {
    hash = Mix(hash, Load64(bytes + at));
    at += 8;
  }
  return Mix(hash ^ LoadTail(bytes + at, size - at), size);
}

/// Finds distinct values of one kind by a hash table with open addressing.
///
/// `Traits` reads values: Key, key(i), Hash(key), Equal(code, key), Append(key).
template <typename Traits>
class DistinctFinder {
 public:
  DistinctFinder(Traits traits, const DictionaryLimits& limits)
      : traits_(std::move(traits)), limits_(limits), table_(1024) {}

  /// \return whether the values stay within the limits
  bool Find(uint64_t num_values, std::span<const uint16_t> slots, std::vector<uint32_t>* codes) {
    codes->resize(num_values);
    uint32_t last = 0;
    for (uint64_t i = 0; i < num_values; ++i) {
      if (slots.empty() || slots[i] == 0) {
        const typename Traits::Key key = traits_.key(i);
        const bool goes_on = num_items_ > 0 && traits_.Equal(last, key);  // runs need no hashing
        if (!goes_on && !FindCode(key, &last)) return false;
      }
      (*codes)[i] = last;
      if (i + 1 == kTrialValues && num_items_ > kTrialMaxItems) return false;
    }
    return true;
  }

 private:
  /// An entry of the table. A code of 0 is none: codes are stored plus 1.
  struct Entry {
    uint32_t tag = 0;
    uint32_t code = 0;
  };

  bool FindCode(const typename Traits::Key& key, uint32_t* code) {
    const uint64_t hash = Traits::Hash(key);
    const auto tag = static_cast<uint32_t>(hash >> 32);
    const uint64_t mask = table_.size() - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
      Entry& entry = table_[at];
      if (entry.code == 0) {
        if (num_items_ >= limits_.max_items) return false;
        if (!traits_.Append(key, limits_.max_bytes)) return false;
        entry = {tag, static_cast<uint32_t>(++num_items_)};
        hashes_.push_back(hash);
        *code = entry.code - 1;
        if (num_items_ * 2 > table_.size()) Grow();
        return true;
      }
      if (entry.tag == tag && traits_.Equal(entry.code - 1, key)) {
        *code = entry.code - 1;
        return true;
      }
    }
  }

  void Grow() {
    std::vector<Entry> table(table_.size() * 4);
    const uint64_t mask = table.size() - 1;
    for (uint64_t i = 0; i < hashes_.size(); ++i) {
      uint64_t at = hashes_[i] & mask;
      while (table[at].code != 0) at = (at + 1) & mask;
      table[at] = {static_cast<uint32_t>(hashes_[i] >> 32), static_cast<uint32_t>(i + 1)};
    }
    table_ = std::move(table);
  }

  Traits traits_;
  const DictionaryLimits& limits_;
  std::vector<Entry> table_;
  std::vector<uint64_t> hashes_;
  uint64_t num_items_ = 0;
};

/// Values of kWords words each.
template <typename Word, size_t kWords>
struct FixedValues {
  using Key = std::array<Word, kWords>;

  Key key(uint64_t i) const {
    Key key;
    std::memcpy(key.data(), values->bytes.data() + i * sizeof(Key), sizeof(Key));
    return key;
  }
  static uint64_t Hash(const Key& key) {
    uint64_t hash = kWords;
    for (const Word word : key) hash = Mix(hash, word);
    return hash;
  }
  bool Equal(uint64_t code, const Key& key) const {
    return std::memcmp(items->byte_storage.data() + code * sizeof(Key), key.data(), sizeof(Key)) ==
           0;
  }
  bool Append(const Key& key, uint64_t max_bytes) const {
    if (items->byte_storage.size() + sizeof(Key) > max_bytes) return false;
    std::memcpy(items->byte_storage.Grow(sizeof(Key)), key.data(), sizeof(Key));
    ++items->num_values;
    return true;
  }

  const PageValues* values;
  PageValues* items;
};

/// Values of variable width.
struct VariableValues {
  using Key = std::span<const std::byte>;

  Key key(uint64_t i) const { return values->value(i); }
  static uint64_t Hash(const Key& key) { return format::Hash(key.data(), key.size()); }
  bool Equal(uint64_t code, const Key& key) const {
    const uint64_t begin = Offset(code);
    if (Offset(code + 1) - begin != key.size()) return false;
    return key.empty() ||
           std::memcmp(items->byte_storage.data() + begin, key.data(), key.size()) == 0;
  }
  bool Append(const Key& key, uint64_t max_bytes) const {
    if (items->byte_storage.size() + key.size() > max_bytes) return false;
    items->byte_storage.Append(key);
    AppendOffset(items->byte_storage.size());
    ++items->num_values;
    return true;
  }
  uint64_t Offset(uint64_t i) const {
    const std::byte* const offsets = items->offset_storage.data();
    return items->offset_bits == 64 ? reinterpret_cast<const uint64_t*>(offsets)[i]
                                    : reinterpret_cast<const uint32_t*>(offsets)[i];
  }
  void AppendOffset(uint64_t offset) const {
    const size_t width = items->offset_bits / 8;
    std::memcpy(items->offset_storage.Grow(width), &offset, width);  // little-endian
  }

  const PageValues* values;
  PageValues* items;
};

/// The items as one block, uncompressed.
std::string PlainBlock(const PageValues& items) {
  std::string block;
  if (!items.is_variable()) {
    block.assign(reinterpret_cast<const char*>(items.bytes.data()), items.bytes.size());
    return block;
  }
  const uint64_t width = items.offset_bits / 8;
  const uint64_t start = 2 * width + (items.num_values + 1) * width;
  block.reserve(start + items.num_bytes());
  const auto append = [&](uint64_t word) {
    block.append(reinterpret_cast<const char*>(&word), width);  // little-endian
  };
  append(items.offset_bits);
  append(start);
  for (uint64_t i = 0; i <= items.num_values; ++i) append(items.offset(i) - items.offset(0));
  if (items.num_bytes() > 0) {
    block.append(reinterpret_cast<const char*>(items.bytes.data()) + items.offset(0),
                 items.num_bytes());
  }
  return block;
}

void DescribePlainBlock(const PageValues& items, pb::CompressiveEncoding* encoding) {
  if (items.is_variable()) {
    encoding->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
        items.offset_bits);
  } else {
    encoding->mutable_flat()->set_bits_per_value(items.bits_per_value);
  }
}

/// Append a value for codes of nulls to name.
void AppendDummy(PageValues* items) {
  if (items->is_variable()) {
    VariableValues{nullptr, items}.AppendOffset(0);
  } else {
    const uint64_t width = items->bits_per_value / 8;
    std::memset(items->byte_storage.Grow(width), 0, width);
  }
  items->num_values = 1;
}

/// A block and how it is encoded.
struct Block {
  pb::CompressiveEncoding encoding;
  std::string bytes;
};

/// Integers packed to the width of the largest. \return no value: that is not smaller
std::optional<Block> PackedBlock(const PageValues& items) {
  if (!IsIntegerWidth(items.bits_per_value)) return std::nullopt;
  const auto bits = static_cast<uint32_t>(items.bits_per_value);
  const uint64_t width = bits / 8;
  const uint32_t packed_bits = LargestBitWidth(bits, items.bytes);
  const uint64_t num_tail = items.num_values % kGroupValues;
  const bool packs_tail = PackedGroupBytes(packed_bits) < num_tail * width;
  const uint64_t tail_bytes = packs_tail ? PackedGroupBytes(packed_bits) : num_tail * width;
  const uint64_t num_groups = items.num_values / kGroupValues;
  if (packed_bits == bits ||
      num_groups * PackedGroupBytes(packed_bits) + tail_bytes >= items.bytes.size()) {
    return std::nullopt;
  }
  Block block;
  auto* const packing = block.encoding.mutable_out_of_line_bitpacking();
  packing->set_uncompressed_bits_per_value(bits);
  packing->mutable_values()->mutable_flat()->set_bits_per_value(packed_bits);
  const auto append = [&](const std::byte* group) {
    std::byte packed[PackedGroupBytes(64)];
    PackGroup(bits, packed_bits, group, packed);
    block.bytes.append(reinterpret_cast<const char*>(packed), PackedGroupBytes(packed_bits));
  };
  const std::byte* group = items.bytes.data();
  for (uint64_t i = 0; i < num_groups; ++i, group += kGroupValues * width) append(group);
  if (!packs_tail) {
    block.bytes.append(reinterpret_cast<const char*>(group), tail_bytes);
    return block;
  }
  std::byte padded[kGroupValues * 8] = {};
  std::memcpy(padded, group, num_tail * width);
  append(padded);
  return block;
}

/// \return no value: compressing does not make the block smaller, or must not be
arrow::Result<std::optional<Block>> CompressedBlock(const Block& plain,
                                                    const EncodingHints& hints) {
  std::optional<Block> block;
  if (hints.dict_compression == Compression::kNone ||
      plain.bytes.size() > static_cast<size_t>(INT32_MAX)) {
    return block;
  }
  ARROW_ASSIGN_OR_RAISE(
      const auto compressor,
      GeneralCompressor::Make(hints.dict_compression, hints.dict_compression_level));
  block.emplace();
  ARROW_RETURN_NOT_OK(compressor->Append(AsBytes(plain.bytes), &block->bytes));
  if (block->bytes.size() >= plain.bytes.size()) return std::nullopt;
  auto* const general = block->encoding.mutable_general();
  compressor->Describe(general->mutable_compression());
  *general->mutable_values() = plain.encoding;
  return block;
}

}  // namespace

PageValues ValueDictionary::CodeValues() const {
  PageValues values(items.byte_storage.pool());
  values.num_values = codes.size();
  values.bits_per_value = 32;
  values.bytes = std::as_bytes(std::span(codes));
  return values;
}

std::optional<ValueDictionary> FindDistinctValues(const PageValues& values,
                                                  std::span<const uint16_t> slots,
                                                  const DictionaryLimits& limits,
                                                  arrow::MemoryPool* pool) {
  ValueDictionary dictionary(pool);
  PageValues& items = dictionary.items;
  items.bits_per_value = values.bits_per_value;
  items.offset_bits = values.offset_bits;
  const auto find = [&](auto traits) {
    return DistinctFinder<decltype(traits)>(traits, limits)
        .Find(values.num_values, slots, &dictionary.codes);
  };
  bool is_found = false;
  if (values.is_variable()) {
    const VariableValues traits{&values, &items};
    traits.AppendOffset(0);
    is_found = find(traits);
  } else if (values.bits_per_value == 32) {
    is_found = find(FixedValues<uint32_t, 1>{&values, &items});
  } else if (values.bits_per_value == 64) {
    is_found = find(FixedValues<uint64_t, 1>{&values, &items});
  } else {
    LANCE_DCHECK(values.bits_per_value == 128);
    is_found = find(FixedValues<uint64_t, 2>{&values, &items});
  }
  if (!is_found) return std::nullopt;
  if (items.num_values == 0) AppendDummy(&items);  // only nulls
  items.UseStorage();
  return dictionary;
}

arrow::Result<EncodedDictionary> EncodeDictionaryItems(const PageValues& items,
                                                       const EncodingHints& hints,
                                                       FileVersion version) {
  Block best;
  DescribePlainBlock(items, &best.encoding);
  best.bytes = PlainBlock(items);
  std::optional<Block> packed;
  std::optional<Block> compressed;
  if (version == FileVersion::k2_2) {  // 2.1: 0.39.0 aborts on packed dictionaries
    packed = PackedBlock(items);
    ARROW_ASSIGN_OR_RAISE(compressed, CompressedBlock(best, hints));
  }
  if (packed) best = *std::move(packed);
  if (compressed && compressed->bytes.size() < best.bytes.size()) best = *std::move(compressed);
  return EncodedDictionary{best.encoding.SerializeAsString(), std::move(best.bytes),
                           items.num_values};
}

}  // namespace lance::format
