#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"

namespace lance::index {

/// One end of a range.
struct Bound {
  std::shared_ptr<arrow::Scalar> value;  // of the column's type, valid
  bool inclusive = true;
};

/// What statistics can be asked about a filter: a tree over single columns. A plain value.
///
/// Leaves ask about one column; kUnknown stands for whatever no statistics answer. Literals have
/// the column's type, and zeros of floats are already rewritten so that both zeros are meant
/// (zonemap-and-indices 3.1, 3.2).
struct Predicate {
  /// What the node asks; leaves are kRange, kIn, kIsNull, kHasAny and kHasAll. The last two ask
  /// which items a list holds, and only a label list answers them.
  enum class Kind {
    kUnknown,
    kAlwaysFalse,
    kAnd,
    kOr,
    kNot,
    kRange,
    kIn,
    kIsNull,
    kHasAny,
    kHasAll
  };

  Kind kind = Kind::kUnknown;
  std::vector<Predicate> children;  // kAnd, kOr: any number; kNot: one

  // Of leaves.
  int32_t field_id = -1;
  std::optional<Bound> lower;                          // kRange; no value: open
  std::optional<Bound> upper;                          // kRange; equality is both, inclusive
  std::vector<std::shared_ptr<arrow::Scalar>> values;  // kIn; kHasAny, kHasAll: of the item type

  /// The text of a leaf for explain, for example "dest = 'LAX'".
  std::string text;
};

}  // namespace lance::index
