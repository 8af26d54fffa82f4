#include "lance/transaction.h"

#include <utility>

#include "arrow/buffer.h"
#include "lance/base/byte_reader.h"
#include "lance/base/executor.h"
#include "lance/base/status_detail.h"
#include "lance/base/uuid.h"
#include "lance/dataset/dataset_impl.h"
#include "lance/dataset/transaction_impl.h"
#include "lance/table/build_manifest.h"
#include "lance/table/manifest_file.h"
#include "lance/table/prepare_commit.h"
#include "lance/table/stamp_operation.h"
#include "lance/table/transaction_proto.h"

namespace lance {
namespace {

/// Check that a version with what a caller described could be opened again. Whether it fits the
/// table at all is for the commit to say, against the version that it meets.
///
/// \return Invalid saying what nobody could read
arrow::Status CheckReadsBack(const Dataset::Impl& dataset, const table::Transaction& transaction,
                             const RunContext& run) {
  const auto built =
      table::BuildManifest(dataset.manifest(), transaction, {.now = run.clock->Now()});
  if (!built.ok()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto bytes, table::EncodeManifestFile(*built, /*serialized=*/""));
  const std::string_view text(reinterpret_cast<const char*>(bytes->data()),
                              static_cast<size_t>(bytes->size()));
  auto read = table::DecodeManifestFile(AsBytes(text));
  arrow::Status status = read.status();
  if (read.ok()) {
    status = Dataset::Impl::Make(dataset.opened, {.manifest = std::move(read->manifest)}).status();
  }
  if (status.ok()) return status;
  return arrow::Status::Invalid(table::OperationName(transaction.operation),
                                " would make a version that cannot be read: ", status.message());
}

}  // namespace

Transaction::Impl::Impl(table::CommitRequest made, std::optional<MergeInsertCounts> merged)
    : commit(std::move(made)),
      operation(table::OperationName(commit.transaction.operation)),
      merge_counts(merged) {}

Transaction WrapTransaction(table::CommitRequest commit,
                            std::optional<MergeInsertCounts> merge_counts) {
  return Transaction(std::make_shared<const Transaction::Impl>(std::move(commit), merge_counts));
}

Transaction WrapStored(table::Transaction transaction) {
  table::ClearStamps(&transaction.operation);
  return WrapTransaction({.transaction = std::move(transaction)});
}

const MergeInsertCounts* merge_insert_counts(const Transaction& transaction) {
  const auto& counts = transaction.impl().merge_counts;
  return counts ? &*counts : nullptr;
}

uint64_t Transaction::read_version() const { return impl_->commit.transaction.read_version; }
const std::string& Transaction::uuid() const { return impl_->commit.transaction.uuid; }
const std::string& Transaction::operation() const { return impl_->operation; }
const std::map<std::string, std::string>& Transaction::properties() const {
  return impl_->commit.transaction.properties;
}

arrow::Result<Dataset> CommitTransaction(const Dataset& dataset, const Transaction& transaction,
                                         const CommitOptions& options, const CallOptions& call) {
  table::CommitRequest commit = transaction.impl().commit;
  for (const auto& [key, value] : options.properties) {
    commit.transaction.properties.insert_or_assign(key, value);
  }
  if (!options.message.empty()) {
    commit.transaction.properties[std::string(table::kCommitMessageProperty)] = options.message;
  }
  ARROW_ASSIGN_OR_RAISE(commit.retry, MakeRetryPolicy(options));
  const RunContext run = dataset.impl().Run(call);
  ARROW_RETURN_NOT_OK(CheckReadsBack(dataset.impl(), commit.transaction, run));
  return dataset.impl().Commit(std::move(commit), run);
}

arrow::Result<std::string> Transaction::Serialize() const {
  return table::SerializeTransaction(impl_->commit.transaction);
}

arrow::Result<Transaction> Transaction::Parse(std::string_view bytes) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  ARROW_ASSIGN_OR_RAISE(table::Transaction transaction, table::ParseTransaction(bytes));
  const arrow::Status checked = table::CheckTransaction(transaction);
  if (!checked.ok()) return arrow::Status::SerializationError(checked.message());
  return WrapStored(std::move(transaction));
}

arrow::Result<Transaction> Transaction::WithUuid(std::string uuid) const {
  table::CommitRequest commit = impl_->commit;
  commit.transaction.uuid = std::move(uuid);
  ARROW_RETURN_NOT_OK(table::CheckTransaction(commit.transaction));
  return WrapTransaction(std::move(commit), impl_->merge_counts);
}

}  // namespace lance
