#include "lance/dataset/filter/cast_type.h"

#include <cstdio>
#include <map>
#include <string>

#include "arrow/api.h"

namespace lance::filter {

namespace {

using TypePtr = std::shared_ptr<arrow::DataType>;

/// DECIMAL(p, s) or DECIMAL(p).
TypePtr MakeDecimal(const std::string& name) {
  int precision = 0;
  int scale = 0;
  int length = 0;
  const bool has_both =
      std::sscanf(name.c_str(), "DECIMAL(%2d, %2d)%n", &precision, &scale, &length) == 2;
  if (!has_both && std::sscanf(name.c_str(), "DECIMAL(%2d)%n", &precision, &length) != 1) {
    return nullptr;
  }
  if (static_cast<size_t>(length) != name.size()) return nullptr;
  if (precision < 1 || precision > 38 || scale > precision) return nullptr;
  return arrow::decimal128(precision, scale);
}

/// Decimal128(p, s), Decimal256(p, s) or FixedSizeBinary(n).
TypePtr MakeParametric(const std::string& name) {
  int bits = 0;
  int first = 0;
  int second = 0;
  int length = 0;
  if (std::sscanf(name.c_str(), "Decimal%3d(%2d, %2d)%n", &bits, &first, &second, &length) == 3) {
    const bool is_whole = static_cast<size_t>(length) == name.size();
    if (!is_whole || first < 1 || second > first) return nullptr;
    if (bits == 128 && first <= arrow::Decimal128Type::kMaxPrecision) {
      return arrow::decimal128(first, second);
    }
    const bool fits = bits == 256 && first <= arrow::Decimal256Type::kMaxPrecision;
    return fits ? arrow::decimal256(first, second) : nullptr;
  }
  if (std::sscanf(name.c_str(), "FixedSizeBinary(%9d)%n", &first, &length) == 1) {
    const bool is_whole = static_cast<size_t>(length) == name.size();
    return is_whole && first > 0 ? arrow::fixed_size_binary(first) : nullptr;
  }
  return nullptr;
}

/// Timestamp(Second, Some("UTC")).
TypePtr MakeZonedTimestamp(std::string_view name) {
  constexpr std::pair<std::string_view, arrow::TimeUnit::type> kUnits[] = {
      {"Second", arrow::TimeUnit::SECOND},
      {"Millisecond", arrow::TimeUnit::MILLI},
      {"Microsecond", arrow::TimeUnit::MICRO},
      {"Nanosecond", arrow::TimeUnit::NANO}};
  for (const auto& [unit_name, unit] : kUnits) {
    const std::string start = "Timestamp(" + std::string(unit_name) + ", Some(\"";
    if (!name.starts_with(start) || !name.ends_with("\"))")) continue;
    const auto zone = name.substr(start.size(), name.size() - start.size() - 3);
    return zone.empty() ? nullptr : arrow::timestamp(unit, std::string(zone));
  }
  return nullptr;
}

}  // namespace

TypePtr MakeCastType(std::string_view name) {
  static const std::map<std::string, TypePtr, std::less<>> types = {
      {"BOOLEAN", arrow::boolean()},
      {"TINYINT", arrow::int8()},
      {"SMALLINT", arrow::int16()},
      {"INT", arrow::int32()},
      {"INTEGER", arrow::int32()},
      {"BIGINT", arrow::int64()},
      {"TINYINT UNSIGNED", arrow::uint8()},
      {"SMALLINT UNSIGNED", arrow::uint16()},
      {"INT UNSIGNED", arrow::uint32()},
      {"INTEGER UNSIGNED", arrow::uint32()},
      {"BIGINT UNSIGNED", arrow::uint64()},
      {"FLOAT", arrow::float32()},
      {"DOUBLE", arrow::float64()},
      {"STRING", arrow::utf8()},
      {"BINARY", arrow::binary()},
      {"DATE", arrow::date32()},
      {"TIMESTAMP", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"TIMESTAMP(0)", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"TIMESTAMP(3)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"TIMESTAMP(6)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"TIMESTAMP(9)", arrow::timestamp(arrow::TimeUnit::NANO)},
      {"DATETIME", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"DATETIME(0)", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"DATETIME(3)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"DATETIME(6)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"DATETIME(9)", arrow::timestamp(arrow::TimeUnit::NANO)},
  };
  const auto found = types.find(name);
  return found != types.end() ? found->second : MakeDecimal(std::string(name));
}

TypePtr MakeArrowCastType(std::string_view name) {
  static const std::map<std::string, TypePtr, std::less<>> types = {
      {"Boolean", arrow::boolean()},
      {"Int8", arrow::int8()},
      {"Int16", arrow::int16()},
      {"Int32", arrow::int32()},
      {"Int64", arrow::int64()},
      {"UInt8", arrow::uint8()},
      {"UInt16", arrow::uint16()},
      {"UInt32", arrow::uint32()},
      {"UInt64", arrow::uint64()},
      {"Float16", arrow::float16()},
      {"Float32", arrow::float32()},
      {"Float64", arrow::float64()},
      {"Utf8", arrow::utf8()},
      {"LargeUtf8", arrow::large_utf8()},
      {"Binary", arrow::binary()},
      {"LargeBinary", arrow::large_binary()},
      {"Date32", arrow::date32()},
      {"Date64", arrow::date64()},
      {"Time32(Second)", arrow::time32(arrow::TimeUnit::SECOND)},
      {"Time32(Millisecond)", arrow::time32(arrow::TimeUnit::MILLI)},
      {"Time64(Microsecond)", arrow::time64(arrow::TimeUnit::MICRO)},
      {"Time64(Nanosecond)", arrow::time64(arrow::TimeUnit::NANO)},
      {"Duration(Second)", arrow::duration(arrow::TimeUnit::SECOND)},
      {"Duration(Millisecond)", arrow::duration(arrow::TimeUnit::MILLI)},
      {"Duration(Microsecond)", arrow::duration(arrow::TimeUnit::MICRO)},
      {"Duration(Nanosecond)", arrow::duration(arrow::TimeUnit::NANO)},
      {"Timestamp(Second, None)", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"Timestamp(Millisecond, None)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"Timestamp(Microsecond, None)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"Timestamp(Nanosecond, None)", arrow::timestamp(arrow::TimeUnit::NANO)},
  };
  const auto found = types.find(name);
  if (found != types.end()) return found->second;
  if (auto timestamp = MakeZonedTimestamp(name)) return timestamp;
  return MakeParametric(std::string(name));
}

}  // namespace lance::filter
