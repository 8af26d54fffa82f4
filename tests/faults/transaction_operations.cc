#include <utility>

#include "faulty_operation.h"
#include "lance/transaction.h"

namespace lance::testing {
namespace {

using Acts = std::function<arrow::Result<Dataset>(const TableHandle&)>;
using Makes = std::function<arrow::Result<Transaction>(const Dataset&)>;

Acts Committing(Makes make) {
  return [=](const TableHandle& handle) -> arrow::Result<Dataset> {
    ARROW_ASSIGN_OR_RAISE(const Transaction transaction, make(*handle.dataset));
    return CommitTransaction(*handle.dataset, transaction);
  };
}

arrow::Result<Transaction> Append(const Dataset& dataset) {
  return InsertBuilder(dataset).ExecuteUncommitted(BaseRows(R"([[7, 70, "g"]])"));
}

/// Update 2 and insert 9.
arrow::Result<Transaction> Upsert(const Dataset& dataset) {
  MergeInsertBuilder builder(dataset, {"id"});
  builder.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
  return builder.ExecuteUncommitted(BaseRows(R"([[9, 90, "i"], [2, 22, "B"]])"));
}

arrow::Result<Transaction> RestoreFirst(const Dataset& dataset) {
  return MakeRestoreTransaction(dataset, {.version = 1});
}

arrow::Result<Transaction> AddBase(const Dataset& dataset) {
  return MakeUpdateBasesTransaction(
      dataset, {.new_bases = {{.path = "fault://elsewhere", .name = "elsewhere"}}});
}

arrow::Status DeleteTwo(const Dataset& dataset) { return Delete(dataset, "id = 2").status(); }
arrow::Status DeleteOne(const Dataset& dataset) { return Delete(dataset, "id = 1").status(); }

arrow::Result<Dataset> DetachedAppend(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto written, InsertBuilder(*handle.dataset)
                                          .WithOptions({.commit = {.detached = true}})
                                          .Execute(BaseRows(R"([[7, 70, "g"]])")));
  return written.dataset;
}

arrow::Result<Dataset> DetachedUpdate(const TableHandle& handle) {
  ARROW_ASSIGN_OR_RAISE(auto updated, Update(*handle.dataset, {.updates = {{"k", "0"}},
                                                               .where = "id = 1",
                                                               .commit = {.detached = true}}));
  return updated.dataset;
}

}  // namespace

std::vector<FaultyOperation> TransactionOperations() {
  return {
      {.name = "AppendTransaction",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:70:g",
       .act = Committing(Append),
       .leaves_files = true},
      {.name = "MergeTransactionPastDelete",
       .rows = "2:22:B 3:null:c 4:40:a 5:50:null 6:60:f 9:90:i",
       .act = Committing(Upsert),
       .rival = DeleteOne,
       .leaves_files = true},
      {.name = "RestoreTransaction",
       .rows = kBaseRows,
       .act = Committing(RestoreFirst),
       .prepare = DeleteTwo},
      {.name = "UpdateBases", .rows = kBaseRows, .act = Committing(AddBase)},
      {.name = "DetachedAppend",
       .rows = "1:10:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f 7:70:g",
       .act = DetachedAppend,
       .is_detached = true},
      {.name = "DetachedUpdate",
       .rows = "1:0:a 2:20:b 3:null:c 4:40:a 5:50:null 6:60:f",
       .act = DetachedUpdate,
       .is_detached = true},
  };
}

}  // namespace lance::testing
