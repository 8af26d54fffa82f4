#include "lance/format/encodings/bitpacking.h"

#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <cstring>
#include <string>

#include "lance/testing/seeded_random.h"
#include "samples.h"

namespace lance::format {
namespace {

std::string Hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

/// 1024 integers of `type_bits` bits, from the low bits of `value(i)`.
template <typename Value>
std::string Group(uint32_t type_bits, Value value) {
  std::string group;
  for (uint64_t i = 0; i < kGroupValues; ++i) {
    const uint64_t v = value(i);
    group.append(reinterpret_cast<const char*>(&v), type_bits / 8);
  }
  return group;
}

std::string Pack(uint32_t type_bits, uint32_t width, const std::string& values) {
  std::string packed(PackedGroupBytes(width), '\x5a');
  PackGroup(type_bits, width, AsBytes(values).data(), reinterpret_cast<std::byte*>(packed.data()));
  return packed;
}

std::string Unpack(uint32_t type_bits, uint32_t width, const std::string& packed) {
  std::string values(kGroupValues * type_bits / 8, '\x5a');
  UnpackGroup(type_bits, width, AsBytes(packed).data(),
              reinterpret_cast<std::byte*>(values.data()));
  return values;
}

uint64_t Mask(uint32_t width) { return width == 64 ? ~0ull : (1ull << width) - 1; }

struct PackVector {
  uint32_t type_bits;
  uint32_t width;
  std::string first_16_bytes;
  std::string last_4_bytes;
  std::string sha256_start;
};

class BitpackingVectorTest : public ::testing::TestWithParam<PackVector> {};

TEST_P(BitpackingVectorTest, PacksAndUnpacksThePublishedBytes) {
  const PackVector& expected = GetParam();
  const std::string values = Group(
      expected.type_bits, [&](uint64_t i) { return (i * 2654435761 >> 7) & Mask(expected.width); });

  const std::string packed = Pack(expected.type_bits, expected.width, values);

  EXPECT_EQ(Hex(packed.substr(0, 16)), expected.first_16_bytes);
  EXPECT_EQ(Hex(packed.substr(packed.size() - 4)), expected.last_4_bytes);
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(packed.data()), packed.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  EXPECT_EQ(Hex(digest.substr(0, 8)), expected.sha256_start);
  EXPECT_EQ(Unpack(expected.type_bits, expected.width, packed), values);
}

// file-format 9.3, "Test vectors".
INSTANTIATE_TEST_SUITE_P(
    All, BitpackingVectorTest,
    ::testing::Values(
        PackVector{8, 1, "aa55aaaa55aaaa5555aa5555aa5555aa", "55aaaa55", "a3582b6f169084df"},
        PackVector{8, 3, "88633e1af588ac47633ed1f58863471a", "44b1238d", "62759a5832217e61"},
        PackVector{8, 5, "2093e67acd20b4079bee41d5289b0f62", "d26f0ca0", "b10644b613df0879"},
        PackVector{8, 7, "8073e6da4dc0b4271b8e0175e85b4fc2", "745b4329", "1fac0183988636ac"},
        PackVector{16, 1, "aaaa5555aa55aaaa55aaaa55aaaa55aa", "55aa5555", "c6bf6b8c73786d29"},
        PackVector{16, 3, "88c6637d3ea21aebf51188c6ac8f4734", "eb23118d", "4a732a8e06fe3ae5"},
        PackVector{16, 5, "208a9354e6a27af1cd3f208ab4d80727", "3e0ce4a0", "6b748b524c907282"},
        PackVector{16, 15, "0080f36ee6dddacccd3bc0aab499a708", "43df29bd", "f8c2fcd0433f3783"},
        PackVector{32, 1, "aaaaaaaa555555aaaa555555aaaaaaaa", "aa555555", "dbad6ae4a83221f4"},
        PackVector{32, 3, "88c6fa88637d44633ea2b1471aeb231a", "8df5118d", "6169c620e7dc6f18"},
        PackVector{32, 5, "208a49aa93547351e6a2ac367af1e61f", "7d18e4a0", "e12ecf5aaf1a5297"},
        PackVector{32, 31, "00000080f36e3c01e6dd7882da4cb583", "29bdfee0", "01beb9b7e25164f1"},
        PackVector{64, 1, "aaaaaaaaaaaaaaaa555555aa55aa55aa", "aa555555", "805d2fd7e1c07bf6"},
        PackVector{64, 3, "88c6fa88c6faac8f637d44637d444734", "8df5118d", "a182b537fb26f2e0"},
        PackVector{64, 5, "208a49aab938e9c593547351568b37ff", "7d18e4a0", "03219ca1a55ea75e"},
        PackVector{64, 63, "0000000000000080f36e3c0100000000", "09000000", "8972ae4777074b2c"}),
    [](const auto& test) {
      return "T" + std::to_string(test.param.type_bits) + "W" + std::to_string(test.param.width);
    });

class BitpackingTwinTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(BitpackingTwinTest, EveryWidthEqualsTheScalarTwinAndComesBack) {
  const uint32_t type_bits = GetParam();
  SCOPED_TRACE(lance::testing::SeedMessage());
  lance::testing::SeededRandom random;
  for (uint32_t width = 0; width <= type_bits; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    const std::string values =
        Group(type_bits, [&](uint64_t) { return random.Next() & Mask(width); });

    const std::string packed = Pack(type_bits, width, values);

    std::string scalar(PackedGroupBytes(width), '\x33');
    PackGroupScalar(type_bits, width, AsBytes(values).data(),
                    reinterpret_cast<std::byte*>(scalar.data()));
    ASSERT_EQ(packed, scalar);
    ASSERT_EQ(Unpack(type_bits, width, packed), values);
    std::string unpacked(values.size(), '\x33');
    UnpackGroupScalar(type_bits, width, AsBytes(packed).data(),
                      reinterpret_cast<std::byte*>(unpacked.data()));
    ASSERT_EQ(unpacked, values);
  }
}

INSTANTIATE_TEST_SUITE_P(All, BitpackingTwinTest, ::testing::Values(8, 16, 32, 64),
                         [](const auto& test) { return "T" + std::to_string(test.param); });

TEST(Bitpacking, DropsBitsAboveTheWidth) {
  const std::string values = Group(32, [](uint64_t i) { return i | 0xffffff00; });

  const std::string unpacked = Unpack(32, 5, Pack(32, 5, values));

  EXPECT_EQ(unpacked, Group(32, [](uint64_t i) { return i & 31; }));
}

TEST(LargestBitWidth, IsThatOfAllValuesTogether) {
  EXPECT_EQ(LargestBitWidth(8, AsBytes(Bytes({}))), 0u);
  EXPECT_EQ(LargestBitWidth(8, AsBytes(Bytes({0, 0, 0}))), 0u);
  EXPECT_EQ(LargestBitWidth(8, AsBytes(Bytes({1, 0, 127}))), 7u);
  EXPECT_EQ(LargestBitWidth(16, AsBytes(Bytes({0, 1, 3, 0}))), 9u);
  EXPECT_EQ(LargestBitWidth(32, AsBytes(Bytes({0, 0, 0, 128}))), 32u);
  EXPECT_EQ(LargestBitWidth(64, AsBytes(Integers<int64_t>({5, -1, 7}))), 64u);
}

}  // namespace
}  // namespace lance::format
