#include "lance/format/encodings/vector_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "lance/format/encodings/bitpacking.h"
#include "lance/testing/seeded_random.h"
#include "value_samples.h"

namespace lance::format {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

std::byte* Writable(std::string* text) { return reinterpret_cast<std::byte*>(text->data()); }
const std::byte* Readable(const std::string& text) { return AsBytes(text).data(); }

std::string RandomBytes(uint64_t size, SeededRandom* random) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random->Below(256));
  return bytes;
}

TEST(VectorKernels, ThisMachineRunsThePortableOnesAndTheBestAreTheLast) {
  ASSERT_FALSE(RunnableKernels().empty());
  EXPECT_EQ(std::string_view(RunnableKernels().front()->name), "portable");
  EXPECT_EQ(&BestKernels(), RunnableKernels().back());
}

#if defined(__x86_64__)
TEST(VectorKernels, BuildsForX86HaveThoseOfTheProcessor) {
  std::vector<std::string_view> expected = {"portable"};
  if (__builtin_cpu_supports("avx2")) expected.push_back("avx2");
  if (__builtin_cpu_supports("avx512bw")) expected.push_back("avx512");
  std::vector<std::string_view> names;
  for (const VectorKernels* kernels : RunnableKernels()) names.push_back(kernels->name);
  EXPECT_EQ(names, expected);
}
#endif

class VectorKernelsTest : public ::testing::TestWithParam<const VectorKernels*> {
 protected:
  const VectorKernels& kernels_ = *GetParam();
};

TEST_P(VectorKernelsTest, PackAndUnpackAsTheScalarTwins) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (const uint32_t bits : {8u, 16u, 32u, 64u}) {
    for (uint32_t width = 1; width <= bits; ++width) {
      SCOPED_TRACE(std::to_string(bits) + " bits to " + std::to_string(width));
      const std::string values = RandomBytes(kGroupValues * bits / 8, &random);
      std::string packed(PackedGroupBytes(width), '\0');
      std::string unpacked(values.size(), '\0');
      std::string scalar_packed = packed;
      std::string scalar_unpacked = unpacked;

      kernels_.pack_group(bits, width, Readable(values), Writable(&packed));
      PackGroupScalar(bits, width, Readable(values), Writable(&scalar_packed));
      kernels_.unpack_group(bits, width, Readable(packed), Writable(&unpacked));
      UnpackGroupScalar(bits, width, Readable(packed), Writable(&scalar_unpacked));

      ASSERT_EQ(packed, scalar_packed);
      ASSERT_EQ(unpacked, scalar_unpacked);
    }
  }
}

TEST_P(VectorKernelsTest, ExpandRunsAsTheScalarTwinAndKeepWithinTheSlack) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (int round = 0; round < NumRounds(400); ++round) {
    const uint32_t bits = 8u << random.Below(4);
    const uint64_t num_runs = 1 + random.Below(40);
    const std::string values = RandomBytes(num_runs * bits / 8, &random);
    std::string lengths;
    uint64_t total = 0;
    for (uint64_t i = 0; i < num_runs; ++i) {
      const uint64_t length = 1 + random.Below(random.OneIn(2) ? 255 : 4);
      lengths.push_back(static_cast<char>(length));
      total += length;
    }
    const uint64_t num_values = random.OneIn(2) ? total : 1 + random.Below(total);
    const uint64_t size = num_values * bits / 8;
    std::string expanded(size + kKernelSlack + 8, '\x5a');
    std::string expected(size, '\0');

    kernels_.expand_runs(bits, Readable(values), Readable(lengths), num_values,
                         Writable(&expanded));
    ExpandRunsScalar(bits, Readable(values), Readable(lengths), num_values, Writable(&expected));

    ASSERT_EQ(expanded.substr(0, size), expected);
    ASSERT_EQ(expanded.substr(size + kKernelSlack), std::string(8, '\x5a'));
  }
}

TEST_P(VectorKernelsTest, MergeStreamsAsTheScalarTwin) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (const uint32_t bits : {32u, 64u}) {
    for (const uint64_t num_values : {0, 1, 15, 16, 17, 64, 1000, 1024}) {
      const std::string streams = RandomBytes(num_values * bits / 8, &random);
      std::string merged(streams.size(), '\0');
      std::string expected = merged;

      kernels_.merge_streams(bits, Readable(streams), num_values, Writable(&merged));
      MergeStreamsScalar(bits, Readable(streams), num_values, Writable(&expected));

      ASSERT_EQ(merged, expected) << bits << " bits, " << num_values << " values";
    }
  }
}

TEST_P(VectorKernelsTest, FindTheWidthOfTheLargestValue) {
  for (const uint32_t bits : {8u, 16u, 32u, 64u}) {
    EXPECT_EQ(kernels_.largest_bit_width(bits, nullptr, 0), 0u);
    for (uint32_t width = 0; width <= bits; ++width) {
      std::string values(77 * bits / 8, '\0');
      if (width > 0) {
        const uint64_t value = uint64_t{1} << (width - 1);
        std::copy_n(reinterpret_cast<const char*>(&value), bits / 8, &values[50 * bits / 8]);
      }
      EXPECT_EQ(kernels_.largest_bit_width(bits, Readable(values), 77), width);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, VectorKernelsTest, ::testing::ValuesIn(RunnableKernels()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST(MergeStreams, PutsTheBytesOfAValueTogether) {
  const std::string streams = "aAbBcCdD";  // 4 streams of 2 bytes
  std::string merged(8, '\0');

  MergeStreams(32, Readable(streams), 2, Writable(&merged));

  EXPECT_EQ(merged, "abcdABCD");
}

}  // namespace
}  // namespace lance::format
