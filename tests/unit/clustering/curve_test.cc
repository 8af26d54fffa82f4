#include "lance/clustering/curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "lance/clustering/curve_block.h"

namespace lance::clustering {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

std::vector<int> KeyOf(ClusteringCurve curve, std::vector<uint64_t> point, uint32_t bits) {
  std::vector<std::byte> key(CurveKeySize(point.size(), bits), std::byte{0x55});
  CurveKey(curve, point, bits, key);
  std::vector<int> numbers;
  for (const std::byte byte : key) numbers.push_back(static_cast<int>(byte));
  return numbers;
}

TEST(CurveKeySize, IsTheBitsInWholeBytes) {
  EXPECT_EQ(CurveKeySize(1, 1), 1U);
  EXPECT_EQ(CurveKeySize(3, 16), 6U);
  EXPECT_EQ(CurveKeySize(3, 3), 2U);
  EXPECT_EQ(CurveKeySize(16, 64), 128U);
}

TEST(CurveKey, ZOrderPutsTheFirstColumnFirstInEachRound) {
  EXPECT_THAT(KeyOf(ClusteringCurve::kZOrder, {1, 0}, 1), ElementsAre(0b10));
  EXPECT_THAT(KeyOf(ClusteringCurve::kZOrder, {0b101, 0b011}, 3), ElementsAre(0b100111));
}

TEST(CurveKey, UnusedBitsAreTheLeadingOnesAndZero) {
  EXPECT_THAT(KeyOf(ClusteringCurve::kZOrder, {7, 7, 7}, 3), ElementsAre(1, 0xff));
}

TEST(CurveKey, HilbertVisitsTheQuadrantsInTheShapeOfAU) {
  EXPECT_THAT(KeyOf(ClusteringCurve::kHilbert, {0, 0}, 1), ElementsAre(0));
  EXPECT_THAT(KeyOf(ClusteringCurve::kHilbert, {0, 1}, 1), ElementsAre(1));
  EXPECT_THAT(KeyOf(ClusteringCurve::kHilbert, {1, 1}, 1), ElementsAre(2));
  EXPECT_THAT(KeyOf(ClusteringCurve::kHilbert, {1, 0}, 1), ElementsAre(3));
}

TEST(CurveKey, OneColumnIsTheIdentity) {
  for (const auto curve : {ClusteringCurve::kHilbert, ClusteringCurve::kZOrder}) {
    EXPECT_THAT(KeyOf(curve, {0x0123456789abcdef}, 64),
                ElementsAre(0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef));
  }
}

TEST(CurveKey, TakesAllBitsOfManyColumns) {
  const std::vector<int> key = KeyOf(ClusteringCurve::kZOrder, std::vector<uint64_t>(16, kMax), 64);
  EXPECT_EQ(key, std::vector<int>(128, 0xff));
}

TEST(RankCoordinate, SpreadsRanksOverAllButTheLargestCoordinate) {
  EXPECT_EQ(RankCoordinate(0, 5, 16), 0U);
  EXPECT_EQ(RankCoordinate(1, 5, 16), 16383U);
  EXPECT_EQ(RankCoordinate(4, 5, 16), 65534U);
}

TEST(RankCoordinate, IsZeroForFewerThanTwoSamples) {
  EXPECT_EQ(RankCoordinate(0, 0, 16), 0U);
  EXPECT_EQ(RankCoordinate(0, 1, 16), 0U);
}

TEST(RankCoordinate, IsZeroForOneBit) { EXPECT_EQ(RankCoordinate(4, 5, 1), 0U); }

TEST(RankCoordinate, MultipliesIn128Bits) {
  EXPECT_EQ(RankCoordinate(65535, 65536, 64), kMax - 1);
  EXPECT_EQ(RankCoordinate(32768, 65537, 64), kMax / 2);
}

TEST(BlockCurve, WritesNothingForNoRows) {
  const BlockCurve block(ClusteringCurve::kHilbert, 2, 8);
  const uint64_t unused = 0;
  const std::vector<const uint64_t*> columns{&unused, &unused};
  std::byte canary{0x55};

  block.Keys(columns, 0, &canary);

  EXPECT_EQ(canary, std::byte{0x55});
}

}  // namespace
}  // namespace lance::clustering
