#include "lance/table/manifest.h"

#include <algorithm>
#include <utility>

#include "lance/base/byte_reader.h"

namespace lance::table {

uint64_t CountLiveRows(const std::vector<Fragment>& fragments) {
  uint64_t rows = 0;
  for (const Fragment& fragment : fragments) rows += fragment.live_rows();
  return rows;
}

std::vector<uint64_t> FirstRowOffsets(const std::vector<Fragment>& fragments) {
  std::vector<uint64_t> offsets = {0};
  for (const Fragment& fragment : fragments) {
    offsets.push_back(offsets.back() + fragment.live_rows());
  }
  return offsets;
}

arrow::Result<std::optional<RoaringBitmap>> IndexMetadata::Coverage() const {
  if (fragment_bitmap.empty()) return std::optional<RoaringBitmap>();
  ARROW_ASSIGN_OR_RAISE(
      RoaringBitmap bitmap,
      RoaringBitmap::Parse(AsBytes(fragment_bitmap), "fragment_bitmap of index " + name));
  return std::optional<RoaringBitmap>(std::move(bitmap));
}

const Fragment* Manifest::FindFragment(uint64_t id) const {
  const auto sorted = std::ranges::lower_bound(fragments, id, {}, &Fragment::id);
  if (sorted != fragments.end() && sorted->id == id) return &*sorted;
  const auto found = std::ranges::find(fragments, id, &Fragment::id);
  return found == fragments.end() ? nullptr : &*found;
}

Manifest WithOtherFragments(const Manifest& manifest, std::vector<Fragment> fragments) {
  return Manifest{.schema = manifest.schema,
                  .fragments = std::move(fragments),
                  .version = manifest.version,
                  .timestamp = manifest.timestamp,
                  .tag = manifest.tag,
                  .reader_feature_flags = manifest.reader_feature_flags,
                  .writer_feature_flags = manifest.writer_feature_flags,
                  .max_fragment_id = manifest.max_fragment_id,
                  .transaction_file = manifest.transaction_file,
                  .writer_version = manifest.writer_version,
                  .next_row_id = manifest.next_row_id,
                  .file_format = manifest.file_format,
                  .data_storage_version = manifest.data_storage_version,
                  .config = manifest.config,
                  .table_metadata = manifest.table_metadata,
                  .base_paths = manifest.base_paths,
                  .branch = manifest.branch,
                  .max_allocated_field_id = manifest.max_allocated_field_id,
                  .clustering = manifest.clustering,
                  .max_clustering_id = manifest.max_clustering_id,
                  .unknown_fields = manifest.unknown_fields,
                  .indices = manifest.indices};
}

}  // namespace lance::table
