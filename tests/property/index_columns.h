#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../unit/index/index_fixtures.h"
#include "lance/testing/seeded_random.h"

// Random columns, and predicates over them whose literals hit them.

namespace lance::index {

using Scalars = std::vector<std::shared_ptr<arrow::Scalar>>;

/// A float of any width.
inline std::shared_ptr<arrow::Scalar> FloatScalar(const std::shared_ptr<arrow::DataType>& type,
                                                  double value) {
  return FloatsOf(type, {value})->GetScalar(0).ValueOrDie();
}

/// Values that tests of the type must meet, extremes first.
inline Scalars SpecialValues(const std::shared_ptr<arrow::DataType>& type) {
  Scalars values;
  const auto from_json = [&](const std::string& json) {
    const auto array = ArrayOf(type, json);
    for (int64_t i = 0; i < array->length(); ++i) values.push_back(*array->GetScalar(i));
  };
  if (arrow::is_floating(type->id())) {
    for (const double value : {-kInf, kInf, -0.0, 0.0, kNan, -kNan, -60000.0, 60000.0, 1e-7}) {
      values.push_back(FloatScalar(type, value));
    }
    return values;
  }
  switch (type->id()) {
    case arrow::Type::BOOL:
      from_json("[false, true]");
      break;
    case arrow::Type::INT8:
      from_json("[-128, 127, 0]");
      break;
    case arrow::Type::INT16:
      from_json("[-32768, 32767, 0]");
      break;
    case arrow::Type::INT32:
      from_json("[-2147483648, 2147483647, 0]");
      break;
    case arrow::Type::UINT8:
      from_json("[0, 255, 128]");
      break;
    case arrow::Type::UINT16:
      from_json("[0, 65535, 32768]");
      break;
    case arrow::Type::UINT32:
      from_json("[0, 4294967295, 2147483648]");
      break;
    case arrow::Type::UINT64:
      from_json("[0, 18446744073709551615, 9223372036854775808]");
      break;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
      from_json(R"(["", "\u0000", "zzzzzzzzzzzzzzzz", "00000100", "00000100\u0000", "\u00ff"])");
      break;
    case arrow::Type::FIXED_SIZE_BINARY:
      from_json(R"(["\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000", "zzzzzzzzz"])");
      break;
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      from_json(R"(["-99999999999999999999999999.99", "99999999999999999999999999.99", "0.00"])");
      break;
    case arrow::Type::DATE32:
    case arrow::Type::TIME32:
      from_json("[0, 86399]");
      break;
    case arrow::Type::DATE64:
    case arrow::Type::TIME64:
      from_json("[0, 86400000]");
      break;
    default:
      from_json("[-9223372036854775808, 9223372036854775807, 0]");
  }
  return values;
}

/// The value that stands for a place on a line of 200.
inline std::shared_ptr<arrow::Scalar> ValueAt(const std::shared_ptr<arrow::DataType>& type,
                                              int64_t place) {
  switch (type->id()) {
    case arrow::Type::BOOL:
      return arrow::MakeScalar(place >= 100);
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
      return FloatScalar(type, (static_cast<double>(place) - 100) / 4);
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY: {
      std::string digits = std::to_string(place);
      digits.insert(0, 8 - digits.size(), '0');
      return ScalarOf(type, '"' + digits + '"');
    }
    case arrow::Type::FIXED_SIZE_BINARY: {
      std::string digits = std::to_string(place);
      digits.insert(0, 9 - digits.size(), '0');
      return ScalarOf(type, '"' + digits + '"');
    }
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256:
      return ScalarOf(type, "\"" + std::to_string(place - 100) + ".25\"");
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::INT64:
      return ScalarOf(type, std::to_string(place - 100));
    case arrow::Type::DATE64:
      return ScalarOf(type, std::to_string(place * 86400000));
    default:
      return ScalarOf(type, std::to_string(place));
  }
}

/// One random column, and what literals over it are drawn from.
struct RandomColumn {
  std::shared_ptr<arrow::Array> values;
  Scalars literals;
};

/// Values that walk along the line, with runs of nulls.
inline RandomColumn MakeColumn(const std::shared_ptr<arrow::DataType>& type, int64_t num_rows,
                               lance::testing::SeededRandom& random) {
  RandomColumn column;
  column.literals = SpecialValues(type);
  const size_t num_special = column.literals.size();
  for (int64_t place = 0; place < 200; ++place) column.literals.push_back(ValueAt(type, place));
  const uint64_t null_rarity = 1 + random.Below(20), special_rarity = 10 + random.Below(400);
  auto builder = arrow::MakeBuilder(type).ValueOrDie();
  int64_t place = random.Between(0, 199);
  bool in_null_run = false;
  for (int64_t row = 0; row < num_rows; ++row) {
    if (random.OneIn(30)) in_null_run = random.OneIn(null_rarity);
    place = std::clamp<int64_t>(place + random.Between(-2, 2), 0, 199);
    if (random.OneIn(150)) place = random.Between(0, 199);
    auto value = column.literals[num_special + static_cast<size_t>(place)];
    if (random.OneIn(special_rarity)) value = column.literals[random.Below(num_special)];
    const bool is_null = in_null_run || random.OneIn(40 * null_rarity);
    if (!(is_null ? builder->AppendNull() : builder->AppendScalar(*value)).ok()) std::abort();
  }
  column.values = builder->Finish().ValueOrDie();
  return column;
}

/// A random leaf over one of several columns.
inline Predicate MakeLeaf(const std::map<int32_t, RandomColumn>& columns,
                          lance::testing::SeededRandom& random) {
  const auto field = static_cast<int32_t>(random.Below(columns.size()));
  const Scalars& literals = columns.at(field).literals;
  const auto literal = [&] { return literals[random.Below(literals.size())]; };
  const auto bound = [&]() -> std::optional<Bound> {
    if (random.OneIn(3)) return std::nullopt;
    return Bound{literal(), random.OneIn(2)};
  };
  switch (random.Below(12)) {
    case 0:
      return Unknown();
    case 1:
      return AlwaysFalse();
    case 2:
    case 3:
      return IsNull(field);
    case 4:
    case 5: {
      Scalars values;
      for (uint64_t i = random.Below(6); i > 0; --i) values.push_back(literal());
      return In(field, values);
    }
    case 6:
    case 7:
      return Equal(field, literal());
    default:
      return Range(field, bound(), bound());
  }
}

/// A predicate in words.
inline std::string Describe(const Predicate& predicate) {
  static const char* const kNames[] = {"?", "FALSE", "AND", "OR", "NOT", "RANGE", "IN", "NULL"};
  std::string text = kNames[static_cast<int>(predicate.kind)];
  if (predicate.field_id >= 0) text += " c" + std::to_string(predicate.field_id);
  const auto end = [](const std::optional<Bound>& bound) {
    return bound ? DescribeBound(bound->value) + (bound->inclusive ? " incl" : " excl") : "open";
  };
  if (predicate.kind == Predicate::Kind::kRange) {
    text += " " + end(predicate.lower) + ".." + end(predicate.upper);
  }
  for (const auto& value : predicate.values) text += " " + DescribeBound(value);
  for (const Predicate& child : predicate.children) text += " (" + Describe(child) + ")";
  return text;
}

}  // namespace lance::index
