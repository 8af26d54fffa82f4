#include "lance/format/footer.h"

#include <string_view>
#include <utility>

#include "lance/base/byte_reader.h"

namespace lance::format {
namespace {

constexpr std::string_view kMagic = "LANC";

template <typename... Args>
arrow::Status Corrupt(std::string_view field, Args&&... problem) {
  return arrow::Status::SerializationError("Footer.", field, " is ",
                                           std::forward<Args>(problem)...);
}

arrow::Status CheckRegions(const Footer& footer, uint64_t file_size) {
  const uint64_t end = file_size - kFooterBytes;
  if (footer.buffer_table_start > end) {
    return Corrupt("global_buff_offsets_start", footer.buffer_table_start,
                   ", the footer begins at ", end);
  }
  if (footer.column_table_start > footer.buffer_table_start) {
    return Corrupt("column_meta_offsets_start", footer.column_table_start,
                   ", the next region begins at ", footer.buffer_table_start);
  }
  if (footer.column_metadata_start > footer.column_table_start) {
    return Corrupt("column_meta_start", footer.column_metadata_start,
                   ", the next region begins at ", footer.column_table_start);
  }
  // Both products are below 2^36: the counts have 32 bits.
  if (footer.buffer_table_start - footer.column_table_start !=
      footer.num_columns * kTableEntryBytes) {
    return Corrupt("num_columns", footer.num_columns, ", the column table has ",
                   footer.buffer_table_start - footer.column_table_start, " bytes");
  }
  if (footer.num_global_buffers < 1 ||
      footer.num_global_buffers * kTableEntryBytes > end - footer.buffer_table_start) {
    return Corrupt("num_global_buffers", footer.num_global_buffers, ", the table has ",
                   end - footer.buffer_table_start, " bytes, and one buffer is required");
  }
  return arrow::Status::OK();
}

}  // namespace

void Footer::set_version(FileVersion version) {
  const FooterVersion numbers = FooterVersionOf(version);
  major_version = numbers.major;
  minor_version = numbers.minor;
}

arrow::Result<Footer> ParseFooter(std::span<const std::byte> bytes, uint64_t file_size) {
  ByteReader in(bytes, "Footer");
  if (file_size < kFooterBytes) {
    return in.Corrupt("magic", "the file has ", file_size, " bytes, a footer needs ", kFooterBytes);
  }
  Footer footer;
  ARROW_ASSIGN_OR_RAISE(footer.column_metadata_start, in.Read<uint64_t>("column_meta_start"));
  ARROW_ASSIGN_OR_RAISE(footer.column_table_start, in.Read<uint64_t>("column_meta_offsets_start"));
  ARROW_ASSIGN_OR_RAISE(footer.buffer_table_start, in.Read<uint64_t>("global_buff_offsets_start"));
  ARROW_ASSIGN_OR_RAISE(footer.num_global_buffers, in.Read<uint32_t>("num_global_buffers"));
  ARROW_ASSIGN_OR_RAISE(footer.num_columns, in.Read<uint32_t>("num_columns"));
  ARROW_ASSIGN_OR_RAISE(footer.major_version, in.Read<uint16_t>("major_version"));
  ARROW_ASSIGN_OR_RAISE(footer.minor_version, in.Read<uint16_t>("minor_version"));
  ARROW_ASSIGN_OR_RAISE(const auto magic, in.Take(kMagic.size(), "magic"));
  const std::string_view text(reinterpret_cast<const char*>(magic.data()), magic.size());
  if (text != kMagic) return in.Corrupt("magic", "is not \"LANC\": not a Lance data file");
  ARROW_RETURN_NOT_OK(in.ExpectEnd());
  ARROW_RETURN_NOT_OK(FileVersionFromFooter(footer.major_version, footer.minor_version).status());
  ARROW_RETURN_NOT_OK(CheckRegions(footer, file_size));
  return footer;
}

void AppendFooter(const Footer& footer, std::string* out) {
  AppendLittleEndian(footer.column_metadata_start, out);
  AppendLittleEndian(footer.column_table_start, out);
  AppendLittleEndian(footer.buffer_table_start, out);
  AppendLittleEndian(footer.num_global_buffers, out);
  AppendLittleEndian(footer.num_columns, out);
  AppendLittleEndian(footer.major_version, out);
  AppendLittleEndian(footer.minor_version, out);
  out->append(kMagic);
}

arrow::Result<ByteRange> ParseTableEntry(std::span<const std::byte> table, uint64_t index,
                                         uint64_t limit, std::string_view structure) {
  ByteReader in(table, structure);
  ARROW_RETURN_NOT_OK(in.Take(index * kTableEntryBytes, "entry").status());
  ByteRange range;
  ARROW_ASSIGN_OR_RAISE(range.offset, in.Read<uint64_t>("position"));
  ARROW_ASSIGN_OR_RAISE(range.length, in.Read<uint64_t>("size"));
  if (range.offset > limit || range.length > limit - range.offset) {
    return in.Corrupt("size", "entry ", index, " is [", range.offset, ", +", range.length,
                      "), the region ends at ", limit);
  }
  return range;
}

void AppendTableEntry(const ByteRange& range, std::string* out) {
  AppendLittleEndian(range.offset, out);
  AppendLittleEndian(range.length, out);
}

}  // namespace lance::format
