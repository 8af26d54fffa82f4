#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "lance/clustering/curve.h"
#include "lance/clustering/curve_block.h"
#include "lance/testing/seeded_random.h"

namespace lance::clustering {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;
using Point = std::vector<uint64_t>;

std::string KeyOf(ClusteringCurve curve, Point point, uint32_t bits) {
  std::string key(CurveKeySize(point.size(), bits), '\x55');
  CurveKey(curve, point, bits, std::as_writable_bytes(std::span(key.data(), key.size())));
  return key;
}

/// All points of a small grid.
std::vector<Point> Grid(size_t dimensions, uint32_t bits) {
  const uint64_t num_points = uint64_t{1} << (dimensions * bits);
  std::vector<Point> points;
  for (uint64_t number = 0; number < num_points; ++number) {
    Point point;
    for (size_t i = 0; i < dimensions; ++i) {
      point.push_back(number >> (i * bits) & ((uint64_t{1} << bits) - 1));
    }
    points.push_back(point);
  }
  return points;
}

uint64_t Distance(const Point& lhs, const Point& rhs) {
  uint64_t distance = 0;
  for (size_t i = 0; i < lhs.size(); ++i) {
    distance += lhs[i] > rhs[i] ? lhs[i] - rhs[i] : rhs[i] - lhs[i];
  }
  return distance;
}

struct GridSize {
  size_t dimensions;
  uint32_t bits;
};

void PrintTo(const GridSize& size, std::ostream* out) {
  *out << size.dimensions << " dimensions of " << size.bits << " bits";
}

class CurveGridTest : public ::testing::TestWithParam<GridSize> {};

TEST_P(CurveGridTest, BothCurvesAreBijections) {
  const auto [dimensions, bits] = GetParam();
  for (const auto curve : {ClusteringCurve::kHilbert, ClusteringCurve::kZOrder}) {
    std::set<std::string> keys;
    const std::vector<Point> points = Grid(dimensions, bits);
    for (const Point& point : points) keys.insert(KeyOf(curve, point, bits));
    EXPECT_EQ(keys.size(), points.size());
  }
}

TEST_P(CurveGridTest, NeighboursOnHilbertDifferByOneInOneCoordinate) {
  const auto [dimensions, bits] = GetParam();
  std::map<std::string, Point> by_key;
  for (const Point& point : Grid(dimensions, bits)) {
    by_key.emplace(KeyOf(ClusteringCurve::kHilbert, point, bits), point);
  }
  const Point* previous = nullptr;
  for (const auto& [key, point] : by_key) {
    if (previous != nullptr) {
      ASSERT_EQ(Distance(*previous, point), 1);
    }
    previous = &point;
  }
}

INSTANTIATE_TEST_SUITE_P(Small, CurveGridTest,
                         ::testing::Values(GridSize{1, 1}, GridSize{1, 8}, GridSize{2, 1},
                                           GridSize{2, 2}, GridSize{2, 3}, GridSize{2, 6},
                                           GridSize{3, 1}, GridSize{3, 2}, GridSize{3, 4},
                                           GridSize{4, 1}, GridSize{4, 3}, GridSize{5, 2},
                                           GridSize{9, 1}));

Point RandomPoint(SeededRandom* random, size_t dimensions, uint32_t bits) {
  Point point;
  for (size_t i = 0; i < dimensions; ++i) point.push_back(random->Next() >> (64 - bits));
  return point;
}

TEST(ZOrderProperty, IsTheInterleavedBits) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(300); ++round) {
    const size_t dimensions = 1 + random.Below(17);
    const auto bits = static_cast<uint32_t>(1 + random.Below(64));
    const Point point = RandomPoint(&random, dimensions, bits);
    std::string digits(CurveKeySize(dimensions, bits) * 8 - dimensions * bits, '0');
    for (uint32_t level = bits; level-- > 0;) {
      for (const uint64_t coordinate : point) digits += (coordinate >> level & 1) != 0 ? '1' : '0';
    }
    std::string expected;
    for (size_t i = 0; i < digits.size(); i += 8) {
      expected += static_cast<char>(std::stoi(digits.substr(i, 8), nullptr, 2));
    }

    ASSERT_EQ(KeyOf(ClusteringCurve::kZOrder, point, bits), expected)
        << dimensions << " dimensions of " << bits << " bits";
  }
}

TEST(BlockCurveProperty, WritesTheKeysOfTheRows) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(150); ++round) {
    const size_t dimensions = 1 + random.Below(18);
    const auto bits = static_cast<uint32_t>(1 + random.Below(64));
    const auto curve = random.OneIn(3) ? ClusteringCurve::kZOrder : ClusteringCurve::kHilbert;
    const size_t num_rows = random.Below(600);
    std::vector<Point> columns(dimensions);
    std::string expected;
    for (size_t row = 0; row < num_rows; ++row) {
      const Point point = RandomPoint(&random, dimensions, bits);
      for (size_t i = 0; i < dimensions; ++i) columns[i].push_back(point[i]);
      expected += KeyOf(curve, point, bits);
    }
    std::vector<const uint64_t*> pointers;
    for (const Point& column : columns) pointers.push_back(column.data());
    const BlockCurve block(curve, dimensions, bits);
    std::string keys(num_rows * block.key_size(), '\x55');

    block.Keys(pointers, num_rows, reinterpret_cast<std::byte*>(keys.data()));

    ASSERT_EQ(keys, expected) << dimensions << " dimensions of " << bits << " bits, " << num_rows;
  }
}

}  // namespace
}  // namespace lance::clustering
