#include "lance/index/bloom_filter.h"

#define XXH_INLINE_ALL  // nothing to link
#include <xxhash.h>

#include <array>
#include <string_view>

#include "arrow/api.h"
#include "lance/base/byte_reader.h"
#include "lance/index/ordered_value.h"

namespace lance::index {
namespace {

using arrow::Type;

constexpr size_t kWords = 8;
constexpr size_t kBlockBytes = kWords * sizeof(uint32_t);

/// The multipliers of Parquet's split-block bloom filter, one for each word of a block.
constexpr std::array<uint32_t, kWords> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

}  // namespace

bool HasBloomHash(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::INT8:
    case Type::INT16:
    case Type::INT32:
    case Type::INT64:
    case Type::UINT8:
    case Type::UINT16:
    case Type::UINT32:
    case Type::UINT64:
    case Type::FLOAT:
    case Type::DOUBLE:
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::DATE32:
    case Type::DATE64:
    case Type::TIME32:
    case Type::TIME64:
    case Type::TIMESTAMP:
      return true;
    default:
      return false;
  }
}

std::optional<uint64_t> BloomHash(const arrow::Scalar& value) {
  if (!value.is_valid || !HasBloomHash(*value.type)) return std::nullopt;
  if (IsFloat(*value.type) && ToOrderedValue(value).is_nan()) return std::nullopt;
  const std::string_view bytes =
      arrow::is_base_binary_like(value.type->id())
          ? std::string_view(*static_cast<const arrow::BaseBinaryScalar&>(value).value)
          : static_cast<const arrow::internal::PrimitiveScalarBase&>(value).view();
  return XXH64(bytes.data(), bytes.size(), /*seed=*/0);
}

bool BloomMayHold(std::span<const std::byte> filter, uint64_t hash) {
  const uint64_t num_blocks = filter.size() / kBlockBytes;
  // The high half picks the block, the low half one bit of each word.
  const uint64_t block = (hash >> 32) * num_blocks >> 32;
  const auto words = filter.subspan(block * kBlockBytes, kBlockBytes);
  const auto low = static_cast<uint32_t>(hash);
  for (size_t i = 0; i < kWords; ++i) {
    const uint32_t word = LoadLittleEndian<uint32_t>(words.data() + i * sizeof(uint32_t));
    if ((word >> ((low * kSalts[i]) >> 27) & 1) == 0) return false;
  }
  return true;
}

}  // namespace lance::index
