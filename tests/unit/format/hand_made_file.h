#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/data_file_metadata.h"
#include "lance/format/data_file_metadata_proto.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/footer.h"
#include "lance/format/schema.h"
#include "lance/io/stores.h"

namespace lance::format {

/// One page of a hand-made file: its serialized Encoding message and its buffers.
struct HandMadePage {
  std::string encoding;
  std::vector<std::string> buffers;
  uint64_t num_rows = 0;
};

/// Makes data files that the writer would not, with every byte under the test's control.
struct HandMadeFile {
  LanceSchema schema;
  uint64_t num_rows = 0;
  std::vector<std::vector<HandMadePage>> columns;
  std::string column_encoding = PlainColumnEncoding();

  std::string Build() const {
    std::string file;
    std::vector<ColumnMetadata> metadata;
    for (const auto& pages : columns) {
      ColumnMetadata column;
      column.encoding = column_encoding;
      uint64_t first_row = 0;
      for (const HandMadePage& page : pages) {
        PageMetadata out;
        for (const std::string& buffer : page.buffers) {
          out.buffers.push_back({file.size(), buffer.size()});
          file += buffer;
          file.resize((file.size() + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment);
        }
        out.num_rows = page.num_rows;
        out.first_row = first_row;
        out.encoding = page.encoding;
        first_row += page.num_rows;
        column.pages.push_back(std::move(out));
      }
      metadata.push_back(std::move(column));
    }
    return file + Tail(file.size(), metadata);
  }

 private:
  std::string Tail(uint64_t start, const std::vector<ColumnMetadata>& metadata) const {
    std::string tail = SerializeDescriptor(schema, num_rows);
    std::string buffer_table;
    AppendTableEntry({start, tail.size()}, &buffer_table);
    Footer footer;
    footer.column_metadata_start = start + tail.size();
    std::string column_table;
    for (const ColumnMetadata& column : metadata) {
      const std::string bytes = SerializeColumnMetadata(column);
      AppendTableEntry({start + tail.size(), bytes.size()}, &column_table);
      tail += bytes;
    }
    footer.column_table_start = start + tail.size();
    footer.buffer_table_start = footer.column_table_start + column_table.size();
    footer.num_global_buffers = 1;
    footer.num_columns = static_cast<uint32_t>(metadata.size());
    tail += column_table + buffer_table;
    AppendFooter(footer, &tail);
    return tail;
  }
};

/// Put bytes into a store of their own and open them as a data file named f.lance.
inline arrow::Result<std::shared_ptr<const DataFileReader>> OpenBytes(
    const std::string& bytes, std::optional<uint64_t> size_bytes = std::nullopt) {
  auto store = MakeMemoryStore();
  ARROW_RETURN_NOT_OK(
      store->Put("f.lance", arrow::Buffer::FromString(bytes), PutMode::kOverwrite).status());
  return DataFileReader::Open(store, "f.lance", size_bytes, arrow::StopToken::Unstoppable());
}

/// Read rows of one column.
inline arrow::Result<std::shared_ptr<arrow::Array>> Read(
    const DataFileReader& reader, int column, const std::shared_ptr<arrow::DataType>& type,
    const RowRanges& rows) {
  return reader.ReadColumn(column, type, rows, arrow::StopToken::Unstoppable());
}

/// Read a whole column.
inline arrow::Result<std::shared_ptr<arrow::Array>> ReadAll(
    const DataFileReader& reader, int column, const std::shared_ptr<arrow::DataType>& type) {
  return Read(reader, column, type, RowRanges::All(reader.num_rows()));
}

}  // namespace lance::format
