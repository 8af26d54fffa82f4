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

// Types whose children are fields of their own (file-format 3.2).
constexpr std::string_view kNestedTypes[] = {
    "struct", "list", "list.struct", "large_list", "large_list.struct", "map"};

constexpr std::string_view kFixedSizeListPrefix = "fixed_size_list:";
constexpr std::string_view kBfloat16 = "lance.bfloat16";
constexpr std::string_view kExtensionName = "ARROW:extension:name";
constexpr std::string_view kExtensionMetadata = "ARROW:extension:metadata";

// More levels than the messages that describe the values may have: deeper types are forged.
constexpr int kMaxListDepth = 32;

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

/// Parse the type of a list's items, or of a dictionary's values or keys.
arrow::Result<std::shared_ptr<arrow::DataType>> ParsePart(std::string_view whole,
                                                          std::string_view part) {
  auto type = ParseLogicalType(part);
  if (type.ok()) return type;
  return WithContext(type.status(),
                     "part of logical type \"" + std::string(whole.substr(0, 64)) + "\"");
}

arrow::Result<std::shared_ptr<arrow::DataType>> ParseDictionary(std::string_view logical_type,
                                                                std::string_view values_and_rest) {
  constexpr std::string_view kWanted = "wants dict:<values>:<integer keys>:<false or true>";
  const size_t flag_colon = values_and_rest.rfind(':');
  if (flag_colon == std::string_view::npos) return Nonsense(logical_type, kWanted);
  const std::string_view flag = values_and_rest.substr(flag_colon + 1);
  const std::string_view values_and_keys = values_and_rest.substr(0, flag_colon);
  const size_t key_colon = values_and_keys.rfind(':');
  if (key_colon == std::string_view::npos || (flag != "false" && flag != "true")) {
    return Nonsense(logical_type, kWanted);
  }
  const std::string_view values = values_and_keys.substr(0, key_colon);
  if (values.starts_with("dict:")) return Nonsense(logical_type, kWanted);
  ARROW_ASSIGN_OR_RAISE(const auto value_type, ParsePart(logical_type, values));
  ARROW_ASSIGN_OR_RAISE(const auto key_type,
                        ParsePart(logical_type, values_and_keys.substr(key_colon + 1)));
  if (!arrow::is_integer(key_type->id())) return Nonsense(logical_type, kWanted);
  return arrow::dictionary(key_type, value_type, /*ordered=*/flag == "true");
}

arrow::Status UnsupportedType(const arrow::DataType& type) {
  return UnsupportedError("Arrow type " + type.ToString(),
                          "Arrow type " + type.ToString() + " is not supported by this version");
}

/// The field of a fixed-size list's items. Only bfloat16 items say more than their type.
std::shared_ptr<arrow::Field> Bfloat16Item() {
  return arrow::field(
      "item", arrow::fixed_size_binary(2), /*nullable=*/true,
      arrow::key_value_metadata({{std::string(kExtensionName), std::string(kBfloat16)},
                                 {std::string(kExtensionMetadata), ""}}));
}

arrow::Result<std::shared_ptr<arrow::DataType>> ParseFixedSizeList(std::string_view logical_type) {
  // From the outside to the inside; a loop, because the nesting is whatever the file says.
  std::vector<int32_t> dimensions;
  std::string_view rest = logical_type;
  while (Consume(kFixedSizeListPrefix, &rest)) {
    const size_t colon = rest.rfind(':');
    const auto dimension =
        colon == std::string_view::npos ? std::nullopt : ParseNumber(rest.substr(colon + 1));
    if (!dimension || *dimension < 1) {
      return Nonsense(logical_type, "wants fixed_size_list:<items>:<dimension, 1 or more>");
    }
    if (dimensions.size() == kMaxListDepth) return Nonsense(logical_type, "nested too deep");
    dimensions.push_back(*dimension);
    rest = rest.substr(0, colon);
  }
  std::shared_ptr<arrow::Field> item;
  if (rest == kBfloat16) {
    item = Bfloat16Item();
  } else {
    ARROW_ASSIGN_OR_RAISE(const auto type, ParsePart(logical_type, rest));
    item = arrow::field("item", type);
  }
  for (auto dimension = dimensions.rbegin(); dimension != dimensions.rend(); ++dimension) {
    item = arrow::field("item", arrow::fixed_size_list(item, *dimension));
  }
  return item->type();
}

/// The type itself, or the one that an extension is stored as.
const arrow::DataType& StorageOf(const arrow::DataType& type) {
  return type.id() == arrow::Type::EXTENSION
             ? *static_cast<const arrow::ExtensionType&>(type).storage_type()
             : type;
}

/// Whether items carry the bfloat16 extension, registered or as metadata.
bool IsBfloat16(const arrow::Field& item) {
  if (item.type()->id() == arrow::Type::EXTENSION) {
    return static_cast<const arrow::ExtensionType&>(*item.type()).extension_name() == kBfloat16;
  }
  if (!item.type()->Equals(*arrow::fixed_size_binary(2)) || item.metadata() == nullptr)
    return false;
  const auto name = item.metadata()->Get(std::string(kExtensionName));
  return name.ok() && *name == kBfloat16;
}

arrow::Result<std::string> LogicalTypeOfFixedSizeList(const arrow::DataType& type) {
  std::string prefix;
  std::string suffix;
  int depth = 0;
  const arrow::Field* item = nullptr;
  const arrow::DataType* inner = &type;
  for (; inner->id() == arrow::Type::FIXED_SIZE_LIST; ++depth) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(*inner);
    if (list.list_size() < 1 || depth == kMaxListDepth) return UnsupportedType(type);
    prefix += kFixedSizeListPrefix;
    suffix = ":" + std::to_string(list.list_size()) + suffix;
    item = list.value_field().get();
    inner = list.value_type().get();
  }
  if (IsBfloat16(*item)) return prefix + std::string(kBfloat16) + suffix;
  inner = &StorageOf(*inner);
  // Structs are fields of their own, so there is one list around them at most.
  const bool is_struct = inner->id() == arrow::Type::STRUCT;
  if (is_struct ? depth > 1 : arrow::is_nested(inner->id())) return UnsupportedType(type);
  ARROW_ASSIGN_OR_RAISE(const std::string items, LogicalTypeOf(*inner));
  return prefix + items + suffix;
}

arrow::Result<std::string> LogicalTypeOfDictionary(const arrow::DataType& type) {
  const auto& dictionary = static_cast<const arrow::DictionaryType&>(type);
  const arrow::DataType& values = *dictionary.value_type();
  if (arrow::is_nested(values.id()) || values.id() == arrow::Type::DICTIONARY) {
    return UnsupportedType(type);
  }
  ARROW_ASSIGN_OR_RAISE(const std::string value_type, LogicalTypeOf(values));
  ARROW_ASSIGN_OR_RAISE(const std::string key_type, LogicalTypeOf(*dictionary.index_type()));
  // Readers split at every colon: they would not find the keys' type.
  if (value_type.find(':') != std::string::npos) return UnsupportedType(type);
  // Whether values are ordered is not kept: readers know "false" only.
  return "dict:" + value_type + ":" + key_type + ":false";
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> ParseLogicalType(std::string_view logical_type) {
  for (const auto& [name, type] : PlainTypes()) {
    if (logical_type == name) return type;
  }
  // Written for columns of binary JSON and, by older writers, for blobs.
  if (logical_type == "json" || logical_type == "blob") return arrow::large_binary();
  std::string_view rest = logical_type;
  if (Consume("timestamp:", &rest)) return ParseTimestamp(logical_type, rest);
  if (Consume("decimal:", &rest)) return ParseDecimal(logical_type, rest);
  if (Consume("fixed_size_binary:", &rest)) {
    // Arrow counts a type's bits in an int.
    constexpr int32_t kMaxWidth = std::numeric_limits<int32_t>::max() / 8;
    const auto width = ParseNumber(rest);
    if (width && *width >= 1 && *width <= kMaxWidth) return arrow::fixed_size_binary(*width);
    // The reference writes such files and reads few of them back.
    if (width == 0) return UnsupportedType(*arrow::fixed_size_binary(0));
    return Nonsense(logical_type, "wants fixed_size_binary:<bytes, 1 or more>");
  }
  if (Consume("dict:", &rest)) return ParseDictionary(logical_type, rest);
  if (logical_type.starts_with(kFixedSizeListPrefix)) return ParseFixedSizeList(logical_type);
  for (const std::string_view nested : kNestedTypes) {
    if (logical_type != nested) continue;
    return UnsupportedError("logical type " + std::string(logical_type),
                            "logical type \"" + std::string(logical_type) +
                                "\" has child fields, which are not supported here");
  }
  return Nonsense(logical_type, "no such type");
}

arrow::Result<std::string> LogicalTypeOf(const arrow::DataType& type) {
  for (const auto& [name, plain] : PlainTypes()) {
    if (type.Equals(*plain)) return std::string(name);
  }
  switch (type.id()) {
    case arrow::Type::STRING_VIEW:
      return "string";
    case arrow::Type::BINARY_VIEW:
      return "binary";
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
    case arrow::Type::STRUCT:
      return "struct";
    case arrow::Type::LIST:
      return StorageOf(*type.field(0)->type()).id() == arrow::Type::STRUCT ? "list.struct" : "list";
    case arrow::Type::LARGE_LIST:
      return StorageOf(*type.field(0)->type()).id() == arrow::Type::STRUCT ? "large_list.struct"
                                                                           : "large_list";
    case arrow::Type::MAP:
      return "map";
    case arrow::Type::FIXED_SIZE_LIST:
      return LogicalTypeOfFixedSizeList(type);
    case arrow::Type::DICTIONARY:
      return LogicalTypeOfDictionary(type);
    default:  // Arrow's enum grows with its releases; what is not above is not supported
      break;
  }
  return UnsupportedType(type);
}

}  // namespace lance::format
