#include "lance/dataset/column_files.h"

#include <limits>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/zonemaps.h"
#include "lance/table/feature_flags.h"

namespace lance {
namespace {

FragmentWriterOptions OneFile(FragmentWriterOptions options) {
  options.max_rows_per_file = std::numeric_limits<uint64_t>::max();
  options.max_bytes_per_file = std::numeric_limits<uint64_t>::max();
  return options;
}

}  // namespace

arrow::Status VisitFragment(
    const Dataset& dataset, const table::Fragment& fragment, std::vector<std::string> columns,
    uint64_t batch_size, const CallOptions& call,
    const std::function<arrow::Status(const std::shared_ptr<arrow::RecordBatch>& rows,
                                      const std::vector<uint32_t>& offsets)>& visit) {
  ARROW_ASSIGN_OR_RAISE(const Dataset only, dataset.impl().OnlyFragment(fragment.id));
  if (columns.empty()) columns = dataset.schema()->field_names();
  columns.emplace_back("_rowaddr");
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, only.Scan({.columns = std::move(columns),
                                                          .batch_size = batch_size,
                                                          .blob_handling = BlobHandling::kBinary}));
  ARROW_ASSIGN_OR_RAISE(const auto reader, scanner.ToReader(call));
  for (std::shared_ptr<arrow::RecordBatch> batch;;) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return arrow::Status::OK();
    const int last = batch->num_columns() - 1;
    const auto& addresses = static_cast<const arrow::UInt64Array&>(*batch->column(last));
    std::vector<uint32_t> offsets(static_cast<size_t>(batch->num_rows()));
    for (size_t i = 0; i < offsets.size(); ++i) {
      offsets[i] = static_cast<uint32_t>(addresses.Value(static_cast<int64_t>(i)));
    }
    ARROW_ASSIGN_OR_RAISE(const auto rows, batch->RemoveColumn(last));
    ARROW_RETURN_NOT_OK(visit(rows, offsets));
  }
}

ColumnFileWriter::ColumnFileWriter(std::shared_ptr<ObjectStore> store,
                                   const table::Fragment& fragment, format::LanceSchema schema,
                                   FragmentWriterOptions options, const RunContext& run)
    : physical_rows_(fragment.physical_rows),
      run_(run),
      writer_(std::move(store), std::move(schema), OneFile(std::move(options)), run) {}

arrow::Status ColumnFileWriter::Write(const std::shared_ptr<arrow::RecordBatch>& values,
                                      const std::vector<uint32_t>& offsets) {
  if (offsets.empty()) return arrow::Status::OK();
  filler_ = values->Slice(0, 1);
  const bool has_gaps = offsets.back() - next_offset_ + 1 != offsets.size();
  if (!has_gaps) {
    next_offset_ = uint64_t{offsets.back()} + 1;
    return writer_.Write(*values);
  }
  std::vector<int64_t> places;
  for (size_t i = 0; i < offsets.size(); ++i) {
    for (; next_offset_ < offsets[i]; ++next_offset_) places.push_back(0);
    places.push_back(static_cast<int64_t>(i));
    ++next_offset_;
  }
  ARROW_ASSIGN_OR_RAISE(const auto spread, TakeRows(*values, places, run_));
  return writer_.Write(*spread);
}

arrow::Result<std::optional<table::DataFile>> ColumnFileWriter::Finish() {
  if (filler_ == nullptr) return std::nullopt;
  constexpr uint64_t kRowsAtOnce = 64 << 10;
  while (next_offset_ < physical_rows_) {
    const uint64_t count = std::min(physical_rows_ - next_offset_, kRowsAtOnce);
    ARROW_ASSIGN_OR_RAISE(const auto rest,
                          TakeRows(*filler_, std::vector<int64_t>(count, 0), run_));
    ARROW_RETURN_NOT_OK(writer_.Write(*rest));
    next_offset_ += count;
  }
  ARROW_ASSIGN_OR_RAISE(auto fragments, writer_.Finish());
  if (fragments.size() != 1 || fragments[0].physical_rows != physical_rows_) {
    return InternalError("a column file got other rows than its fragment has");
  }
  return std::move(fragments[0].files.front());
}

arrow::Result<std::optional<table::DataFile>> WriteColumnFile(const Dataset& dataset,
                                                              const table::Fragment& fragment,
                                                              const ColumnRewrite& rewrite,
                                                              const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  const RunContext run = impl.Run(call);
  FragmentWriterOptions options;
  ARROW_ASSIGN_OR_RAISE(options.version,
                        format::ParseFileVersion(impl.manifest().data_storage_version));
  options.seeds = ChooseSeedColumns(nullptr, rewrite.schema, impl.clustering_spec);
  ColumnFileWriter writer(impl.store, fragment, rewrite.schema, std::move(options), run);
  ARROW_RETURN_NOT_OK(VisitFragment(
      dataset, fragment, rewrite.read_columns, rewrite.batch_size, call,
      [&](const std::shared_ptr<arrow::RecordBatch>& rows, const std::vector<uint32_t>& offsets) {
        ARROW_ASSIGN_OR_RAISE(const auto values, rewrite.make(rows));
        if (values == nullptr || values->num_rows() != rows->num_rows()) {
          return arrow::Status::Invalid("the new columns have ",
                                        values == nullptr ? 0 : values->num_rows(),
                                        " rows for a batch of ", rows->num_rows());
        }
        return writer.Write(values, offsets);
      }));
  return writer.Finish();
}

arrow::Result<NewColumnFiles> NewColumnFiles::Write(const Dataset& dataset,
                                                    const ColumnRewrite& rewrite,
                                                    const CallOptions& call) {
  const Dataset::Impl& impl = dataset.impl();
  NewColumnFiles files;
  files.store_ = impl.store;
  const RunContext run = impl.Run(call);
  ProgressReporter progress(run, "write_columns", "fragments");
  const auto& fragments = impl.manifest().fragments;
  progress.Stage("write", fragments.size());
  for (const table::Fragment& fragment : fragments) {
    ARROW_ASSIGN_OR_RAISE(auto file, WriteColumnFile(dataset, fragment, rewrite, call));
    files.fragments_.push_back(fragment);
    if (file) {
      files.added_.emplace_back().files.push_back(*file);
      files.fragments_.back().files.push_back(*std::move(file));
    }
    progress.Update(files.fragments_.size());
  }
  return files;
}

NewColumnFiles::~NewColumnFiles() {
  if (store_ != nullptr) DeleteDataFiles(*store_, added_);
}

arrow::Status CheckSchemaChangeable(const Dataset::Impl& dataset) {
  const table::Manifest& manifest = dataset.manifest();
  ARROW_RETURN_NOT_OK(table::CheckWritable(manifest));
  ARROW_RETURN_NOT_OK(table::CheckClusteringOfNewManifest(manifest, manifest));
  return WithContext(format::ParseFileVersion(manifest.data_storage_version).status(), dataset.uri);
}

arrow::Result<Dataset> CommitSchemaChange(const Dataset& dataset, table::Operation operation,
                                          table::ClusteringChange clustering,
                                          const CommitOptions& options, NewColumnFiles* files,
                                          const CallOptions& call) {
  const RunContext run = dataset.impl().Run(call);
  table::CommitRequest commit;
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  commit.transaction = MakeTransaction(dataset.version(), std::move(operation), options, run);
  commit.clustering = std::move(clustering);
  auto committed = dataset.impl().Commit(std::move(commit), run);
  const bool may_be_there = committed.ok() || CommitUnknown::From(committed.status()) != nullptr;
  if (files != nullptr && may_be_there) files->Keep();
  return committed;
}

}  // namespace lance
