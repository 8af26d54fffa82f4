#include "lance/dataset/rewrite_moves.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "lance/table/deletion_file.h"

namespace lance {

namespace {

/// The offsets of a fragment's rows that are not deleted.
arrow::Result<RoaringBitmap> Survivors(ObjectStore& store, const table::Fragment& fragment,
                                       const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const RoaringBitmap deleted, table::ReadDeletions(store, fragment, run));
  RoaringBitmap survivors;
  survivors.AddRange(0, fragment.physical_rows);
  survivors -= deleted;
  return survivors;
}

}  // namespace

arrow::Result<std::vector<table::MovedGroup>> MovesOf(ObjectStore& store,
                                                      const std::vector<ExecutedRewrite>& rewrites,
                                                      uint64_t first_id, const RunContext& run) {
  std::vector<table::MovedGroup> groups;
  for (const ExecutedRewrite& rewrite : rewrites) {
    table::MovedGroup group{.places = rewrite.places};
    for (const table::Fragment& source : *rewrite.sources) {
      ARROW_ASSIGN_OR_RAISE(RoaringBitmap survivors, Survivors(store, source, run));
      group.sources.push_back({static_cast<uint32_t>(source.id), std::move(survivors)});
    }
    for (const table::Fragment& output : *rewrite.outputs) {
      group.targets.push_back({static_cast<uint32_t>(first_id++), output.physical_rows});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

arrow::Result<std::shared_ptr<const std::vector<uint32_t>>> PlacesOf(
    ObjectStore& store, const std::vector<table::Fragment>& sources,
    std::span<const uint64_t> addresses, const RunContext& run) {
  if (addresses.size() > std::numeric_limits<uint32_t>::max()) return nullptr;
  struct Source {
    RoaringBitmap survivors;
    uint64_t first_rank;
  };
  std::unordered_map<uint32_t, Source> by_id;
  uint64_t rank = 0;
  for (const table::Fragment& source : sources) {
    ARROW_ASSIGN_OR_RAISE(RoaringBitmap survivors, Survivors(store, source, run));
    const uint64_t num_rows = survivors.size();
    by_id.emplace(static_cast<uint32_t>(source.id), Source{std::move(survivors), rank});
    rank += num_rows;
  }
  if (rank != addresses.size()) {
    return arrow::Status::Invalid(addresses.size(), " rows were sorted, the sources have ", rank);
  }
  auto places = std::make_shared<std::vector<uint32_t>>(addresses.size());
  for (size_t place = 0; place < addresses.size(); ++place) {
    const auto offset = static_cast<uint32_t>(addresses[place]);
    const auto source = by_id.find(static_cast<uint32_t>(addresses[place] >> 32));
    if (source == by_id.end() || !source->second.survivors.Contains(offset)) {
      return arrow::Status::Invalid("row ", addresses[place], " is none of the sources' rows");
    }
    (*places)[source->second.first_rank + source->second.survivors.Rank(offset)] =
        static_cast<uint32_t>(place);
  }
  return places;
}

arrow::Result<std::vector<table::ReuseGroup>> RecordOf(
    const std::vector<ExecutedRewrite>& rewrites, const std::vector<table::MovedGroup>& groups) {
  std::vector<table::ReuseGroup> record;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto& sources = *rewrites[i].sources;
    if (!std::ranges::is_sorted(sources, {}, &table::Fragment::id)) {
      return arrow::Status::Invalid(
          rewrites[i].name, " has its sources in another order than that of their ids; allowed: "
                            "defer_index_remap = false");
    }
    table::ReuseGroup group;
    for (const table::Fragment& source : sources) {
      group.old_fragments.push_back({.id = source.id,
                                     .physical_rows = source.physical_rows,
                                     .num_deleted_rows = source.physical_rows - source.live_rows()});
    }
    for (const auto& source : groups[i].sources) {
      if (!source.survivors.empty()) group.survivors.emplace(source.id, source.survivors);
    }
    for (const auto& target : groups[i].targets) {
      group.new_fragments.push_back({.id = target.id, .physical_rows = target.num_rows});
    }
    record.push_back(std::move(group));
  }
  return record;
}

}  // namespace lance
