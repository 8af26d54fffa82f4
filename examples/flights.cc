// Makes a table of flights, declares its layout, appends, optimizes and scans with a filter, and
// checks what comes out. Without an argument the table lives in memory.

#include <iostream>
#include <string>

#include "arrow/api.h"
#include "lance/lance.h"

namespace {

// 50,000 flights: one an hour to each of 40 airports, from `first_hour` on.
arrow::Result<std::shared_ptr<arrow::Table>> MakeFlights(int64_t first_hour) {
  arrow::StringBuilder dest;
  arrow::TimestampBuilder time_hour(arrow::timestamp(arrow::TimeUnit::SECOND),
                                    arrow::default_memory_pool());
  arrow::Int64Builder flight;
  for (int64_t i = 0; i < 50'000; ++i) {
    ARROW_RETURN_NOT_OK(dest.Append("AP" + std::to_string(i * 7 % 40)));
    ARROW_RETURN_NOT_OK(time_hour.Append((first_hour + i / 40) * 3600));
    ARROW_RETURN_NOT_OK(flight.Append(i));
  }
  ARROW_ASSIGN_OR_RAISE(auto dests, dest.Finish());
  ARROW_ASSIGN_OR_RAISE(auto hours, time_hour.Finish());
  ARROW_ASSIGN_OR_RAISE(auto flights, flight.Finish());
  auto schema =
      arrow::schema({arrow::field("dest", dests->type()), arrow::field("time_hour", hours->type()),
                     arrow::field("flight", flights->type())});
  return arrow::Table::Make(schema, {dests, hours, flights});
}

arrow::Status Check(bool holds, const std::string& what) {
  return holds ? arrow::Status::OK() : arrow::Status::UnknownError("not as expected: ", what);
}

arrow::Status Run(const std::string& uri) {
  ARROW_ASSIGN_OR_RAISE(auto january, MakeFlights(0));
  ARROW_ASSIGN_OR_RAISE(auto february, MakeFlights(1250));
  // [snippet write]
  ARROW_ASSIGN_OR_RAISE(auto created, lance::InsertBuilder(uri).Execute(january));
  ARROW_ASSIGN_OR_RAISE(auto flights,
                        created.dataset.SetClustering({.columns = {"dest", "time_hour"}}));
  ARROW_ASSIGN_OR_RAISE(auto appended, lance::InsertBuilder(flights).Execute(february));
  ARROW_ASSIGN_OR_RAISE(
      auto optimized, lance::CompactFilesWithClustering(appended.dataset, {.rows_per_zone = 1024}));
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(appended.stamped, "the append is stamped"));
  ARROW_RETURN_NOT_OK(Check(optimized.remaining.rows == 0, "nothing is left to rewrite"));

  // [snippet scan]
  ARROW_ASSIGN_OR_RAISE(
      auto scanner,
      optimized.dataset.Scan(
          {.columns = {"flight"}, .filter = "dest = 'AP7' AND time_hour < DATE '1970-01-15'"}));
  ARROW_ASSIGN_OR_RAISE(auto reader, scanner.ToReader());
  ARROW_ASSIGN_OR_RAISE(auto found, reader->ToTable());
  const lance::ScanStatistics& read = *lance::scan_statistics(*reader);
  std::cout << found->num_rows() << " rows, " << read.zones_kept << " of " << read.zones_total
            << " zones read\n";
  // [/snippet]
  ARROW_RETURN_NOT_OK(Check(found->num_rows() == 14 * 24, "one flight an hour for 14 days"));
  ARROW_RETURN_NOT_OK(Check(read.zones_kept * 10 < read.zones_total, "most zones are skipped"));

  // [snippet errors]
  const arrow::Status refused = optimized.dataset.Scan({.filter = "dest = 7"}).status();
  if (const auto* error = lance::FilterError::From(refused)) {
    std::cout << "at byte " << error->offset << ": " << refused.message() << '\n';
  }
  // [/snippet]
  return Check(lance::ExitCode(refused) == 2, "a number is no text");
}

}  // namespace

int main(int argc, char** argv) {
  const arrow::Status status = Run(argc > 1 ? argv[1] : "memory://flights");
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return lance::ExitCode(status);
}
