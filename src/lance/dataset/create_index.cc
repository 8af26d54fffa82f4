#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/column_values.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/new_segments.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/training_rows.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index.h"
#include "lance/index/index_type.h"
#include "lance/index/ordered_value.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

/// What IndexTypeName says of segments of a type.
std::string NameOf(IndexType type) {
  switch (type) {
    case IndexType::kZoneMap:
      return "ZoneMap";
    case IndexType::kBTree:
      return "BTree";
    case IndexType::kBitmap:
      return "Bitmap";
    case IndexType::kLabelList:
      return "LabelList";
    case IndexType::kBloomFilter:
      return "BloomFilter";
    case IndexType::kOther:
      return "other";
  }
  return "other";
}

bool IsBuilt(IndexType type) {
  return type != IndexType::kBloomFilter && type != IndexType::kOther;
}

/// Check that a kind of index can hold a column; of which types it can is for its writer to say.
arrow::Status CheckColumn(IndexType type, const ColumnValues& column) {
  const format::FieldNode& field = column.field();
  const std::string place = "column " + column.path() + " of type " + field.type->ToString();
  if (type == IndexType::kLabelList) {
    const bool is_list = field.kind == format::FieldKind::kList;
    if (is_list && field.children.front().kind == format::FieldKind::kLeaf) {
      return arrow::Status::OK();
    }
    return arrow::Status::Invalid("a label list index cannot hold ", place,
                                  "; allowed: lists and large lists of items that are not nested");
  }
  const bool is_leaf = field.kind == format::FieldKind::kLeaf;
  if (type != IndexType::kZoneMap) {
    if (is_leaf) return arrow::Status::OK();
    return arrow::Status::Invalid("a ", NameOf(type), " index cannot hold ", place,
                                  "; allowed: columns that are not nested");
  }
  if (is_leaf && index::HasOrder(*field.type)) return arrow::Status::OK();
  const std::string type_name = field.type->ToString();
  return UnsupportedError("zonemap of type " + type_name,
                          "no zonemap can cover " + place + ", which has no order");
}

/// The segments that have a name, system entries included.
std::vector<table::IndexMetadata> SegmentsNamed(const table::Manifest& manifest,
                                                const std::string& name) {
  std::vector<table::IndexMetadata> segments;
  for (const table::IndexMetadata& segment : manifest.indices) {
    if (segment.name == name) segments.push_back(segment);
  }
  return segments;
}

/// A name as asked for, or the first that is free or belongs to an index like the new one.
std::string ChooseName(const table::Manifest& manifest, const CreateIndexRequest& request,
                       const ColumnValues& column) {
  if (!request.name.empty()) return request.name;
  const std::string first = column.path() + "_idx";
  std::string name = first;
  for (int i = 2;; ++i) {
    const auto taken = SegmentsNamed(manifest, name);
    const bool is_ours = std::ranges::all_of(taken, [&](const table::IndexMetadata& segment) {
      return segment.field_ids == std::vector{column.field().id} &&
             index::IndexTypeName(segment) == NameOf(request.type);
    });
    if (is_ours) return name;
    name = first + "_" + std::to_string(i);
  }
}

/// Names of indices of other columns, and those of system entries, are never taken over.
arrow::Status CheckNameIsFree(const table::Manifest& manifest, const std::string& name,
                              const ColumnValues& column, bool replace) {
  if (index::IsSystemIndex({.name = name})) {
    return arrow::Status::Invalid("index name ", name,
                                  " begins as those of the format's own "
                                  "entries; allowed: another beginning than __lance_");
  }
  for (const table::IndexMetadata& segment : SegmentsNamed(manifest, name)) {
    if (!replace) return arrow::Status::AlreadyExists("index ", name, " is there already");
    if (segment.field_ids == std::vector{column.field().id}) continue;
    const auto* field =
        segment.field_ids.empty() ? nullptr : manifest.schema.FindById(segment.field_ids.front());
    return arrow::Status::Invalid(
        "the name ", name, " is taken by a ", index::IndexTypeName(segment), " index on ",
        field != nullptr ? field->name : "no column", "; allowed: a name of its own");
  }
  return arrow::Status::OK();
}

/// The fragments to cover, ascending.
arrow::Result<std::vector<uint64_t>> ChooseFragments(const table::Manifest& manifest,
                                                     const CreateIndexRequest& request) {
  std::set<uint64_t> chosen;
  if (!request.train) return std::vector<uint64_t>();
  if (!request.fragment_ids) {
    for (const table::Fragment& fragment : manifest.fragments) chosen.insert(fragment.id);
  } else {
    for (const uint64_t id : *request.fragment_ids) {
      if (manifest.FindFragment(id) == nullptr) {
        return NotFoundError("fragment", std::to_string(id),
                             "there is no fragment " + std::to_string(id) + " in version " +
                                 std::to_string(manifest.version));
      }
      chosen.insert(id);
    }
  }
  return std::vector<uint64_t>(chosen.begin(), chosen.end());
}

/// Files of a segment never change: neither this version nor an older one may have the folder.
arrow::Status CheckFolderIsFree(ObjectStore& store, const Uuid& uuid) {
  bool is_free = true;
  ARROW_RETURN_NOT_OK(store.ListPaths("_indices/" + uuid.ToString(), [&](const std::string&) {
    is_free = false;
    return arrow::Status::OK();
  }));
  if (is_free) return arrow::Status::OK();
  return arrow::Status::AlreadyExists("an index segment ", uuid.ToString(),
                                      " is there already; allowed: another uuid, or none");
}

/// A new index, checked against a version.
struct PlannedIndex {
  std::string name;
  IndexType type;
  ColumnValues column;
  Uuid uuid;
  std::vector<uint64_t> fragment_ids;
};

arrow::Result<PlannedIndex> PlanIndex(const Dataset::Impl& dataset,
                                      const CreateIndexRequest& request, const RunContext& run) {
  const table::Manifest& manifest = dataset.manifest();
  if (!IsBuilt(request.type)) {
    const std::string type = NameOf(request.type);
    return UnsupportedError("build index of type " + type,
                            "an index of type " + type +
                                " cannot be built by this version; allowed: ZoneMap, BTree, "
                                "Bitmap, LabelList");
  }
  if (request.rows_per_zone == 0u) {
    return arrow::Status::Invalid("rows_per_zone is 0; allowed: 1 or more, or unset");
  }
  if ((request.rows_per_zone || request.use_seeds) && request.type != IndexType::kZoneMap) {
    return arrow::Status::Invalid(request.rows_per_zone ? "rows_per_zone" : "use_seeds",
                                  " is an option of zonemaps, not of a ", NameOf(request.type),
                                  " index");
  }
  ARROW_ASSIGN_OR_RAISE(const format::SchemaField* field,
                        ResolveFieldPath(manifest.schema, request.column));
  ARROW_ASSIGN_OR_RAISE(auto column, ColumnValues::Make(dataset.fields, field->id));
  ARROW_RETURN_NOT_OK(CheckColumn(request.type, column));
  PlannedIndex plan{.name = ChooseName(manifest, request, column), .type = request.type};
  ARROW_RETURN_NOT_OK(CheckNameIsFree(manifest, plan.name, column, request.replace));
  ARROW_ASSIGN_OR_RAISE(plan.fragment_ids, ChooseFragments(manifest, request));
  plan.column = std::move(column);
  plan.uuid = Uuid::Random(*run.random);
  if (!request.uuid.empty()) {
    ARROW_ASSIGN_OR_RAISE(plan.uuid, Uuid::Parse(request.uuid));
    ARROW_RETURN_NOT_OK(CheckFolderIsFree(*dataset.store, plan.uuid));
  }
  return plan;
}

arrow::Status WriteZonemapOf(const Dataset::Impl& dataset, const PlannedIndex& plan,
                             const CreateIndexRequest& request, ProgressReporter* progress,
                             const RunContext& run, NewSegments* segments) {
  index::NewZonemapRequest zonemap;
  zonemap.name = plan.name;
  zonemap.field_id = plan.column.field().id;
  zonemap.type = plan.column.type();
  zonemap.rows_per_zone = request.rows_per_zone.value_or(index::kDefaultRowsPerZone);
  zonemap.use_seeds = request.use_seeds.value_or(true);
  zonemap.dataset_version = dataset.manifest().version;
  zonemap.uuid = plan.uuid;
  uint64_t num_rows = 0;
  for (const uint64_t id : plan.fragment_ids) {
    const table::Fragment& fragment = *dataset.manifest().FindFragment(id);
    if (fragment.live_rows() == 0) continue;
    ARROW_ASSIGN_OR_RAISE(
        auto zones, ComputeZones(dataset.store, fragment, plan.column, zonemap.rows_per_zone, run));
    zonemap.fragments.push_back(std::move(zones));
    progress->Update(num_rows += fragment.live_rows());
  }
  return segments->Write(zonemap, run);
}

arrow::Status WriteScalarOf(const Dataset::Impl& dataset, const PlannedIndex& plan,
                            ProgressReporter* progress, const RunContext& run,
                            NewSegments* segments) {
  const table::Manifest& manifest = dataset.manifest();
  NewScalarSegment segment{.name = plan.name,
                           .field_id = plan.column.field().id,
                           .uuid = plan.uuid,
                           .dataset_version = manifest.version};
  for (const uint64_t id : plan.fragment_ids) segment.coverage.Add(static_cast<uint32_t>(id));
  const std::string type = NameOf(plan.type);
  const index::RowDomain domain = DomainOfNew(type, manifest);
  index::NewScalarIndex content{.index_type = type,
                                .column = plan.column.path(),
                                .column_type = plan.column.type(),
                                .domain = domain};
  content.rows = MakeTrainingRows(
      dataset,
      {.column = plan.column,
       .fragment_ids = plan.fragment_ids,
       .domain = domain,
       .on_progress = [progress](uint64_t num_rows) { progress->Update(num_rows); }},
      run);
  return segments->Write(segment, content, run);
}

arrow::Result<Dataset> CreateOnce(const Dataset& dataset, const CreateIndexRequest& request,
                                  const RunContext& run) {
  const Dataset::Impl& impl = dataset.impl();
  ARROW_ASSIGN_OR_RAISE(const PlannedIndex plan, PlanIndex(impl, request, run));
  ProgressReporter progress(run, "create_index", "rows");
  uint64_t num_rows = 0;
  for (const uint64_t id : plan.fragment_ids) {
    num_rows += impl.manifest().FindFragment(id)->live_rows();
  }
  progress.Stage("train", num_rows);
  NewSegments segments(impl.store);
  ARROW_RETURN_NOT_OK(plan.type == IndexType::kZoneMap
                          ? WriteZonemapOf(impl, plan, request, &progress, run, &segments)
                          : WriteScalarOf(impl, plan, &progress, run, &segments));
  progress.Stage("commit");
  return segments.Commit(dataset, SegmentsNamed(impl.manifest(), plan.name), request.commit, run);
}

}  // namespace

arrow::Result<Dataset> CreateIndex(const Dataset& dataset, const CreateIndexRequest& request,
                                   const CallOptions& call) {
  return RetryOnNewest<Dataset>(dataset, request.commit, call, [&](const Dataset& version) {
    return CreateOnce(version, request, version.impl().Run(call));
  });
}

}  // namespace lance
