#include <algorithm>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/util/byte_size.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/curve_order.h"
#include "lance/dataset/deleted_rows.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/fragment_writer.h"
#include "lance/dataset/optimize_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/rewrite_commit.h"
#include "lance/dataset/rewrite_moves.h"
#include "lance/dataset/row_ids.h"
#include "lance/dataset/zonemaps.h"
#include "lance/io/stores.h"
#include "lance/table/feature_flags.h"

namespace lance {

const std::string& ClusteringRewriteResult::plan_id() const { return impl_->plan_id; }
uint32_t ClusteringRewriteResult::task_id() const { return impl_->task_id; }
uint64_t ClusteringRewriteResult::rows_in() const { return impl_->rows_in; }
uint64_t ClusteringRewriteResult::rows_out() const { return impl_->rows_out; }
const std::vector<FragmentMetadata>& ClusteringRewriteResult::new_fragments() const {
  return impl_->new_fragments;
}

namespace {

/// All columns of the sources' live rows in address order, with the addresses.
struct SourceRows {
  std::shared_ptr<arrow::Table> rows;
  std::shared_ptr<arrow::ChunkedArray> addresses;
  std::vector<MemoryReservation> reservations;
};

uint64_t ColumnBytes(const arrow::ArrayVector& columns) {
  uint64_t bytes = 0;
  for (const auto& column : columns) {
    bytes += static_cast<uint64_t>(arrow::util::TotalBufferSize(*column));
  }
  return bytes;
}

arrow::Result<SourceRows> ReadSources(const ClusteringCompactionTask::Impl& task,
                                      const Dataset::Impl& dataset,
                                      const std::shared_ptr<ObjectStore>& store,
                                      const RunContext& run) {
  SourceRows sources;
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  arrow::ArrayVector addresses;
  std::vector<const format::FieldNode*> fields;
  for (const format::FieldNode& field : dataset.fields) fields.push_back(&field);
  for (const table::Fragment& fragment : task.sources) {
    FragmentReader reader(store, fragment, run);
    reader.set_blob_form(BlobForm::kPayloads);
    ARROW_ASSIGN_OR_RAISE(const RowRanges rows, LiveRows(*store, fragment, run));
    ARROW_ASSIGN_OR_RAISE(auto columns, reader.ReadColumns(fields, rows));
    if (run.memory_budget != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto reservation,
                            run.memory_budget->Reserve(ColumnBytes(columns), "the rows of a task"));
      sources.reservations.push_back(std::move(reservation));
    }
    ARROW_ASSIGN_OR_RAISE(auto address, RowAddresses(fragment.id, rows, run.memory_pool));
    addresses.push_back(std::move(address));
    batches.push_back(arrow::RecordBatch::Make(
        dataset.schema, static_cast<int64_t>(rows.num_rows()), std::move(columns)));
  }
  ARROW_ASSIGN_OR_RAISE(sources.rows, arrow::Table::FromRecordBatches(dataset.schema, batches));
  sources.addresses = std::make_shared<arrow::ChunkedArray>(std::move(addresses), arrow::uint64());
  return sources;
}

/// The sources' rows in curve order.
struct SortedSources {
  std::shared_ptr<arrow::Table> rows;
  /// Where each row was; empty when nobody asks: no stable row ids, no index that has to follow.
  std::vector<uint64_t> addresses;
  std::vector<MemoryReservation> reservations;
};

bool HasRemappedIndices(const table::Manifest& manifest) {
  return std::ranges::any_of(manifest.indices, [&](const table::IndexMetadata& segment) {
    return IsRemapped(segment, manifest);
  });
}

arrow::Result<SortedSources> SortSources(SourceRows sources, const ClusteringSpec& spec,
                                         const table::Manifest& manifest, const RunContext& run) {
  SortedSources sorted{.reservations = std::move(sources.reservations)};
  const bool keeps_addresses = table::HasStableRowIds(manifest) || HasRemappedIndices(manifest);
  const int num_columns = sources.rows->num_columns();
  if (keeps_addresses) {
    ARROW_ASSIGN_OR_RAISE(sources.rows, sources.rows->AddColumn(
                                            num_columns, arrow::field("_rowaddr", arrow::uint64()),
                                            sources.addresses));
  }
  ARROW_ASSIGN_OR_RAISE(sorted.rows, SortInCurveOrder(sources.rows, spec, sources.addresses, run));
  if (!keeps_addresses) return sorted;
  for (const auto& chunk : sorted.rows->column(num_columns)->chunks()) {
    const auto& values = static_cast<const arrow::UInt64Array&>(*chunk);
    sorted.addresses.insert(sorted.addresses.end(), values.raw_values(),
                            values.raw_values() + values.length());
  }
  ARROW_ASSIGN_OR_RAISE(sorted.rows, sorted.rows->RemoveColumn(num_columns));
  return sorted;
}

arrow::Result<FragmentWriterOptions> MakeWriterOptions(const ClusteringCompactionTask::Impl& task,
                                                       const table::Manifest& manifest) {
  FragmentWriterOptions options{.max_rows_per_file = task.target_rows_per_fragment,
                                .max_bytes_per_file = task.max_bytes_per_file};
  ARROW_ASSIGN_OR_RAISE(options.version, format::ParseFileVersion(manifest.data_storage_version));
  options.seeds = ChooseSeedColumns(&manifest, manifest.schema, task.spec);
  for (SeedColumn& seed : options.seeds) {
    // A key column without a zonemap gets one in this run, with the zones that were asked for.
    if (task.rows_per_zone && ZonemapSegmentsOf(manifest, seed.field_id).empty()) {
      seed.rows_per_zone = *task.rows_per_zone;
    }
  }
  return options;
}

/// Keep what is needed to call rows by their ids, and to find them by indices, at their new places.
arrow::Status FollowRows(const ClusteringCompactionTask::Impl& task, const Dataset::Impl& table,
                         const std::vector<uint64_t>& addresses, const RunContext& run,
                         ClusteringRewriteResult::Impl* result) {
  if (HasRemappedIndices(table.manifest())) {
    ARROW_ASSIGN_OR_RAISE(result->places, PlacesOf(*table.store, task.sources, addresses, run));
  }
  return CarryLineage(table.store, table.manifest(), addresses, RowsMoved::kUnchanged, run,
                      &result->fragments);
}

}  // namespace

arrow::Result<ClusteringRewriteResult> ClusteringCompactionTask::Execute(
    const Dataset& dataset, const CallOptions& call) const {
  ARROW_ASSIGN_OR_RAISE(const Dataset snapshot,
                        CheckOutPlanned(dataset, impl_->read_version, call));
  const Dataset::Impl& table = snapshot.impl();
  ARROW_RETURN_NOT_OK(CheckSources(
      impl_->sources, "task " + std::to_string(impl_->task_id) + " of plan " + impl_->plan_id,
      table.manifest()));
  const RunContext run = table.Run(call);
  ProgressReporter progress(run, "optimize", "rows");
  auto counters = std::make_shared<IoCounters>();
  progress.Stage("read", impl_->source_rows);
  ARROW_ASSIGN_OR_RAISE(SourceRows sources,
                        ReadSources(*impl_, table, MakeCountingStore(table.store, counters), run));
  progress.Stage("sort", impl_->source_rows);
  ARROW_ASSIGN_OR_RAISE(SortedSources sorted,
                        SortSources(std::move(sources), impl_->spec, table.manifest(), run));
  progress.Stage("write", impl_->source_rows);
  ARROW_ASSIGN_OR_RAISE(auto options, MakeWriterOptions(*impl_, table.manifest()));
  FragmentWriter writer(table.store, table.manifest().schema, std::move(options), run);
  ARROW_RETURN_NOT_OK(WriteClustered(*sorted.rows, impl_->target_rows_per_fragment, &writer));
  progress.Update(writer.num_rows());

  auto result = std::make_shared<ClusteringRewriteResult::Impl>();
  ARROW_ASSIGN_OR_RAISE(result->fragments, writer.Finish());
  const arrow::Status followed = FollowRows(*impl_, table, sorted.addresses, run, result.get());
  if (!followed.ok()) {
    DeleteDataFiles(*table.store, result->fragments);
    return followed;
  }
  result->plan_id = impl_->plan_id;
  result->task_id = impl_->task_id;
  result->rows_in = impl_->source_rows;
  result->rows_out = writer.num_rows();
  result->group_id = Uuid::Random(*run.random).ToString();
  result->bytes_read = counters->bytes_read;
  result->bytes_written = writer.bytes_written();
  for (const table::Fragment& fragment : result->fragments) {
    result->new_fragments.push_back(MakeFragmentMetadata(fragment));
  }
  return ClusteringRewriteResult(std::move(result));
}

}  // namespace lance
