#include "lance/json.h"

#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/time_text.h"
#include "lance/dataset/json_parts.h"
#include "lance/status_detail.h"

namespace lance {

namespace {

Json FindingsJson(const std::vector<Finding>& findings) {
  Json json = Json::array();
  for (const Finding& finding : findings) {
    json.push_back({{"severity", finding.severity},
                    {"code", finding.code},
                    {"path", finding.path},
                    {"message", finding.message}});
  }
  return json;
}

Json PartJson(const ScanPart& part) { return {{"kept", part.kept}, {"total", part.total}}; }

Json StatisticsJson(const ScanStatistics& statistics) {
  return {{"iops", statistics.iops},
          {"requests", statistics.requests},
          {"bytes_read", statistics.bytes_read},
          {"indices_loaded", statistics.indices_loaded},
          {"parts_loaded", statistics.parts_loaded},
          {"index_comparisons", statistics.index_comparisons},
          {"index_cache_hits", statistics.index_cache_hits},
          {"index_cache_misses", statistics.index_cache_misses},
          {"fragments_scanned", statistics.fragments_scanned},
          {"ranges_scanned", statistics.ranges_scanned},
          {"rows_scanned", statistics.rows_scanned},
          {"rows_returned", statistics.rows_returned},
          {"zones_kept", statistics.zones_kept},
          {"zones_total", statistics.zones_total},
          {"fragments_kept", statistics.fragments_kept},
          {"fragments_total", statistics.fragments_total},
          {"seconds", Number(statistics.seconds)}};
}

Json DetailJson(const arrow::Status& status) {
  if (const auto* detail = NotFound::From(status)) {
    return {{"type", "NotFound"}, {"kind", detail->kind}, {"name", detail->name}};
  }
  if (const auto* detail = CommitConflict::From(status)) {
    return {{"type", "CommitConflict"},
            {"version", detail->version},
            {"operation", detail->operation},
            {"retryable", detail->retryable()}};
  }
  if (const auto* detail = CommitUnknown::From(status)) {
    return {{"type", "CommitUnknown"},
            {"transaction_uuid", detail->transaction_uuid},
            {"read_version", detail->read_version}};
  }
  if (const auto* detail = FilterError::From(status)) {
    return {{"type", "FilterError"}, {"offset", detail->offset}, {"length", detail->length}};
  }
  if (const auto* detail = CorruptFile::From(status)) {
    return {{"type", "CorruptFile"}, {"path", detail->path}, {"offset", detail->offset}};
  }
  if (const auto* detail = OverBudget::From(status)) {
    return {{"type", "OverBudget"},
            {"budget", detail->budget},
            {"needed", detail->needed},
            {"allowed", detail->allowed}};
  }
  if (const auto* detail = UnsupportedFeature::From(status)) {
    return {{"type", "UnsupportedFeature"},
            {"feature", detail->feature},
            {"flag_bit", detail->flag_bit}};
  }
  return nullptr;
}

}  // namespace

std::string ToJson(const std::optional<ClusteringSpec>& spec) { return Dump(SpecJson(spec)); }

std::string ToJson(const ScanStatistics& statistics) {
  Json json = Document("scan_statistics");
  json.update(StatisticsJson(statistics));
  return Dump(json);
}

std::string ToJson(const ScanEstimate& estimate) {
  Json json = Document("scan_estimate");
  json["rows_min"] = estimate.rows_min;
  json["rows_max"] = estimate.rows_max;
  json["bytes_min"] = estimate.bytes_min;
  json["bytes_max"] = estimate.bytes_max;
  json["exact"] = estimate.exact;
  json["columns"] = Json::array();
  const auto text = [](const std::shared_ptr<arrow::Scalar>& scalar) {
    return scalar == nullptr ? Json() : Json(scalar->ToString());
  };
  for (const ColumnEstimate& column : estimate.columns) {
    json["columns"].push_back({{"column", column.column},
                               {"min", text(column.min)},
                               {"max", text(column.max)},
                               {"null_count", OrNull(column.null_count)},
                               {"exact", column.exact}});
  }
  return Dump(json);
}

std::string ToJson(const ScanExplanation& explanation) {
  Json json = Document("scan_explanation");
  json["table_version"] = explanation.table_version;
  json["filter"] = OrNull(explanation.filter);
  json["predicates"] = Json::array();
  for (const ScanPredicate& predicate : explanation.predicates) {
    json["predicates"].push_back({{"predicate", predicate.predicate},
                                  {"index", OrNull(predicate.index)},
                                  {"index_type", OrNull(predicate.index_type)},
                                  {"exact", predicate.exact},
                                  {"zones_kept", predicate.zones_kept},
                                  {"zones_total", predicate.zones_total}});
  }
  json["fragments"] = PartJson(explanation.fragments);
  json["zones"] = PartJson(explanation.zones);
  json["rows"] = PartJson(explanation.rows);
  json["bytes"] = PartJson(explanation.bytes);
  json["late_materialization"] = explanation.late_materialization;
  json["text"] = explanation.text;
  json["actual"] = explanation.actual ? StatisticsJson(*explanation.actual) : Json(nullptr);
  return Dump(json);
}

std::string ToJson(const WriteResult& result) {
  Json json = Document("write_result");
  json["uri"] = result.dataset.uri();
  json["version"] = result.dataset.version();
  json["num_rows"] = result.num_rows;
  json["num_fragments"] = result.num_fragments;
  json["bytes_written"] = result.bytes_written;
  json["clustered_by"] = SpecJson(result.clustered_by);
  json["stamped"] = result.stamped;
  return Dump(json);
}

std::string ToJson(const std::map<std::string, std::string>& entries) {
  Json json = Json::object();
  for (const auto& [key, value] : entries) json[key] = value;
  return Dump(json);
}

std::string ToJson(const Dataset& dataset) {
  Json json = Document("dataset");
  json["uri"] = dataset.uri();
  json["version"] = dataset.version();
  return Dump(json);
}

std::string ToJson(const std::vector<Finding>& findings) { return Dump(FindingsJson(findings)); }

std::string ToJson(const VerifyPruningResult& result) {
  Json json = Document("verify_pruning_result");
  json["num_filters"] = result.num_filters;
  json["zones_pruned"] = result.zones_pruned;
  json["zones_reread"] = result.zones_reread;
  json["rows_reread"] = result.rows_reread;
  json["missed"] = FindingsJson(result.missed);
  return Dump(json);
}

std::string ToJson(const DeleteResult& result) {
  Json json = Document("delete_result");
  json["uri"] = result.dataset.uri();
  json["version"] = result.dataset.version();
  json["num_deleted_rows"] = result.num_deleted_rows;
  return Dump(json);
}

std::string ToJson(const UpdateResult& result) {
  Json json = Document("update_result");
  json["uri"] = result.dataset.uri();
  json["version"] = result.dataset.version();
  json["num_rows_updated"] = result.num_rows_updated;
  return Dump(json);
}

std::string ToJson(const MergeInsertResult& result) {
  Json json = Document("merge_insert_result");
  json["uri"] = result.dataset.uri();
  json["version"] = result.dataset.version();
  json["num_inserted_rows"] = result.num_inserted_rows;
  json["num_updated_rows"] = result.num_updated_rows;
  json["num_deleted_rows"] = result.num_deleted_rows;
  return Dump(json);
}

std::string ToJson(const TableProperties& properties) {
  Json json = Document("table_properties");
  json["config"] = properties.config;
  json["table_metadata"] = properties.table_metadata;
  json["data_storage_version"] = properties.data_storage_version;
  json["has_stable_row_ids"] = properties.has_stable_row_ids;
  json["reader_flags"] = properties.reader_flags;
  json["writer_flags"] = properties.writer_flags;
  json["clustering_definitions"] = Json::array();
  for (const ClusteringDefinition& definition : properties.clustering_definitions) {
    json["clustering_definitions"].push_back({{"id", definition.id},
                                              {"field_ids", definition.field_ids},
                                              {"provider", definition.provider},
                                              {"version", definition.version}});
  }
  json["clustering_problem"] = properties.clustering_problem;
  return Dump(json);
}

std::string ToJson(const VersionInfo& version) {
  Json json = Document("version_info");
  json["version"] = version.version;
  json["timestamp"] = ToText(version.timestamp);
  json["metadata"] = version.metadata;
  json["tags"] = version.tags;
  return Dump(json);
}

std::string ToJson(const HistoryEntry& entry) {
  Json json = Document("history_entry");
  json["version"] = entry.version;
  json["timestamp"] = ToText(entry.timestamp);
  json["branch"] = entry.branch;
  json["operation"] = entry.operation;
  json["read_version"] = entry.read_version;
  json["transaction_uuid"] = entry.transaction_uuid;
  json["message"] = OrNull(entry.message);
  json["properties"] = entry.properties;
  json["tags"] = entry.tags;
  json["rows_inserted"] = OrNull(entry.rows_inserted);
  json["rows_updated"] = OrNull(entry.rows_updated);
  json["rows_deleted"] = OrNull(entry.rows_deleted);
  json["fragments_added"] = OrNull(entry.fragments_added);
  json["fragments_removed"] = OrNull(entry.fragments_removed);
  json["bytes_added"] = OrNull(entry.bytes_added);
  return Dump(json);
}

std::string ToJson(const CleanupResult& result) {
  Json json = Document("cleanup_result");
  json["bytes_removed"] = result.bytes_removed;
  json["old_versions"] = result.old_versions;
  json["data_files_removed"] = result.data_files_removed;
  json["transaction_files_removed"] = result.transaction_files_removed;
  json["index_files_removed"] = result.index_files_removed;
  json["deletion_files_removed"] = result.deletion_files_removed;
  json["failed_deletes"] = result.failed_deletes;
  json["dry_run"] = result.dry_run;
  json["files"] = Json::array();
  for (const CleanupFile& file : result.files) json["files"].push_back(file.path);
  return Dump(json);
}

std::string ToJson(const TagInfo& tag) {
  const auto time = [](const std::optional<Timestamp>& at) {
    return at ? Json(ToText(*at)) : Json(nullptr);
  };
  Json json = Document("tag_info");
  json["name"] = tag.name;
  json["branch"] = tag.branch;
  json["version"] = tag.version;
  json["created_at"] = time(tag.created_at);
  json["updated_at"] = time(tag.updated_at);
  json["manifest_size_bytes"] = tag.manifest_size_bytes;
  json["metadata"] = tag.metadata;
  return Dump(json);
}

std::string ToJson(const BranchInfo& branch) {
  Json json = Document("branch_info");
  json["name"] = branch.name;
  json["parent_branch"] = branch.parent_branch;
  json["parent_version"] = branch.parent_version;
  json["created_at"] = ToText(branch.created_at);
  json["manifest_size_bytes"] = branch.manifest_size_bytes;
  json["identifier"] = Json::array();
  for (const BranchStep& step : branch.identifier) {
    json["identifier"].push_back({{"parent_version", step.parent_version}, {"uuid", step.uuid}});
  }
  json["metadata"] = branch.metadata;
  return Dump(json);
}

std::string ToJson(const IndexDescription& index) {
  Json json = Document("index_description");
  json["name"] = index.name;
  json["index_type"] = index.index_type;
  json["field_names"] = index.field_names;
  json["num_segments"] = index.num_segments;
  json["num_rows_indexed"] = index.num_rows_indexed;
  json["num_unindexed_rows"] = index.num_unindexed_rows;
  json["num_unindexed_fragments"] = index.num_unindexed_fragments;
  json["total_size_bytes"] = index.total_size_bytes;
  json["clustering_id"] = index.clustering_id;
  json["usable"] = index.usable;
  return Dump(json);
}

int ExitCode(const arrow::Status& status) {
  if (status.ok()) return 0;
  if (CommitUnknown::From(status) != nullptr) return 6;
  switch (status.code()) {
    case arrow::StatusCode::Invalid:
    case arrow::StatusCode::TypeError:
      return 2;
    case arrow::StatusCode::KeyError:
    case arrow::StatusCode::IndexError:
      return 3;
    case arrow::StatusCode::IOError:
      return 4;
    case arrow::StatusCode::AlreadyExists: {
      const auto* conflict = CommitConflict::From(status);
      return conflict != nullptr && conflict->retryable() ? 5 : 10;
    }
    case arrow::StatusCode::SerializationError:
      return 7;
    case arrow::StatusCode::NotImplemented:
      return 8;
    case arrow::StatusCode::CapacityError:
    case arrow::StatusCode::OutOfMemory:
      return 9;
    case arrow::StatusCode::Cancelled:
      return 130;
    default:
      return 1;
  }
}

namespace {

/// Arrow's name of the code; it has none for AlreadyExists.
std::string CodeName(const arrow::Status& status) {
  return status.IsAlreadyExists() ? "Already exists" : status.CodeAsString();
}

}  // namespace

std::string ToJson(const arrow::Status& status) {
  const auto* conflict = CommitConflict::From(status);
  const Json error = {{"code", CodeName(status)},
                      {"message", status.message()},
                      {"exit", ExitCode(status)},
                      {"retryable", conflict != nullptr && conflict->retryable()},
                      {"detail", DetailJson(status)}};
  return Dump(Json{{"error", error}});
}

}  // namespace lance
