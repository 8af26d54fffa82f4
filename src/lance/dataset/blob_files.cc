#include <algorithm>
#include <utility>

#include "arrow/api.h"
#include "arrow/io/interfaces.h"
#include "lance/base/status_detail.h"
#include "lance/blob.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/dataset/take_rows.h"

namespace lance {
namespace {

/// One blob as a file. Thread-safe apart from its cursor, as Arrow's files.
class BlobFile : public arrow::io::RandomAccessFile {
 public:
  BlobFile(std::shared_ptr<ObjectStore> store, std::string path, ByteRange range)
      : store_(std::move(store)), path_(std::move(path)), range_(range) {}

  arrow::Status Close() override {
    is_closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return is_closed_; }
  arrow::Result<int64_t> Tell() const override { return position_; }
  arrow::Result<int64_t> GetSize() override { return static_cast<int64_t>(range_.length); }

  arrow::Status Seek(int64_t position) override {
    if (position < 0 || static_cast<uint64_t>(position) > range_.length) {
      return arrow::Status::IndexError("position ", position, " is not in a blob of ",
                                       range_.length, " bytes");
    }
    position_ = position;
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position,
                                                       int64_t num_bytes) override {
    if (is_closed_) return arrow::Status::Invalid("the blob is closed");
    if (position < 0 || num_bytes < 0) {
      return arrow::Status::Invalid("position ", position, " or size ", num_bytes, " is negative");
    }
    const uint64_t begin = std::min(static_cast<uint64_t>(position), range_.length);
    const uint64_t size = std::min(static_cast<uint64_t>(num_bytes), range_.length - begin);
    if (size == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
    ARROW_ASSIGN_OR_RAISE(auto buffers, store_->Get(path_, {{range_.offset + begin, size}},
                                                    arrow::StopToken::Unstoppable()));
    return std::move(buffers[0]);
  }

  arrow::Result<int64_t> ReadAt(int64_t position, int64_t num_bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadAt(position, num_bytes));
    std::copy_n(bytes->data(), bytes->size(), static_cast<uint8_t*>(out));
    return bytes->size();
  }

  arrow::Result<int64_t> Read(int64_t num_bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(const int64_t got, ReadAt(position_, num_bytes, out));
    position_ += got;
    return got;
  }

  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t num_bytes) override {
    ARROW_ASSIGN_OR_RAISE(auto bytes, ReadAt(position_, num_bytes));
    position_ += bytes->size();
    return bytes;
  }

 private:
  std::shared_ptr<ObjectStore> store_;
  std::string path_;
  ByteRange range_;
  int64_t position_ = 0;
  bool is_closed_ = false;
};

using BlobFiles = std::vector<std::shared_ptr<arrow::io::RandomAccessFile>>;

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenBlob(
    const std::shared_ptr<ObjectStore>& store, const BlobPlace& place) {
  if (place.is_null) return nullptr;
  if (place.is_external) {
    return UnsupportedError(
        "blobs outside of the table",
        "the blob " + place.path + " is outside of the table; this version reads those inside");
  }
  return std::make_shared<BlobFile>(store, place.path, ByteRange{place.offset, *place.length});
}

}  // namespace

arrow::Result<BlobFiles> OpenBlobs(const Dataset& dataset, const TakeRequest& request,
                                   const CallOptions& call) {
  ARROW_ASSIGN_OR_RAISE(const Scanner scanner, dataset.Scan({.columns = request.columns}));
  const std::vector<OutputColumn>& columns = scanner.impl().columns;
  if (columns.size() != 1 || columns[0].field == nullptr || !columns[0].path.empty() ||
      (columns[0].field->kind != format::FieldKind::kBlob &&
       columns[0].field->kind != format::FieldKind::kBlobV2)) {
    return arrow::Status::Invalid("blobs are opened of exactly one blob column; ", columns.size(),
                                  " columns are named, or it is no blob column");
  }
  const format::FieldNode& field = *columns[0].field;
  const RunContext run = dataset.impl().Run(call);
  ARROW_ASSIGN_OR_RAISE(const LocatedRows located, LocateRows(dataset.impl(), request, run));
  BlobFiles files;
  for (const auto& [position, rows] : located.fragments) {
    FragmentReader reader(dataset.impl().store, dataset.impl().manifest().fragments[position], run);
    ARROW_ASSIGN_OR_RAISE(const auto file, reader.FileOf(field.id));
    ARROW_ASSIGN_OR_RAISE(const auto descriptors, reader.ReadColumn(field, rows));
    const std::string path = file == nullptr ? "" : file->path();
    ARROW_ASSIGN_OR_RAISE(const auto places, FindBlobs(field, *descriptors, path));
    for (const BlobPlace& place : places) {
      ARROW_ASSIGN_OR_RAISE(auto blob, OpenBlob(dataset.impl().store, place));
      files.push_back(std::move(blob));
    }
  }
  if (!located.plan.places) return files;
  BlobFiles ordered;
  for (const int64_t place : *located.plan.places) {
    ordered.push_back(files[static_cast<size_t>(place)]);
  }
  return ordered;
}

}  // namespace lance
