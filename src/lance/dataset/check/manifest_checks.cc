#include "lance/dataset/check/manifest_checks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "lance/base/status_detail.h"
#include "lance/dataset/auto_cleanup.h"
#include "lance/table/base_path.h"
#include "lance/table/feature_flags.h"

namespace lance::check {
namespace {

constexpr std::string_view kManifest = "manifest";

bool IsHeld(const format::FieldNode& field, const std::set<int32_t>& held) {
  return held.contains(field.id) ||
         std::ranges::any_of(field.children,
                             [&](const format::FieldNode& child) { return IsHeld(child, held); });
}

/// The fields that the files of a fragment hold; what two of them hold is a finding.
std::set<int32_t> HeldFields(const table::Fragment& fragment, const format::LanceSchema& schema,
                             Findings* findings) {
  std::set<int32_t> held;
  for (const table::DataFile& file : fragment.files) {
    for (const int32_t id : file.field_ids) {
      if (held.insert(id).second || id < 0 || schema.FindById(id) == nullptr) continue;
      findings->Add(kFieldHeldTwice, table::DataFilePath(file), NameOf(fragment), " has field ", id,
                    " in this file and in one before; the last one counts");
    }
  }
  return held;
}

/// Flags that the content does not decide, or that another check looks at.
bool IsDecidedElsewhere(const table::FeatureFlag& flag) {
  const uint64_t mask = uint64_t{1} << flag.bit;
  return flag.is_sticky || flag.is_paired || mask == table::kV2DataFilesFlag ||
         mask == table::kNoTransactionFileFlag || mask == table::kObjectMetadataFlag;
}

void CheckFlagWord(std::string_view word, uint64_t has, uint64_t needs, Findings* findings) {
  for (const table::FeatureFlag& flag : table::KnownFeatureFlags()) {
    if (IsDecidedElsewhere(flag)) continue;
    const bool is_set = (has >> flag.bit & 1) != 0;
    const bool is_needed = (needs >> flag.bit & 1) != 0;
    if (is_needed && !is_set) {
      findings->Add(kFlagMissing, kManifest, "the ", word, " flags lack \"", flag.name, "\" (bit ",
                    flag.bit,
                    "), which the version uses: programs without that feature take it "
                    "for a table that they understand");
    } else if (is_set && !is_needed) {
      findings->Add(kFlagUnneeded, kManifest, "the ", word, " flags have \"", flag.name, "\" (bit ",
                    flag.bit, "), which the version does not use; the next commit clears it");
    }
  }
}

}  // namespace

void CheckFragments(const table::Manifest& manifest, Findings* findings) {
  std::set<uint64_t> seen;
  const table::Fragment* last = nullptr;
  for (const table::Fragment& fragment : manifest.fragments) {
    const std::string name = NameOf(fragment);
    if (!seen.insert(fragment.id).second) {
      findings->Add(kFragmentTwice, name, name, " is there twice; no commit is possible");
    } else if (last != nullptr && fragment.id < last->id) {
      findings->Add(kFragmentsUnsorted, name, name, " comes behind fragment ", last->id,
                    "; allowed: ascending ids");
    }
    last = &fragment;
    if (fragment.id > manifest.max_fragment_id.value_or(0) || !manifest.max_fragment_id) {
      findings->Add(kFragmentBeyondMax, name, name, " is above the highest id ever used, which is ",
                    manifest.max_fragment_id ? std::to_string(*manifest.max_fragment_id) : "none",
                    ": other writers may use its id again");
    }
    if (fragment.live_rows() == 0) {
      findings->Add(kFragmentEmpty, name, name, " has ", fragment.physical_rows,
                    " rows and none that is not deleted; allowed: no such fragment");
    }
  }
}

void CheckFilesOfFragments(const table::Manifest& manifest,
                           const std::vector<format::FieldNode>& fields, Findings* findings) {
  std::map<std::pair<std::string, std::optional<uint32_t>>, uint64_t> owners;
  for (const table::Fragment& fragment : manifest.fragments) {
    const std::string name = NameOf(fragment);
    for (const table::DataFile& file : fragment.files) {
      const auto [owner, is_new] = owners.try_emplace({file.path, file.base_id}, fragment.id);
      if (is_new) continue;
      findings->Add(kDataFileTwice, table::DataFilePath(file), name,
                    " has this file, and fragment ", owner->second,
                    " has it, too: its rows are there twice");
    }
    const std::set<int32_t> held = HeldFields(fragment, manifest.schema, findings);
    for (const format::FieldNode& field : fields) {
      if (field.nullable || IsHeld(field, held)) continue;
      findings->Add(kColumnMissing, name, "no file of ", name, " holds the column ", field.name,
                    ", which may not be null");
    }
  }
}

void CheckFlags(const table::Manifest& manifest, Findings* findings) {
  const table::FeatureFlags needed = table::ComputeFlags(manifest);
  CheckFlagWord("reader", manifest.reader_feature_flags, needed.reader, findings);
  CheckFlagWord("writer", manifest.writer_feature_flags, needed.writer, findings);
  if (table::HasStableRowIds(manifest)) {
    if ((manifest.writer_feature_flags & table::kStableRowIdsFlag) == 0) {
      findings->Add(kFlagMissing, kManifest,
                    "the writer flags lack \"stable row ids\" (bit 1), the reader flags have it");
    }
    return;
  }
  const auto has_ids = [](const table::Fragment& fragment) {
    return fragment.row_ids.place != table::StoredSequence::Place::kNone;
  };
  if (std::ranges::any_of(manifest.fragments, has_ids)) {
    findings->Add(kRowIdsWithoutFlag, kManifest,
                  "fragments have row ids, the flag \"stable row ids\" (bit 1) is not set: the ids "
                  "do not count, and other writers refuse to add rows");
  }
}

void CheckFieldIds(const table::Manifest& manifest, Findings* findings) {
  if (!manifest.max_allocated_field_id) return;
  for (const format::SchemaField& field : manifest.schema.fields) {
    if (field.id <= *manifest.max_allocated_field_id) continue;
    findings->Add(kFieldIdBeyondMax, "column " + field.name, "field ", field.id, " (", field.name,
                  ") is above the highest id that was handed out, ",
                  *manifest.max_allocated_field_id, ": writers may use its id again");
  }
}

void CheckBasePaths(const table::Manifest& manifest, Findings* findings) {
  std::set<uint32_t> ids;
  for (const table::BasePath& base : manifest.base_paths) {
    const std::string name = "base path " + std::to_string(base.id);
    if (!ids.insert(base.id).second) {
      findings->Add(kBasePathTwice, name, name, " is there twice; no file there can be read");
    }
    const arrow::Status status = table::CheckBasePath(base);
    if (!status.ok()) findings->Add(kBasePathBroken, name, status.message());
  }
  std::set<uint32_t> reported;
  const auto check = [&](const std::optional<uint32_t>& id, const std::string& owner) {
    if (!id || ids.contains(*id) || !reported.insert(*id).second) return;
    findings->Add(kBasePathUnknown, owner, owner, " has files at base path ", *id,
                  ", which the version does not have");
  };
  for (const table::Fragment& fragment : manifest.fragments) {
    for (const table::DataFile& file : fragment.files) check(file.base_id, NameOf(fragment));
    if (fragment.deletion_file) check(fragment.deletion_file->base_id, NameOf(fragment));
  }
  for (const table::IndexMetadata& index : manifest.indices) {
    check(index.base_id, "index " + index.name);
  }
}

void CheckConfig(const table::Manifest& manifest, Findings* findings) {
  constexpr const char* kInterval = "lance.auto_cleanup.interval";
  for (const auto& [key, value] : manifest.config) {
    // One at a time, so that each that is broken is named; other keys say nothing here.
    std::map<std::string, std::string> alone = {{kInterval, "1"}};
    alone[key] = value;
    const arrow::Status status = AutoCleanupOf(alone, 0).status();
    if (status.ok() || UnsupportedFeature::From(status) != nullptr) continue;
    findings->Add(kConfigBroken, "config " + key, status.message(),
                  "; automatic clean-up is not done");
  }
}

}  // namespace lance::check
