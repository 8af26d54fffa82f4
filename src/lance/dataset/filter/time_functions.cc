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

Status CheckTemporal(const BoundValue& argument) {
  const auto id = argument.type->id();
  if (id == arrow::Type::DATE32 || id == arrow::Type::TIMESTAMP) return Status::OK();
  return Status::Invalid("found a value of type ", argument.type->ToString(),
                         ", expected a date or a timestamp");
}

arrow::Result<std::string> PartName(const BoundValue& argument, const char* what) {
  ARROW_ASSIGN_OR_RAISE(std::string name, ConstantText(argument, what));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

/// date_part('year', x), of type int32.
CallResult DatePart(const Arguments& arguments) {
  static const std::map<std::string, std::string, std::less<>> kernels = {
      {"year", "year"},       {"month", "month"},   {"day", "day"},       {"quarter", "quarter"},
      {"hour", "hour"},       {"minute", "minute"}, {"second", "second"}, {"dow", "day_of_week"},
      {"doy", "day_of_year"}, {"week", "iso_week"}};
  ARROW_ASSIGN_OR_RAISE(const std::string part, PartName(arguments[0], "the part of a date"));
  ARROW_RETURN_NOT_OK(CheckTemporal(arguments[1]));
  const auto kernel = kernels.find(part);
  if (kernel == kernels.end()) {
    return Status::NotImplemented("found the part ", part,
                                  ", allowed are year, quarter, month, week, day, dow, doy, hour, "
                                  "minute and second");
  }
  const bool needs_clock = part == "hour" || part == "minute" || part == "second";
  const bool is_date = arguments[1].type->id() == arrow::Type::DATE32;
  const auto type =
      needs_clock && is_date ? arrow::timestamp(arrow::TimeUnit::SECOND) : arguments[1].type;
  // Sunday is day 0.
  auto options =
      part == "dow" ? std::make_shared<arrow::compute::DayOfWeekOptions>(true, 7) : nullptr;
  auto extract = ArrowFunction(kernel->second, options);
  const auto run = [extract](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    ARROW_ASSIGN_OR_RAISE(const Datum part_value, extract({values[1]}));
    return CastValue(part_value, arrow::int32(), /*is_try=*/false);
  };
  return FunctionCall{arrow::int32(), {nullptr, type}, run};
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
