#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/dataset.h"
#include "lance/scan.h"

namespace arrow::io {
class RandomAccessFile;
}

namespace lance {

/// Open the blobs of some rows without reading their bytes.
///
/// \param request exactly one column, a blob of either kind; rows as in Take
/// \return one file for each row asked for, in that order; null where the blob is null. Reads go to
///   storage when they are made and read no more than asked for; the files keep the dataset's store
///   alive and are thread-safe. NotImplemented + UnsupportedFeature for blobs outside of the table
///
/// Source: file-format 8.6, 8.6.1.
arrow::Result<std::vector<std::shared_ptr<arrow::io::RandomAccessFile>>> OpenBlobs(
    const Dataset& dataset, const TakeRequest& request, const CallOptions& call = {});

}  // namespace lance
