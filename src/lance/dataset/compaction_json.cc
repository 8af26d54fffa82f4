#include <string>
#include <utility>

#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/json_parts.h"
#include "lance/json.h"

namespace lance {

namespace {

Json SizeJson(const CompactionSize& size) {
  return {{"fragments", size.fragments}, {"rows", size.rows}, {"bytes", size.bytes}};
}

Json StopJson(const std::optional<CompactionStop>& stop) {
  if (!stop) return nullptr;
  return {{"budget", stop->budget},
          {"allowed", stop->allowed},
          {"needed", stop->needed},
          {"next_fragment_id", stop->next_fragment_id}};
}

Json OptionsJson(const ClusteringCompactionOptions& options) {
  return {{"compaction_mode", "cluster"},
          {"target_rows_per_fragment", OrNull(options.target_rows_per_fragment)},
          {"max_bytes_per_file", OrNull(options.max_bytes_per_file)},
          {"max_source_fragments", OrNull(options.budget.max_source_fragments)},
          {"max_source_rows", OrNull(options.budget.max_source_rows)},
          {"max_source_bytes", OrNull(options.budget.max_source_bytes)},
          {"full", options.full},
          {"target_rows_per_group", OrNull(options.target_rows_per_group)},
          {"min_merge_ratio", Number(options.min_merge_ratio)},
          {"index_policy", options.index_policy == IndexPolicy::kStrict ? "strict" : "keep"},
          {"take_over", options.take_over},
          {"rows_per_zone", OrNull(options.rows_per_zone)}};
}

}  // namespace

std::string ToJson(const CompactionPlan& plan) {
  Json json = Document("compaction_plan");
  json["read_version"] = plan.read_version();
  json["options"] = Json::parse(OptionsToJson(plan.options()));
  json["tasks"] = Json::array();
  for (const CompactionTask& task : plan.tasks()) {
    Json ids = Json::array();
    uint64_t rows = 0;
    for (const FragmentMetadata& fragment : task.fragments()) {
      ids.push_back(fragment.id());
      rows += fragment.num_rows();
    }
    json["tasks"].push_back({{"fragment_ids", std::move(ids)}, {"rows", rows}});
  }
  json["totals"] = SizeJson(plan.totals());
  json["remaining"] = SizeJson(plan.remaining());
  json["stopped_by"] = StopJson(plan.stopped_by());
  return Dump(json);
}

std::string ToJson(const ClusteringCompactionPlan& plan) {
  Json json = Document("clustering_plan");
  json["plan_id"] = plan.plan_id();
  json["table_uri"] = plan.table_uri();
  json["read_version"] = plan.read_version();
  json["spec"] = SpecJson(plan.spec());
  json["options"] = OptionsJson(plan.options());
  json["tasks"] = Json::array();
  for (const ClusteringCompactionTask& task : plan.tasks()) {
    Json entry = SizeJson({.fragments = task.source_fragment_ids().size(),
                           .rows = task.source_rows(),
                           .bytes = task.source_bytes()});
    entry["task_id"] = task.task_id();
    entry["fragment_ids"] = task.source_fragment_ids();
    entry["reason"] = task.reason();
    json["tasks"].push_back(std::move(entry));
  }
  json["totals"] = SizeJson(plan.totals());
  json["remaining"] = SizeJson(plan.remaining());
  json["stopped_by"] = StopJson(plan.stopped_by());
  json["left_out"] = Json::array();
  for (const LeftOutFragment& left : plan.left_out()) {
    json["left_out"].push_back(
        {{"fragment_id", left.fragment_id}, {"reason", left.reason}, {"detail", left.detail}});
  }
  json["zonemaps"] = Json::array();
  for (const ZonemapOutcome& zonemap : plan.zonemaps()) {
    json["zonemaps"].push_back({{"column", zonemap.column}, {"action", zonemap.action}});
  }
  return Dump(json);
}

std::string ToJson(const CompactionResult& result) {
  Json json = Document("compaction_result");
  json["mode"] = result.mode;
  json["version"] = OrNull(result.version);
  json["versions"] = result.versions;
  json["fragments_removed"] = result.fragments_removed;
  json["fragments_added"] = result.fragments_added;
  json["files_removed"] = result.files_removed;
  json["files_added"] = result.files_added;
  json["rows_rewritten"] = result.rows_rewritten;
  json["bytes_read"] = result.bytes_read;
  json["bytes_written"] = result.bytes_written;
  json["seconds"] = Number(result.seconds);
  json["tasks_planned"] = result.tasks_planned;
  json["tasks_committed"] = result.tasks_committed;
  json["tasks_conflicted"] = result.tasks_conflicted;
  json["stopped_by"] = StopJson(result.stopped_by);
  json["remaining"] = SizeJson(result.remaining);
  json["zonemaps"] = Json::array();
  for (const ZonemapOutcome& zonemap : result.zonemaps) {
    json["zonemaps"].push_back({{"column", zonemap.column},
                                {"covered_fragments", zonemap.covered_fragments},
                                {"error", OrNull(zonemap.error)}});
  }
  json["uncovered_indices"] = Json::array();
  for (const UncoveredIndex& uncovered : result.uncovered_indices) {
    json["uncovered_indices"].push_back({{"name", uncovered.name},
                                         {"type", uncovered.type},
                                         {"fragments", uncovered.fragments},
                                         {"refresh", uncovered.refresh}});
  }
  json["reclaimable_bytes"] = result.reclaimable_bytes;
  return Dump(json);
}

}  // namespace lance
