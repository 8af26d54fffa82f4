#include "lance/dataset/fragment_reader.h"

#include <algorithm>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"

namespace lance {

std::optional<FragmentReader::Place> FragmentReader::Find(int32_t field_id) const {
  for (size_t file_index = fragment_.files.size(); file_index-- > 0;) {
    const table::DataFile& file = fragment_.files[file_index];
    const auto found = std::find(file.field_ids.begin(), file.field_ids.end(), field_id);
    if (found == file.field_ids.end()) continue;
    const auto position = static_cast<size_t>(found - file.field_ids.begin());
    // Files of data version 0.1 have no column indices; they are refused when they are opened.
    const bool has_column = position < file.column_indices.size();
    return Place{file_index, has_column ? file.column_indices[position] : -1};
  }
  return std::nullopt;
}

arrow::Result<std::shared_ptr<const format::DataFileReader>> FragmentReader::OpenFile(
    size_t file_index) {
  std::lock_guard lock(mutex_);
  auto& reader = files_[file_index];
  if (reader == nullptr) {
    const table::DataFile& file = fragment_.files[file_index];
    const std::string path = "data/" + file.path;
    auto opened = format::DataFileReader::Open(
        store_, path, file.size_bytes == 0 ? std::nullopt : std::optional(file.size_bytes),
        run_.stop_token, run_.memory_pool);
    if (NotFound::From(opened.status()) != nullptr) {
      return InFile(arrow::Status::SerializationError("the table's version names this file, which "
                                                      "is not there"),
                    path);
    }
    ARROW_ASSIGN_OR_RAISE(reader, std::move(opened));
    if (fragment_.physical_rows > reader->num_rows()) {
      const uint64_t rows = reader->num_rows();
      reader = nullptr;
      return InFile(
          arrow::Status::SerializationError("the file has ", rows, " rows, fragment ", fragment_.id,
                                            " says ", fragment_.physical_rows),
          path);
    }
  }
  return reader;
}

arrow::Status FragmentReader::CheckRowCount() {
  return fragment_.files.empty() ? arrow::Status::OK() : OpenFile(0).status();
}

arrow::Result<std::shared_ptr<const format::DataFileReader>> FragmentReader::FileOf(
    int32_t field_id) {
  const auto place = Find(field_id);
  if (!place) return nullptr;
  return OpenFile(place->file_index);
}

arrow::Result<std::shared_ptr<arrow::Array>> FragmentReader::ReadColumn(
    const format::SchemaField& field, const RowRanges& rows) {
  ARROW_ASSIGN_OR_RAISE(const auto type, format::ParseLogicalType(field.logical_type));
  const auto place = Find(field.id);
  if (!place) {
    return arrow::MakeArrayOfNull(
        type, static_cast<int64_t>(rows.num_rows()),
        run_.memory_pool != nullptr ? run_.memory_pool : arrow::default_memory_pool());
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenFile(place->file_index));
  auto values = file->ReadColumn(place->column_index, type, rows, run_.stop_token);
  if (!values.ok()) return WithContext(values.status(), "column " + field.name);
  return values;
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> FragmentReader::ReadColumns(
    const std::vector<const format::SchemaField*>& fields, const RowRanges& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns(fields.size());
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(fields.size()), run_.num_threads, run_.stop_token, [&](int i) {
        const auto column = static_cast<size_t>(i);
        ARROW_ASSIGN_OR_RAISE(columns[column], ReadColumn(*fields[column], rows));
        return arrow::Status::OK();
      }));
  return columns;
}

arrow::Result<std::shared_ptr<arrow::Array>> RowAddresses(uint64_t fragment_id,
                                                          const RowRanges& rows,
                                                          arrow::MemoryPool* pool) {
  arrow::UInt64Builder builder(pool != nullptr ? pool : arrow::default_memory_pool());
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.num_rows())));
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t offset = range.begin; offset < range.end; ++offset) {
      builder.UnsafeAppend((fragment_id << 32) | offset);
    }
  }
  return builder.Finish();
}

}  // namespace lance
