#include "lance/table/clone.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/build_manifest.h"
#include "lance/table/feature_flags.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"
#include "lance/table/prepare_commit.h"
#include "lance/table/transaction_proto.h"
#include "lance/version.h"

namespace lance::table {
namespace {

constexpr int kMaxPuts = 3;  // of a manifest whose name the store is busy with
constexpr std::chrono::milliseconds kPauseBetweenPuts{50};

/// The smallest id that no base path has. \return Invalid when all are taken
arrow::Result<uint32_t> FreeBaseId(const std::vector<BasePath>& bases) {
  for (uint32_t id = 0; id <= bases.size(); ++id) {
    if (std::ranges::find(bases, id, &BasePath::id) == bases.end()) return id;
  }
  return arrow::Status::Invalid("there are ", bases.size(), " base paths; no id is left");
}

void NameBase(uint32_t id, Manifest* manifest) {
  const auto name = [id](std::optional<uint32_t>* base) {
    if (!*base) *base = id;
  };
  for (Fragment& fragment : manifest->fragments) {
    for (DataFile& file : fragment.files) name(&file.base_id);
    if (fragment.deletion_file) name(&fragment.deletion_file->base_id);
  }
  for (IndexMetadata& index : manifest->indices) name(&index.base_id);
}

arrow::Status ThereAlready(const std::string& what) {
  return arrow::Status::AlreadyExists("the table is there already: ", what);
}

/// One first version on its way to storage.
class CloneCommit {
 public:
  CloneCommit(const ManifestStore& target, Transaction transaction, NamingScheme naming,
              const RunContext& run)
      : target_(target), transaction_(std::move(transaction)), naming_(naming), run_(run) {}

  arrow::Result<LoadedManifest> Run(Manifest manifest) {
    manifest.timestamp = run_.clock->Now();
    manifest.transaction_file = FileName();
    ARROW_ASSIGN_OR_RAISE(const std::string serialized, SerializeTransaction(transaction_));
    ARROW_ASSIGN_OR_RAISE(const auto bytes, EncodeManifestFile(manifest, serialized));
    ARROW_RETURN_NOT_OK(WriteTransactionFile(serialized));
    const arrow::Status stored = Store(manifest.version, bytes);
    if (!stored.ok()) {
      if (CommitUnknown::From(stored) == nullptr) DropTransactionFile();
      return stored;
    }
    LoadedManifest landed{.manifest = std::move(manifest),
                          .naming = naming_,
                          .size_bytes = static_cast<uint64_t>(bytes->size())};
    ARROW_RETURN_NOT_OK(CheckIsAlone(landed));
    target_.WriteHint(landed.manifest.version);
    return landed;
  }

 private:
  std::string FileName() const {
    return TransactionFileName(transaction_.read_version, transaction_.uuid);
  }

  arrow::Status WriteTransactionFile(const std::string& serialized) const {
    ARROW_ASSIGN_OR_RAISE(
        const PutOutcome put,
        target_.store()->Put(TransactionPath(FileName()), arrow::Buffer::FromString(serialized),
                             PutMode::kOverwrite));
    if (put == PutOutcome::kStored) return arrow::Status::OK();
    return arrow::Status::IOError("transaction file ", FileName(),
                                  ": the store does not say whether it was written");
  }

  arrow::Status Store(uint64_t version, const std::shared_ptr<arrow::Buffer>& bytes) const {
    for (int i = 0; i < kMaxPuts; ++i) {
      const auto put = target_.PutManifestFile(version, naming_, bytes);
      if (put.ok() && *put == PutOutcome::kStored) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(const bool is_ours, Settle(version, put));
      if (is_ours) return arrow::Status::OK();
      ARROW_RETURN_NOT_OK(run_.clock->Sleep(kPauseBetweenPuts, run_.stop_token));
    }
    return arrow::Status::IOError("version ", version,
                                  ": the store is busy with another call's, which does not come");
  }

  /// Look at what is there before believing anything. \return false: nothing was stored, and the
  /// store is busy with the name
  arrow::Result<bool> Settle(uint64_t version, const arrow::Result<PutOutcome>& put) const {
    const std::string place = "version " + std::to_string(version);
    const auto entry = target_.FindVersion(version);
    if (!entry.ok()) return OutcomeUnknown(transaction_, entry.status().message());
    if (!*entry) {
      ARROW_RETURN_NOT_OK(put.status());
      if (*put == PutOutcome::kExists) return false;
      return OutcomeUnknown(transaction_, "the reply about " + place + " was lost");
    }
    const auto loaded = target_.LoadEntry(**entry, run_);
    if (!loaded.ok()) return OutcomeUnknown(transaction_, loaded.status().message());
    if (loaded->manifest.transaction_file == FileName()) return true;
    return ThereAlready(place);
  }

  /// Another first version may have come at the same time, under another number.
  arrow::Status CheckIsAlone(const LoadedManifest& landed) const {
    const auto versions = target_.ListVersions();
    if (versions.ok() && versions->size() == 1) return arrow::Status::OK();
    // Not to be found in the listing, or not alone: nobody knows of it yet, so it can go.
    if (!RemoveShallowClone(target_, landed).ok()) {
      return OutcomeUnknown(transaction_, "the version could not be taken back");
    }
    ARROW_RETURN_NOT_OK(versions.status());
    return ThereAlready("another call made a version at the same time");
  }

  void DropTransactionFile() const {
    (void)target_.store()->Delete(TransactionPath(FileName()));  // best effort; nobody needs it
  }

  const ManifestStore& target_;
  const Transaction transaction_;
  const NamingScheme naming_;
  const RunContext& run_;
};

}  // namespace

arrow::Result<Manifest> MakeShallowClone(const Manifest& source, const CloneOperation& clone) {
  Manifest manifest = source;
  ARROW_ASSIGN_OR_RAISE(const uint32_t id, FreeBaseId(source.base_paths));
  NameBase(id, &manifest);
  manifest.base_paths.push_back(
      {.id = id, .name = clone.ref_name, .is_dataset_root = true, .path = clone.ref_path});
  manifest.branch = clone.branch_name;
  manifest.tag.clear();
  manifest.writer_version =
      WriterVersion{.library = std::string(kWriterLibrary), .version = LANCE_VERSION_STRING};
  const FeatureFlags flags = ComputeFlags(manifest);
  manifest.reader_feature_flags = flags.reader;
  manifest.writer_feature_flags = flags.writer;
  return manifest;
}

arrow::Result<LoadedManifest> CommitShallowClone(const ManifestStore& target,
                                                 const LoadedManifest& source,
                                                 const CloneOperation& clone,
                                                 const RunContext& run) {
  ARROW_RETURN_NOT_OK(CheckWritable(source.manifest));
  ARROW_ASSIGN_OR_RAISE(const auto versions, target.ListVersions());
  if (!versions.empty()) {
    return ThereAlready("newest version " + std::to_string(versions.back().version));
  }
  ARROW_ASSIGN_OR_RAISE(Manifest manifest, MakeShallowClone(source.manifest, clone));
  ARROW_ASSIGN_OR_RAISE(ForeignOperation operation, MakeCloneOperation(clone));
  Transaction transaction{.read_version = clone.ref_version,
                          .uuid = Uuid::Random(*run.random).ToString(),
                          .operation = std::move(operation)};
  return CloneCommit(target, std::move(transaction), source.naming, run).Run(std::move(manifest));
}

arrow::Result<std::optional<LoadedManifest>> FindShallowClone(const ManifestStore& target,
                                                              const CloneOperation& clone,
                                                              const RunContext& run) {
  ARROW_ASSIGN_OR_RAISE(const auto versions, target.ListVersions());
  if (versions.size() != 1 || versions[0].version != clone.ref_version) return std::nullopt;
  const auto is_unreadable = [](const arrow::Status& status) {
    return status.IsSerializationError() || NotFound::From(status) != nullptr;
  };
  auto loaded = target.LoadEntry(versions[0], run);
  if (is_unreadable(loaded.status())) return std::nullopt;
  ARROW_RETURN_NOT_OK(loaded.status());
  const auto transaction = target.LoadTransaction(*loaded, run);
  if (is_unreadable(transaction.status())) return std::nullopt;
  ARROW_RETURN_NOT_OK(transaction.status());
  const auto found = ParseCloneOperation(transaction->operation);
  if (!found.ok() || *found != clone) return std::nullopt;
  return *std::move(loaded);
}

arrow::Status RemoveShallowClone(const ManifestStore& target, const LoadedManifest& landed) {
  ObjectStore& store = *target.store();
  ARROW_RETURN_NOT_OK(store.Delete(ManifestPath(landed.manifest.version, landed.naming)));
  ARROW_RETURN_NOT_OK(store.Delete(std::string(kVersionHintPath)));
  return store.Delete(TransactionPath(landed.manifest.transaction_file));
}

}  // namespace lance::table
