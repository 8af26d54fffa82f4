#include "lance/format/pages/blob_descriptors.h"

#include "arrow/type.h"
#include "lance/base/byte_reader.h"
#include "lance/base/status_detail.h"

namespace lance::format {
namespace {

// Members of a descriptor.
enum Member : size_t {
  kKind = 0,
  kPosition = 1,
  kSize = 2,
  kBlobId = 3,
  kUri = 4,
  kNumMembers = 5
};

// What `kind` says of where the bytes are.
enum Kind : uint8_t {
  kInline = 0,
  kPacked = 1,
  kDedicated = 2,
  kExternal = 3,
  kManaged = 4,
  kManagedWithBase = 5,
};

template <typename T>
T Load(const ValueBuffer& values, Member member, uint64_t i) {
  return LoadLittleEndian<T>(values.members[member].bytes.data() + i * sizeof(T));
}

/// Whether the members are those of descriptors, which the loads below rely on.
bool AreDescriptors(const ValueBuffer& values) {
  const auto& members = values.members;
  return members.size() == kNumMembers && members[kKind].bits_per_value == 8 &&
         members[kPosition].bits_per_value == 64 && members[kSize].bits_per_value == 64 &&
         members[kBlobId].bits_per_value == 32 && members[kUri].is_variable();
}

arrow::Status CheckDescriptor(const ValueBuffer& values, uint64_t i, uint64_t file_size) {
  const auto kind = Load<uint8_t>(values, kKind, i);
  const auto position = Load<uint64_t>(values, kPosition, i);
  const auto size = Load<uint64_t>(values, kSize, i);
  switch (kind) {
    case kInline:
      if (position <= file_size && size <= file_size - position) return arrow::Status::OK();
      return arrow::Status::SerializationError("blob ", i, " of those read is [", position, ", +",
                                               size, "), the file has ", file_size, " bytes");
    case kPacked:
    case kDedicated:
      if (Load<uint32_t>(values, kBlobId, i) != 0) return arrow::Status::OK();
      return arrow::Status::SerializationError("blob ", i, " of those read is in side file 0, ",
                                               "allowed are 1 and more");
    case kExternal:
      return arrow::Status::OK();
    case kManaged:
    case kManagedWithBase:
      return UnsupportedError("managed blobs", "managed blobs are not supported by this version");
    default:
      return arrow::Status::SerializationError("blob ", i, " of those read is of kind ",
                                               static_cast<int>(kind), ", allowed are 0 to 3");
  }
}

}  // namespace

arrow::Status CheckBlobDescriptors(const LeafColumn& column, uint64_t first_entry,
                                   uint64_t first_value, const LeafRequest& request) {
  if (!AreDescriptors(column.values)) {
    return arrow::Status::SerializationError(
        "blob descriptors are of type ", request.leaf.type->ToString(),
        ", allowed are kind uint8, position uint64, size uint64, blob_id uint32, blob_uri string");
  }
  const uint16_t max_visible_def = request.path.max_visible_def();
  uint64_t value = first_value;
  for (uint64_t i = first_entry; i < column.num_entries; ++i) {
    const uint16_t def = column.def.empty() ? uint16_t{0} : column.def[i];
    if (def > max_visible_def) continue;
    if (def == 0) {
      ARROW_RETURN_NOT_OK(CheckDescriptor(column.values, value, request.metadata.file_size));
    }
    ++value;
  }
  return arrow::Status::OK();
}

}  // namespace lance::format
