#include "lance/format/encode/full_zip_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/encode/mini_block_writer.h"
#include "lance_encodings21.pb.h"

namespace lance::format {

namespace pb = lance_pb::encodings21;

namespace {

/// The bits that the largest level takes.
uint32_t LevelBits(std::span<const uint16_t> levels) {
  uint16_t all_bits = 0;
  for (const uint16_t level : levels) all_bits |= level;
  return static_cast<uint32_t>(std::bit_width(all_bits));
}

uint64_t ControlBytes(uint32_t bits) {
  if (bits == 0) return 0;
  if (bits <= 8) return 1;
  return bits <= 16 ? 2 : 4;
}

/// The bits of a value's items, as bytes of its own.
struct ItemBits {
  const std::byte* bits = nullptr;
  uint64_t items_per_value = 0;
  uint64_t num_bytes() const { return CeilDiv(items_per_value, 8); }
};

/// Zips levels and values.
class Zipper {
 public:
  Zipper(const PageLevels& levels, const PageValues& values, const ValueShape& shape,
         arrow::MemoryPool* pool)
      : levels_(levels),
        values_(values),
        bytes_(pool),
        bits_rep_(LevelBits(levels.rep)),
        // Levels that are declared have a bit, even if none occurs.
        bits_def_(levels.def.empty() ? 0 : std::max(LevelBits(levels.def), 1u)),
        control_bytes_(ControlBytes(bits_rep_ + bits_def_)) {
    uint64_t items = 1;
    for (size_t i = 0; i < values.item_validity.size(); ++i) {
      items *= shape.dimensions[i];
      if (values.item_validity[i].empty()) continue;
      item_bits_.push_back({values.item_validity[i].data(), items});
    }
    LANCE_DCHECK(values.are_items_null || values.bits_per_value % 8 == 0);
    value_bytes_ = values.are_items_null ? 0 : values.bits_per_value / 8;
    for (const ItemBits& bits : item_bits_) stored_bytes_ += bits.num_bytes();
    stored_bytes_ += value_bytes_;
  }

  uint32_t bits_rep() const { return bits_rep_; }
  uint32_t bits_def() const { return bits_def_; }
  uint64_t stored_bits() const { return stored_bytes_ * 8; }
  bool HasIndex() const { return values_.is_variable() || levels_.has_lists(); }

  /// Write the zipped buffer, and where rows start.
  void Zip() {
    if (HasIndex()) row_starts_.reserve(levels_.num_rows + 1);
    at_ = bytes_.Grow(TotalBytes());
    uint64_t value = 0;
    for (uint64_t i = 0; i < levels_.num_entries; ++i) {
      const uint16_t rep = levels_.rep.empty() ? 0 : levels_.rep[i];
      const uint16_t def = levels_.def.empty() ? 0 : levels_.def[i];
      if (HasIndex() && rep == levels_.layers.max_rep) row_starts_.push_back(position());
      AppendWord(static_cast<uint64_t>(rep) << bits_def_ | def, control_bytes_);
      if (def > levels_.layers.max_visible_def) continue;
      if (values_.is_variable()) {
        if (def == 0) AppendVariable(value);
      } else {
        AppendFixed(value);
      }
      ++value;
    }
    LANCE_DCHECK(position() == bytes_.size() && value == values_.num_values);
    if (HasIndex()) row_starts_.push_back(position());
  }

  std::vector<ByteBuffer> TakeBuffers() {
    std::vector<ByteBuffer> buffers;
    const auto size_bits = static_cast<uint64_t>(std::bit_width(bytes_.size()));
    buffers.push_back(std::move(bytes_));
    if (!HasIndex()) return buffers;
    const uint64_t width = std::bit_ceil(std::max<uint64_t>(CeilDiv(size_bits, 8), 1));
    ByteBuffer& index = buffers.emplace_back(buffers[0].pool());
    index.Reserve(row_starts_.size() * width);
    for (const uint64_t start : row_starts_) {
      std::memcpy(index.Grow(width), &start, width);  // little-endian
    }
    return buffers;
  }

 private:
  uint64_t position() const { return static_cast<uint64_t>(at_ - bytes_.data()); }

  uint64_t TotalBytes() const {
    const uint64_t control = levels_.num_entries * control_bytes_;
    if (!values_.is_variable()) return control + values_.num_values * stored_bytes_;
    return control + levels_.num_valid * (values_.offset_bits / 8) + values_.num_bytes();
  }

  void AppendWord(uint64_t word, uint64_t num_bytes) {
    std::memcpy(at_, &word, num_bytes);  // little-endian
    at_ += num_bytes;
  }

  void AppendVariable(uint64_t i) {
    const auto value = values_.value(i);
    AppendWord(value.size(), values_.offset_bits / 8);
    if (!value.empty()) std::memcpy(at_, value.data(), value.size());
    at_ += value.size();
  }

  void AppendFixed(uint64_t i) {
    for (const ItemBits& bits : item_bits_) {
      AppendBits(bits.bits, i * bits.items_per_value, bits.items_per_value);
    }
    if (value_bytes_ > 0) {
      std::memcpy(at_, values_.bytes.data() + i * value_bytes_, value_bytes_);
    }
    at_ += value_bytes_;
  }

  /// Append bits as bytes of their own; those behind the last are 0.
  void AppendBits(const std::byte* bits, uint64_t first, uint64_t count) {
    at_[CeilDiv(count, 8) - 1] = std::byte{0};
    arrow::internal::CopyBitmap(reinterpret_cast<const uint8_t*>(bits), static_cast<int64_t>(first),
                                static_cast<int64_t>(count), reinterpret_cast<uint8_t*>(at_), 0);
    at_ += CeilDiv(count, 8);
  }

  const PageLevels& levels_;
  const PageValues& values_;
  ByteBuffer bytes_;
  uint32_t bits_rep_;
  uint32_t bits_def_;
  uint64_t control_bytes_;
  std::vector<ItemBits> item_bits_;
  uint64_t value_bytes_ = 0;
  uint64_t stored_bytes_ = 0;
  std::byte* at_ = nullptr;
  std::vector<uint64_t> row_starts_;
};

}  // namespace

arrow::Result<std::vector<ByteBuffer>> WriteFullZip(
    const PageLevels& levels, const PageValues& values, const ValueShape& shape,
    const pb::CompressiveEncoding& encoding, arrow::MemoryPool* pool, pb::PageLayout* layout) {
  if (levels.num_entries > UINT32_MAX) {
    return arrow::Status::CapacityError("full-zip page: has ", levels.num_entries,
                                        " levels, allowed are up to ", UINT32_MAX);
  }
  Zipper zipper(levels, values, shape, pool);
  pb::FullZipLayout* const message = layout->mutable_full_zip_layout();
  message->set_bits_rep(zipper.bits_rep());
  message->set_bits_def(zipper.bits_def());
  if (values.is_variable()) {
    message->set_bits_per_offset(values.offset_bits);
  } else {
    message->set_bits_per_value(static_cast<uint32_t>(zipper.stored_bits()));
  }
  message->set_num_items(static_cast<uint32_t>(levels.num_entries));
  message->set_num_visible_items(static_cast<uint32_t>(levels.num_visible));
  *message->mutable_value_compression() = encoding;
  SetLayers(levels, message);
  zipper.Zip();
  return zipper.TakeBuffers();
}

}  // namespace lance::format
