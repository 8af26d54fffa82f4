#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "lance/base/roaring_bitmap.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/index/scalar_index.h"
#include "lance/index/zonemap.h"

namespace lance {

/// A new segment of an index that names rows, beside what is in its files.
struct NewScalarSegment {
  std::string name;
  int32_t field_id = -1;
  Uuid uuid;
  RoaringBitmap coverage;
  uint64_t dataset_version = 0;
  /// Of the segment whose rows it names at other places; no value: now.
  std::optional<uint64_t> created_at_ms = {};
};

/// New index segments that no version refers to yet.
///
/// Their files are deleted again unless a commit landed with them, or may have. Thread-compatible.
class NewSegments {
 public:
  explicit NewSegments(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}
  NewSegments(const NewSegments&) = delete;
  NewSegments& operator=(const NewSegments&) = delete;
  ~NewSegments();

  /// Write one more zonemap segment.
  arrow::Status Write(const index::NewZonemapRequest& request, const RunContext& run);
  /// Write one more segment that names rows.
  arrow::Status Write(const NewScalarSegment& segment, const index::NewScalarIndex& content,
                      const RunContext& run);
  /// All that were written.
  const std::vector<table::IndexMetadata>& segments() const { return segments_; }
  /// Commit them on a version; they stay when the commit landed, or may have.
  ///
  /// \param edited entries of segments that keep their files, among the removed ones as they were
  arrow::Result<Dataset> Commit(const Dataset& dataset,
                                std::vector<table::IndexMetadata> removed_indices,
                                const CommitOptions& options, const RunContext& run,
                                std::vector<table::IndexMetadata> edited = {});

 private:
  std::shared_ptr<ObjectStore> store_;
  std::vector<table::IndexMetadata> segments_;
};

}  // namespace lance
