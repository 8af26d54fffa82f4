#include <algorithm>
#include <cstring>

#include "arrow/util/bitmap_ops.h"
#include "lance/base/checked_math.h"
#include "lance/format/encode/chunk_encoder.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// Append bits [first, first + count); those behind the last are 0.
void AppendBitRange(const std::byte* bits, uint64_t first, uint64_t count, std::string* out) {
  const size_t begin = out->size();
  out->resize(begin + CeilDiv(count, 8), '\0');
  arrow::internal::CopyBitmap(reinterpret_cast<const uint8_t*>(bits), static_cast<int64_t>(first),
                              static_cast<int64_t>(count),
                              reinterpret_cast<uint8_t*>(out->data() + begin), 0);
}

/// Append the bits of some values.
void AppendValueBits(std::span<const std::byte> bytes, uint64_t bits_per_value, uint64_t first,
                     uint64_t count, std::string* out) {
  if (bits_per_value % 8 != 0) {
    AppendBitRange(bytes.data(), first * bits_per_value, count * bits_per_value, out);
    return;
  }
  const uint64_t width = bits_per_value / 8;
  out->append(reinterpret_cast<const char*>(bytes.data()) + first * width, count * width);
}

/// The largest power of two of values whose bits stay below the target; at least 2.
uint64_t ChooseChunkValues(uint64_t bits_per_value) {
  uint64_t n = kTargetChunkValues;
  while (n > 2 && CeilDiv(n * bits_per_value, 8) >= kTargetChunkBytes) n /= 2;
  return n;
}

/// Flat and PackedStruct chunks.
class FlatEncoder : public ChunkEncoder {
 public:
  FlatEncoder(const PageValues& values, std::vector<uint64_t> member_bits)
      : values_(values),
        member_bits_(std::move(member_bits)),
        chunk_values_(ChooseChunkValues(values.bits_per_value)) {}

  void Describe(pb::CompressiveEncoding* encoding) const override {
    if (member_bits_.empty()) {
      encoding->mutable_flat()->set_bits_per_value(values_.bits_per_value);
      return;
    }
    auto* packed = encoding->mutable_packed_struct();
    for (const uint64_t bits : member_bits_) packed->add_bits_per_value(bits);
    packed->mutable_values()->mutable_flat()->set_bits_per_value(values_.bits_per_value);
  }

  size_t num_buffers() const override { return 1; }
  uint64_t num_values() const override { return values_.num_values; }
  uint64_t MaxValues(uint64_t) const override { return chunk_values_; }

  uint64_t BytesBound(uint64_t, uint64_t count) const override {
    return PaddedBytes(CeilDiv(count * values_.bits_per_value, 8));
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    AppendValueBits(values_.bytes, values_.bits_per_value, first, count, &(*buffers)[0]);
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override {
    return CeilDiv(values_.num_values * values_.bits_per_value, 8) +
           CeilDiv(values_.num_values, chunk_values_) * kChunkOverheadBytes;
  }

 private:
  const PageValues& values_;
  std::vector<uint64_t> member_bits_;
  uint64_t chunk_values_;
};

/// FixedSizeList{Flat} chunks: a bitmap for every level with null items, then the items.
class FixedSizeListEncoder : public ChunkEncoder {
 public:
  FixedSizeListEncoder(const PageValues& values, const ValueShape& shape)
      : values_(values), shape_(shape) {
    uint64_t items = 1;
    for (size_t level = 0; level < shape.dimensions.size(); ++level) {
      items *= shape.dimensions[level];
      items_per_value_.push_back(items);
      if (!values.item_validity[level].empty()) bits_per_value_ += items;
    }
    bits_per_value_ += values.bits_per_value;
    chunk_values_ = ChooseChunkValues(bits_per_value_);
  }

  void Describe(pb::CompressiveEncoding* encoding) const override {
    DescribeLists(values_, shape_, encoding)
        ->mutable_flat()
        ->set_bits_per_value(shape_.bits_per_value);
  }

  size_t num_buffers() const override {
    return 1 + static_cast<size_t>(std::ranges::count_if(
                   values_.item_validity, [](const ByteBuffer& bits) { return !bits.empty(); }));
  }
  uint64_t num_values() const override { return values_.num_values; }
  uint64_t MaxValues(uint64_t) const override { return chunk_values_; }

  uint64_t BytesBound(uint64_t, uint64_t count) const override {
    return CeilDiv(count * bits_per_value_, 8) + num_buffers() * 8;
  }

  arrow::Status Encode(uint64_t first, uint64_t count,
                       std::vector<std::string>* buffers) const override {
    size_t next = 0;
    for (size_t level = 0; level < items_per_value_.size(); ++level) {
      if (!HasValidity(level)) continue;
      const uint64_t items = items_per_value_[level];
      AppendBitRange(values_.item_validity[level].data(), first * items, count * items,
                     &(*buffers)[next++]);
    }
    AppendValueBits(values_.bytes, values_.bits_per_value, first, count, &(*buffers)[next]);
    return arrow::Status::OK();
  }

  uint64_t estimated_bytes() const override {
    return CeilDiv(values_.num_values * bits_per_value_, 8) +
           CeilDiv(values_.num_values, chunk_values_) * kChunkOverheadBytes;
  }

 private:
  bool HasValidity(size_t level) const { return !values_.item_validity[level].empty(); }

  const PageValues& values_;
  const ValueShape& shape_;
  std::vector<uint64_t> items_per_value_;  // by level
  uint64_t bits_per_value_ = 0;            // validity included
  uint64_t chunk_values_ = 0;
};

}  // namespace

pb::CompressiveEncoding* DescribeLists(const PageValues& values, const ValueShape& shape,
                                       pb::CompressiveEncoding* encoding) {
  for (size_t level = 0; level < shape.dimensions.size(); ++level) {
    auto* list = encoding->mutable_fixed_size_list();
    list->set_items_per_value(shape.dimensions[level]);
    if (!values.item_validity[level].empty()) list->set_has_validity(true);
    encoding = list->mutable_values();
  }
  return encoding;
}

std::unique_ptr<ChunkEncoder> MakeFlatEncoder(const PageValues& values,
                                              std::vector<uint64_t> member_bits) {
  return std::make_unique<FlatEncoder>(values, std::move(member_bits));
}

std::unique_ptr<ChunkEncoder> MakeFixedSizeListEncoder(const PageValues& values,
                                                       const ValueShape& shape) {
  return std::make_unique<FixedSizeListEncoder>(values, shape);
}

}  // namespace lance::format
