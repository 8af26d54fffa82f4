#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/index/btree.h"
#include "lance/index/btree_segment.h"
#include "lance/index/btree_sort.h"
#include "lance/index/btree_writer.h"
#include "lance/index/index_file.h"
#include "lance/index/segment_parts.h"

namespace lance::index {
namespace {

/// The rows of sorted pages of an old segment, under the numbers that they have now.
class OldRows : public arrow::RecordBatchReader {
 public:
  OldRows(std::shared_ptr<const BTreeSegment> segment, BTreeSegment::SortedPages pages,
          const NewScalarIndex::OldPart& part, const RunContext& run)
      : segment_(std::move(segment)), pages_(pages), part_(part), run_(run) {}

  std::shared_ptr<arrow::Schema> schema() const override {
    return ValueRowSchema(segment_->type());
  }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    *batch = nullptr;
    if (pages_.begin == pages_.end) return arrow::Status::OK();
    std::vector<uint32_t> pages(std::min(pages_.end - pages_.begin, kMaxPages));
    std::iota(pages.begin(), pages.end(), static_cast<uint32_t>(pages_.begin));
    pages.resize(segment_->CountReadable(pages));
    pages_.begin += pages.size();
    const auto rows = segment_->Read(pages, run_);
    if (!rows.ok()) return InSegment(rows.status(), *part_.segment);
    return Map(*rows).Value(batch);
  }

 private:
  static constexpr uint64_t kMaxPages = 64;

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Map(const BTreeRows& rows) const {
    if (part_.mapping == nullptr) {
      return arrow::RecordBatch::Make(schema(), rows.ids->length(), {rows.values, rows.ids});
    }
    arrow::MemoryPool* pool = run_.pool();
    std::unique_ptr<arrow::ArrayBuilder> values;
    ARROW_RETURN_NOT_OK(arrow::MakeBuilder(pool, segment_->type(), &values));
    arrow::UInt64Builder ids(pool);
    int64_t kept_from = 0;  // rows before it are copied or gone
    const auto copy_until = [&](int64_t end) {
      return end == kept_from
                 ? arrow::Status::OK()
                 : values->AppendArraySlice(*rows.values->data(), kept_from, end - kept_from);
    };
    for (int64_t row = 0; row < rows.ids->length(); ++row) {
      if (const auto id = part_.mapping->Map(rows.ids->Value(row))) {
        ARROW_RETURN_NOT_OK(ids.Append(*id));
        continue;
      }
      ARROW_RETURN_NOT_OK(copy_until(row));
      kept_from = row + 1;
    }
    const int64_t num_rows = ids.length();
    std::shared_ptr<arrow::Array> kept_values = rows.values;
    if (kept_from > 0) {
      ARROW_RETURN_NOT_OK(copy_until(rows.ids->length()));
      ARROW_RETURN_NOT_OK(values->Finish(&kept_values));
    }
    ARROW_ASSIGN_OR_RAISE(auto kept_ids, ids.Finish());
    return arrow::RecordBatch::Make(schema(), num_rows,
                                    {std::move(kept_values), std::move(kept_ids)});
  }

  std::shared_ptr<const BTreeSegment> segment_;
  BTreeSegment::SortedPages pages_;  // that are not read yet
  const NewScalarIndex::OldPart part_;
  RunContext run_;
};

arrow::Status CheckRequest(const NewScalarIndex& request) {
  const std::string type = request.column_type ? request.column_type->ToString() : "null";
  if (!request.column_type || !HasOrder(*request.column_type)) {
    return UnsupportedError("BTree of type " + type,
                            "column " + request.column + ": no BTree can hold type " + type);
  }
  return arrow::Status::OK();
}

/// Everything that the new segment is made of, each source in order.
arrow::Result<std::vector<std::shared_ptr<arrow::RecordBatchReader>>> OpenSources(
    const std::shared_ptr<ObjectStore>& store, const NewScalarIndex& request,
    const RunContext& run) {
  std::vector<std::shared_ptr<arrow::RecordBatchReader>> sources;
  for (const auto& part : request.old_parts) {
    const auto opened = BTreeSegment::Open(store, *part.segment, request.column_type, run);
    if (!opened.ok()) return InSegment(opened.status(), *part.segment);
    for (const auto& pages : (*opened)->SortedRuns()) {
      sources.push_back(std::make_shared<OldRows>(*opened, pages, part, run));
    }
  }
  if (request.rows) {
    ValueSorter sorter(request.column_type, run);
    ARROW_RETURN_NOT_OK(
        VisitNewRows(request, run, [&](const arrow::Array& values, const arrow::UInt64Array& rows) {
          return sorter.Add(*arrow::RecordBatch::Make(ValueRowSchema(request.column_type),
                                                      rows.length(),
                                                      {values.Slice(0), rows.Slice(0)}));
        }));
    ARROW_ASSIGN_OR_RAISE(auto sorted, sorter.Finish());
    std::move(sorted.begin(), sorted.end(), std::back_inserter(sources));
  }
  return sources;
}

}  // namespace

arrow::Result<NewScalarIndexFiles> WriteBTree(const std::shared_ptr<ObjectStore>& store,
                                              const Uuid& uuid, const NewScalarIndex& request,
                                              const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckRequest(request));
  ARROW_ASSIGN_OR_RAISE(const auto sources, OpenSources(store, request, run));
  ARROW_ASSIGN_OR_RAISE(const auto writer,
                        BTreeWriter::Make(store, uuid, request.column_type, run));
  const auto write = [&]() -> arrow::Result<std::vector<table::IndexFile>> {
    ARROW_RETURN_NOT_OK(
        MergeSortedRows(sources, request.column_type, run,
                        [&](const arrow::RecordBatch& rows) { return writer->Append(rows); }));
    return writer->Finish();
  };
  auto files = write();
  if (!files.ok()) {
    writer->Abandon();
    return files.status();
  }
  NewScalarIndexFiles written;
  written.details_type_url = "/lance.table.BTreeIndexDetails";
  // Version 1 says that rows are named by their addresses (zonemap-and-indices 1.5).
  written.index_version = request.domain == RowDomain::kAddress ? 1 : 0;
  written.files = std::move(*files);
  return written;
}

}  // namespace lance::index
