#include <utility>

#include "faulty_operation.h"
#include "lance/compaction.h"
#include "lance/index.h"
#include "lance/optimize.h"

namespace lance::testing {
namespace {

/// Indices that name rows, and a row that compaction drops.
arrow::Status IndexAndDeleteThird(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(const Dataset first,
                        CreateIndex(dataset, {.column = "id", .type = IndexType::kBTree}));
  ARROW_ASSIGN_OR_RAISE(const Dataset second,
                        CreateIndex(first, {.column = "k", .type = IndexType::kBitmap}));
  return Delete(second, "id = 3").status();
}

arrow::Result<Dataset> CompactDeferred(const Dataset& dataset) {
  CompactionOptions options;
  options.defer_index_remap = true;
  ARROW_ASSIGN_OR_RAISE(auto result, Compact(dataset, options));
  return result.dataset;
}

arrow::Status IndexAndDefer(const Dataset& dataset) {
  ARROW_RETURN_NOT_OK(IndexAndDeleteThird(dataset));
  ARROW_ASSIGN_OR_RAISE(const Dataset newest, dataset.Checkout());
  return CompactDeferred(newest).status();
}

arrow::Status IndexAndDeclare(const Dataset& dataset) {
  ARROW_RETURN_NOT_OK(IndexAndDeleteThird(dataset));
  ARROW_ASSIGN_OR_RAISE(const Dataset newest, dataset.Checkout());
  return newest.SetClustering({.columns = {"k"}}).status();
}

}  // namespace

std::vector<FaultyOperation> IndexRewriteOperations() {
  constexpr const char* kWithoutThird = "1:10:a 2:20:b 4:40:a 5:50:null 6:60:f";
  return {
      {.name = "CompactWithIndices",
       .rows = kWithoutThird,
       .act =
           [](const TableHandle& handle) -> arrow::Result<Dataset> {
             ARROW_ASSIGN_OR_RAISE(auto result, Compact(*handle.dataset, CompactionOptions()));
             return result.dataset;
           },
       .prepare = IndexAndDeleteThird,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
      {.name = "CompactDeferred",
       .rows = kWithoutThird,
       .act = [](const TableHandle& handle) { return CompactDeferred(*handle.dataset); },
       .prepare = IndexAndDeleteThird,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
      {.name = "ClusterWithIndices",
       .rows = kWithoutThird,
       .act =
           [](const TableHandle& handle) -> arrow::Result<Dataset> {
             ARROW_ASSIGN_OR_RAISE(auto result, CompactFilesWithClustering(*handle.dataset));
             return result.dataset;
           },
       .prepare = IndexAndDeclare,
       .is_rewrite = true},
      // Segments are written again in one commit, the record is forgotten in another.
      {.name = "CatchUpWithWhatWasDeferred",
       .rows = kWithoutThird,
       .act = [](const TableHandle& handle) { return OptimizeIndices(*handle.dataset); },
       .prepare = IndexAndDefer,
       .is_rewrite = true,
       .refreshes_zonemaps = false},
  };
}

}  // namespace lance::testing
