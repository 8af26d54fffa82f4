#include "lance/dataset/take_rows.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/row_ids.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/scan.h"
#include "lance/table/feature_flags.h"

namespace lance {
namespace {

/// Turns what names a row into its place: position of the fragment << 32 | offset.
class RowLocator {
 public:
  RowLocator(const Dataset::Impl& dataset, RowSelector by, const RunContext& run)
      : dataset_(dataset),
        manifest_(dataset.manifest()),
        by_(by),
        run_(run),
        begins_(table::FirstRowOffsets(manifest_.fragments)) {
    for (size_t i = 0; i < manifest_.fragments.size(); ++i) {
      positions_.emplace(manifest_.fragments[i].id, i);
    }
  }

  arrow::Result<uint64_t> Locate(uint64_t row) {
    if (by_ == RowSelector::kOffsets) return ByOffset(row);
    if (by_ == RowSelector::kRowIds && table::HasStableRowIds(manifest_)) return ById(row);
    return ByAddress(row);
  }

  /// See LocatedRows.
  const std::vector<uint64_t>& first_row_offsets() const { return begins_; }

 private:
  arrow::Result<uint64_t> ById(uint64_t id) {
    if (ids_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(ids_, dataset_.RowIds(run_));
    }
    const std::optional<RowIdIndex::Place> place = ids_->Find(id);
    if (!place) return arrow::Status::IndexError("row id ", id, " is not in the version");
    return Place(place->fragment, place->offset);
  }

  arrow::Result<uint64_t> ByOffset(uint64_t row) {
    if (row >= begins_.back()) {
      return arrow::Status::IndexError("row ", row, " is asked for, the version has ",
                                       begins_.back());
    }
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), row);
    const auto fragment = static_cast<size_t>(after - begins_.begin()) - 1;
    const uint64_t number = row - begins_[fragment];
    if (!manifest_.fragments[fragment].deletion_file) return Place(fragment, number);
    ARROW_ASSIGN_OR_RAISE(const LiveOffsets* live, LiveOf(fragment));
    const auto range = static_cast<size_t>(std::ranges::upper_bound(live->numbers, number) -
                                           live->numbers.begin()) -
                       1;
    return Place(fragment, live->rows.ranges()[range].begin + number - live->numbers[range]);
  }

  arrow::Result<uint64_t> ByAddress(uint64_t address) {
    const auto found = positions_.find(address >> 32);
    const uint64_t offset = address & 0xffffffff;
    if (found == positions_.end() || offset >= manifest_.fragments[found->second].physical_rows) {
      return arrow::Status::IndexError("row address ", address, " (fragment ", address >> 32,
                                       ", offset ", offset, ") is not in the version");
    }
    if (manifest_.fragments[found->second].deletion_file) {
      ARROW_ASSIGN_OR_RAISE(const LiveOffsets* live, LiveOf(found->second));
      if (!live->rows.Intersects({offset, offset + 1})) {
        return arrow::Status::IndexError("row address ", address, " (fragment ", address >> 32,
                                         ", offset ", offset, ") is of a deleted row");
      }
    }
    return Place(found->second, offset);
  }

  /// The rows of a fragment that are not deleted, and the number of the first row of each range.
  struct LiveOffsets {
    RowRanges rows;
    std::vector<uint64_t> numbers;
  };

  arrow::Result<const LiveOffsets*> LiveOf(size_t position) {
    const auto [found, is_new] = live_.try_emplace(position);
    LiveOffsets& live = found->second;
    if (!is_new) return &live;
    ARROW_ASSIGN_OR_RAISE(live.rows,
                          LiveRows(*dataset_.store, manifest_.fragments[position], run_));
    uint64_t number = 0;
    for (const RowRange& range : live.rows.ranges()) {
      live.numbers.push_back(number);
      number += range.size();
    }
    return &live;
  }

  static uint64_t Place(size_t fragment, uint64_t offset) {
    return uint64_t{fragment} << 32 | offset;
  }

  const Dataset::Impl& dataset_;
  const table::Manifest& manifest_;
  RowSelector by_;
  RunContext run_;
  std::vector<uint64_t> begins_;
  std::shared_ptr<const RowIdIndex> ids_;  // null: not needed yet
  std::map<size_t, LiveOffsets> live_;
  std::map<uint64_t, size_t> positions_;
};

/// Read the located rows of one fragment, all columns.
arrow::Result<arrow::ArrayVector> ReadFragment(const Scanner::Impl& scan, size_t position,
                                               const LocatedRows& located, const RunContext& run) {
  const RowRanges& rows = located.fragments.at(position);
  const table::Fragment& fragment = scan.dataset->manifest().fragments[position];
  FragmentReader reader(scan.dataset->store, fragment, run);
  reader.set_blob_form(BlobFormOf(scan.options));
  reader.UseCacheOf(*scan.dataset);
  std::vector<const format::FieldNode*> fields;
  arrow::FieldVector names;
  for (const format::FieldNode& source : scan.sources) {
    fields.push_back(&source);
    names.push_back(arrow::field(source.name, WithBlobForm(source, BlobFormOf(scan.options)).type));
  }
  ARROW_ASSIGN_OR_RAISE(auto values, reader.ReadColumns(fields, rows));
  if (fields.empty()) ARROW_RETURN_NOT_OK(reader.CheckRowCount());
  SystemColumnReader system_columns(&reader, table::HasStableRowIds(scan.dataset->manifest()), run);
  system_columns.set_first_row_offset(located.first_row_offsets[position]);
  return MakeOutput(
      *scan.dataset, scan.columns,
      arrow::RecordBatch::Make(arrow::schema(std::move(names)),
                               static_cast<int64_t>(rows.num_rows()), std::move(values)),
      rows, [&](SystemColumn column, const RowRanges& wanted) {
        return system_columns.Read(column, wanted);
      });
}

}  // namespace

arrow::Result<LocatedRows> LocateRows(const Dataset::Impl& dataset, const TakeRequest& request,
                                      const RunContext& run) {
  RowLocator locator(dataset, request.by, run);
  std::vector<uint64_t> places(request.rows.size());
  for (size_t i = 0; i < places.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(places[i], locator.Locate(request.rows[i]));
  }
  LocatedRows located{.first_row_offsets = locator.first_row_offsets()};
  located.plan = PlanTake(places);
  std::map<size_t, std::vector<RowRange>> by_fragment;
  for (const RowRange& range : located.plan.rows.ranges()) {
    const uint64_t offset = range.begin & 0xffffffff;
    by_fragment[range.begin >> 32].push_back({offset, offset + range.size()});
  }
  for (auto& [position, ranges] : by_fragment) {
    located.fragments.emplace(position, RowRanges::Make(std::move(ranges)));
  }
  return located;
}

arrow::Result<std::shared_ptr<arrow::Table>> TakeForScan(const Scanner::Impl& scan,
                                                         const TakeRequest& request,
                                                         const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const LocatedRows located, LocateRows(*scan.dataset, request, run));
  std::vector<arrow::ArrayVector> pieces(scan.columns.size());
  for (const auto& [position, rows] : located.fragments) {
    ARROW_ASSIGN_OR_RAISE(auto columns, ReadFragment(scan, position, located, run));
    for (size_t i = 0; i < columns.size(); ++i) pieces[i].push_back(std::move(columns[i]));
  }
  arrow::ArrayVector joined;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const auto& type = scan.schema->field(static_cast<int>(i))->type();
    if (pieces[i].empty()) {
      ARROW_ASSIGN_OR_RAISE(auto none, arrow::MakeEmptyArray(type));
      pieces[i].push_back(std::move(none));
    }
    ARROW_ASSIGN_OR_RAISE(auto column,
                          pieces[i].size() == 1
                              ? arrow::Result<std::shared_ptr<arrow::Array>>(pieces[i][0])
                              : arrow::Concatenate(pieces[i]));
    joined.push_back(std::move(column));
  }
  ARROW_ASSIGN_OR_RAISE(joined, ReorderTaken(located.plan, std::move(joined), run));
  return arrow::Table::Make(scan.schema, std::move(joined),
                            static_cast<int64_t>(request.rows.size()));
}

arrow::Result<std::shared_ptr<arrow::Table>> Take(const Dataset& dataset,
                                                  const TakeRequest& request,
                                                  const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const auto scan,
                        Scanner::Impl::Make(dataset.impl().shared_from_this(),
                                            {.columns = request.columns,
                                             .computed_columns = request.computed_columns,
                                             .blob_handling = request.blob_handling},
                                            MemberShape::kNested));
  return TakeForScan(*scan, request, dataset.impl().Run(call));
}

}  // namespace lance
