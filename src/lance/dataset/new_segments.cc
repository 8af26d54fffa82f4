#include "lance/dataset/new_segments.h"

#include "lance/base/epoch_time.h"
#include "lance/base/status_detail.h"
#include "lance/index/index_file.h"

namespace lance {

NewSegments::~NewSegments() {
  for (const table::IndexMetadata& segment : segments_) {
    for (const table::IndexFile& file : segment.files) {
      (void)store_->Delete(index::IndexFilePath(segment.uuid, segment.base_id,
                                                file.path));  // best effort: an orphan is harmless
    }
  }
}

arrow::Status NewSegments::Write(const index::NewZonemapRequest& request, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto segment, index::WriteZonemap(*store_, request, run));
  segments_.push_back(std::move(segment));
  return arrow::Status::OK();
}

arrow::Status NewSegments::Write(const NewScalarSegment& segment,
                                 const index::NewScalarIndex& content, const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(auto files, index::WriteScalarIndex(store_, segment.uuid, content, run));
  segments_.push_back(
      {.uuid = segment.uuid,
       .field_ids = {segment.field_id},
       .name = segment.name,
       .dataset_version = segment.dataset_version,
       .fragment_bitmap = segment.coverage.Serialize(),
       .details_type_url = std::move(files.details_type_url),
       .has_details = true,
       .index_version = files.index_version,
       .created_at_ms = segment.created_at_ms.value_or(EpochMilliseconds(*run.clock)),
       .files = std::move(files.files)});
  return arrow::Status::OK();
}

arrow::Result<Dataset> NewSegments::Commit(const Dataset& dataset,
                                           std::vector<table::IndexMetadata> removed_indices,
                                           const CommitOptions& options, const RunContext& run,
                                           std::vector<table::IndexMetadata> edited) {
  edited.insert(edited.end(), segments_.begin(), segments_.end());
  table::CommitRequest commit;
  commit.transaction =
      MakeTransaction(dataset.version(),
                      table::CreateIndex{.new_indices = std::move(edited),
                                         .removed_indices = std::move(removed_indices)},
                      options, run);
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  auto committed = dataset.impl().Commit(std::move(commit), run);
  const bool may_be_there = committed.ok() || CommitUnknown::From(committed.status()) != nullptr;
  if (may_be_there) segments_.clear();
  return committed;
}

}  // namespace lance
