#include "lance/format/pages/row_index.h"

#include "lance/base/byte_reader.h"

namespace lance::format {

uint64_t RowIndexShape::Load(const std::byte* entry) const {
  switch (entry_bytes) {
    case 1:
      return LoadLittleEndian<uint8_t>(entry);
    case 2:
      return LoadLittleEndian<uint16_t>(entry);
    case 4:
      return LoadLittleEndian<uint32_t>(entry);
    default:
      return LoadLittleEndian<uint64_t>(entry);
  }
}

arrow::Status RowIndexShape::CheckEntries(std::span<const std::byte> entries,
                                          uint64_t first_row) const {
  const uint64_t count = entries.size() / entry_bytes;
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t row = first_row + i;
    const uint64_t begin = Load(entries.data() + i * entry_bytes);
    const bool is_misplaced_end =
        (row == 0 && begin != 0) || (row == num_rows && begin != data_bytes);
    if (begin < before || begin > data_bytes || is_misplaced_end) {
      return arrow::Status::SerializationError("RowIndex: row ", row, " of ", num_rows,
                                               " begins at byte ", begin, ", the row before at ",
                                               before, ", the data have ", data_bytes, " bytes");
    }
    before = begin;
  }
  return arrow::Status::OK();
}

arrow::Result<RowIndexShape> MakeRowIndexShape(uint64_t index_bytes, uint64_t num_rows,
                                               uint64_t data_bytes) {
  const uint64_t num_entries = num_rows + 1;
  const uint64_t entry_bytes = num_entries == 0 ? 0 : index_bytes / num_entries;
  const bool is_width =
      entry_bytes == 1 || entry_bytes == 2 || entry_bytes == 4 || entry_bytes == 8;
  if (!is_width || index_bytes % num_entries != 0) {
    return arrow::Status::SerializationError("RowIndex: ", index_bytes, " bytes for ", num_rows,
                                             " rows are no entries of 1, 2, 4 or 8 bytes");
  }
  return RowIndexShape{num_rows, static_cast<uint32_t>(entry_bytes), data_bytes};
}

}  // namespace lance::format
