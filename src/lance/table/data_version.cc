#include "lance/table/data_version.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lance/base/status_detail.h"
#include "lance/table/feature_flags.h"

namespace lance::table {
namespace {

constexpr std::string_view kLegacyVersion = "0.1";
// What the reference takes for a table without files whose flags say "version 2".
constexpr std::string_view kReferenceDefault = "2.2";

/// The number pairs that data files carry for one data version.
struct FileVersion {
  uint32_t major_version;
  uint32_t minor_version;
  std::string_view name;
};

constexpr FileVersion kFileVersions[] = {
    {0, 0, "0.1"}, {0, 1, "0.1"}, {0, 2, "0.1"}, {0, 3, "2.0"},
    {2, 0, "2.0"}, {2, 1, "2.1"}, {2, 2, "2.2"}, {2, 3, "2.3"},
};

bool IsKnown(std::string_view version) {
  return std::ranges::find(kFileVersions, version, &FileVersion::name) != std::end(kFileVersions);
}

/// The version that all files have; no value without files.
arrow::Result<std::optional<std::string>> CommonVersion(const Manifest& manifest) {
  std::optional<std::string> common;
  for (const Fragment& fragment : manifest.fragments) {
    for (const DataFile& file : fragment.files) {
      ARROW_ASSIGN_OR_RAISE(std::string version, DataVersionOf(file));
      if (!common) common = version;
      if (*common != version && (manifest.reader_feature_flags & kMixedDataVersionsFlag) == 0) {
        return arrow::Status::SerializationError("data file ", file.path, " has version ", version,
                                                 ", others have ", *common);
      }
    }
  }
  return common;
}

}  // namespace

arrow::Result<std::string> DataVersionOf(const DataFile& file) {
  for (const FileVersion& known : kFileVersions) {
    if (known.major_version == file.major_version && known.minor_version == file.minor_version) {
      return std::string(known.name);
    }
  }
  return arrow::Status::SerializationError("data file ", file.path, " has version ",
                                           file.major_version, ".", file.minor_version,
                                           "; allowed: 0.0 to 0.3, 2.0 to 2.3");
}

arrow::Result<std::string> ResolveDataVersion(std::string_view stored, const Manifest& manifest) {
  ARROW_ASSIGN_OR_RAISE(const auto common, CommonVersion(manifest));
  if (stored.empty()) {
    if (common) return *common;
    const bool is_v2 = (manifest.writer_feature_flags & kV2DataFilesFlag) != 0;
    return std::string(is_v2 ? kReferenceDefault : kLegacyVersion);
  }
  if (!IsKnown(stored)) {
    const std::string name = "data version " + std::string(stored.substr(0, 64));
    return UnsupportedError(name, name + " is not known; known: 0.1, 2.0 to 2.3");
  }
  const bool may_differ = (manifest.reader_feature_flags & kMixedDataVersionsFlag) != 0;
  if (!common || *common == stored || may_differ) return std::string(stored);
  if (stored == kLegacyVersion) return *common;  // an upgrade that old writers left unfinished
  return arrow::Status::SerializationError("the table's data version is ", stored,
                                           ", its files have ", *common);
}

}  // namespace lance::table
