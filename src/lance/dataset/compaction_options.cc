#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

constexpr double kDefaultThreshold = 0.1;
constexpr uint64_t kDefaultBatchSize = 8192;
constexpr uint64_t kDefaultCopyBatchBytes = 16ull << 20;

constexpr std::pair<CompactionMode, const char*> kModes[] = {
    {CompactionMode::kReencode, "reencode"},
    {CompactionMode::kTryBinaryCopy, "try_binary_copy"},
    {CompactionMode::kForceBinaryCopy, "force_binary_copy"}};

/// The text of a config key; null when it is not set.
const std::string* FindConfig(const table::Manifest& manifest, const char* name) {
  const auto entry = manifest.config.find(std::string("lance.compaction.") + name);
  return entry == manifest.config.end() ? nullptr : &entry->second;
}

arrow::Status WrongConfig(const char* name, const std::string& value, const char* allowed) {
  return arrow::Status::Invalid("config key lance.compaction.", name, " is \"", value.substr(0, 64),
                                "\"; allowed: ", allowed);
}

arrow::Status TakeFromConfig(const table::Manifest& manifest, const char* name,
                             std::optional<bool>* option) {
  const std::string* text = FindConfig(manifest, name);
  if (option->has_value() || text == nullptr) return arrow::Status::OK();
  if (*text != "true" && *text != "false") return WrongConfig(name, *text, "true, false");
  *option = *text == "true";
  return arrow::Status::OK();
}

arrow::Status TakeFromConfig(const table::Manifest& manifest, const char* name,
                             std::optional<double>* option) {
  const std::string* text = FindConfig(manifest, name);
  if (option->has_value() || text == nullptr) return arrow::Status::OK();
  char* end = nullptr;
  const double value = std::strtod(text->c_str(), &end);
  if (text->empty() || *end != '\0' || !std::isfinite(value)) {
    return WrongConfig(name, *text, "a finite decimal number");
  }
  *option = value;
  return arrow::Status::OK();
}

arrow::Status TakeFromConfig(const table::Manifest& manifest, const char* name,
                             std::optional<CompactionMode>* option) {
  const std::string* text = FindConfig(manifest, name);
  if (option->has_value() || text == nullptr) return arrow::Status::OK();
  for (const auto& [mode, mode_name] : kModes) {
    if (*text == mode_name) *option = mode;
  }
  if (option->has_value()) return arrow::Status::OK();
  return WrongConfig(name, *text, "reencode, try_binary_copy, force_binary_copy");
}

/// Files of another version would make a table that this version does not read (flag bit 8).
arrow::Status CheckSameVersion(const ResolvedCompaction& resolved,
                               const table::Manifest& manifest) {
  const std::string asked = format::ToString(resolved.version);
  ARROW_ASSIGN_OR_RAISE(const auto stored, format::ParseFileVersion(manifest.data_storage_version));
  if (resolved.version == stored) return arrow::Status::OK();
  return UnsupportedError("mixed data file versions",
                          "data_storage_version is " + asked + ", the table's is " +
                              manifest.data_storage_version +
                              "; files of several versions in one table are not supported");
}

}  // namespace

arrow::Status CheckDeferrable(bool defer_index_remap, const table::Manifest& manifest) {
  if (!defer_index_remap || !table::HasStableRowIds(manifest)) return arrow::Status::OK();
  return UnsupportedError("fragment reuse with stable row ids",
                          "defer_index_remap is true, and the table has stable row ids, which "
                          "indices need not follow; allowed: false",
                          9);
}

std::string ToString(CompactionMode mode) {
  for (const auto& [known, name] : kModes) {
    if (known == mode) return name;
  }
  return "unknown";
}

arrow::Status CheckCompactionOptions(const CompactionOptions& options) {
  ARROW_RETURN_NOT_OK(CheckNotZero(options.target_rows_per_fragment, "target_rows_per_fragment"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.max_bytes_per_file, "max_bytes_per_file"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_fragments, "max_source_fragments"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_rows, "max_source_rows"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.budget.max_source_bytes, "max_source_bytes"));
  ARROW_RETURN_NOT_OK(CheckNotZero(options.batch_size, "batch_size"));
  ARROW_RETURN_NOT_OK(
      CheckNotZero(options.binary_copy_read_batch_bytes, "binary_copy_read_batch_bytes"));
  const double threshold = options.materialize_deletions_threshold.value_or(0);
  if (!std::isfinite(threshold) || threshold < 0) {
    return arrow::Status::Invalid("materialize_deletions_threshold is ", threshold,
                                  "; allowed: a finite number, 0 or more");
  }
  if (!options.data_storage_version.empty()) {
    ARROW_RETURN_NOT_OK(format::ParseFileVersion(options.data_storage_version).status());
  }
  if (options.commit.detached) {
    return arrow::Status::Invalid(
        "a rewrite takes several commits, which stand on each other; allowed: detached = false");
  }
  return MakeRetryPolicy(options.commit).status();
}

arrow::Result<ResolvedCompaction> ResolveCompaction(const CompactionOptions& options,
                                                    const table::Manifest& manifest) {
  CompactionOptions set = options;
  const auto take = [&](const char* name, auto* option) {
    return TakeFromConfig(manifest, name, option);
  };
  ARROW_RETURN_NOT_OK(take("target_rows_per_fragment", &set.target_rows_per_fragment));
  ARROW_RETURN_NOT_OK(take("max_bytes_per_file", &set.max_bytes_per_file));
  ARROW_RETURN_NOT_OK(take("max_source_fragments", &set.budget.max_source_fragments));
  ARROW_RETURN_NOT_OK(take("max_source_rows", &set.budget.max_source_rows));
  ARROW_RETURN_NOT_OK(take("max_source_bytes", &set.budget.max_source_bytes));
  ARROW_RETURN_NOT_OK(take("compaction_mode", &set.compaction_mode));
  ARROW_RETURN_NOT_OK(take("materialize_deletions", &set.materialize_deletions));
  ARROW_RETURN_NOT_OK(
      take("materialize_deletions_threshold", &set.materialize_deletions_threshold));
  ARROW_RETURN_NOT_OK(take("defer_index_remap", &set.defer_index_remap));
  ARROW_RETURN_NOT_OK(take("batch_size", &set.batch_size));
  ARROW_RETURN_NOT_OK(take("binary_copy_read_batch_bytes", &set.binary_copy_read_batch_bytes));
  const std::string* version = FindConfig(manifest, "data_storage_version");
  if (set.data_storage_version.empty() && version != nullptr) set.data_storage_version = *version;
  if (set.data_storage_version.empty()) set.data_storage_version = manifest.data_storage_version;
  ARROW_RETURN_NOT_OK(CheckCompactionOptions(set));

  ResolvedCompaction resolved{
      .target_rows_per_fragment =
          set.target_rows_per_fragment.value_or(kDefaultTargetRowsPerFragment),
      .max_bytes_per_file = set.max_bytes_per_file.value_or(kDefaultMaxBytesPerFile),
      .budget = set.budget,
      .mode = set.compaction_mode.value_or(CompactionMode::kReencode),
      .materialize_deletions = set.materialize_deletions.value_or(true),
      .materialize_deletions_threshold =
          set.materialize_deletions_threshold.value_or(kDefaultThreshold),
      .defer_index_remap = set.defer_index_remap.value_or(false),
      .batch_size = set.batch_size.value_or(kDefaultBatchSize),
      .copy_batch_bytes = set.binary_copy_read_batch_bytes.value_or(kDefaultCopyBatchBytes),
      .excluded_fragment_ids = std::move(set.excluded_fragment_ids)};
  ARROW_ASSIGN_OR_RAISE(resolved.version, format::ParseFileVersion(set.data_storage_version));
  ARROW_RETURN_NOT_OK(CheckSameVersion(resolved, manifest));
  ARROW_RETURN_NOT_OK(CheckDeferrable(resolved.defer_index_remap, manifest));
  // Nothing can exceed a share of 1.
  if (resolved.materialize_deletions_threshold >= 1) resolved.materialize_deletions = false;
  return resolved;
}

CompactionOptions AsOptions(const ResolvedCompaction& resolved) {
  return {.target_rows_per_fragment = resolved.target_rows_per_fragment,
          .max_bytes_per_file = resolved.max_bytes_per_file,
          .budget = resolved.budget,
          .compaction_mode = resolved.mode,
          .materialize_deletions = resolved.materialize_deletions,
          .materialize_deletions_threshold = resolved.materialize_deletions_threshold,
          .defer_index_remap = resolved.defer_index_remap,
          .batch_size = resolved.batch_size,
          .binary_copy_read_batch_bytes = resolved.copy_batch_bytes,
          .excluded_fragment_ids = resolved.excluded_fragment_ids,
          .data_storage_version = format::ToString(resolved.version)};
}

}  // namespace lance
