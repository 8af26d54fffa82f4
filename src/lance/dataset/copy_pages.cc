#include "lance/dataset/copy_pages.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "arrow/io/interfaces.h"
#include "lance/base/status_detail.h"
#include "lance/format/page_copier.h"
#include "lance/table/base_path.h"
#include "lance/table/data_file_name.h"

namespace lance {

namespace {

/// What the manifest alone says against copying a fragment; "": nothing.
std::string ObstacleOf(const table::Fragment& fragment) {
  const std::string name = "fragment " + std::to_string(fragment.id);
  if (fragment.deletion_file) return name + " has deleted rows";
  if (fragment.files.size() != 1) {
    return name + " has " + std::to_string(fragment.files.size()) + " data files";
  }
  return "";
}

/// Copies one source after the other, and ends files between them.
class SourceCopier {
 public:
  SourceCopier(const CompactionTask::Impl& task, const Dataset::Impl& table, const RunContext& run)
      : task_(task), table_(table), run_(run) {
    for (const table::Fragment& source : task.sources) rows_left_ += source.physical_rows;
  }
  SourceCopier(const SourceCopier&) = delete;
  SourceCopier& operator=(const SourceCopier&) = delete;
  ~SourceCopier() {
    Abandon();
    if (!is_kept_) DeleteDataFiles(*table_.store, copied_.outputs);
  }

  /// \return an obstacle, or ""
  arrow::Result<std::string> Copy(const table::Fragment& source) {
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    const table::DataFile& file = source.files.front();
    const format::DataFileLocation location{table_.store, table::DataFilePath(file)};
    ARROW_ASSIGN_OR_RAISE(
        const format::DataFileMetadata metadata,
        format::LoadDataFileMetadata(
            location, file.size_bytes == 0 ? std::nullopt : std::optional(file.size_bytes),
            run_.stop_token));
    const std::string name = "data file " + file.path + ": ";
    if (metadata.num_rows != source.physical_rows)
      return name + "it has more rows than its fragment";
    std::string obstacle =
        format::WhyPagesCannotMove(metadata, table_.manifest().schema, task_.options.version);
    if (!obstacle.empty()) return name + obstacle;
    if (copier_ == nullptr) ARROW_RETURN_NOT_OK(StartFile());
    const arrow::Status appended = copier_->Append(location, metadata);
    if (!appended.ok()) return WithContext(appended, location.path);
    copied_.bytes_read += metadata.file_size;
    copied_.num_rows += metadata.num_rows;
    rows_left_ -= metadata.num_rows;
    // As the plan splits tasks: enough here, and enough left.
    const uint64_t target = task_.options.target_rows_per_fragment;
    const bool is_full = copier_->num_rows() >= target && rows_left_ >= target;
    if (is_full || copier_->bytes_written() >= task_.options.max_bytes_per_file) {
      ARROW_RETURN_NOT_OK(EndFile());
    }
    return "";
  }

  arrow::Result<CopiedPages> Finish() {
    if (copier_ != nullptr) ARROW_RETURN_NOT_OK(EndFile());
    is_kept_ = true;
    return std::move(copied_);
  }

  uint64_t num_rows() const { return copied_.num_rows; }

 private:
  arrow::Status StartFile() {
    name_ = table::MakeDataFileName(*run_.random);
    ARROW_ASSIGN_OR_RAISE(stream_, table_.store->OpenWrite("data/" + name_));
    return format::PageCopier::Make(stream_, table_.manifest().schema, task_.options.version,
                                    task_.options.copy_batch_bytes, run_.stop_token)
        .Value(&copier_);
  }

  arrow::Status EndFile() {
    ARROW_ASSIGN_OR_RAISE(const format::DataFileSummary summary, copier_->Finish());
    copier_.reset();
    stream_.reset();
    table::Fragment fragment;
    fragment.physical_rows = summary.num_rows;
    fragment.files.push_back(MakeDataFile(name_, summary));
    copied_.outputs.push_back(std::move(fragment));
    return arrow::Status::OK();
  }

  void Abandon() {
    // Nothing can be done about a failed abort; cleanup finds what stays.
    if (stream_ != nullptr) (void)stream_->Abort();
  }

  const CompactionTask::Impl& task_;
  const Dataset::Impl& table_;
  RunContext run_;
  uint64_t rows_left_ = 0;
  std::string name_;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::unique_ptr<format::PageCopier> copier_;
  CopiedPages copied_;
  bool is_kept_ = false;
};

}  // namespace

arrow::Result<CopiedPages> CopyPages(const CompactionTask::Impl& task, const Dataset::Impl& table,
                                     const FragmentWriterOptions& writing, const RunContext& run,
                                     ProgressReporter* progress) {
  if (!writing.seeds.empty()) {
    return CopiedPages{.obstacle = "new files of the table get statistics of " +
                                   writing.seeds.front().name + ", which only values give"};
  }
  for (const table::Fragment& source : task.sources) {
    std::string obstacle = ObstacleOf(source);
    if (!obstacle.empty()) return CopiedPages{.obstacle = std::move(obstacle)};
  }
  SourceCopier copier(task, table, run);
  for (const table::Fragment& source : task.sources) {
    ARROW_ASSIGN_OR_RAISE(std::string obstacle, copier.Copy(source));
    if (!obstacle.empty()) return CopiedPages{.obstacle = std::move(obstacle)};
    progress->Update(copier.num_rows());
  }
  return copier.Finish();
}

}  // namespace lance
