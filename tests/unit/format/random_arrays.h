#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/util/bit_util.h"
#include "lance/testing/seeded_random.h"

namespace lance::format {

/// How the values of a generated array look. A plain value.
struct ArrayShape {
  int64_t length = 0;
  /// One row in so many is null; 0: none, 1: all.
  uint64_t null_every = 0;
  /// Values have few significant bits or characters.
  bool is_small = false;
};

/// Validity of a generated array. \return null when no row is null
inline std::shared_ptr<arrow::Buffer> RandomValidity(const ArrayShape& shape,
                                                     testing::SeededRandom* random) {
  if (shape.null_every == 0) return nullptr;
  std::string bits(static_cast<size_t>(arrow::bit_util::BytesForBits(shape.length)), '\0');
  for (int64_t i = 0; i < shape.length; ++i) {
    arrow::bit_util::SetBitTo(reinterpret_cast<uint8_t*>(bits.data()), i,
                              !random->OneIn(shape.null_every));
  }
  return arrow::Buffer::FromString(std::move(bits));
}

/// Values of any fixed-width type from random bits, or of a variable-width type of 0 to 20 letters.
inline std::shared_ptr<arrow::Array> RandomArray(const std::shared_ptr<arrow::DataType>& type,
                                                 const ArrayShape& shape,
                                                 testing::SeededRandom* random) {
  const auto validity = RandomValidity(shape, random);
  if (!arrow::is_base_binary_like(type->id())) {
    const int bits = type->bit_width();
    std::string bytes(static_cast<size_t>(arrow::bit_util::BytesForBits(shape.length * bits)),
                      '\0');
    const size_t step = shape.is_small && bits >= 8 ? static_cast<size_t>(bits) / 8 : 1;
    for (size_t i = 0; i < bytes.size(); i += step) {
      bytes[i] = static_cast<char>(shape.is_small ? random->Below(13) : random->Next());
    }
    return arrow::MakeArray(arrow::ArrayData::Make(
        type, shape.length, {validity, arrow::Buffer::FromString(std::move(bytes))}));
  }
  const bool is_wide = arrow::is_large_binary_like(type->id());
  std::string bytes;
  std::string offsets;
  for (int64_t i = 0; i <= shape.length; ++i) {
    const auto narrow = static_cast<int32_t>(bytes.size());
    const auto wide = static_cast<int64_t>(bytes.size());
    offsets.append(
        reinterpret_cast<const char*>(is_wide ? static_cast<const void*>(&wide) : &narrow),
        is_wide ? sizeof(wide) : sizeof(narrow));
    const uint64_t length = i == shape.length ? 0 : random->Below(shape.is_small ? 3 : 21);
    for (uint64_t k = 0; k < length; ++k) {
      bytes.push_back(static_cast<char>('a' + random->Below(26)));
    }
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(type, shape.length,
                             {validity, arrow::Buffer::FromString(std::move(offsets)),
                              arrow::Buffer::FromString(std::move(bytes))}));
}

}  // namespace lance::format
