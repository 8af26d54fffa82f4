#include "lance/dataset/system_column_reader.h"

#include <algorithm>
#include <string>

#include "arrow/api.h"
#include "lance/base/status_detail.h"

namespace lance {
namespace {

using Place = table::StoredSequence::Place;

// The hidden columns' field ids (table-format 8.5).
constexpr int32_t kRowIdField = -3;
constexpr int32_t kCreatedAtField = -4;
constexpr int32_t kLastUpdatedAtField = -5;

/// The versions of some rows, in their order.
arrow::Result<std::shared_ptr<arrow::Array>> VersionsOf(const table::VersionSequence& versions,
                                                        const RowRanges& rows,
                                                        arrow::MemoryPool* pool) {
  arrow::UInt64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.num_rows())));
  auto run = versions.runs().begin();
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t row = range.begin; row < range.end; ++row) {
      while (run->first_row + run->length <= row) ++run;
      builder.UnsafeAppend(run->version);
    }
  }
  return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::Array>> IdsOf(const table::RowIdSequence& ids,
                                                   const RowRanges& rows, arrow::MemoryPool* pool) {
  arrow::UInt64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.num_rows())));
  const table::RowIdSequence selected = ids.Select(rows);
  for (const table::RowIdSequence::Run& run : selected.runs()) {
    for (uint64_t i = 0; i < run.length; ++i) builder.UnsafeAppend(run.first_id + i);
  }
  return builder.Finish();
}

}  // namespace

SystemColumnReader::SystemColumnReader(FragmentReader* reader, bool has_stable_row_ids,
                                       const RunContext& run)
    : reader_(reader), has_stable_row_ids_(has_stable_row_ids), run_(run) {}

arrow::Result<std::shared_ptr<arrow::Array>> SystemColumnReader::ReadHidden(int32_t field_id) {
  const table::Fragment& fragment = reader_->fragment();
  const auto carriers = std::ranges::count_if(fragment.files, [&](const table::DataFile& file) {
    return std::ranges::find(file.field_ids, field_id) != file.field_ids.end();
  });
  if (carriers != 1) {
    return arrow::Status::SerializationError("fragment ", fragment.id, ": ", carriers,
                                             " files hold the hidden column ", field_id,
                                             "; allowed: 1");
  }
  const format::FieldNode node{.id = field_id,
                               .name = "hidden column " + std::to_string(field_id),
                               .nullable = false,
                               .metadata = {},
                               .type = arrow::uint64(),
                               .children = {}};
  return reader_->ReadColumn(node, RowRanges::All(fragment.physical_rows));
}

arrow::Result<const table::RowIdSequence*> SystemColumnReader::RowIds() {
  if (row_ids_) return &*row_ids_;
  const table::Fragment& fragment = reader_->fragment();
  if (fragment.row_ids.place == Place::kColumn) {
    ARROW_ASSIGN_OR_RAISE(const auto values, ReadHidden(kRowIdField));
    table::RowIdSequence ids;
    const auto& array = static_cast<const arrow::UInt64Array&>(*values);
    for (int64_t i = 0; i < array.length(); ++i) ids.Append(array.Value(i), 1);
    row_ids_ = std::move(ids);
    return &*row_ids_;
  }
  auto ids = table::RowIdSequence::Parse(fragment.row_ids.bytes, fragment.physical_rows);
  if (!ids.ok()) return WithContext(ids.status(), "fragment " + std::to_string(fragment.id));
  row_ids_ = *std::move(ids);
  return &*row_ids_;
}

arrow::Result<table::VersionSequence> SystemColumnReader::ReadVersions(
    const table::StoredSequence& stored, int32_t field_id) {
  const table::Fragment& fragment = reader_->fragment();
  if (stored.place == Place::kNone) return table::VersionSequence::Of(1, fragment.physical_rows);
  if (stored.place == Place::kColumn) {
    ARROW_ASSIGN_OR_RAISE(const auto values, ReadHidden(field_id));
    table::VersionSequence versions;
    const auto& array = static_cast<const arrow::UInt64Array&>(*values);
    for (int64_t i = 0; i < array.length(); ++i) versions.Append(array.Value(i), 1);
    return versions;
  }
  auto versions = table::VersionSequence::Parse(stored.bytes, fragment.physical_rows);
  if (versions.ok()) return versions;
  return WithContext(versions.status(), "fragment " + std::to_string(fragment.id));
}

arrow::Result<const table::VersionSequence*> SystemColumnReader::CreatedAt() {
  if (!created_at_) {
    ARROW_ASSIGN_OR_RAISE(created_at_,
                          ReadVersions(reader_->fragment().created_at_versions, kCreatedAtField));
  }
  return &*created_at_;
}

arrow::Result<const table::VersionSequence*> SystemColumnReader::LastUpdatedAt() {
  const table::StoredSequence& stored = reader_->fragment().last_updated_at_versions;
  if (stored.place == Place::kNone) return CreatedAt();
  if (!last_updated_at_) {
    ARROW_ASSIGN_OR_RAISE(last_updated_at_, ReadVersions(stored, kLastUpdatedAtField));
  }
  return &*last_updated_at_;
}

arrow::Result<std::shared_ptr<arrow::Array>> SystemColumnReader::Read(SystemColumn column,
                                                                      const RowRanges& rows) {
  arrow::MemoryPool* const pool = run_.pool();
  if (column == SystemColumn::kRowId && has_stable_row_ids_) {
    ARROW_ASSIGN_OR_RAISE(const auto* ids, RowIds());
    return IdsOf(*ids, rows, pool);
  }
  if (column == SystemColumn::kCreatedAtVersion) {
    ARROW_ASSIGN_OR_RAISE(const auto* versions, CreatedAt());
    return VersionsOf(*versions, rows, pool);
  }
  if (column == SystemColumn::kLastUpdatedAtVersion) {
    ARROW_ASSIGN_OR_RAISE(const auto* versions, LastUpdatedAt());
    return VersionsOf(*versions, rows, pool);
  }
  if (column == SystemColumn::kRowOffset) return RowOffsets(rows, pool);
  return RowAddresses(reader_->fragment().id, rows, pool);
}

arrow::Result<std::shared_ptr<arrow::Array>> SystemColumnReader::RowOffsets(
    const RowRanges& rows, arrow::MemoryPool* pool) {
  if (!live_) {
    ARROW_ASSIGN_OR_RAISE(live_, reader_->Live());
  }
  arrow::UInt64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(static_cast<int64_t>(rows.num_rows())));
  auto live = live_->ranges().begin();
  uint64_t before = 0;  // live rows before `*live`
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t row = range.begin; row < range.end; ++row) {
      while (live != live_->ranges().end() && live->end <= row) before += (live++)->size();
      const bool is_live = live != live_->ranges().end() && live->begin <= row;
      if (is_live) {
        builder.UnsafeAppend(first_row_offset_ + before + row - live->begin);
      } else {
        builder.UnsafeAppendNull();
      }
    }
  }
  return builder.Finish();
}

}  // namespace lance
