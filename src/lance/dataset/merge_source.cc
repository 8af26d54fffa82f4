#include "lance/dataset/merge_source.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "arrow/api.h"
#include "lance/dataset/align_batch.h"
#include "lance/dataset/narrow.h"
#include "lance/dataset/split_fields.h"

namespace lance {
namespace {

using format::FieldKind;
using format::FieldNode;

/// The fields that own columns and are, through structs alone, not among those of a type.
void AddMissing(const FieldNode& node, const arrow::DataType* given, std::set<int32_t>* missing) {
  if (given != nullptr && (node.kind != FieldKind::kStruct || given->id() != arrow::Type::STRUCT)) {
    return;
  }
  if (given == nullptr) missing->insert(node.id);
  for (const FieldNode& child : node.children) {
    const arrow::DataType* of_child = nullptr;
    if (given != nullptr) {
      const auto field = static_cast<const arrow::StructType&>(*given).GetFieldByName(child.name);
      if (field != nullptr) of_child = field->type().get();
    }
    AddMissing(child, of_child, missing);
  }
}

bool HasOtherLeaves(const FieldNode& node, const std::set<int32_t>& missing) {
  if (node.children.empty()) return !missing.contains(node.id);
  return std::ranges::any_of(
      node.children, [&](const FieldNode& child) { return HasOtherLeaves(child, missing); });
}

}  // namespace

bool MergeSource::has(const std::string& column) const {
  return schema->GetFieldIndex(column) >= 0;
}

arrow::Result<MergeSource> MatchSource(const arrow::Schema& source, const Dataset::Impl& dataset) {
  MergeSource matched;
  arrow::FieldVector fields;
  for (const FieldNode& node : dataset.fields) {
    const auto given = source.GetFieldByName(node.name);
    if (given == nullptr) continue;
    auto field = dataset.schema->GetFieldByName(node.name);
    std::set<int32_t> missing;
    AddMissing(node, given->type().get(), &missing);
    if (!missing.empty() && HasOtherLeaves(node, missing)) {
      const auto is_missing = [&](const FieldNode& leaf) { return missing.contains(leaf.id); };
      field = field->WithType(KeepLeaves(node, std::not_fn(is_missing)).type);
      matched.kept_members.emplace(node.name, KeepLeaves(node, is_missing));
    }
    fields.push_back(std::move(field));
  }
  matched.schema = arrow::schema(std::move(fields), dataset.schema->metadata());
  ARROW_RETURN_NOT_OK(BatchAligner::Make(source, matched.schema).status());
  return matched;
}

arrow::Result<std::shared_ptr<arrow::Array>> CompleteColumn(
    const MergeSource& source, const FieldNode& column, const std::shared_ptr<arrow::Array>& given,
    const std::shared_ptr<arrow::Array>& kept, arrow::MemoryPool* pool) {
  const auto members = source.kept_members.find(column.name);
  if (members == source.kept_members.end()) return given;
  arrow::ArrayVector parts = {given};
  if (kept != nullptr) parts.push_back(NarrowTo(kept, members->second.type));
  return JoinParts(column, parts, pool);
}

}  // namespace lance
