#include "lance/format/field_metadata.h"

#include <algorithm>
#include <string_view>

#include "arrow/util/key_value_metadata.h"

namespace lance::format {
namespace {

// What the key was called first; readers take both.
constexpr char kOldPackedKey[] = "packed";

bool IsTrue(std::string_view value) {
  std::string lower(value);
  // Only ASCII can match, so only ASCII needs lowering.
  std::ranges::transform(lower, lower.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return lower == "true" || lower == "1" || lower == "yes";
}

}  // namespace

bool HasTrue(const FieldMetadata& metadata, const char* key) {
  const auto entry = metadata.find(key);
  return entry != metadata.end() && IsTrue(entry->second);
}

bool AsksForPacking(const FieldMetadata& metadata) {
  return HasTrue(metadata, kPackedKey) || HasTrue(metadata, kOldPackedKey);
}

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
