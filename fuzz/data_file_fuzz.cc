// A whole data file of any version: open it, read every field.

#include "arrow/memory_pool.h"
#include "fuzz/data_file_parts.h"
#include "fuzz/read_data_file.h"
#include "fuzz/target.h"

LANCE_FUZZ_TARGET(data_file) {
  arrow::ProxyMemoryPool own(arrow::system_memory_pool());
  arrow::CappedMemoryPool pool(&own, lance::fuzz::kMaxPoolBytes);
  const auto report = lance::fuzz::ReadDataFile(input, &pool);
  LANCE_FUZZ_CHECK(report.defect.empty(), report.defect);
}

LANCE_FUZZ_MUTATOR(&lance::fuzz::MutateDataFile);
LANCE_FUZZ_CROSSOVER(&lance::fuzz::CrossDataFiles);
