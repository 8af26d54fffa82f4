#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/result.h"
#include "lance/table/transaction.h"

namespace lance::table {

/// The operation that begins a branch or a clone (table-format 5.14). A plain value.
struct CloneOperation {
  bool is_shallow = true;
  std::optional<std::string> ref_name;  // the source's branch
  uint64_t ref_version = 0;
  std::string ref_path;                    // where the source lies
  std::optional<std::string> branch_name;  // no value: no branch is begun

  bool operator==(const CloneOperation&) const = default;
};

/// As a transaction holds it. \return CapacityError when it is too large
arrow::Result<ForeignOperation> MakeCloneOperation(const CloneOperation& clone);

/// Parse the operation of a transaction. \return no value: it is none
arrow::Result<std::optional<CloneOperation>> ParseCloneOperation(const Operation& operation);

}  // namespace lance::table
