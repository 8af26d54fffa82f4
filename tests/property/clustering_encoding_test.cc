#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "arrow/api.h"
#include "clustering_bytes.h"
#include "lance/clustering/curve.h"
#include "lance/clustering/encoded_value.h"
#include "lance/clustering/rank_lookup.h"

namespace lance::clustering {
namespace {

using lance::testing::HostileBytes;
using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

constexpr auto kV1 = ClusteringAlgorithm::kTypedQuantileRankV1;
constexpr auto kV2 = ClusteringAlgorithm::kTypedQuantileRankV2;

// Lengths around every border of the encoding.
constexpr size_t kLengths[] = {0, 1, 7, 8, 9, 31, 32, 33, 64, 255, 256, 257, 300};

int Sign(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

template <typename T>
int Order(const T& lhs, const T& rhs) {
  return lhs < rhs ? -1 : rhs < lhs ? 1 : 0;
}

/// Edge values of a number type and random ones, some of them twice.
template <typename T>
std::vector<T> Numbers(SeededRandom* random) {
  std::vector<T> numbers{T{0}, T{1}, std::numeric_limits<T>::lowest(),
                         std::numeric_limits<T>::max(), static_cast<T>(T{0} - T{1})};
  for (int i = 0; i < 40; ++i) {
    const uint64_t bits = random->Next() >> random->Below(64);
    T number;
    std::memcpy(&number, &bits, sizeof(T));
    numbers.push_back(number);
  }
  numbers.push_back(numbers.back());
  return numbers;
}

/// Where a float stands in the IEEE 754 total order, by its parts.
template <typename T>
std::pair<int, double> TotalOrder(T number) {
  const double magnitude = std::isnan(number) ? std::numeric_limits<double>::infinity()
                                              : std::fabs(static_cast<double>(number));
  const int rank = std::isnan(number) ? 3 : 1;  // beyond infinity
  return std::signbit(number) ? std::pair{-rank, -magnitude} : std::pair{rank, magnitude};
}

template <typename ArrowType, typename Compare>
void ExpectOrderKept(const std::shared_ptr<arrow::DataType>& type,
                     const std::vector<typename ArrowType::c_type>& numbers, Compare compare) {
  typename arrow::TypeTraits<ArrowType>::BuilderType builder(type, arrow::default_memory_pool());
  ASSERT_TRUE(builder.AppendValues(numbers).ok());
  const auto array = builder.Finish().ValueOrDie();
  const auto encoded = EncodeColumn(*array, kV2);
  ASSERT_TRUE(encoded.ok()) << encoded.status();
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = 0; j < numbers.size(); ++j) {
      ASSERT_EQ(Sign(encoded->value(i).compare(encoded->value(j))), compare(numbers[i], numbers[j]))
          << type->ToString() << ": " << +numbers[i] << " and " << +numbers[j];
    }
  }
}

template <typename ArrowType>
void ExpectNumericOrderKept(const std::shared_ptr<arrow::DataType>& type, SeededRandom* random) {
  using T = typename ArrowType::c_type;
  ExpectOrderKept<ArrowType>(type, Numbers<T>(random), Order<T>);
}

template <typename ArrowType>
void ExpectTotalOrderKept(SeededRandom* random) {
  using T = typename ArrowType::c_type;
  std::vector<T> numbers = Numbers<T>(random);
  std::erase_if(numbers, [](T number) { return std::isnan(number); });  // payloads order NaNs
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T infinity = std::numeric_limits<T>::infinity();
  for (const T number : {nan, std::copysign(nan, T{-1}), infinity, -infinity, -T{0}}) {
    numbers.push_back(number);
  }
  ExpectOrderKept<ArrowType>(arrow::TypeTraits<ArrowType>::type_singleton(), numbers,
                             [](T lhs, T rhs) { return Order(TotalOrder(lhs), TotalOrder(rhs)); });
}

TEST(EncodedValueOrder, IsTheValueOrderForEveryNumberType) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(5); ++round) {
    ExpectNumericOrderKept<arrow::Int8Type>(arrow::int8(), &random);
    ExpectNumericOrderKept<arrow::Int16Type>(arrow::int16(), &random);
    ExpectNumericOrderKept<arrow::Int32Type>(arrow::int32(), &random);
    ExpectNumericOrderKept<arrow::Int64Type>(arrow::int64(), &random);
    ExpectNumericOrderKept<arrow::UInt8Type>(arrow::uint8(), &random);
    ExpectNumericOrderKept<arrow::UInt16Type>(arrow::uint16(), &random);
    ExpectNumericOrderKept<arrow::UInt32Type>(arrow::uint32(), &random);
    ExpectNumericOrderKept<arrow::UInt64Type>(arrow::uint64(), &random);
    ExpectNumericOrderKept<arrow::Date32Type>(arrow::date32(), &random);
    ExpectNumericOrderKept<arrow::Date64Type>(arrow::date64(), &random);
    ExpectNumericOrderKept<arrow::Time32Type>(arrow::time32(arrow::TimeUnit::MILLI), &random);
    ExpectNumericOrderKept<arrow::Time64Type>(arrow::time64(arrow::TimeUnit::NANO), &random);
    for (const auto unit : {arrow::TimeUnit::SECOND, arrow::TimeUnit::MILLI, arrow::TimeUnit::MICRO,
                            arrow::TimeUnit::NANO}) {
      ExpectNumericOrderKept<arrow::TimestampType>(arrow::timestamp(unit, "Europe/Paris"), &random);
    }
    ExpectTotalOrderKept<arrow::FloatType>(&random);
    ExpectTotalOrderKept<arrow::DoubleType>(&random);
  }
}

TEST(EncodedValueOrder, IsTheValueOrderForDecimals) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  std::vector<arrow::Decimal128> numbers{0, 1, -1};
  for (int i = 0; i < 40; ++i) {
    // Few digits as well as many: the high half is all zeros or ones, or it decides.
    const auto high = static_cast<int64_t>(random.Next()) >> (random.OneIn(2) ? 63 : 5);
    numbers.emplace_back(high, random.Next());
  }
  arrow::Decimal128Builder builder(arrow::decimal128(38, 3));
  for (const auto& number : numbers) ASSERT_TRUE(builder.Append(number).ok());
  const auto array = builder.Finish().ValueOrDie();

  const auto encoded = EncodeColumn(*array, kV1);

  ASSERT_TRUE(encoded.ok()) << encoded.status();
  for (size_t i = 0; i < numbers.size(); ++i) {
    for (size_t j = 0; j < numbers.size(); ++j) {
      ASSERT_EQ(Sign(encoded->value(i).compare(encoded->value(j))), Order(numbers[i], numbers[j]))
          << numbers[i].ToIntegerString() << " and " << numbers[j].ToIntegerString();
    }
  }
}

/// Strings of all lengths, prefixes of each other among them.
std::vector<std::string> HostileStrings(SeededRandom* random) {
  std::vector<std::string> strings;
  const std::string stem = HostileBytes(random, 300);
  for (const size_t length : kLengths) {
    strings.push_back(stem.substr(0, length));
    strings.push_back(HostileBytes(random, length));
    strings.push_back(stem.substr(0, length / 2) + HostileBytes(random, length - length / 2));
    strings.push_back(std::string(length, '\0'));
    strings.push_back(std::string(length, '\xff'));
  }
  return strings;
}

std::shared_ptr<arrow::Array> BinaryArray(const std::vector<std::string>& values) {
  arrow::BinaryBuilder builder;
  EXPECT_TRUE(builder.AppendValues(values).ok());
  return builder.Finish().ValueOrDie();
}

/// The order that an algorithm promises, computed from the values.
int StringOrder(ClusteringAlgorithm algorithm, const std::string& lhs, const std::string& rhs) {
  if (algorithm == kV1) return Sign(lhs.compare(rhs));
  const int order = Sign(lhs.substr(0, 256).compare(rhs.substr(0, 256)));
  return order != 0 ? order : Order(lhs.size() > 256, rhs.size() > 256);
}

TEST(EncodedValueOrder, IsTheValueOrderForStrings) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(4); ++round) {
    const std::vector<std::string> strings = HostileStrings(&random);
    for (const auto algorithm : {kV1, kV2}) {
      const auto encoded = EncodeColumn(*BinaryArray(strings), algorithm);
      ASSERT_TRUE(encoded.ok()) << encoded.status();
      for (size_t i = 0; i < strings.size(); ++i) {
        for (size_t j = 0; j < strings.size(); ++j) {
          ASSERT_EQ(Sign(encoded->value(i).compare(encoded->value(j))),
                    StringOrder(algorithm, strings[i], strings[j]))
              << strings[i].size() << " and " << strings[j].size() << " bytes";
        }
      }
    }
  }
}

TEST(EncodedValueBytes, DecodeToWhatWasEncodedAndHaveTheSizeForetold) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  const std::vector<std::string> strings = HostileStrings(&random);
  for (const auto algorithm : {kV1, kV2}) {
    const auto encoded = EncodeColumn(*BinaryArray(strings), algorithm);
    const auto encoding = MakeValueEncoding(algorithm, *arrow::binary(), "");
    ASSERT_TRUE(encoded.ok() && encoding.ok());
    for (size_t i = 0; i < strings.size(); ++i) {
      const auto decoded = DecodeBytes(encoded->value(i));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      const bool is_cut = algorithm == kV2 && strings[i].size() > 256;
      EXPECT_EQ(decoded->bytes, is_cut ? strings[i].substr(0, 256) : strings[i]);
      EXPECT_EQ(decoded->is_cut, is_cut);
      EXPECT_EQ(encoding->EncodedSize(strings[i].size()), encoded->value(i).size());
    }
  }
}

/// Coordinates of `queries` by the rule's own words, over encoded bytes.
std::vector<uint64_t> CoordinatesByTheRule(const std::vector<std::string>& sorted_samples,
                                           const EncodedColumn& queries, uint32_t bits) {
  std::vector<uint64_t> coordinates;
  for (size_t row = 0; row < queries.num_rows(); ++row) {
    const auto upper = static_cast<uint64_t>(
        std::count_if(sorted_samples.begin(), sorted_samples.end(),
                      [&](const std::string& sample) { return sample <= queries.value(row); }));
    coordinates.push_back(RankCoordinate(upper == 0 ? 0 : upper - 1, sorted_samples.size(), bits));
  }
  return coordinates;
}

void ExpectCoordinatesByTheRule(ClusteringAlgorithm algorithm, const arrow::Array& samples,
                                const arrow::Array& queries) {
  const auto encoding = MakeValueEncoding(algorithm, *samples.type(), "");
  const auto encoded_samples = EncodeColumn(samples, algorithm);
  const auto encoded_queries = EncodeColumn(queries, algorithm);
  ASSERT_TRUE(encoding.ok() && encoded_samples.ok() && encoded_queries.ok());
  std::vector<std::string> sorted;
  for (size_t row = 0; row < encoded_samples->num_rows(); ++row) {
    sorted.emplace_back(encoded_samples->value(row));
  }
  std::sort(sorted.begin(), sorted.end());
  const auto lookup = RankLookup::Make(*encoding, sorted, 64);
  ASSERT_TRUE(lookup.ok()) << lookup.status();

  std::vector<uint64_t> coordinates(static_cast<size_t>(queries.length()));
  lookup->Coordinates(queries, 0, coordinates);

  ASSERT_EQ(coordinates, CoordinatesByTheRule(sorted, *encoded_queries, 64));
}

TEST(RankLookupProperty, FindsTheCoordinateOfEveryString) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(20); ++round) {
    std::vector<std::string> samples;
    const std::string stem = HostileBytes(&random, random.Below(300));
    while (samples.size() < 1 + static_cast<size_t>(round) * 7) {
      const std::string tail = HostileBytes(&random, random.Below(12));
      samples.push_back(random.OneIn(4) ? tail
                                        : stem.substr(0, random.Below(stem.size() + 1)) + tail);
    }
    std::vector<std::string> queries = samples;
    for (const std::string& sample : samples) {
      queries.push_back(sample.substr(0, random.Below(sample.size() + 1)));
      queries.push_back(sample + HostileBytes(&random, random.Below(9)));
      queries.push_back(HostileBytes(&random, random.Below(20)));
    }
    for (const auto algorithm : {kV1, kV2}) {
      ExpectCoordinatesByTheRule(algorithm, *BinaryArray(samples), *BinaryArray(queries));
    }
  }
}

TEST(RankLookupProperty, FindsTheCoordinateOfEveryNumber) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(20); ++round) {
    arrow::Int64Builder samples, queries;
    const uint64_t spread = random.Next() >> random.Below(64) | 1;
    for (int i = 0; i < round * 5; ++i) {
      ASSERT_TRUE(samples.Append(static_cast<int64_t>(random.Below(spread))).ok());
    }
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(queries.Append(static_cast<int64_t>(random.Below(spread)) - 1).ok());
    }
    ASSERT_TRUE(queries.AppendValues({INT64_MIN, INT64_MAX, 0}).ok());
    ExpectCoordinatesByTheRule(kV1, *samples.Finish().ValueOrDie(), *queries.Finish().ValueOrDie());
  }
}

TEST(RankLookupProperty, FindsTheCoordinateOfEveryDecimal) {
  SeededRandom random;
  SCOPED_TRACE(SeedMessage());
  for (int round = 0; round < NumRounds(20); ++round) {
    arrow::Decimal128Builder samples(arrow::decimal128(38, 0)), queries(arrow::decimal128(38, 0));
    for (int i = 0; i < 60; ++i) {
      const auto high = static_cast<int64_t>(random.Below(3)) - 1;
      ASSERT_TRUE(samples.Append(arrow::Decimal128(high, random.Below(9))).ok());
      ASSERT_TRUE(queries.Append(arrow::Decimal128(high, random.Below(9))).ok());
    }
    ExpectCoordinatesByTheRule(kV2, *samples.Finish().ValueOrDie(), *queries.Finish().ValueOrDie());
  }
}

}  // namespace
}  // namespace lance::clustering
