#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "lance/table/manifest.h"

namespace lance::table {

/// What a name in a manifest stands for.
enum class NamedFileKind : uint8_t { kData, kDeletion, kIndexFolder, kIndexFile, kTransaction };

/// A file that a version names, or the folder of an index segment. A plain value.
struct NamedFile {
  NamedFileKind kind = NamedFileKind::kData;
  /// No value: it is in the table's own place.
  std::optional<uint32_t> base_id;
  /// Below that place, as the manifest has it; a folder ends with '/'.
  std::string path;
  uint64_t size_bytes = 0;  // 0: not stated
};

/// Visit all that a version names (table-format 1.1): data files, deletion files, the folders of
/// index segments with those of their files that are listed, and the transaction file.
void VisitNamedFiles(const Manifest& manifest, const std::function<void(const NamedFile&)>& visit);

}  // namespace lance::table
