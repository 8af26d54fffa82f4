#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/base/uuid.h"
#include "lance/format/data_file_reader.h"
#include "lance/index/row_address_map.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// Where a file of a segment is in the store of its table (base_path.h).
std::string IndexFilePath(const Uuid& segment_uuid, std::optional<uint32_t> base_id,
                          std::string_view name);

/// Put the index and its segment before the message of a failure.
arrow::Status InSegment(const arrow::Status& status, const table::IndexMetadata& segment);

/// Check what every segment of one column has: one keyed field, and a version that is known.
///
/// \param type for messages, for example "bitmap"
/// \return NotImplemented + UnsupportedFeature naming what is not known
arrow::Status CheckPlainSegment(const table::IndexMetadata& segment, std::string_view type,
                                int32_t highest_version);

/// The size of a file of a segment, as the index entry says it; no value: it lists no files.
///
/// \return SerializationError when the entry lists files, but not this one
arrow::Result<std::optional<uint64_t>> ListedFileSize(const table::IndexMetadata& segment,
                                                      std::string_view name);

/// Open one file of a segment, with the size that the index entry says.
///
/// \return SerializationError when the entry lists files, but not this one; else as
///   DataFileReader::Open; and when the file claims more rows than bytes can stand for
arrow::Result<std::shared_ptr<const format::DataFileReader>> OpenIndexFile(
    std::shared_ptr<ObjectStore> store, const table::IndexMetadata& segment, std::string_view name,
    const RunContext& run);

/// Find a top-level column of exactly one type. \return SerializationError when it is not there
arrow::Result<int> FindTypedColumn(const format::DataFileReader& file, std::string_view name,
                                   const arrow::DataType& type);

/// Read a whole column of exactly one type that has no nulls.
arrow::Result<std::shared_ptr<arrow::Array>> ReadRequiredColumn(
    const format::DataFileReader& file, std::string_view name,
    const std::shared_ptr<arrow::DataType>& type, const arrow::StopToken& stop);

/// Rows that a global buffer holds. A plain value.
struct StoredRows {
  RowAddressMap rows;
  uint64_t size_bytes = 0;  // as stored, which is about what they take in memory
};

/// Read the rows in the global buffer whose number the schema metadata holds under `key`.
///
/// \return no value: there is no such entry, which says that the rows are not known
/// Source: zonemap-and-indices 2.3, 6.3
arrow::Result<std::optional<StoredRows>> ReadRowBuffer(const format::DataFileReader& file,
                                                       const std::string& key,
                                                       const arrow::StopToken& stop);

}  // namespace lance::index
