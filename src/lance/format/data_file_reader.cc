#include "lance/format/data_file_reader.h"

#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/levels/assemble.h"
#include "lance/format/levels/layers.h"
#include "lance/format/pages/read_leaf.h"
#include "lance/format/v20/read_field.h"

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
  Impl(DataFileLocation location_in, OpenedFile opened_in, arrow::MemoryPool* pool_in)
      : location(std::move(location_in)),
        opened(std::move(opened_in)),
        metadata(*opened.metadata),
        pool(pool_in != nullptr ? pool_in : arrow::default_memory_pool()) {}

  arrow::Status CheckRows(const RowRanges& rows) const {
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

  /// The column of a leaf. \return IndexError when the file does not have it
  arrow::Result<int> ColumnOf(const FieldNode& leaf, const ColumnMap& columns) const {
    const auto found = columns.find(leaf.id);
    if (found == columns.end()) {
      return arrow::Status::Invalid("no column of the file is known for field ", leaf.id, " (\"",
                                    leaf.name, "\")");
    }
    if (found->second < 0 || static_cast<size_t>(found->second) >= metadata.columns.size()) {
      return arrow::Status::IndexError("file column ", found->second,
                                       " is asked for, the file has ", metadata.columns.size());
    }
    return found->second;
  }

  arrow::Result<LeafColumn> ReadOneLeaf(const FieldRead& read, const FieldNode& leaf,
                                        const LeafPath& path, const arrow::StopToken& stop) {
    ARROW_ASSIGN_OR_RAISE(const int column, ColumnOf(leaf, read.columns));
    auto values = ReadLeaf({.location = location,
                            .metadata = metadata,
                            .headers = *opened.headers,
                            .column_index = column,
                            .leaf = leaf,
                            .path = path,
                            .rows = read.rows,
                            .pool = pool,
                            .stop = stop});
    if (!values.ok()) return WithContext(values.status(), "column " + std::to_string(column));
    return values;
  }

  arrow::Result<std::shared_ptr<arrow::Array>> ReadField(const FieldRead& read,
                                                         const arrow::StopToken& stop) {
    ARROW_RETURN_NOT_OK(CheckRows(read.rows));
    if (metadata.version == FileVersion::k2_0) {
      return v20::ReadField({.location = location,
                             .metadata = metadata,
                             .columns = read.columns,
                             .node = read.node,
                             .rows = read.rows,
                             .pool = pool,
                             .stop = stop});
    }
    const std::vector<const FieldNode*> nodes = LeavesOf(read.node);
    ARROW_ASSIGN_OR_RAISE(const std::vector<LeafPath> paths, PathsOf(read.node));
    std::vector<LeafColumn> leaves;
    for (size_t i = 0; i < nodes.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(LeafColumn leaf, ReadOneLeaf(read, *nodes[i], paths[i], stop));
      leaves.push_back(std::move(leaf));
    }
    return AssembleField(read.node, read.rows.num_rows(), std::move(leaves), pool);
  }

  const DataFileLocation location;
  const OpenedFile opened;
  const DataFileMetadata& metadata;  // of `opened`
  arrow::MemoryPool* const pool;
};

DataFileReader::DataFileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

DataFileReader::~DataFileReader() = default;

arrow::Result<std::shared_ptr<const DataFileReader>> DataFileReader::Open(
    std::shared_ptr<ObjectStore> store, const std::string& path, std::optional<uint64_t> size_bytes,
    const arrow::StopToken& stop, arrow::MemoryPool* pool) {
  DataFileLocation location{std::move(store), path};
  auto metadata = Guard(path, [&] { return LoadDataFileMetadata(location, size_bytes, stop); });
  if (!metadata.ok()) return ExplainShortFile(location, size_bytes, metadata.status());
  OpenedFile opened{.metadata = std::make_shared<const DataFileMetadata>(*std::move(metadata)),
                    .headers = std::make_shared<PageHeaderCache>()};
  return Reopen(std::move(location.store), path, std::move(opened), pool);
}

std::shared_ptr<const DataFileReader> DataFileReader::Reopen(std::shared_ptr<ObjectStore> store,
                                                             const std::string& path,
                                                             OpenedFile opened,
                                                             arrow::MemoryPool* pool) {
  auto impl =
      std::make_unique<Impl>(DataFileLocation{std::move(store), path}, std::move(opened), pool);
  return std::shared_ptr<const DataFileReader>(new DataFileReader(std::move(impl)));
}

uint64_t OpenedFile::size_bytes() const {
  constexpr uint64_t kBytesPerField = 256, kBytesPerPage = 128, kBytesPerBuffer = 32;
  uint64_t bytes = sizeof(DataFileMetadata) + metadata->schema.fields.size() * kBytesPerField;
  for (const ColumnMetadata& column : metadata->columns) {
    bytes += sizeof(ColumnMetadata) + column.encoding.size();
    for (const PageMetadata& page : column.pages) {
      bytes += kBytesPerPage + page.encoding.size() + page.buffers.size() * kBytesPerBuffer;
    }
  }
  return bytes + headers->size_bytes();
}

const OpenedFile& DataFileReader::opened() const { return impl_->opened; }

const std::string& DataFileReader::path() const { return impl_->location.path; }
const std::shared_ptr<ObjectStore>& DataFileReader::store() const { return impl_->location.store; }
uint64_t DataFileReader::num_rows() const { return impl_->metadata.num_rows; }
int DataFileReader::num_columns() const { return static_cast<int>(impl_->metadata.columns.size()); }
uint64_t DataFileReader::size_bytes() const { return impl_->metadata.file_size; }
FileVersion DataFileReader::version() const { return impl_->metadata.version; }
const LanceSchema& DataFileReader::schema() const { return impl_->metadata.schema; }
const DataFileMetadata& DataFileReader::metadata() const { return impl_->metadata; }

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

arrow::Result<std::shared_ptr<arrow::Array>> DataFileReader::ReadField(
    const FieldRead& read, const arrow::StopToken& stop) const {
  return Guard(path(), [&]() -> arrow::Result<std::shared_ptr<arrow::Array>> {
    auto array = impl_->ReadField(read, stop);
    if (array.ok() || read.node.name.empty()) return array;
    return WithContext(array.status(), "field \"" + read.node.name + "\"");
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> DataFileReader::ReadColumn(
    int column_index, const std::shared_ptr<arrow::DataType>& type, const RowRanges& rows,
    const arrow::StopToken& stop) const {
  if (type->num_fields() > 0 && type->id() != arrow::Type::FIXED_SIZE_LIST) {
    return InFile(UnsupportedError("nested columns by themselves",
                                   "column " + std::to_string(column_index) + ": type " +
                                       type->ToString() + " is nested; read it as a field"),
                  path());
  }
  FieldNode node;
  node.id = 0;
  node.type = type;
  const ColumnMap columns = {{node.id, column_index}};
  return ReadField({.node = node, .columns = columns, .rows = rows}, stop);
}

}  // namespace lance::format
