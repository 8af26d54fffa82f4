#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/dataset/index_coverage.h"
#include "lance/dataset/prune_plan.h"
#include "lance/dataset/scalar_segments.h"
#include "lance/dataset/scanner_impl.h"
#include "lance/dataset/zonemaps.h"
#include "lance/index/index_file.h"
#include "lance/index/ordered_value.h"
#include "lance/index/zonemap.h"
#include "lance/scan.h"
#include "lance/table/base_path.h"

namespace lance {
namespace {

// A file's tail is read when it is opened, and parts of it again as pages.
constexpr uint64_t kTailBytes = 64 << 10;
// Of a deletion file, whose size the manifest does not tell.
constexpr uint64_t kBytesPerDeletedRow = 8;

/// Bytes that a scan may read of one fragment. What lies at the border of two reads, and what a
/// page keeps for all its rows, is read by each.
arrow::Result<uint64_t> MostBytesOf(ObjectStore& store, const table::Fragment& fragment) {
  uint64_t bytes = 0;
  for (const table::DataFile& file : fragment.files) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t size, table::SizeOf(store, file));
    bytes += 2 * size + kTailBytes;
  }
  if (fragment.deletion_file) {
    bytes += kTailBytes + kBytesPerDeletedRow * fragment.deletion_file->num_deleted_rows;
  }
  return bytes;
}

/// The size of an index segment; old writers left the list of files out.
uint64_t SizeOfSegment(ObjectStore& store, const table::IndexMetadata& segment) {
  constexpr std::array<const char*, 5> kFiles = {"zonemap.lance", "page_lookup.lance",
                                                 "page_data.lance", "bitmap_page_lookup.lance",
                                                 "bloomfilter.lance"};
  uint64_t bytes = 0;
  for (const table::IndexFile& file : segment.files) bytes += file.size_bytes;
  if (bytes > 0) return bytes;
  for (const char* name : kFiles) {
    const auto info = store.Head(index::IndexFilePath(segment.uuid, segment.base_id, name));
    if (info.ok()) bytes += info->size_bytes;  // a scan does without one that is not there
  }
  return bytes;
}

uint64_t IndexBytes(const Dataset::Impl& dataset, const index::Predicate& predicate,
                    const table::FragmentReuse* reuse) {
  const table::Manifest& manifest = dataset.manifest();
  const auto leaves = index::LeavesOf(predicate);
  std::map<int32_t, uint64_t> num_leaves;
  for (const index::Predicate* leaf : leaves) ++num_leaves[leaf->field_id];
  uint64_t bytes = 0;
  for (const auto& [field_id, searches] : num_leaves) {
    for (const table::IndexMetadata* segment : ZonemapSegmentsOf(manifest, field_id)) {
      bytes += 2 * SizeOfSegment(*dataset.store, *segment) + kTailBytes;
    }
    for (const ScalarSegment& segment : ScalarSegmentsOf(manifest, field_id, reuse)) {
      const uint64_t size = SizeOfSegment(*dataset.store, *segment.metadata);
      // Opened once, and searched for each leaf.
      bytes += (1 + searches) * size + (2 + segment.metadata->files.size()) * kTailBytes;
    }
  }
  return bytes;
}

/// Bounds of one column over zones that may come in any order.
class ColumnBounds {
 public:
  explicit ColumnBounds(std::string name) { estimate_.column = std::move(name); }

  /// Something holds values of which nothing is known.
  void Forget() { is_known_ = false; }

  void Add(const index::Zone& zone) {
    null_count_ += zone.null_count;
    if (zone.null_count == zone.zone_length) return;
    const auto low = zone.min == nullptr ? index::OrderedValue() : index::ToOrderedValue(*zone.min);
    const auto high =
        zone.max == nullptr ? index::OrderedValue() : index::ToOrderedValue(*zone.max);
    if (!low.is_ordinary() || !high.is_ordinary() || zone.nan_count > 0) {
      has_bounds_ = false;
      return;
    }
    if (estimate_.min == nullptr || low < index::ToOrderedValue(*estimate_.min))
      estimate_.min = zone.min;
    if (estimate_.max == nullptr || high > index::ToOrderedValue(*estimate_.max))
      estimate_.max = zone.max;
  }

  ColumnEstimate Finish(bool is_whole) && {
    if (!is_known_ || !has_bounds_) estimate_.min = estimate_.max = nullptr;
    if (is_known_) estimate_.null_count = null_count_;
    estimate_.exact = is_known_ && has_bounds_ && is_whole;
    return std::move(estimate_);
  }

 private:
  ColumnEstimate estimate_;
  uint64_t null_count_ = 0;
  bool is_known_ = true;
  bool has_bounds_ = true;
};

/// What the zonemaps say of one column in the fragments that a scan reads.
arrow::Result<ColumnEstimate> EstimateColumn(const Scanner::Impl& scan,
                                             const format::FieldNode& field,
                                             const std::vector<size_t>& fragments, bool is_whole,
                                             const RunContext& run) {
  const table::Manifest& manifest = scan.dataset->manifest();
  ColumnBounds bounds(field.name);
  std::vector<std::shared_ptr<const index::ZonemapSegment>> segments;
  for (const table::IndexMetadata* segment : ZonemapSegmentsOf(manifest, field.id)) {
    bool was_cached = false;
    auto loaded = LoadZonemapCached(*scan.dataset, scan.dataset->store, *segment, run, &was_cached);
    if (loaded.status().IsCancelled()) return loaded.status();
    if (loaded.ok()) segments.push_back(*std::move(loaded));  // a scan warns of the others
  }
  for (const size_t position : fragments) {
    const index::FragmentZones* zones = nullptr;
    for (const auto& segment : segments) {
      if (zones == nullptr) zones = segment->Find(manifest.fragments[position].id);
    }
    if (zones == nullptr) {
      bounds.Forget();
      break;
    }
    for (const index::Zone& zone : zones->zones) bounds.Add(zone);
  }
  return std::move(bounds).Finish(is_whole);
}

/// What is left of so many rows by offset and limit.
uint64_t Limited(uint64_t rows, const ScanOptions& options) {
  rows -= std::min(rows, options.offset);
  return options.limit ? std::min(rows, *options.limit) : rows;
}

}  // namespace

arrow::Result<ScanEstimate> Scanner::Estimate(const CallOptions& call) const {
  const Impl& scan = *impl_;
  const RunContext run = scan.dataset->Run(call);
  const table::Manifest& manifest = scan.dataset->manifest();
  std::optional<FragmentPruner> pruner;
  ScanEstimate estimate;
  if (scan.filter != nullptr && scan.options.use_stats) {
    const PruneOptions options{.use_indices = UsesIndices(scan.options), .use_seeds = false};
    ARROW_ASSIGN_OR_RAISE(pruner, FragmentPruner::Make(scan.dataset, scan.dataset->store,
                                                       scan.filter->predicate(), options, run));
    // When that cannot be read no index that names rows is used, which costs less.
    const auto reuse = LoadFragmentReuse(*scan.dataset, run);
    estimate.bytes_max = IndexBytes(*scan.dataset, scan.filter->predicate(),
                                    reuse.ok() ? reuse->get() : nullptr);
  }
  std::vector<size_t> kept;
  bool is_whole = scan.filter == nullptr && scan.options.offset == 0 && !scan.options.limit;
  for (const size_t position : scan.fragments) {
    const table::Fragment& fragment = manifest.fragments[position];
    uint64_t rows =
        scan.options.include_deleted_rows ? fragment.physical_rows : fragment.live_rows();
    if (scan.filter == nullptr) estimate.rows_min += rows;
    if (pruner) {
      FragmentReader reader(scan.dataset->store, fragment, run);
      ARROW_ASSIGN_OR_RAISE(const auto pruned, pruner->Prune(&reader));
      rows = std::min(rows, pruned.candidates.num_rows());
    }
    // Seeds lie in data files, which a scan opens for them.
    ARROW_ASSIGN_OR_RAISE(const uint64_t bytes, MostBytesOf(*scan.dataset->store, fragment));
    estimate.bytes_max += bytes;
    if (rows == 0) continue;
    estimate.rows_max += rows;
    kept.push_back(position);
    is_whole = is_whole && !fragment.deletion_file;
  }
  estimate.rows_min = Limited(estimate.rows_min, scan.options);
  estimate.rows_max = Limited(estimate.rows_max, scan.options);
  estimate.exact = estimate.rows_min == estimate.rows_max;
  for (const OutputColumn& column : scan.columns) {
    if (column.field == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(estimate.columns.emplace_back(),
                          EstimateColumn(scan, *column.field, kept, is_whole, run));
  }
  return estimate;
}

arrow::Result<std::shared_ptr<arrow::Table>> Sample(const Dataset& dataset,
                                                    const SampleRequest& request,
                                                    const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const uint64_t num_rows, dataset.CountRows(std::nullopt, call));
  const uint64_t wanted = std::min(request.num_rows, num_rows);
  std::mt19937_64 engine(request.seed);
  std::set<uint64_t> rows;  // Floyd's way: each set of rows is as likely
  for (uint64_t last = num_rows - wanted; last < num_rows; ++last) {
    if (!rows.insert(engine() % (last + 1)).second) rows.insert(last);
  }
  return Take(dataset, {.rows = {rows.begin(), rows.end()}, .columns = request.columns}, call);
}

}  // namespace lance
