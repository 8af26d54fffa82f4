#include "lance/diff.h"

#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/progress_reporter.h"
#include "lance/dataset/row_ids.h"
#include "lance/dataset/system_column.h"
#include "lance/table/feature_flags.h"

namespace lance {
namespace {

constexpr uint64_t kIdsAtOnce = 8192;

/// Gives the ids of rows of one version that are not in another.
class DeletedIdsReader : public arrow::RecordBatchReader {
 public:
  /// \param begin no value: there was no row
  DeletedIdsReader(Dataset end, std::optional<uint64_t> begin, CallOptions call)
      : end_(std::move(end)), begin_version_(begin), call_(std::move(call)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (!is_compared_) ARROW_RETURN_NOT_OK(Compare());
    is_compared_ = true;
    arrow::UInt64Builder ids;
    while (next_range_ < deleted_.size() && ids.length() < static_cast<int64_t>(kIdsAtOnce)) {
      RowRange& range = deleted_[next_range_];
      const uint64_t room = kIdsAtOnce - static_cast<uint64_t>(ids.length());
      const uint64_t length = std::min(range.size(), room);
      for (uint64_t i = 0; i < length; ++i) ARROW_RETURN_NOT_OK(ids.Append(range.begin + i));
      range.begin += length;
      if (range.size() == 0) ++next_range_;
    }
    if (ids.length() == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const auto array, ids.Finish());
    *batch = arrow::RecordBatch::Make(schema_, array->length(), {array});
    return arrow::Status::OK();
  }

 private:
  arrow::Status Compare() {
    if (!begin_version_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(const Dataset begin, end_.Checkout(Ref::Version(*begin_version_), call_));
    ARROW_ASSIGN_OR_RAISE(const RowRanges before, IdsOf(begin));
    ARROW_ASSIGN_OR_RAISE(const RowRanges after, IdsOf(end_));
    deleted_ = before.Intersect(after.Complement(UINT64_MAX)).ranges();
    return arrow::Status::OK();
  }

  arrow::Result<RowRanges> IdsOf(const Dataset& dataset) const {
    const Dataset::Impl& impl = dataset.impl();
    ARROW_ASSIGN_OR_RAISE(const auto index, impl.RowIds(impl.Run(call_)));
    return index->Ids();
  }

  const std::shared_ptr<arrow::Schema> schema_ =
      arrow::schema({arrow::field(std::string(NameOf(SystemColumn::kRowId)), arrow::uint64())});
  const Dataset end_;
  const std::optional<uint64_t> begin_version_;
  const CallOptions call_;
  bool is_compared_ = false;
  std::vector<RowRange> deleted_;
  size_t next_range_ = 0;
};

/// Scan the rows that a condition on their versions lets through.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> ScanRows(const Dataset& dataset,
                                                                  const std::string& condition,
                                                                  const CallOptions& call) {
  ScanOptions options;
  options.columns = dataset.schema()->field_names();
  for (const auto column : {SystemColumn::kRowId, SystemColumn::kCreatedAtVersion,
                            SystemColumn::kLastUpdatedAtVersion}) {
    options.columns.emplace_back(NameOf(column));
  }
  options.filter = Filter(condition);
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan(std::move(options)));
  return scanner.ToReader(call);
}

arrow::Status CheckRequest(const Dataset& dataset, const DiffRequest& request) {
  if (request.begin_version > request.end_version) {
    return arrow::Status::Invalid("begin_version ", request.begin_version,
                                  " is newer than end_version ", request.end_version);
  }
  if (request.end_version == 0) {
    return arrow::Status::Invalid("end_version is 0; allowed: the number of a version");
  }
  if (!table::HasStableRowIds(dataset.impl().manifest())) {
    return UnsupportedError("a diff without stable row ids",
                            dataset.uri() +
                                ": a diff needs stable row ids, which a table has from its "
                                "creation (enable_stable_row_ids) or never");
  }
  return arrow::Status::OK();
}

/// What was committed between two versions, oldest first.
arrow::Result<std::vector<HistoryEntry>> TransactionsOf(const Dataset& end,
                                                        const DiffRequest& request,
                                                        const CallOptions& call) {
  const uint64_t num_versions = request.end_version - request.begin_version;
  if (num_versions == 0) return std::vector<HistoryEntry>();
  ARROW_ASSIGN_OR_RAISE(auto history, ListHistory(end, num_versions, call));
  // Where versions are gone, older ones came along.
  std::erase_if(history, [&](const auto& entry) { return entry.version <= request.begin_version; });
  std::ranges::reverse(history);
  return history;
}

void WarnOfRestores(const std::vector<HistoryEntry>& transactions, const RunContext& run) {
  for (const HistoryEntry& entry : transactions) {
    if (entry.operation != "Restore") continue;
    Warn(run, "diff_past_restore",
         "version " + std::to_string(entry.version) +
             " is a restore: rows that it brought back are neither inserted nor updated");
  }
}

}  // namespace

arrow::Result<Diff> DiffVersions(const Dataset& dataset, const DiffRequest& request,
                                 const CallOptions& call) {
  ARROW_RETURN_NOT_OK(CheckRequest(dataset, request));
  Dataset end = dataset;
  if (request.end_version != dataset.version()) {
    ARROW_ASSIGN_OR_RAISE(end, dataset.Checkout(Ref::Version(request.end_version), call));
    ARROW_RETURN_NOT_OK(CheckRequest(end, request));
  }
  const std::string created(NameOf(SystemColumn::kCreatedAtVersion));
  const std::string updated(NameOf(SystemColumn::kLastUpdatedAtVersion));
  const std::string begin = std::to_string(request.begin_version);
  Diff diff;
  if (request.with_transactions) {
    ARROW_ASSIGN_OR_RAISE(diff.transactions, TransactionsOf(end, request, call));
  }
  WarnOfRestores(diff.transactions, dataset.impl().Run(call));
  ARROW_ASSIGN_OR_RAISE(diff.inserted, ScanRows(end, created + " > " + begin, call));
  ARROW_ASSIGN_OR_RAISE(
      diff.updated,
      ScanRows(end, created + " <= " + begin + " AND " + updated + " > " + begin, call));
  const auto older =
      request.begin_version == 0 ? std::nullopt : std::optional(request.begin_version);
  diff.deleted_row_ids = std::make_shared<DeletedIdsReader>(end, older, call);
  return diff;
}

}  // namespace lance
