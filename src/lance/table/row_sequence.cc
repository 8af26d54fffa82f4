#include "lance/table/row_sequence.h"

#include <algorithm>

#include "lance/base/check.h"

namespace lance::table {
namespace {

/// The run that holds a row.
template <typename Run>
const Run& RunOf(const std::vector<Run>& runs, uint64_t row) {
  const auto behind = std::ranges::upper_bound(runs, row, {}, &Run::first_row);
  LANCE_DCHECK(behind != runs.begin());
  return *std::prev(behind);
}

}  // namespace

void RowIdSequence::Append(uint64_t first_id, uint64_t length) {
  if (length == 0) return;
  if (!runs_.empty() && runs_.back().first_id + runs_.back().length == first_id) {
    runs_.back().length += length;
  } else {
    runs_.push_back({num_rows_, first_id, length});
  }
  num_rows_ += length;
}

uint64_t RowIdSequence::IdOf(uint64_t row) const {
  LANCE_DCHECK(row < num_rows_);
  const Run& run = RunOf(runs_, row);
  return run.first_id + (row - run.first_row);
}

RowIdSequence RowIdSequence::Select(const RowRanges& rows) const {
  RowIdSequence selected;
  auto run = runs_.begin();
  for (const RowRange& range : rows.ranges()) {
    for (uint64_t row = range.begin; row < range.end;) {
      while (run->first_row + run->length <= row) ++run;
      const uint64_t end = std::min(range.end, run->first_row + run->length);
      selected.Append(run->first_id + (row - run->first_row), end - row);
      row = end;
    }
  }
  return selected;
}

VersionSequence VersionSequence::Of(uint64_t version, uint64_t num_rows) {
  VersionSequence sequence;
  sequence.Append(version, num_rows);
  return sequence;
}

void VersionSequence::Append(uint64_t version, uint64_t length) {
  if (length == 0) return;
  if (!runs_.empty() && runs_.back().version == version) {
    runs_.back().length += length;
  } else {
    runs_.push_back({num_rows_, version, length});
  }
  num_rows_ += length;
}

uint64_t VersionSequence::VersionOf(uint64_t row) const {
  LANCE_DCHECK(row < num_rows_);
  return RunOf(runs_, row).version;
}

}  // namespace lance::table
