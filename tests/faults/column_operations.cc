#include "faulty_operation.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;

Acts Add(AddColumnsRequest request) {
  return [=](const TableHandle& handle) { return AddColumns(*handle.dataset, request); };
}

Acts Alter(ColumnAlteration alteration) {
  return [=](const TableHandle& handle) { return AlterColumns(*handle.dataset, {alteration}); };
}

arrow::Status Declare(const Dataset& dataset) {
  return dataset.SetClustering({.columns = {"k", "s"}}).status();
}

arrow::Status DeleteNullKeys(const Dataset& dataset) {
  return Delete(dataset, "k IS NULL").status();
}

arrow::Status IndexKeys(const Dataset& dataset) {
  return CreateIndex(dataset, {.column = "k", .rows_per_zone = 2}).status();
}

AddColumnsRequest Sql() {
  return {.values = std::vector<ComputedColumn>{{"x", "id * 2"}, {"y", "s || '!'"}}};
}

AddColumnsRequest Rows() {
  return {.values = BatchSource(
              TableFromJson({{"x", arrow::int8()}}, "[[1], [2], [null], [4], [5], [6]]"))};
}

AddColumnsRequest Nulls() { return {.values = arrow::schema({arrow::field("x", arrow::utf8())})}; }

AddColumnsRequest Function() {
  const auto schema = arrow::schema({arrow::field("x", arrow::int64())});
  const BatchFunction function =
      [schema](
          const arrow::RecordBatch& batch) -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    return arrow::RecordBatch::Make(schema, batch.num_rows(), {batch.column(0)});
  };
  return {.values = function, .function_schema = schema, .read_columns = {"id"}};
}

arrow::Result<Dataset> Join(const TableHandle& handle) {
  const auto right = TableFromJson({{"k", arrow::int32()}, {"x", arrow::utf8()}},
                                   R"([[60, "sixty"], [10, "ten"], [70, "none"]])");
  return MergeColumns(*handle.dataset, {.right = right, .left_on = "k"});
}

}  // namespace

std::vector<FaultyOperation> ColumnOperations() {
  return {
      {.name = "AddColumnsSql",
       .rows = "1:10:a:2:a! 2:20:b:4:b! 3:null:c:6:c! 4:40:a:8:a! 5:50:null:10:null 6:60:f:12:f!",
       .act = Add(Sql())},
      {.name = "AddColumnsSqlPastDeletions",
       .rows = "1:10:a:2:a! 2:20:b:4:b! 4:40:a:8:a! 5:50:null:10:null 6:60:f:12:f!",
       .act = Add(Sql()),
       .prepare = DeleteNullKeys},
      {.name = "AddColumnsRows",
       .rows = "1:10:a:1 2:20:b:2 3:null:c:null 4:40:a:4 5:50:null:5 6:60:f:6",
       .act = Add(Rows())},
      {.name = "AddColumnsNull",
       .rows = "1:10:a:null 2:20:b:null 3:null:c:null 4:40:a:null 5:50:null:null 6:60:f:null",
       .act = Add(Nulls())},
      {.name = "AddColumnsFunction",
       .rows = "1:10:a:1 2:20:b:2 3:null:c:3 4:40:a:4 5:50:null:5 6:60:f:6",
       .act = Add(Function())},
      {.name = "MergeColumns",
       .rows = "1:10:a:ten 2:20:b:null 3:null:c:null 4:40:a:null 5:50:null:null 6:60:f:sixty",
       .act = Join},
      {.name = "DropColumns",
       .rows = "1:a 2:b 3:c 4:a 5:null 6:f",
       .act = [](const TableHandle& handle) { return DropColumns(*handle.dataset, {"k"}); },
       .prepare = IndexKeys},
      {.name = "RenameColumn", .rows = kBaseRows, .act = Alter({.path = "k", .name = "n"})},
      {.name = "RenameClusteringColumn",
       .rows = kBaseRows,
       .act = Alter({.path = "k", .name = "n"}),
       .prepare = Declare},
      {.name = "CastColumn",
       .rows = kBaseRows,
       .act = Alter({.path = "k", .data_type = arrow::int64()})},
      {.name = "CastClusteringColumn",
       .rows = kBaseRows,
       .act = Alter({.path = "k", .data_type = arrow::int16()}),
       .prepare = Declare},
      {.name = "AllowNulls", .rows = kBaseRows, .act = Alter({.path = "id", .nullable = true})},
      {.name = "RefuseNulls",
       .rows = "1:10:a 2:20:b 4:40:a 5:50:null 6:60:f",
       .act = Alter({.path = "k", .nullable = false}),
       .prepare = DeleteNullKeys},
  };
}

}  // namespace lance::testing
