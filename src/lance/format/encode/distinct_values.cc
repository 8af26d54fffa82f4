#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "lance/base/byte_reader.h"
#include "lance/base/check.h"
#include "lance/format/encode/value_dictionary.h"

namespace lance::format {
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

/// Compare bytes; short ones without a call.
bool AreBytesEqual(const std::byte* lhs, const std::byte* rhs, size_t size) {
  if (size > 16) return std::memcmp(lhs, rhs, size) == 0;
  if (size < 8) return LoadTail(lhs, size) == LoadTail(rhs, size);
  return Load64(lhs) == Load64(rhs) && Load64(lhs + size - 8) == Load64(rhs + size - 8);
}

/// How far the search for distinct values has come, and when it ends.
class Progress {
 public:
  explicit Progress(const DictionaryLimits& limits) : limits_(limits) {}

  uint64_t num_items() const { return num_items_; }

  /// Note a new item that makes `num_bytes` of all. \return whether the limits allow it
  bool Add(uint64_t num_bytes) {
    return ++num_items_ <= limits_.max_items && num_bytes <= limits_.max_bytes;
  }

  /// Whether the values up to `i` are so distinct that the rest will be.
  bool IsHopeless(uint64_t i) const { return i + 1 == kTrialValues && num_items_ > kTrialMaxItems; }

 private:
  const DictionaryLimits& limits_;
  uint64_t num_items_ = 0;
};

/// Make room for codes.
uint32_t* GrowCodes(uint64_t num_values, ValueDictionary* dictionary) {
  dictionary->codes.num_values = num_values;
  dictionary->codes.bits_per_value = 32;
  return reinterpret_cast<uint32_t*>(
      dictionary->codes.byte_storage.Grow(num_values * sizeof(uint32_t)));
}

/// Finds distinct values of fixed width by a hash table with open addressing.
template <typename Word, size_t kWords>
class FixedFinder {
 public:
  FixedFinder(const PageValues& values, const DictionaryLimits& limits, ValueDictionary* dictionary)
      : values_(values), progress_(limits), dictionary_(dictionary), table_(1024) {}

  /// Null slots repeat a value, so that they need no care.
  ///
  /// \return whether the values stay within the limits
  bool Find() {
    const std::byte* value = values_.bytes.data();
    uint32_t* const codes = GrowCodes(values_.num_values, dictionary_);
    for (uint64_t i = 0; i < values_.num_values; ++i, value += sizeof(Key)) {
      Key key;
      std::memcpy(&key, value, sizeof(Key));
      if (!FindCode(key, codes + i) || progress_.IsHopeless(i)) return false;
    }
    dictionary_->items.num_values = progress_.num_items();
    return true;
  }

 private:
  using Key = std::array<Word, kWords>;

  /// An entry of the table. A code of 0 is none: codes are stored plus 1.
  struct Entry {
    Key key{};
    uint32_t code = 0;
  };

  static uint64_t Hash(const Key& key) {
    uint64_t hash = kWords;
    for (const Word word : key) hash = Mix(hash, word);
    return hash;
  }

  /// As ==, which compilers turn into a call.
  static bool IsSame(const Key& lhs, const Key& rhs) {
    Word difference = 0;
    for (size_t i = 0; i < kWords; ++i) difference |= lhs[i] ^ rhs[i];
    return difference == 0;
  }

  bool FindCode(const Key& key, uint32_t* code) {
    const uint64_t mask = table_.size() - 1;
    uint64_t at = Hash(key) & mask;
    while (table_[at].code != 0 && !IsSame(table_[at].key, key)) at = (at + 1) & mask;
    if (table_[at].code == 0) return AddItem(key, at, code);
    *code = table_[at].code - 1;
    return true;
  }

  bool AddItem(const Key& key, uint64_t at, uint32_t* code) {
    ByteBuffer& items = dictionary_->items.byte_storage;
    *code = static_cast<uint32_t>(progress_.num_items());
    if (!progress_.Add(items.size() + sizeof(Key))) return false;
    std::memcpy(items.Grow(sizeof(Key)), &key, sizeof(Key));
    table_[at] = {key, *code + 1};
    if (progress_.num_items() * 2 > table_.size()) Grow();
    return true;
  }

  void Grow() {
    std::vector<Entry> table(table_.size() * 4);
    const uint64_t mask = table.size() - 1;
    for (const Entry& entry : table_) {
      if (entry.code == 0) continue;
      uint64_t at = Hash(entry.key) & mask;
      while (table[at].code != 0) at = (at + 1) & mask;
      table[at] = entry;
    }
    table_ = std::move(table);
  }

  const PageValues& values_;
  Progress progress_;
  ValueDictionary* dictionary_;
  std::vector<Entry> table_;
};

/// Finds distinct values of variable width by a hash table with open addressing.
class VariableFinder {
 public:
  VariableFinder(const PageValues& values, std::span<const uint16_t> slots,
                 const DictionaryLimits& limits, ValueDictionary* dictionary)
      : values_(values),
        slots_(slots),
        progress_(limits),
        items_(dictionary->items),
        codes_(GrowCodes(values.num_values, dictionary)),
        table_(1024) {}

  /// \return whether the values stay within the limits
  bool Find() {
    AppendOffset();
    uint32_t last = 0;
    for (uint64_t i = 0; i < values_.num_values; ++i) {
      if (slots_.empty() || slots_[i] == 0) {
        const Text text = values_.value(i);
        // Runs of long values need no hashing; of short ones it costs less than a wrong guess.
        const bool goes_on =
            text.size() >= kLongText && progress_.num_items() > 0 && IsItem(last, text);
        if (!goes_on && !FindCode(text, &last)) return false;
      }
      codes_[i] = last;
      if (progress_.IsHopeless(i)) return false;
    }
    items_.num_values = progress_.num_items();
    return true;
  }

  /// Append the end of the last item.
  void AppendOffset() {
    const uint64_t offset = items_.byte_storage.size();
    const size_t width = items_.offset_bits / 8;
    std::memcpy(items_.offset_storage.Grow(width), &offset, width);  // little-endian
  }

 private:
  using Text = std::span<const std::byte>;

  static constexpr size_t kLongText = 32;

  /// An entry of the table. A code of 0 is none: codes are stored plus 1.
  struct Entry {
    uint32_t tag = 0;
    uint32_t code = 0;
  };

  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  uint64_t Offset(uint64_t i) const {
    const std::byte* const offsets = items_.offset_storage.data();
    return items_.offset_bits == 64 ? reinterpret_cast<const uint64_t*>(offsets)[i]
                                    : reinterpret_cast<const uint32_t*>(offsets)[i];
  }

  bool IsItem(uint64_t code, const Text& text) const {
    const uint64_t begin = Offset(code);
    if (Offset(code + 1) - begin != text.size()) return false;
    return AreBytesEqual(items_.byte_storage.data() + begin, text.data(), text.size());
  }

  bool FindCode(const Text& text, uint32_t* code) {
    const uint64_t hash = Hash(text.data(), text.size());
    const uint64_t mask = table_.size() - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
      const Entry& entry = table_[at];
      if (entry.code == 0) return AddItem(text, hash, at, code);
      if (entry.tag != TagOf(hash) || !IsItem(entry.code - 1, text)) continue;
      *code = entry.code - 1;
      return true;
    }
  }

  bool AddItem(const Text& text, uint64_t hash, uint64_t at, uint32_t* code) {
    *code = static_cast<uint32_t>(progress_.num_items());
    if (!progress_.Add(items_.byte_storage.size() + text.size())) return false;
    items_.byte_storage.Append(text);
    AppendOffset();
    hashes_.push_back(hash);
    table_[at] = {TagOf(hash), *code + 1};
    if (progress_.num_items() * 2 > table_.size()) Grow();
    return true;
  }

  void Grow() {
    std::vector<Entry> table(table_.size() * 4);
    const uint64_t mask = table.size() - 1;
    for (uint64_t i = 0; i < hashes_.size(); ++i) {
      uint64_t at = hashes_[i] & mask;
      while (table[at].code != 0) at = (at + 1) & mask;
      table[at] = {TagOf(hashes_[i]), static_cast<uint32_t>(i + 1)};
    }
    table_ = std::move(table);
  }

  const PageValues& values_;
  std::span<const uint16_t> slots_;
  Progress progress_;
  PageValues& items_;
  uint32_t* codes_;
  std::vector<Entry> table_;
  std::vector<uint64_t> hashes_;
};

bool FindVariable(const PageValues& values, std::span<const uint16_t> slots,
                  const DictionaryLimits& limits, ValueDictionary* dictionary) {
  VariableFinder finder(values, slots, limits, dictionary);
  if (!finder.Find()) return false;
  if (dictionary->items.num_values == 0) {  // only nulls: their codes name a dummy
    finder.AppendOffset();
    dictionary->items.num_values = 1;
  }
  return true;
}

bool FindFixed(const PageValues& values, const DictionaryLimits& limits,
               ValueDictionary* dictionary) {
  if (values.bits_per_value == 32) {
    return FixedFinder<uint32_t, 1>(values, limits, dictionary).Find();
  }
  if (values.bits_per_value == 64) {
    return FixedFinder<uint64_t, 1>(values, limits, dictionary).Find();
  }
  LANCE_DCHECK(values.bits_per_value == 128);
  return FixedFinder<uint64_t, 2>(values, limits, dictionary).Find();
}

}  // namespace

std::optional<ValueDictionary> FindDistinctValues(const PageValues& values,
                                                  std::span<const uint16_t> slots,
                                                  const DictionaryLimits& limits,
                                                  arrow::MemoryPool* pool) {
  ValueDictionary dictionary(pool);
  dictionary.items.bits_per_value = values.bits_per_value;
  dictionary.items.offset_bits = values.offset_bits;
  const bool is_found = values.is_variable() ? FindVariable(values, slots, limits, &dictionary)
                                             : FindFixed(values, limits, &dictionary);
  if (!is_found) return std::nullopt;
  dictionary.items.UseStorage();
  dictionary.codes.UseStorage();
  return dictionary;
}

}  // namespace lance::format
