#include <memory>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/commit.h"
#include "lance/table/feature_flags.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/manifest_names.h"
#include "lance/table/prepare_commit.h"
#include "lance/table/restored_files.h"
#include "lance/table/version_notes.h"

namespace lance::table {
namespace {

constexpr int kMaxDraws = 8;  // of 63 random bits: the second one is rare enough

uint64_t DrawDetachedVersion(const RunContext& run) {
  const Uuid random = Uuid::Random(*run.random);
  uint64_t version = 0;
  for (const uint8_t byte : random.bytes) version = version << 8 ^ (version >> 56) ^ byte;
  return version | kFirstDetachedVersion;
}

arrow::Status CheckDetachable(const LoadedManifest& read, const Manifest& next) {
  if (read.naming == NamingScheme::kV1) {
    return arrow::Status::Invalid(
        "the table names its manifests by version (V1); allowed for detached commits: V2, see "
        "MigrateManifestPathsV2");
  }
  if (read.manifest.max_allocated_field_id && read.manifest.schema != next.schema) {
    return arrow::Status::Invalid(
        "a detached commit would change the schema of a table whose field ids are never used "
        "again; allowed: an ordinary commit");
  }
  return arrow::Status::OK();
}

arrow::Status WriteTransactionFile(const ManifestStore& manifests, const std::string& path,
                                   const std::string& serialized) {
  ARROW_ASSIGN_OR_RAISE(const PutOutcome put,
                        manifests.store()->Put(path, arrow::Buffer::FromString(serialized),
                                               ModeOfTransactionFile(serialized)));
  if (put == PutOutcome::kStored) return arrow::Status::OK();
  return arrow::Status::IOError(path, ": the store does not say whether it was written");
}

}  // namespace

arrow::Result<LoadedManifest> CommitDetached(const ManifestStore& manifests, CommitRequest request,
                                             const RunContext& run) {
  Transaction& transaction = request.transaction;
  if (transaction.uuid.empty()) transaction.uuid = Uuid::Random(*run.random).ToString();
  ARROW_RETURN_NOT_OK(CheckTransaction(transaction));
  if (transaction.read_version == 0) {
    return arrow::Status::Invalid("a detached commit cannot create a table");
  }
  // A cleanup sees detached versions only once they are there.
  ARROW_ASSIGN_OR_RAISE(const auto read_pin,
                        VersionPin::Take(manifests, transaction.read_version, run));
  ARROW_ASSIGN_OR_RAISE(LoadedManifest read, manifests.Load(transaction.read_version, run));
  ARROW_RETURN_NOT_OK(CheckWritable(read.manifest));
  ARROW_RETURN_NOT_OK(BringCoverageUpToDate(*manifests.store(), run, &read.manifest));
  std::unique_ptr<VersionPin> restored_pin;
  std::optional<LoadedManifest> restored;
  if (const auto* restore = std::get_if<Restore>(&transaction.operation)) {
    ARROW_ASSIGN_OR_RAISE(restored_pin, VersionPin::Take(manifests, restore->version, run));
    ARROW_ASSIGN_OR_RAISE(restored, manifests.Load(restore->version, run));
    ARROW_RETURN_NOT_OK(CheckWritable(restored->manifest));
    ARROW_RETURN_NOT_OK(
        CheckRestoredFiles(*manifests.store(), restored->manifest, read.manifest, run));
  }
  const std::string path =
      TransactionPath(TransactionFileName(transaction.read_version, transaction.uuid));
  for (int draw = 0; draw < kMaxDraws; ++draw) {
    ARROW_ASSIGN_OR_RAISE(PreparedCommit prepared,
                          PrepareCommit({.basis = read.manifest,
                                         .transaction = transaction,
                                         .clustering = request.clustering,
                                         .restored = restored ? &restored->manifest : nullptr,
                                         .detached_version = DrawDetachedVersion(run)},
                                        run));
    ARROW_RETURN_NOT_OK(CheckDetachable(read, prepared.manifest));
    ARROW_RETURN_NOT_OK(WriteTransactionFile(manifests, path, prepared.transaction));
    const auto put = manifests.PutManifestFile(prepared.manifest.version, NamingScheme::kV2,
                                               prepared.manifest_bytes);
    if (!put.ok()) {
      (void)manifests.store()->Delete(path);  // best effort: an orphan is harmless
      return put.status();
    }
    if (*put == PutOutcome::kUnknown) {
      read_pin->LeaveBehind();
      if (restored_pin != nullptr) restored_pin->LeaveBehind();
      return OutcomeUnknown(transaction, "the store does not say whether detached version " +
                                             std::to_string(prepared.manifest.version) +
                                             " was written");
    }
    if (*put != PutOutcome::kStored) continue;  // the number is taken
    return LoadedManifest{
        .manifest = std::move(prepared.manifest),
        .naming = NamingScheme::kV2,
        .size_bytes = static_cast<uint64_t>(prepared.manifest_bytes->size()),
        .inline_transaction = InlinedTransaction(std::move(prepared.transaction))};
  }
  return InternalError("every random number of a detached version was taken");
}

}  // namespace lance::table
