#include <utility>

#include "arrow/api.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/bitmap_file.h"
#include "lance/index/index_file.h"

namespace lance::index {
namespace {

/// Bytes of bitmaps that make a batch, far below what one array of them can hold.
constexpr int64_t kBatchBytes = int64_t{32} << 20;

/// What the reference puts in one array at most (zonemap-and-indices 6.2).
constexpr int64_t kMaxBatchBytes = INT32_MAX - (int64_t{1} << 20);

std::shared_ptr<arrow::Schema> FileSchema(const std::shared_ptr<arrow::DataType>& key_type) {
  return arrow::schema({arrow::field("keys", key_type), arrow::field("bitmaps", arrow::binary())});
}

/// Writes keys with their rows, batch by batch.
class KeyWriter {
 public:
  static arrow::Result<KeyWriter> Make(ObjectStore& store, const std::string& path,
                                       const std::shared_ptr<arrow::DataType>& key_type,
                                       const RunContext& run) {
    KeyWriter made;
    made.schema_ = FileSchema(key_type);
    ARROW_ASSIGN_OR_RAISE(made.keys_, arrow::MakeBuilder(key_type, run.memory_pool));
    made.bitmaps_ = std::make_unique<arrow::BinaryBuilder>(run.pool());
    ARROW_ASSIGN_OR_RAISE(const auto schema, format::MakeLanceSchema(*made.schema_));
    ARROW_ASSIGN_OR_RAISE(const auto out, store.OpenWrite(path));
    ARROW_ASSIGN_OR_RAISE(
        made.file_,
        format::DataFileWriter::Make(
            out, schema, {.stop_token = run.stop_token, .memory_pool = run.memory_pool}));
    return made;
  }

  arrow::Status Write(const arrow::Array& keys, int64_t place, const RowAddressMap& rows) {
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, rows.Serialize());
    const auto size = static_cast<int64_t>(bytes.size());
    if (size > kMaxBatchBytes) {
      return arrow::Status::CapacityError("the rows of one value take ", size, " bytes, allowed ",
                                          kMaxBatchBytes);
    }
    if (bitmaps_->value_data_length() + size > kBatchBytes) ARROW_RETURN_NOT_OK(Flush());
    ARROW_RETURN_NOT_OK(keys_->AppendArraySlice(arrow::ArraySpan(*keys.data()), place, 1));
    return bitmaps_->Append(bytes);
  }

  /// End the file. \return its size
  arrow::Result<uint64_t> Finish(const std::optional<RowAddressMap>& list_nulls) {
    ARROW_RETURN_NOT_OK(Flush());
    file_->AddSchemaMetadata("lance:index_stats",
                             "{\"num_bitmaps\":" + std::to_string(file_->num_rows()) + "}");
    if (list_nulls) {
      ARROW_ASSIGN_OR_RAISE(std::string bytes, list_nulls->Serialize());
      ARROW_ASSIGN_OR_RAISE(const int buffer,
                            file_->AddGlobalBuffer(*arrow::Buffer::FromString(std::move(bytes))));
      file_->AddSchemaMetadata(kListNullsKey, std::to_string(buffer));
    }
    ARROW_ASSIGN_OR_RAISE(const auto summary, file_->Finish());
    return summary.size_bytes;
  }

 private:
  KeyWriter() = default;

  arrow::Status Flush() {
    const int64_t length = bitmaps_->length();
    if (length == 0) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(auto keys, keys_->Finish());
    ARROW_ASSIGN_OR_RAISE(auto bitmaps, bitmaps_->Finish());
    return file_->Write(
        *arrow::RecordBatch::Make(schema_, length, {std::move(keys), std::move(bitmaps)}));
  }

  std::shared_ptr<arrow::Schema> schema_;
  std::unique_ptr<arrow::ArrayBuilder> keys_;
  std::unique_ptr<arrow::BinaryBuilder> bitmaps_;
  std::unique_ptr<format::DataFileWriter> file_;
};

}  // namespace

arrow::Result<table::IndexFile> WriteBitmapFile(ObjectStore& store, const Uuid& segment_uuid,
                                                KeyedRows rows,
                                                const std::shared_ptr<arrow::DataType>& key_type,
                                                const std::optional<RowAddressMap>& list_nulls,
                                                const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto keys, rows.FinishKeys());
  ARROW_ASSIGN_OR_RAISE(const KeyOrder order, SortKeys(*keys));
  const std::string path = IndexFilePath(segment_uuid, std::nullopt, BitmapFile::kName);
  ARROW_ASSIGN_OR_RAISE(KeyWriter file, KeyWriter::Make(store, path, key_type, run));
  for (const std::vector<uint32_t>* places : {&order.nulls, &order.ascending}) {
    for (const uint32_t place : *places) {
      const RowAddressMap of_key = rows.rows(place).Finish();
      if (!of_key.empty()) ARROW_RETURN_NOT_OK(file.Write(*keys, place, of_key));
    }
  }
  ARROW_ASSIGN_OR_RAISE(const uint64_t size_bytes, file.Finish(list_nulls));
  return table::IndexFile{.path = BitmapFile::kName, .size_bytes = size_bytes};
}

}  // namespace lance::index
