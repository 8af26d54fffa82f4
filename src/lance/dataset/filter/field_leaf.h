#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/dataset/filter/asked_field.h"
#include "lance/dataset/filter/ast.h"
#include "lance/index/predicate.h"

namespace lance::filter {

// What statistics are asked about one field. Source: zonemap-and-indices 3.1, 3.2.

/// A predicate without children and fields.
index::Predicate MakeLeaf(index::Predicate::Kind kind, std::string text);

/// The rows for which a predicate is FALSE.
index::Predicate MakeNot(index::Predicate child);

/// A comparison with a constant; both zeros of floats are meant, and <> is two ranges.
///
/// \param constant valid, of the field's type
/// \param constant_text for people
index::Predicate ComparisonLeaf(const AskedField& field, CompareOp op,
                                const std::shared_ptr<arrow::Scalar>& constant,
                                const std::string& constant_text);

/// The rows in which a field of type bool is `wanted`.
index::Predicate TruthLeaf(const AskedField& field, bool wanted);

/// The rows in which a field is NULL, or is not.
index::Predicate IsNullLeaf(const AskedField& field, bool wanted);

/// The members of an IN for people: (1, 2).
std::string TextOf(const std::vector<std::shared_ptr<arrow::Scalar>>& members);

/// A constant for people.
std::string TextOf(const arrow::Scalar& constant);

/// The rows for which `field IN (members)` is TRUE (`wanted`), or for which it is FALSE.
///
/// \param members valid, of the field's type
/// \param has_null whether NULL is a member, too
index::Predicate InLeaf(const AskedField& field,
                        const std::vector<std::shared_ptr<arrow::Scalar>>& members, bool has_null,
                        const std::string& members_text, bool wanted);

}  // namespace lance::filter
