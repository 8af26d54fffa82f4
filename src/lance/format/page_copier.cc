#include "lance/format/page_copier.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "lance/format/data_file_metadata_proto.h"

namespace lance::format {

namespace {

bool HasBlob(const FieldNode& node) {
  return node.kind == FieldKind::kBlob || node.kind == FieldKind::kBlobV2 ||
         std::ranges::any_of(node.children, HasBlob);
}

/// The same fields, stored in the same way; they may have other names.
bool IsStoredAlike(const SchemaField& lhs, const SchemaField& rhs) {
  return lhs.id == rhs.id && lhs.parent_id == rhs.parent_id &&
         lhs.logical_type == rhs.logical_type && lhs.nullable == rhs.nullable &&
         lhs.unknown_fields == rhs.unknown_fields;
}

bool HasSameKinds(const FieldNode& lhs, const FieldNode& rhs) {
  return lhs.kind == rhs.kind && std::ranges::equal(lhs.children, rhs.children, HasSameKinds);
}

/// The columns that structs own in a file of version 2.0.
void FindStructColumns(const std::vector<FieldNode>& nodes, const ColumnMap& columns,
                       std::set<size_t>* found) {
  for (const FieldNode& node : nodes) {
    const auto column = columns.find(node.id);
    if (node.kind == FieldKind::kStruct && column != columns.end()) {
      found->insert(static_cast<size_t>(column->second));
    }
    FindStructColumns(node.children, columns, found);
  }
}

/// How many entries of a column make a row: more than one below fixed-size lists of struct only.
uint64_t EntriesPerRow(const ColumnMetadata& column, uint64_t num_rows) {
  uint64_t entries = 0;
  for (const PageMetadata& page : column.pages) entries += page.num_rows;
  return num_rows > 0 && entries > num_rows && entries % num_rows == 0 ? entries / num_rows : 1;
}

uint64_t EndOf(const ColumnMetadata& column) {
  return column.pages.empty() ? 0 : column.pages.back().first_row + column.pages.back().num_rows;
}

}  // namespace

std::string WhyPagesCannotMove(const DataFileMetadata& metadata, const LanceSchema& schema,
                               FileVersion version) {
  if (metadata.version != version) {
    return "it has version " + ToString(metadata.version) + ", not " + ToString(version);
  }
  if (!std::ranges::equal(metadata.schema.fields, schema.fields, IsStoredAlike)) {
    return "it does not have exactly the columns of the table";
  }
  const auto stored = MakeFieldTree(metadata.schema);
  const auto wanted = MakeFieldTree(schema);
  if (!stored.ok() || !wanted.ok() || !std::ranges::equal(*stored, *wanted, HasSameKinds)) {
    return "its columns are not stored as those of the table";
  }
  if (std::ranges::any_of(*wanted, HasBlob)) return "it has blobs";
  if (NumberColumns(*wanted, version).size() != metadata.columns.size()) {
    return "it has " + std::to_string(metadata.columns.size()) +
           " columns, not those of its fields";
  }
  for (const ColumnMetadata& column : metadata.columns) {
    const auto kind = CheckColumnEncoding(column.encoding);
    if (!kind.ok() || *kind != ColumnEncodingKind::kValues) return "a column is not all in pages";
  }
  return "";
}

arrow::Result<std::unique_ptr<PageCopier>> PageCopier::Make(
    std::shared_ptr<arrow::io::OutputStream> out, LanceSchema schema, FileVersion version,
    uint64_t read_bytes, const arrow::StopToken& stop) {
  std::unique_ptr<PageCopier> copier(new PageCopier(std::move(out), read_bytes, stop));
  ARROW_ASSIGN_OR_RAISE(const auto nodes, MakeFieldTree(schema));
  copier->column_numbers_ = NumberColumns(nodes, version);
  if (version == FileVersion::k2_0) {
    FindStructColumns(nodes, copier->column_numbers_, &copier->struct_columns_);
  }
  copier->tail_.version = version;
  copier->tail_.schema = std::move(schema);
  return copier;
}

void PageCopier::AddPages(const DataFileMetadata& metadata, std::vector<ByteRange*>* buffers) {
  if (tail_.columns.empty()) tail_.columns.resize(metadata.columns.size());
  for (size_t i = 0; i < metadata.columns.size(); ++i) {
    const ColumnMetadata& from = metadata.columns[i];
    ColumnMetadata& to = tail_.columns[i];
    if (to.pages.empty()) {
      to.encoding = from.encoding;
      to.entries_per_row = EntriesPerRow(from, metadata.num_rows);
    }
    const uint64_t first_row = EndOf(to);
    if (struct_columns_.contains(i) && !to.pages.empty()) {
      // Readers refuse a second page.
      to.pages.front().num_rows += EndOf(from);
      continue;
    }
    for (PageMetadata page : from.pages) {
      page.first_row += first_row;
      to.pages.push_back(std::move(page));
    }
  }
  // Not before all are there: a vector that grows moves them.
  for (size_t i = 0; i < metadata.columns.size(); ++i) {
    auto& pages = tail_.columns[i].pages;
    if (struct_columns_.contains(i)) continue;  // no buffers
    const size_t num_pages = metadata.columns[i].pages.size();
    for (PageMetadata& page : std::span(pages).last(num_pages)) {
      for (ByteRange& buffer : page.buffers) {
        if (buffer.length > 0) {
          buffers->push_back(&buffer);
        } else {
          buffer.offset = out_.position();  // nothing to read, and anywhere in the file
        }
      }
    }
  }
}

arrow::Status PageCopier::CopyBuffers(const DataFileLocation& location,
                                      const std::vector<ByteRange*>& buffers) {
  for (size_t begin = 0; begin < buffers.size();) {
    std::vector<ByteRange> ranges;
    uint64_t bytes = 0;
    for (size_t i = begin; i < buffers.size(); ++i) {
      if (i > begin && buffers[i]->length > read_bytes_ - std::min(read_bytes_, bytes)) break;
      ranges.push_back(*buffers[i]);
      bytes += buffers[i]->length;
    }
    ARROW_ASSIGN_OR_RAISE(const auto read, ReadRanges(location, ranges, stop_));
    for (size_t i = 0; i < read.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(*buffers[begin + i],
                            out_.AppendBuffer({reinterpret_cast<const char*>(read[i]->data()),
                                               static_cast<size_t>(read[i]->size())}));
    }
    begin += ranges.size();
  }
  return arrow::Status::OK();
}

arrow::Status PageCopier::Append(const DataFileLocation& location,
                                 const DataFileMetadata& metadata) {
  if (metadata.num_rows > std::numeric_limits<uint32_t>::max() - tail_.num_rows) {
    return arrow::Status::CapacityError("a data file holds up to 2^32 - 1 rows, ", tail_.num_rows,
                                        " + ", metadata.num_rows, " were to be written");
  }
  std::vector<ByteRange*> buffers;
  AddPages(metadata, &buffers);
  std::ranges::stable_sort(buffers, {}, [](const ByteRange* buffer) { return buffer->offset; });
  ARROW_RETURN_NOT_OK(CopyBuffers(location, buffers));
  tail_.num_rows += metadata.num_rows;
  return arrow::Status::OK();
}

arrow::Result<DataFileSummary> PageCopier::Finish() {
  return FinishFile(tail_, column_numbers_, &out_);
}

}  // namespace lance::format
