#include <algorithm>
#include <string>
#include <string_view>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/field_metadata.h"
#include "lance/format/field_tree.h"

namespace lance::format {
namespace {

// Wider rows of fixed-width members are refused by the reference writer.
constexpr int64_t kMaxPackedRowBytes = 255;

/// What a field is below.
struct Surroundings {
  bool in_list = false;  // a list or map, at any depth
  bool in_fixed_size_list = false;
};

/// Refuse a field; `what` is it, `where` says what could hold it.
arrow::Status Refuse(std::string_view what, FileVersion version, std::string_view where) {
  const std::string feature = std::string(what) + " in data files of version " + ToString(version);
  return UnsupportedError(feature, feature + " are not supported; " + std::string(where));
}

/// Refuse a field that no version can hold.
arrow::Status Refuse(std::string_view what, std::string_view allowed) {
  return UnsupportedError(
      std::string(what),
      std::string(what) + " are not supported in data files; " + std::string(allowed));
}

const arrow::DataType& InnermostItem(const arrow::DataType& type) {
  const arrow::DataType* inner = &type;
  while (inner->id() == arrow::Type::FIXED_SIZE_LIST) inner = inner->field(0)->type().get();
  return *inner;
}

bool IsView(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING_VIEW || type.id() == arrow::Type::BINARY_VIEW;
}

bool IsFixedWidth(const arrow::DataType& type) {
  return arrow::is_fixed_width(type.id()) && type.id() != arrow::Type::DICTIONARY;
}

arrow::Status CheckLeafType(const arrow::DataType& type, FileVersion version) {
  if (IsView(type) && version == FileVersion::k2_0) {
    return Refuse("string and binary views", version, "cast them, or write version 2.1 or later");
  }
  if (type.id() == arrow::Type::FIXED_SIZE_LIST && !IsFixedWidth(InnermostItem(type))) {
    return Refuse("fixed-size lists of " + InnermostItem(type).ToString(),
                  "their items must be of a fixed width");
  }
  if (type.id() == arrow::Type::DICTIONARY) {
    const auto& values = *static_cast<const arrow::DictionaryType&>(type).value_type();
    if (values.id() == arrow::Type::NA) {
      return Refuse("dictionaries of null", "use the type null");
    }
  }
  return arrow::Status::OK();
}

arrow::Status CheckLeaf(const FieldNode& node, FileVersion version) {
  if (AsksForBlob(node.metadata)) {
    return arrow::Status::Invalid("metadata ", kBlobKey, " is set on type ", node.type->ToString(),
                                  "; allowed: large_binary");
  }
  return CheckLeafType(*node.type, version);
}

/// The bits of a value of fixed width, items included; 0 for other types.
int64_t BitsOf(const arrow::DataType& type) {
  int64_t num_items = 1;
  const arrow::DataType* item = &type;
  while (item->id() == arrow::Type::FIXED_SIZE_LIST) {
    const int32_t dimension = static_cast<const arrow::FixedSizeListType&>(*item).list_size();
    // Past this only whether bytes are whole matters, and the cap has whole ones.
    num_items = std::min(num_items * dimension, int64_t{1} << 24);
    item = item->field(0)->type().get();
  }
  return IsFixedWidth(*item) ? num_items * item->bit_width() : 0;
}

/// Check one member of a packed struct (file-format 9.8).
arrow::Status CheckMember(const FieldNode& member, FileVersion version) {
  const arrow::DataType& type = *member.type;
  const bool is_list = type.id() == arrow::Type::FIXED_SIZE_LIST;
  const bool is_text = arrow::is_base_binary_like(type.id()) || IsView(type);
  const int64_t bits = BitsOf(type);
  if (member.kind != FieldKind::kLeaf || (!is_text && (bits == 0 || bits % 8 != 0))) {
    return Refuse("packed structs with members of type " + type.ToString(),
                  "members must be text, binary, or of a fixed width of whole bytes");
  }
  if (is_text && version != FileVersion::k2_2) {
    return Refuse("packed structs with members of type " + type.ToString(), version,
                  "write version 2.2, or drop the metadata that ask for packing");
  }
  if (is_list && version == FileVersion::k2_1) {
    return Refuse("packed structs with fixed-size lists", version,
                  "write version 2.0 or 2.2, or drop the metadata that ask for packing");
  }
  if (is_list && version == FileVersion::k2_0 && InnermostItem(type).bit_width() == 1) {
    return Refuse("packed structs with fixed-size lists of bool", version, "write version 2.2");
  }
  return CheckLeaf(member, version);
}

arrow::Status CheckPackedStruct(const FieldNode& node, FileVersion version) {
  if (node.children.empty()) {
    return Refuse("packed structs without members", "drop the metadata that ask for packing");
  }
  // The reference writes other values too, and aborts when it reads what it wrote.
  const std::string packing = PackingOf(node.metadata);
  if (packing != "true" && version != FileVersion::k2_0) {
    return arrow::Status::Invalid("metadata ", kPackedKey, " (or packed) is \"", packing,
                                  "\"; allowed: true, false");
  }
  int64_t row_bytes = 0;
  bool is_plain = true;  // members of fixed width that are no lists: another layout than the rest
  for (const FieldNode& member : node.children) {
    ARROW_RETURN_NOT_OK(
        WithContext(CheckMember(member, version), "member \"" + member.name + "\""));
    row_bytes += BitsOf(*member.type) / 8;
    is_plain &= IsFixedWidth(*member.type) && member.type->id() != arrow::Type::FIXED_SIZE_LIST;
  }
  if (version != FileVersion::k2_0 && is_plain && row_bytes > kMaxPackedRowBytes) {
    return Refuse("packed structs of " + std::to_string(row_bytes) + " bytes", version,
                  "allowed are up to " + std::to_string(kMaxPackedRowBytes) +
                      "; drop the metadata that ask for packing");
  }
  return arrow::Status::OK();
}

arrow::Status CheckBlob(FileVersion version, const Surroundings& around) {
  if (version == FileVersion::k2_2) {
    return Refuse("legacy blobs (metadata lance-encoding:blob)", version,
                  "use the extension type lance.blob.v2, or version 2.0 or 2.1");
  }
  if (version == FileVersion::k2_1 && around.in_list) {
    return Refuse("legacy blobs inside lists", version, "readers cannot read them back");
  }
  return arrow::Status::OK();
}

arrow::Status CheckTree(const FieldNode& node, FileVersion version, Surroundings around,
                        std::string* path);

/// What only 2.2 has.
arrow::Status CheckIs22(std::string_view what, FileVersion version) {
  if (version == FileVersion::k2_2) return arrow::Status::OK();
  return Refuse(what, version, "write version 2.2");
}

arrow::Status CheckFixedSizeListOfStruct(FileVersion version, const Surroundings& around) {
  ARROW_RETURN_NOT_OK(CheckIs22("fixed-size lists of struct", version));
  if (around.in_list) {
    return Refuse("fixed-size lists of struct inside lists and maps",
                  "readers cannot read them back");
  }
  return arrow::Status::OK();
}

arrow::Status CheckList(const Surroundings& around) {
  if (!around.in_fixed_size_list) return arrow::Status::OK();
  return Refuse("lists and maps inside fixed-size lists of struct",
                "readers cannot read them back");
}

arrow::Status CheckMap(const FieldNode& node, FileVersion version, const Surroundings& around) {
  if (version != FileVersion::k2_2) {
    // Do not advise a version that refuses it for another reason.
    std::string path;
    ARROW_RETURN_NOT_OK(CheckTree(node, FileVersion::k2_2, around, &path));
  }
  ARROW_RETURN_NOT_OK(CheckIs22("maps", version));
  return CheckList(around);
}

arrow::Status CheckStruct(const FieldNode& node, FileVersion version, const Surroundings& around) {
  const bool is_repeated = around.in_list || around.in_fixed_size_list;
  if (node.children.empty() && is_repeated && version != FileVersion::k2_0) {
    return Refuse("structs without members inside lists", version,
                  "readers of 2.1 and later cannot read them back");
  }
  return arrow::Status::OK();
}

/// Check a node itself, not its children.
arrow::Status CheckNode(const FieldNode& node, FileVersion version, const Surroundings& around) {
  switch (node.kind) {
    case FieldKind::kLeaf:
      return CheckLeaf(node, version);
    case FieldKind::kStruct:
      return CheckStruct(node, version, around);
    case FieldKind::kList:
      return CheckList(around);
    case FieldKind::kMap:
      return CheckMap(node, version, around);
    case FieldKind::kFixedSizeListOfStruct:
      return CheckFixedSizeListOfStruct(version, around);
    case FieldKind::kPackedStruct:
      return CheckPackedStruct(node, version);
    case FieldKind::kBlob:
      return CheckBlob(version, around);
    case FieldKind::kBlobV2:
      return CheckIs22("blobs of the extension type lance.blob.v2", version);
  }
  return arrow::Status::OK();
}

/// \return the failure of the first field that cannot be written, with its path in `path`
arrow::Status CheckTree(const FieldNode& node, FileVersion version, Surroundings around,
                        std::string* path) {
  const size_t parent_size = path->size();
  if (parent_size > 0) *path += '.';
  *path += node.name;
  ARROW_RETURN_NOT_OK(CheckNode(node, version, around));
  if (!node.is_column()) {
    around.in_list |= node.kind == FieldKind::kList || node.kind == FieldKind::kMap;
    around.in_fixed_size_list |= node.kind == FieldKind::kFixedSizeListOfStruct;
    for (const FieldNode& child : node.children) {
      ARROW_RETURN_NOT_OK(CheckTree(child, version, around, path));
    }
  }
  path->resize(parent_size);
  return arrow::Status::OK();
}

}  // namespace

arrow::Status CheckWritable(const FieldNode& node, FileVersion version) {
  std::string path;
  const arrow::Status status = CheckTree(node, version, {}, &path);
  return status.ok() ? status : WithContext(status, "column \"" + path + "\"");
}

}  // namespace lance::format
