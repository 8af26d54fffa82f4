#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arrow/api.h"
#include "arrow/json/from_string.h"
#include "arrow/util/float16.h"
#include "lance/index/predicate.h"
#include "lance/index/zone.h"

namespace lance::index {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// An array from JSON.
inline std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                             const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

/// A scalar from JSON.
inline std::shared_ptr<arrow::Scalar> ScalarOf(const std::shared_ptr<arrow::DataType>& type,
                                               const std::string& json) {
  return ArrayOf(type, "[" + json + "]")->GetScalar(0).ValueOrDie();
}

inline std::shared_ptr<arrow::Scalar> DoubleOf(double value) { return arrow::MakeScalar(value); }
inline std::shared_ptr<arrow::Scalar> StringOf(std::string value) {
  return arrow::MakeScalar(std::move(value));
}

/// Floats of any width; no value: null. The sign of a NaN is kept.
inline std::shared_ptr<arrow::Array> FloatsOf(const std::shared_ptr<arrow::DataType>& type,
                                              const std::vector<std::optional<double>>& values) {
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  for (const auto& value : values) {
    std::shared_ptr<arrow::Scalar> scalar = arrow::MakeNullScalar(type);
    if (value && type->id() == arrow::Type::DOUBLE) scalar = arrow::MakeScalar(*value);
    if (value && type->id() == arrow::Type::FLOAT) {
      scalar = arrow::MakeScalar(static_cast<float>(*value));
    }
    if (value && type->id() == arrow::Type::HALF_FLOAT) {
      scalar = std::make_shared<arrow::HalfFloatScalar>(arrow::util::Float16(*value));
    }
    if (!builder->AppendScalar(*scalar).ok()) std::abort();
  }
  return builder->Finish().ValueOrDie();
}

/// A double in words that tell zeros and NaNs of both signs apart.
inline std::string DescribeDouble(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-NaN" : "+NaN";
  if (value == 0) return std::signbit(value) ? "-0" : "+0";
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// A bound in words.
inline std::string DescribeBound(const std::shared_ptr<arrow::Scalar>& bound) {
  if (!bound || !bound->is_valid) return "null";
  switch (bound->type->id()) {
    case arrow::Type::DOUBLE:
      return DescribeDouble(static_cast<const arrow::DoubleScalar&>(*bound).value);
    case arrow::Type::FLOAT:
      return DescribeDouble(static_cast<const arrow::FloatScalar&>(*bound).value);
    case arrow::Type::HALF_FLOAT:
      return DescribeDouble(
          arrow::util::Float16::FromBits(static_cast<const arrow::HalfFloatScalar&>(*bound).value)
              .ToDouble());
    default:
      return bound->ToString();
  }
}

/// A zone in words: "100+50 [min, max] nulls 2 nans 3".
inline std::string Describe(const Zone& zone) {
  return std::to_string(zone.zone_start) + "+" + std::to_string(zone.zone_length) + " [" +
         DescribeBound(zone.min) + ", " + DescribeBound(zone.max) + "] nulls " +
         std::to_string(zone.null_count) + " nans " + std::to_string(zone.nan_count);
}

/// Zones in words.
inline std::vector<std::string> Describe(const std::vector<Zone>& zones) {
  std::vector<std::string> texts;
  for (const Zone& zone : zones) texts.push_back(Describe(zone));
  return texts;
}

/// Zones of a column by our own builder.
inline FragmentZones ZonesOf(const arrow::Array& values, uint64_t rows_per_zone) {
  ZoneBuilder builder = ZoneBuilder::Make(values.type(), rows_per_zone).ValueOrDie();
  if (!builder.Add(values).ok()) std::abort();
  return builder.Finish().ValueOrDie();
}

// ---- Predicates -------------------------------------------------------------------------------

inline Predicate Unknown() { return {}; }

inline Predicate AlwaysFalse() {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kAlwaysFalse;
  return predicate;
}

inline Predicate Tree(Predicate::Kind kind, std::vector<Predicate> children) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.children = std::move(children);
  return predicate;
}
inline Predicate And(std::vector<Predicate> children) {
  return Tree(Predicate::Kind::kAnd, std::move(children));
}
inline Predicate Or(std::vector<Predicate> children) {
  return Tree(Predicate::Kind::kOr, std::move(children));
}
inline Predicate Not(Predicate child) { return Tree(Predicate::Kind::kNot, {std::move(child)}); }

inline Predicate IsNull(int32_t field_id) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kIsNull;
  predicate.field_id = field_id;
  return predicate;
}

inline Predicate Range(int32_t field_id, std::optional<Bound> lower, std::optional<Bound> upper) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kRange;
  predicate.field_id = field_id;
  predicate.lower = std::move(lower);
  predicate.upper = std::move(upper);
  return predicate;
}

using Literal = std::shared_ptr<arrow::Scalar>;
inline Predicate Less(int32_t field, Literal v) { return Range(field, {}, Bound{v, false}); }
inline Predicate LessEqual(int32_t field, Literal v) { return Range(field, {}, Bound{v, true}); }
inline Predicate Greater(int32_t field, Literal v) { return Range(field, Bound{v, false}, {}); }
inline Predicate GreaterEqual(int32_t field, Literal v) { return Range(field, Bound{v, true}, {}); }
inline Predicate Equal(int32_t field, Literal v) {
  return Range(field, Bound{v, true}, Bound{v, true});
}
inline Predicate Between(int32_t field, Literal low, Literal high) {
  return Range(field, Bound{low, true}, Bound{high, true});
}
inline Predicate In(int32_t field_id, std::vector<Literal> values) {
  Predicate predicate;
  predicate.kind = Predicate::Kind::kIn;
  predicate.field_id = field_id;
  predicate.values = std::move(values);
  return predicate;
}

// ---- What a predicate means, row by row, written without the code under test --------------------

/// A value that the standard library can compare.
using RowValue =
    std::variant<int64_t, uint64_t, double, std::string, arrow::Decimal128, arrow::Decimal256>;

inline RowValue ValueOf(const arrow::Scalar& scalar) {
  using arrow::Type;
  switch (scalar.type->id()) {
    case Type::HALF_FLOAT:
      return arrow::util::Float16::FromBits(
                 static_cast<const arrow::HalfFloatScalar&>(scalar).value)
          .ToDouble();
    case Type::FLOAT:
      return double{static_cast<const arrow::FloatScalar&>(scalar).value};
    case Type::DOUBLE:
      return static_cast<const arrow::DoubleScalar&>(scalar).value;
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::FIXED_SIZE_BINARY:
      return static_cast<const arrow::BaseBinaryScalar&>(scalar).value->ToString();
    case Type::DECIMAL128:
      return static_cast<const arrow::Decimal128Scalar&>(scalar).value;
    case Type::DECIMAL256:
      return static_cast<const arrow::Decimal256Scalar&>(scalar).value;
    case Type::UINT64:
      return static_cast<const arrow::UInt64Scalar&>(scalar).value;
    case Type::BOOL:
      return int64_t{static_cast<const arrow::BooleanScalar&>(scalar).value};
    default: {
      const auto cast = scalar.CastTo(arrow::int64());
      return static_cast<const arrow::Int64Scalar&>(**cast).value;
    }
  }
}

/// -1, 0 or 1, in the order of zonemap-and-indices 2.6.
inline int CompareValues(const RowValue& lhs, const RowValue& rhs) {
  if (const double* left = std::get_if<double>(&lhs)) {
    const auto order = std::strong_order(*left, std::get<double>(rhs));
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  return lhs < rhs ? -1 : rhs < lhs ? 1 : 0;
}

/// Columns by field id.
using Columns = std::map<int32_t, std::shared_ptr<arrow::Array>>;

inline std::optional<bool> EvaluateLeaf(const Predicate& leaf, const arrow::Array& column,
                                        int64_t row) {
  if (leaf.kind == Predicate::Kind::kIsNull) return column.IsNull(row);
  if (column.IsNull(row)) return std::nullopt;
  const RowValue value = ValueOf(*column.GetScalar(row).ValueOrDie());
  if (leaf.kind == Predicate::Kind::kIn) {
    for (const auto& literal : leaf.values) {
      if (CompareValues(value, ValueOf(*literal)) == 0) return true;
    }
    return false;
  }
  const auto is_inside = [&](const Bound& bound, int wanted) {
    const int order = CompareValues(value, ValueOf(*bound.value));
    return order == wanted || (order == 0 && bound.inclusive);
  };
  return (!leaf.lower || is_inside(*leaf.lower, 1)) && (!leaf.upper || is_inside(*leaf.upper, -1));
}

/// SQL's three values; no value: NULL. What kUnknown stands for is `unknown`.
inline std::optional<bool> Evaluate(const Predicate& predicate, const Columns& columns, int64_t row,
                                    std::optional<bool> unknown = true) {
  switch (predicate.kind) {
    case Predicate::Kind::kUnknown:
    case Predicate::Kind::kHasAny:
    case Predicate::Kind::kHasAll:
      return unknown;
    case Predicate::Kind::kAlwaysFalse:
      return false;
    case Predicate::Kind::kNot: {
      const auto child = Evaluate(predicate.children[0], columns, row, unknown);
      return child ? std::optional<bool>(!*child) : std::nullopt;
    }
    case Predicate::Kind::kAnd:
    case Predicate::Kind::kOr: {
      const bool decisive = predicate.kind == Predicate::Kind::kOr;
      std::optional<bool> result = !decisive;
      for (const Predicate& child : predicate.children) {
        const auto value = Evaluate(child, columns, row, unknown);
        if (value == decisive) return decisive;
        if (!value) result = std::nullopt;
      }
      return result;
    }
    case Predicate::Kind::kRange:
    case Predicate::Kind::kIn:
    case Predicate::Kind::kIsNull:
      return EvaluateLeaf(predicate, *columns.at(predicate.field_id), row);
  }
  return std::nullopt;
}

}  // namespace lance::index
