#pragma once

#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/file_version.h"
#include "lance/testing/seeded_random.h"

namespace lance::fuzz {

/// A data file that our writer made of random rows. A plain value.
struct RandomFile {
  format::FileVersion version = format::kDefaultFileVersion;
  /// What was written, batch by batch; often slices.
  arrow::RecordBatchVector batches;
  std::string bytes;
};

/// Write a file of one to three random fields, with random wishes about their encoding.
///
/// \param max_rows rows of all batches together at most
/// \return NotImplemented when no file of the version can hold such rows; Invalid when the wishes
///   contradict each other
arrow::Result<RandomFile> WriteRandomFile(uint64_t max_rows, testing::SeededRandom* random);

}  // namespace lance::fuzz
