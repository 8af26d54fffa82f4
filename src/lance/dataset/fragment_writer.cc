#include "lance/dataset/fragment_writer.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/byte_size.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/index/seed.h"
#include "lance/index/zone.h"
#include "lance/table/base_path.h"
#include "lance/table/data_file_name.h"

namespace lance {

/// A data file that is being written, with the statistics of its seed columns.
class FragmentWriter::OpenFile {
 public:
  static arrow::Result<std::unique_ptr<OpenFile>> Make(ObjectStore& store,
                                                       const format::LanceSchema& schema,
                                                       const FragmentWriterOptions& options,
                                                       std::optional<uint32_t> base_id,
                                                       const RunContext& run) {
    auto file = std::make_unique<OpenFile>();
    file->place_ = {.path = table::MakeDataFileName(*run.random), .base_id = base_id};
    ARROW_ASSIGN_OR_RAISE(file->stream_, store.OpenWrite(table::DataFilePath(file->place_)));
    format::DataFileWriterOptions file_options{.version = options.version,
                                               .num_threads = run.num_threads,
                                               .stop_token = run.stop_token,
                                               .memory_pool = run.memory_pool};
    if (options.max_page_bytes) file_options.max_page_bytes = *options.max_page_bytes;
    ARROW_ASSIGN_OR_RAISE(file->writer_,
                          format::DataFileWriter::Make(file->stream_, schema, file_options));
    ARROW_ASSIGN_OR_RAISE(const auto arrow_schema, format::ToArrowSchema(schema));
    for (const SeedColumn& seed : options.seeds) {
      const int column = arrow_schema->GetFieldIndex(seed.name);
      if (column < 0) continue;
      const auto& type = arrow_schema->field(column)->type();
      ARROW_ASSIGN_OR_RAISE(auto zones, index::ZoneBuilder::Make(type, seed.rows_per_zone));
      file->seeds_.push_back({seed.name, column, type, std::move(zones)});
    }
    return file;
  }

  arrow::Status Write(const arrow::RecordBatch& batch) {
    for (Seed& seed : seeds_) {
      ARROW_RETURN_NOT_OK(seed.zones.Add(*batch.column(seed.column)));
    }
    return writer_->Write(batch);
  }

  uint64_t num_rows() const { return writer_->num_rows(); }
  uint64_t estimated_size_bytes() const { return writer_->estimated_size_bytes(); }

  arrow::Result<table::Fragment> Finish() {
    for (Seed& seed : seeds_) {
      ARROW_ASSIGN_OR_RAISE(const index::FragmentZones zones, seed.zones.Finish());
      ARROW_RETURN_NOT_OK(index::WriteSeed(seed.name, seed.type, zones, writer_.get()));
    }
    ARROW_ASSIGN_OR_RAISE(const format::DataFileSummary summary, writer_->Finish());
    table::Fragment fragment;
    fragment.physical_rows = summary.num_rows;
    table::DataFile file = MakeDataFile(place_.path, summary);
    file.base_id = place_.base_id;
    fragment.files.push_back(std::move(file));
    return fragment;
  }

  /// Leave nothing behind.
  void Abandon() {
    // Nothing can be done about a failed abort; cleanup finds what stays.
    if (stream_ != nullptr) (void)stream_->Abort();
  }

 private:
  struct Seed {
    std::string name;
    int column;
    std::shared_ptr<arrow::DataType> type;
    index::ZoneBuilder zones;
  };
  table::DataFile place_;  // name and base path alone
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::unique_ptr<format::DataFileWriter> writer_;
  std::vector<Seed> seeds_;
};

FragmentWriter::FragmentWriter(std::shared_ptr<ObjectStore> store, format::LanceSchema schema,
                               FragmentWriterOptions options, const RunContext& run)
    : store_(std::move(store)),
      schema_(std::move(schema)),
      options_(std::move(options)),
      run_(run) {}

FragmentWriter::~FragmentWriter() {
  if (file_ != nullptr) file_->Abandon();
  if (!finished_) DeleteDataFiles(*store_, fragments_);
}

arrow::Status FragmentWriter::StartFile() {
  std::optional<uint32_t> base_id;
  if (!options_.bases.empty()) base_id = options_.bases[fragments_.size() % options_.bases.size()];
  ARROW_ASSIGN_OR_RAISE(file_, OpenFile::Make(*store_, schema_, options_, base_id, run_));
  return arrow::Status::OK();
}

int64_t FragmentWriter::RowsToWrite(const arrow::RecordBatch& rest) const {
  // Up to half of the room in bytes, by what the rows take in memory, but not less than pays.
  constexpr uint64_t kMinRows = 64 << 10;
  constexpr uint64_t kMaxRows = 1 << 20;
  const uint64_t rows_left = options_.max_rows_per_file - file_->num_rows();
  const uint64_t bytes = file_->estimated_size_bytes();
  const uint64_t bytes_left =
      options_.max_bytes_per_file - std::min(options_.max_bytes_per_file, bytes);
  const auto num_rows = static_cast<uint64_t>(rest.num_rows());
  const uint64_t row_bytes = static_cast<uint64_t>(arrow::util::TotalBufferSize(rest)) / num_rows;
  const uint64_t fitting = bytes_left / 2 / std::max<uint64_t>(row_bytes, 1);
  return static_cast<int64_t>(
      std::min({num_rows, rows_left, std::clamp(fitting, kMinRows, kMaxRows)}));
}

arrow::Status FragmentWriter::Write(const arrow::RecordBatch& batch) {
  int64_t offset = 0;
  while (offset < batch.num_rows()) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    if (file_ == nullptr) ARROW_RETURN_NOT_OK(StartFile());
    const auto rest = batch.Slice(offset);
    const int64_t rows = RowsToWrite(*rest);
    ARROW_RETURN_NOT_OK(file_->Write(*rest->Slice(0, rows)));
    offset += rows;
    num_rows_ += static_cast<uint64_t>(rows);
    if (file_->num_rows() >= options_.max_rows_per_file ||
        file_->estimated_size_bytes() >= options_.max_bytes_per_file) {
      ARROW_RETURN_NOT_OK(CutFile());
    }
  }
  return arrow::Status::OK();
}

arrow::Status FragmentWriter::CutFile() {
  if (file_ == nullptr) return arrow::Status::OK();
  auto fragment = file_->Finish();
  if (!fragment.ok()) file_->Abandon();
  file_.reset();
  ARROW_RETURN_NOT_OK(fragment.status());
  bytes_written_ += fragment->files.front().size_bytes;
  fragments_.push_back(std::move(*fragment));
  return arrow::Status::OK();
}

arrow::Result<std::vector<table::Fragment>> FragmentWriter::Finish() {
  ARROW_RETURN_NOT_OK(CutFile());
  finished_ = true;
  return std::move(fragments_);
}

std::vector<uint64_t> ClusteredFileSizes(uint64_t num_rows, uint64_t max_rows) {
  if (num_rows == 0) return {};
  const uint64_t num_files = CeilDiv(num_rows, max_rows);
  const uint64_t last = num_rows - (num_files - 1) * max_rows;
  std::vector<uint64_t> sizes(num_files, max_rows);
  // last < max_rows / 8 as real numbers: an integer quotient would forgive up to 7 rows.
  if (num_files > 1 && last < CeilDiv(max_rows, 8)) {
    for (uint64_t i = 0; i < num_files; ++i) {
      sizes[i] = num_rows / num_files + (i < num_rows % num_files ? 1 : 0);
    }
  } else {
    sizes.back() = last;
  }
  return sizes;
}

arrow::Status WriteClustered(const arrow::Table& sorted, uint64_t max_rows_per_file,
                             FragmentWriter* writer) {
  int64_t offset = 0;
  for (const uint64_t rows :
       ClusteredFileSizes(static_cast<uint64_t>(sorted.num_rows()), max_rows_per_file)) {
    const auto slice = sorted.Slice(offset, static_cast<int64_t>(rows));
    arrow::TableBatchReader batches(*slice);
    for (std::shared_ptr<arrow::RecordBatch> batch;;) {
      ARROW_RETURN_NOT_OK(batches.ReadNext(&batch));
      if (batch == nullptr) break;
      ARROW_RETURN_NOT_OK(writer->Write(*batch));
    }
    ARROW_RETURN_NOT_OK(writer->CutFile());
    offset += static_cast<int64_t>(rows);
  }
  return arrow::Status::OK();
}

table::DataFile MakeDataFile(std::string name, const format::DataFileSummary& summary) {
  return {.path = std::move(name),
          .field_ids = summary.field_ids,
          .column_indices = summary.column_indices,
          .major_version = summary.major_version,
          .minor_version = summary.minor_version,
          .size_bytes = summary.size_bytes};
}

void DeleteDataFiles(ObjectStore& store, const std::vector<table::Fragment>& fragments) {
  for (const table::Fragment& fragment : fragments) {
    for (const table::DataFile& file : fragment.files) {
      (void)store.Delete(table::DataFilePath(file));  // best effort: an orphan is harmless
    }
  }
}

}  // namespace lance
