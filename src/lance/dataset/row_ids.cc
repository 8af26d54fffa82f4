#include "lance/dataset/row_ids.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "arrow/status.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/table/feature_flags.h"
#include "lance/table/row_lineage.h"

namespace lance {
namespace {

/// The sequences of a version's fragments, each read when it is first asked for.
class SourceLineage {
 public:
  SourceLineage(std::shared_ptr<ObjectStore> store, const table::Manifest& manifest,
                const RunContext& run)
      : store_(std::move(store)), manifest_(manifest), run_(run) {}

  arrow::Result<SystemColumnReader*> Of(uint64_t fragment_id) {
    const auto found = sources_.find(fragment_id);
    if (found != sources_.end()) return &found->second->columns;
    const table::Fragment* fragment = manifest_.FindFragment(fragment_id);
    if (fragment == nullptr) {
      return InternalError("rows of fragment " + std::to_string(fragment_id) +
                           ", which is not there");
    }
    auto source = std::make_unique<Source>(store_, *fragment, run_);
    return &sources_.emplace(fragment_id, std::move(source)).first->second->columns;
  }

 private:
  struct Source {
    Source(const std::shared_ptr<ObjectStore>& store, const table::Fragment& fragment,
           const RunContext& run)
        : reader(store, fragment, run), columns(&reader, /*has_stable_row_ids=*/true, run) {}
    FragmentReader reader;
    SystemColumnReader columns;
  };

  std::shared_ptr<ObjectStore> store_;
  const table::Manifest& manifest_;
  RunContext run_;
  std::map<uint64_t, std::unique_ptr<Source>> sources_;
};

/// Fill in one fragment. \param addresses of its first rows
arrow::Status CarryInto(std::span<const uint64_t> addresses, RowsMoved how, SourceLineage* lineage,
                        table::Fragment* fragment) {
  table::RowIdSequence ids;
  table::VersionSequence created;
  table::VersionSequence updated;
  for (const uint64_t address : addresses) {
    const uint64_t offset = address & 0xffffffff;
    ARROW_ASSIGN_OR_RAISE(SystemColumnReader * source, lineage->Of(address >> 32));
    ARROW_ASSIGN_OR_RAISE(const auto* source_ids, source->RowIds());
    ARROW_ASSIGN_OR_RAISE(const auto* source_created, source->CreatedAt());
    ids.Append(source_ids->IdOf(offset), 1);
    created.Append(source_created->VersionOf(offset), 1);
    if (how == RowsMoved::kChanged) continue;
    ARROW_ASSIGN_OR_RAISE(const auto* source_updated, source->LastUpdatedAt());
    updated.Append(source_updated->VersionOf(offset), 1);
  }
  fragment->row_ids = table::StoreInline(ids);
  fragment->created_at_versions = table::StoreInline(created);
  if (how == RowsMoved::kUnchanged)
    fragment->last_updated_at_versions = table::StoreInline(updated);
  return arrow::Status::OK();
}

void AppendRun(const table::RowIdSequence::Run& run, uint64_t skipped, uint64_t length,
               table::RowIdSequence* to) {
  to->Append(run.first_id + skipped, length);
}

void AppendRun(const table::VersionSequence::Run& run, uint64_t /*skipped*/, uint64_t length,
               table::VersionSequence* to) {
  to->Append(run.version, length);
}

/// Append the values of some rows of a sequence. \pre it has them
template <typename Sequence>
void AppendRows(const Sequence& from, RowRange rows, Sequence* to) {
  using Run = typename Sequence::Run;
  auto run = std::ranges::upper_bound(from.runs(), rows.begin, {}, &Run::first_row);
  if (run != from.runs().begin()) --run;
  for (; run != from.runs().end() && run->first_row < rows.end; ++run) {
    const uint64_t begin = std::max(rows.begin, run->first_row);
    const uint64_t end = std::min(rows.end, run->first_row + run->length);
    if (begin < end) AppendRun(*run, begin - run->first_row, end - begin, to);
  }
}

/// The sequences of the live rows of several fragments, one behind the other.
struct OrderedLineage {
  table::RowIdSequence ids;
  table::VersionSequence created;
  table::VersionSequence updated;

  /// Store the part of rows [begin, end) with the fragment that has them.
  void Store(RowRange rows, table::Fragment* fragment) const {
    OrderedLineage part;
    AppendRows(ids, rows, &part.ids);
    AppendRows(created, rows, &part.created);
    AppendRows(updated, rows, &part.updated);
    fragment->row_ids = table::StoreInline(part.ids);
    fragment->created_at_versions = table::StoreInline(part.created);
    fragment->last_updated_at_versions = table::StoreInline(part.updated);
  }
};

}  // namespace

arrow::Result<std::shared_ptr<const RowIdIndex>> RowIdIndex::Make(
    const std::shared_ptr<ObjectStore>& store, const table::Manifest& manifest,
    const RunContext& run) {
  auto index = std::make_shared<RowIdIndex>();
  for (size_t i = 0; i < manifest.fragments.size(); ++i) {
    const table::Fragment& fragment = manifest.fragments[i];
    FragmentReader reader(store, fragment, run);
    SystemColumnReader columns(&reader, /*has_stable_row_ids=*/true, run);
    ARROW_ASSIGN_OR_RAISE(const auto* ids, columns.RowIds());
    // An updated row has its id in two places, and is deleted in one.
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, LiveRows(*store, fragment, run));
    auto range = live.ranges().begin();
    for (const table::RowIdSequence::Run& stored : ids->runs()) {
      const uint64_t end = stored.first_row + stored.length;
      while (range != live.ranges().end() && range->end <= stored.first_row) ++range;
      for (auto part = range; part != live.ranges().end() && part->begin < end; ++part) {
        const uint64_t first = std::max(part->begin, stored.first_row);
        const uint64_t length = std::min(part->end, end) - first;
        index->runs_.push_back({stored.first_id + (first - stored.first_row), length, first, i});
      }
    }
  }
  std::ranges::sort(index->runs_, {}, &Run::first_id);
  for (size_t i = 1; i < index->runs_.size(); ++i) {
    const Run& last = index->runs_[i - 1];
    if (last.first_id + last.length <= index->runs_[i].first_id) continue;
    return arrow::Status::SerializationError(
        "row id ", index->runs_[i].first_id, " is that of rows in fragments ",
        manifest.fragments[last.fragment].id, " and ",
        manifest.fragments[index->runs_[i].fragment].id, "; allowed: one live row");
  }
  return index;
}

std::optional<RowIdIndex::Place> RowIdIndex::Find(uint64_t id) const {
  const auto behind = std::ranges::upper_bound(runs_, id, {}, &Run::first_id);
  if (behind == runs_.begin()) return std::nullopt;
  const Run& run = *std::prev(behind);
  if (id - run.first_id >= run.length) return std::nullopt;
  return Place{run.fragment, run.first_row + (id - run.first_id)};
}

RowRanges RowIdIndex::Ids() const {
  std::vector<RowRange> ranges;
  ranges.reserve(runs_.size());
  for (const Run& run : runs_) ranges.push_back({run.first_id, run.first_id + run.length});
  return RowRanges::Make(std::move(ranges));
}

arrow::Result<std::shared_ptr<const RowIdIndex>> Dataset::Impl::RowIds(
    const RunContext& run) const {
  const std::lock_guard lock(lazy_->mutex);
  if (lazy_->row_ids == nullptr) {
    ARROW_ASSIGN_OR_RAISE(lazy_->row_ids, RowIdIndex::Make(store, manifest(), run));
  }
  return lazy_->row_ids;
}

arrow::Status CarryLineage(const std::shared_ptr<ObjectStore>& store,
                           const table::Manifest& manifest, std::span<const uint64_t> addresses,
                           RowsMoved how, const RunContext& run,
                           std::vector<table::Fragment>* fragments) {
  if (!table::HasStableRowIds(manifest)) return arrow::Status::OK();
  SourceLineage lineage(store, manifest, run);
  for (table::Fragment& fragment : *fragments) {
    const uint64_t moved = std::min<uint64_t>(addresses.size(), fragment.physical_rows);
    ARROW_RETURN_NOT_OK(CarryInto(addresses.first(moved), how, &lineage, &fragment));
    addresses = addresses.subspan(moved);
  }
  return arrow::Status::OK();
}

arrow::Status CarryOrderedLineage(const std::shared_ptr<ObjectStore>& store,
                                  const table::Manifest& manifest,
                                  const std::vector<table::Fragment>& sources,
                                  const RunContext& run, std::vector<table::Fragment>* fragments) {
  if (!table::HasStableRowIds(manifest)) return arrow::Status::OK();
  OrderedLineage lineage;
  for (const table::Fragment& source : sources) {
    FragmentReader reader(store, source, run);
    SystemColumnReader columns(&reader, /*has_stable_row_ids=*/true, run);
    ARROW_ASSIGN_OR_RAISE(const auto* ids, columns.RowIds());
    ARROW_ASSIGN_OR_RAISE(const auto* created, columns.CreatedAt());
    ARROW_ASSIGN_OR_RAISE(const auto* updated, columns.LastUpdatedAt());
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, LiveRows(*store, source, run));
    for (const RowRange& range : live.ranges()) {
      AppendRows(*ids, range, &lineage.ids);
      AppendRows(*created, range, &lineage.created);
      AppendRows(*updated, range, &lineage.updated);
    }
  }
  uint64_t row = 0;
  for (table::Fragment& fragment : *fragments) {
    lineage.Store({row, row + fragment.physical_rows}, &fragment);
    row += fragment.physical_rows;
  }
  return arrow::Status::OK();
}

}  // namespace lance
