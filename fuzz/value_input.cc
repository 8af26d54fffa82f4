#include "fuzz/value_input.h"

#include <algorithm>
#include <cstring>

#include "arrow/memory_pool.h"
#include "fuzz/target.h"

namespace lance::fuzz {
namespace {

using format::ByteBuffer;
using format::ValueBuffer;
using format::ValueShape;

enum ShapeKind : uint8_t { kText32, kText64, kFixed, kFixedSizeList, kPacked, kNumShapeKinds };

constexpr int kMaxShapeDepth = 2;
constexpr uint64_t kMaxLevels = 3;
constexpr uint64_t kMaxDimension = 1024;
constexpr uint64_t kMaxMembers = 6;

uint32_t TakeBits(Input* input) {
  const auto bits = input->Take<uint16_t>();
  return bits == 1 ? 1 : std::max(8u, bits / 8u * 8u);
}

void AppendTaken(uint64_t num_bytes, Input* input, ByteBuffer* out) {
  std::byte* const at = out->Grow(num_bytes);
  const auto taken = input->TakeBytes(num_bytes);
  if (num_bytes > 0) std::memset(at, 0, num_bytes);
  if (!taken.empty()) std::memcpy(at, taken.data(), taken.size());
}

void TakeTexts(uint64_t num_values, Input* input, ValueBuffer* out) {
  const uint64_t width = out->offset_bits / 8;
  for (uint64_t i = 0; i < num_values; ++i) {
    AppendTaken(input->TakeBelow(10), input, &out->bytes);
    const uint64_t end = out->bytes.size();
    std::memcpy(format::GrowOffsets(1, out), &end, width);
  }
}

void CheckTexts(const ValueBuffer& values) {
  LANCE_FUZZ_CHECK(values.num_values == 0 || values.offset(0) == 0, "offsets begin with 0");
  const uint64_t width = values.offset_bits / 8;
  LANCE_FUZZ_CHECK(values.offsets.size() == (values.num_values + 1) * width ||
                       (values.num_values == 0 && values.offsets.empty()),
                   "there is one offset more than values");
  for (uint64_t i = 0; i < values.num_values; ++i) {
    LANCE_FUZZ_CHECK(values.offset(i) <= values.offset(i + 1), "offsets do not fall");
  }
  LANCE_FUZZ_CHECK(
      values.offsets.empty() || values.offset(values.num_values) <= values.bytes.size(),
      "offsets stay inside the bytes");
}

void CheckFixed(const ValueBuffer& values) {
  const uint64_t num_bits = values.num_items() * values.bits_per_value;
  LANCE_FUZZ_CHECK(values.bytes.size() == (num_bits + 7) / 8, "there are as many bytes as values");
  for (size_t i = 0; i < values.item_validity.size(); ++i) {
    const uint64_t num_items = values.num_values * values.level_items[i];
    LANCE_FUZZ_CHECK(values.item_validity[i].size() == (num_items + 7) / 8,
                     "there are as many validity bits as items");
  }
}

void CheckValues(const ValueBuffer& values, const ValueShape& shape, uint64_t num_values) {
  LANCE_FUZZ_CHECK(values.num_values == num_values, "there are as many values as promised");
  LANCE_FUZZ_CHECK(values.is_packed() == shape.is_packed(), "the shape stays");
  if (shape.is_packed()) {
    LANCE_FUZZ_CHECK(values.members.size() == shape.members.size(), "members are all there");
    for (size_t i = 0; i < shape.members.size(); ++i) {
      CheckValues(values.members[i], shape.members[i], num_values);
    }
  } else if (shape.is_variable()) {
    CheckTexts(values);
  } else {
    CheckFixed(values);
  }
}

}  // namespace

ValueShape TakeShape(Input* input, int depth) {
  ValueShape shape;
  const uint64_t num_kinds = depth < kMaxShapeDepth ? kNumShapeKinds : kPacked;
  switch (static_cast<ShapeKind>(input->TakeBelow(num_kinds))) {
    case kText32:
      break;
    case kText64:
      shape.offset_bits = 64;
      break;
    case kFixed:
      shape.bits_per_value = TakeBits(input);
      break;
    case kFixedSizeList: {
      const uint64_t num_levels = 1 + input->TakeBelow(kMaxLevels);
      for (uint64_t i = 0; i < num_levels; ++i) {
        shape.dimensions.push_back(static_cast<uint32_t>(1 + input->TakeBelow(kMaxDimension)));
      }
      shape.bits_per_value = TakeBits(input);
      break;
    }
    case kPacked:
    default: {
      const uint64_t num_members = 1 + input->TakeBelow(kMaxMembers);
      for (uint64_t i = 0; i < num_members; ++i) {
        shape.members.push_back(TakeShape(input, depth + 1));
      }
    }
  }
  return shape;
}

void AppendShape(const ValueShape& shape, std::string* out) {
  const auto append = [&](auto number) { AppendLittleEndian(number, out); };
  if (shape.is_packed()) {
    append(static_cast<uint8_t>(kPacked));
    append(static_cast<uint8_t>(shape.members.size() - 1));
    for (const ValueShape& member : shape.members) AppendShape(member, out);
  } else if (shape.is_fixed_size_list()) {
    append(static_cast<uint8_t>(kFixedSizeList));
    append(static_cast<uint8_t>(shape.dimensions.size() - 1));
    for (const uint32_t dimension : shape.dimensions) append(static_cast<uint16_t>(dimension - 1));
    append(static_cast<uint16_t>(shape.bits_per_value));
  } else if (shape.is_variable()) {
    append(static_cast<uint8_t>(shape.offset_bits == 32 ? kText32 : kText64));
  } else {
    append(static_cast<uint8_t>(kFixed));
    append(static_cast<uint16_t>(shape.bits_per_value));
  }
}

ValueBuffer TakeValues(const ValueShape& shape, uint64_t num_values, arrow::MemoryPool* pool,
                       Input* input) {
  ValueBuffer values(shape, pool);
  if (shape.is_packed()) {
    for (size_t i = 0; i < shape.members.size(); ++i) {
      values.members[i] = TakeValues(shape.members[i], num_values, pool, input);
    }
    values.num_values = num_values;
    return values;
  }
  if (shape.is_variable()) {
    TakeTexts(num_values, input, &values);
    return values;
  }
  const uint64_t num_bits = num_values * values.items_per_value * values.bits_per_value;
  AppendTaken((num_bits + 7) / 8, input, &values.bytes);
  values.num_values = num_values;
  if (shape.is_fixed_size_list() && input->TakeBool()) {
    format::StartItemValidity(num_values, &values);
    for (ByteBuffer& level : values.item_validity) {
      if (!level.empty()) *level.data() = static_cast<std::byte>(input->Take<uint8_t>());
    }
  }
  return values;
}

void UseValues(const ValueBuffer& values, const ValueShape& shape, uint64_t num_values,
               arrow::MemoryPool* pool) {
  CheckValues(values, shape, num_values);
  if (num_values == 0) return;
  ValueBuffer some(shape, pool);
  const uint64_t middle = num_values / 2;
  if (!format::AppendValues(values, middle, num_values - middle, &some).ok()) return;
  if (!format::AppendRepeated(values, middle, 3, &some).ok()) return;
  format::AppendDummies(9, &some);
  if (!format::AppendValues(values, 0, 1, &some).ok()) return;
  CheckValues(some, shape, num_values - middle + 13);
}

}  // namespace lance::fuzz
