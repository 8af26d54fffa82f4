#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/base/row_ranges.h"
#include "lance/dataset/fragment_reader.h"
#include "lance/format/field_tree.h"

namespace lance {

/// Reads a column, or a member of structs at any depth as a column: null where a struct around it
/// is. What indices are built from. A plain value.
class ColumnValues {
 public:
  /// \param fields the table's, top-level
  /// \return KeyError + NotFound{column} for an id that is not there; NotImplemented +
  ///   UnsupportedFeature for a member of lists or maps, which has no one value in a row
  static arrow::Result<ColumnValues> Make(const std::vector<format::FieldNode>& fields,
                                          int32_t field_id);

  /// The field whose values come out.
  const format::FieldNode& field() const { return field_; }
  const std::shared_ptr<arrow::DataType>& type() const { return field_.type; }
  bool is_top_level() const { return depth_ == 0; }
  /// The path that names it in filters and requests.
  const std::string& path() const { return path_; }

  /// The values of some rows of a fragment.
  arrow::Result<std::shared_ptr<arrow::Array>> Read(FragmentReader* reader,
                                                    const RowRanges& rows) const;

 private:
  format::FieldNode root_;  // top-level, without what does not lead to the field
  format::FieldNode field_;
  std::string path_;
  int depth_ = 0;  // structs around the field
};

}  // namespace lance
