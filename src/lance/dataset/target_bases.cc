#include "lance/dataset/target_bases.h"

#include <algorithm>
#include <string>

#include "lance/dataset/dataset_impl.h"
#include "lance/table/base_path.h"

namespace lance {
namespace {

arrow::Result<uint32_t> FindTarget(const std::string& target,
                                   const std::vector<table::BasePath>& bases) {
  const auto named = std::ranges::find(bases, target, &table::BasePath::name);
  if (named != bases.end()) return named->id;
  const auto placed = std::ranges::find(bases, target, &table::BasePath::path);
  if (placed != bases.end()) return placed->id;
  std::string there;
  for (const table::BasePath& base : bases) {
    there += (there.empty() ? "" : ", ") + base.name.value_or(base.path);
  }
  return arrow::Status::Invalid("target_bases has ", target, ", which is no base path; allowed: ",
                                there.empty() ? "none, the table has none" : there);
}

}  // namespace

std::vector<DatasetBasePath> BasePaths(const Dataset& dataset) {
  return ShowBasePaths(dataset.impl().manifest().base_paths);
}

std::vector<DatasetBasePath> ShowBasePaths(const std::vector<table::BasePath>& bases) {
  std::vector<DatasetBasePath> shown;
  for (const table::BasePath& base : bases) {
    shown.push_back({.path = base.path,
                     .name = base.name,
                     .is_dataset_root = base.is_dataset_root,
                     .id = base.id});
  }
  return shown;
}

std::vector<table::BasePath> TakeBasePaths(const std::vector<DatasetBasePath>& shown) {
  std::vector<table::BasePath> bases;
  for (const DatasetBasePath& base : shown) {
    bases.push_back({.id = base.id,
                     .name = base.name,
                     .is_dataset_root = base.is_dataset_root,
                     .path = base.path});
  }
  return bases;
}

arrow::Result<std::vector<table::BasePath>> PlanBasePaths(
    const WriteOptions& options, const std::vector<table::BasePath>* present) {
  if (present != nullptr && !options.initial_bases.empty()) {
    return arrow::Status::Invalid(
        "initial_bases are given, but the table is there already; allowed: when a table is "
        "created, later an UpdateBases");
  }
  if (present != nullptr) return *present;
  std::vector<table::BasePath> bases;
  ARROW_RETURN_NOT_OK(
      table::AddBasePaths(TakeBasePaths(options.initial_bases), table::BaseNames::kAny, &bases));
  return bases;
}

arrow::Result<std::vector<std::optional<uint32_t>>> ChooseTargets(
    const WriteOptions& options, const std::vector<table::BasePath>& bases) {
  std::vector<std::optional<uint32_t>> targets;
  for (const std::string& target : options.target_bases) {
    ARROW_ASSIGN_OR_RAISE(targets.emplace_back(), FindTarget(target, bases));
  }
  if (!options.target_all_bases) return targets;
  if (!targets.empty()) {
    return arrow::Status::Invalid("target_bases and target_all_bases are given; allowed: one");
  }
  for (const table::BasePath& base : bases) targets.emplace_back(base.id);
  std::ranges::sort(targets);
  if (*options.target_all_bases) {
    targets.insert(targets.begin(), std::nullopt);
  } else if (targets.empty()) {
    return arrow::Status::Invalid("target_all_bases is false, but the table has no base paths");
  }
  return targets;
}

}  // namespace lance
