#include "lance/dataset/filter/cast_value.h"

#include <cmath>
#include <limits>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/executor.h"
#include "lance/dataset/filter/coercion.h"

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

bool IsTemporal(const arrow::DataType& type) {
  return type.id() == Type::DATE32 || type.id() == Type::TIMESTAMP;
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
  options.allow_float_truncate = true;  // the range is checked before
  return options;
}

DatumResult CastOnce(const Datum& value, const TypePtr& to) {
  return arrow::compute::Cast(value, OptionsFor(to));
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

/// Arrow has no cast between integers other than the stored one and dates or timestamps.
TypePtr IntegerBetween(const arrow::DataType& from, const arrow::DataType& to) {
  const bool is_to_temporal = IsTemporal(to) && arrow::is_integer(from.id());
  const bool is_from_temporal = IsTemporal(from) && arrow::is_integer(to.id());
  if (!is_to_temporal && !is_from_temporal) return nullptr;
  const Type::type temporal = is_to_temporal ? to.id() : from.id();
  return temporal == Type::DATE32 ? arrow::int32() : arrow::int64();
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
  if (from.id() == Type::BOOL) return is_to_number || IsTextType(to);
  if (to.id() == Type::BOOL) return is_from_number || IsTextType(from);
  if (is_from_number && to.id() == Type::DECIMAL128) return true;
  if (from.id() == Type::DECIMAL128) return is_to_number || to.id() == Type::DECIMAL128;
  if (arrow::is_integer(from.id())) return IsTextType(to) || IsTemporal(to);
  if (IsBytes(from) && IsBytes(to)) return true;
  if (IsTextType(from)) return is_to_number || IsTemporal(to);
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
  if (NeedsZone(*from, *to)) {
    ARROW_ASSIGN_OR_RAISE(const Datum zoned, AssumeZone(value, to));
    return CastValue(zoned, to, is_try);
  }
  const TypePtr between = IntegerBetween(*from, *to);
  if (between != nullptr && !between->Equals(*from) && !between->Equals(*to)) {
    ARROW_ASSIGN_OR_RAISE(const Datum number, CastValue(value, between, is_try));
    return CastValue(number, to, is_try);
  }
  auto cast = CastOnce(value, to);
  if (cast.ok() || !is_try) return cast;
  return CastEach(value, to);
}

}  // namespace lance::filter
