#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace lance::format {

/// One node of a Lance schema, as data files and manifests store it. A plain value.
///
/// Source: file-format 3.1, table-format 2.7.
struct SchemaField {
  std::string name;
  int32_t id = 0;
  int32_t parent_id = -1;  // -1: top level
  std::string logical_type;
  bool nullable = true;
  /// Arrow field metadata.
  std::map<std::string, std::string> metadata;
  /// Serialized fields of the message that this struct does not name; written back as they came.
  std::string unknown_fields;

  bool operator==(const SchemaField&) const = default;
};

/// A Lance schema: fields depth-first, parents before children. A plain value.
struct LanceSchema {
  std::vector<SchemaField> fields;
  /// Arrow schema metadata.
  std::map<std::string, std::string> metadata;

  /// Find a top-level field by exact name. \return null when there is none
  const SchemaField* FindTopLevel(std::string_view name) const;
  /// Find a field by id. \return null when there is none
  const SchemaField* FindById(int32_t id) const;
  /// The largest field id, -1 when there is none.
  int32_t max_field_id() const;

  bool operator==(const LanceSchema&) const = default;
};

/// Give an Arrow schema field ids `first_field_id` and up in depth-first order.
///
/// \return NotImplemented naming the column whose type this version cannot store; Invalid for a
///   name that the format forbids (empty, with a '.', reserved, repeated)
arrow::Result<LanceSchema> MakeLanceSchema(const arrow::Schema& schema, int32_t first_field_id = 0);

/// The Arrow schema of a Lance schema.
///
/// \return SerializationError for a broken tree; NotImplemented naming column and logical type
arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const LanceSchema& schema);

/// Parse a logical type, for example "timestamp:us:UTC" (file-format 3.2).
///
/// \return NotImplemented for types this version does not have, SerializationError for nonsense
arrow::Result<std::shared_ptr<arrow::DataType>> ParseLogicalType(std::string_view logical_type);

/// The logical type of an Arrow type. \return NotImplemented when this version cannot store it
arrow::Result<std::string> LogicalTypeOf(const arrow::DataType& type);

}  // namespace lance::format
