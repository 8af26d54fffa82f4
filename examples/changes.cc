// Changes rows and columns of a small table, takes rows by position, and reads a version before.
// Without an argument the table lives in memory.

#include <iostream>
#include <string>

#include "arrow/api.h"
#include "lance/lance.h"

namespace {

arrow::Result<std::shared_ptr<arrow::Table>> MakeStock(const std::vector<int64_t>& ids,
                                                       const std::vector<double>& prices) {
  arrow::Int64Builder id;
  arrow::DoubleBuilder price;
  ARROW_RETURN_NOT_OK(id.AppendValues(ids));
  ARROW_RETURN_NOT_OK(price.AppendValues(prices));
  ARROW_ASSIGN_OR_RAISE(auto id_array, id.Finish());
  ARROW_ASSIGN_OR_RAISE(auto price_array, price.Finish());
  auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("price", arrow::float64())});
  return arrow::Table::Make(schema, {id_array, price_array});
}

arrow::Status Check(bool holds, const std::string& what) {
  return holds ? arrow::Status::OK() : arrow::Status::UnknownError("not as expected: ", what);
}

arrow::Status Run(const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(auto rows, MakeStock({1, 2, 3, 4}, {10, 20, 30, 40}));
  ARROW_ASSIGN_OR_RAISE(auto created, lance::InsertBuilder(uri).Execute(rows));
  const lance::Dataset& stock = created.dataset;
  // [snippet change-rows]
  ARROW_ASSIGN_OR_RAISE(auto deleted, lance::Delete(stock, "price > 35"));
  ARROW_ASSIGN_OR_RAISE(
      auto updated,
      lance::Update(deleted.dataset, {.updates = {{"price", "price * 2"}}, .where = "id = 2"}));
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(deleted.num_deleted_rows == 1, "one row is dearer than 35"));
  ARROW_RETURN_NOT_OK(Check(updated.num_rows_updated == 1, "one row has id 2"));

  ARROW_ASSIGN_OR_RAISE(auto delivery, MakeStock({3, 5}, {33, 55}));
  // [snippet merge]
  lance::MergeInsertBuilder merge(updated.dataset, {"id"});
  merge.WhenMatchedUpdateAll().WhenNotMatchedInsertAll();
  ARROW_ASSIGN_OR_RAISE(auto merged, merge.Execute(delivery));
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(merged.num_updated_rows == 1, "id 3 is there"));
  ARROW_RETURN_NOT_OK(Check(merged.num_inserted_rows == 1, "id 5 is new"));

  // [snippet add-columns]
  ARROW_ASSIGN_OR_RAISE(
      auto dataset,
      lance::AddColumns(merged.dataset,
                        {.values = std::vector<lance::ComputedColumn>{{"tax", "price * 0.19"}}}));
  // [/snippet]

  // [snippet take]
  ARROW_ASSIGN_OR_RAISE(auto taken,
                        lance::Take(dataset, {.rows = {3, 0}, .columns = {"id", "tax"}}));
  std::cout << taken->ToString() << '\n';
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(taken->num_rows() == 2, "two rows are taken"));

  // [snippet plan-scan]
  ARROW_ASSIGN_OR_RAISE(auto plan, lance::PlanScan(dataset, {.filter = "id > 1"}));
  for (const lance::ScanTask& task : plan.tasks) {
    ARROW_ASSIGN_OR_RAISE(std::string bytes, task.Serialize());
    ARROW_ASSIGN_OR_RAISE(auto received, lance::ScanTask::Parse(bytes));
    ARROW_ASSIGN_OR_RAISE(auto reader, received.Execute(dataset));
    ARROW_ASSIGN_OR_RAISE(auto part, reader->ToTable());
    std::cout << part->num_rows() << " rows\n";
  }
  // [/snippet]

  // [snippet time-travel]
  ARROW_ASSIGN_OR_RAISE(auto before, dataset.Checkout(lance::Ref::Version(1)));
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows_before, before.CountRows());
  // [/snippet]
  return Check(rows_before == 4 && before.version() == 1, "the first version has all rows");
}

}  // namespace

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc > 1 ? argv[1] : "memory://stock");
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return lance::ExitCode(status);
}
