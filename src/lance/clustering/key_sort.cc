#include "lance/clustering/key_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "arrow/api.h"

namespace lance::clustering {
namespace {

constexpr size_t kWordBytes = 8;
constexpr size_t kFewRecords = 32;          // insertion sort is quicker than counting
constexpr size_t kCachedRecords = 1 << 15;  // two such arrays stay in the second-level cache
constexpr size_t kPartitionBits = 11;       // more buckets at once miss the TLB

/// A row and the 8 bytes of its key that are looked at; equal ones keep their order.
struct KeyRecord {
  uint64_t word;
  uint64_t row;
};

/// Keys of all rows, one after the other.
struct FlatKeys {
  const uint8_t* bytes = nullptr;
  size_t key_bytes = 0;

  /// Bytes [offset, offset + 8) of a key as a number, zeros for what is beyond its end.
  uint64_t WordAt(uint64_t row, size_t offset) const {
    uint64_t word = 0;
    std::memcpy(&word, bytes + row * key_bytes + offset, std::min(kWordBytes, key_bytes - offset));
    return __builtin_bswap64(word);
  }
};

/// Sorts records by their words. All sorts in here are stable, so no order depends on sizes.
class WordSorter {
 public:
  explicit WordSorter(size_t num_records) : scratch_(num_records) {}

  void Sort(std::span<KeyRecord> records) {
    if (records.size() <= kFewRecords) return SortFew(records);
    uint64_t differing = 0;
    for (const KeyRecord& record : records) differing |= record.word ^ records[0].word;
    if (differing == 0) return;
    if (records.size() > kCachedRecords) {
      SortByPartition(records, static_cast<size_t>(std::bit_width(differing)));
    } else {
      SortByDigits(records, differing);
    }
  }

 private:
  static void SortFew(std::span<KeyRecord> records) {
    for (size_t i = 1; i < records.size(); ++i) {
      const KeyRecord record = records[i];
      size_t place = i;
      for (; place > 0 && records[place - 1].word > record.word; --place) {
        records[place] = records[place - 1];
      }
      records[place] = record;
    }
  }

  // Cut by the highest bits that differ, then sort each part in cache.
  void SortByPartition(std::span<KeyRecord> records, size_t num_bits) {
    const size_t shift = num_bits > kPartitionBits ? num_bits - kPartitionBits : 0;
    std::vector<size_t> ends(size_t{1} << kPartitionBits);
    const uint64_t mask = ends.size() - 1;
    for (const KeyRecord& record : records) ++ends[record.word >> shift & mask];
    size_t begin = 0;
    for (size_t& end : ends) begin += std::exchange(end, begin);
    for (const KeyRecord& record : records) {
      scratch_[ends[record.word >> shift & mask]++] = record;
    }
    std::copy_n(scratch_.begin(), records.size(), records.begin());
    begin = 0;
    for (const size_t end : ends) {
      if (shift > 0) Sort(records.subspan(begin, end - begin));
      begin = end;
    }
  }

  // Least significant digit first, digits that are the same in all records left out.
  void SortByDigits(std::span<KeyRecord> records, uint64_t differing) {
    KeyRecord* from = records.data();
    KeyRecord* to = scratch_.data();
    for (size_t shift = 0; shift < 64; shift += 8) {
      if ((differing >> shift & 0xff) == 0) continue;
      std::array<size_t, 256> places{};
      for (size_t i = 0; i < records.size(); ++i) ++places[from[i].word >> shift & 0xff];
      size_t begin = 0;
      for (size_t& place : places) begin += std::exchange(place, begin);
      for (size_t i = 0; i < records.size(); ++i) {
        to[places[from[i].word >> shift & 0xff]++] = from[i];
      }
      std::swap(from, to);
    }
    if (from != records.data()) std::copy_n(from, records.size(), records.data());
  }

  std::vector<KeyRecord> scratch_;
};

/// Sort by the bytes from `offset` on: by the next word, then equal ones by what follows it.
void SortFrom(const FlatKeys& keys, size_t offset, std::span<KeyRecord> records,
              WordSorter* sorter) {
  sorter->Sort(records);
  const size_t next = offset + kWordBytes;
  if (next >= keys.key_bytes) return;
  for (size_t begin = 0; begin < records.size();) {
    size_t end = begin + 1;
    while (end < records.size() && records[end].word == records[begin].word) ++end;
    if (end - begin > 1) {
      const auto equal = records.subspan(begin, end - begin);
      for (KeyRecord& record : equal) record.word = keys.WordAt(record.row, next);
      SortFrom(keys, next, equal, sorter);
    }
    begin = end;
  }
}

/// Keys in one piece: those of a single chunk as they are, else copied to `storage`.
FlatKeys Flatten(const arrow::ChunkedArray& keys, size_t key_bytes, std::vector<uint8_t>* storage) {
  if (keys.num_chunks() == 1) {
    return {static_cast<const arrow::FixedSizeBinaryArray&>(*keys.chunk(0)).raw_values(),
            key_bytes};
  }
  storage->reserve(static_cast<size_t>(keys.length()) * key_bytes);
  for (const auto& chunk : keys.chunks()) {
    const uint8_t* values = static_cast<const arrow::FixedSizeBinaryArray&>(*chunk).raw_values();
    storage->insert(storage->end(), values, values + chunk->length() * key_bytes);
  }
  return {storage->data(), key_bytes};
}

}  // namespace

arrow::Result<std::vector<uint64_t>> SortByKey(const arrow::ChunkedArray& keys) {
  if (keys.type()->id() != arrow::Type::FIXED_SIZE_BINARY) {
    return arrow::Status::Invalid("curve keys have type ", keys.type()->ToString(),
                                  "; expected fixed_size_binary");
  }
  if (keys.null_count() != 0) {
    return arrow::Status::Invalid("curve keys: ", keys.null_count(), " are null; allowed: none");
  }
  const auto num_rows = static_cast<size_t>(keys.length());
  const auto key_bytes = static_cast<size_t>(
      static_cast<const arrow::FixedSizeBinaryType&>(*keys.type()).byte_width());
  std::vector<KeyRecord> records(num_rows);
  if (key_bytes == 0 || num_rows == 0) {
    for (size_t row = 0; row < num_rows; ++row) records[row].row = row;
  } else {
    std::vector<uint8_t> storage;
    const FlatKeys flat = Flatten(keys, key_bytes, &storage);
    for (size_t row = 0; row < num_rows; ++row) records[row] = {flat.WordAt(row, 0), row};
    WordSorter sorter(num_rows);
    SortFrom(flat, 0, records, &sorter);
  }
  std::vector<uint64_t> order(num_rows);
  std::transform(records.begin(), records.end(), order.begin(),
                 [](const KeyRecord& record) { return record.row; });
  return order;
}

}  // namespace lance::clustering
