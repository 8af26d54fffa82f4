#include "lance/format/pages/zipped_entries.h"

#include <algorithm>

#include "lance/base/byte_reader.h"

namespace lance::format {
namespace {

// Entries that are appended together: enough to pay for the calls, few enough to stay in cache.
constexpr size_t kEntriesPerStep = 1024;

uint32_t LoadControlWord(const std::byte* word, uint32_t control_bytes) {
  switch (control_bytes) {
    case 0:
      return 0;
    case 1:
      return LoadLittleEndian<uint8_t>(word);
    case 2:
      return LoadLittleEndian<uint16_t>(word);
    default:
      return LoadLittleEndian<uint32_t>(word);
  }
}

template <typename... Args>
arrow::Status Corrupt(uint64_t entry, Args&&... problem) {
  return arrow::Status::SerializationError("entry ", entry,
                                           " of those read: ", std::forward<Args>(problem)...);
}

}  // namespace

ZippedEntries::ZippedEntries(const FullZipLayout& layout, LeafBuilder* out)
    : layout_(layout), out_(out), stored_bytes_(layout.values->stored_bits() / 8) {
  values_.reserve(kEntriesPerStep);
  if (layout.control_bytes == 0) return;
  def_.reserve(kEntriesPerStep);
  if (layout.layers.max_rep > 0) rep_.reserve(kEntriesPerStep);
}

arrow::Status ZippedEntries::TakeControlWord(Cursor* in, uint16_t* rep, uint16_t* def) const {
  if (in->remaining() < layout_.control_bytes) {
    return Corrupt(num_entries_, "its control word needs ", layout_.control_bytes, " bytes, ",
                   in->remaining(), " are left");
  }
  const uint32_t word = LoadControlWord(in->bytes.data() + in->offset, layout_.control_bytes);
  in->offset += layout_.control_bytes;
  const uint32_t claimed_def = word & ((uint32_t{1} << layout_.bits_def) - 1);
  const uint32_t claimed_rep = word >> layout_.bits_def;
  if (claimed_rep > layout_.layers.max_rep || claimed_def > layout_.layers.max_def) {
    return Corrupt(num_entries_, "levels are ", claimed_rep, " and ", claimed_def,
                   ", the page's layers have ", layout_.layers.max_rep, " and ",
                   layout_.layers.max_def, " at most");
  }
  *rep = static_cast<uint16_t>(claimed_rep);
  *def = static_cast<uint16_t>(claimed_def);
  return arrow::Status::OK();
}

arrow::Status ZippedEntries::TakeValue(uint16_t def, Cursor* in) {
  uint64_t size = stored_bytes_;
  if (layout_.length_bytes != 0) {
    if (def != 0) {
      values_.emplace_back();  // a null value has no bytes
      return arrow::Status::OK();
    }
    if (in->remaining() < layout_.length_bytes) {
      return Corrupt(num_entries_, "its length needs ", layout_.length_bytes, " bytes, ",
                     in->remaining(), " are left");
    }
    const std::byte* const length = in->bytes.data() + in->offset;
    size = layout_.length_bytes == sizeof(uint32_t) ? LoadLittleEndian<uint32_t>(length)
                                                    : LoadLittleEndian<uint64_t>(length);
    in->offset += layout_.length_bytes;
  }
  if (in->remaining() < size) {
    return Corrupt(num_entries_, "its value needs ", size, " bytes, ", in->remaining(),
                   " are left");
  }
  values_.push_back(in->bytes.subspan(in->offset, size));
  in->offset += size;
  return arrow::Status::OK();
}

arrow::Status ZippedEntries::Flush() {
  if (!rep_.empty()) out_->AppendRep(rep_);
  out_->AppendDef(def_);
  rep_.clear();
  def_.clear();
  if (values_.empty()) return arrow::Status::OK();
  out_->ReserveText();
  ARROW_RETURN_NOT_OK(layout_.values->Decode(values_, out_->values()));
  values_.clear();
  return arrow::Status::OK();
}

arrow::Status ZippedEntries::DecodePlain(std::span<const std::byte> bytes, uint64_t num_rows) {
  for (uint64_t row = 0; row < num_rows;) {
    const uint64_t end = std::min(num_rows, row + kEntriesPerStep);
    for (; row < end; ++row) values_.push_back(bytes.subspan(row * stored_bytes_, stored_bytes_));
    ARROW_RETURN_NOT_OK(layout_.values->Decode(values_, out_->values()));
    values_.clear();
  }
  out_->AppendSameDef(0, num_rows);
  num_entries_ += num_rows;
  num_visible_ += num_rows;
  return arrow::Status::OK();
}

arrow::Status ZippedEntries::Decode(std::span<const std::byte> bytes, uint64_t num_rows,
                                    const RowIndexShape& index_shape,
                                    std::span<const std::byte> index) {
  if (layout_.control_bytes == 0 && layout_.length_bytes == 0 && stored_bytes_ != 0 &&
      bytes.size() / stored_bytes_ == num_rows && bytes.size() % stored_bytes_ == 0) {
    return DecodePlain(bytes, num_rows);
  }
  const uint16_t new_row = layout_.layers.max_rep;
  Cursor in{.bytes = bytes};
  // Values of no bytes at all would not move on: rows bound the entries then.
  while (in.remaining() > 0 || (new_row == 0 && in.num_rows < num_rows)) {
    const uint64_t begin = in.offset;
    uint16_t rep = 0;
    uint16_t def = 0;
    ARROW_RETURN_NOT_OK(TakeControlWord(&in, &rep, &def));
    if (rep == new_row) {
      if (!index.empty() && in.num_rows < num_rows &&
          index_shape.Load(index.data() + in.num_rows * index_shape.entry_bytes) != begin) {
        return Corrupt(num_entries_, "row ", in.num_rows, " begins at byte ", begin,
                       ", the row index says another");
      }
      ++in.num_rows;
    } else if (in.num_rows == 0) {
      return Corrupt(num_entries_, "repetition level is ", rep, ", rows begin with ", new_row);
    }
    if (def <= layout_.layers.max_visible_def) {
      ARROW_RETURN_NOT_OK(TakeValue(def, &in));
      ++num_visible_;
    }
    if (new_row > 0) rep_.push_back(rep);
    def_.push_back(layout_.layers.canonical[def]);
    ++num_entries_;
    if (def_.size() == kEntriesPerStep) ARROW_RETURN_NOT_OK(Flush());
  }
  ARROW_RETURN_NOT_OK(Flush());
  if (in.num_rows == num_rows) return arrow::Status::OK();
  return arrow::Status::SerializationError("the entries read begin ", in.num_rows,
                                           " rows, expected are ", num_rows);
}

}  // namespace lance::format
