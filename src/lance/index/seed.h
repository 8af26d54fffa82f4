#pragma once

#include <memory>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/data_file_writer.h"
#include "lance/index/zone.h"
#include "lance/table/manifest.h"

namespace lance::index {

/// Store one column's zones in a data file that is being written (zonemap-and-indices 4.2).
///
/// \param zones of every row of the file, null_offsets known; nothing is written for zero rows
arrow::Status WriteSeed(const std::string& column_name,
                        const std::shared_ptr<arrow::DataType>& type, const FragmentZones& zones,
                        format::DataFileWriter* writer);

/// Read the seed of one column from an opened data file, with every check of 4.3.
///
/// \return no value: the file has no seed for the column, or one that fails a check
arrow::Result<std::optional<FragmentZones>> ReadSeed(const format::DataFileReader& file,
                                                     const table::Fragment& fragment,
                                                     int32_t field_id,
                                                     const std::shared_ptr<arrow::DataType>& type,
                                                     const RunContext& run);

}  // namespace lance::index
