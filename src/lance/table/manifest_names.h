#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "lance/table/manifest_store.h"

namespace lance::table {

/// The folder of manifests, relative to the table root.
inline constexpr std::string_view kVersionsFolder = "_versions";
/// The folder of transaction files.
inline constexpr std::string_view kTransactionsFolder = "_transactions";
/// The version hint (table-format 1.4).
inline constexpr std::string_view kVersionHintPath = "_versions/latest_version_hint.json";
/// Versions from here on are detached: never the newest, invisible to listings.
inline constexpr uint64_t kFirstDetachedVersion = uint64_t{1} << 63;

/// What the name of a manifest says.
struct ManifestName {
  uint64_t version = 0;
  NamingScheme naming = NamingScheme::kV2;
  bool is_detached = false;

  bool operator==(const ManifestName&) const = default;
};

/// Recognise a file name in the folder of manifests (table-format 1.3).
///
/// \return no value: not a manifest, for example a staging leftover
std::optional<ManifestName> ParseManifestName(std::string_view file_name);

/// The file name of a version's manifest. A detached version has one name in both schemes.
std::string ManifestFileName(uint64_t version, NamingScheme naming);

/// "{read_version}-{uuid}.txn" (table-format 1.5).
std::string TransactionFileName(uint64_t read_version, std::string_view uuid);

/// The path of a transaction file. \pre `file_name` is one plain component
std::string TransactionPath(std::string_view file_name);

/// Check a name from a manifest that must be one plain path component.
///
/// \return SerializationError naming `what` for an empty name, '/', "." or "..", control characters
///   or text that is not UTF-8
arrow::Status CheckFileName(std::string_view name, std::string_view what);

}  // namespace lance::table
