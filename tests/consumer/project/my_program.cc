// [snippet program]
// my_program.cc: writes a table, opens it again and counts rows.
#include <arrow/api.h>
#include <lance/lance.h>

#include <iostream>

arrow::Status Run(const std::string& uri) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues({3, 1, 2}));
  ARROW_ASSIGN_OR_RAISE(auto column, builder.Finish());
  auto table = arrow::Table::Make(arrow::schema({arrow::field("a", arrow::int64())}), {column});
  lance::InsertBuilder insert(uri);
  insert.WithMode(lance::WriteMode::kOverwrite);  // so that it can run again
  ARROW_RETURN_NOT_OK(insert.Execute(table).status());

  ARROW_ASSIGN_OR_RAISE(auto dataset, lance::Dataset::Open(uri));
  ARROW_ASSIGN_OR_RAISE(uint64_t rows, dataset.CountRows(lance::Filter("a > 1")));
  std::cout << rows << " rows\n";
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  arrow::Status status = Run(argc > 1 ? argv[1] : "numbers.lance");
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return lance::ExitCode(status);
}
// [/snippet]
