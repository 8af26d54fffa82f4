#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "lance/lance.h"
#include "lance/testing/fault_store.h"

namespace lance::testing {

/// Several tables in one store in memory, "fault://NAME" each, that can be made to fail.
class FaultyPlaces {
 public:
  /// \param memory the objects to begin with
  explicit FaultyPlaces(std::shared_ptr<ObjectStore> memory);

  FaultStore& store() { return *store_; }
  const std::shared_ptr<ObjectStore>& memory() const { return memory_; }
  /// Options whose session sees the store, with faults or without.
  OpenOptions Options(bool with_faults) const;

  static constexpr const char* kSource = "fault://source";
  static constexpr const char* kTarget = "fault://target";

 private:
  std::shared_ptr<ObjectStore> memory_;
  std::shared_ptr<FaultStore> store_;
};

/// An operation on branches, clones or copies, and how it may fail.
///
/// The table that it meets is that of MakeBaseTable in place of kSource, with a branch "b" that has
/// a version of its own.
struct BranchOperation {
  std::string name;
  /// What the handle that it gets is opened by.
  Ref ref = Ref::Latest();
  std::function<arrow::Status(const Dataset& handle)> act;
  /// Changes the table before, seen by the handle; null: nothing.
  std::function<arrow::Status(const Dataset& handle)> prepare = nullptr;
  /// When it fails half-way its work is visible, and it is done again to finish.
  bool fails_visibly = false;
  /// What it may answer when it is done again although it was done.
  std::string answer_when_done = {};
};

/// How a failing test names it.
inline void PrintTo(const BranchOperation& operation, std::ostream* out) { *out << operation.name; }

/// Make the tables that operations meet. \return the objects
arrow::Result<std::shared_ptr<ObjectStore>> MakeBranchedTable();

/// What both places hold, as text: all branches and tags, and the rows of each.
arrow::Result<std::string> StateOfPlaces(const OpenOptions& options);

/// Making and removing branches, clones, copies; changes on a branch.
std::vector<BranchOperation> BranchOperations();

}  // namespace lance::testing
