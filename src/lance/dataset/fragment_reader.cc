#include "lance/dataset/fragment_reader.h"

#include <algorithm>
#include <set>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/split_fields.h"
#include "lance/table/base_path.h"

namespace lance {

namespace {

/// That a file is not there is damage of the table.
arrow::Status ExplainMissing(const arrow::Status& status, const std::string& path) {
  if (NotFound::From(status) == nullptr) return status;
  return InFile(arrow::Status::SerializationError("the table's version names this file, which "
                                                  "is not there"),
                path);
}

}  // namespace

std::optional<size_t> FragmentReader::FindFile(int32_t field_id) const {
  for (size_t file_index = fragment_.files.size(); file_index-- > 0;) {
    const std::vector<int32_t>& ids = fragment_.files[file_index].field_ids;
    if (std::find(ids.begin(), ids.end(), field_id) != ids.end()) return file_index;
  }
  return std::nullopt;
}

format::ColumnMap FragmentReader::ColumnsOf(size_t file_index) const {
  const table::DataFile& file = fragment_.files[file_index];
  format::ColumnMap columns;
  // Files of data version 0.1 have no column indices; they are refused when they are opened.
  const size_t count = std::min(file.field_ids.size(), file.column_indices.size());
  for (size_t i = 0; i < count; ++i) {
    if (file.column_indices[i] >= 0) columns.emplace(file.field_ids[i], file.column_indices[i]);
  }
  return columns;
}

FragmentReader::~FragmentReader() {
  if (cache_ == nullptr) return;
  for (const auto& [file_index, reader] : files_) {
    if (reader == nullptr) continue;
    const auto known = known_bytes_.find(file_index);
    const bool has_grown =
        known == known_bytes_.end() || known->second != reader->opened().size_bytes();
    if (!has_grown) continue;
    auto opened = std::make_shared<const format::OpenedFile>(reader->opened());
    const uint64_t size_bytes = opened->size_bytes();
    cache_->Insert(CacheKey(fragment_.files[file_index]), std::move(opened), size_bytes);
  }
}

void FragmentReader::UseCacheOf(const Dataset::Impl& dataset) {
  cache_ = &dataset.session->impl().data_files;
  table_uri_ = dataset.uri;
}

std::string FragmentReader::CacheKey(const table::DataFile& file) const {
  return table_uri_ + "\n" + table::DataFilePath(file) + "\n" + std::to_string(file.size_bytes);
}

arrow::Result<std::shared_ptr<const format::DataFileReader>> FragmentReader::OpenUnchecked(
    size_t file_index) {
  const table::DataFile& file = fragment_.files[file_index];
  const std::string path = table::DataFilePath(file);
  if (cache_ != nullptr) {
    const auto known = cache_->Find(CacheKey(file));
    if (known != nullptr) {
      known_bytes_[file_index] = known->size_bytes();
      return format::DataFileReader::Reopen(store_, path, *known, run_.memory_pool);
    }
  }
  return format::DataFileReader::Open(
      store_, path, file.size_bytes == 0 ? std::nullopt : std::optional(file.size_bytes),
      run_.stop_token, run_.memory_pool);
}

arrow::Result<std::shared_ptr<const format::DataFileReader>> FragmentReader::OpenFile(
    size_t file_index) {
  std::lock_guard lock(mutex_);
  auto& reader = files_[file_index];
  if (reader == nullptr) {
    const std::string path = table::DataFilePath(fragment_.files[file_index]);
    auto opened = OpenUnchecked(file_index);
    if (!opened.ok()) return ExplainMissing(opened.status(), path);
    reader = *std::move(opened);
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

arrow::Result<RowRanges> FragmentReader::Live() const { return LiveRows(*store_, fragment_, run_); }

arrow::Status FragmentReader::CheckRowCount() {
  return fragment_.files.empty() ? arrow::Status::OK() : OpenFile(0).status();
}

arrow::Result<std::shared_ptr<const format::DataFileReader>> FragmentReader::FileOf(
    int32_t field_id) {
  const auto file_index = FindFile(field_id);
  if (!file_index) return nullptr;
  return OpenFile(*file_index);
}

arrow::Result<std::shared_ptr<arrow::Array>> FragmentReader::ReadPart(const format::FieldNode& part,
                                                                      size_t file_index,
                                                                      const RowRanges& rows) {
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenFile(file_index));
  const format::ColumnMap columns = ColumnsOf(file_index);
  auto read = file->ReadField({.node = part, .columns = columns, .rows = rows}, run_.stop_token);
  if (!read.ok()) return ExplainMissing(read.status(), file->path());
  auto values = *std::move(read);
  if (blob_form_ == BlobForm::kDescriptors) return values;
  return LoadBlobs(part, values, *file, run_);
}

arrow::Result<std::shared_ptr<arrow::Array>> FragmentReader::ReadColumn(
    const format::FieldNode& field, const RowRanges& rows) {
  arrow::MemoryPool* pool = run_.pool();
  std::set<size_t> holders;
  bool is_complete = true;
  for (const format::FieldNode* leaf : format::LeavesOf(field)) {
    const std::optional<size_t> file_index = FindFile(leaf->id);
    is_complete = is_complete && file_index;
    if (file_index) holders.insert(*file_index);
  }
  if (holders.empty()) {
    return arrow::MakeArrayOfNull(WithBlobForm(field, blob_form_).type,
                                  static_cast<int64_t>(rows.num_rows()), pool);
  }
  if (is_complete && holders.size() == 1) return ReadPart(field, *holders.begin(), rows);
  std::vector<std::shared_ptr<arrow::Array>> parts;
  for (const size_t holder : holders) {
    const format::FieldNode part = KeepLeaves(
        field, [&](const format::FieldNode& leaf) { return FindFile(leaf.id) == holder; });
    ARROW_ASSIGN_OR_RAISE(auto values, ReadPart(part, holder, rows));
    parts.push_back(std::move(values));
  }
  return JoinParts(WithBlobForm(field, blob_form_), parts, pool);
}

arrow::Result<std::vector<std::shared_ptr<arrow::Array>>> FragmentReader::ReadColumns(
    const std::vector<const format::FieldNode*>& fields, const RowRanges& rows) {
  std::vector<std::shared_ptr<arrow::Array>> columns(fields.size());
  const std::vector<size_t> order = SlowestFirst(fields);
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(fields.size()), run_.num_threads, run_.stop_token, [&](int i) {
        const size_t column = order[static_cast<size_t>(i)];
        return ReadColumn(*fields[column], rows).Value(&columns[column]);
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
