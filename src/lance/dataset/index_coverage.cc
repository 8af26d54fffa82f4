#include "lance/dataset/index_coverage.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "lance/index/index_type.h"
#include "lance/table/feature_flags.h"
#include "lance/table/index_rows.h"
#include "lance/table/mem_wal.h"

namespace lance {

namespace {

constexpr std::array<std::string_view, 3> kRemappedTypes = {"BTree", "Bitmap", "LabelList"};

}  // namespace

arrow::Result<std::shared_ptr<const table::FragmentReuse>> LoadFragmentReuse(
    const Dataset::Impl& dataset, const RunContext& run) {
  const table::IndexMetadata* entry = table::FindFragmentReuse(dataset.manifest().indices);
  if (entry == nullptr) return nullptr;
  constexpr std::string_view kKind = "fragment_reuse";
  const std::string key = dataset.uri + "\n" + entry->uuid.ToString();
  IndexCache& cache = dataset.session->impl().indices;
  if (auto cached = cache.Find<table::FragmentReuse>(kKind, key)) return cached;
  ARROW_ASSIGN_OR_RAISE(auto reuse,
                        table::LoadFragmentReuse(*dataset.store, dataset.manifest(), run));
  cache.Insert(kKind, key, reuse, reuse->SizeBytes());
  return reuse;
}

arrow::Result<IndexCoverage> CurrentCoverage(const Dataset::Impl& dataset, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto reuse, LoadFragmentReuse(dataset, run));
  IndexCoverage coverage;
  for (const table::IndexMetadata& segment : dataset.manifest().indices) {
    ARROW_ASSIGN_OR_RAISE(auto fragments, segment.Coverage());
    if (fragments && reuse != nullptr) *fragments = reuse->MapCoverage(*std::move(fragments));
    coverage.push_back(std::move(fragments));
  }
  return coverage;
}

bool IsRemapped(const table::IndexMetadata& segment, const table::Manifest& manifest) {
  if (index::IsSystemIndex(segment) || !index::IsKnownIndex(segment)) return false;
  if (segment.field_ids.size() != 1) return false;
  // Its records say how far each index has caught up, which nobody here brings up to date (5.5).
  if (std::ranges::find(manifest.indices, table::kMemWalIndex, &table::IndexMetadata::name) !=
      manifest.indices.end()) {
    return false;
  }
  const std::string type = index::IndexTypeName(segment);
  if (std::ranges::find(kRemappedTypes, type) == kRemappedTypes.end()) return false;
  return !table::StoresStableRowIds(segment, manifest);
}

bool BindsTasks(const table::IndexMetadata& segment, const table::Manifest& manifest) {
  return IsRemapped(segment, manifest) || table::StoresStableRowIds(segment, manifest);
}

}  // namespace lance
