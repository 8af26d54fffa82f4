// Writes a table, reads it back, and says whether it is the same.
#include <arrow/api.h>
#include <lance/lance.h>

#include <iostream>

namespace {

arrow::Status Run() {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues({3, 1, 2}));
  ARROW_ASSIGN_OR_RAISE(const auto column, builder.Finish());
  const auto table =
      arrow::Table::Make(arrow::schema({arrow::field("a", arrow::int64())}), {column});
  ARROW_ASSIGN_OR_RAISE(const auto written,
                        lance::InsertBuilder("memory://consumer").Execute(table));
  ARROW_ASSIGN_OR_RAISE(const auto scanner, written.dataset.Scan({.filter = "a > 1"}));
  ARROW_ASSIGN_OR_RAISE(const uint64_t rows, scanner.CountRows());
  if (rows == 2) return arrow::Status::OK();
  return arrow::Status::UnknownError("a > 1 has ", rows, " rows, expected 2");
}

}  // namespace

int main() {
  const arrow::Status status = Run();
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
