#include "lance/dataset/filter/cast_value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/list_rows.h"
#include "lance/dataset/filter/temporal_literal.h"
#include "lance/dataset/filter/text_cast.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Type;
using DatumResult = arrow::Result<Datum>;
using TypePtr = std::shared_ptr<arrow::DataType>;

bool IsFloat(const arrow::DataType& type) {
  return type.id() == Type::FLOAT || type.id() == Type::DOUBLE;
}

bool IsBytes(const arrow::DataType& type) {
  return IsTextType(type) || type.id() == Type::BINARY || type.id() == Type::LARGE_BINARY;
}

bool IsFixedSizeBinary(const arrow::DataType& type) { return type.id() == Type::FIXED_SIZE_BINARY; }

bool IsTemporal(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::DATE64 || type.id() == Type::TIMESTAMP;
}

/// A time of day or a length of time.
bool IsClock(const arrow::DataType& type) {
  return type.id() == Type::TIME32 || type.id() == Type::TIME64 || type.id() == Type::DURATION;
}

/// What a float must lie in, without its ends, for its whole part to fit an integer type.
struct OpenRange {
  double low;
  double high;
};

OpenRange WholeRange(const arrow::DataType& type) {
  const int bits = type.bit_width();
  if (!arrow::is_signed_integer(type.id())) return {-1.0, std::ldexp(1.0, bits)};
  // Below 64 bits the double next to the lowest value minus one is that number itself.
  const double lowest = -std::ldexp(1.0, bits - 1);
  return {bits < 64 ? lowest - 1 : std::nextafter(lowest, -HUGE_VAL), std::ldexp(1.0, bits - 1)};
}

/// Check doubles against a range; with `is_try` make what is outside null.
DatumResult LimitFloats(const Datum& value, const TypePtr& to, bool is_try) {
  ARROW_ASSIGN_OR_RAISE(const Datum doubles, arrow::compute::Cast(value, arrow::float64()));
  const bool is_scalar = doubles.is_scalar();
  std::shared_ptr<arrow::Array> array;
  if (is_scalar) {
    ARROW_ASSIGN_OR_RAISE(array, arrow::MakeArrayFromScalar(*doubles.scalar(), 1));
  } else {
    array = doubles.make_array();
  }
  const auto& values = static_cast<const arrow::DoubleArray&>(*array);
  const OpenRange range = WholeRange(*to);
  arrow::DoubleBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) {
    const double number = values.IsNull(i) ? 0 : std::trunc(values.Value(i));
    const bool fits = number > range.low && number < range.high;  // false for NaN
    if (values.IsNull(i) || (!fits && is_try)) {
      builder.UnsafeAppendNull();
    } else if (fits) {
      builder.UnsafeAppend(number);
    } else {
      return arrow::Status::Invalid("the number ", values.Value(i), " does not fit ",
                                    to->ToString());
    }
  }
  ARROW_ASSIGN_OR_RAISE(array, builder.Finish());
  if (!is_scalar) return Datum(array);
  ARROW_ASSIGN_OR_RAISE(auto scalar, array->GetScalar(0));
  return Datum(std::move(scalar));
}

arrow::compute::CastOptions OptionsFor(const TypePtr& to) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(to);
  options.allow_time_truncate = true;
  options.allow_float_truncate = true;                           // the range is checked before
  options.allow_decimal_truncate = arrow::is_integer(to->id());  // cut, as the reference does
  return options;
}

DatumResult CastOnce(const Datum& value, const TypePtr& to) {
  auto cast = arrow::compute::Cast(value, OptionsFor(to));
  if (cast.ok() || to->id() != Type::UINT64) return cast;
  // Arrow names the part of the range that the type before the cast has.
  std::string message = cast.status().message();
  const std::string part = std::to_string(INT64_MAX);
  if (!message.ends_with(" to " + part)) return cast;
  message.replace(message.size() - part.size(), part.size(), std::to_string(UINT64_MAX));
  return arrow::Status::Invalid(message);
}

/// Convert row by row, so that one bad row spoils only itself.
DatumResult CastEach(const Datum& value, const TypePtr& to) {
  if (value.is_scalar()) {
    auto cast = CastOnce(value, to);
    if (cast.ok()) return cast;
    return Datum(arrow::MakeNullScalar(to));
  }
  const auto array = value.make_array();
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), to, &builder));
  for (int64_t i = 0; i < array->length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto scalar, array->GetScalar(i));
    const auto cast = CastOnce(Datum(std::move(scalar)), to);
    ARROW_RETURN_NOT_OK(cast.ok() ? builder->AppendScalar(*cast->scalar()) : builder->AppendNull());
  }
  ARROW_ASSIGN_OR_RAISE(auto result, builder->Finish());
  return Datum(std::move(result));
}

/// The float nearest to a decimal: Arrow's cast multiplies by a power of ten and rounds twice.
template <typename ArrowType, typename FloatType>
DatumResult FloatsOf(const arrow::Array& decimals) {
  using Float = typename FloatType::c_type;
  const auto& values =
      static_cast<const typename arrow::TypeTraits<ArrowType>::ArrayType&>(decimals);
  arrow::NumericBuilder<FloatType> builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsNull(i)) {
      builder.UnsafeAppendNull();
      continue;
    }
    const std::string text = values.FormatValue(i);
    Float number{};
    std::from_chars(text.data(), text.data() + text.size(), number);
    builder.UnsafeAppend(number);
  }
  ARROW_ASSIGN_OR_RAISE(auto result, builder.Finish());
  return Datum(std::move(result));
}

DatumResult DecimalsToFloats(const Datum& value, const TypePtr& to) {
  std::shared_ptr<arrow::Array> array;
  if (value.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(array, arrow::MakeArrayFromScalar(*value.scalar(), 1));
  } else {
    array = value.make_array();
  }
  const bool is_wide = array->type_id() == Type::DECIMAL256;
  const bool is_double = to->id() == Type::DOUBLE;
  DatumResult floats =
      is_wide ? (is_double ? FloatsOf<arrow::Decimal256Type, arrow::DoubleType>(*array)
                           : FloatsOf<arrow::Decimal256Type, arrow::FloatType>(*array))
              : (is_double ? FloatsOf<arrow::Decimal128Type, arrow::DoubleType>(*array)
                           : FloatsOf<arrow::Decimal128Type, arrow::FloatType>(*array));
  if (!floats.ok() || !value.is_scalar()) return floats;
  ARROW_ASSIGN_OR_RAISE(auto scalar, floats->make_array()->GetScalar(0));
  return Datum(std::move(scalar));
}

using ScalarPtr = std::shared_ptr<arrow::Scalar>;
using ParseText = arrow::Result<ScalarPtr> (*)(const TypePtr& to, std::string_view text);

/// Arrow has no cast from a text to a time of day.
arrow::Result<ScalarPtr> ParseTimeOfDay(const TypePtr& to, std::string_view text) {
  return arrow::Scalar::Parse(to, text);
}

/// Dates as in literals: Arrow's cast knows the years 0 to 9999 alone.
arrow::Result<ScalarPtr> ParseDate(const TypePtr& to, std::string_view text) {
  if (const auto days = ParseDateText(text)) return std::make_shared<arrow::Date32Scalar>(*days);
  return arrow::Status::Invalid("Failed to parse string: '", text, "' as a scalar of type ",
                                to->ToString());
}

/// Convert texts one by one; with `is_try` what cannot be parsed is null.
DatumResult ParseTexts(const Datum& value, const TypePtr& to, bool is_try, ParseText parse_text) {
  const auto parse = [&](const arrow::Scalar& text) -> arrow::Result<ScalarPtr> {
    if (!text.is_valid) return arrow::MakeNullScalar(to);
    auto parsed =
        parse_text(to, std::string_view(*static_cast<const arrow::BaseBinaryScalar&>(text).value));
    return parsed.ok() || !is_try ? parsed : arrow::MakeNullScalar(to);
  };
  if (value.is_scalar()) {
    ARROW_ASSIGN_OR_RAISE(auto time, parse(*value.scalar()));
    return Datum(std::move(time));
  }
  const auto array = value.make_array();
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), to, &builder));
  for (int64_t i = 0; i < array->length(); ++i) {
    ARROW_ASSIGN_OR_RAISE(const auto text, array->GetScalar(i));
    ARROW_ASSIGN_OR_RAISE(const auto time, parse(*text));
    ARROW_RETURN_NOT_OK(builder->AppendScalar(*time));
  }
  ARROW_ASSIGN_OR_RAISE(auto result, builder->Finish());
  return Datum(std::move(result));
}

/// Arrow has no cast between integers other than the stored one and times of any kind.
TypePtr IntegerBetween(const arrow::DataType& from, const arrow::DataType& to) {
  const auto is_time = [](const arrow::DataType& type) {
    return IsTemporal(type) || IsClock(type);
  };
  const bool is_to_time = is_time(to) && arrow::is_integer(from.id());
  const bool is_from_time = is_time(from) && arrow::is_integer(to.id());
  if (!is_to_time && !is_from_time) return nullptr;
  const Type::type time = is_to_time ? to.id() : from.id();
  return time == Type::DATE32 || time == Type::TIME32 ? arrow::int32() : arrow::int64();
}

/// The clock of a zone for a timestamp without one; other changes of zone keep the instant.
DatumResult AssumeZone(const Datum& value, const TypePtr& to) {
  const auto& zone = static_cast<const arrow::TimestampType&>(*to).timezone();
  return arrow::compute::AssumeTimezone(value, arrow::compute::AssumeTimezoneOptions(zone));
}

bool NeedsZone(const arrow::DataType& from, const arrow::DataType& to) {
  return from.id() == Type::TIMESTAMP && to.id() == Type::TIMESTAMP &&
         static_cast<const arrow::TimestampType&>(from).timezone().empty() &&
         !static_cast<const arrow::TimestampType&>(to).timezone().empty();
}

}  // namespace

bool CanCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.Equals(to) || from.id() == Type::NA) return true;
  const bool is_from_number = IsNumberType(from);
  const bool is_to_number = IsNumberType(to);
  if (is_from_number && is_to_number) return true;
  if (HasTextCast(from) && IsTextType(to)) return true;
  if (from.id() == Type::BOOL) return is_to_number || IsTextType(to);
  if (to.id() == Type::BOOL) return is_from_number || IsTextType(from);
  if (IsListType(from) && IsListType(to)) {
    return to.id() != Type::FIXED_SIZE_LIST && CanCast(*ElementTypeOf(from), *ElementTypeOf(to));
  }
  if (from.id() == Type::DICTIONARY) {
    return static_cast<const arrow::DictionaryType&>(from).value_type()->Equals(to);
  }
  if (from.id() == Type::HALF_FLOAT) return arrow::is_floating(to.id());
  if (to.id() == Type::HALF_FLOAT) return IsFloat(from);
  if (IsDecimalType(to)) return is_from_number || IsDecimalType(from) || IsTextType(from);
  if (IsDecimalType(from)) return is_to_number;
  if (arrow::is_integer(from.id())) return IsTextType(to) || IsTemporal(to) || IsClock(to);
  if (IsBytes(from) && IsBytes(to)) return true;
  if (IsFixedSizeBinary(from) || IsFixedSizeBinary(to)) {
    return (IsFixedSizeBinary(from) || from.id() == Type::BINARY) &&
           (IsFixedSizeBinary(to) || to.id() == Type::BINARY);
  }
  if (IsTextType(from)) {
    return is_to_number || IsTemporal(to) || to.id() == Type::TIME32 || to.id() == Type::TIME64;
  }
  if (IsClock(from)) return from.id() == to.id() || arrow::is_integer(to.id());
  if (IsTemporal(from) && IsTemporal(to)) return true;
  if (IsTemporal(from)) {
    return arrow::is_integer(to.id()) || (from.id() == Type::DATE32 && IsTextType(to));
  }
  return false;
}

DatumResult CastValue(const Datum& value, const TypePtr& to, bool is_try) {
  ARROW_RETURN_NOT_OK(InitializeLibrary());
  const TypePtr from = value.type();
  if (from->Equals(*to)) return value;
  if (IsFloat(*from) && arrow::is_integer(to->id())) {
    ARROW_ASSIGN_OR_RAISE(const Datum limited, LimitFloats(value, to, is_try));
    return CastOnce(limited, to);
  }
  if (IsDecimalType(*from) && IsFloat(*to)) return DecimalsToFloats(value, to);
  if (HasTextCast(*from) && IsTextType(*to)) {
    ARROW_ASSIGN_OR_RAISE(const Datum text, CastToText(value));
    return CastValue(text, to, is_try);
  }
  if (NeedsZone(*from, *to)) {
    ARROW_ASSIGN_OR_RAISE(const Datum zoned, AssumeZone(value, to));
    return CastValue(zoned, to, is_try);
  }
  if (IsTextType(*from) && IsClock(*to)) return ParseTexts(value, to, is_try, ParseTimeOfDay);
  const TypePtr between = IntegerBetween(*from, *to);
  if (between != nullptr && !between->Equals(*from) && !between->Equals(*to)) {
    ARROW_ASSIGN_OR_RAISE(const Datum number, CastValue(value, between, is_try));
    return CastValue(number, to, is_try);
  }
  auto cast = CastOnce(value, to);
  if (!cast.ok() && IsTextType(*from) && to->id() == Type::DATE32) {
    return ParseTexts(value, to, is_try, ParseDate);
  }
  if (cast.ok() || !is_try) return cast;
  return CastEach(value, to);
}

}  // namespace lance::filter
