#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "lance/dataset/compaction_impl.h"

namespace lance {

namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string ToJson(const CompactionPlan& plan) {
  Json json = {{"kind", "compaction_plan"}, {"format", 1}, {"read_version", plan.read_version()}};
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lance
