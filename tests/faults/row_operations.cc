#include "faulty_operation.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;
using Changes = std::function<arrow::Status(const Dataset&)>;

constexpr const char* kNewRows = R"([[8, 80, "h"], [7, null, "g"]])";

Acts Insert(WriteMode mode, ClusteringRequest declaration = {}) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    InsertBuilder builder(FaultySession::kUri);
    builder.WithMode(mode).WithOpenOptions(handle.options);
    if (!declaration.columns.empty()) builder.WithClustering(declaration);
    ARROW_ASSIGN_OR_RAISE(auto written, builder.Execute(BaseRows(kNewRows)));
    return written.dataset;
  };
}

/// Append by a handle, which may be older than the table.
arrow::Result<Dataset> AppendToHandle(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto written, InsertBuilder(*handle.dataset).Execute(BaseRows(kNewRows)));
  return written.dataset;
}

Acts DeleteWhere(const std::string& filter) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    ARROW_ASSIGN_OR_RAISE(auto deleted, Delete(*handle.dataset, filter));
    return deleted.dataset;
  };
}

Acts UpdateWhere(const std::string& column, const std::string& value, const std::string& filter) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    ARROW_ASSIGN_OR_RAISE(auto updated,
                          Update(*handle.dataset, {.updates = {{column, value}}, .where = filter}));
    return updated.dataset;
  };
}

/// Update 2, insert 9, and delete 6 because the source lacks it.
arrow::Result<Dataset> Upsert(const TableHandle& handle) {
  MergeInsertBuilder builder(*handle.dataset, {"id"});
  builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll().WhenNotMatchedBySourceDelete("id = 6");
  ARROW_ASSIGN_OR_RAISE(auto merged, builder.Execute(BaseRows(R"([[9, 90, "i"], [2, 22, "B"]])")));
  return merged.dataset;
}

arrow::Result<Dataset> DeleteMatched(const TableHandle& handle) {
  MergeInsertBuilder builder(*handle.dataset, {"id"});
  builder.WhenMatchedDelete();
  ARROW_ASSIGN_OR_RAISE(auto merged, builder.Execute(BaseRows(R"([[9, 0, ""], [2, 0, ""]])")));
  return merged.dataset;
}

Changes Rival(const Acts& act) {
  return [=](const Dataset& dataset) { return act({.dataset = dataset}).status(); };
}

Changes RivalAppend() {
  return [](const Dataset& dataset) { return AppendRows(dataset, R"([[9, 90, "i"]])"); };
}

arrow::Status Declare(const Dataset& dataset) {
  return dataset.SetClustering({.columns = {"k", "s"}}).status();
}

std::vector<FaultyOperation> Writes() {
  return {
      {.name = "Create",
       .rows = "7:null:g 8:80:h",
       .act = Insert(WriteMode::kCreate),
       .creates_table = true},
      {.name = "CreateClustered",
       .rows = "7:null:g 8:80:h",
       .act = Insert(WriteMode::kCreate, {.columns = {"k"}}),
       .creates_table = true},
      {.name = "Append",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:null:g 8:80:h",
       .act = Insert(WriteMode::kAppend)},
      {.name = "AppendClustered",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:null:g 8:80:h",
       .act = Insert(WriteMode::kAppend),
       .prepare = Declare},
      {.name = "AppendPastAppend",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:null:g 8:80:h 9:90:i",
       .act = AppendToHandle,
       .rival = RivalAppend()},
      {.name = "Overwrite", .rows = "7:null:g 8:80:h", .act = Insert(WriteMode::kOverwrite)},
      {.name = "OverwriteClustered",
       .rows = "7:null:g 8:80:h",
       .act = Insert(WriteMode::kOverwrite),
       .prepare = Declare},
  };
}

std::vector<FaultyOperation> Deletes() {
  return {
      {.name = "Delete",
       .rows = "1:10:a 3:null:c 4:40:a 6:60:f",
       .act = DeleteWhere("id IN (2, 5)")},
      {.name = "DeleteMore",
       .rows = "1:10:a 4:40:a 5:50:null 6:60:f",
       .act = DeleteWhere("id = 3"),
       .prepare = Rival(DeleteWhere("id = 2"))},
      {.name = "DeleteFragment", .rows = "1:10:a 2:20:b", .act = DeleteWhere("id >= 3")},
      {.name = "DeletePastDelete",
       .rows = "2:20:b 4:40:a 5:50:null 6:60:f",
       .act = DeleteWhere("id = 3"),
       .rival = Rival(DeleteWhere("id = 1"))},
      {.name = "DeletePastDeleteOfTheRest",
       .rows = "4:40:a 5:50:null 6:60:f",
       .act = DeleteWhere("id <= 2"),
       .rival = Rival(DeleteWhere("id = 3"))},
      {.name = "DeletePastAppend",
       .rows = "1:10:a 2:20:b 4:40:a 5:50:null 6:60:f 9:90:i",
       .act = DeleteWhere("id = 3"),
       .rival = RivalAppend()},
      {.name = "DeletePastDeleteOfTheSame",
       .rows = "1:10:a 4:40:a 5:50:null 6:60:f",
       .act = DeleteWhere("id IN (2, 3)"),
       .rival = Rival(DeleteWhere("id = 2"))},
      {.name = "Truncate",
       .rows = "",
       .act = [](const TableHandle& handle) { return Truncate(*handle.dataset); }},
  };
}

std::vector<FaultyOperation> UpdatesAndMerges() {
  return {
      {.name = "Update",
       .rows = "1:11:a 2:20:b 3:null:c 4:41:a 5:50:null 6:60:f",
       .act = UpdateWhere("k", "k + 1", "s = 'a'")},
      {.name = "UpdateClustered",
       .rows = "1:11:a 2:20:b 3:null:c 4:41:a 5:50:null 6:60:f",
       .act = UpdateWhere("k", "k + 1", "s = 'a'"),
       .prepare = Declare},
      {.name = "UpdatePastDelete",
       .rows = "1:0:a 3:null:c 4:40:a 5:50:null 6:60:f",
       .act = UpdateWhere("k", "0", "id = 1"),
       .rival = Rival(DeleteWhere("id = 2"))},
      {.name = "UpdatePastUpdateOfTheSame",
       .rows = "1:0:z 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f",
       .act = UpdateWhere("k", "0", "id = 1"),
       .rival = Rival(UpdateWhere("s", "'z'", "id = 1"))},
      {.name = "MergeInsert",
       .rows = "1:10:a 2:22:B 3:null:c 4:40:a 5:50:null 9:90:i",
       .act = Upsert},
      {.name = "MergeInsertPastDelete",
       .rows = "2:22:B 3:null:c 4:40:a 5:50:null 9:90:i",
       .act = Upsert,
       .rival = Rival(DeleteWhere("id = 1"))},
      {.name = "MergeInsertPastUpdateOfTheSame",
       .rows = "1:10:a 2:22:B 3:null:c 4:40:a 5:50:null 9:90:i",
       .act = Upsert,
       .rival = Rival(UpdateWhere("k", "7", "id = 2"))},
      {.name = "MergeDelete",
       .rows = "1:10:a 3:null:c 4:40:a 5:50:null 6:60:f",
       .act = DeleteMatched},
  };
}

}  // namespace

std::shared_ptr<arrow::Table> BaseRows(const std::string& json) {
  const auto rows =
      TableFromJson({{"id", arrow::int64()}, {"k", arrow::int32()}, {"s", arrow::utf8()}}, json);
  const auto id = arrow::field("id", arrow::int64(), /*nullable=*/false);
  return rows->SetColumn(0, id, rows->column(0)).ValueOrDie();
}

arrow::Status AppendRows(const Dataset& dataset, const std::string& json) {
  return InsertBuilder(dataset).Execute(BaseRows(json)).status();
}

arrow::Result<Dataset> MakeBaseTable(const OpenOptions& options) {
  ARROW_ASSIGN_OR_RAISE(auto written, InsertBuilder(FaultySession::kUri)
                                          .WithOpenOptions(options)
                                          .WithOptions({.max_rows_per_file = 3})
                                          .Execute(BaseRows(R"([
      [1, 10, "a"], [2, 20, "b"], [3, null, "c"], [4, 40, "a"], [5, 50, null], [6, 60, "f"]])")));
  return written.dataset;
}

std::vector<FaultyOperation> RowOperations() {
  std::vector<FaultyOperation> operations = Writes();
  for (auto& operation : Deletes()) operations.push_back(std::move(operation));
  for (auto& operation : UpdatesAndMerges()) operations.push_back(std::move(operation));
  return operations;
}

}  // namespace lance::testing
