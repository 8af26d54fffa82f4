#include <utility>

#include "faulty_operation.h"
#include "lance/index.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;

constexpr const char* kOneMoreRow = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 9:90:i";

Acts Creating(IndexType type) {
  return [=](const TableHandle& handle) {
    return CreateIndex(*handle.dataset, {.column = "k", .type = type});
  };
}

/// Indices of all kinds that know nothing of the last row.
arrow::Status PrepareIndices(const Dataset& dataset) {
  ARROW_ASSIGN_OR_RAISE(Dataset indexed,
                        CreateIndex(dataset, {.column = "k", .type = IndexType::kBTree}));
  ARROW_ASSIGN_OR_RAISE(indexed,
                        CreateIndex(indexed, {.column = "s", .type = IndexType::kBitmap}));
  return AppendRows(indexed, R"([[9, 90, "i"]])");
}

arrow::Status RivalAppend(const Dataset& dataset) {
  return AppendRows(dataset, R"([[9, 90, "i"]])");
}

/// Makes an index of the name that the operation wants.
arrow::Status RivalIndex(const Dataset& dataset) {
  return CreateIndex(dataset, {.column = "k", .name = "k_idx"}).status();
}

arrow::Result<Dataset> Optimize(const TableHandle& handle) {
  return OptimizeIndices(*handle.dataset);
}

arrow::Result<Dataset> Append(const TableHandle& handle) {
  return OptimizeIndices(*handle.dataset, {.num_segments_to_merge = 0});
}

arrow::Result<Dataset> Drop(const TableHandle& handle) {
  return DropIndex(*handle.dataset, "s_idx");
}

}  // namespace

std::vector<FaultyOperation> IndexOperations() {
  return {
      {.name = "CreateBTree", .rows = kBaseRows, .act = Creating(IndexType::kBTree)},
      {.name = "CreateBitmapPastAppend",
       .rows = kOneMoreRow,
       .act = Creating(IndexType::kBitmap),
       .rival = RivalAppend},
      {.name = "CreateBTreePastAnother",
       .rows = kBaseRows,
       .act = [](const TableHandle& handle) {
         return CreateIndex(*handle.dataset,
                            {.column = "k", .type = IndexType::kBTree, .name = "k_idx"});
       },
       .rival = RivalIndex},
      {.name = "OptimizeIndices", .rows = kOneMoreRow, .act = Optimize, .prepare = PrepareIndices},
      {.name = "AppendSegments", .rows = kOneMoreRow, .act = Append, .prepare = PrepareIndices},
      {.name = "DropBitmap", .rows = kOneMoreRow, .act = Drop, .prepare = PrepareIndices},
  };
}

}  // namespace lance::testing
