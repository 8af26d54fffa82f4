#include "lance/dataset/check/version_checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"
#include "lance/dataset/check/deletion_checks.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_file.h"
#include "lance/table/transaction_proto.h"
#include "lance/table/version_hint.h"
#include "lance/table/whole_file.h"

namespace lance::check {
namespace {

/// Whether a failure ends the check, because going on would only repeat it.
bool EndsCheck(const arrow::Status& status) {
  return status.IsCancelled() || status.IsOutOfMemory();
}

std::string VersionName(const VersionLine& line, uint64_t version) {
  return "version " + std::to_string(version) +
         (line.branch.empty() ? "" : " of branch " + line.branch);
}

arrow::Result<table::ManifestFile> ReadManifest(ObjectStore& store, const VersionFile& version,
                                                const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto bytes,
                        table::ReadWhole(store, version.path, version.size_bytes, run));
  return table::DecodeManifestFile(AsBytes(std::string_view(*bytes)));
}

/// Open a version as readers do. \return why they cannot
arrow::Result<Dataset> TryToOpen(const OpenedTable& table, const VersionLine& line,
                                 const VersionFile& version, table::Manifest manifest) {
  OpenedTable place = table;
  if (!line.branch.empty()) {
    ARROW_ASSIGN_OR_RAISE(place, PlaceOfBranch(table, line.branch));
  }
  return Dataset::Impl::Make(place, {.manifest = std::move(manifest),
                                     .naming = version.name.naming,
                                     .size_bytes = version.size_bytes});
}

/// Say that a version cannot be opened, by damage or by what this release does not know.
void AddUnopenable(const VersionFile& version, const arrow::Status& failure, Findings* findings) {
  const bool is_damaged = UnsupportedFeature::From(failure) == nullptr;
  findings->AddFailure(is_damaged ? kManifestBroken : kVersionUnsupported, version.path, failure);
}

/// The inline transaction. \return no value: none that can be read
std::optional<table::Transaction> ParseInline(const VersionFile& version,
                                              const table::ManifestFile& file, Findings* findings) {
  if (!file.inline_transaction) return std::nullopt;
  auto parsed = table::ParseTransaction(*file.inline_transaction);
  if (parsed.ok()) return *std::move(parsed);
  findings->AddFailure(kTransactionBroken, version.path, parsed.status());
  return std::nullopt;
}

/// Compare a transaction file with its name and with the inline transaction.
void CheckTransactionFile(const std::string& path, const std::string& file_name,
                          const arrow::Result<table::Transaction>& stored,
                          const std::optional<table::Transaction>& inlined, Findings* findings) {
  if (!stored.ok()) {
    findings->AddFailure(kTransactionBroken, path, stored.status());
    return;
  }
  const std::string name = table::TransactionFileName(stored->read_version, stored->uuid);
  if (name != file_name) {
    findings->Add(kTransactionDiffers, path, "the file holds the transaction ", name);
  } else if (inlined && inlined->uuid != stored->uuid) {
    findings->Add(kTransactionDiffers, path, "the file holds transaction ", stored->uuid,
                  ", its manifest transaction ", inlined->uuid);
  }
}

/// The transaction of a version: inline and in its file.
arrow::Status CheckTransaction(const VersionsCheck& check, const VersionLine& line,
                               const VersionFile& version, const table::ManifestFile& file,
                               bool reads_file, Findings* findings) {
  const auto inlined = ParseInline(version, file, findings);
  const table::Manifest& manifest = file.manifest;
  const std::string& file_name = manifest.transaction_file;
  const std::string path = line.prefix() + table::TransactionPath(file_name);
  const auto stored = check.stored.sizes.find(path);
  const bool has_file = !file_name.empty() && stored != check.stored.sizes.end();
  if (has_file && (reads_file || !inlined)) {
    const auto bytes = table::ReadWhole(*check.table.store, path, stored->second, check.run);
    if (!bytes.ok() && EndsCheck(bytes.status())) return bytes.status();
    CheckTransactionFile(path, file_name,
                         bytes.ok() ? table::ParseTransaction(std::string_view(**bytes))
                                    : arrow::Result<table::Transaction>(bytes.status()),
                         inlined, findings);
  } else if (!has_file && !inlined) {
    findings->Add(kTransactionMissing, version.path, VersionName(line, manifest.version),
                  " has no transaction that can be read: writers that began before it cannot "
                  "commit any more");
  } else if (file_name.empty() &&
             (manifest.writer_feature_flags & table::kNoTransactionFileFlag) == 0) {
    findings->Add(kTransactionFileMissing, version.path, VersionName(line, manifest.version),
                  " names no transaction file: writers up to release 13 cannot commit past it");
  }
  return arrow::Status::OK();
}

/// What the check of one version after the other gathers. Borrows.
struct Gathered {
  ReferencedFiles* files;
  OldDeletions* deletions;
};

arrow::Status CheckVersion(const VersionsCheck& check, const VersionLine& line,
                           const VersionFile& version, const Gathered& gathered,
                           Findings* findings) {
  auto file = ReadManifest(*check.table.store, version, check.run);
  if (!file.ok()) {
    if (EndsCheck(file.status())) return file.status();
    if (NotFound::From(file.status()) != nullptr) return arrow::Status::OK();
    gathered.files->AddUnknown();
    AddUnopenable(version, file.status(), findings);
    return arrow::Status::OK();
  }
  table::Manifest& manifest = file->manifest;
  if (manifest.version != version.name.version) {
    findings->Add(kManifestVersionWrong, version.path, "the manifest says that it is version ",
                  manifest.version, ", its name says ", version.name.version);
  }
  const bool is_opened = check.opened != nullptr && line.branch.empty() &&
                         version.name.version == check.opened->manifest().version;
  ARROW_RETURN_NOT_OK(
      CheckTransaction(check, line, version, *file, is_opened || check.is_deep, findings));
  gathered.files->Add(manifest, line);
  const auto opened = TryToOpen(check.table, line, version, std::move(manifest));
  if (!opened.ok()) {
    AddUnopenable(version, opened.status(), findings);
  } else if (check.is_deep) {
    return gathered.deletions->Check(opened->impl(), line, findings);
  }
  return arrow::Status::OK();
}

/// The newest version of a line; 0: none.
uint64_t NewestOf(const VersionLine& line) {
  uint64_t newest = 0;
  for (const VersionFile& version : line.versions) {
    if (!version.name.is_detached) newest = std::max(newest, version.name.version);
  }
  return newest;
}

/// Whether a version is there now: a writer may have gone on since the listing.
bool IsThere(ObjectStore& store, const VersionLine& line, uint64_t version) {
  return store.Head(line.prefix() + table::ManifestPath(version, table::NamingScheme::kV2)).ok() ||
         store.Head(line.prefix() + table::ManifestPath(version, table::NamingScheme::kV1)).ok();
}

arrow::Status ReadHint(ObjectStore& store, const VersionLine& line, const RunContext& run,
                       Findings* findings) {
  constexpr uint64_t kMaxHintBytes = 1 << 20;
  if (!line.hint_size_bytes) return arrow::Status::OK();
  const std::string path = line.prefix() + std::string(table::kVersionHintPath);
  std::optional<uint64_t> hinted;
  if (*line.hint_size_bytes <= kMaxHintBytes) {
    const auto bytes = table::ReadWhole(store, path, *line.hint_size_bytes, run);
    if (!bytes.ok()) {
      // Replaced by a writer meanwhile, perhaps by a shorter one.
      return EndsCheck(bytes.status()) ? bytes.status() : arrow::Status::OK();
    }
    hinted = table::ParseVersionHint(std::string_view(**bytes));
  }
  const uint64_t newest = NewestOf(line);
  if (hinted && *hinted > newest && IsThere(store, line, *hinted)) return arrow::Status::OK();
  CheckHint(path, hinted, newest, findings);
  return arrow::Status::OK();
}

/// What a branch without a description names: it may be about to get one, so nothing is orphaned.
arrow::Status AddUnlisted(const VersionsCheck& check, const VersionLine& line,
                          ReferencedFiles* files) {
  for (const VersionFile& version : line.versions) {
    const auto file = ReadManifest(*check.table.store, version, check.run);
    if (file.ok()) {
      files->AddNamed(file->manifest, line);
    } else if (EndsCheck(file.status())) {
      return file.status();
    } else {
      files->AddUnknown();
    }
  }
  return arrow::Status::OK();
}

}  // namespace

void CheckHint(const std::string& path, std::optional<uint64_t> hinted, uint64_t newest,
               Findings* findings) {
  if (!hinted) {
    findings->Add(kHintBroken, path,
                  "the version hint is not {\"version\": NUMBER}; the newest version is found "
                  "without it, by listing");
  } else if (*hinted > newest) {
    findings->Add(kHintAhead, path, "the version hint says ", *hinted, ", the newest version is ",
                  newest);
  } else if (*hinted < newest) {
    findings->Add(kHintStale, path, "the version hint says ", *hinted, ", the newest version is ",
                  newest, "; it only says where to look first");
  }
}

void CheckVersionNames(const VersionLine& line, Findings* findings) {
  for (const std::string& path : line.unknown_names) {
    findings->Add(kManifestNameUnknown, path, "the name is not that of a version; nobody reads it");
  }
  bool has_v1 = false;
  bool has_v2 = false;
  for (const VersionFile& version : line.versions) {
    if (version.name.is_detached) continue;
    (version.name.naming == table::NamingScheme::kV1 ? has_v1 : has_v2) = true;
  }
  if (!has_v1 || !has_v2) return;
  findings->Add(kNamesMixed, line.prefix() + std::string(table::kVersionsFolder),
                "manifests are named by version and by reversed version, so that the newest is not "
                "opened; MigrateManifestPathsV2 finishes what was begun");
}

arrow::Status CheckVersions(const VersionsCheck& check, ReferencedFiles* files,
                            Findings* findings) {
  OldDeletions deletions(files, check.run);
  const auto opened_line = check.stored.lines.find(check.opened_branch);
  if (check.opened != nullptr && opened_line != check.stored.lines.end()) {
    deletions.LeaveOut(check.opened->manifest(), opened_line->second);
  }
  for (const auto& [branch, line] : check.stored.lines) {
    if (!check.stored.IsListed(line)) {
      ARROW_RETURN_NOT_OK(AddUnlisted(check, line, files));
      continue;
    }
    CheckVersionNames(line, findings);
    ARROW_RETURN_NOT_OK(ReadHint(*check.table.store, line, check.run, findings));
    for (const VersionFile& version : line.versions) {
      ARROW_RETURN_NOT_OK(check.run.stop_token.Poll());
      ARROW_RETURN_NOT_OK(CheckVersion(check, line, version, {files, &deletions}, findings));
    }
  }
  return arrow::Status::OK();
}

}  // namespace lance::check
