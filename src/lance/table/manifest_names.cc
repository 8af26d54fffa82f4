#include "lance/table/manifest_names.h"

#include <algorithm>
#include <limits>

#include "arrow/util/utf8.h"
#include "lance/table/decimal.h"

namespace lance::table {
namespace {

constexpr std::string_view kSuffix = ".manifest";
constexpr size_t kNumV2Digits = 20;

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string V2Digits(uint64_t version) {
  const std::string digits = std::to_string(std::numeric_limits<uint64_t>::max() - version);
  return std::string(kNumV2Digits - digits.size(), '0') + digits;
}

}  // namespace

std::string ManifestFileName(uint64_t version, NamingScheme naming) {
  std::string stem;
  if (version >= kFirstDetachedVersion) {
    stem = "d" + std::to_string(version);
  } else {
    stem = naming == NamingScheme::kV2 ? V2Digits(version) : std::to_string(version);
  }
  return stem + std::string(kSuffix);
}

std::string ManifestPath(uint64_t version, NamingScheme naming) {
  return std::string(kVersionsFolder) + "/" + ManifestFileName(version, naming);
}

std::optional<ManifestName> ParseManifestName(std::string_view file_name) {
  if (!file_name.ends_with(kSuffix)) return std::nullopt;
  std::string_view stem = file_name.substr(0, file_name.size() - kSuffix.size());
  ManifestName name;
  name.is_detached = stem.starts_with('d');
  if (name.is_detached) stem.remove_prefix(1);
  const std::optional<uint64_t> number = ParseDecimal(stem);
  if (!number) return std::nullopt;
  const bool is_v2 = !name.is_detached && stem.size() == kNumV2Digits;
  name.version = is_v2 ? std::numeric_limits<uint64_t>::max() - *number : *number;
  name.naming = is_v2 || name.is_detached ? NamingScheme::kV2 : NamingScheme::kV1;
  if (name.version == 0) return std::nullopt;
  // Also refuses padded numbers and ordinary names of detached versions: nobody could open them.
  if (ManifestFileName(name.version, name.naming) != file_name) return std::nullopt;
  return name;
}

std::string TransactionFileName(uint64_t read_version, std::string_view uuid) {
  return std::to_string(read_version) + "-" + std::string(uuid) + ".txn";
}

std::string TransactionPath(std::string_view file_name) {
  return std::string(kTransactionsFolder) + "/" + std::string(file_name);
}

arrow::Status CheckFileName(std::string_view name, std::string_view what) {
  const auto corrupt = [&](std::string_view problem) {
    return arrow::Status::SerializationError(what, " ", problem,
                                             "; allowed: one plain path component");
  };
  if (name.empty()) return corrupt("is empty");
  arrow::util::InitializeUTF8();
  if (!arrow::util::ValidateUTF8(name)) return corrupt("is not UTF-8");
  if (std::ranges::any_of(name, IsControl)) return corrupt("has a control character");
  if (name.find('/') != std::string_view::npos || name == "." || name == "..") {
    return corrupt("is \"" + std::string(name.substr(0, 64)) + "\"");
  }
  return arrow::Status::OK();
}

}  // namespace lance::table
