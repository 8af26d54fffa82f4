#include "lance/format/pages/level_decoder.h"

#include <algorithm>
#include <numeric>

#include "lance/base/check.h"

namespace lance::format {
namespace {

constexpr ValueShape LevelShape() { return ValueShape{.bits_per_value = 16}; }

uint16_t LargestOf(std::span<const uint16_t> levels) {
  uint16_t largest = 0;
  for (const uint16_t level : levels) largest = std::max(largest, level);
  return largest;
}

// Loops over this many levels count in 16 bits, so that compilers make vectors of them.
constexpr size_t kLevelsPerCount = 1024;

template <typename Predicate>
uint64_t CountLevels(std::span<const uint16_t> levels, Predicate&& predicate) {
  uint64_t count = 0;
  for (size_t begin = 0; begin < levels.size(); begin += kLevelsPerCount) {
    const auto block = levels.subspan(begin, std::min(kLevelsPerCount, levels.size() - begin));
    uint16_t in_block = 0;
    for (const uint16_t level : block) {
      in_block = static_cast<uint16_t>(in_block + (predicate(level) ? 1 : 0));
    }
    count += in_block;
  }
  return count;
}

uint64_t CountEqual(std::span<const uint16_t> levels, uint16_t wanted) {
  return CountLevels(levels, [wanted](uint16_t level) { return level == wanted; });
}

/// Find where the `number`-th `wanted` from `first` on lies, counted from 0; the end if there are
/// fewer.
uint64_t FindNth(std::span<const uint16_t> levels, uint16_t wanted, uint64_t first,
                 uint64_t number) {
  constexpr size_t kStep = 64;
  uint64_t at = first;
  while (levels.size() - at > kStep) {
    const uint64_t in_step = CountEqual(levels.subspan(at, kStep), wanted);
    if (in_step > number) break;
    number -= in_step;
    at += kStep;
  }
  for (; at < levels.size(); ++at) {
    if (levels[at] == wanted && number-- == 0) break;
  }
  return at;
}

bool IsIdentity(const std::vector<uint16_t>& canonical) {
  for (size_t i = 0; i < canonical.size(); ++i) {
    if (canonical[i] != i) return false;
  }
  return true;
}

}  // namespace

LevelDecoder::LevelDecoder(const PageLayers& layers, const LeafPath& path)
    : layers_(layers),
      max_visible_def_(path.max_visible_def()),
      is_canonical_(IsIdentity(layers.canonical)),
      rep_scratch_(LevelShape(), nullptr),
      def_scratch_(LevelShape(), nullptr) {}

arrow::Status LevelDecoder::DecodeStream(const LevelStream& stream,
                                         std::span<const std::byte> bytes, uint64_t num_entries,
                                         uint16_t max_level, ValueBuffer* scratch,
                                         std::span<uint16_t>* levels) {
  *levels = {};
  if (stream.decoder == nullptr) return arrow::Status::OK();
  scratch->Clear();
  ARROW_RETURN_NOT_OK(stream.decoder->Decode(bytes, num_entries, scratch));
  // The buffer is aligned and ours; machines are little-endian (LoadLittleEndian).
  *levels = {reinterpret_cast<uint16_t*>(scratch->bytes.data()), num_entries};
  const uint16_t largest = LargestOf(*levels);
  if (largest <= max_level) return arrow::Status::OK();
  return arrow::Status::SerializationError("a level is ", largest, ", the page's layers have ",
                                           max_level, " at most");
}

arrow::Status LevelDecoder::Decode(const LevelStream& rep, std::span<const std::byte> rep_bytes,
                                   const LevelStream& def, std::span<const std::byte> def_bytes,
                                   uint64_t num_entries) {
  ARROW_RETURN_NOT_OK(
      DecodeStream(rep, rep_bytes, num_entries, layers_.max_rep, &rep_scratch_, &rep_levels_));
  ARROW_RETURN_NOT_OK(
      DecodeStream(def, def_bytes, num_entries, layers_.max_def, &def_scratch_, &def_levels_));
  num_entries_ = num_entries;
  num_visible_ = num_entries;
  if (layers_.max_visible_def < layers_.max_def) {
    const uint16_t max_visible = layers_.max_visible_def;
    num_visible_ -=
        CountLevels(def_levels_, [max_visible](uint16_t level) { return level > max_visible; });
  }
  if (!is_canonical_) {
    for (uint16_t& level : def_levels_) level = layers_.canonical[level];
  }
  return arrow::Status::OK();
}

arrow::Status LevelDecoder::CheckRows(bool begins_inside_row, uint64_t rows,
                                      uint64_t leftover) const {
  LANCE_DCHECK(layers_.max_rep > 0);
  const uint16_t new_row = layers_.max_rep;
  const bool is_inside = !rep_levels_.empty() && rep_levels_.front() != new_row;
  const uint64_t begun = CountEqual(rep_levels_, new_row);
  if (rep_levels_.empty() || is_inside != begins_inside_row || begun != rows) {
    return arrow::Status::SerializationError(
        "the repetition levels begin ", begun, " rows", is_inside ? " behind the end of one" : "",
        ", the repetition index says ", rows, begins_inside_row ? " behind the end of one" : "");
  }
  if (leftover == 0) return arrow::Status::OK();
  const auto last = std::find(rep_levels_.rbegin(), rep_levels_.rend(), new_row);
  const auto entries =
      static_cast<uint64_t>(last - rep_levels_.rbegin()) + (last != rep_levels_.rend() ? 1 : 0);
  if (entries == leftover) return arrow::Status::OK();
  return arrow::Status::SerializationError("the last row has ", entries,
                                           " entries here, the repetition index says ", leftover);
}

void LevelDecoder::SliceFlat(uint64_t first_row, std::span<const RowRange> wanted,
                             std::vector<EntrySlice>* slices) const {
  const uint64_t last_row = first_row + num_entries_;
  for (const RowRange& rows : wanted) {
    if (rows.begin >= last_row) break;
    const uint64_t begin = std::max(rows.begin, first_row);
    const uint64_t end = std::min(rows.end, last_row);
    if (begin >= end) continue;
    slices->push_back({begin - first_row, end - begin, begin - first_row, end - begin});
  }
}

void LevelDecoder::Slice(uint64_t rows_begun, std::span<const RowRange> wanted,
                         std::vector<EntrySlice>* slices) const {
  slices->clear();
  if (layers_.max_rep == 0) return SliceFlat(rows_begun, wanted, slices);
  const uint16_t new_row = layers_.max_rep;
  const bool is_inside = num_entries_ > 0 && rep_levels_[0] != new_row;
  // Where the rows before `next_row` end, and the values before that.
  uint64_t next_row = rows_begun - (is_inside ? 1 : 0);
  uint64_t entry = 0;
  uint64_t value = 0;
  const auto skip_to = [&](uint64_t row) {
    if (row <= next_row) return;
    const uint64_t first = std::min(num_entries_, entry + 1);  // behind the beginning of next_row
    const uint64_t end = FindNth(rep_levels_, new_row, first, row - next_row - 1);
    value += CountVisible(entry, end);
    entry = end;
    next_row = row;
  };
  for (const RowRange& rows : wanted) {
    skip_to(rows.begin);
    if (entry == num_entries_) break;
    const EntrySlice before = {.first_entry = entry, .first_value = value};
    skip_to(rows.end);
    if (entry == before.first_entry) continue;
    slices->push_back({before.first_entry, entry - before.first_entry, before.first_value,
                       value - before.first_value});
  }
}

uint64_t LevelDecoder::CountVisible(uint64_t first_entry, uint64_t end_entry) const {
  const uint64_t num_entries = end_entry - first_entry;
  if (def_levels_.empty() || num_visible_ == num_entries_) return num_entries;
  const uint16_t max_visible = max_visible_def_;
  return CountLevels(def_levels_.subspan(first_entry, num_entries),
                     [max_visible](uint16_t level) { return level <= max_visible; });
}

void LevelDecoder::MarkNulls(const EntrySlice& slice, std::vector<uint8_t>* is_null) const {
  is_null->clear();
  if (def_levels_.empty()) {
    is_null->resize(slice.num_values, 0);
    return;
  }
  for (uint64_t i = slice.first_entry; i < slice.first_entry + slice.num_entries; ++i) {
    if (IsVisible(i)) is_null->push_back(def_levels_[i] != 0 ? 1 : 0);
  }
}

}  // namespace lance::format
