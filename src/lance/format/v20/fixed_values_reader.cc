#include "lance/format/v20/fixed_values_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "lance/base/check.h"
#include "lance/base/checked_math.h"
#include "lance/format/byte_buffer.h"
#include "lance/format/encodings/bitpacking.h"
#include "lance/format/encodings/compressed_buffer.h"
#include "lance/format/encodings/encoding_grammar.h"

namespace lance::format::v20 {
namespace {

using Form = FixedValues::Form;

// What Arrow asks for; its own buffers have more.
constexpr uint64_t kArrowAlignment = 8;

/// The bytes that `num_values` values take in the page buffer.
arrow::Result<uint64_t> ClaimedBytes(const FixedValues& form, uint64_t bits_per_value,
                                     uint64_t num_values) {
  switch (form.form) {
    case Form::kConstant:
      return 0;
    case Form::kBitpackedForNonNeg:
      return CheckedMul(CeilDiv(num_values, kGroupValues), PackedGroupBytes(form.packed_bits),
                        "BitpackedForNonNeg values");
    case Form::kFlat:
    case Form::kBitpacked:
      break;
  }
  const uint64_t bits = form.form == Form::kFlat ? bits_per_value : form.packed_bits;
  ARROW_ASSIGN_OR_RAISE(const uint64_t total, CheckedMul(num_values, bits, "values of a page"));
  return CeilDiv(total, 8);
}

/// Take `width` bits of a stream, the lowest first. \pre width <= 64
uint64_t LoadBits(std::span<const std::byte> stream, uint64_t first_bit, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t done = 0; done < width;) {
    const uint64_t bit = first_bit + done;
    const auto shift = static_cast<uint32_t>(bit % 8);
    const uint32_t take = std::min(8 - shift, width - done);
    const auto byte = std::to_integer<uint64_t>(stream[bit / 8]) >> shift;
    value |= (byte & ((uint64_t{1} << take) - 1)) << done;
    done += take;
  }
  return value;
}

}  // namespace

arrow::Result<FixedValuesReader> FixedValuesReader::Make(const FixedValues& form,
                                                         const PageMetadata& page,
                                                         uint64_t bits_per_value,
                                                         uint64_t num_values) {
  if (form.form == Form::kConstant) {
    const uint64_t bytes = CeilDiv(bits_per_value, 8);
    if (form.constant.size() != bytes) {
      return arrow::Status::SerializationError("Constant.value has ", form.constant.size(),
                                               " bytes, the column needs ", bytes);
    }
    FixedValuesReader reader(form, bits_per_value, {});
    reader.num_values_ = num_values;
    return reader;
  }
  if (form.bits_per_value != bits_per_value) {
    return arrow::Status::SerializationError("the page has values of ", form.bits_per_value,
                                             " bits, the column needs ", bits_per_value);
  }
  const ByteRange& buffer = page.buffers[form.buffer];
  FixedValuesReader reader(form, bits_per_value, buffer);
  reader.num_values_ = num_values;
  ARROW_ASSIGN_OR_RAISE(const uint64_t needed, ClaimedBytes(form, bits_per_value, num_values));
  if (!form.is_compressed() && buffer.length < needed) {
    return arrow::Status::SerializationError("buffer ", form.buffer, " has ", buffer.length,
                                             " bytes, ", num_values, " values need ", needed);
  }
  return reader;
}

RowRange FixedValuesReader::StoredBytes(RowRange slots) const {
  if (form_.form == Form::kBitpackedForNonNeg) {
    const uint64_t group = PackedGroupBytes(form_.packed_bits);
    return {slots.begin / kGroupValues * group, CeilDiv(slots.end, kGroupValues) * group};
  }
  const uint64_t bits = form_.form == Form::kFlat ? bits_per_value_ : form_.packed_bits;
  return {slots.begin * bits / 8, CeilDiv(slots.end * bits, 8)};
}

void FixedValuesReader::Plan(std::vector<RowRange> slots, RangeBatch* batch) {
  slots_ = std::move(slots);
  for (const RowRange& range : slots_) {
    LANCE_DCHECK(range.begin <= range.end && range.end <= num_values_);
    num_planned_ += range.size();
    if (is_whole_ || form_.form == Form::kConstant || form_.is_compressed()) continue;
    const RowRange bytes = StoredBytes(range);
    spans_.Add(bytes.begin, bytes.end);
  }
  if (is_whole_) return;
  if (form_.is_compressed() && num_planned_ > 0) return PlanWhole(batch);
  spans_.Plan(batch);
}

void FixedValuesReader::PlanWhole(RangeBatch* batch) {
  is_whole_ = true;
  spans_.Add(0, spans_.buffer_bytes());
  spans_.Plan(batch);
}

/// What was read, when it is just what is wanted; else null.
std::shared_ptr<arrow::Buffer> FixedValuesReader::TakeInPlace() const {
  if (form_.form != Form::kFlat || slots_.size() != 1) return nullptr;
  if (slots_[0].begin * bits_per_value_ % 8 != 0) return nullptr;
  const RowRange bytes = StoredBytes(slots_[0]);
  auto buffer = spans_.Slice(bytes.begin, bytes.end);
  return buffer->address() % kArrowAlignment == 0 ? buffer : nullptr;
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FixedValuesReader::TakeCompressed(
    arrow::MemoryPool* pool) const {
  const auto scheme =
      form_.codec == BufferCodec::kLz4 ? CompressionScheme::kLz4 : CompressionScheme::kZstd;
  ARROW_ASSIGN_OR_RAISE(auto decompressor, BufferDecompressor::Make(scheme));
  ByteBuffer plain_bytes(pool);
  ARROW_RETURN_NOT_OK(
      decompressor.Append(spans_.View(0, is_whole_ ? spans_.buffer_bytes() : 0), &plain_bytes));
  auto expanded = plain_bytes.Finish();
  // The same values, in a page whose buffer is not compressed.
  FixedValues plain = form_;
  plain.codec = BufferCodec::kNone;
  plain.buffer = 0;
  PageMetadata page;
  page.buffers = {{0, static_cast<uint64_t>(expanded->size())}};
  const uint64_t num_needed = slots_.empty() ? 0 : slots_.back().end;
  ARROW_ASSIGN_OR_RAISE(auto reader, Make(plain, page, bits_per_value_, num_needed));
  reader.slots_ = slots_;
  reader.num_planned_ = num_planned_;
  reader.spans_.Provide(std::move(expanded));
  return reader.Take(pool);
}

/// Check what comes out where what goes in does not bound it.
arrow::Status FixedValuesReader::CheckSize() const {
  const bool is_bounded = form_.form == Form::kFlat || form_.packed_bits > 0;
  if (is_bounded) return arrow::Status::OK();
  if (num_planned_ <= kMaxExpandedBytes * 8 / bits_per_value_) return arrow::Status::OK();
  return arrow::Status::CapacityError("a constant page would expand to ", num_planned_,
                                      " values of ", bits_per_value_,
                                      " bits; read fewer rows at once");
}

arrow::Result<std::shared_ptr<arrow::Buffer>> FixedValuesReader::Take(
    arrow::MemoryPool* pool) const {
  if (form_.is_compressed()) return TakeCompressed(pool);
  if (auto in_place = TakeInPlace()) return in_place;
  ARROW_RETURN_NOT_OK(CheckSize());
  const uint64_t num_bytes = CeilDiv(num_planned_ * bits_per_value_, 8);
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> out,
                        arrow::AllocateBuffer(static_cast<int64_t>(num_bytes), pool));
  auto* bytes = reinterpret_cast<std::byte*>(out->mutable_data());
  switch (form_.form) {
    case Form::kFlat:
      bits_per_value_ == 1 ? GatherBits(bytes) : GatherBytes(bytes);
      break;
    case Form::kBitpacked:
      GatherPacked(bytes);
      break;
    case Form::kBitpackedForNonNeg:
      GatherGroups(bytes);
      break;
    case Form::kConstant:
      GatherConstant(bytes);
      break;
  }
  return out;
}

void FixedValuesReader::GatherBytes(std::byte* out) const {
  for (const RowRange& range : slots_) {
    const RowRange stored = StoredBytes(range);
    const auto bytes = spans_.View(stored.begin, stored.end);
    if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
    out += bytes.size();
  }
}

void FixedValuesReader::GatherBits(std::byte* out) const {
  auto* bits = reinterpret_cast<uint8_t*>(out);
  int64_t at = 0;
  for (const RowRange& range : slots_) {
    const RowRange stored = StoredBytes(range);
    const auto bytes = spans_.View(stored.begin, stored.end);
    const auto count = static_cast<int64_t>(range.size());
    const auto* stored_bits = reinterpret_cast<const uint8_t*>(bytes.data());
    const auto first = static_cast<int64_t>(range.begin % 8);
    if (count == 1) {
      arrow::bit_util::SetBitTo(bits, at, arrow::bit_util::GetBit(stored_bits, first));
    } else {
      arrow::internal::CopyBitmap(stored_bits, first, count, bits, at);
    }
    at += count;
  }
}

void FixedValuesReader::GatherPacked(std::byte* out) const {
  const size_t width = bits_per_value_ / 8;
  const uint32_t packed = form_.packed_bits;
  for (const RowRange& range : slots_) {
    const RowRange stored = StoredBytes(range);
    const auto bytes = spans_.View(stored.begin, stored.end);
    for (uint64_t i = range.begin; i < range.end; ++i, out += width) {
      uint64_t value = LoadBits(bytes, i * packed - stored.begin * 8, packed);
      const bool is_negative = form_.is_signed && packed > 0 && (value >> (packed - 1) & 1) != 0;
      if (is_negative && packed < 64) value |= ~uint64_t{0} << packed;
      std::memcpy(out, &value, width);  // little-endian: the lower bytes
    }
  }
}

void FixedValuesReader::GatherGroups(std::byte* out) const {
  const auto type_bits = static_cast<uint32_t>(bits_per_value_);
  const size_t width = type_bits / 8;
  const uint64_t group_bytes = PackedGroupBytes(form_.packed_bits);
  std::array<std::byte, kGroupValues * sizeof(uint64_t)> values;
  uint64_t unpacked = ~uint64_t{0};
  for (const RowRange& range : slots_) {
    for (uint64_t i = range.begin; i < range.end;) {
      const uint64_t group = i / kGroupValues;
      if (group != unpacked) {
        const auto packed = spans_.View(group * group_bytes, (group + 1) * group_bytes);
        UnpackGroup(type_bits, form_.packed_bits, packed.data(), values.data());
        unpacked = group;
      }
      const uint64_t count = std::min(range.end, (group + 1) * kGroupValues) - i;
      std::memcpy(out, values.data() + i % kGroupValues * width, count * width);
      out += count * width;
      i += count;
    }
  }
}

void FixedValuesReader::GatherConstant(std::byte* out) const {
  if (bits_per_value_ == 1) {
    const bool bit = (form_.constant[0] & 1) != 0;
    std::memset(out, bit ? 0xff : 0, CeilDiv(num_planned_, 8));
    return;
  }
  for (uint64_t i = 0; i < num_planned_; ++i) {
    std::memcpy(out, form_.constant.data(), form_.constant.size());
    out += form_.constant.size();
  }
}

}  // namespace lance::format::v20
