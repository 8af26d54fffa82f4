#include "lance/format/v20/blob_page_builder.h"

#include <cstring>
#include <utility>

#include "arrow/array.h"

namespace lance::format::v20 {

arrow::Result<int64_t> BlobPageBuilder::Append(const arrow::Array& array, int64_t begin,
                                               int64_t end) {
  constexpr ByteRange kNull = {1, 0};
  constexpr ByteRange kEmpty = {0, 0};
  const auto& blobs = static_cast<const arrow::LargeBinaryArray&>(array);
  for (int64_t i = begin; i < end; ++i) {
    ByteRange place = blobs.IsNull(i) ? kNull : kEmpty;
    if (!blobs.IsNull(i) && blobs.value_length(i) > 0) {
      ARROW_ASSIGN_OR_RAISE(place, payloads_->AppendBuffer(blobs.GetView(i)));
    }
    const uint64_t descriptor[] = {place.offset, place.length};
    static_assert(sizeof(descriptor) == kDescriptorBytes);
    std::memcpy(descriptors_.Grow(kDescriptorBytes), descriptor, kDescriptorBytes);
  }
  return end - begin;
}

arrow::Result<ArrayEncoding> BlobPageBuilder::Build(
    std::vector<std::shared_ptr<arrow::Buffer>>* buffers) {
  PackedStructEncoding encoding{
      .members = {PackedMember{.bits_per_value = 64}, PackedMember{.bits_per_value = 64}},
      .buffer = static_cast<uint32_t>(buffers->size())};
  buffers->push_back(descriptors_.Finish());
  return ArrayEncoding{std::move(encoding)};
}

}  // namespace lance::format::v20
