#pragma once

#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::filter {

/// The members of an IN list, hashed once. Immutable.
///
/// Three-valued: a null value gives null, and so does a value that is no member when the list holds
/// a null. Of floats each zero stands for both, other floats are members by their bits.
class Membership {
 public:
  virtual ~Membership() = default;

  /// Hash the members, valid scalars of the column's type, and whether the list also holds a null.
  static arrow::Result<std::shared_ptr<const Membership>> Make(
      const std::vector<std::shared_ptr<arrow::Scalar>>& members,
      const std::shared_ptr<arrow::DataType>& type, bool has_null);

  /// Test every value of an array of the column's type.
  virtual arrow::Result<std::shared_ptr<arrow::BooleanArray>> Test(
      const std::shared_ptr<arrow::Array>& values) const = 0;
};

}  // namespace lance::filter
