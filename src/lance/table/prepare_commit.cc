#include "lance/table/prepare_commit.h"

#include <algorithm>
#include <utility>

#include "lance/base/status_detail.h"
#include "lance/table/build_manifest.h"
#include "lance/table/clustering_repair.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"
#include "lance/table/stamp_operation.h"
#include "lance/table/transaction_proto.h"

namespace lance::table {
namespace {

/// Whether the manifest is built on anything but the basis as it is.
bool ChangesBasis(const CommitParts& parts) {
  return parts.clustering.define || parts.clustering.maintenance != ClusteringMaintenance::kNone ||
         parts.detached_version != 0;
}

/// Apply what the commit does to clustering metadata, to the manifest before and to the operation.
///
/// \param defined may be null when nothing of it changes
arrow::Status ChangeClustering(const CommitParts& parts, Manifest* defined, Operation* stamped) {
  if (parts.clustering.maintenance == ClusteringMaintenance::kRepair) {
    RepairClustering(defined);
  } else if (parts.clustering.maintenance == ClusteringMaintenance::kPrune) {
    PruneDefinitions(defined);
  }
  if (parts.clustering.define) {
    const LayoutDefinition& layout = *parts.clustering.define;
    ARROW_ASSIGN_OR_RAISE(const uint32_t id, EnsureDefinition(layout, defined));
    return StampNewFragments(id, layout.version, parts.clustering.stamp_group_ids, stamped);
  }
  if (const auto* update = std::get_if<UpdateConfig>(stamped)) {
    return CheckUserMetadataUpdate(*update, parts.basis);
  }
  return arrow::Status::OK();
}

/// Make one list of the fragments that are changed and those that are removed: a rebase moves them
/// from one to the other, and gives them other deletion files.
void UniteTouched(std::vector<Fragment>* updated, std::vector<uint64_t>* removed) {
  for (const Fragment& fragment : *updated) removed->push_back(fragment.id);
  updated->clear();
  std::ranges::sort(*removed);
}

}  // namespace

arrow::Status CheckTransaction(const Transaction& transaction) {
  const auto uuid = Uuid::Parse(transaction.uuid);
  if (!uuid.ok() || uuid->ToString() != transaction.uuid) {
    return arrow::Status::Invalid("transaction uuid is \"", transaction.uuid.substr(0, 64),
                                  "\"; allowed: hyphenated lower case");
  }
  if (transaction.read_version == 0 && !std::holds_alternative<Overwrite>(transaction.operation)) {
    return arrow::Status::Invalid("read version is 0 for ", OperationName(transaction.operation),
                                  "; only Overwrite creates a table");
  }
  return arrow::Status::OK();
}

arrow::Result<std::string> IdentityOf(Transaction transaction) {
  ClearStamps(&transaction.operation);
  if (auto* deletion = std::get_if<Delete>(&transaction.operation)) {
    transaction.read_version = 0;
    UniteTouched(&deletion->updated_fragments, &deletion->deleted_fragment_ids);
  } else if (auto* update = std::get_if<Update>(&transaction.operation)) {
    transaction.read_version = 0;
    UniteTouched(&update->updated_fragments, &update->removed_fragment_ids);
  }
  return SerializeTransaction(transaction);
}

arrow::Status OutcomeUnknown(const Transaction& transaction, const std::string& reason) {
  return arrow::Status::UnknownError("commit of transaction ", transaction.uuid,
                                     " may or may not have landed: ", reason,
                                     "; look at the table before trying again, delete nothing")
      .WithDetail(std::make_shared<CommitUnknown>(transaction.uuid, transaction.read_version));
}

arrow::Result<PreparedCommit> PrepareCommit(const CommitParts& parts, const RunContext& run) {
  // A copy only where something of it changes: there may be hundreds of thousands of fragments.
  std::optional<Manifest> changed;
  if (ChangesBasis(parts)) changed = parts.basis;
  Transaction stamped = parts.transaction;
  ARROW_RETURN_NOT_OK(ChangeClustering(parts, changed ? &*changed : nullptr, &stamped.operation));
  PreparedCommit prepared;
  ARROW_ASSIGN_OR_RAISE(prepared.transaction, SerializeTransaction(stamped));
  const BuildInput input{
      .now = run.clock->Now(),
      .transaction_file = TransactionFileName(stamped.read_version, stamped.uuid),
      .restored = parts.restored};
  // A detached version may stand on another one, whose number is no version to count on from.
  if (parts.detached_version != 0) changed->version = 1;
  ARROW_ASSIGN_OR_RAISE(prepared.manifest,
                        BuildManifest(changed ? *changed : parts.basis, stamped, input));
  if (parts.detached_version != 0) prepared.manifest.version = parts.detached_version;
  const auto road = std::holds_alternative<Restore>(stamped.operation) ? DeclarationRoad::kRestore
                                                                       : DeclarationRoad::kChange;
  ARROW_RETURN_NOT_OK(CheckClusteringOfNewManifest(parts.basis, prepared.manifest, road));
  ARROW_ASSIGN_OR_RAISE(prepared.manifest_bytes,
                        EncodeManifestFile(prepared.manifest, prepared.transaction));
  return prepared;
}

std::optional<std::string> InlinedTransaction(std::string serialized) {
  if (serialized.size() > kMaxInlineTransactionBytes) return std::nullopt;
  return serialized;
}

PutMode ModeOfTransactionFile(const std::string& serialized) {
  const bool is_inlined = serialized.size() <= kMaxInlineTransactionBytes;
  return is_inlined ? PutMode::kOverwriteLazily : PutMode::kOverwrite;
}

}  // namespace lance::table
