#include "lance/table/rebase.h"

#include <utility>

#include "lance/base/status_detail.h"
#include "lance/table/changed_fragment.h"
#include "lance/table/deletion_file.h"

namespace lance::table {
namespace {

bool HasBitmap(const Fragment& fragment) {
  return fragment.deletion_file && IsBitmap(*fragment.deletion_file);
}

/// Rebases the fragments of one operation.
class Rebase {
 public:
  Rebase(ObjectStore& store, std::string_view operation, const RebaseInput& input,
         const RunContext& run, std::vector<std::string>* written)
      : store_(store), operation_(operation), input_(input), run_(run), written_(written) {}

  /// Rebase the fragments that the operation changes. One of which no row is left joins `removed`.
  arrow::Status Fragments(std::vector<Fragment>* updated, std::vector<uint64_t>* removed) {
    for (const uint64_t id : *removed) ARROW_RETURN_NOT_OK(Removed(id));
    std::vector<Fragment> left;
    for (Fragment& ours : *updated) {
      ARROW_ASSIGN_OR_RAISE(auto rebased, Updated(std::move(ours)));
      if (rebased.first) {
        left.push_back(std::move(rebased.second));
      } else {
        removed->push_back(rebased.second.id);
      }
    }
    *updated = std::move(left);
    return arrow::Status::OK();
  }

 private:
  /// A fragment before the operation, and what it has become meanwhile.
  struct Sides {
    const Fragment* read;
    const Fragment* newest;
  };

  arrow::Result<Sides> Find(uint64_t id) const {
    const Fragment* read = input_.read.FindFragment(id);
    if (read == nullptr) {
      return arrow::Status::Invalid(operation_, ": fragment ", id, " is not in version ",
                                    input_.read.version);
    }
    const Fragment* newest = input_.newest.FindFragment(id);
    if (newest == nullptr) return Conflict(id, "is gone");
    if (read->files != newest->files) return Conflict(id, "has other data files");
    return Sides{read, newest};
  }

  /// What they deleted, after checking that no row of it is ours.
  arrow::Result<RoaringBitmap> TheirDeletions(const Sides& sides) const {
    ARROW_ASSIGN_OR_RAISE(RoaringBitmap theirs, ReadDeletions(store_, *sides.newest, run_));
    const auto affected = input_.affected.find(sides.newest->id);
    if (affected == input_.affected.end()) {
      return Conflict(sides.newest->id, "lost rows, and which of them are ours is not known");
    }
    if (theirs.Intersects(affected->second)) {
      return Conflict(sides.newest->id, "lost rows that are changed here");
    }
    return theirs;
  }

  /// A fragment that is removed whole: whatever row they deleted was ours.
  arrow::Status Removed(uint64_t id) const {
    ARROW_ASSIGN_OR_RAISE(const Sides sides, Find(id));
    if (sides.read->deletion_file == sides.newest->deletion_file) return arrow::Status::OK();
    return Conflict(id, "lost rows that are removed here");
  }

  /// \return the fragment, and whether a row of it is left
  arrow::Result<std::pair<bool, Fragment>> Updated(Fragment ours) {
    ARROW_ASSIGN_OR_RAISE(const Sides sides, Find(ours.id));
    if (sides.read->deletion_file == sides.newest->deletion_file) {
      return std::pair(true, std::move(ours));
    }
    ARROW_ASSIGN_OR_RAISE(const RoaringBitmap theirs, TheirDeletions(sides));
    RoaringBitmap all = theirs;
    if (ours.deletion_file != sides.read->deletion_file) {
      ARROW_ASSIGN_OR_RAISE(const RoaringBitmap mine, ReadDeletions(store_, ours, run_));
      all |= mine;
    }
    if (all.size() == ours.physical_rows) return std::pair(false, std::move(ours));
    if (all == theirs) {
      ours.deletion_file = sides.newest->deletion_file;
      return std::pair(true, std::move(ours));
    }
    ARROW_ASSIGN_OR_RAISE(ours.deletion_file,
                          WriteDeletions(store_, ours.id, input_.newest.version, all,
                                         HasBitmap(ours) || HasBitmap(*sides.newest), run_));
    written_->push_back(DeletionFilePath(ours.id, *ours.deletion_file));
    return std::pair(true, std::move(ours));
  }

  arrow::Status Conflict(uint64_t id, std::string_view how) const {
    return FragmentChanged(operation_, id, how, input_.newest.version);
  }

  ObjectStore& store_;
  std::string_view operation_;
  const RebaseInput& input_;
  const RunContext& run_;
  std::vector<std::string>* written_;
};

}  // namespace

arrow::Result<Operation> RebaseRows(ObjectStore& store, const Operation& ours,
                                    const RebaseInput& input, const RunContext& run,
                                    std::vector<std::string>* written) {
  Rebase rebase(store, OperationName(ours), input, run, written);
  Operation rebased = ours;
  if (auto* deletion = std::get_if<Delete>(&rebased)) {
    ARROW_RETURN_NOT_OK(
        rebase.Fragments(&deletion->updated_fragments, &deletion->deleted_fragment_ids));
  } else if (auto* update = std::get_if<Update>(&rebased)) {
    ARROW_RETURN_NOT_OK(
        rebase.Fragments(&update->updated_fragments, &update->removed_fragment_ids));
  }
  return rebased;
}

}  // namespace lance::table
