#include "lance/file_operations.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "lance/base/executor.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/base/status_detail.h"
#include "lance/base/uuid.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_parts.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/format/data_file_reader.h"
#include "lance/table/base_path.h"

namespace lance {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Note the column of each field of a file that owns one, under the table's ids of the same names.
///
/// \param columns by the ids that the file's own schema has
arrow::Status MatchFields(const std::vector<format::FieldNode>& stored,
                          const std::vector<format::FieldNode>& there,
                          const format::ColumnMap& columns, DataFileInfo* file) {
  for (const format::FieldNode& field : stored) {
    const auto match = std::ranges::find(there, field.name, &format::FieldNode::name);
    if (match == there.end()) {
      return NotFoundError("column", field.name,
                           "data file " + file->path + " has a field " + field.name +
                               ", which the table does not have there");
    }
    if (const auto column = columns.find(field.id); column != columns.end()) {
      file->field_ids.push_back(match->id);
      file->column_indices.push_back(column->second);
    }
    ARROW_RETURN_NOT_OK(MatchFields(field.children, match->children, columns, file));
  }
  return arrow::Status::OK();
}

arrow::Result<IndexSegmentInfo> ShowSegment(const table::IndexMetadata& index) {
  IndexSegmentInfo shown{.uuid = index.uuid.ToString(),
                         .name = index.name,
                         .field_ids = index.field_ids,
                         .dataset_version = index.dataset_version,
                         .index_version = index.index_version,
                         .base_id = index.base_id,
                         .details_type_url = index.details_type_url,
                         .details_value = index.details_value,
                         .covering_field_ids = index.covering_field_ids};
  ARROW_ASSIGN_OR_RAISE(const auto coverage, index.Coverage());
  if (coverage) shown.fragment_ids = coverage->ToVector();
  if (index.created_at_ms) {
    shown.created_at = Timestamp(Milliseconds(static_cast<int64_t>(*index.created_at_ms)));
  }
  for (const table::IndexFile& file : index.files) {
    shown.files.push_back({.path = file.path, .size_bytes = file.size_bytes});
  }
  return shown;
}

arrow::Result<table::IndexMetadata> TakeSegment(const IndexSegmentInfo& shown) {
  table::IndexMetadata index{.field_ids = shown.field_ids,
                             .name = shown.name,
                             .dataset_version = shown.dataset_version,
                             .details_type_url = shown.details_type_url,
                             .details_value = shown.details_value,
                             .has_details = !shown.details_type_url.empty(),
                             .index_version = shown.index_version,
                             .base_id = shown.base_id,
                             .covering_field_ids = shown.covering_field_ids};
  ARROW_ASSIGN_OR_RAISE(index.uuid, Uuid::Parse(shown.uuid));
  if (shown.fragment_ids) {
    index.fragment_bitmap = RoaringBitmap(std::span(*shown.fragment_ids)).Serialize();
  }
  if (shown.created_at) {
    const auto since =
        std::chrono::duration_cast<Milliseconds>(shown.created_at->time_since_epoch());
    index.created_at_ms = static_cast<uint64_t>(std::max<int64_t>(since.count(), 0));
  }
  for (const IndexFileInfo& file : shown.files) {
    index.files.push_back({.path = file.path, .size_bytes = file.size_bytes});
  }
  return index;
}

/// A segment that goes, as the version has it: others look at its name, too.
arrow::Result<table::IndexMetadata> TakeRemoved(const IndexSegmentInfo& shown,
                                                const table::Manifest& manifest) {
  ARROW_ASSIGN_OR_RAISE(const Uuid uuid, Uuid::Parse(shown.uuid));
  const auto there = std::ranges::find(manifest.indices, uuid, &table::IndexMetadata::uuid);
  if (there != manifest.indices.end()) return *there;
  return TakeSegment(shown);
}

}  // namespace

arrow::Result<Transaction> MakeDataReplacementTransaction(
    const Dataset& dataset, const DataReplacementOperation& operation) {
  table::DataReplacement replacement;
  for (const DataReplacementGroup& group : operation.replacements) {
    ARROW_ASSIGN_OR_RAISE(auto file, TakeDataFile(group.new_file));
    replacement.groups.push_back({.fragment_id = group.fragment_id, .new_file = std::move(file)});
  }
  return MakeOperationTransaction(dataset, std::move(replacement));
}

arrow::Result<DataFileInfo> DescribeDataFile(const Dataset& dataset, const std::string& path,
                                             std::optional<uint32_t> base_id,
                                             const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  const std::string place = table::DataFilePath({.path = path, .base_id = base_id});
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        format::DataFileReader::Open(impl.store, place, std::nullopt,
                                                     run.stop_token, run.memory_pool));
  ARROW_ASSIGN_OR_RAISE(const auto fields, format::MakeFieldTree(reader->schema()));
  DataFileInfo file{.path = path,
                    .version = format::ToString(reader->version()),
                    .size_bytes = reader->size_bytes(),
                    .base_id = base_id};
  ARROW_RETURN_NOT_OK(
      MatchFields(fields, impl.fields, format::NumberColumns(fields, reader->version()), &file));
  return file;
}

arrow::Result<std::vector<IndexSegmentInfo>> ShowSegments(
    const std::vector<table::IndexMetadata>& indices) {
  std::vector<IndexSegmentInfo> segments;
  for (const table::IndexMetadata& index : indices) {
    ARROW_ASSIGN_OR_RAISE(segments.emplace_back(), ShowSegment(index));
  }
  return segments;
}

arrow::Result<std::vector<IndexSegmentInfo>> IndexSegments(const Dataset& dataset) {
  return ShowSegments(dataset.impl().manifest().indices);
}

arrow::Result<Transaction> MakeCreateIndexTransaction(const Dataset& dataset,
                                                      const CreateIndexOperation& operation) {
  table::CreateIndex create;
  for (const IndexSegmentInfo& segment : operation.new_indices) {
    ARROW_ASSIGN_OR_RAISE(create.new_indices.emplace_back(), TakeSegment(segment));
  }
  for (const IndexSegmentInfo& segment : operation.removed_indices) {
    ARROW_ASSIGN_OR_RAISE(create.removed_indices.emplace_back(),
                          TakeRemoved(segment, dataset.impl().manifest()));
  }
  return MakeOperationTransaction(dataset, std::move(create));
}

}  // namespace lance
