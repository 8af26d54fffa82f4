#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"
#include "lance/table/manifest.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// How manifests are named (table-format 1.3).
enum class NamingScheme { kV1, kV2 };

/// A manifest with what a commit needs to know of its file.
struct LoadedManifest {
  Manifest manifest;
  NamingScheme naming = NamingScheme::kV2;
  uint64_t size_bytes = 0;
  /// The inline transaction (field 23, else 21) as serialized; no value: none, or not decodable.
  std::optional<std::string> inline_transaction;
};

/// A version that the listing found.
struct VersionEntry {
  uint64_t version = 0;
  NamingScheme naming = NamingScheme::kV2;
  std::optional<uint64_t> size_bytes;  // where finding it told
};

/// Finds, reads and writes the manifests and transactions of one table.
///
/// Holds no state but the store. Thread-safe. Source: table-format 1.3-1.5, 2.1, 3.1.
class ManifestStore {
 public:
  explicit ManifestStore(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}

  const std::shared_ptr<ObjectStore>& store() const { return store_; }

  /// All versions, ascending. \return Invalid when V1 and V2 names are mixed; empty: no table
  arrow::Result<std::vector<VersionEntry>> ListVersions() const;

  /// The newest version, found by the hint where listing is dear (table-format 1.4, 3.1), else by
  /// listing. The hint only says where to look first.
  ///
  /// \return KeyError + NotFound{table} when there is none; NotImplemented + UnsupportedFeature
  ///   when its feature flags forbid reading
  arrow::Result<LoadedManifest> LoadLatest(const RunContext& run) const;

  /// One version, also a detached one.
  ///
  /// \return KeyError + NotFound{version} when it is not there; NotImplemented + UnsupportedFeature
  ///   when its feature flags forbid reading
  arrow::Result<LoadedManifest> Load(uint64_t version, const RunContext& run) const;

  /// Look for one version under both schemes. \return no value: it is not there
  arrow::Result<std::optional<VersionEntry>> FindVersion(uint64_t version) const;

  /// The version that a listing found, without a look at its feature flags: for what must inspect
  /// versions that it cannot read, such as the conflict check.
  arrow::Result<LoadedManifest> LoadEntry(const VersionEntry& entry, const RunContext& run) const;

  /// The transaction that made a version: inline, else the file.
  ///
  /// \return an error that says why it cannot be had; the table stays readable
  arrow::Result<Transaction> LoadTransaction(const LoadedManifest& manifest,
                                             const RunContext& run) const;

  /// Put a manifest under its name if that is absent. Touches nothing else.
  arrow::Result<PutOutcome> PutManifest(const Manifest& manifest, NamingScheme naming,
                                        const std::string& serialized_transaction) const;

  /// Put the bytes of a manifest file under their name if that is absent.
  arrow::Result<PutOutcome> PutManifestFile(uint64_t version, NamingScheme naming,
                                            std::shared_ptr<arrow::Buffer> bytes) const;

  /// Write the hint, best effort: a failure is swallowed, because a hint is never needed.
  void WriteHint(uint64_t version) const;

 private:
  /// The newest version by a hint that is at most kMaxHintAge versions old, without listing: looks
  /// at the hinted version and at those that may follow it.
  ///
  /// \return no value, or any failure: list
  arrow::Result<std::optional<VersionEntry>> FindNewestByHint(const RunContext& run) const;

  /// LoadLatest without the look at feature flags.
  arrow::Result<LoadedManifest> LoadNewest(const RunContext& run) const;

  std::shared_ptr<ObjectStore> store_;
};

/// The path of a version's manifest relative to the table root.
std::string ManifestPath(uint64_t version, NamingScheme naming);

}  // namespace lance::table
