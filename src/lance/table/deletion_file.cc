#include "lance/table/deletion_file.h"

#include <algorithm>

#include "arrow/api.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/table/base_path.h"

namespace lance::table {

namespace {

using arrow::Status;

constexpr uint64_t kFewestRowsOfBitmap = 5000;  // table-format 7.2, observed

std::shared_ptr<arrow::Schema> OffsetsSchema() {
  return arrow::schema({arrow::field("row_id", arrow::uint32(), /*nullable=*/false)});
}

arrow::Result<StoredDeletions> ParseArrow(const std::shared_ptr<arrow::Buffer>& bytes) {
  // Compressed bodies claim how large they get.
  constexpr int64_t kExpansion = 4096;
  arrow::CappedMemoryPool capped(arrow::default_memory_pool(),
                                 bytes->size() * kExpansion + (int64_t{1} << 20));
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = &capped;
  arrow::io::BufferReader input(bytes);
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        arrow::ipc::RecordBatchFileReader::Open(&input, options));
  if (!reader->schema()->Equals(*OffsetsSchema(), /*check_metadata=*/false)) {
    return Status::SerializationError("found the columns ", reader->schema()->ToString(),
                                      ", expected row_id: uint32 not null");
  }
  StoredDeletions stored;
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader->ReadRecordBatch(i));
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    const auto& offsets = static_cast<const arrow::UInt32Array&>(*batch->column(0));
    if (offsets.null_count() > 0) return Status::SerializationError("found a null offset");
    for (int64_t row = 0; row < offsets.length(); ++row) stored.rows.Add(offsets.Value(row));
    stored.num_entries += static_cast<uint64_t>(offsets.length());
  }
  return stored;
}

arrow::Result<StoredDeletions> ParseFile(const DeletionFile& file,
                                         const std::shared_ptr<arrow::Buffer>& bytes) {
  if (IsBitmap(file)) {
    ARROW_ASSIGN_OR_RAISE(RoaringBitmap rows,
                          RoaringBitmap::Parse(AsBytes(std::string_view(*bytes)), "deletion file"));
    const uint64_t num_entries = rows.size();
    return StoredDeletions{std::move(rows), num_entries};
  }
  auto parsed = ParseArrow(bytes);
  if (parsed.ok()) return parsed;
  return Status::SerializationError(parsed.status().message());
}

Status CheckRows(const Fragment& fragment, const RoaringBitmap& rows) {
  const uint64_t expected = fragment.deletion_file->num_deleted_rows;
  if (expected != 0 && rows.size() != expected) {
    return Status::SerializationError("the file deletes ", rows.size(), " rows, fragment ",
                                      fragment.id, " says ", expected);
  }
  const uint64_t beyond = CountBeyond(rows, fragment.physical_rows);
  if (beyond == 0) return Status::OK();
  return Status::SerializationError("the file deletes ", beyond, " rows beyond the ",
                                    fragment.physical_rows, " of fragment ", fragment.id);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> ToArrowFile(const RoaringBitmap& rows) {
  const std::vector<uint32_t> values = rows.ToVector();
  arrow::UInt32Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(values));
  ARROW_ASSIGN_OR_RAISE(auto offsets, builder.Finish());
  ARROW_ASSIGN_OR_RAISE(const auto output, arrow::io::BufferOutputStream::Create());
  ARROW_ASSIGN_OR_RAISE(const auto writer, arrow::ipc::MakeFileWriter(output, OffsetsSchema()));
  ARROW_RETURN_NOT_OK(writer->WriteRecordBatch(*arrow::RecordBatch::Make(
      OffsetsSchema(), static_cast<int64_t>(values.size()), {std::move(offsets)})));
  ARROW_RETURN_NOT_OK(writer->Close());
  return output->Finish();
}

}  // namespace

bool IsBitmap(const DeletionFile& file) {
  return file.file_type == static_cast<uint32_t>(DeletionFileType::kBitmap);
}

std::string DeletionFilePath(uint64_t fragment_id, const DeletionFile& file) {
  return BaseFolder(file.base_id) + "_deletions/" + std::to_string(fragment_id) + "-" +
         std::to_string(file.read_version) + "-" + std::to_string(file.id) +
         (IsBitmap(file) ? ".bin" : ".arrow");
}

uint64_t CountBeyond(const RoaringBitmap& rows, uint64_t num_rows) {
  RoaringBitmap within;
  within.AddRange(0, num_rows);
  RoaringBitmap beyond = rows;
  beyond -= within;
  return beyond.size();
}

arrow::Result<StoredDeletions> ReadStoredDeletions(ObjectStore& store, const Fragment& fragment,
                                                   const RunContext& run) {
  const DeletionFile& file = *fragment.deletion_file;
  const std::string path = DeletionFilePath(fragment.id, file);
  const auto info = store.Head(path);
  if (NotFound::From(info.status()) != nullptr) {
    return InFile(Status::SerializationError("the table's version names this file, which is not "
                                             "there"),
                  path);
  }
  ARROW_RETURN_NOT_OK(info.status());
  ARROW_ASSIGN_OR_RAISE(const auto buffers,
                        store.Get(path, {{0, info->size_bytes}}, run.stop_token));
  auto stored = ParseFile(file, buffers.front());
  return stored.ok() ? std::move(stored) : InFile(stored.status(), path);
}

arrow::Result<RoaringBitmap> ReadDeletions(ObjectStore& store, const Fragment& fragment,
                                           const RunContext& run) {
  if (!fragment.deletion_file) return RoaringBitmap();
  ARROW_ASSIGN_OR_RAISE(StoredDeletions stored, ReadStoredDeletions(store, fragment, run));
  ARROW_RETURN_NOT_OK(InFile(CheckRows(fragment, stored.rows),
                             DeletionFilePath(fragment.id, *fragment.deletion_file)));
  return std::move(stored.rows);
}

arrow::Result<DeletionFile> WriteDeletions(ObjectStore& store, uint64_t fragment_id,
                                           uint64_t read_version, const RoaringBitmap& rows,
                                           bool was_bitmap, const RunContext& run) {
  const bool is_bitmap = was_bitmap || rows.size() >= kFewestRowsOfBitmap;
  DeletionFile file{.file_type = static_cast<uint32_t>(is_bitmap ? DeletionFileType::kBitmap
                                                                 : DeletionFileType::kArrow),
                    .read_version = read_version,
                    .num_deleted_rows = rows.size()};
  const Uuid random = Uuid::Random(*run.random);
  std::copy_n(random.bytes.begin(), sizeof(file.id), reinterpret_cast<uint8_t*>(&file.id));
  std::shared_ptr<arrow::Buffer> bytes = arrow::Buffer::FromString(rows.Serialize());
  if (!is_bitmap) {
    ARROW_ASSIGN_OR_RAISE(bytes, ToArrowFile(rows));
  }
  const std::string path = DeletionFilePath(fragment_id, file);
  ARROW_ASSIGN_OR_RAISE(const PutOutcome put, store.Put(path, bytes, PutMode::kOverwrite));
  if (put == PutOutcome::kStored) return file;
  return Status::IOError(path, ": the store does not say whether it was written");
}

}  // namespace lance::table
