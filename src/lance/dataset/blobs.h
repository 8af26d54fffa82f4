#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/format/data_file_reader.h"
#include "lance/format/field_tree.h"
#include "lance/object_store.h"

namespace lance {

/// Where the bytes of one blob are. A plain value.
struct BlobPlace {
  bool is_null = true;
  /// Relative to the table's root, or the URI of an object outside of it.
  std::string path;
  bool is_external = false;
  /// No length: up to the object's end.
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

/// Find the bytes of blobs from their descriptors.
///
/// \param node a field of kind kBlob or kBlobV2
/// \param descriptors struct<position, size>, or struct<kind, position, size, blob_id, blob_uri>
/// \param data_path the data file that the descriptors are from, relative to the table's root
/// \return SerializationError for a kind, id or URI that is not allowed (file-format 8.6.1)
arrow::Result<std::vector<BlobPlace>> FindBlobs(const format::FieldNode& node,
                                                const arrow::Array& descriptors,
                                                const std::string& data_path);

/// The path of a side file with blobs: data/{name of the data file}/{id, bits reversed}.blob
std::string BlobSidePath(const std::string& data_path, uint32_t blob_id);

/// Whether a field is a blob or has one below it.
bool HasBlobs(const format::FieldNode& node);

/// A field as it is read: blobs have the type of their descriptors, or are large_binary.
enum class BlobForm { kDescriptors, kPayloads };
format::FieldNode WithBlobForm(const format::FieldNode& node, BlobForm form);

/// Put payloads in the place of descriptors, at any depth.
///
/// \param array as file.ReadField gives it
/// \return an array of WithBlobForm(node, kPayloads).type; NotImplemented + UnsupportedFeature for
///   blobs outside of the table
arrow::Result<std::shared_ptr<arrow::Array>> LoadBlobs(const format::FieldNode& node,
                                                       const std::shared_ptr<arrow::Array>& array,
                                                       const format::DataFileReader& file,
                                                       const RunContext& run);

}  // namespace lance
