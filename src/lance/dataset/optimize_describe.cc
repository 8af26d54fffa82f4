#include <algorithm>
#include <string>
#include <utility>

#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/index/index_type.h"
#include "lance/index/zonemap.h"
#include "lance/table/clustering_metadata.h"

namespace lance {

namespace {

/// Whether a segment answers for a fragment; one of unknown coverage may.
bool MayCover(const std::optional<RoaringBitmap>& coverage, uint64_t fragment_id) {
  return !coverage || coverage->Contains(static_cast<uint32_t>(fragment_id));
}

/// An index of a type or version that nobody here knows, and that covers the fragment.
const table::IndexMetadata* UnknownIndexOver(const table::Manifest& manifest,
                                             const IndexCoverage& coverage, uint64_t fragment_id) {
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    const table::IndexMetadata& segment = manifest.indices[i];
    if (!index::IsKnownIndex(segment) && MayCover(coverage[i], fragment_id)) return &segment;
  }
  return nullptr;
}

/// The segments over a fragment that tasks must not straddle, by their places.
std::vector<uint32_t> BindingSegmentsOver(const table::Manifest& manifest,
                                          const IndexCoverage& coverage, uint64_t fragment_id) {
  std::vector<uint32_t> binding;
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    if (!coverage[i] || !BindsTasks(manifest.indices[i], manifest)) continue;
    const bool is_over = coverage[i]->Contains(static_cast<uint32_t>(fragment_id));
    if (is_over) binding.push_back(static_cast<uint32_t>(i));
  }
  return binding;
}

/// The provider that stamped a fragment, when it is not ours; "" otherwise.
std::string ForeignProvider(const table::Manifest& manifest, const table::Fragment& fragment) {
  if (!fragment.clustering_id) return "";
  for (const ClusteringDefinition& definition : manifest.clustering) {
    if (definition.id == *fragment.clustering_id &&
        definition.provider != table::kClusteringProvider) {
      return definition.provider;
    }
  }
  return "";
}

arrow::Result<clustering::PlannerFragment> DescribeFragment(const table::Manifest& manifest,
                                                            const table::Fragment& fragment,
                                                            const ClusteringDefinition* current) {
  clustering::PlannerFragment described{.id = fragment.id, .live_rows = fragment.live_rows()};
  if (fragment.physical_rows == 0) {
    return arrow::Status::Invalid("the manifest of version ", manifest.version,
                                  " does not say how many rows fragment ", fragment.id, " has");
  }
  for (const table::DataFile& file : fragment.files) {
    if (file.size_bytes == 0) {
      return arrow::Status::Invalid("the manifest of version ", manifest.version,
                                    " does not say how large data file ", file.path,
                                    " of fragment ", fragment.id, " is");
    }
    described.size_bytes += file.size_bytes;
  }
  if (current != nullptr && table::IsStampedWith(fragment, *current)) {
    described.is_current = true;
    described.group_id = table::ReadStamp(fragment).group_id;
  }
  return described;
}

/// Whether a segment keeps answering for the rows of a clustering rewrite: it follows them, or the
/// run covers the new fragments afterwards.
bool StaysCovered(const table::IndexMetadata& segment, const table::LayoutDefinition& layout,
                  const table::Manifest& manifest) {
  if (index::IsSystemIndex(segment) || BindsTasks(segment, manifest)) return true;
  return index::IsZonemap(segment) && !segment.field_ids.empty() &&
         std::ranges::find(layout.field_ids, segment.field_ids.front()) != layout.field_ids.end();
}

}  // namespace

arrow::Result<PlannerInput> DescribeForPlanner(const Dataset::Impl& dataset, bool take_over,
                                               const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const IndexCoverage coverage, CurrentCoverage(dataset, run));
  return DescribeForPlanner(dataset.manifest(), coverage, take_over);
}

arrow::Result<PlannerInput> DescribeForPlanner(const table::Manifest& manifest,
                                               const IndexCoverage& coverage, bool take_over) {
  const ClusteringDefinition* current = table::CurrentDefinition(manifest);
  PlannerInput input;
  for (const table::Fragment& fragment : manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(auto described, DescribeFragment(manifest, fragment, current));
    const std::string provider = ForeignProvider(manifest, fragment);
    const table::IndexMetadata* unknown = UnknownIndexOver(manifest, coverage, fragment.id);
    described.coverage = BindingSegmentsOver(manifest, coverage, fragment.id);
    if (!provider.empty() && !take_over) {
      input.left_out.push_back({fragment.id, "other_provider", provider});
    } else if (unknown != nullptr) {
      input.left_out.push_back({fragment.id, "unknown_index", unknown->name});
    }
    described.is_excluded =
        !input.left_out.empty() && input.left_out.back().fragment_id == fragment.id;
    input.fragments.push_back(std::move(described));
  }
  return input;
}

arrow::Status CheckNothingUncovered(const ClusteringCompactionPlan::Impl& plan,
                                    const table::Manifest& manifest,
                                    const IndexCoverage& coverage) {
  RoaringBitmap sources;
  for (const ClusteringCompactionTask& task : plan.tasks) {
    for (const uint64_t id : task.source_fragment_ids()) sources.Add(static_cast<uint32_t>(id));
  }
  for (size_t i = 0; i < manifest.indices.size(); ++i) {
    const table::IndexMetadata& segment = manifest.indices[i];
    if (!coverage[i] || !coverage[i]->Intersects(sources)) continue;
    if (StaysCovered(segment, plan.layout, manifest)) continue;
    return arrow::Status::Invalid(
        "index_policy is strict, and index ", segment.name, " (", index::IndexTypeName(segment),
        ") would not answer for the rewritten rows; allowed: index_policy keep, which leaves them "
        "to full reads until the index is brought up to date, or dropping the index first");
  }
  return arrow::Status::OK();
}

}  // namespace lance
