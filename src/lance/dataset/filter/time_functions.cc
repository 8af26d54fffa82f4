#include <map>
#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/functions.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using arrow::compute::CalendarUnit;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

arrow::Result<std::string> PartName(const BoundValue& argument, const char* what) {
  ARROW_ASSIGN_OR_RAISE(std::string name, ConstantText(argument, what));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// A kernel that reads a part of a date. Sunday is day 0 of a week, or in ISO's day 7.
ValueFunction PartKernel(const std::string& part) {
  static const std::map<std::string, std::string, std::less<>> kernels = {
      {"year", "year"},       {"month", "month"},     {"day", "day"},
      {"quarter", "quarter"}, {"hour", "hour"},       {"minute", "minute"},
      {"second", "second"},   {"dow", "day_of_week"}, {"isodow", "day_of_week"},
      {"doy", "day_of_year"}, {"week", "iso_week"},   {"isoyear", "iso_year"}};
  const auto kernel = kernels.find(part);
  if (kernel == kernels.end()) return nullptr;
  std::shared_ptr<arrow::compute::FunctionOptions> options;
  if (part == "dow") options = std::make_shared<arrow::compute::DayOfWeekOptions>(true, 7);
  if (part == "isodow") options = std::make_shared<arrow::compute::DayOfWeekOptions>(false, 1);
  return ArrowFunction(kernel->second, options);
}

bool IsBelowSecond(const std::string& part) {
  return part == "millisecond" || part == "microsecond" || part == "nanosecond";
}

/// Thousandths of the second, with the second: 30.5 s are 30500 ms.
arrow::Result<Datum> PartOfSecond(const std::string& part, const Datum& time) {
  ARROW_ASSIGN_OR_RAISE(Datum sum, arrow::compute::CallFunction("second", {time}));
  for (const char* unit : {"millisecond", "microsecond", "nanosecond"}) {
    ARROW_ASSIGN_OR_RAISE(const Datum rest, arrow::compute::CallFunction(unit, {time}));
    ARROW_ASSIGN_OR_RAISE(sum, arrow::compute::Multiply(sum, Datum(int64_t{1000})));
    ARROW_ASSIGN_OR_RAISE(sum, arrow::compute::Add(sum, rest));
    if (part == unit) break;
  }
  return sum;
}

/// Seconds since 1970, with their fraction.
CallResult Epoch(const BoundValue& argument) {
  const bool is_date = argument.type->id() == arrow::Type::DATE32;
  const TypePtr type = is_date ? arrow::timestamp(arrow::TimeUnit::SECOND) : argument.type;
  double units_per_second = 1;
  for (int i = 0; i < static_cast<const arrow::TimestampType&>(*type).unit(); ++i) {
    units_per_second *= 1000;
  }
  const auto run = [units_per_second](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum units, CastValue(values[1], arrow::int64(), false));
    const auto options = arrow::compute::CastOptions::Unsafe(arrow::float64());
    ARROW_ASSIGN_OR_RAISE(const Datum number, arrow::compute::Cast(units, options));
    return arrow::compute::Divide(number, Datum(units_per_second));
  };
  return FunctionCall{arrow::float64(), {nullptr, type}, run};
}

/// date_part('year', x), of type int32; nanoseconds are int64, the epoch is a double.
CallResult DatePart(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(const std::string part, PartName(arguments[0], "the part of a date"));
  ARROW_RETURN_NOT_OK(CheckTemporal(arguments[1]));
  if (part == "epoch") return Epoch(arguments[1]);
  const ValueFunction extract = PartKernel(part);
  if (extract == nullptr && !IsBelowSecond(part)) {
    return Status::NotImplemented(
        "found the part ", part,
        ", allowed are year, isoyear, quarter, month, week, day, dow, isodow, doy, hour, minute, "
        "second, millisecond, microsecond, nanosecond and epoch");
  }
  const bool needs_clock =
      IsBelowSecond(part) || part == "hour" || part == "minute" || part == "second";
  const bool is_date = arguments[1].type->id() == arrow::Type::DATE32;
  const auto type =
      needs_clock && is_date ? arrow::timestamp(arrow::TimeUnit::SECOND) : arguments[1].type;
  const TypePtr result = part == "nanosecond" ? arrow::int64() : arrow::int32();
  const auto run = [=](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum number, extract != nullptr ? extract({values[1]})
                                                                 : PartOfSecond(part, values[1]));
    return CastValue(number, result, /*is_try=*/false);
  };
  return FunctionCall{result, {nullptr, type}, run};
}

/// date_trunc('month', x).
CallResult DateTrunc(const Arguments& arguments) {
  static const std::map<std::string, CalendarUnit, std::less<>> units = {
      {"microsecond", CalendarUnit::MICROSECOND},
      {"millisecond", CalendarUnit::MILLISECOND},
      {"second", CalendarUnit::SECOND},
      {"minute", CalendarUnit::MINUTE},
      {"hour", CalendarUnit::HOUR},
      {"day", CalendarUnit::DAY},
      {"week", CalendarUnit::WEEK},
      {"month", CalendarUnit::MONTH},
      {"quarter", CalendarUnit::QUARTER},
      {"year", CalendarUnit::YEAR}};
  ARROW_ASSIGN_OR_RAISE(const std::string part, PartName(arguments[0], "the unit of a date"));
  ARROW_RETURN_NOT_OK(CheckTemporal(arguments[1]));
  const auto unit = units.find(part);
  if (unit == units.end()) {
    return Status::Invalid("found the unit ", part,
                           ", allowed are microsecond, millisecond, second, minute, hour, day, "
                           "week, month, quarter and year");
  }
  const bool is_date = arguments[1].type->id() == arrow::Type::DATE32;
  const auto type = is_date ? arrow::timestamp(arrow::TimeUnit::NANO) : arguments[1].type;
  auto floor = ArrowFunction(
      "floor_temporal", std::make_shared<arrow::compute::RoundTemporalOptions>(1, unit->second));
  const auto run = [floor](const std::vector<Datum>& values) { return floor({values[1]}); };
  return FunctionCall{type, {nullptr, type}, run};
}

}  // namespace

std::vector<FunctionEntry> TimeFunctions() {
  return {{"date_part", 2, 2, DatePart},
          {"datepart", 2, 2, DatePart},
          {"date_trunc", 2, 2, DateTrunc},
          {"datetrunc", 2, 2, DateTrunc}};
}

}  // namespace lance::filter
