#include "lance/format/levels/slot_levels.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/base/check.h"

namespace lance::format {
namespace {

bool IsSet(const uint8_t* bits, int64_t i) { return arrow::bit_util::GetBit(bits, i); }

void EnsureCodes(SlotLevels* slots) {
  if (slots->def.empty()) slots->def.resize(slots->num_entries, 0);
}

/// Eight bits from any position. \pre bit `first` + 7 exists
uint8_t LoadEightBits(const uint8_t* bits, int64_t first) {
  const int shift = static_cast<int>(first % 8);
  const uint8_t* const at = bits + first / 8;
  return shift == 0 ? at[0] : static_cast<uint8_t>(at[0] >> shift | at[1] << (8 - shift));
}

/// Mark the nulls of rows that are all entries.
bool MarkNulls(const uint8_t* validity, int64_t offset, uint16_t code,
               std::vector<uint16_t>* codes) {
  constexpr uint16_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const size_t whole = codes->size() / 8 * 8;
  uint16_t marked = 0;
  for (size_t i = 0; i < whole; i += 8) {
    const uint16_t bits = LoadEightBits(validity, offset + static_cast<int64_t>(i));
    uint16_t* const out = codes->data() + i;
    for (size_t k = 0; k < 8; ++k) {
      // Masks instead of branches, so that this becomes vector code.
      const int is_new = static_cast<int>((bits & kBits[k]) == 0) & static_cast<int>(out[k] == 0);
      const auto mark = static_cast<uint16_t>(-is_new & code);
      out[k] |= mark;
      marked |= mark;
    }
  }
  for (size_t i = whole; i < codes->size(); ++i) {
    if ((*codes)[i] != 0 || IsSet(validity, offset + static_cast<int64_t>(i))) continue;
    (*codes)[i] = code;
    marked = code;
  }
  return marked != 0;
}

/// Mark the nulls where some entries are not rows.
bool MarkNullsOfRows(const uint8_t* validity, int64_t offset, SlotLevels* slots) {
  bool marked = false;
  int64_t row = offset;
  for (uint16_t& code : slots->def) {
    if (!slots->IsRow(code)) continue;
    if (code == 0 && !IsSet(validity, row)) {
      code = slots->next_code;
      marked = true;
    }
    ++row;
  }
  return marked;
}

bool MarkAllNull(SlotLevels* slots) {
  bool marked = false;
  for (uint16_t& code : slots->def) {
    marked |= code == 0;
    if (code == 0) code = slots->next_code;
  }
  return marked;
}

/// Appends the entries of lists.
template <typename Offset>
class ListExpander {
 public:
  ListExpander(const arrow::ArrayData& lists, const SlotLevels& above)
      : above_(above),
        num_items_(lists.child_data[0]->length),
        offsets_(lists.GetValues<Offset>(1)),
        validity_(lists.GetNullCount() > 0 ? lists.buffers[0]->data() : nullptr),
        offset_(lists.offset),
        empty_code_(above.next_code),
        null_code_(static_cast<uint16_t>(above.next_code + 1)),
        item_rep_(static_cast<uint16_t>(above.num_lists + 1)) {}

  arrow::Status Run(int64_t num_rows) {
    // As many entries as there can be, all of them further items that are there.
    const size_t capacity = above_.num_entries + MaxItems(num_rows);
    rep_.resize(capacity, item_rep_);
    def_.resize(capacity, 0);
    if (num_rows > 0) {
      previous_end_ = std::max<int64_t>(0, offsets_[0]);
      max_end_ = std::min<int64_t>(num_items_, offsets_[num_rows]);
    }
    int64_t row = 0;
    for (uint64_t i = 0; i < above_.num_entries; ++i) {
      const uint16_t rep = above_.rep.empty() ? 0 : above_.rep[i];
      const uint16_t code = above_.def.empty() ? 0 : above_.def[i];
      if (code != 0) {
        AppendMarker(rep, code);
      } else {
        ARROW_RETURN_NOT_OK(AppendList(rep, row));
      }
      row += above_.IsRow(code) ? 1 : 0;
    }
    LANCE_DCHECK(row == num_rows);
    rep_.resize(num_entries_);
    def_.resize(num_entries_);
    return arrow::Status::OK();
  }

  ListItems MoveTo(SlotLevels* slots) {
    slots->num_entries = num_entries_;
    slots->rep = std::move(rep_);
    slots->def = has_markers_ ? std::move(def_) : std::vector<uint16_t>();
    slots->num_lists = item_rep_;
    slots->next_code = static_cast<uint16_t>(null_code_ + 1);
    slots->first_row_code = slots->next_code;
    return std::move(items_);
  }

 private:
  /// The items of all lists, hidden ones, too; wrong offsets give a wrong number, but a sane one.
  size_t MaxItems(int64_t num_rows) const {
    if (num_rows == 0) return 0;
    const int64_t span = int64_t{offsets_[num_rows]} - int64_t{offsets_[0]};
    return static_cast<size_t>(std::clamp<int64_t>(span, 0, num_items_));
  }

  void AppendMarker(uint16_t rep, uint16_t code) {
    has_markers_ = true;
    rep_[num_entries_] = rep;
    def_[num_entries_] = code;
    ++num_entries_;
  }

  arrow::Status AppendList(uint16_t rep, int64_t row) {
    if (validity_ != nullptr && !IsSet(validity_, offset_ + row)) {
      items_.has_null = true;
      AppendMarker(rep, null_code_);
      return arrow::Status::OK();
    }
    const int64_t begin = offsets_[row];
    const int64_t end = offsets_[row + 1];
    if (begin < previous_end_ || begin > end || end > max_end_) {
      return arrow::Status::Invalid("a list's items are ", begin, " to ", end,
                                    "; allowed: ", previous_end_, " to ", max_end_);
    }
    previous_end_ = end;
    if (begin == end) {
      AppendMarker(rep, empty_code_);
      return arrow::Status::OK();
    }
    rep_[num_entries_] = rep;
    num_entries_ += static_cast<uint64_t>(end - begin);
    AddRange(begin, end);
    return arrow::Status::OK();
  }

  void AddRange(int64_t begin, int64_t end) {
    if (!items_.ranges.empty() && items_.ranges.back().second == begin) {
      items_.ranges.back().second = end;
    } else {
      items_.ranges.emplace_back(begin, end);
    }
  }

  const SlotLevels& above_;
  const int64_t num_items_;
  const Offset* const offsets_;
  const uint8_t* const validity_;
  const int64_t offset_;
  const uint16_t empty_code_;
  const uint16_t null_code_;
  const uint16_t item_rep_;
  // What keeps a list's items inside those of the whole, and so the entries inside their capacity.
  int64_t previous_end_ = 0;
  int64_t max_end_ = 0;
  uint64_t num_entries_ = 0;
  std::vector<uint16_t> rep_;
  std::vector<uint16_t> def_;
  bool has_markers_ = false;
  ListItems items_;
};

template <typename Offset>
arrow::Result<ListItems> Expand(const arrow::ArrayData& lists, SlotLevels* slots) {
  ListExpander<Offset> expander(lists, *slots);
  ARROW_RETURN_NOT_OK(expander.Run(lists.length));
  return expander.MoveTo(slots);
}

}  // namespace

bool AddNulls(const uint8_t* validity, int64_t offset, SlotLevels* slots) {
  EnsureCodes(slots);
  bool marked = false;
  if (validity == nullptr) {
    marked = MarkAllNull(slots);
  } else if (slots->num_lists == 0) {
    marked = MarkNulls(validity, offset, slots->next_code, &slots->def);
  } else {
    marked = MarkNullsOfRows(validity, offset, slots);
  }
  ++slots->next_code;
  return marked;
}

void AddAllValid(SlotLevels* slots) { ++slots->next_code; }

void RepeatSlots(uint32_t dimension, SlotLevels* slots) {
  std::vector<uint16_t> codes;
  codes.reserve(slots->def.size() * dimension);
  for (const uint16_t code : slots->def) codes.insert(codes.end(), dimension, code);
  slots->def = std::move(codes);
  slots->num_entries *= dimension;
}

arrow::Result<ListItems> AddList(const arrow::ArrayData& lists, SlotLevels* slots) {
  return lists.type->id() == arrow::Type::LARGE_LIST ? Expand<int64_t>(lists, slots)
                                                     : Expand<int32_t>(lists, slots);
}

void ToCanonical(const LeafPath& path, SlotLevels* slots) {
  const uint16_t max_rep = path.max_rep();
  for (uint16_t& rep : slots->rep) rep = static_cast<uint16_t>(max_rep - rep);
  const auto turned = static_cast<uint16_t>(path.max_def() + 1);
  uint16_t all = 0;
  for (uint16_t& code : slots->def) {
    all |= code;
    code = code == 0 ? 0 : static_cast<uint16_t>(turned - code);
  }
  if (all == 0) slots->def.clear();
}

}  // namespace lance::format
