#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "lance/dataset/filter/bound_value.h"
#include "lance/dataset/filter/columns.h"

namespace lance::filter {

/// A field that statistics can be asked about: a column, or a member of structs. A plain value.
struct AskedField {
  int32_t id = -1;
  std::string path;                       // as the dialect writes it: point.x
  std::shared_ptr<arrow::DataType> type;  // null: values that this version cannot read
};

/// A column as a field; of a system column the id is negative.
AskedField FieldOfColumn(const FilterColumn& column);

/// The field whose values an expression gives, a member being NULL where a struct around it is.
///
/// \return no value for what is computed, for system columns, and for members that are structs or
///   blobs, or that lie in something else than structs: those have no statistics
std::optional<AskedField> FieldOf(const BoundValue& value,
                                  const std::vector<FilterColumn>& columns);

}  // namespace lance::filter
