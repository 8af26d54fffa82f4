#include "lance/index.h"

#include <algorithm>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/index_type.h"
#include "lance/index/ordered_value.h"

namespace lance {

namespace {

std::string FieldName(const table::Manifest& manifest, int32_t field_id) {
  const format::SchemaField* field = manifest.schema.FindById(field_id);
  return field != nullptr ? field->name : "#" + std::to_string(field_id);
}

/// Names of an index of another kind or column are never taken over.
arrow::Status CheckNameIsFree(const table::Manifest& manifest, const std::string& name,
                              int32_t field_id, bool replace) {
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (segment.name != name) continue;
    if (!replace) {
      return arrow::Status::AlreadyExists("index ", name, " is there already");
    }
    if (!index::IsZonemap(segment) || segment.field_ids != std::vector{field_id}) {
      return arrow::Status::Invalid(
          "the name ", name, " is taken by a ", index::IndexTypeName(segment), " index on ",
          FieldName(manifest, segment.field_ids.empty() ? -1 : segment.field_ids.front()));
    }
  }
  return arrow::Status::OK();
}

/// Everything that a description says besides coverage.
IndexDescription Describe(const table::Manifest& manifest, const table::IndexMetadata& segment) {
  IndexDescription description{
      .name = segment.name,
      .index_type = index::IndexTypeName(segment),
      .clustering_id = segment.clustering_id.value_or(0),
      .usable = index::IsZonemap(segment) && segment.index_version.value_or(0) == 0};
  for (const int32_t field_id : segment.field_ids) {
    description.field_names.push_back(FieldName(manifest, field_id));
  }
  return description;
}

}  // namespace

arrow::Result<Dataset> CreateIndex(const Dataset& dataset, const CreateIndexRequest& request,
                                   const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const table::Manifest& manifest = impl.manifest();
  const RunContext run = impl.Run(call);
  if (request.rows_per_zone == 0u) {
    return arrow::Status::Invalid("rows_per_zone is 0; allowed: 1 or more, or unset");
  }
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                        ResolveColumn(manifest.schema, request.column));
  index::NewZonemapRequest zonemap;
  zonemap.name = request.name.empty() ? field->name + "_idx" : request.name;
  zonemap.field_id = field->id;
  zonemap.rows_per_zone = request.rows_per_zone.value_or(index::kDefaultRowsPerZone);
  zonemap.dataset_version = manifest.version;
  ARROW_RETURN_NOT_OK(CheckNameIsFree(manifest, zonemap.name, field->id, request.replace));
  const format::FieldNode* node = impl.FindField(field->id);
  if (node == nullptr || node->kind != format::FieldKind::kLeaf || !index::HasOrder(*node->type)) {
    return UnsupportedError("zonemap of type " + field->logical_type,
                            "no zonemap can cover column " + field->name + " of type " +
                                field->logical_type + ", which has no order");
  }
  zonemap.type = node->type;

  ProgressReporter progress(run, "create_index", "files");
  progress.Stage("train", manifest.fragments.size());
  for (const table::Fragment& fragment : manifest.fragments) {
    if (fragment.live_rows() == 0) continue;
    ARROW_ASSIGN_OR_RAISE(auto zones,
                          ComputeZones(impl.store, fragment, *field, zonemap.rows_per_zone, run));
    zonemap.fragments.push_back(std::move(zones));
    progress.Update(zonemap.fragments.size());
  }
  NewZonemaps zonemaps(impl.store);
  ARROW_RETURN_NOT_OK(zonemaps.Write(zonemap, run));
  std::vector<table::IndexMetadata> removed;
  for (const table::IndexMetadata& old : manifest.indices) {
    if (old.name == zonemap.name) removed.push_back(old);
  }
  return zonemaps.Commit(dataset, std::move(removed), request.commit, run);
}

arrow::Result<std::vector<IndexDescription>> ListIndices(const Dataset& dataset,
                                                         const CallOptions& call) {
  ARROW_RETURN_NOT_OK(call.stop_token.Poll());
  const table::Manifest& manifest = dataset.impl().manifest();
  std::vector<IndexDescription> descriptions;
  std::vector<RoaringBitmap> coverages;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (index::IsSystemIndex(segment)) continue;
    auto found = std::find_if(descriptions.begin(), descriptions.end(),
                              [&](const auto& other) { return other.name == segment.name; });
    if (found == descriptions.end()) {
      found = descriptions.insert(found, Describe(manifest, segment));
      coverages.emplace_back();
    }
    ++found->num_segments;
    for (const table::IndexFile& file : segment.files) {
      found->total_size_bytes += file.size_bytes;
    }
    ARROW_ASSIGN_OR_RAISE(const auto coverage, segment.Coverage());
    if (coverage) coverages[static_cast<size_t>(found - descriptions.begin())] |= *coverage;
  }
  for (size_t i = 0; i < descriptions.size(); ++i) {
    for (const table::Fragment& fragment : manifest.fragments) {
      if (coverages[i].Contains(static_cast<uint32_t>(fragment.id))) {
        descriptions[i].num_rows_indexed += fragment.live_rows();
      } else {
        descriptions[i].num_unindexed_rows += fragment.live_rows();
        ++descriptions[i].num_unindexed_fragments;
      }
    }
  }
  return descriptions;
}

}  // namespace lance
