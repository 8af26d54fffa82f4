#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "lance/base/run_context.h"
#include "lance/object_store.h"

namespace lance::table {

/// The files that describe the tags, or the branches, of a table. Thread-safe.
///
/// Source: table-format 1.8
class RefFolder {
 public:
  using CheckName = arrow::Status (*)(std::string_view name);

  /// \param store of the table's root, also for what a branch says
  /// \param kind "tag" or "branch"
  RefFolder(std::shared_ptr<ObjectStore> store, std::string kind, CheckName check_name);

  /// All names, ascending. Files whose names are none of a ref are left out.
  arrow::Result<std::vector<std::string>> ListNames() const;

  /// The text of a description. \return KeyError + NotFound{kind} when there is none
  arrow::Result<std::string> Load(const std::string& name, const RunContext& run) const;

  /// Store a description. \return Invalid for a name that is not allowed
  arrow::Result<PutOutcome> Put(const std::string& name, const std::string& text,
                                PutMode mode) const;

  /// Remove a description; OK when it is not there.
  arrow::Status Delete(const std::string& name) const;

  /// Where a description is.
  std::string PathOf(std::string_view name) const;

 private:
  arrow::Status NotThere(const std::string& name) const;

  std::shared_ptr<ObjectStore> store_;
  std::string kind_;
  std::string folder_;
  CheckName check_name_;
};

}  // namespace lance::table
