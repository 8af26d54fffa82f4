#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "google/protobuf/repeated_field.h"
#include "lance/table/manifest.h"
#include "lance_table.pb.h"

namespace lance::table {

/// Check and take over one data file's message (table-format 2.4, 11).
///
/// \return SerializationError for a path that is not one plain component, or field ids and column
///   indices that do not fit together
arrow::Result<DataFile> ParseDataFile(const lance_pb::table::DataFile& message);

/// The inverse of ParseDataFile.
void WriteDataFile(const DataFile& file, lance_pb::table::DataFile* message);

/// Check and take over fragments, in their order.
///
/// \return SerializationError naming the fragment and what is wrong with it
arrow::Result<std::vector<Fragment>> ParseFragments(
    const google::protobuf::RepeatedPtrField<lance_pb::table::DataFragment>& messages);

/// Append the messages of fragments.
void WriteFragments(const std::vector<Fragment>& fragments,
                    google::protobuf::RepeatedPtrField<lance_pb::table::DataFragment>* messages);

}  // namespace lance::table
