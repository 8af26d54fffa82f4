#include "lance/index/zonemap_details_proto.h"

#include <cstdint>
#include <limits>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/wire_format_lite.h"

// message ZoneMapIndexDetails {
//   optional uint64 rows_per_zone   = 1;
//   optional bool   use_seeds       = 2;
//   optional bool   has_null_bitmap = 3;
// }

namespace lance::index {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

constexpr uint32_t VarintTag(int field) {
  return static_cast<uint32_t>(field) << 3 | WireFormatLite::WIRETYPE_VARINT;
}
constexpr uint32_t kRowsPerZone = VarintTag(1);
constexpr uint32_t kUseSeeds = VarintTag(2);
constexpr uint32_t kHasNullBitmap = VarintTag(3);

/// \return false when the field is malformed
bool ReadField(CodedInputStream* in, uint32_t tag, ZonemapDetails* details) {
  if (tag != kRowsPerZone && tag != kUseSeeds && tag != kHasNullBitmap) {
    return WireFormatLite::SkipField(in, tag);
  }
  uint64_t value = 0;
  if (!in->ReadVarint64(&value)) return false;
  if (tag == kRowsPerZone) details->rows_per_zone = value;
  if (tag == kUseSeeds) details->use_seeds = value != 0;
  if (tag == kHasNullBitmap) details->has_null_bitmap = value != 0;
  return true;
}

}  // namespace

std::string SerializeZonemapDetails(const ZonemapDetails& details) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    if (details.rows_per_zone) {
      out.WriteVarint32(kRowsPerZone);
      out.WriteVarint64(*details.rows_per_zone);
    }
    out.WriteVarint32(kUseSeeds);
    out.WriteVarint32(details.use_seeds ? 1 : 0);
    out.WriteVarint32(kHasNullBitmap);
    out.WriteVarint32(details.has_null_bitmap ? 1 : 0);
  }
  return bytes;
}

arrow::Result<ZonemapDetails> ParseZonemapDetailsMessage(std::string_view bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return arrow::Status::SerializationError("ZoneMapIndexDetails has ", bytes.size(),
                                             " bytes, allowed below 2 GiB");
  }
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  ZonemapDetails details;
  while (const uint32_t tag = in.ReadTag()) {
    if (!ReadField(&in, tag, &details)) {
      return arrow::Status::SerializationError("ZoneMapIndexDetails at byte ", in.CurrentPosition(),
                                               ": malformed field");
    }
  }
  if (!in.ConsumedEntireMessage()) {
    return arrow::Status::SerializationError("ZoneMapIndexDetails at byte ", in.CurrentPosition(),
                                             ": malformed tag");
  }
  if (details.rows_per_zone == 0) {
    return arrow::Status::SerializationError(
        "ZoneMapIndexDetails.rows_per_zone is 0, allowed from 1");
  }
  return details;
}

}  // namespace lance::index
