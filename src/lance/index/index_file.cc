#include "lance/index/index_file.h"

#include <utility>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/index/stored_columns.h"
#include "lance/table/base_path.h"

namespace lance::index {
namespace {

using format::DataFileReader;

/// Rows that one byte of a file can stand for at most: what a few bytes claim must not cost memory.
constexpr uint64_t kMaxRowsPerByte = 16;

}  // namespace

std::string IndexFilePath(const Uuid& segment_uuid, std::optional<uint32_t> base_id,
                          std::string_view name) {
  return table::BaseFolder(base_id) + "_indices/" + segment_uuid.ToString() + "/" +
         std::string(name);
}

arrow::Result<std::optional<uint64_t>> ListedFileSize(const table::IndexMetadata& segment,
                                                      std::string_view name) {
  if (segment.files.empty()) return std::nullopt;
  for (const table::IndexFile& file : segment.files) {
    if (file.path == name) return file.size_bytes;
  }
  return arrow::Status::SerializationError("index entry lists files, but not ", name);
}

arrow::Status InSegment(const arrow::Status& status, const table::IndexMetadata& segment) {
  return WithContext(status, "index " + segment.name + " segment " + segment.uuid.ToString());
}

arrow::Status CheckPlainSegment(const table::IndexMetadata& segment, std::string_view type,
                                int32_t highest_version) {
  const int32_t version = segment.index_version.value_or(0);
  if (version < 0 || version > highest_version) {
    const std::string name = std::string(type) + " version " + std::to_string(version);
    return UnsupportedError(name, name + ", allowed 0 to " + std::to_string(highest_version));
  }
  if (segment.field_ids.size() != 1 || !segment.covering_field_ids.empty()) {
    const std::string name = std::string(type) + " of several columns";
    return UnsupportedError(name, name + " is not supported");
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<const DataFileReader>> OpenIndexFile(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment, std::string_view name,
    const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto size_bytes, ListedFileSize(segment, name));
  const std::string path = IndexFilePath(segment.uuid, segment.base_id, name);
  ARROW_ASSIGN_OR_RAISE(auto file, DataFileReader::Open(std::move(store), path, size_bytes,
                                                        run.stop_token, run.memory_pool));
  if (file->num_rows() / kMaxRowsPerByte > file->size_bytes()) {
    return InFile(arrow::Status::SerializationError("claims ", file->num_rows(), " rows in ",
                                                    file->size_bytes(), " bytes"),
                  path);
  }
  return file;
}

arrow::Result<int> FindTypedColumn(const DataFileReader& file, std::string_view name,
                                   const arrow::DataType& type) {
  const auto index = FindColumn(file.schema(), name);
  if (!index) return arrow::Status::SerializationError("there is no column ", name);
  const std::string& stored = LeafFields(file.schema())[static_cast<size_t>(*index)]->logical_type;
  ARROW_ASSIGN_OR_RAISE(const auto stored_type, format::ParseLogicalType(stored));
  if (!stored_type->Equals(type)) {
    return arrow::Status::SerializationError("column ", name, " is ", stored_type->ToString(),
                                             ", allowed ", type.ToString());
  }
  return *index;
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadRequiredColumn(
    const DataFileReader& file, std::string_view name, const std::shared_ptr<arrow::DataType>& type,
    const arrow::StopToken& stop) {
  ARROW_ASSIGN_OR_RAISE(const int index, FindTypedColumn(file, name, *type));
  ARROW_ASSIGN_OR_RAISE(auto values,
                        file.ReadColumn(index, type, RowRanges::All(file.num_rows()), stop));
  if (values->null_count() > 0) {
    return arrow::Status::SerializationError("column ", name, " has ", values->null_count(),
                                             " nulls, allowed none");
  }
  return values;
}

arrow::Result<std::optional<StoredRows>> ReadRowBuffer(const DataFileReader& file,
                                                       const std::string& key,
                                                       const arrow::StopToken& stop) {
  const std::string* text = FindMetadata(file.schema(), key);
  if (!text) return std::nullopt;
  const uint64_t buffer = ParseDecimal(*text).value_or(0);
  if (buffer == 0 || buffer >= static_cast<uint64_t>(file.num_global_buffers())) {
    return arrow::Status::SerializationError(key, " is \"", text->substr(0, 64),
                                             "\", allowed 1 to ", file.num_global_buffers() - 1);
  }
  ARROW_ASSIGN_OR_RAISE(const auto bytes, file.ReadGlobalBuffer(static_cast<int>(buffer), stop));
  ARROW_ASSIGN_OR_RAISE(auto rows, RowAddressMap::Parse(AsBytes(std::string_view(*bytes)), key));
  return StoredRows{.rows = std::move(rows), .size_bytes = static_cast<uint64_t>(bytes->size())};
}

}  // namespace lance::index
