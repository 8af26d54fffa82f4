#include "lance/format/file_version.h"

#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

constexpr std::string_view kReadable = "2.0, 2.1, 2.2";

arrow::Status Unsupported(const std::string& version, std::string_view advice) {
  const std::string feature = "data file format " + version;
  return UnsupportedError(feature,
                          feature + " is not supported by this version; " + std::string(advice));
}

arrow::Status Legacy() {
  return Unsupported("0.1 (legacy)", "rewrite the table with a Lance release that reads it");
}

arrow::Status TooNew(const std::string& version) {
  return Unsupported(version,
                     "it is newer than the newest stable format, 2.2; write the table with "
                     "version 2.0, 2.1 or 2.2");
}

/// The versions that footers and manifests name alike, 2.0 and later.
arrow::Result<FileVersion> FromNumbers(uint32_t major, uint32_t minor) {
  // 0.3 is what 2.0 was called while it was made; files are still marked with it.
  if (major == 0) return minor == 3 ? arrow::Result<FileVersion>(FileVersion::k2_0) : Legacy();
  if (major == 2 && minor == 0) return FileVersion::k2_0;
  if (major == 2 && minor == 1) return FileVersion::k2_1;
  if (major == 2 && minor == 2) return FileVersion::k2_2;
  return TooNew(std::to_string(major) + "." + std::to_string(minor));
}

}  // namespace

arrow::Result<FileVersion> ParseFileVersion(std::string_view name) {
  if (name == "2.0" || name == "0.3") return FileVersion::k2_0;
  if (name == "2.1") return FileVersion::k2_1;
  if (name == "2.2") return FileVersion::k2_2;
  if (name == "stable") return kDefaultFileVersion;
  if (name == "0.1" || name == "legacy") return Legacy();
  if (name == "2.3" || name == "next") return TooNew(std::string(name));
  return arrow::Status::Invalid("data file format version is \"", name.substr(0, 64),
                                "\"; allowed: ", kReadable, ", stable");
}

arrow::Result<FileVersion> FileVersionFromManifest(uint32_t major, uint32_t minor) {
  return FromNumbers(major, minor);
}

arrow::Result<FileVersion> FileVersionFromFooter(uint16_t major, uint16_t minor) {
  return FromNumbers(major, minor);
}

FooterVersion FooterVersionOf(FileVersion version) {
  switch (version) {
    case FileVersion::k2_0:
      return {.major = 0, .minor = 3};
    case FileVersion::k2_1:
      return {.major = 2, .minor = 1};
    case FileVersion::k2_2:
      return {.major = 2, .minor = 2};
  }
  return {};
}

std::string ToString(FileVersion version) {
  switch (version) {
    case FileVersion::k2_0:
      return "2.0";
    case FileVersion::k2_1:
      return "2.1";
    case FileVersion::k2_2:
      return "2.2";
  }
  return "";
}

}  // namespace lance::format
