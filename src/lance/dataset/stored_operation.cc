#include "lance/stored_operation.h"

#include "arrow/type.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/fragment_parts.h"
#include "lance/dataset/target_bases.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/dataset/transaction_schema.h"
#include "lance/format/field_tree.h"

namespace lance {
namespace {

using Shown = arrow::Result<StoredOperation>;

std::vector<FragmentMetadata> Show(const std::vector<table::Fragment>& fragments) {
  std::vector<FragmentMetadata> shown;
  shown.reserve(fragments.size());
  for (const table::Fragment& fragment : fragments) shown.push_back(MakeFragmentMetadata(fragment));
  return shown;
}

std::optional<StoredMapUpdate> Show(const std::optional<table::UpdateMap>& map) {
  if (!map) return std::nullopt;
  return StoredMapUpdate{.updates = map->entries, .replace = map->replace};
}

/// Shows one kind of operation each.
struct Shower {
  Shown operator()(const table::Append& append) const {
    return AppendOperation{.fragments = Show(append.fragments)};
  }

  Shown operator()(const table::Overwrite& overwrite) const {
    OverwriteOperation shown{.fragments = Show(overwrite.fragments)};
    ARROW_RETURN_NOT_OK(ShowSchema(overwrite.schema, &shown.new_schema, &shown.field_ids));
    return shown;
  }

  Shown operator()(const table::Delete& deletion) const {
    return DeleteOperation{.updated_fragments = Show(deletion.updated_fragments),
                           .deleted_fragment_ids = deletion.deleted_fragment_ids,
                           .predicate = deletion.predicate};
  }

  Shown operator()(const table::Update& update) const {
    return UpdateOperation{
        .removed_fragment_ids = update.removed_fragment_ids,
        .updated_fragments = Show(update.updated_fragments),
        .new_fragments = Show(update.new_fragments),
        .fields_modified = update.fields_modified,
        .fields_for_preserving_frag_bitmap = update.fields_for_preserving_frag_bitmap,
        .update_mode = update.mode == table::UpdateMode::kRewriteRows
                           ? UpdateMode::kRewriteRows
                           : UpdateMode::kRewriteColumns};
  }

  Shown operator()(const table::Merge& merge) const {
    MergeOperation shown{.fragments = Show(merge.fragments)};
    ARROW_RETURN_NOT_OK(ShowSchema(merge.schema, &shown.schema, &shown.field_ids));
    return shown;
  }

  Shown operator()(const table::Project& project) const {
    ProjectOperation shown;
    ARROW_RETURN_NOT_OK(ShowSchema(project.schema, &shown.schema, &shown.field_ids));
    return shown;
  }

  Shown operator()(const table::Restore& restore) const {
    return RestoreOperation{.version = restore.version};
  }

  Shown operator()(const table::Rewrite& rewrite) const {
    RewriteOperation shown;
    for (const table::RewriteGroup& group : rewrite.groups) {
      shown.groups.push_back(
          {.old_fragments = Show(group.old_fragments), .new_fragments = Show(group.new_fragments)});
    }
    return shown;
  }

  Shown operator()(const table::UpdateConfig& update) const {
    StoredConfigUpdate shown{.config = Show(update.config),
                             .table_metadata = Show(update.table_metadata),
                             .schema_metadata = Show(update.schema_metadata)};
    for (const auto& [id, map] : update.field_metadata) {
      shown.field_metadata.emplace(id, StoredMapUpdate{map.entries, map.replace});
    }
    return shown;
  }

  Shown operator()(const table::UpdateBases& update) const {
    return UpdateBasesOperation{.new_bases = ShowBasePaths(update.new_bases)};
  }

  Shown operator()(const table::DataReplacement& replacement) const {
    DataReplacementOperation shown;
    for (const table::DataReplacementGroup& group : replacement.groups) {
      shown.replacements.push_back(
          {.fragment_id = group.fragment_id, .new_file = ShowDataFile(group.new_file)});
    }
    return shown;
  }

  Shown operator()(const table::CreateIndex& create) const {
    CreateIndexOperation shown;
    ARROW_ASSIGN_OR_RAISE(shown.new_indices, ShowSegments(create.new_indices));
    ARROW_ASSIGN_OR_RAISE(shown.removed_indices, ShowSegments(create.removed_indices));
    return shown;
  }

  Shown operator()(const table::ReserveFragments&) const { return std::monostate(); }
  Shown operator()(const table::ForeignOperation&) const { return std::monostate(); }

  static arrow::Status ShowSchema(const format::LanceSchema& schema,
                                  std::shared_ptr<arrow::Schema>* columns,
                                  std::vector<int32_t>* field_ids) {
    ARROW_ASSIGN_OR_RAISE(*columns, format::ToArrowSchema(schema));
    ARROW_ASSIGN_OR_RAISE(const auto fields, format::MakeFieldTree(schema));
    *field_ids = IdsOf(fields);
    return arrow::Status::OK();
  }
};

}  // namespace

arrow::Result<StoredOperation> OperationOf(const Transaction& transaction) {
  return std::visit(Shower{}, transaction.impl().commit.transaction.operation);
}

}  // namespace lance
