#pragma once

#include <map>
#include <memory>
#include <string>

#include "arrow/type_fwd.h"

namespace lance::format {

// The keys of field metadata that change which columns a field has (file-format 3.4).

inline constexpr char kExtensionNameKey[] = "ARROW:extension:name";
inline constexpr char kExtensionMetadataKey[] = "ARROW:extension:metadata";
inline constexpr char kBlobKey[] = "lance-encoding:blob";
inline constexpr char kPackedKey[] = "lance-encoding:packed";

/// Metadata as we keep them: entries in the order of their keys.
using FieldMetadata = std::map<std::string, std::string>;

/// Whether an entry says "true", "1" or "yes", in any case.
bool HasTrue(const FieldMetadata& metadata, const char* key);

/// The value, in lower case, by which metadata ask for packing: "true", "1", "yes" or "on". Empty:
/// they do not.
std::string PackingOf(const FieldMetadata& metadata);

/// Whether a struct is stored as one packed column.
bool AsksForPacking(const FieldMetadata& metadata);

/// Whether a large_binary is a legacy blob: the key counts, whatever its value.
bool AsksForBlob(const FieldMetadata& metadata);

/// Whether a struct is a blob v2: as tables declare it (the extension lance.blob.v2), or as data
/// files describe it (packed, with the blob key).
bool IsBlobV2(const FieldMetadata& metadata);

/// Whether a blob v2 is described as tables declare it.
bool IsDeclaredBlobV2(const FieldMetadata& metadata);

/// The metadata of a blob v2 in data files.
FieldMetadata BlobV2FileMetadata();

/// The extension name, empty when there is none.
std::string ExtensionNameOf(const FieldMetadata& metadata);

/// Arrow's metadata as ours; null is empty.
FieldMetadata FromArrowMetadata(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata);

/// Our metadata as Arrow's; null when there is none.
std::shared_ptr<const arrow::KeyValueMetadata> ToArrowMetadata(const FieldMetadata& metadata);

}  // namespace lance::format
