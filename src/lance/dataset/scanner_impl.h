#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/dataset/blobs.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/filter/filter_plan.h"
#include "lance/dataset/output_columns.h"
#include "lance/index/predicate.h"
#include "lance/scan.h"

namespace lance {

/// How a scan gives blobs.
inline BlobForm BlobFormOf(const ScanOptions& options) {
  return options.blob_handling == BlobHandling::kBinary ? BlobForm::kPayloads
                                                        : BlobForm::kDescriptors;
}

/// Whether a scan may use indices. They do not know rows that were deleted before they were built.
inline bool UsesIndices(const ScanOptions& options) {
  return options.use_scalar_index && !options.include_deleted_rows;
}

/// A scan that was checked against its version. Immutable.
class Scanner::Impl {
 public:
  std::shared_ptr<const Dataset::Impl> dataset;
  ScanOptions options;
  std::shared_ptr<const filter::BoundFilter> filter;  // null: none
  std::vector<OutputColumn> columns;
  std::vector<format::FieldNode> sources;  // what is read for them
  std::shared_ptr<arrow::Schema> schema;
  std::vector<size_t> fragments;  // to read, by position in the manifest

  /// What statistics may be asked besides the filter: rows for which it is not TRUE are not needed,
  /// but may be given. Null: nothing.
  std::shared_ptr<const index::Predicate> bound;

  /// Of the fragments, by position in the manifest, the rows that are read; none: all.
  std::shared_ptr<const std::map<size_t, RowRanges>> only_rows;

  /// Resolve and check a request.
  static arrow::Result<std::shared_ptr<const Impl>> Make(
      std::shared_ptr<const Dataset::Impl> dataset, ScanOptions options,
      MemberShape shape = MemberShape::kColumns);
};

}  // namespace lance
