#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/base/status_detail.h"
#include "lance/format/schema.h"

namespace lance::format {
namespace {

using NamedType = std::pair<std::string_view, std::shared_ptr<arrow::DataType>>;

/// The types whose logical type is a fixed text.
const std::vector<NamedType>& PlainTypes() {
  using arrow::TimeUnit;
  static const auto* const types = new std::vector<NamedType>{
      {"null", arrow::null()},
      {"bool", arrow::boolean()},
      {"int8", arrow::int8()},
      {"int16", arrow::int16()},
      {"int32", arrow::int32()},
      {"int64", arrow::int64()},
      {"uint8", arrow::uint8()},
      {"uint16", arrow::uint16()},
      {"uint32", arrow::uint32()},
      {"uint64", arrow::uint64()},
      {"halffloat", arrow::float16()},
      {"float", arrow::float32()},
      {"double", arrow::float64()},
      {"string", arrow::utf8()},
      {"large_string", arrow::large_utf8()},
      {"binary", arrow::binary()},
      {"large_binary", arrow::large_binary()},
      {"date32:day", arrow::date32()},
      {"date64:ms", arrow::date64()},
      {"time32:s", arrow::time32(TimeUnit::SECOND)},
      {"time32:ms", arrow::time32(TimeUnit::MILLI)},
      {"time64:us", arrow::time64(TimeUnit::MICRO)},
      {"time64:ns", arrow::time64(TimeUnit::NANO)},
      {"duration:s", arrow::duration(TimeUnit::SECOND)},
      {"duration:ms", arrow::duration(TimeUnit::MILLI)},
      {"duration:us", arrow::duration(TimeUnit::MICRO)},
      {"duration:ns", arrow::duration(TimeUnit::NANO)},
  };
  return *types;
}

constexpr std::pair<std::string_view, arrow::TimeUnit::type> kTimeUnits[] = {
    {"s", arrow::TimeUnit::SECOND},
    {"ms", arrow::TimeUnit::MILLI},
    {"us", arrow::TimeUnit::MICRO},
    {"ns", arrow::TimeUnit::NANO},
};

std::string_view NameOf(arrow::TimeUnit::type unit) {
  for (const auto& [name, value] : kTimeUnits) {
    if (value == unit) return name;
  }
  return "";
}

// Legal logical types of later versions, by exact name and by prefix.
constexpr std::string_view kLaterTypes[] = {
    "struct", "list", "list.struct", "large_list", "large_list.struct", "map", "json", "blob"};
constexpr std::string_view kLaterPrefixes[] = {"dict:", "fixed_size_list:"};

bool IsLaterType(std::string_view logical_type) {
  for (const std::string_view name : kLaterTypes) {
    if (logical_type == name) return true;
  }
  for (const std::string_view prefix : kLaterPrefixes) {
    if (logical_type.starts_with(prefix)) return true;
  }
  return false;
}

arrow::Status Nonsense(std::string_view logical_type, std::string_view problem) {
  return arrow::Status::SerializationError("logical type \"", logical_type.substr(0, 64),
                                           "\": ", problem);
}

std::optional<int32_t> ParseNumber(std::string_view text) {
  int32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

/// Cut `prefix` off the front of `text`. \return whether it was there
bool Consume(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

arrow::Result<std::shared_ptr<arrow::DataType>> ParseTimestamp(std::string_view logical_type,
                                                               std::string_view unit_and_zone) {
  for (const auto& [name, unit] : kTimeUnits) {
    std::string_view zone = unit_and_zone;
    if (!Consume(name, &zone) || !Consume(":", &zone)) continue;
    if (zone.empty()) break;
    return zone == "-" ? arrow::timestamp(unit) : arrow::timestamp(unit, std::string(zone));
  }
  return Nonsense(logical_type, "wants timestamp:<s, ms, us or ns>:<zone, or - for none>");
}

arrow::Result<std::shared_ptr<arrow::DataType>> ParseDecimal(std::string_view logical_type,
                                                             std::string_view width_and_rest) {
  std::string_view rest = width_and_rest;
  const bool is_wide = rest.starts_with("256:");
  const size_t colon = rest.find(':', 4);
  if ((is_wide || rest.starts_with("128:")) && colon != std::string_view::npos) {
    const auto precision = ParseNumber(rest.substr(4, colon - 4));
    const auto scale = ParseNumber(rest.substr(colon + 1));
    if (precision && scale) {
      auto type = is_wide ? arrow::Decimal256Type::Make(*precision, *scale)
                          : arrow::Decimal128Type::Make(*precision, *scale);
      if (type.ok()) return type;
    }
  }
  return Nonsense(logical_type, "wants decimal:<128 or 256>:<precision>:<scale>");
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> ParseLogicalType(std::string_view logical_type) {
  for (const auto& [name, type] : PlainTypes()) {
    if (logical_type == name) return type;
  }
  std::string_view rest = logical_type;
  if (Consume("timestamp:", &rest)) return ParseTimestamp(logical_type, rest);
  if (Consume("decimal:", &rest)) return ParseDecimal(logical_type, rest);
  if (Consume("fixed_size_binary:", &rest)) {
    // Arrow counts a type's bits in an int.
    constexpr int32_t kMaxWidth = std::numeric_limits<int32_t>::max() / 8;
    const auto width = ParseNumber(rest);
    if (width && *width >= 1 && *width <= kMaxWidth) return arrow::fixed_size_binary(*width);
    return Nonsense(logical_type, "wants fixed_size_binary:<bytes, 1 or more>");
  }
  if (IsLaterType(logical_type)) {
    return UnsupportedError("logical type " + std::string(logical_type.substr(0, 64)),
                            "logical type \"" + std::string(logical_type.substr(0, 64)) +
                                "\" is not supported by this version");
  }
  return Nonsense(logical_type, "no such type");
}

arrow::Result<std::string> LogicalTypeOf(const arrow::DataType& type) {
  for (const auto& [name, plain] : PlainTypes()) {
    if (type.Equals(*plain)) return std::string(name);
  }
  switch (type.id()) {
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const std::string zone = timestamp.timezone().empty() ? "-" : timestamp.timezone();
      return "timestamp:" + std::string(NameOf(timestamp.unit())) + ":" + zone;
    }
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return "decimal:" + std::to_string(decimal.bit_width()) + ":" +
             std::to_string(decimal.precision()) + ":" + std::to_string(decimal.scale());
    }
    case arrow::Type::FIXED_SIZE_BINARY: {
      const auto& binary = static_cast<const arrow::FixedSizeBinaryType&>(type);
      if (binary.byte_width() < 1) break;
      return "fixed_size_binary:" + std::to_string(binary.byte_width());
    }
    default:  // Arrow's enum grows with its releases; what is not above is not supported
      break;
  }
  return UnsupportedError("Arrow type " + type.ToString(),
                          "Arrow type " + type.ToString() + " is not supported by this version");
}

}  // namespace lance::format
