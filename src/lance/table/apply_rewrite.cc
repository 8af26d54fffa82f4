#include "lance/table/apply_rewrite.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "lance/base/status_detail.h"
#include "lance/table/feature_flags.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/index_rows.h"

namespace lance::table {
namespace {

arrow::Status SourceChanged(uint64_t fragment_id, std::string_view how, uint64_t version) {
  return arrow::Status::AlreadyExists("rewrite: source fragment ", fragment_id, " ", how,
                                      " in version ", version)
      .WithDetail(std::make_shared<CommitConflict>(version, "unknown", /*retryable=*/true));
}

/// Whether two descriptors of one fragment name the same rows.
bool HasSameRows(const Fragment& lhs, const Fragment& rhs) {
  return lhs.deletion_file == rhs.deletion_file &&
         std::ranges::equal(lhs.files, rhs.files, {}, &DataFile::path, &DataFile::path);
}

arrow::Status CheckSources(const Rewrite& rewrite, const Manifest& manifest) {
  std::unordered_map<uint64_t, const Fragment*> present;
  for (const Fragment& fragment : manifest.fragments) present.emplace(fragment.id, &fragment);
  std::unordered_set<uint64_t> named;
  for (const RewriteGroup& group : rewrite.groups) {
    for (const Fragment& source : group.old_fragments) {
      if (!named.insert(source.id).second) {
        return arrow::Status::Invalid("rewrite: source fragment ", source.id,
                                      " is named twice; allowed: once");
      }
      const auto found = present.find(source.id);
      if (found == present.end()) return SourceChanged(source.id, "is not there", manifest.version);
      if (!HasSameRows(source, *found->second)) {
        return SourceChanged(source.id, "has other files", manifest.version);
      }
    }
  }
  return arrow::Status::OK();
}

RoaringBitmap IdsOf(const std::vector<Fragment>& fragments) {
  RoaringBitmap ids;
  for (const Fragment& fragment : fragments) ids.Add(static_cast<uint32_t>(fragment.id));
  return ids;
}

/// The part of a group's old fragments that a coverage lacks.
RoaringBitmap MissingFrom(const RoaringBitmap& coverage, RoaringBitmap old_ids) {
  old_ids -= coverage;
  return old_ids;
}

/// Move a segment's coverage from a group's old fragments to its new ones: all or nothing.
arrow::Status MoveCoverage(const RewriteGroup& group, const IndexMetadata& index,
                           RoaringBitmap* coverage) {
  const RoaringBitmap old_ids = IdsOf(group.old_fragments);
  if (!coverage->Intersects(old_ids)) return arrow::Status::OK();
  const RoaringBitmap missing = MissingFrom(*coverage, old_ids);
  if (!missing.empty()) {
    return arrow::Status::Invalid("rewrite: index ", index.name, " covers only a part of a group; ",
                                  "fragment ", missing.ToVector().front(), " is not covered");
  }
  *coverage -= old_ids;
  *coverage |= IdsOf(group.new_fragments);
  return arrow::Status::OK();
}

arrow::Status ReplaceIndex(const RewrittenIndex& rewritten, const Rewrite& rewrite,
                           IndexMetadata* index) {
  ARROW_ASSIGN_OR_RAISE(auto coverage, index->Coverage());
  if (coverage) {
    for (const RewriteGroup& group : rewrite.groups) {
      ARROW_RETURN_NOT_OK(MoveCoverage(group, *index, &*coverage));
    }
    index->fragment_bitmap = coverage->Serialize();
  }
  index->uuid = rewritten.new_uuid;
  index->has_details = true;
  index->details_type_url = rewritten.details_type_url;
  index->details_value = rewritten.details_value;
  index->index_version = static_cast<int32_t>(rewritten.index_version);
  index->files = rewritten.files;
  index->base_id.reset();
  // A new segment inherits nothing (table-format 13.1).
  index->clustering_id.reset();
  index->metadata.clear();
  return arrow::Status::OK();
}

arrow::Status ReplaceIndices(const Rewrite& rewrite, Manifest* manifest) {
  std::set<Uuid> replaced;
  for (const RewrittenIndex& rewritten : rewrite.rewritten_indices) {
    if (!replaced.insert(rewritten.old_uuid).second) {
      return arrow::Status::Invalid("rewrite: index segment ", rewritten.old_uuid.ToString(),
                                    " is replaced twice; allowed: once");
    }
    const auto found =
        std::ranges::find(manifest->indices, rewritten.old_uuid, &IndexMetadata::uuid);
    if (found == manifest->indices.end()) continue;  // dropped meanwhile
    ARROW_RETURN_NOT_OK(ReplaceIndex(rewritten, rewrite, &*found));
  }
  return arrow::Status::OK();
}

/// Move a segment's coverage past all groups: one that covers only a part of a group loses it, a new
/// fragment is covered whole or not.
arrow::Status MoveWhatIsWhole(const Rewrite& rewrite, bool follows, IndexMetadata* index) {
  ARROW_ASSIGN_OR_RAISE(auto coverage, index->Coverage());
  if (!coverage) return arrow::Status::OK();
  bool has_changed = false;
  for (const RewriteGroup& group : rewrite.groups) {
    const RoaringBitmap old_ids = IdsOf(group.old_fragments);
    if (!coverage->Intersects(old_ids)) continue;
    const bool is_whole = MissingFrom(*coverage, old_ids).empty();
    *coverage -= old_ids;
    if (follows && is_whole) *coverage |= IdsOf(group.new_fragments);
    has_changed = true;
  }
  if (has_changed) index->fragment_bitmap = coverage->Serialize();
  return arrow::Status::OK();
}

/// Move the coverage of segments that name rows by stable ids from old fragments to new ones; those
/// that store addresses lose the old ones (table-format 5.5).
arrow::Status MoveStableCoverage(const Rewrite& rewrite, Manifest* manifest) {
  if (!HasStableRowIds(*manifest)) return arrow::Status::OK();
  for (IndexMetadata& index : manifest->indices) {
    const bool is_listed =
        std::ranges::find(rewrite.rewritten_indices, index.uuid, &RewrittenIndex::new_uuid) !=
        rewrite.rewritten_indices.end();
    if (is_listed) continue;
    ARROW_RETURN_NOT_OK(
        MoveWhatIsWhole(rewrite, StoresStableRowIds(index, *manifest), &index));
  }
  return arrow::Status::OK();
}

/// Put the entry that says where rows went, and let coverage follow as it will be read from now on
/// (table-format 10.5).
arrow::Status PutReuseEntry(const Rewrite& rewrite, Manifest* manifest) {
  if (!rewrite.reuse_entry) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(CheckReplaced(rewrite.reuse_entry->replaced, *manifest));
  std::erase_if(manifest->indices,
                [](const IndexMetadata& index) { return index.name == kFragmentReuseName; });
  for (IndexMetadata& index : manifest->indices) {
    ARROW_RETURN_NOT_OK(MoveWhatIsWhole(rewrite, /*follows=*/true, &index));
  }
  manifest->indices.push_back(rewrite.reuse_entry->entry);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status ApplyRewrite(const Rewrite& rewrite, Manifest* manifest) {
  ARROW_RETURN_NOT_OK(CheckSources(rewrite, *manifest));
  ARROW_RETURN_NOT_OK(ReplaceIndices(rewrite, manifest));
  ARROW_RETURN_NOT_OK(MoveStableCoverage(rewrite, manifest));
  ARROW_RETURN_NOT_OK(PutReuseEntry(rewrite, manifest));
  std::unordered_set<uint64_t> gone;
  for (const RewriteGroup& group : rewrite.groups) {
    for (const Fragment& source : group.old_fragments) gone.insert(source.id);
  }
  std::erase_if(manifest->fragments, [&](const Fragment& f) { return gone.contains(f.id); });
  for (const RewriteGroup& group : rewrite.groups) {
    manifest->fragments.insert(manifest->fragments.end(), group.new_fragments.begin(),
                               group.new_fragments.end());
  }
  return arrow::Status::OK();
}

}  // namespace lance::table
