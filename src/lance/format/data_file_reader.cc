#include "lance/format/data_file_reader.h"

#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/column_reader.h"
#include "lance/format/column_type.h"
#include "lance/format/data_file_metadata.h"

namespace lance::format {
namespace {

/// Run `body`, which gives a Result. \return its failure naming the file, also when memory is short
template <typename Body>
auto Guard(const std::string& path, const Body& body) -> decltype(body()) {
  try {
    auto result = body();
    if (!result.ok()) return InFile(result.status(), path);
    return result;
  } catch (const std::bad_alloc&) {
    return InFile(arrow::Status::OutOfMemory("not enough memory to read it"), path);
  } catch (const std::length_error&) {  // a string that cannot grow that far
    return InFile(arrow::Status::OutOfMemory("not enough memory to read it"), path);
  }
}

/// A read past the end of a file means that it is not as long as the manifest says: corrupt, not a
/// failure of storage.
arrow::Status ExplainShortFile(const DataFileLocation& location,
                               const std::optional<uint64_t>& size_bytes,
                               const arrow::Status& status) {
  if (!status.IsIOError() || !size_bytes) return status;
  const auto info = location.store->Head(location.path);
  if (!info.ok() || info->size_bytes == *size_bytes) return status;
  return InFile(arrow::Status::SerializationError("the file has ", info->size_bytes,
                                                  " bytes, the manifest says ", *size_bytes),
                location.path);
}

}  // namespace

/// What an open file consists of.
class DataFileReader::Impl {
 public:
  Impl(DataFileLocation location_in, DataFileMetadata metadata_in, arrow::MemoryPool* pool_in)
      : location(std::move(location_in)),
        metadata(std::move(metadata_in)),
        pool(pool_in != nullptr ? pool_in : arrow::default_memory_pool()) {}

  arrow::Status CheckRequest(int column_index, const RowRanges& rows) const {
    if (column_index < 0 || static_cast<size_t>(column_index) >= metadata.columns.size()) {
      return arrow::Status::IndexError("file column ", column_index, " is asked for, the file has ",
                                       metadata.columns.size());
    }
    if (!rows.empty() && rows.ranges().back().end > metadata.num_rows) {
      return arrow::Status::IndexError("rows up to ", rows.ranges().back().end,
                                       " are asked for, the file has ", metadata.num_rows);
    }
    constexpr uint64_t kMaxRows = std::numeric_limits<int32_t>::max();
    if (rows.num_rows() > kMaxRows) {
      return arrow::Status::CapacityError(rows.num_rows(), " rows are asked for, allowed are ",
                                          kMaxRows, " at once");
    }
    return arrow::Status::OK();
  }

  const DataFileLocation location;
  const DataFileMetadata metadata;
  arrow::MemoryPool* const pool;
  PageHeaderCache headers;
};

DataFileReader::DataFileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DataFileReader::~DataFileReader() = default;

arrow::Result<std::shared_ptr<const DataFileReader>> DataFileReader::Open(
    std::shared_ptr<ObjectStore> store, const std::string& path, std::optional<uint64_t> size_bytes,
    const arrow::StopToken& stop, arrow::MemoryPool* pool) {
  DataFileLocation location{std::move(store), path};
  auto metadata = Guard(path, [&] { return LoadDataFileMetadata(location, size_bytes, stop); });
  if (!metadata.ok()) return ExplainShortFile(location, size_bytes, metadata.status());
  auto impl = std::make_unique<Impl>(std::move(location), std::move(*metadata), pool);
  return std::shared_ptr<const DataFileReader>(new DataFileReader(std::move(impl)));
}

const std::string& DataFileReader::path() const { return impl_->location.path; }
uint64_t DataFileReader::num_rows() const { return impl_->metadata.num_rows; }
int DataFileReader::num_columns() const { return static_cast<int>(impl_->metadata.columns.size()); }
uint64_t DataFileReader::size_bytes() const { return impl_->metadata.file_size; }
const LanceSchema& DataFileReader::schema() const { return impl_->metadata.schema; }

int DataFileReader::num_global_buffers() const {
  return static_cast<int>(impl_->metadata.global_buffers.size());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> DataFileReader::ReadGlobalBuffer(
    int index, const arrow::StopToken& stop) const {
  return Guard(path(), [&]() -> arrow::Result<std::shared_ptr<arrow::Buffer>> {
    if (index < 0 || index >= num_global_buffers()) {
      return arrow::Status::IndexError("global buffer ", index, " is asked for, the file has ",
                                       num_global_buffers());
    }
    ARROW_ASSIGN_OR_RAISE(
        auto buffers, ReadRanges(impl_->location, {impl_->metadata.global_buffers[index]}, stop));
    return std::move(buffers[0]);
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> DataFileReader::ReadColumn(
    int column_index, const std::shared_ptr<arrow::DataType>& type, const RowRanges& rows,
    const arrow::StopToken& stop) const {
  return Guard(path(), [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
    ARROW_RETURN_NOT_OK(impl_->CheckRequest(column_index, rows));
    auto column_type = MakeColumnType(type);
    const std::string place = "column " + std::to_string(column_index);
    if (!column_type.ok()) return WithContext(column_type.status(), place);
    const ColumnRequest request{.location = impl_->location,
                                .metadata = impl_->metadata,
                                .headers = impl_->headers,
                                .column_index = column_index,
                                .type = *column_type,
                                .rows = rows,
                                .pool = impl_->pool,
                                .stop = stop};
    auto array = ReadColumnRows(request);
    if (!array.ok()) return WithContext(array.status(), place);
    return array;
  });
}

}  // namespace lance::format
