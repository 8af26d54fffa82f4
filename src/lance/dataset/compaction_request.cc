#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/json_parts.h"
#include "lance/dataset/optimize_impl.h"

namespace lance {

namespace {

constexpr const char* kModeKey = "compaction_mode";
constexpr const char* kClusterMode = "cluster";

arrow::Status WrongValue(const std::string& key, const Json& value, const char* allowed) {
  return arrow::Status::Invalid(
      key, " is ", value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 64),
      "; allowed: ", allowed);
}

arrow::Status Convert(const std::string& key, const Json& value, uint64_t* field) {
  if (!value.is_number_unsigned()) return WrongValue(key, value, "a whole number, 0 or more");
  *field = value.get<uint64_t>();
  return arrow::Status::OK();
}

arrow::Status Convert(const std::string& key, const Json& value, double* field) {
  if (!value.is_number()) return WrongValue(key, value, "a number");
  *field = value.get<double>();
  return arrow::Status::OK();
}

arrow::Status Convert(const std::string& key, const Json& value, bool* field) {
  if (!value.is_boolean()) return WrongValue(key, value, "true, false");
  *field = value.get<bool>();
  return arrow::Status::OK();
}

arrow::Status Convert(const std::string& key, const Json& value, std::string* field) {
  if (!value.is_string()) return WrongValue(key, value, "a text");
  *field = value.get<std::string>();
  return arrow::Status::OK();
}

arrow::Status Convert(const std::string& key, const Json& value, std::vector<uint64_t>* field) {
  if (!value.is_array()) return WrongValue(key, value, "a list of whole numbers");
  for (const Json& item : value) {
    ARROW_RETURN_NOT_OK(Convert(key, item, &field->emplace_back()));
  }
  return arrow::Status::OK();
}

arrow::Status Convert(const std::string& key, const Json& value, CompactionMode* field) {
  for (const CompactionMode mode : {CompactionMode::kReencode, CompactionMode::kTryBinaryCopy,
                                    CompactionMode::kForceBinaryCopy}) {
    if (value == ToString(mode)) {
      *field = mode;
      return arrow::Status::OK();
    }
  }
  return WrongValue(key, value, "cluster, reencode, try_binary_copy, force_binary_copy");
}

arrow::Status Convert(const std::string& key, const Json& value, IndexPolicy* field) {
  if (value != "keep" && value != "strict") return WrongValue(key, value, "keep, strict");
  *field = value == "strict" ? IndexPolicy::kStrict : IndexPolicy::kKeep;
  return arrow::Status::OK();
}

template <typename T>
arrow::Status Convert(const std::string& key, const Json& value, std::optional<T>* field) {
  T converted{};
  ARROW_RETURN_NOT_OK(Convert(key, value, &converted));
  *field = std::move(converted);
  return arrow::Status::OK();
}

/// Takes the keys of an object into the fields of options; the first failure stays.
class Keys {
 public:
  explicit Keys(const Json& object) : object_(object) {}

  /// Take one key; absent and null leave the field as it is.
  template <typename T>
  Keys& Take(const char* key, T* field) {
    known_.insert(key);
    const auto found = object_.find(key);
    if (status_.ok() && found != object_.end() && !found->is_null()) {
      status_ = Convert(key, *found, field);
    }
    return *this;
  }

  /// The first failure, or a key that nothing took.
  ///
  /// \param kind of options, \param other what to ask for instead; for the message
  arrow::Status Finish(const char* kind, const char* other) const {
    ARROW_RETURN_NOT_OK(status_);
    for (const auto& [key, value] : object_.items()) {
      if (known_.contains(key) || value.is_null()) continue;
      return arrow::Status::Invalid(kind, " has no option ", key.substr(0, 64),
                                    "; another compaction_mode may: ", other);
    }
    return arrow::Status::OK();
  }

 private:
  const Json& object_;
  std::set<std::string, std::less<>> known_;
  arrow::Status status_;
};

arrow::Result<Json> ParseObject(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return json;
  return arrow::Status::Invalid("compaction options are \"", text.substr(0, 64),
                                "\"; allowed: a JSON object");
}

arrow::Result<CompactionOptions> OrdinaryOptions(const Json& object) {
  CompactionOptions options;
  Keys keys(object);
  keys.Take("target_rows_per_fragment", &options.target_rows_per_fragment)
      .Take("max_bytes_per_file", &options.max_bytes_per_file)
      .Take("max_source_fragments", &options.budget.max_source_fragments)
      .Take("max_source_rows", &options.budget.max_source_rows)
      .Take("max_source_bytes", &options.budget.max_source_bytes)
      .Take(kModeKey, &options.compaction_mode)
      .Take("materialize_deletions", &options.materialize_deletions)
      .Take("materialize_deletions_threshold", &options.materialize_deletions_threshold)
      .Take("defer_index_remap", &options.defer_index_remap)
      .Take("batch_size", &options.batch_size)
      .Take("binary_copy_read_batch_bytes", &options.binary_copy_read_batch_bytes)
      .Take("excluded_fragment_ids", &options.excluded_fragment_ids)
      .Take("data_storage_version", &options.data_storage_version);
  ARROW_RETURN_NOT_OK(keys.Finish("compaction that keeps the order of rows", kClusterMode));
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(options));
  return options;
}

arrow::Result<ClusteringCompactionOptions> ClusteringOptions(const Json& object) {
  ClusteringCompactionOptions options;
  std::string mode;
  Keys keys(object);
  keys.Take(kModeKey, &mode)
      .Take("target_rows_per_fragment", &options.target_rows_per_fragment)
      .Take("target_rows_per_group", &options.target_rows_per_group)
      .Take("max_bytes_per_file", &options.max_bytes_per_file)
      .Take("max_source_fragments", &options.budget.max_source_fragments)
      .Take("max_source_rows", &options.budget.max_source_rows)
      .Take("max_source_bytes", &options.budget.max_source_bytes)
      .Take("min_merge_ratio", &options.min_merge_ratio)
      .Take("full", &options.full)
      .Take("take_over", &options.take_over)
      .Take("index_policy", &options.index_policy)
      .Take("rows_per_zone", &options.rows_per_zone);
  ARROW_RETURN_NOT_OK(keys.Finish("clustering", "reencode"));
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(options));
  return options;
}

}  // namespace

std::string OptionsToJson(const CompactionOptions& options) {
  Json json = {{"target_rows_per_fragment", OrNull(options.target_rows_per_fragment)},
               {"max_bytes_per_file", OrNull(options.max_bytes_per_file)},
               {"max_source_fragments", OrNull(options.budget.max_source_fragments)},
               {"max_source_rows", OrNull(options.budget.max_source_rows)},
               {"max_source_bytes", OrNull(options.budget.max_source_bytes)},
               {"batch_size", OrNull(options.batch_size)},
               {"binary_copy_read_batch_bytes", OrNull(options.binary_copy_read_batch_bytes)},
               {"excluded_fragment_ids", options.excluded_fragment_ids},
               {"data_storage_version", options.data_storage_version}};
  if (options.compaction_mode) json[kModeKey] = ToString(*options.compaction_mode);
  if (options.materialize_deletions) json["materialize_deletions"] = *options.materialize_deletions;
  if (options.materialize_deletions_threshold) {
    json["materialize_deletions_threshold"] = *options.materialize_deletions_threshold;
  }
  if (options.defer_index_remap) json["defer_index_remap"] = *options.defer_index_remap;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

arrow::Result<CompactionOptions> OptionsFromJson(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const Json object, ParseObject(json));
  return OrdinaryOptions(object);
}

arrow::Result<CompactionRequest> ParseCompactionRequest(const Dataset& dataset,
                                                        std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const Json object, ParseObject(json));
  const auto mode = object.find(kModeKey);
  const bool is_omitted = mode == object.end() || mode->is_null();
  if (is_omitted ? dataset.clustering_spec().has_value() : *mode == kClusterMode) {
    return ClusteringOptions(object);
  }
  return OrdinaryOptions(object);
}

}  // namespace lance
