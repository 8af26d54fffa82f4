#include "lance/format/field_metadata.h"

#include <algorithm>
#include <string_view>

#include "arrow/util/key_value_metadata.h"

namespace lance::format {
namespace {

// What the key was called first; readers take both.
constexpr char kOldPackedKey[] = "packed";

/// A value in lower case, empty when there is no such key. Only ASCII is lowered: the values that
/// count are ASCII.
std::string LowerValue(const FieldMetadata& metadata, const char* key) {
  const auto entry = metadata.find(key);
  if (entry == metadata.end()) return "";
  std::string lower = entry->second;
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower;
}

bool IsTrue(std::string_view lower) { return lower == "true" || lower == "1" || lower == "yes"; }

}  // namespace

bool HasTrue(const FieldMetadata& metadata, const char* key) {
  return IsTrue(LowerValue(metadata, key));
}

std::string PackingOf(const FieldMetadata& metadata) {
  for (const char* key : {kPackedKey, kOldPackedKey}) {
    std::string value = LowerValue(metadata, key);
    if (IsTrue(value) || value == "on") return value;
  }
  return "";
}

bool AsksForPacking(const FieldMetadata& metadata) { return !PackingOf(metadata).empty(); }

bool AsksForBlob(const FieldMetadata& metadata) { return metadata.contains(kBlobKey); }

bool IsBlobV2(const FieldMetadata& metadata) {
  return IsDeclaredBlobV2(metadata) || (AsksForBlob(metadata) && AsksForPacking(metadata));
}

bool IsDeclaredBlobV2(const FieldMetadata& metadata) {
  return ExtensionNameOf(metadata) == "lance.blob.v2";
}

FieldMetadata BlobV2FileMetadata() { return {{kBlobKey, "true"}, {kPackedKey, "true"}}; }

std::string ExtensionNameOf(const FieldMetadata& metadata) {
  const auto entry = metadata.find(kExtensionNameKey);
  return entry == metadata.end() ? "" : entry->second;
}

FieldMetadata FromArrowMetadata(const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) {
  FieldMetadata entries;
  if (metadata == nullptr) return entries;
  for (int64_t i = 0; i < metadata->size(); ++i) entries[metadata->key(i)] = metadata->value(i);
  return entries;
}

std::shared_ptr<const arrow::KeyValueMetadata> ToArrowMetadata(const FieldMetadata& entries) {
  if (entries.empty()) return nullptr;
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  for (const auto& [key, value] : entries) metadata->Append(key, value);
  return metadata;
}

}  // namespace lance::format
