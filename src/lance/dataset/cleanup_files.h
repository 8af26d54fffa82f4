#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lance/object_store.h"
#include "lance/table/manifest.h"

namespace lance {

// Which files of a table a cleanup may delete, as pure functions (table-format 10.6). A file is
// called by a key, its path or what it belongs to, and versions refer to keys.

/// What a file is.
enum class CleanupKind { kData, kDeletion, kIndex, kTransaction, kManifest, kTemporary };

/// Its name, for people.
std::string_view NameOf(CleanupKind kind);

/// A file that a cleanup may delete when nothing refers to its key.
struct OwnedFile {
  CleanupKind kind = CleanupKind::kData;
  std::string key;

  bool operator==(const OwnedFile&) const = default;
};

/// Recognise a file by its path. \return no value: not a cleanup's business, manifests among it
std::optional<OwnedFile> RecogniseFile(std::string_view path);

using VisitKey = std::function<void(std::string key)>;

/// Visit the keys of all files that may lie in the table's own place and that a version refers to.
void VisitOwnKeys(const table::Manifest& manifest, const VisitKey& visit);

/// Visit the keys that a branch's version may refer to in another place, the table that it came
/// from among them. By name alone, wherever its base paths point: the table may have been moved.
void VisitKeysElsewhere(const table::Manifest& manifest, const VisitKey& visit);

/// Up to which version a key is referred to: kAlways when by one that stays.
inline constexpr uint64_t kAlways = UINT64_MAX;

/// What decides about files that no version names: a writer at work may have made them.
struct UnverifiedRule {
  /// Files that were written later stay...
  Timestamp cutoff{};
  /// ...unless all may go...
  bool delete_all = false;
  /// ...but for deletion files, transactions and temporary files that are not older than the oldest
  /// version that stays: as in the reference, they are left to commits that are being made.
  Timestamp oldest_kept{};
};

/// Whether a file that no version names goes.
bool DeletesUnverified(CleanupKind kind, Timestamp modified, const UnverifiedRule& rule);

}  // namespace lance
