#include "lance/dataset/check/zone_checks.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/check/stored_table.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/index/index_type.h"
#include "lance/index/ordered_value.h"
#include "lance/index/prune.h"
#include "lance/index/zonemap.h"

namespace lance::check {
namespace {

using index::Predicate;

// Rows read at a time; the columns that zones cover are not nested.
constexpr uint64_t kRowsAtOnce = 64 << 10;

/// Whether a filter for one value would skip the zone.
bool IsHidden(const std::shared_ptr<arrow::Scalar>& value, const index::Zone& zone) {
  const auto meant = index::WithBothZeros(value);
  return !index::ZoneMayMatch({.kind = Predicate::Kind::kRange,
                               .lower = index::Bound{.value = meant.front()},
                               .upper = index::Bound{.value = meant.back()}},
                              zone);
}

/// Values with which every other one is found, too: the ends of a zone made anew, or where the
/// order has more than two ends, as with NaNs, all values.
arrow::Result<arrow::ScalarVector> TellingValues(const arrow::Array& values,
                                                 const index::Zone& actual) {
  if (actual.nan_count == 0) {
    arrow::ScalarVector ends;
    if (actual.min && actual.min->is_valid) ends = {actual.min, actual.max};
    return ends;
  }
  arrow::ScalarVector all;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) continue;
    ARROW_ASSIGN_OR_RAISE(auto value, values.GetScalar(i));
    all.push_back(std::move(value));
  }
  return all;
}

arrow::Result<index::Zone> ZoneOf(const std::shared_ptr<arrow::Array>& values) {
  ARROW_ASSIGN_OR_RAISE(auto builder, index::ZoneBuilder::Make(
                                          values->type(), static_cast<uint64_t>(values->length())));
  ARROW_RETURN_NOT_OK(builder.Add(*values));
  ARROW_ASSIGN_OR_RAISE(auto zones, builder.Finish());
  return zones.zones.front();
}

/// The parts of an array that are live.
///
/// \param rows the rows of the array's values
arrow::Result<std::shared_ptr<arrow::Array>> KeepLive(const std::shared_ptr<arrow::Array>& values,
                                                      const RowRange& rows,
                                                      const std::optional<RowRanges>& live,
                                                      arrow::MemoryPool* pool) {
  if (!live) return values;
  const RowRanges kept = live->Intersect(RowRanges::Make({rows}));
  if (kept.num_rows() == rows.size()) return values;
  arrow::ArrayVector pieces;
  for (const RowRange& range : kept.ranges()) {
    pieces.push_back(values->Slice(static_cast<int64_t>(range.begin - rows.begin),
                                   static_cast<int64_t>(range.size())));
  }
  if (pieces.empty()) return values->Slice(0, 0);
  return arrow::Concatenate(pieces, pool);
}

/// A live row whose nullness the bitmap of nulls has wrong. \return no value: none
std::optional<uint64_t> FindWrongNull(const arrow::Array& values, const RowRange& rows,
                                      const std::optional<RowRanges>& live,
                                      const RoaringBitmap& nulls) {
  const RowRanges all = RowRanges::Make({rows});
  const RowRanges looked_at = live ? live->Intersect(all) : all;
  for (const RowRange& range : looked_at.ranges()) {
    for (uint64_t row = range.begin; row < range.end; ++row) {
      const bool is_null = values.IsNull(static_cast<int64_t>(row - rows.begin));
      if (is_null != nulls.Contains(static_cast<uint32_t>(row))) return row;
    }
  }
  return std::nullopt;
}

/// Compares the zones of one fragment with its rows, piece by piece: one walk through both.
class ZonesComparison {
 public:
  explicit ZonesComparison(const ZonesCheck& check) : check_(check) {}

  /// \return the first problem; "" when there is none
  arrow::Result<std::string> Find() {
    const uint64_t num_rows = check_.reader->fragment().physical_rows;
    for (uint64_t begin = 0; begin < num_rows; begin += kRowsAtOnce) {
      ARROW_RETURN_NOT_OK(check_.run.stop_token.Poll());
      const RowRange rows{begin, std::min(begin + kRowsAtOnce, num_rows)};
      ARROW_ASSIGN_OR_RAISE(const auto values,
                            check_.reader->ReadColumn(check_.field, RowRanges::Make({rows})));
      ARROW_ASSIGN_OR_RAISE(std::string problem, FindIn(rows, values));
      if (!problem.empty()) return problem;
    }
    return "";
  }

 private:
  arrow::Result<std::string> FindIn(const RowRange& rows,
                                    const std::shared_ptr<arrow::Array>& values) {
    const auto& zones = check_.zones.zones;
    const auto end_of = [](const index::Zone& z) { return z.zone_start + z.zone_length; };
    // They ascend and do not overlap, as the rows do.
    while (next_ < zones.size() && end_of(zones[next_]) <= rows.begin) ++next_;
    for (size_t i = next_; i < zones.size() && zones[i].zone_start < rows.end; ++i) {
      const index::Zone& zone = zones[i];
      const uint64_t begin = std::max(rows.begin, zone.zone_start);
      const uint64_t end = std::min(rows.end, end_of(zone));
      if (begin >= end) continue;
      const auto piece = values->Slice(static_cast<int64_t>(begin - rows.begin),
                                       static_cast<int64_t>(end - begin));
      ARROW_ASSIGN_OR_RAISE(const std::string problem, FindInZone(zone, {begin, end}, piece));
      if (!problem.empty()) {
        return "the zone of rows " + std::to_string(zone.zone_start) + " to " +
               std::to_string(zone.zone_start + zone.zone_length - 1) + " " + problem;
      }
    }
    return "";
  }

  arrow::Result<std::string> FindInZone(const index::Zone& zone, const RowRange& rows,
                                        const std::shared_ptr<arrow::Array>& values) {
    ARROW_ASSIGN_OR_RAISE(const auto live, KeepLive(values, rows, check_.live, check_.run.pool()));
    ARROW_ASSIGN_OR_RAISE(std::string problem, FindZoneProblem(zone, live));
    if (!problem.empty() || !check_.zones.null_offsets) return problem;
    const auto wrong = FindWrongNull(*values, rows, check_.live, *check_.zones.null_offsets);
    return wrong ? "has row " + std::to_string(*wrong) + " wrong in its list of nulls" : "";
  }

  const ZonesCheck& check_;
  size_t next_ = 0;  // the first zone that does not end before the rows that come next
};

}  // namespace

arrow::Result<std::string> FindZoneProblem(const index::Zone& zone,
                                           const std::shared_ptr<arrow::Array>& values) {
  if (values->length() == 0) return "";
  const int64_t num_nulls = values->null_count();
  if (num_nulls > 0 && zone.null_count == 0) return "says that there is no null, there is one";
  if (num_nulls < values->length() && zone.null_count >= zone.zone_length) {
    return "says that all values are null, some are not";
  }
  ARROW_ASSIGN_OR_RAISE(const index::Zone actual, ZoneOf(values));
  ARROW_ASSIGN_OR_RAISE(const auto telling, TellingValues(*values, actual));
  for (const auto& value : telling) {
    if (IsHidden(value, zone)) return "does not include the value " + value->ToString();
  }
  return "";
}

arrow::Status CheckZones(const ZonesCheck& check, Findings* findings) {
  const auto problem = ZonesComparison(check).Find();
  if (!problem.ok()) {
    if (problem.status().IsCancelled()) return problem.status();
    // Values that are damaged were found to be so.
    if (problem.status().IsIOError()) {
      findings->AddFailure(check.kind, check.path, problem.status());
    }
    return arrow::Status::OK();
  }
  if (!problem->empty()) {
    findings->Add(check.kind, check.path, check.name, ", fragment ", check.reader->fragment().id,
                  ": ", *problem);
  }
  return arrow::Status::OK();
}

namespace {

/// One zonemap segment against the fragments that it covers.
arrow::Status CheckZonemap(const Dataset::Impl& dataset, const table::IndexMetadata& segment,
                           const format::FieldNode& field, const RunContext& run,
                           Findings* findings) {
  const table::Manifest& manifest = dataset.manifest();
  const std::string path = index::ZonemapPath(segment.uuid, segment.base_id);
  const auto loaded =
      index::LoadZonemap(dataset.store, segment, field.type, manifest.fragments, run);
  if (!loaded.ok()) {
    if (loaded.status().IsCancelled()) return loaded.status();
    const bool is_unsupported = UnsupportedFeature::From(loaded.status()) != nullptr;
    // An index that does not say what it covers is legal, and of no use.
    const bool is_useless = loaded.status().IsInvalid();
    findings->AddFailure(is_unsupported || is_useless ? kIndexUnsupported : kIndexBroken, path,
                         loaded.status());
    return arrow::Status::OK();
  }
  RunContext one_thread = run;
  one_thread.num_threads = 1;
  std::vector<Findings> found(loaded->fragments.size());
  ARROW_RETURN_NOT_OK(
      ParallelFor(static_cast<int>(found.size()), run.num_threads, run.stop_token, [&](int i) {
        const index::FragmentZones& zones = loaded->fragments[static_cast<size_t>(i)];
        const table::Fragment* fragment = manifest.FindFragment(zones.fragment_id);
        if (fragment == nullptr) return arrow::Status::OK();
        FragmentReader reader(dataset.store, *fragment, one_thread);
        const auto live = LiveRows(*dataset.store, *fragment, one_thread);
        Findings* const of_fragment = &found[static_cast<size_t>(i)];
        if (!live.ok()) {
          // Which rows count is not known then; deletion files that are damaged were found to be
          // so.
          if (live.status().IsIOError()) of_fragment->AddFailure(kZoneWrong, path, live.status());
          return live.status().IsCancelled() ? live.status() : arrow::Status::OK();
        }
        return CheckZones({.reader = &reader,
                           .field = field,
                           .zones = zones,
                           .live = *live,
                           .kind = kZoneWrong,
                           .path = path,
                           .name = "index " + segment.name,
                           .run = one_thread},
                          of_fragment);
      }));
  for (const Findings& of_fragment : found) findings->Append(of_fragment);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckIndexContents(const Dataset::Impl& dataset,
                                 const std::unordered_set<std::string>& damaged,
                                 const RunContext& run, Findings* findings) {
  for (const table::IndexMetadata& segment : dataset.manifest().indices) {
    if (!index::IsZonemap(segment) || segment.field_ids.size() != 1) continue;
    const format::FieldNode* field = dataset.FindField(segment.field_ids.front());
    if (field == nullptr || field->kind != format::FieldKind::kLeaf) continue;
    const std::string path = index::ZonemapPath(segment.uuid, segment.base_id);
    if (damaged.contains(path) || damaged.contains(SegmentFolderOf(path))) continue;
    ARROW_RETURN_NOT_OK(CheckZonemap(dataset, segment, *field, run, findings));
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
