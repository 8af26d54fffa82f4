#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/copy_pages.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/dataset/row_ids.h"

namespace lance {

namespace {

/// Where files end: as many as the target goes into the rows, of equal size, some of the first with
/// a row more (table-format 10.1).
class EvenCuts {
 public:
  EvenCuts(uint64_t num_rows, uint64_t target_rows) {
    const uint64_t num_files = std::max<uint64_t>(1, num_rows / target_rows);
    rows_ = num_rows / num_files;
    num_larger_ = num_rows % num_files;
  }

  uint64_t largest() const { return std::max<uint64_t>(1, rows_ + (num_larger_ > 0 ? 1 : 0)); }

  /// Rows of the next file.
  uint64_t Next() {
    if (num_larger_ == 0) return rows_;
    --num_larger_;
    return rows_ + 1;
  }

 private:
  uint64_t rows_;
  uint64_t num_larger_;
};

/// Hand the sources' rows to the writer, batch by batch. \return bytes read
arrow::Result<uint64_t> WriteRowsAgain(const CompactionTask::Impl& task, const Dataset& snapshot,
                                       EvenCuts cuts, const CallOptions& call,
                                       ProgressReporter* progress, FragmentWriter* writer) {
  ScanOptions options{.batch_size = task.options.batch_size,
                      .fragment_ids = std::vector<uint64_t>(),
                      .blob_handling = BlobHandling::kBinary};
  for (const table::Fragment& source : task.sources) options.fragment_ids->push_back(source.id);
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, snapshot.Scan(std::move(options)));
  ARROW_ASSIGN_OR_RAISE(const auto reader, scanner.ToReader(call));
  uint64_t left_in_file = cuts.Next();
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return scan_statistics(*reader)->bytes_read;
    for (int64_t offset = 0; offset < batch->num_rows();) {
      const auto rest = static_cast<uint64_t>(batch->num_rows() - offset);
      const uint64_t rows = std::min(rest, left_in_file);
      ARROW_RETURN_NOT_OK(writer->Write(*batch->Slice(offset, static_cast<int64_t>(rows))));
      offset += static_cast<int64_t>(rows);
      left_in_file -= rows;
      if (left_in_file > 0) continue;
      ARROW_RETURN_NOT_OK(writer->CutFile());
      left_in_file = cuts.Next();
    }
    progress->Update(writer->num_rows());
  }
}

/// Read the live rows of a task's sources and write them into new files, which are deleted again on
/// failure.
arrow::Status Reencode(const CompactionTask::Impl& task, const Dataset& snapshot,
                       FragmentWriterOptions writing, uint64_t num_rows, const CallOptions& call,
                       ProgressReporter* progress, RewriteResult::Impl* result) {
  const Dataset::Impl& table = snapshot.impl();
  const EvenCuts cuts(num_rows, task.options.target_rows_per_fragment);
  writing.max_rows_per_file = cuts.largest();
  FragmentWriter writer(table.store, table.manifest().schema, std::move(writing), table.Run(call));
  ARROW_ASSIGN_OR_RAISE(result->bytes_read,
                        WriteRowsAgain(task, snapshot, cuts, call, progress, &writer));
  result->rows_out = writer.num_rows();
  return writer.Finish().Value(&result->outputs);
}

/// Make the new files, in the mode that was asked for.
arrow::Status WriteOutputs(const CompactionTask::Impl& task, const Dataset& snapshot,
                           const CallOptions& call, RewriteResult::Impl* result) {
  const Dataset::Impl& version = snapshot.impl();
  const RunContext run = version.Run(call);
  const uint64_t num_rows = table::CountLiveRows(task.sources);
  ARROW_ASSIGN_OR_RAISE(FragmentWriterOptions writing, ChangedRowsOptions(version));
  writing.max_bytes_per_file = task.options.max_bytes_per_file;
  writing.version = task.options.version;
  ProgressReporter progress(run, "compact", "rows");
  if (task.options.mode != CompactionMode::kReencode) {
    progress.Stage("copy", num_rows);
    ARROW_ASSIGN_OR_RAISE(CopiedPages copied, CopyPages(task, version, writing, run, &progress));
    if (copied.obstacle.empty()) {
      result->outputs = std::move(copied.outputs);
      result->rows_out = copied.num_rows;
      result->bytes_read = copied.bytes_read;
      return arrow::Status::OK();
    }
    if (task.options.mode == CompactionMode::kForceBinaryCopy) {
      return UnsupportedError("force_binary_copy",
                              "pages cannot be copied as they are: " + copied.obstacle +
                                  "; compaction_mode try_binary_copy writes "
                                  "such rows again");
    }
  }
  progress.Stage("write", num_rows);
  return Reencode(task, snapshot, std::move(writing), num_rows, call, &progress, result);
}

}  // namespace

RewriteResult MakeRewriteResult(RewriteResult::Impl impl) {
  for (const table::Fragment& source : impl.sources) {
    impl.original_fragments.push_back(MakeFragmentMetadata(source));
  }
  for (const table::Fragment& output : impl.outputs) {
    impl.new_fragments.push_back(MakeFragmentMetadata(output));
  }
  return RewriteResult(std::make_shared<const RewriteResult::Impl>(std::move(impl)));
}

arrow::Result<RewriteResult> CompactionTask::Execute(const Dataset& dataset,
                                                     const CallOptions& call) const {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(const Dataset snapshot,
                        CheckOutPlanned(dataset, impl_->read_version, call));
  const Dataset::Impl& table = snapshot.impl();
  ARROW_RETURN_NOT_OK(CheckChangeable(table));
  ARROW_RETURN_NOT_OK(CheckSources(impl_->sources, "the compaction task", table.manifest()));
  RewriteResult::Impl result{
      .read_version = impl_->read_version,
      .sources = impl_->sources,
      .mode = impl_->options.mode,
      .defers_index_remap = impl_->options.defer_index_remap};
  ARROW_RETURN_NOT_OK(WriteOutputs(*impl_, snapshot, call, &result));
  const arrow::Status carried = CarryOrderedLineage(table.store, table.manifest(), result.sources,
                                                    table.Run(call), &result.outputs);
  if (!carried.ok()) {
    DeleteDataFiles(*table.store, result.outputs);
    return carried;
  }
  return MakeRewriteResult(std::move(result));
}

}  // namespace lance
