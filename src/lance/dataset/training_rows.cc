#include "lance/dataset/training_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/read_fields.h"
#include "lance/dataset/system_column_reader.h"
#include "lance/table/feature_flags.h"

namespace lance {

namespace {

/// Takes the first rows out of a set.
RowRanges TakeRowsOff(uint64_t num_rows, std::vector<RowRange>* left) {
  std::vector<RowRange> taken;
  auto range = left->begin();
  while (range != left->end() && num_rows > 0) {
    const uint64_t rows = std::min(num_rows, range->size());
    taken.push_back({range->begin, range->begin + rows});
    num_rows -= rows;
    range->begin += rows;
    if (range->size() == 0) ++range;
  }
  left->erase(left->begin(), range);
  return RowRanges::Make(std::move(taken));
}

class TrainingRows : public arrow::RecordBatchReader {
 public:
  TrainingRows(const Dataset::Impl& dataset, TrainingRequest request, const RunContext& run)
      : dataset_(dataset),
        request_(std::move(request)),
        run_(run),
        schema_(arrow::schema({arrow::field("value", request_.column.type()),
                               arrow::field("row", arrow::uint64(), /*nullable=*/false)})) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    while (left_.empty()) {
      if (next_fragment_ == request_.fragment_ids.size()) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(OpenNextFragment());
    }
    ARROW_RETURN_NOT_OK(run_.stop_token.Poll());
    const RowRanges rows = TakeRowsOff(RowsPerRead(), &left_);
    ARROW_ASSIGN_OR_RAISE(auto values, request_.column.Read(&*reader_, rows));
    ARROW_ASSIGN_OR_RAISE(auto numbers, columns_->Read(number_, rows));
    const auto num_rows = static_cast<int64_t>(rows.num_rows());
    *batch = arrow::RecordBatch::Make(schema_, num_rows, {std::move(values), std::move(numbers)});
    unit_size_.Note(**batch);
    num_given_ += rows.num_rows();
    if (request_.on_progress) request_.on_progress(num_given_);
    return arrow::Status::OK();
  }

 private:
  arrow::Status OpenNextFragment() {
    const table::Manifest& manifest = dataset_.manifest();
    const uint64_t id = request_.fragment_ids[next_fragment_++];
    const table::Fragment* fragment = manifest.FindFragment(id);
    if (fragment == nullptr) {
      return InternalError("fragment " + std::to_string(id) + " to index is not there");
    }
    const bool has_ids = table::HasStableRowIds(manifest);
    number_ = has_ids && request_.domain == index::RowDomain::kRowId ? SystemColumn::kRowId
                                                                     : SystemColumn::kRowAddress;
    columns_.reset();
    reader_.emplace(dataset_.store, *fragment, run_);
    columns_.emplace(&*reader_, has_ids, run_);
    ARROW_ASSIGN_OR_RAISE(const RowRanges live, reader_->Live());
    left_ = live.ranges();
    return arrow::Status::OK();
  }

  uint64_t RowsPerRead() const {
    const table::Fragment& fragment = reader_->fragment();
    uint64_t bytes = 0;
    for (const table::DataFile& file : fragment.files) bytes += file.size_bytes;
    return unit_size_.Rows(bytes / std::max<uint64_t>(fragment.physical_rows, 1));
  }

  const Dataset::Impl& dataset_;
  TrainingRequest request_;
  RunContext run_;
  std::shared_ptr<arrow::Schema> schema_;
  size_t next_fragment_ = 0;
  std::optional<FragmentReader> reader_;
  std::optional<SystemColumnReader> columns_;  // of the fragment
  SystemColumn number_ = SystemColumn::kRowAddress;
  std::vector<RowRange> left_;  // of the fragment
  UnitSize unit_size_;
  uint64_t num_given_ = 0;
};

}  // namespace

std::shared_ptr<arrow::RecordBatchReader> MakeTrainingRows(const Dataset::Impl& dataset,
                                                           TrainingRequest request,
                                                           const RunContext& run) {
  return std::make_shared<TrainingRows>(dataset, std::move(request), run);
}

}  // namespace lance
