#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/cast_columns.h"
#include "lance/dataset/column_files.h"
#include "lance/dataset/column_names.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/schema_edit.h"
#include "lance/dataset/split_fields.h"
#include "lance/dataset/zonemaps.h"
#include "lance/format/projection.h"
#include "lance/schema_evolution.h"

namespace lance {
namespace {

/// A field whose type changes. A plain value.
struct CastField {
  std::string path;
  int32_t old_id = -1;
  int32_t new_id = -1;
};

/// Everything that a call changes. A plain value.
struct AlterPlan {
  /// The schema with new types under the old names, and the one to commit.
  format::LanceSchema cast_schema;
  format::LanceSchema schema;
  std::vector<CastField> casts;
  /// Old ids of the fields that may not be null any more.
  std::vector<int32_t> tightened;
};

/// The ids from a top-level field down to a field.
std::vector<int32_t> IdsAbove(const format::LanceSchema& schema, int32_t id) {
  std::vector<int32_t> ids;
  for (const auto* field = schema.FindById(id); field != nullptr;
       field = schema.FindById(field->parent_id)) {
    ids.insert(ids.begin(), field->id);
  }
  return ids;
}

const format::FieldNode* FindNode(const std::vector<format::FieldNode>& fields, int32_t id) {
  for (const format::FieldNode& field : fields) {
    if (field.id == id) return &field;
    if (const auto* found = FindNode(field.children, id)) return found;
  }
  return nullptr;
}

/// An index on a column that is cast stands in the way, unless clustering maintains it.
arrow::Status CheckIndices(const Dataset::Impl& dataset, const CastField& cast) {
  const table::Manifest& manifest = dataset.manifest();
  const format::SchemaField* field = manifest.schema.FindById(cast.old_id);
  const bool is_key = dataset.clustering_spec && field->parent_id == -1 &&
                      std::ranges::find(dataset.clustering_spec->columns, field->name) !=
                          dataset.clustering_spec->columns.end();
  const auto managed = is_key ? ZonemapSegmentsOf(manifest, cast.old_id)
                              : std::vector<const table::IndexMetadata*>{};
  const std::set<int32_t> ids = IdsBelow(manifest.schema, cast.old_id);
  for (const table::IndexMetadata& index : manifest.indices) {
    const auto is_cast = [&](int32_t id) { return ids.contains(id); };
    if (std::ranges::none_of(index.field_ids, is_cast)) continue;
    if (std::ranges::find(managed, &index) != managed.end()) continue;
    return arrow::Status::Invalid("column ", cast.path, " cannot get another type: index ",
                                  index.name, " is on it; drop the index first");
  }
  return arrow::Status::OK();
}

arrow::Status PlanCast(const Dataset::Impl& dataset, const ColumnAlteration& alteration,
                       const format::SchemaField& field, int32_t* next_id, AlterPlan* plan) {
  const format::FieldNode* node = FindNode(dataset.fields, field.id);
  if (node == nullptr || node->kind == format::FieldKind::kBlob || HasBlobs(*node)) {
    return arrow::Status::Invalid("column ", alteration.path,
                                  " cannot get another type: it is a blob");
  }
  if (node->type->Equals(*alteration.data_type)) return arrow::Status::OK();
  if (alteration.nullable == false && field.nullable) {
    return arrow::Status::Invalid(
        "column ", alteration.path,
        " cannot get another type and refuse nulls in one call; allowed: ", "one after the other");
  }
  ARROW_RETURN_NOT_OK(CheckCastable(alteration.path, *node->type, *alteration.data_type));
  CastField cast{.path = alteration.path, .old_id = field.id};
  ARROW_RETURN_NOT_OK(CheckIndices(dataset, cast));
  ARROW_ASSIGN_OR_RAISE(cast.new_id,
                        ReplaceType(field.id, alteration.data_type, next_id, &plan->cast_schema));
  plan->casts.push_back(std::move(cast));
  return arrow::Status::OK();
}

/// No two siblings may have one name.
arrow::Status CheckSiblings(const format::LanceSchema& schema) {
  std::set<std::pair<int32_t, std::string>> names;
  for (const format::SchemaField& field : schema.fields) {
    if (names.emplace(field.parent_id, field.name).second) continue;
    return arrow::Status::Invalid("two columns would be called ", field.name,
                                  "; allowed: one name for one column");
  }
  return arrow::Status::OK();
}

/// Find the columns and plan new types; names and nulls come after all types are known.
arrow::Result<AlterPlan> PlanAlterations(const Dataset::Impl& dataset,
                                         const std::vector<ColumnAlteration>& alterations) {
  const format::LanceSchema& before = dataset.manifest().schema;
  ARROW_ASSIGN_OR_RAISE(int32_t next_id, NextFieldId(dataset.manifest()));
  AlterPlan plan{.cast_schema = before, .schema = {}, .casts = {}, .tightened = {}};
  std::vector<const format::SchemaField*> fields;
  for (const ColumnAlteration& alteration : alterations) {
    ARROW_ASSIGN_OR_RAISE(const auto* field, ResolveFieldPath(before, alteration.path));
    if (std::ranges::find(fields, field) != fields.end()) {
      return arrow::Status::Invalid("column ", alteration.path,
                                    " is altered twice; allowed: once in a call");
    }
    fields.push_back(field);
    if (alteration.data_type == nullptr) continue;
    ARROW_RETURN_NOT_OK(PlanCast(dataset, alteration, *field, &next_id, &plan));
  }
  plan.schema = plan.cast_schema;
  for (size_t i = 0; i < alterations.size(); ++i) {
    int32_t id = fields[i]->id;
    const auto cast = std::ranges::find(plan.casts, id, &CastField::old_id);
    if (cast != plan.casts.end()) id = cast->new_id;
    const auto field = std::ranges::find(plan.schema.fields, id, &format::SchemaField::id);
    if (field == plan.schema.fields.end()) {
      return arrow::Status::Invalid("column ", alterations[i].path,
                                    " is part of another that gets a new type in this call");
    }
    if (alterations[i].name) {
      ARROW_RETURN_NOT_OK(RenameField(id, *alterations[i].name, &plan.schema));
    }
    if (!alterations[i].nullable) continue;
    if (field->nullable && !*alterations[i].nullable) plan.tightened.push_back(fields[i]->id);
    field->nullable = *alterations[i].nullable;
  }
  ARROW_RETURN_NOT_OK(CheckSiblings(plan.schema));
  return plan;
}

/// What the commit does to the declaration. \return Invalid when the clustering forbids the change
arrow::Result<table::ClusteringChange> PlanClustering(const Dataset::Impl& dataset,
                                                      const AlterPlan& plan) {
  table::ClusteringChange change;
  if (!dataset.clustering_spec || plan.casts.empty()) return change;
  const table::LayoutDefinition before =
      table::LayoutOf(*dataset.clustering_spec, dataset.manifest().schema);
  bool casts_key = false;
  bool renames_key = false;
  for (const int32_t id : before.field_ids) {
    casts_key =
        casts_key || std::ranges::find(plan.casts, id, &CastField::old_id) != plan.casts.end();
  }
  for (const std::string& name : dataset.clustering_spec->columns) {
    renames_key = renames_key || plan.schema.FindTopLevel(name) == nullptr;
  }
  if (!casts_key) return change;
  if (renames_key) {
    return arrow::Status::Invalid(
        "a clustering column gets a new type and one gets a new name; allowed: one call for each");
  }
  table::Manifest next;
  next.schema = plan.schema;
  next.config = dataset.manifest().config;
  const table::DeclarationState state = table::ReadDeclaration(next);
  if (!state.spec) {
    return arrow::Status::Invalid(state.problem,
                                  "; set_clustering with what is allowed, or clear_clustering, "
                                  "first");
  }
  change.define = table::LayoutOf(*state.spec, plan.schema);
  return change;
}

/// Whether a value is null where what is above it is not.
bool HasNull(const arrow::Array& array, const format::FieldNode& node,
             const std::vector<int32_t>& path, size_t depth) {
  if (depth + 1 == path.size()) return array.null_count() > 0;
  const auto child = std::ranges::find(node.children, path[depth + 1], &format::FieldNode::id);
  if (child == node.children.end()) return false;
  std::shared_ptr<arrow::Array> below;
  if (array.type_id() == arrow::Type::STRUCT) {
    const auto i = static_cast<int>(child - node.children.begin());
    below = static_cast<const arrow::StructArray&>(array).field(i);
    if (array.null_count() > 0) {
      for (int64_t row = 0; row < array.length(); ++row) {
        if (array.IsValid(row) && HasNull(*below->Slice(row, 1), *child, path, depth + 1)) {
          return true;
        }
      }
      return false;
    }
  } else if (array.type_id() == arrow::Type::LIST) {
    const auto items = static_cast<const arrow::ListArray&>(array).Flatten();
    if (!items.ok()) return true;  // not known: say that there may be one
    below = *items;
  } else if (array.type_id() == arrow::Type::LARGE_LIST) {
    const auto items = static_cast<const arrow::LargeListArray&>(array).Flatten();
    if (!items.ok()) return true;
    below = *items;
  } else {
    return true;
  }
  return HasNull(*below, *child, path, depth + 1);
}

/// Read the columns that may not be null any more. \return Invalid naming one that is somewhere
arrow::Status CheckNoNulls(const Dataset& dataset, const std::vector<int32_t>& ids,
                           const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  constexpr uint64_t kRowsAtOnce = 8192;
  for (const int32_t id : ids) {
    const std::vector<int32_t> path = IdsAbove(impl.manifest().schema, id);
    const format::FieldNode* top = impl.FindField(path.front());
    for (const table::Fragment& fragment : impl.manifest().fragments) {
      ARROW_RETURN_NOT_OK(VisitFragment(
          dataset, fragment, {top->name}, kRowsAtOnce, call,
          [&](const std::shared_ptr<arrow::RecordBatch>& rows, const std::vector<uint32_t>&) {
            if (!HasNull(*rows->column(0), *top, path, 0)) return arrow::Status::OK();
            return arrow::Status::Invalid("column ", impl.manifest().schema.FindById(id)->name,
                                          " has a null in fragment ", fragment.id,
                                          "; only a column without nulls can refuse them");
          }));
    }
  }
  return arrow::Status::OK();
}

/// One top-level column with parts that are cast. A plain value.
struct CastTop {
  std::string paths;
  format::FieldNode whole;  // as it is read
  format::FieldNode part;   // what of it is cast, before
  format::FieldNode made;   // and after
};

/// How the new files are made.
arrow::Result<ColumnRewrite> MakeRewrite(const Dataset::Impl& dataset, const AlterPlan& plan,
                                         arrow::MemoryPool* pool) {
  const format::LanceSchema& before = dataset.manifest().schema;
  std::set<int32_t> old_ids;
  std::set<int32_t> new_ids;
  std::map<int32_t, std::string> paths;  // by top-level id
  for (const CastField& cast : plan.casts) {
    old_ids.merge(IdsBelow(before, cast.old_id));
    new_ids.insert(cast.new_id);
    std::string& names = paths[IdsAbove(before, cast.old_id).front()];
    names += (names.empty() ? "" : ", ") + cast.path;
  }
  ColumnRewrite rewrite;
  rewrite.schema = SelectFields(plan.cast_schema, new_ids);
  ARROW_ASSIGN_OR_RAISE(const auto made, format::MakeFieldTree(rewrite.schema));
  ARROW_ASSIGN_OR_RAISE(const auto version,
                        format::ParseFileVersion(dataset.manifest().data_storage_version));
  std::vector<CastTop> tops;
  for (const format::FieldNode& field : made) {
    ARROW_RETURN_NOT_OK(format::CheckWritable(field, version));
    const format::FieldNode& whole =
        *std::ranges::find(dataset.fields, field.name, &format::FieldNode::name);
    tops.push_back(
        {.paths = paths[whole.id],
         .whole = whole,
         .part = KeepLeaves(
             whole, [&](const format::FieldNode& leaf) { return old_ids.contains(leaf.id); }),
         .made = field});
    rewrite.read_columns.push_back(field.name);
  }
  const auto schema = format::SchemaOf(made);
  rewrite.make = [tops, schema, pool](const std::shared_ptr<arrow::RecordBatch>& rows)
      -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    arrow::ArrayVector columns;
    for (size_t i = 0; i < tops.size(); ++i) {
      const CastTop& top = tops[i];
      const auto part = SelectPart(rows->column(static_cast<int>(i)), top.whole, top.part);
      auto cast = CastColumn(part, top.made.type, pool);
      if (!cast.ok()) return WithContext(cast.status(), "column " + top.paths);
      columns.push_back(*std::move(cast));
    }
    return arrow::RecordBatch::Make(schema, rows->num_rows(), std::move(columns));
  };
  return rewrite;
}

/// A fragment whose definition names a column that was cast is no longer organized by it.
void LoseStamp(const table::Manifest& manifest, const AlterPlan& plan, table::Fragment* fragment) {
  if (!fragment->clustering_id) return;
  const auto definition =
      std::ranges::find(manifest.clustering, *fragment->clustering_id, &ClusteringDefinition::id);
  if (definition == manifest.clustering.end()) return;
  for (const CastField& cast : plan.casts) {
    if (std::ranges::find(definition->field_ids, cast.old_id) == definition->field_ids.end()) {
      continue;
    }
    fragment->clustering_id.reset();
    return;
  }
}

bool AreNullable(const AlterPlan& plan) {
  return std::ranges::all_of(plan.casts, [&](const CastField& cast) {
    return plan.schema.FindById(cast.new_id)->nullable;
  });
}

}  // namespace

arrow::Result<Dataset> AlterColumns(const Dataset& dataset,
                                    const std::vector<ColumnAlteration>& alterations,
                                    const CommitOptions& commit, const CallOptions& call) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const Dataset::Impl& impl = dataset.impl();
  ARROW_RETURN_NOT_OK(CheckSchemaChangeable(impl));
  ARROW_ASSIGN_OR_RAISE(const AlterPlan plan, PlanAlterations(impl, alterations));
  if (plan.schema == impl.manifest().schema) return dataset;
  ARROW_ASSIGN_OR_RAISE(auto clustering, PlanClustering(impl, plan));
  ARROW_RETURN_NOT_OK(CheckNoNulls(dataset, plan.tightened, call));
  if (plan.casts.empty()) {
    table::Project project{.schema = plan.schema, .preserves_nullability = plan.tightened.empty()};
    return CommitSchemaChange(dataset, std::move(project), {}, commit, nullptr, call);
  }
  ARROW_ASSIGN_OR_RAISE(const ColumnRewrite rewrite,
                        MakeRewrite(impl, plan, impl.Run(call).memory_pool));
  ARROW_ASSIGN_OR_RAISE(NewColumnFiles files, NewColumnFiles::Write(dataset, rewrite, call));
  table::Merge merge{.fragments = files.fragments(),
                     .schema = plan.schema,
                     .preserves_nullability = plan.tightened.empty() && AreNullable(plan)};
  for (table::Fragment& fragment : merge.fragments) {
    DropFilesWithoutFields(plan.schema, &fragment);
    LoseStamp(impl.manifest(), plan, &fragment);
  }
  return CommitSchemaChange(dataset, std::move(merge), std::move(clustering), commit, &files, call);
}

}  // namespace lance
