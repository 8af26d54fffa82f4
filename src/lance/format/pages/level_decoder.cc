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
    num_visible_ -= static_cast<uint64_t>(
        std::count_if(def_levels_.begin(), def_levels_.end(),
                      [&](uint16_t level) { return level > layers_.max_visible_def; }));
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
  const auto begun =
      static_cast<uint64_t>(std::count(rep_levels_.begin(), rep_levels_.end(), new_row));
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
  uint64_t next_row = rows_begun;  // the row that the next new row is
  uint64_t value = 0;
  uint64_t entry = 0;
  // Entries of one row from `entry` on; moves both positions behind them.
  const auto skip_rest_of_row = [&] {
    do {
      value += IsVisible(entry) ? 1 : 0;
      ++entry;
    } while (entry < num_entries_ && rep_levels_[entry] != layers_.max_rep);
  };
  for (const RowRange& rows : wanted) {
    if (entry == num_entries_) break;
    EntrySlice slice;
    bool has_any = false;
    while (entry < num_entries_) {
      const bool is_new = rep_levels_[entry] == layers_.max_rep;
      const uint64_t row = is_new ? next_row : next_row - 1;
      if (row >= rows.end) break;
      if (row >= rows.begin && !has_any) {
        has_any = true;
        slice.first_entry = entry;
        slice.first_value = value;
      }
      if (is_new) ++next_row;
      skip_rest_of_row();
    }
    if (!has_any) continue;
    slice.num_entries = entry - slice.first_entry;
    slice.num_values = value - slice.first_value;
    slices->push_back(slice);
  }
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
