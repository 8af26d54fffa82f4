#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace lance::format {

/// A version of the data file format that we read and write.
///
/// Source: file-format 1.
enum class FileVersion : uint8_t { k2_0, k2_1, k2_2 };

/// The version that new tables and files get: what the most readers open (file-format 1).
inline constexpr FileVersion kDefaultFileVersion = FileVersion::k2_1;

/// Parse a version's name: "2.0" (or its alias "0.3"), "2.1", "2.2", or "stable", which is
/// kDefaultFileVersion.
///
/// \return Invalid for any other text, saying which versions are allowed; for "2.3", "next", "0.1"
///   and "legacy" NotImplemented + UnsupportedFeature saying what to do
arrow::Result<FileVersion> ParseFileVersion(std::string_view name);

/// The version that a data file's manifest entry names, for example (2, 1). (0, 3) is 2.0 as well.
///
/// \return NotImplemented + UnsupportedFeature for versions that are not read, saying what to do
arrow::Result<FileVersion> FileVersionFromManifest(uint32_t major, uint32_t minor);

/// The version that a footer names; (0, 3) and (2, 0) are both 2.0. Errors as above.
arrow::Result<FileVersion> FileVersionFromFooter(uint16_t major, uint16_t minor);

/// The numbers in a footer. A plain value.
struct FooterVersion {
  uint16_t major = 0;
  uint16_t minor = 0;
};

/// What files of a version are marked with: (0, 3) for 2.0, which every reader takes.
FooterVersion FooterVersionOf(FileVersion version);

/// The name that manifests hold, for example "2.1".
std::string ToString(FileVersion version);

}  // namespace lance::format
