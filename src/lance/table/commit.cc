#include "lance/table/commit.h"

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "lance/base/status_detail.h"
#include "lance/table/backoff.h"
#include "lance/table/conflict.h"
#include "lance/table/deletion_file.h"
#include "lance/table/feature_flags.h"
#include "lance/table/fragment_reuse.h"
#include "lance/table/manifest_file.h"
#include "lance/table/manifest_names.h"
#include "lance/table/prepare_commit.h"
#include "lance/table/restored_files.h"
#include "lance/table/version_notes.h"

namespace lance::table {
namespace {

constexpr int kMaxLooks = 3;  // at a version whose put did not say what became of it
constexpr std::chrono::milliseconds kPauseBetweenLooks{50};

arrow::Status ConflictError(uint64_t version, const std::string& operation, bool is_retryable,
                            const std::string& message) {
  return arrow::Status::AlreadyExists(message).WithDetail(
      std::make_shared<CommitConflict>(version, operation, is_retryable));
}

/// What an attempt builds on.
struct Basis {
  Manifest manifest;  // version 0: no table yet
  NamingScheme naming = NamingScheme::kV2;
};

/// Either a basis for the next attempt, or the version that holds our transaction already.
struct CaughtUp {
  Basis basis;
  std::optional<LoadedManifest> landed;
};

/// Whose transaction a version holds.
enum class Owner { kOurs, kOther, kNobody, kUnreadable };

/// What a look at one version showed.
struct Look {
  Owner owner = Owner::kUnreadable;
  std::optional<LoadedManifest> manifest;  // when it is ours
  std::string operation = "unknown";       // of another's
  std::string problem;                     // when it is unreadable
};

/// One commit from its first attempt to its end (table-format 4.1).
///
/// At most one target version is in doubt at any time: a put whose reply was lost may still land as
/// long as its name is free. Once another holds the name, it cannot land any more.
class Commitment {
 public:
  Commitment(const ManifestStore& manifests, CommitRequest request, std::string identity,
             const RunContext& run)
      : manifests_(manifests),
        request_(std::move(request)),
        identity_(std::move(identity)),
        run_(run),
        backoff_(run.random),
        checked_version_(request_.transaction.read_version) {}

  arrow::Result<LoadedManifest> Run() {
    auto result = Loop();
    if (result.ok()) return result;
    const bool is_unknown = CommitUnknown::From(result.status()) != nullptr;
    if (!is_unknown && !in_doubt_) {
      DropFiles(/*landed=*/nullptr);
      return result;
    }
    if (pin_ != nullptr) pin_->LeaveBehind();
    return is_unknown ? result : OutcomeUnknown(request_.transaction, result.status().message());
  }

 private:
  const Transaction& transaction() const { return rebased_ ? *rebased_ : request_.transaction; }

  std::string TransactionFile() const {
    return TransactionFileName(transaction().read_version, transaction().uuid);
  }

  arrow::Result<LoadedManifest> Loop() {
    std::chrono::nanoseconds deadline{};
    for (int attempt = 0;; ++attempt) {
      if (run_.stop_token.IsStopRequested()) return run_.stop_token.Poll();
      ARROW_ASSIGN_OR_RAISE(CaughtUp caught_up, CatchUp());
      if (caught_up.landed) return *std::move(caught_up.landed);
      const auto now = run_.clock->Steady();
      if (attempt == 0) deadline = now + request_.retry.timeout;  // catching up is free
      if (attempt > 0 && (attempt > request_.retry.max_retries || now > deadline)) {
        return LostTooOften(attempt);
      }
      ARROW_ASSIGN_OR_RAISE(auto landed, Attempt(caught_up.basis));
      if (landed) return *std::move(landed);
      // Without catching up: that is long for an old handle, once, and says nothing of the others.
      backoff_.AttemptTook(run_.clock->Steady() - now);
      ARROW_RETURN_NOT_OK(run_.clock->Sleep(backoff_.Next(), run_.stop_token));
    }
  }

  // ---- Step 2: newer versions, conflicts, the newest manifest.

  arrow::Result<CaughtUp> CatchUp() {
    ARROW_ASSIGN_OR_RAISE(const auto versions, manifests_.ListVersions());
    if (request_.transaction.read_version == 0) return CatchUpWithCreation(versions);
    if (versions.empty()) {
      return NotFoundError("table", "", "there is no table to commit to");
    }
    const VersionEntry& newest = versions.back();
    if (newest.version < request_.transaction.read_version) {
      return arrow::Status::Invalid("read version ", request_.transaction.read_version,
                                    " is not there; the newest is ", newest.version);
    }
    std::optional<LoadedManifest> last;  // of those looked at
    arrow::Status problem;
    for (const VersionEntry& entry : versions) {
      if (entry.version <= checked_version_) continue;
      auto loaded = manifests_.LoadEntry(entry, run_);
      ARROW_ASSIGN_OR_RAISE(const bool is_ours, CheckNewer(entry.version, loaded, &problem));
      if (is_ours) return CaughtUp{.landed = *std::move(loaded)};
      if (loaded.ok()) last = *std::move(loaded);
    }
    return BuildOn(newest, std::move(last), problem);
  }

  /// Look at one newer version. The first problem is kept, and the search for our own transaction
  /// goes on: it may be at a later version.
  arrow::Result<bool> CheckNewer(uint64_t version, const arrow::Result<LoadedManifest>& loaded,
                                 arrow::Status* problem) {
    auto theirs = TransactionOf(loaded);
    if (theirs.ok()) {
      ARROW_ASSIGN_OR_RAISE(const bool is_ours, IsOurs(*theirs));
      if (is_ours) return true;
      NoteTakenByOther(version);
    }
    if (!problem->ok()) return false;
    const bool is_next = version == checked_version_ + 1;
    checked_version_ = version;
    *problem = is_next ? CheckPassable(version, theirs) : Gone(version);
    return false;
  }

  arrow::Result<Transaction> TransactionOf(const arrow::Result<LoadedManifest>& loaded) const {
    ARROW_RETURN_NOT_OK(loaded.status());
    return manifests_.LoadTransaction(*loaded, run_);
  }

  /// Whether a committed transaction is ours. \return Invalid when it has our uuid and is not
  arrow::Result<bool> IsOurs(const Transaction& theirs) const {
    if (theirs.uuid != transaction().uuid) return false;
    ARROW_ASSIGN_OR_RAISE(const std::string identity, IdentityOf(theirs));
    if (identity == identity_) return true;
    return arrow::Status::Invalid("transaction uuid ", theirs.uuid,
                                  " belongs to another commit; allowed: a fresh one");
  }

  arrow::Status CheckPassable(uint64_t version, const arrow::Result<Transaction>& theirs) {
    const std::string place = "version " + std::to_string(version);
    if (!theirs.ok()) {
      if (theirs.status().IsIOError() || theirs.status().IsCancelled()) return theirs.status();
      return ConflictError(version, "unknown", /*is_retryable=*/false,
                           place + " cannot be passed, its transaction cannot be read: " +
                               theirs.status().message());
    }
    ARROW_ASSIGN_OR_RAISE(const ConflictVerdict verdict,
                          CheckConflict(request_.transaction.operation, theirs->operation));
    if (verdict.compatibility == Compatibility::kCompatible) return arrow::Status::OK();
    const bool can_rebase = !request_.affected_rows.empty();
    if (verdict.compatibility == Compatibility::kRebase && can_rebase) {
      has_common_fragments_ = true;
      return arrow::Status::OK();
    }
    const std::string operation(OperationName(theirs->operation));
    return ConflictError(version, operation, verdict.compatibility != Compatibility::kIncompatible,
                         std::string(OperationName(transaction().operation)) + " cannot pass " +
                             place + " (" + operation + "): " + verdict.reason);
  }

  arrow::Status Gone(uint64_t version) const {
    return ConflictError(version, "unknown", /*is_retryable=*/true,
                         "a version before " + std::to_string(version) +
                             " and after the read version was cleaned up, so it cannot be checked");
  }

  arrow::Result<CaughtUp> BuildOn(const VersionEntry& newest, std::optional<LoadedManifest> loaded,
                                  const arrow::Status& problem) {
    if (!loaded || loaded->manifest.version != newest.version) {
      ARROW_ASSIGN_OR_RAISE(loaded, manifests_.LoadEntry(newest, run_));
    }
    // Flags first: a newer feature explains what the rules cannot.
    ARROW_RETURN_NOT_OK(CheckWritable(loaded->manifest));
    ARROW_RETURN_NOT_OK(problem);
    if (loaded->manifest.version != newest.version) {
      return arrow::Status::SerializationError(
          ManifestPath(newest.version, newest.naming), ": holds version ", loaded->manifest.version,
          ", its name says ", newest.version, "; refusing to write");
    }
    ARROW_RETURN_NOT_OK(BringCoverageUpToDate(*manifests_.store(), run_, &loaded->manifest));
    return CaughtUp{.basis = {std::move(loaded->manifest), newest.naming}};
  }

  arrow::Result<CaughtUp> CatchUpWithCreation(const std::vector<VersionEntry>& versions) {
    if (versions.empty()) {
      return CaughtUp{.basis = {Manifest{}, request_.naming_of_new_table}};
    }
    Look first = LookAt(1);
    if (first.owner == Owner::kOurs) return CaughtUp{.landed = std::move(first.manifest)};
    if (first.owner == Owner::kUnreadable) {
      return arrow::Status::IOError("the table is there already, but its first version cannot be ",
                                    "read: ", first.problem);
    }
    if (first.owner == Owner::kOther) NoteTakenByOther(1);
    return arrow::Status::AlreadyExists("the table is there already; newest version ",
                                        versions.back().version);
  }

  // ---- Step 2 again: rows.

  /// Put a Delete or Update, as it came, on top of the newest version (table-format 4.7).
  arrow::Status Rebase(const Manifest& newest) {
    ARROW_RETURN_NOT_OK(LoadRestored(newest));
    const Operation& ours = request_.transaction.operation;
    const bool has_rows =
        std::holds_alternative<Delete>(ours) || std::holds_alternative<Update>(ours);
    if (!has_rows || newest.version == transaction().read_version) return arrow::Status::OK();
    Transaction rebased = request_.transaction;
    rebased.read_version = newest.version;
    if (has_common_fragments_) {
      ARROW_ASSIGN_OR_RAISE(const LoadedManifest* read, LoadReadVersion());
      ARROW_ASSIGN_OR_RAISE(
          rebased.operation,
          RebaseRows(*manifests_.store(), ours,
                     {.read = read->manifest, .newest = newest, .affected = request_.affected_rows},
                     run_, &deletion_files_));
    }
    rebased_ = std::move(rebased);
    return arrow::Status::OK();
  }

  arrow::Result<const LoadedManifest*> LoadReadVersion() {
    if (read_) return &*read_;
    ARROW_ASSIGN_OR_RAISE(const auto entry,
                          manifests_.FindVersion(request_.transaction.read_version));
    if (!entry) return Gone(checked_version_);
    ARROW_ASSIGN_OR_RAISE(read_, manifests_.LoadEntry(*entry, run_));
    return &*read_;
  }

  /// The version that a Restore takes must be one that we may write. From here on no cleanup takes
  /// it away.
  arrow::Status LoadRestored(const Manifest& newest) {
    const auto* restore = std::get_if<Restore>(&request_.transaction.operation);
    if (restore == nullptr || restored_) return arrow::Status::OK();
    ARROW_ASSIGN_OR_RAISE(pin_, VersionPin::Take(manifests_, restore->version, run_));
    ARROW_ASSIGN_OR_RAISE(restored_, manifests_.Load(restore->version, run_));
    ARROW_RETURN_NOT_OK(CheckWritable(restored_->manifest));
    return CheckRestoredFiles(*manifests_.store(), restored_->manifest, newest, run_);
  }

  // ---- Steps 3 to 5: build, write.

  /// \return no value: the race is lost or the outcome open, try again
  arrow::Result<std::optional<LoadedManifest>> Attempt(const Basis& basis) {
    ARROW_RETURN_NOT_OK(Rebase(basis.manifest));
    ARROW_ASSIGN_OR_RAISE(PreparedCommit prepared,
                          PrepareCommit({.basis = basis.manifest,
                                         .transaction = transaction(),
                                         .clustering = request_.clustering,
                                         .restored = restored_ ? &restored_->manifest : nullptr},
                                        run_));
    ARROW_RETURN_NOT_OK(WriteTransactionFile(prepared.transaction));
    const auto put = manifests_.PutManifestFile(prepared.manifest.version, basis.naming,
                                                prepared.manifest_bytes);
    if (put.ok() && *put == PutOutcome::kStored) {
      return Landed(LoadedManifest{
          .manifest = std::move(prepared.manifest),
          .naming = basis.naming,
          .size_bytes = static_cast<uint64_t>(prepared.manifest_bytes->size()),
          .inline_transaction = InlinedTransaction(std::move(prepared.transaction))});
    }
    return Settle(prepared.manifest.version, put);
  }

  arrow::Status WriteTransactionFile(const std::string& serialized) {
    transaction_files_.insert(TransactionFile());
    const auto bytes = arrow::Buffer::FromString(serialized);
    const PutMode mode = ModeOfTransactionFile(serialized);
    // Writing the same bytes again does no harm, so a lost reply is worth a second try.
    for (int i = 0; i < 2; ++i) {
      ARROW_ASSIGN_OR_RAISE(
          const PutOutcome put,
          manifests_.store()->Put(TransactionPath(TransactionFile()), bytes, mode));
      if (put == PutOutcome::kStored) return arrow::Status::OK();
    }
    return arrow::Status::IOError("transaction file ", TransactionFile(),
                                  ": the store does not say whether it was written");
  }

  // ---- Step 6: a put that did not say "stored".

  /// Look at the target version before believing anything.
  arrow::Result<std::optional<LoadedManifest>> Settle(uint64_t version,
                                                      const arrow::Result<PutOutcome>& put) {
    Look look = LookAt(version);
    switch (look.owner) {
      case Owner::kOurs:
        return Landed(*std::move(look.manifest));
      case Owner::kOther:
        NoteTakenByOther(version);
        winner_version_ = version;
        winner_operation_ = look.operation;
        return std::nullopt;
      case Owner::kNobody:
        if (!put.ok()) return put.status();
        if (*put == PutOutcome::kUnknown) in_doubt_ = version;
        winner_version_ = version;  // of whose put the store is busy with, if it says kExists
        winner_operation_ = "unknown";
        return std::nullopt;
      case Owner::kUnreadable:
        break;
    }
    in_doubt_ = version;
    return OutcomeUnknown(
        transaction(), "version " + std::to_string(version) + " cannot be read: " + look.problem);
  }

  Look LookAt(uint64_t version) {
    Look look;
    for (int i = 0; i < kMaxLooks; ++i) {
      const arrow::Status status = LookOnce(version, &look);
      if (status.ok()) return look;
      look.problem = status.message();
      if (!run_.clock->Sleep(kPauseBetweenLooks, run_.stop_token).ok()) break;
    }
    return look;
  }

  arrow::Status LookOnce(uint64_t version, Look* look) const {
    ARROW_ASSIGN_OR_RAISE(const auto entry, manifests_.FindVersion(version));
    if (!entry) {
      look->owner = Owner::kNobody;
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(LoadedManifest loaded, manifests_.LoadEntry(*entry, run_));
    const auto theirs = manifests_.LoadTransaction(loaded, run_);
    if (theirs.ok()) look->operation = std::string(OperationName(theirs->operation));
    // Before the first attempt there is none of ours, but an earlier call may have left one.
    const std::string& file = loaded.manifest.transaction_file;
    if (file != TransactionFile() && !transaction_files_.contains(file)) {
      look->owner = Owner::kOther;
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(theirs.status());
    const auto is_ours = IsOurs(*theirs);
    look->owner = is_ours.ok() && *is_ours ? Owner::kOurs : Owner::kOther;
    if (look->owner == Owner::kOurs) look->manifest = std::move(loaded);
    return arrow::Status::OK();
  }

  // ---- What the rounds remember.

  std::optional<LoadedManifest> Landed(LoadedManifest manifest) {
    in_doubt_.reset();
    manifests_.WriteHint(manifest.manifest.version);
    DropFiles(&manifest.manifest);
    return manifest;
  }

  void NoteTakenByOther(uint64_t version) {
    if (in_doubt_ == version) in_doubt_.reset();
  }

  /// Delete the files of attempts that did not land. Best effort, once nothing can land any more.
  /// Not between attempts: the next one may write the same file again, and a deletion that the
  /// store carries out late would hit that.
  ///
  /// \param landed the version that landed; null: none
  void DropFiles(const Manifest* landed) const {
    std::set<std::string> kept;
    if (landed != nullptr) {
      kept.insert(TransactionPath(landed->transaction_file));
      if (deletion_files_.empty() && transaction_files_.size() <= 1) return;
      for (const Fragment& fragment : landed->fragments) {
        if (!fragment.deletion_file) continue;
        kept.insert(DeletionFilePath(fragment.id, *fragment.deletion_file));
      }
    }
    std::set<std::string> files(deletion_files_.begin(), deletion_files_.end());
    for (const std::string& name : transaction_files_) files.insert(TransactionPath(name));
    for (const std::string& path : files) {
      if (!kept.contains(path)) (void)manifests_.store()->Delete(path);
    }
  }

  arrow::Status LostTooOften(int num_attempts) const {
    return ConflictError(winner_version_, winner_operation_, /*is_retryable=*/true,
                         "too much write contention: " + std::to_string(num_attempts) +
                             " attempts lost, the last for version " +
                             std::to_string(winner_version_) + " to " + winner_operation_);
  }

  const ManifestStore& manifests_;
  const CommitRequest request_;
  const std::string identity_;
  const RunContext& run_;
  Backoff backoff_;
  uint64_t checked_version_;           // newer versions up to here have been checked
  std::optional<uint64_t> in_doubt_;   // a put for this version may still land
  bool has_common_fragments_ = false;  // others changed rows of our fragments
  std::optional<Transaction> rebased_;
  std::optional<LoadedManifest> read_;      // of the read version, for a rebase
  std::unique_ptr<VersionPin> pin_;         // of what a Restore takes
  std::optional<LoadedManifest> restored_;  // that version
  // What any attempt may have written: a lost reply can be that of an earlier one.
  std::set<std::string> transaction_files_;
  std::vector<std::string> deletion_files_;
  uint64_t winner_version_ = 0;
  std::string winner_operation_ = "unknown";
};

}  // namespace

arrow::Result<LoadedManifest> Commit(const ManifestStore& manifests, CommitRequest request,
                                     const RunContext& run) {
  if (request.retry.is_detached) return CommitDetached(manifests, std::move(request), run);
  Transaction& transaction = request.transaction;
  if (transaction.uuid.empty()) transaction.uuid = Uuid::Random(*run.random).ToString();
  ARROW_RETURN_NOT_OK(CheckTransaction(transaction));
  ARROW_ASSIGN_OR_RAISE(std::string identity, IdentityOf(transaction));
  return Commitment(manifests, std::move(request), std::move(identity), run).Run();
}

}  // namespace lance::table
