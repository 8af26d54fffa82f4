#include <chrono>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/base/clock.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/row_values.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using arrow::TimeUnit;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

/// The time at which a call is bound: the same for all rows.
CallResult Constant(std::shared_ptr<arrow::Scalar> value) {
  const TypePtr type = value->type;
  return FunctionCall{type, {}, [value](const std::vector<Datum>&) -> arrow::Result<Datum> {
                        return Datum(value);
                      }};
}

CallResult Now(const Arguments&) {
  const int64_t now = SystemClock().Now().time_since_epoch().count();
  return Constant(
      std::make_shared<arrow::TimestampScalar>(now, arrow::timestamp(TimeUnit::NANO, "UTC")));
}

CallResult Today(const Arguments&) {
  const auto days = std::chrono::floor<std::chrono::days>(SystemClock().Now());
  return Constant(
      std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(days.time_since_epoch().count())));
}

/// A timestamp of integers that count `unit`, of texts, dates and timestamps.
CallResult Timestamps(const Arguments& arguments, TimeUnit::type unit,
                      TimeUnit::type integer_unit) {
  const TypePtr& type = arguments[0].type;
  const TypePtr result = arrow::timestamp(unit);
  const bool is_integer = arrow::is_integer(type->id());
  if (!is_integer && !CanCast(*type, *result)) {
    return Status::Invalid("found a value of type ", type->ToString(),
                           ", expected an integer, a text, a date or a timestamp");
  }
  const TypePtr counted = arrow::timestamp(integer_unit);
  const auto run = [=](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (!is_integer) return values[0];
    ARROW_ASSIGN_OR_RAISE(const Datum time, CastValue(values[0], counted, /*is_try=*/false));
    return CastValue(time, result, /*is_try=*/false);
  };
  return FunctionCall{result, {is_integer ? arrow::int64() : result}, run};
}

CallResult ToTimestamp(const Arguments& arguments) {
  return Timestamps(arguments, TimeUnit::NANO, TimeUnit::SECOND);
}
CallResult ToTimestampSeconds(const Arguments& arguments) {
  return Timestamps(arguments, TimeUnit::SECOND, TimeUnit::SECOND);
}
CallResult ToTimestampMillis(const Arguments& arguments) {
  return Timestamps(arguments, TimeUnit::MILLI, TimeUnit::MILLI);
}
CallResult ToTimestampMicros(const Arguments& arguments) {
  return Timestamps(arguments, TimeUnit::MICRO, TimeUnit::MICRO);
}
CallResult ToTimestampNanos(const Arguments& arguments) {
  return Timestamps(arguments, TimeUnit::NANO, TimeUnit::NANO);
}

/// A conversion as by CAST.
CallResult CastCall(const Arguments& arguments, const TypePtr& type) {
  if (!CanCast(*arguments[0].type, *type)) {
    return Status::Invalid("found a value of type ", arguments[0].type->ToString(),
                           ", which does not convert to ", type->ToString());
  }
  return FunctionCall{type, {type}, [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
                        return values[0];
                      }};
}

CallResult ToDate(const Arguments& arguments) { return CastCall(arguments, arrow::date32()); }

/// Seconds since 1970.
CallResult ToUnixtime(const Arguments& arguments) {
  const TypePtr seconds = arrow::timestamp(TimeUnit::SECOND);
  const TypePtr& type = arguments[0].type;
  const bool has_zone = type->id() == arrow::Type::TIMESTAMP;
  if (!CanCast(*type, *seconds) || arrow::is_integer(type->id())) {
    return Status::Invalid("found a value of type ", type->ToString(),
                           ", expected a text, a date or a timestamp");
  }
  const TypePtr point =
      has_zone ? arrow::timestamp(TimeUnit::SECOND,
                                  static_cast<const arrow::TimestampType&>(*type).timezone())
               : seconds;
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(
        const Datum floored,
        arrow::compute::FloorTemporal(values[0], arrow::compute::RoundTemporalOptions(
                                                     1, arrow::compute::CalendarUnit::SECOND)));
    ARROW_ASSIGN_OR_RAISE(
        const Datum rounded,
        CastValue(
            floored,
            arrow::timestamp(TimeUnit::SECOND,
                             static_cast<const arrow::TimestampType&>(*floored.type()).timezone()),
            /*is_try=*/false));
    return CastValue(rounded, arrow::int64(), /*is_try=*/false);
  };
  // What is finer than seconds is floored, not cut: half a second before 1970 is -1.
  return FunctionCall{arrow::int64(), {has_zone ? nullptr : point}, run};
}

CallResult FromUnixtime(const Arguments& arguments) {
  if (!arrow::is_integer(arguments[0].type->id())) {
    return Status::Invalid("found a value of type ", arguments[0].type->ToString(),
                           ", expected seconds since 1970 as an integer");
  }
  return Timestamps(arguments, TimeUnit::SECOND, TimeUnit::SECOND);
}

/// make_date(year, month, day).
CallResult MakeDate(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    if (arrow::is_integer(argument.type->id()) || argument.type->id() == arrow::Type::NA) continue;
    return Status::Invalid("found a value of type ", argument.type->ToString(),
                           ", expected an integer");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const NumberRows<arrow::Int32Type> years(values[0]);
    const NumberRows<arrow::Int32Type> months(values[1]);
    const NumberRows<arrow::Int32Type> days(values[2]);
    arrow::Date32Builder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!years.IsValid(i) || !months.IsValid(i) || !days.IsValid(i)) return builder.AppendNull();
      const int32_t year = years.Value(i), month = months.Value(i), day = days.Value(i);
      const std::chrono::year_month_day date{std::chrono::year(year),
                                             std::chrono::month(static_cast<unsigned>(month)),
                                             std::chrono::day(static_cast<unsigned>(day))};
      const bool is_small =
          year >= -9999 && year <= 9999 && month > 0 && month <= 12 && day > 0 && day <= 31;
      if (!is_small || !date.ok()) {
        return Status::Invalid("there is no day ", year, "-", month, "-", day);
      }
      const auto since_epoch = std::chrono::sys_days(date).time_since_epoch();
      return builder.Append(static_cast<int32_t>(since_epoch.count()));
    });
  };
  return FunctionCall{arrow::date32(), std::vector<TypePtr>(3, arrow::int32()), run};
}

/// to_char(x, '%Y-%m').
CallResult ToChar(const Arguments& arguments) {
  ARROW_RETURN_NOT_OK(CheckTemporal(arguments[0]));
  ARROW_ASSIGN_OR_RAISE(const std::string format, ConstantText(arguments[1], "the format"));
  const auto run = [format](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    const arrow::compute::StrftimeOptions options(format);
    return arrow::compute::CallFunction("strftime", {values[0]}, &options);
  };
  return FunctionCall{arrow::utf8(), {nullptr, nullptr}, run};
}

/// The wall clock of a zone, as a timestamp without one.
CallResult ToLocalTime(const Arguments& arguments) {
  ARROW_RETURN_NOT_OK(CheckTemporal(arguments[0]));
  if (arguments[0].type->id() != arrow::Type::TIMESTAMP) {
    return Status::Invalid("found a date, expected a timestamp");
  }
  const auto& type = static_cast<const arrow::TimestampType&>(*arguments[0].type);
  const bool has_zone = !type.timezone().empty();
  const auto run = [has_zone](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    if (!has_zone) return values[0];
    return arrow::compute::CallFunction("local_timestamp", {values[0]});
  };
  return FunctionCall{arrow::timestamp(type.unit()), {nullptr}, run};
}

}  // namespace

std::vector<FunctionEntry> TimeConversionFunctions() {
  return {{"now", 0, 0, Now},
          {"current_timestamp", 0, 0, Now},
          {"current_date", 0, 0, Today},
          {"today", 0, 0, Today},
          {"to_timestamp", 1, 1, ToTimestamp},
          {"to_timestamp_seconds", 1, 1, ToTimestampSeconds},
          {"to_timestamp_millis", 1, 1, ToTimestampMillis},
          {"to_timestamp_micros", 1, 1, ToTimestampMicros},
          {"to_timestamp_nanos", 1, 1, ToTimestampNanos},
          {"to_date", 1, 1, ToDate},
          {"to_unixtime", 1, 1, ToUnixtime},
          {"from_unixtime", 1, 1, FromUnixtime},
          {"make_date", 3, 3, MakeDate},
          {"to_char", 2, 2, ToChar},
          {"date_format", 2, 2, ToChar},
          {"to_local_time", 1, 1, ToLocalTime}};
}

}  // namespace lance::filter
