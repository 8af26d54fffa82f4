#include "lance/table/keep_indices.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lance/table/feature_flags.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/index_rows.h"
#include "lance/table/mem_wal.h"
#include "lance/table/row_sequence.h"

namespace lance::table {
namespace {

bool IsSystemIndex(const IndexMetadata& index) {
  return index.name == kFragmentReuseName || index.name == kMemWalIndex;
}

bool HasItsFields(const IndexMetadata& index, const format::LanceSchema& schema) {
  return std::ranges::all_of(index.field_ids,
                             [&](int32_t id) { return schema.FindById(id) != nullptr; });
}

/// Whether a segment covers a fragment that is there; one of unknown coverage does.
arrow::Result<bool> CoversSomething(const IndexMetadata& index, const RoaringBitmap& present) {
  ARROW_ASSIGN_OR_RAISE(const auto coverage, index.Coverage());
  return !coverage || coverage->Intersects(present);
}

/// Whether of two segments of one name `lhs` was created first.
bool IsOlder(const IndexMetadata& lhs, const IndexMetadata& rhs) {
  const auto key = [](const IndexMetadata& index) {
    return std::tuple(index.created_at_ms.value_or(std::numeric_limits<uint64_t>::max()),
                      index.dataset_version);
  };
  return key(lhs) < key(rhs);
}

/// Which segments of one name stay: those that cover something, else the oldest.
arrow::Status KeepSegments(const std::vector<const IndexMetadata*>& segments,
                           const RoaringBitmap& present, std::set<const IndexMetadata*>* kept) {
  bool keeps_any = false;
  for (const IndexMetadata* segment : segments) {
    ARROW_ASSIGN_OR_RAISE(const bool covers, CoversSomething(*segment, present));
    if (!covers) continue;
    kept->insert(segment);
    keeps_any = true;
  }
  if (keeps_any) return arrow::Status::OK();
  kept->insert(*std::ranges::min_element(
      segments, [](const auto* lhs, const auto* rhs) { return IsOlder(*lhs, *rhs); }));
  return arrow::Status::OK();
}

RoaringBitmap PresentFragments(const Manifest& manifest) {
  RoaringBitmap ids;
  for (const Fragment& fragment : manifest.fragments) {
    if (fragment.id <= std::numeric_limits<uint32_t>::max()) {
      ids.Add(static_cast<uint32_t>(fragment.id));
    }
  }
  return ids;
}

/// The fields, all that are below them, and all that they are below of.
std::set<int32_t> RelatedFields(const std::set<int32_t>& field_ids,
                                const format::LanceSchema& schema) {
  std::set<int32_t> below = field_ids;
  for (const format::SchemaField& field : schema.fields) {  // parents come first
    if (below.contains(field.parent_id)) below.insert(field.id);
  }
  std::set<int32_t> related = below;
  for (auto field = schema.fields.rbegin(); field != schema.fields.rend(); ++field) {
    if (related.contains(field->id) && field->parent_id >= 0) related.insert(field->parent_id);
  }
  return related;
}

/// The fragments all of whose rows had ids before.
arrow::Result<RoaringBitmap> MovedFragments(const std::vector<Fragment>& added) {
  RoaringBitmap moved;
  for (const Fragment& fragment : added) {
    if (fragment.row_ids.place != StoredSequence::Place::kInline) continue;
    ARROW_ASSIGN_OR_RAISE(const auto ids,
                          RowIdSequence::ParseUpTo(fragment.row_ids.bytes, fragment.physical_rows));
    if (ids.num_rows() == fragment.physical_rows) moved.Add(static_cast<uint32_t>(fragment.id));
  }
  return moved;
}

/// Whether writers that bring an index up to date take over all that is in its file, also of
/// fragments that it does not cover, unless it covers nothing: then they build it anew.
///
/// So the reference does with zone maps and Bloom filters: null rows of a fragment would come back
/// as soon as it is covered again (zonemap-and-indices 5.3, 8.1-15).
bool KeepsWhatItHolds(const IndexMetadata& index) {
  return index.details_type_url.ends_with("ZoneMapIndexDetails") ||
         index.details_type_url.ends_with("BloomFilterIndexDetails");
}

bool DependsOn(const IndexMetadata& index, const std::set<int32_t>& related) {
  return std::ranges::any_of(index.field_ids, [&](int32_t id) { return related.contains(id); });
}

}  // namespace

arrow::Status KeepRelevantIndices(Manifest* manifest) {
  if (manifest->indices.empty()) return arrow::Status::OK();
  const RoaringBitmap present = PresentFragments(*manifest);
  std::map<std::string_view, std::vector<const IndexMetadata*>> by_name;
  std::set<const IndexMetadata*> kept;
  for (const IndexMetadata& index : manifest->indices) {
    if (IsSystemIndex(index)) {
      kept.insert(&index);
    } else if (HasItsFields(index, manifest->schema)) {
      by_name[index.name].push_back(&index);
    }
  }
  for (const auto& [name, segments] : by_name) {
    if (segments.size() == 1) {
      kept.insert(segments.front());
    } else {
      ARROW_RETURN_NOT_OK(KeepSegments(segments, present, &kept));
    }
  }
  std::vector<IndexMetadata> indices;
  for (const IndexMetadata& index : manifest->indices) {
    if (kept.contains(&index)) indices.push_back(index);
  }
  manifest->indices = std::move(indices);
  return arrow::Status::OK();
}

arrow::Status UncoverFragments(const std::set<uint64_t>& fragment_ids,
                               const std::set<int32_t>& field_ids, Manifest* manifest) {
  if (fragment_ids.empty() || field_ids.empty()) return arrow::Status::OK();
  const std::set<int32_t> related = RelatedFields(field_ids, manifest->schema);
  for (IndexMetadata& index : manifest->indices) {
    if (!DependsOn(index, related)) continue;
    ARROW_ASSIGN_OR_RAISE(auto coverage, index.Coverage());
    if (!coverage) {
      // What it covers is not known, and now it would answer for values that are gone.
      return arrow::Status::Invalid("index ", index.name, " does not say which fragments it ",
                                    "covers, so values under it cannot change; drop it first");
    }
    RoaringBitmap gone;
    for (const uint64_t id : fragment_ids) gone.Add(static_cast<uint32_t>(id));
    if (!coverage->Intersects(gone)) continue;
    *coverage -= gone;
    if (KeepsWhatItHolds(index)) coverage.emplace();
    index.fragment_bitmap = coverage->Serialize();
  }
  return arrow::Status::OK();
}

arrow::Status CoverMovedRows(const Update& update, const std::vector<Fragment>& added,
                             Manifest* manifest) {
  if (!HasStableRowIds(*manifest) || update.mode != UpdateMode::kRewriteRows) {
    return arrow::Status::OK();
  }
  ARROW_ASSIGN_OR_RAISE(const RoaringBitmap moved, MovedFragments(added));
  if (moved.empty()) return arrow::Status::OK();
  RoaringBitmap sources;
  for (const Fragment& source : update.updated_fragments) {
    sources.Add(static_cast<uint32_t>(source.id));
  }
  for (const uint64_t id : update.removed_fragment_ids) sources.Add(static_cast<uint32_t>(id));
  const auto& changed = update.fields_for_preserving_frag_bitmap;
  const std::set<int32_t> related =
      RelatedFields({changed.begin(), changed.end()}, manifest->schema);
  for (IndexMetadata& index : manifest->indices) {
    if (!StoresStableRowIds(index, *manifest) || DependsOn(index, related)) continue;
    ARROW_ASSIGN_OR_RAISE(auto coverage, index.Coverage());
    if (!coverage) continue;
    RoaringBitmap missing = sources;
    missing -= *coverage;
    if (!missing.empty()) continue;
    *coverage |= moved;
    index.fragment_bitmap = coverage->Serialize();
  }
  return arrow::Status::OK();
}

}  // namespace lance::table
