#include "lance/index/btree_writer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "arrow/api.h"
#include "lance/format/schema.h"
#include "lance/index/btree_lookup.h"
#include "lance/index/index_file.h"

namespace lance::index {
namespace {

constexpr char kPageData[] = "page_data.lance";
constexpr char kPageLookup[] = "page_lookup.lance";

std::shared_ptr<arrow::Schema> PageSchema(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema(
      {arrow::field("values", type), arrow::field("ids", arrow::uint64(), /*nullable=*/false)});
}

std::shared_ptr<arrow::Schema> LookupSchema(const std::shared_ptr<arrow::DataType>& type) {
  return arrow::schema({arrow::field("min", type), arrow::field("max", type),
                        arrow::field("null_count", arrow::uint32(), /*nullable=*/false),
                        arrow::field("page_idx", arrow::uint32(), false)});
}

}  // namespace

BTreeWriter::BTreeWriter(std::shared_ptr<ObjectStore> store, const Uuid& uuid,
                         std::shared_ptr<arrow::DataType> type, const RunContext& run)
    : store_(std::move(store)),
      folder_(IndexFilePath(uuid, std::nullopt, "")),
      type_(std::move(type)),
      run_(run) {}

arrow::Result<std::unique_ptr<BTreeWriter>> BTreeWriter::Make(
    std::shared_ptr<ObjectStore> store, const Uuid& uuid,
    const std::shared_ptr<arrow::DataType>& type, const RunContext& run) {
  std::unique_ptr<BTreeWriter> writer(new BTreeWriter(std::move(store), uuid, type, run));
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(run.pool(), type, &writer->min_));
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(run.pool(), type, &writer->max_));
  ARROW_ASSIGN_OR_RAISE(writer->page_data_, writer->OpenFile(kPageData, *PageSchema(type)));
  return writer;
}

arrow::Result<std::unique_ptr<format::DataFileWriter>> BTreeWriter::OpenFile(
    const std::string& name, const arrow::Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(const auto lance_schema, format::MakeLanceSchema(schema));
  ARROW_ASSIGN_OR_RAISE(auto out, store_->OpenWrite(folder_ + name));
  return format::DataFileWriter::Make(std::move(out), lance_schema,
                                      {.num_threads = run_.num_threads,
                                       .stop_token = run_.stop_token,
                                       .memory_pool = run_.memory_pool});
}

arrow::Status BTreeWriter::Append(const arrow::RecordBatch& rows) {
  if (rows.num_rows() == 0) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(CutPages(*rows.column(0)));
  return page_data_->Write(
      *arrow::RecordBatch::Make(PageSchema(type_), rows.num_rows(), rows.columns()));
}

/// Note the bounds and nulls of pages; values go on where those before ended.
arrow::Status BTreeWriter::CutPages(const arrow::Array& values) {
  for (int64_t at = 0; at < values.length();) {
    if (rows_in_page_ == 0) {
      if (null_counts_.size() == std::numeric_limits<uint32_t>::max()) {
        return arrow::Status::CapacityError("BTree of more than ", null_counts_.size(), " pages");
      }
      ARROW_RETURN_NOT_OK(min_->AppendArraySlice(*values.data(), at, 1));
      null_counts_.push_back(0);
    }
    const int64_t count =
        std::min(values.length() - at, static_cast<int64_t>(kDefaultPageRows - rows_in_page_));
    null_counts_.back() += static_cast<uint32_t>(values.Slice(at, count)->null_count());
    at += count;
    rows_in_page_ += static_cast<uint64_t>(count);
    if (rows_in_page_ < kDefaultPageRows) continue;
    ARROW_RETURN_NOT_OK(max_->AppendArraySlice(*values.data(), at - 1, 1));
    rows_in_page_ = 0;
  }
  last_value_ = values.Slice(values.length() - 1, 1);
  return arrow::Status::OK();
}

arrow::Result<uint64_t> BTreeWriter::WriteLookup() {
  arrow::UInt32Builder null_counts, page_idx;
  ARROW_RETURN_NOT_OK(null_counts.AppendValues(null_counts_));
  for (uint32_t page = 0; page < null_counts_.size(); ++page) {
    ARROW_RETURN_NOT_OK(page_idx.Append(page));
  }
  arrow::ArrayVector columns(4);
  ARROW_RETURN_NOT_OK(min_->Finish(&columns[0]));
  ARROW_RETURN_NOT_OK(max_->Finish(&columns[1]));
  ARROW_RETURN_NOT_OK(null_counts.Finish(&columns[2]));
  ARROW_RETURN_NOT_OK(page_idx.Finish(&columns[3]));
  const auto schema = LookupSchema(type_);
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenFile(kPageLookup, *schema));
  const int64_t num_pages = columns[0]->length();
  if (num_pages > 0) {
    ARROW_RETURN_NOT_OK(
        file->Write(*arrow::RecordBatch::Make(schema, num_pages, std::move(columns))));
  }
  file->AddSchemaMetadata("batch_size", std::to_string(kDefaultPageRows));
  file->AddSchemaMetadata("range_partitioned", "false");
  ARROW_ASSIGN_OR_RAISE(const auto summary, file->Finish());
  return summary.size_bytes;
}

arrow::Result<std::vector<table::IndexFile>> BTreeWriter::Finish() {
  if (rows_in_page_ > 0) {
    ARROW_RETURN_NOT_OK(max_->AppendArraySlice(*last_value_->data(), 0, 1));
    rows_in_page_ = 0;
  }
  ARROW_ASSIGN_OR_RAISE(const auto page_data, page_data_->Finish());
  ARROW_ASSIGN_OR_RAISE(const uint64_t lookup_bytes, WriteLookup());
  return std::vector<table::IndexFile>{{.path = kPageData, .size_bytes = page_data.size_bytes},
                                       {.path = kPageLookup, .size_bytes = lookup_bytes}};
}

void BTreeWriter::Abandon() {
  page_data_.reset();  // a file that is not finished goes with its writer
  // No version names the folder: what cannot be deleted now is for a cleanup.
  (void)store_->Delete(folder_ + kPageLookup);
  (void)store_->Delete(folder_ + kPageData);
}

}  // namespace lance::index
