#include "lance/dataset/filter/text_cast.h"

#include <string>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/util/decimal.h"
#include "lance/dataset/filter/arithmetic.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/float_text.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Type;

/// Write the values of an array one by one. \param write gives the text of a row
template <typename Write>
arrow::Result<std::shared_ptr<arrow::Array>> WriteTexts(const arrow::Array& array,
                                                        const Write& write) {
  arrow::StringBuilder builder;
  for (int64_t i = 0; i < array.length(); ++i) {
    ARROW_RETURN_NOT_OK(array.IsNull(i) ? builder.AppendNull() : builder.Append(write(i)));
  }
  return builder.Finish();
}

/// All digits, without an exponent.
std::string DecimalText(std::string digits, int scale) {
  const bool is_negative = digits.front() == '-';
  if (is_negative) digits.erase(0, 1);
  if (scale > 0) {
    const auto places = static_cast<size_t>(scale);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, ".");
  }
  return is_negative ? "-" + digits : digits;
}

/// Behind the seconds: nothing, or 3, 6 or 9 digits, as many as it takes.
std::string Fraction(int64_t value, arrow::TimeUnit::type unit) {
  int64_t per_second = 1;
  for (int i = 0; i < unit; ++i) per_second *= 1000;
  const int64_t rest = (value % per_second + per_second) % per_second;
  if (rest == 0) return "";
  std::string digits = std::to_string(per_second + rest).substr(1);
  while (digits.ends_with("000")) digits.resize(digits.size() - 3);
  return "." + digits;
}

/// -0500 as -05:00, and the offset of UTC as Z.
std::string OffsetText(const std::string& offset, const std::string& zone) {
  if (zone == "UTC") return "Z";
  return offset.substr(0, 3) + ":" + offset.substr(3);
}

arrow::Result<std::shared_ptr<arrow::Array>> TimestampTexts(
    const std::shared_ptr<arrow::Array>& array) {
  const auto& type = static_cast<const arrow::TimestampType&>(*array->type());
  const bool has_zone = !type.timezone().empty();
  ARROW_ASSIGN_OR_RAISE(
      const Datum whole,
      arrow::compute::FloorTemporal(
          array, arrow::compute::RoundTemporalOptions(1, arrow::compute::CalendarUnit::SECOND)));
  ARROW_ASSIGN_OR_RAISE(
      const Datum seconds,
      arrow::compute::Cast(whole, arrow::timestamp(arrow::TimeUnit::SECOND, type.timezone())));
  const arrow::compute::StrftimeOptions options(has_zone ? "%Y-%m-%dT%H:%M:%S%z"
                                                         : "%Y-%m-%dT%H:%M:%S");
  ARROW_ASSIGN_OR_RAISE(const Datum written,
                        arrow::compute::CallFunction("strftime", {seconds}, &options));
  const auto texts = written.array_as<arrow::StringArray>();
  const auto& times = static_cast<const arrow::TimestampArray&>(*array);
  constexpr size_t kOffsetSize = 5;
  return WriteTexts(*array, [&](int64_t i) {
    std::string text = texts->GetString(i);
    std::string offset;
    if (has_zone) {
      offset = OffsetText(text.substr(text.size() - kOffsetSize), type.timezone());
      text.resize(text.size() - kOffsetSize);
    }
    return text + Fraction(times.Value(i), type.unit()) + offset;
  });
}

arrow::Result<std::shared_ptr<arrow::Array>> TextsOf(const std::shared_ptr<arrow::Array>& array) {
  switch (array->type_id()) {
    case Type::FLOAT:
      return WriteTexts(*array, [&](int64_t i) {
        return FloatText(static_cast<const arrow::FloatArray&>(*array).Value(i));
      });
    case Type::DOUBLE:
      return WriteTexts(*array, [&](int64_t i) {
        return FloatText(static_cast<const arrow::DoubleArray&>(*array).Value(i));
      });
    case Type::DECIMAL128:
    case Type::DECIMAL256: {
      const auto& values = static_cast<const arrow::FixedSizeBinaryArray&>(*array);
      const int scale = static_cast<const arrow::DecimalType&>(*array->type()).scale();
      const bool is_wide = array->type_id() == Type::DECIMAL256;
      return WriteTexts(*array, [&](int64_t i) {
        const uint8_t* bytes = values.GetValue(i);
        return DecimalText(is_wide ? arrow::Decimal256(bytes).ToIntegerString()
                                   : arrow::Decimal128(bytes).ToIntegerString(),
                           scale);
      });
    }
    default:
      return TimestampTexts(array);
  }
}

}  // namespace

bool HasTextCast(const arrow::DataType& type) {
  return type.id() == Type::FLOAT || type.id() == Type::DOUBLE || IsDecimalType(type) ||
         type.id() == Type::TIMESTAMP;
}

arrow::Result<Datum> CastToText(const Datum& value) {
  ARROW_ASSIGN_OR_RAISE(const auto array, ToArray(value, value.is_scalar() ? 1 : value.length()));
  ARROW_ASSIGN_OR_RAISE(const auto texts, TextsOf(array));
  if (!value.is_scalar()) return Datum(texts);
  ARROW_ASSIGN_OR_RAISE(auto scalar, texts->GetScalar(0));
  return Datum(std::move(scalar));
}

}  // namespace lance::filter
