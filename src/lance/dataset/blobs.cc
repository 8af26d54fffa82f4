#include "lance/dataset/blobs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "arrow/api.h"
#include "lance/base/checked_math.h"
#include "lance/base/status_detail.h"
#include "lance/io/stores.h"

namespace lance {
namespace {

// The kinds of blob v2 (file-format 8.6.1).
enum BlobKind : uint8_t { kInline = 0, kPacked = 1, kDedicated = 2, kExternal = 3 };

std::shared_ptr<arrow::DataType> LegacyDescriptorType() {
  return arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
}

/// The members of an array of descriptors by name.
template <typename Array>
arrow::Result<const Array*> MemberOf(const arrow::StructArray& descriptors, const char* name) {
  const auto member = descriptors.GetFieldByName(name);
  const auto* typed = dynamic_cast<const Array*>(member.get());
  if (typed == nullptr) {
    return InternalError(std::string("blob descriptors have no member ") + name);
  }
  return typed;
}

arrow::Result<std::vector<BlobPlace>> FindLegacy(const arrow::StructArray& descriptors,
                                                 const std::string& data_path) {
  ARROW_ASSIGN_OR_RAISE(const auto* position,
                        MemberOf<arrow::UInt64Array>(descriptors, "position"));
  ARROW_ASSIGN_OR_RAISE(const auto* size, MemberOf<arrow::UInt64Array>(descriptors, "size"));
  std::vector<BlobPlace> places(static_cast<size_t>(descriptors.length()));
  for (int64_t i = 0; i < descriptors.length(); ++i) {
    // 2.0 has no other way to say null than a position without bytes.
    if (descriptors.IsNull(i) || (size->Value(i) == 0 && position->Value(i) != 0)) continue;
    places[static_cast<size_t>(i)] = {.is_null = false,
                                      .path = data_path,
                                      .offset = position->Value(i),
                                      .length = size->Value(i)};
  }
  return places;
}

/// Finds blobs of version 2.
class BlobV2Finder {
 public:
  static arrow::Result<BlobV2Finder> Make(const arrow::StructArray& descriptors) {
    BlobV2Finder finder;
    ARROW_ASSIGN_OR_RAISE(finder.kind_, MemberOf<arrow::UInt8Array>(descriptors, "kind"));
    ARROW_ASSIGN_OR_RAISE(finder.position_, MemberOf<arrow::UInt64Array>(descriptors, "position"));
    ARROW_ASSIGN_OR_RAISE(finder.size_, MemberOf<arrow::UInt64Array>(descriptors, "size"));
    ARROW_ASSIGN_OR_RAISE(finder.id_, MemberOf<arrow::UInt32Array>(descriptors, "blob_id"));
    ARROW_ASSIGN_OR_RAISE(finder.uri_, MemberOf<arrow::StringArray>(descriptors, "blob_uri"));
    return finder;
  }

  arrow::Result<BlobPlace> Find(int64_t row, const std::string& data_path) const {
    BlobPlace place{.is_null = false,
                    .path = data_path,
                    .offset = position_->Value(row),
                    .length = size_->Value(row)};
    const uint32_t id = id_->Value(row);
    switch (kind_->Value(row)) {
      case kInline:
        return place;
      case kPacked:
      case kDedicated:
        if (id == 0) {
          return arrow::Status::SerializationError("blob of row ", row,
                                                   " has blob_id 0; allowed: 1 and more");
        }
        place.path = BlobSidePath(data_path, id);
        return place;
      case kExternal:
        place.path = uri_->GetString(row);
        place.is_external = true;
        if (place.length == uint64_t{0}) place.length.reset();  // the whole object
        return place;
      default:
        return UnsupportedError("blob kind " + std::to_string(kind_->Value(row)),
                                "blob of row " + std::to_string(row) + " has kind " +
                                    std::to_string(kind_->Value(row)) +
                                    "; known: 0 (inline) to 3 (external)");
    }
  }

 private:
  const arrow::UInt8Array* kind_ = nullptr;
  const arrow::UInt64Array* position_ = nullptr;
  const arrow::UInt64Array* size_ = nullptr;
  const arrow::UInt32Array* id_ = nullptr;
  const arrow::StringArray* uri_ = nullptr;
};

arrow::Result<std::vector<BlobPlace>> FindV2(const arrow::StructArray& descriptors,
                                             const std::string& data_path) {
  ARROW_ASSIGN_OR_RAISE(const BlobV2Finder finder, BlobV2Finder::Make(descriptors));
  std::vector<BlobPlace> places(static_cast<size_t>(descriptors.length()));
  for (int64_t i = 0; i < descriptors.length(); ++i) {
    if (descriptors.IsNull(i)) continue;
    ARROW_ASSIGN_OR_RAISE(places[static_cast<size_t>(i)], finder.Find(i, data_path));
  }
  return places;
}

/// Check that the bytes of blobs are inside their objects, before any is allocated.
arrow::Status CheckInside(const std::string& path, const std::vector<ByteRange>& ranges,
                          ObjectStore& store) {
  ARROW_ASSIGN_OR_RAISE(const ObjectInfo object, store.Head(path));
  for (const ByteRange& range : ranges) {
    if (range.offset > object.size_bytes || range.length > object.size_bytes - range.offset) {
      return InFile(
          arrow::Status::SerializationError("a blob is [", range.offset, ", +", range.length,
                                            "), the file has ", object.size_bytes, " bytes"),
          path);
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Array>> ReadPayloads(const std::vector<BlobPlace>& places,
                                                          ObjectStore& store,
                                                          const RunContext& run) {
  std::map<std::string, std::pair<std::vector<ByteRange>, std::vector<size_t>>> by_path;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].is_null) continue;
    if (places[i].is_external) {
      return UnsupportedError("blobs outside of the table",
                              "the blob " + places[i].path +
                                  " is outside of the table; this version reads those inside");
    }
    auto& [ranges, rows] = by_path[places[i].path];
    ranges.push_back({places[i].offset, *places[i].length});
    rows.push_back(i);
  }
  std::vector<std::shared_ptr<arrow::Buffer>> payloads(places.size());
  for (const auto& [path, wanted] : by_path) {
    ARROW_RETURN_NOT_OK(CheckInside(path, wanted.first, store));
    ARROW_ASSIGN_OR_RAISE(auto buffers, store.Get(path, wanted.first, run.stop_token));
    for (size_t i = 0; i < buffers.size(); ++i) {
      payloads[wanted.second[i]] = std::move(buffers[i]);
    }
  }
  arrow::LargeBinaryBuilder builder(run.pool());
  for (const auto& payload : payloads) {
    if (payload == nullptr) {
      ARROW_RETURN_NOT_OK(builder.AppendNull());
    } else {
      ARROW_RETURN_NOT_OK(builder.Append(payload->data(), payload->size()));
    }
  }
  return builder.Finish();
}

bool IsBlob(const format::FieldNode& node) {
  return node.kind == format::FieldKind::kBlob || node.kind == format::FieldKind::kBlobV2;
}

}  // namespace

std::string BlobSidePath(const std::string& data_path, uint32_t blob_id) {
  constexpr std::string_view kSuffix = ".lance";
  std::string path = data_path;
  if (path.ends_with(kSuffix)) path.resize(path.size() - kSuffix.size());
  path += '/';
  for (int bit = 0; bit < 32; ++bit) path += (blob_id >> bit & 1) != 0 ? '1' : '0';
  return path + ".blob";
}

bool HasBlobs(const format::FieldNode& node) {
  return IsBlob(node) ||
         (node.kind != format::FieldKind::kLeaf && std::ranges::any_of(node.children, HasBlobs));
}

format::FieldNode WithBlobForm(const format::FieldNode& node, BlobForm form) {
  format::FieldNode made = node;
  if (IsBlob(node)) {
    if (form == BlobForm::kPayloads) {
      made.type = arrow::large_binary();
    } else if (node.kind == format::FieldKind::kBlob) {
      made.type = LegacyDescriptorType();
    }
    return made;
  }
  if (!HasBlobs(node)) return made;
  for (format::FieldNode& child : made.children) child = WithBlobForm(child, form);
  return format::WithTypeOfChildren(std::move(made));
}

arrow::Result<std::vector<BlobPlace>> FindBlobs(const format::FieldNode& node,
                                                const arrow::Array& descriptors,
                                                const std::string& data_path) {
  const auto* members = dynamic_cast<const arrow::StructArray*>(&descriptors);
  if (members == nullptr) return InternalError("blob descriptors are no structs");
  return node.kind == format::FieldKind::kBlob ? FindLegacy(*members, data_path)
                                               : FindV2(*members, data_path);
}

arrow::Result<std::shared_ptr<arrow::Array>> LoadBlobs(const format::FieldNode& node,
                                                       const std::shared_ptr<arrow::Array>& array,
                                                       const format::DataFileReader& file,
                                                       const RunContext& run) {
  if (IsBlob(node)) {
    auto places = FindBlobs(node, *array, file.path());
    if (!places.ok()) return InFile(places.status(), file.path());
    return ReadPayloads(*places, *file.store(), run);
  }
  if (!HasBlobs(node)) return array;
  auto data = array->data()->Copy();
  data->type = WithBlobForm(node, BlobForm::kPayloads).type;
  for (size_t i = 0; i < node.children.size(); ++i) {
    const auto descriptors = arrow::MakeArray(data->child_data[i]);
    ARROW_ASSIGN_OR_RAISE(const auto child, LoadBlobs(node.children[i], descriptors, file, run));
    data->child_data[i] = child->data();
  }
  return arrow::MakeArray(std::move(data));
}

}  // namespace lance
