#include <algorithm>
#include <string>
#include <utility>

#include "arrow/record_batch.h"
#include "lance/base/checked_math.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/compaction_impl.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_changes.h"
#include "lance/dataset/row_ids.h"

namespace lance {

namespace {

/// The planned version with the sources only, to read them in order.
arrow::Result<Dataset> OnlySources(const Dataset::Impl& table,
                                   const std::vector<table::Fragment>& sources) {
  return Dataset::Impl::Make(table.opened,
                             {.manifest = table::WithOtherFragments(table.manifest(), sources),
                              .naming = table.loaded->naming,
                              .size_bytes = table.loaded->size_bytes});
}

/// Files of equal size, of which the last may be smaller: as many as the target goes into the rows
/// (table-format 10.1).
uint64_t RowsPerFile(uint64_t num_rows, uint64_t target_rows) {
  return std::max<uint64_t>(1, CeilDiv(num_rows, std::max<uint64_t>(1, num_rows / target_rows)));
}

/// Hand the sources' rows to the writer, batch by batch. \return bytes read
arrow::Result<uint64_t> WriteRowsAgain(const Dataset& sources, const ResolvedCompaction& options,
                                       const CallOptions& call, ProgressReporter* progress,
                                       FragmentWriter* writer) {
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner,
                        sources.Scan({.batch_size = options.batch_size,
                                      .blob_handling = BlobHandling::kBinary}));
  ARROW_ASSIGN_OR_RAISE(const auto reader, scanner.ToReader(call));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return scan_statistics(*reader)->bytes_read;
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    progress->Update(writer->num_rows());
  }
}

/// Write the live rows of a task's sources into new files, which are deleted again on failure.
arrow::Status Reencode(const CompactionTask::Impl& task, const Dataset::Impl& table,
                       const CallOptions& call, RewriteResult::Impl* result) {
  const RunContext run = table.Run(call);
  uint64_t num_rows = 0;
  for (const table::Fragment& source : task.sources) {
    ARROW_ASSIGN_OR_RAISE(const uint64_t rows, KnownLiveRows(*table.store, source, run));
    num_rows += rows;
  }
  ProgressReporter progress(run, "compact", "rows");
  progress.Stage("write", num_rows);
  ARROW_ASSIGN_OR_RAISE(FragmentWriterOptions writing, ChangedRowsOptions(table));
  writing.max_rows_per_file = RowsPerFile(num_rows, task.options.target_rows_per_fragment);
  writing.max_bytes_per_file = task.options.max_bytes_per_file;
  writing.version = task.options.version;
  ARROW_ASSIGN_OR_RAISE(const Dataset sources, OnlySources(table, task.sources));
  FragmentWriter writer(table.store, table.manifest().schema, std::move(writing), run);
  ARROW_ASSIGN_OR_RAISE(result->bytes_read,
                        WriteRowsAgain(sources, task.options, call, &progress, &writer));
  result->rows_out = writer.num_rows();
  return writer.Finish().Value(&result->outputs);
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
  if (impl_->options.mode == CompactionMode::kForceBinaryCopy) {
    return UnsupportedError("force_binary_copy",
                            "compaction_mode is force_binary_copy; pages are not copied as they "
                            "are in this version; allowed: reencode, try_binary_copy");
  }
  RewriteResult::Impl result{.read_version = impl_->read_version, .sources = impl_->sources,
                             .mode = impl_->options.mode};
  ARROW_RETURN_NOT_OK(Reencode(*impl_, table, call, &result));
  const arrow::Status carried = CarryOrderedLineage(table.store, table.manifest(), result.sources,
                                                    table.Run(call), &result.outputs);
  if (!carried.ok()) {
    DeleteDataFiles(*table.store, result.outputs);
    return carried;
  }
  return MakeRewriteResult(std::move(result));
}

}  // namespace lance
