#include "lance/format/file_output.h"

#include <string>

#include "arrow/io/interfaces.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/footer.h"

namespace lance::format {

namespace {

constexpr char kPadByte = 'H';  // what the reference pads files with; readers ignore it

arrow::Status WriteTail(const FileTail& tail, AlignedOutput* out) {
  const std::string descriptor = SerializeDescriptor(tail.schema, tail.num_rows);
  std::string buffer_table;
  AppendTableEntry({out->position(), descriptor.size()}, &buffer_table);
  for (const ByteRange& buffer : tail.global_buffers) AppendTableEntry(buffer, &buffer_table);
  ARROW_RETURN_NOT_OK(out->Append(descriptor));
  Footer footer;
  footer.set_version(tail.version);
  footer.column_metadata_start = out->position();
  std::string column_table;
  for (const ColumnMetadata& column : tail.columns) {
    const std::string bytes = SerializeColumnMetadata(column, tail.version);
    AppendTableEntry({out->position(), bytes.size()}, &column_table);
    ARROW_RETURN_NOT_OK(out->Append(bytes));
  }
  footer.column_table_start = out->position();
  footer.buffer_table_start = footer.column_table_start + column_table.size();
  footer.num_global_buffers = static_cast<uint32_t>(tail.global_buffers.size() + 1);
  footer.num_columns = static_cast<uint32_t>(tail.columns.size());
  std::string end = column_table + buffer_table;
  AppendFooter(footer, &end);
  return out->Append(end);
}

}  // namespace

arrow::Status AlignedOutput::Append(std::string_view bytes) {
  if (bytes.empty()) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(out_->Write(bytes.data(), static_cast<int64_t>(bytes.size())));
  position_ += bytes.size();
  return arrow::Status::OK();
}

arrow::Result<ByteRange> AlignedOutput::AppendBuffer(std::string_view bytes) {
  const ByteRange range = {position_, bytes.size()};
  ARROW_RETURN_NOT_OK(Append(bytes));
  const uint64_t used = position_ % kBufferAlignment;
  if (used != 0) ARROW_RETURN_NOT_OK(Append(std::string(kBufferAlignment - used, kPadByte)));
  return range;
}

arrow::Status AlignedOutput::Close() { return out_->Close(); }

arrow::Result<DataFileSummary> FinishFile(const FileTail& tail, const ColumnMap& column_numbers,
                                          AlignedOutput* out) {
  ARROW_RETURN_NOT_OK(WriteTail(tail, out));
  ARROW_RETURN_NOT_OK(out->Close());
  DataFileSummary summary;
  summary.size_bytes = out->position();
  summary.num_rows = tail.num_rows;
  summary.minor_version = tail.version == FileVersion::k2_0   ? 0
                          : tail.version == FileVersion::k2_1 ? 1
                                                              : 2;
  for (const SchemaField& field : tail.schema.fields) {
    const auto column = column_numbers.find(field.id);
    if (column == column_numbers.end()) continue;
    summary.field_ids.push_back(field.id);
    summary.column_indices.push_back(column->second);
  }
  return summary;
}

}  // namespace lance::format
