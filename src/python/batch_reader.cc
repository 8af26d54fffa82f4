#include "batch_reader.h"

#include "lance/json.h"
#include "lance/scan.h"

namespace nb = nanobind;

namespace lance::python {

nb::object BatchReader::Next() {
  auto batch = RunWithSource(&source_, [&] { return reader_->Next(); });
  return batch == nullptr ? nb::none() : nb::cast(ArrowBatchObject{std::move(batch)});
}

std::string BatchReader::Statistics() const {
  const ScanStatistics* statistics = scan_statistics(*reader_);
  return statistics == nullptr ? "null" : ToJson(*statistics);
}

}  // namespace lance::python
