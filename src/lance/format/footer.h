#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "arrow/result.h"
#include "lance/format/file_version.h"
#include "lance/object_store.h"

namespace lance::format {

/// The size of a data file's footer.
inline constexpr uint64_t kFooterBytes = 40;

/// The size of one entry of the column and global buffer tables: u64 position | u64 size.
inline constexpr uint64_t kTableEntryBytes = 16;

/// Where page buffers and global buffers of files begin, 2.1 and later: multiples of this. Writers
/// align 2.0 files as well.
inline constexpr uint64_t kBufferAlignment = 64;

/// The last 40 bytes of a data file. A plain value.
///
/// One that ParseFooter gave is proof that the regions are in order and inside the file, and that
/// both tables have exactly their size:
///
///   0                             column_meta_start    cmo          gbo          size - 40
///   | data, descriptor, padding   | column metadata    | n x 16     | m x 16 ..  | footer |
///
/// Footer: u64 column_meta_start | u64 cmo | u64 gbo | u32 m | u32 n | u16 major | u16 minor |
/// "LANC" Source: file-format 2.1.
struct Footer {
  uint64_t column_metadata_start = 0;
  uint64_t column_table_start = 0;  // cmo
  uint64_t buffer_table_start = 0;  // gbo
  uint32_t num_global_buffers = 0;
  uint32_t num_columns = 0;
  uint16_t major_version = 2;
  uint16_t minor_version = 1;

  /// Mark the file as one of `version`.
  void set_version(FileVersion version);

  bool operator==(const Footer&) const = default;
};

/// Parse the footer of a file of format 2.0, 2.1 or 2.2.
///
/// \param bytes the file's last kFooterBytes bytes
/// \return NotImplemented + UnsupportedFeature naming another format version and what to do;
///   SerializationError
arrow::Result<Footer> ParseFooter(std::span<const std::byte> bytes, uint64_t file_size);

/// Append the 40 bytes of a footer.
void AppendFooter(const Footer& footer, std::string* out);

/// Read one entry of the column or global buffer table.
///
/// \param structure the table's name, for messages
/// \return SerializationError when the range it names is not inside [0, limit)
arrow::Result<ByteRange> ParseTableEntry(std::span<const std::byte> table, uint64_t index,
                                         uint64_t limit, std::string_view structure);

/// Append one entry of the column or global buffer table.
void AppendTableEntry(const ByteRange& range, std::string* out);

}  // namespace lance::format
