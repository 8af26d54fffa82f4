#include "lance/table/row_moves.h"

#include <algorithm>
#include <utility>

#include "lance/base/checked_math.h"

namespace lance::table {

arrow::Result<RowMoves> RowMoves::Make(std::vector<MovedGroup> groups) {
  RowMoves moves;
  for (MovedGroup& group : groups) ARROW_RETURN_NOT_OK(moves.Add(std::move(group)));
  std::ranges::sort(moves.sources_, {}, &Source::id);
  return moves;
}

arrow::Status RowMoves::Add(MovedGroup moved) {
  Group group;
  uint64_t num_survivors = 0;
  for (MovedGroup::Source& source : moved.sources) {
    if (source_ids_.Contains(source.id)) {
      return arrow::Status::Invalid("fragment ", source.id, " is replaced twice; allowed: once");
    }
    source_ids_.Add(source.id);
    group.source_ids.Add(source.id);
    const uint64_t first_rank = num_survivors;
    num_survivors += source.survivors.size();
    sources_.push_back({source.id, groups_.size(), first_rank, std::move(source.survivors)});
  }
  uint64_t num_places = 0;
  for (const MovedGroup::Target& target : moved.targets) {
    group.target_ids.Add(target.id);
    if (target.num_rows > 0) group.targets.push_back({target.id, num_places});
    uint64_t end = 0;
    if (target.num_rows > uint64_t{1} << 32 ||
        __builtin_add_overflow(num_places, target.num_rows, &end)) {
      return arrow::Status::Invalid("new fragment ", target.id, " has ", target.num_rows, " rows");
    }
    num_places = end;
  }
  const bool fits = moved.places == nullptr || moved.places->size() == num_places;
  if (num_survivors != num_places || !fits) {
    return arrow::Status::Invalid(num_survivors, " rows of old fragments survive, the new ones ",
                                  "have ", num_places);
  }
  group.places = std::move(moved.places);
  groups_.push_back(std::move(group));
  return arrow::Status::OK();
}

std::optional<uint64_t> RowMoves::Map(uint64_t address) const {
  const auto fragment = static_cast<uint32_t>(address >> 32);
  const auto offset = static_cast<uint32_t>(address);
  const auto source = std::ranges::lower_bound(sources_, fragment, {}, &Source::id);
  if (source == sources_.end() || source->id != fragment) return address;
  if (!source->survivors.Contains(offset)) return std::nullopt;
  const Group& group = groups_[source->group];
  uint64_t place = source->first_rank + source->survivors.Rank(offset);
  if (group.places != nullptr) place = (*group.places)[place];
  const auto behind = std::ranges::upper_bound(group.targets, place, {}, &Target::first_place);
  const Target& target = *std::prev(behind);  // the first one starts at 0
  return uint64_t{target.id} << 32 | (place - target.first_place);
}

const RoaringBitmap* RowMoves::FindSurvivors(uint32_t fragment_id) const {
  const auto source = std::ranges::lower_bound(sources_, fragment_id, {}, &Source::id);
  return source == sources_.end() || source->id != fragment_id ? nullptr : &source->survivors;
}

void RowMoves::MoveCoverage(RoaringBitmap* coverage) const {
  for (const Group& group : groups_) {
    if (!coverage->Intersects(group.source_ids)) continue;
    RoaringBitmap missing = group.source_ids;
    missing -= *coverage;
    *coverage -= group.source_ids;
    if (missing.empty()) *coverage |= group.target_ids;
  }
}

bool RowMoves::Straddles(const RoaringBitmap& coverage) const {
  return std::ranges::any_of(groups_, [&](const Group& group) {
    RoaringBitmap missing = group.source_ids;
    missing -= coverage;
    return !missing.empty() && coverage.Intersects(group.source_ids);
  });
}

}  // namespace lance::table
