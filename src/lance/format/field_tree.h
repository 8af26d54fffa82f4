#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "lance/format/file_version.h"
#include "lance/format/schema.h"

namespace lance::format {

/// What a field is to the file format.
enum class FieldKind : uint8_t {
  kLeaf,  // primitives, text, binary, fixed-size lists of primitives, dictionary arrays, null
  kStruct,
  kList,                   // list and large_list
  kMap,                    // one child: the entries, a struct
  kFixedSizeListOfStruct,  // one child: the struct
  kPackedStruct,           // one column; children describe its members
  kBlob,                   // large_binary whose payloads lie outside the pages (metadata blob)
  kBlobV2,                 // extension lance.blob.v2: one column of packed descriptors
};

/// A field with its children. A plain value; a copy without some children is a projection.
struct FieldNode {
  FieldKind kind = FieldKind::kLeaf;
  int32_t id = -1;
  std::string name;
  bool nullable = true;
  std::map<std::string, std::string> metadata;
  /// The Arrow type of the whole field, children included. Extension types are their storage type
  /// with the extension's keys in the metadata. Blobs: large_binary; blob v2: the struct of
  /// descriptors (kind, position, size, blob_id, blob_uri).
  std::shared_ptr<arrow::DataType> type;
  /// A blob v2 has those that a table declares (data, uri ...), or none; they own no columns.
  std::vector<FieldNode> children;

  /// Whether the field owns a column in 2.1 and 2.2 files: leaves, packed structs, blobs, and
  /// structs without members.
  bool is_column() const;
};

/// What data files store of a blob v2: struct<kind, position, size, blob_id, blob_uri>.
///
/// Source: file-format 8.6.1.
std::shared_ptr<arrow::DataType> BlobDescriptorType();

/// The fields of a schema as trees, top-level fields in order.
///
/// \return as ToArrowSchema, which is built on it
arrow::Result<std::vector<FieldNode>> MakeFieldTree(const LanceSchema& schema);

/// The Arrow field of a node, with its metadata. A blob v2 is described as data files do it, with
/// the keys blob and packed, not as the extension that tables declare.
std::shared_ptr<arrow::Field> ToArrowField(const FieldNode& node);

/// A node with the type that its children make: for projections, after children were dropped.
///
/// Lists without their item and maps without their key or value keep the type that they had.
FieldNode WithTypeOfChildren(FieldNode node);

/// The nodes of a tree that own columns in 2.1 and 2.2 files, depth-first.
std::vector<const FieldNode*> LeavesOf(const FieldNode& node);

/// The file column of every field id that owns one.
using ColumnMap = std::map<int32_t, int>;

/// The columns of a file that holds exactly these fields, numbered from 0 as the format says.
///
/// 2.0: every field depth-first, but nothing below leaves, packed structs and blobs. 2.1 and later:
/// the leaves. Source: file-format 3.3.
ColumnMap NumberColumns(const std::vector<FieldNode>& fields, FileVersion version);

/// Check that a file of `version` can hold a field: for writers.
///
/// \return NotImplemented + UnsupportedFeature naming the field's path, what it is and which
///   versions can hold it (maps, fixed-size lists of struct: 2.2; blob v2: 2.2; packed structs with
///   variable members: 2.2; legacy blobs: up to 2.1; views: not 2.0), or Invalid for the blob key
///   on another type than large_binary. Metadata that only choose an encoding are not looked at,
///   and what depends on the rows (nulls of structs in 2.0, of packed members and of empty structs)
///   is the writer's to find
arrow::Status CheckWritable(const FieldNode& node, FileVersion version);

}  // namespace lance::format
