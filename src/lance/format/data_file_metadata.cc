#include "lance/format/data_file_metadata.h"

#include <algorithm>
#include <span>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/field_tree.h"
#include "lance/format/footer.h"

namespace lance::format {
namespace {

// Holds the metadata of files with up to about a hundred pages.
constexpr uint64_t kTailBytes = 16 << 10;

/// The parts of a file that were read so far, newest last.
class FilePieces {
 public:
  FilePieces(const DataFileLocation& location, const arrow::StopToken& stop)
      : location_(location), stop_(stop) {}

  /// Read ranges that are not there yet, in one request.
  arrow::Status Fetch(const std::vector<ByteRange>& ranges) {
    std::vector<ByteRange> missing;
    for (const ByteRange& range : ranges) {
      if (Find(range) == nullptr) missing.push_back(range);
    }
    if (missing.empty()) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto buffers, ReadRanges(location_, missing, stop_));
    for (size_t i = 0; i < missing.size(); ++i) {
      pieces_.push_back({missing[i], std::move(buffers[i])});
    }
    return arrow::Status::OK();
  }

  bool Has(const ByteRange& range) const { return Find(range) != nullptr; }

  /// View a range. \pre Has(range)
  std::span<const std::byte> View(const ByteRange& range) const {
    const Piece* piece = Find(range);
    const auto* bytes = reinterpret_cast<const std::byte*>(piece->bytes->data());
    return {bytes + (range.offset - piece->range.offset), range.length};
  }

 private:
  struct Piece {
    ByteRange range;
    std::shared_ptr<arrow::Buffer> bytes;
  };

  const Piece* Find(const ByteRange& range) const {
    for (const Piece& piece : pieces_) {
      if (range.offset >= piece.range.offset && range.length <= piece.range.length &&
          range.offset - piece.range.offset <= piece.range.length - range.length) {
        return &piece;
      }
    }
    return nullptr;
  }

  const DataFileLocation& location_;
  const arrow::StopToken& stop_;
  std::vector<Piece> pieces_;
};

arrow::Result<std::vector<ByteRange>> ParseGlobalBuffers(std::span<const std::byte> table,
                                                         const Footer& footer,
                                                         const DataFileMetadata& file) {
  std::vector<ByteRange> buffers(footer.num_global_buffers);
  for (size_t i = 0; i < buffers.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(buffers[i],
                          ParseTableEntry(table, i, file.file_size, "GlobalBufferTable"));
    if (file.version != FileVersion::k2_0 && buffers[i].offset % kBufferAlignment != 0) {
      return arrow::Status::SerializationError("GlobalBufferTable: buffer ", i, " begins at ",
                                               buffers[i].offset, ", not a multiple of ",
                                               kBufferAlignment);
    }
  }
  return buffers;
}

/// Read what the footer points at, and return the range of the descriptor.
arrow::Result<ByteRange> FetchMetadata(const Footer& footer, DataFileMetadata* metadata,
                                       FilePieces* pieces) {
  const uint64_t file_size = metadata->file_size;
  const ByteRange tables = {footer.column_metadata_start,
                            file_size - kFooterBytes - footer.column_metadata_start};
  const ByteRange buffer_table = {footer.buffer_table_start,
                                  footer.num_global_buffers * kTableEntryBytes};
  if (!pieces->Has(buffer_table)) ARROW_RETURN_NOT_OK(pieces->Fetch({tables}));
  ARROW_ASSIGN_OR_RAISE(metadata->global_buffers,
                        ParseGlobalBuffers(pieces->View(buffer_table), footer, *metadata));
  const ByteRange descriptor = metadata->global_buffers[0];
  if (descriptor.offset > footer.column_metadata_start ||
      descriptor.length > footer.column_metadata_start - descriptor.offset) {
    return arrow::Status::SerializationError(
        "GlobalBufferTable: the descriptor is [", descriptor.offset, ", +", descriptor.length,
        "), the column metadata begin at ", footer.column_metadata_start);
  }
  // Normally the descriptor ends where the column metadata begin: one range is one read.
  const uint64_t gap = footer.column_metadata_start - descriptor.offset - descriptor.length;
  const bool is_complete = pieces->Has(descriptor) && pieces->Has(tables);
  if (!is_complete && gap <= kTailBytes) {
    ARROW_RETURN_NOT_OK(
        pieces->Fetch({{descriptor.offset, file_size - kFooterBytes - descriptor.offset}}));
  }
  ARROW_RETURN_NOT_OK(pieces->Fetch({descriptor, tables}));
  return descriptor;
}

/// Find the metadata of every column.
arrow::Result<std::vector<ByteRange>> ParseColumnTable(std::span<const std::byte> table,
                                                       const Footer& footer) {
  std::vector<ByteRange> columns(footer.num_columns);
  uint64_t left = footer.column_table_start - footer.column_metadata_start;
  for (size_t i = 0; i < columns.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(columns[i],
                          ParseTableEntry(table, i, footer.column_table_start, "ColumnTable"));
    // Bounding the sum keeps a small file from making us parse one block a million times.
    if (columns[i].offset < footer.column_metadata_start || columns[i].length > left) {
      return arrow::Status::SerializationError(
          "ColumnTable: column ", i, " is [", columns[i].offset, ", +", columns[i].length,
          "), its region begins at ", footer.column_metadata_start, " and has ", left,
          " bytes left");
    }
    left -= columns[i].length;
  }
  return columns;
}

/// Check that every field has its column. More are allowed: only the manifest knows whose they are.
arrow::Status CheckColumnCount(const DataFileMetadata& metadata, uint32_t num_columns) {
  const auto fields = MakeFieldTree(metadata.schema);
  // Columns of types that we do not know hinder nobody who reads the others.
  if (!fields.ok()) return arrow::Status::OK();
  const size_t num_expected = NumberColumns(*fields, metadata.version).size();
  if (num_columns >= num_expected) return arrow::Status::OK();
  return arrow::Status::SerializationError("Footer.num_columns is ", num_columns,
                                           ", the fields of the schema own ", num_expected);
}

arrow::Result<uint64_t> SizeOf(const DataFileLocation& location,
                               std::optional<uint64_t> size_bytes) {
  if (size_bytes.has_value()) return *size_bytes;
  ARROW_ASSIGN_OR_RAISE(const ObjectInfo object, location.store->Head(location.path));
  return object.size_bytes;
}

arrow::Result<Footer> FetchFooter(uint64_t file_size, FilePieces* pieces) {
  if (file_size < kFooterBytes) return ParseFooter({}, file_size);
  const uint64_t tail_size = std::min(file_size, kTailBytes);
  ARROW_RETURN_NOT_OK(pieces->Fetch({{file_size - tail_size, tail_size}}));
  return ParseFooter(pieces->View({file_size - kFooterBytes, kFooterBytes}), file_size);
}

}  // namespace

arrow::Result<std::vector<std::shared_ptr<arrow::Buffer>>> ReadRanges(
    const DataFileLocation& location, const std::vector<ByteRange>& ranges,
    const arrow::StopToken& stop) {
  ARROW_ASSIGN_OR_RAISE(auto buffers, location.store->Get(location.path, ranges, stop));
  if (buffers.size() != ranges.size()) return InternalError("the store lost a range");
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (static_cast<uint64_t>(buffers[i]->size()) != ranges[i].length) {
      return arrow::Status::IOError("the store gave ", buffers[i]->size(), " bytes of the ",
                                    ranges[i].length, " at ", ranges[i].offset);
    }
  }
  return buffers;
}

arrow::Result<DataFileMetadata> LoadDataFileMetadata(const DataFileLocation& location,
                                                     std::optional<uint64_t> size_bytes,
                                                     const arrow::StopToken& stop) {
  DataFileMetadata metadata;
  ARROW_ASSIGN_OR_RAISE(metadata.file_size, SizeOf(location, size_bytes));
  FilePieces pieces(location, stop);
  ARROW_ASSIGN_OR_RAISE(const Footer footer, FetchFooter(metadata.file_size, &pieces));
  ARROW_ASSIGN_OR_RAISE(metadata.version,
                        FileVersionFromFooter(footer.major_version, footer.minor_version));
  ARROW_ASSIGN_OR_RAISE(const ByteRange descriptor, FetchMetadata(footer, &metadata, &pieces));
  ARROW_RETURN_NOT_OK(ParseDescriptor(pieces.View(descriptor), &metadata));
  ARROW_RETURN_NOT_OK(CheckColumnCount(metadata, footer.num_columns));
  const ByteRange table = {footer.column_table_start, footer.num_columns * kTableEntryBytes};
  ARROW_ASSIGN_OR_RAISE(const auto ranges, ParseColumnTable(pieces.View(table), footer));
  metadata.column_metadata_bytes = footer.buffer_table_start - footer.column_metadata_start;
  metadata.columns.reserve(ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    auto column = ParseColumnMetadata(pieces.View(ranges[i]), metadata);
    if (!column.ok()) return WithContext(column.status(), "column " + std::to_string(i));
    metadata.columns.push_back(*std::move(column));
  }
  return metadata;
}

}  // namespace lance::format
