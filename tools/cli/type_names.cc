#include "type_names.h"

#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/type.h"

namespace lancectl {

namespace {

using Type = std::shared_ptr<arrow::DataType>;

constexpr int kMaxDepth = 32;
constexpr std::string_view kAllowed =
    "int8 to int64, uint8 to uint64, float16, float32, float64, bool, string, large_string, "
    "binary, large_binary, fixed_size_binary[N], date32, date64, time32[s|ms], time64[us|ns], "
    "timestamp[s|ms|us|ns], timestamp[us, tz=UTC], duration[s|ms|us|ns], decimal(P,S), list<TYPE>, "
    "struct<NAME: TYPE>, or what schema prints";

struct NamedType {
  std::string_view name;
  const Type& (*make)();
};

constexpr NamedType kTypes[] = {
    {"int8", arrow::int8},       {"int16", arrow::int16},
    {"int32", arrow::int32},     {"int64", arrow::int64},
    {"uint8", arrow::uint8},     {"uint16", arrow::uint16},
    {"uint32", arrow::uint32},   {"uint64", arrow::uint64},
    {"float16", arrow::float16}, {"halffloat", arrow::float16},
    {"float32", arrow::float32}, {"float", arrow::float32},
    {"float64", arrow::float64}, {"double", arrow::float64},
    {"bool", arrow::boolean},    {"null", arrow::null},
    {"string", arrow::utf8},     {"large_string", arrow::large_utf8},
    {"binary", arrow::binary},   {"large_binary", arrow::large_binary},
    {"date32", arrow::date32},   {"date32[day]", arrow::date32},
    {"date64", arrow::date64},   {"date64[ms]", arrow::date64},
};

std::optional<arrow::TimeUnit::type> ParseUnit(std::string_view text) {
  if (text == "s") return arrow::TimeUnit::SECOND;
  if (text == "ms") return arrow::TimeUnit::MILLI;
  if (text == "us") return arrow::TimeUnit::MICRO;
  if (text == "ns") return arrow::TimeUnit::NANO;
  return std::nullopt;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool TakePrefix(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

std::optional<int> ParseNumber(std::string_view text) {
  int number = 0;
  text = Trimmed(text);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Split at the commas that are in no brackets and no quotes. Quotes stay.
std::vector<std::string_view> SplitOutside(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool is_quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == '(' || c == '[' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '>') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// What stands between the brackets of `name<...>`. \return no value: it is not this
std::optional<std::string_view> Inside(std::string_view text, std::string_view name, char open,
                                       char close) {
  if (!TakePrefix(name, &text) || text.size() < 2 || text.front() != open || text.back() != close) {
    return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

Type Parse(std::string_view text, int depth);

/// "name: type not null", or a type alone where there is a name for it.
std::shared_ptr<arrow::Field> ParseField(std::string_view text, std::string_view default_name,
                                         int depth) {
  text = Trimmed(text);
  constexpr std::string_view kNotNull = " not null";
  const bool is_nullable = !text.ends_with(kNotNull);
  if (!is_nullable) text.remove_suffix(kNotNull.size());
  std::string name(default_name);
  if (auto whole = Parse(text, depth); whole != nullptr && !default_name.empty()) {
    return arrow::field(name, std::move(whole), is_nullable);
  }
  const size_t colon = text.find(": ");
  if (colon == std::string_view::npos) return nullptr;
  name = std::string(text.substr(0, colon));
  auto type = Parse(text.substr(colon + 2), depth);
  return type == nullptr ? nullptr : arrow::field(name, std::move(type), is_nullable);
}

/// timestamp, time32, time64 and duration, with their unit in either kind of brackets.
Type ParseTime(std::string_view text) {
  const auto inside = [&](std::string_view name) {
    const auto squared = Inside(text, name, '[', ']');
    return squared ? squared : Inside(text, name, '(', ')');
  };
  if (text == "timestamp") return arrow::timestamp(arrow::TimeUnit::MICRO);
  if (const auto stamp = inside("timestamp")) {
    const size_t comma = stamp->find(',');
    const auto unit = ParseUnit(Trimmed(stamp->substr(0, comma)));
    if (!unit) return nullptr;
    if (comma == std::string_view::npos) return arrow::timestamp(*unit);
    std::string_view zone = Trimmed(stamp->substr(comma + 1));
    return TakePrefix("tz=", &zone) && !zone.empty() ? arrow::timestamp(*unit, std::string(zone))
                                                     : nullptr;
  }
  if (const auto duration = inside("duration")) {
    const auto unit = ParseUnit(*duration);
    return unit ? arrow::duration(*unit) : nullptr;
  }
  const auto small = inside("time32");
  const auto large = inside("time64");
  if (!small && !large) return nullptr;
  const auto unit = ParseUnit(small ? *small : *large);
  if (!unit) return nullptr;
  const bool is_small = *unit == arrow::TimeUnit::SECOND || *unit == arrow::TimeUnit::MILLI;
  if (is_small != small.has_value()) return nullptr;
  return is_small ? arrow::time32(*unit) : arrow::time64(*unit);
}

Type ParseDecimal(std::string_view text) {
  for (const std::string_view name : {"decimal", "decimal128", "decimal256"}) {
    const auto inside = Inside(text, name, '(', ')');
    if (!inside) continue;
    const size_t comma = inside->find(',');
    if (comma == std::string_view::npos) return nullptr;
    const auto precision = ParseNumber(inside->substr(0, comma));
    const auto scale = ParseNumber(inside->substr(comma + 1));
    if (!precision || !scale) return nullptr;
    const auto type = name == "decimal256" ? arrow::Decimal256Type::Make(*precision, *scale)
                                           : arrow::Decimal128Type::Make(*precision, *scale);
    return type.ok() ? *type : nullptr;
  }
  return nullptr;
}

/// fixed_size_list<TYPE>[N]
Type ParseFixedSizeList(std::string_view text, int depth) {
  const size_t bracket = text.rfind('[');
  if (bracket == std::string_view::npos || !text.ends_with(']')) return nullptr;
  const auto size = ParseNumber(text.substr(bracket + 1, text.size() - bracket - 2));
  const auto inside = Inside(text.substr(0, bracket), "fixed_size_list", '<', '>');
  if (!size || *size < 1 || !inside) return nullptr;
  const auto item = ParseField(*inside, "item", depth);
  return item == nullptr ? nullptr : arrow::fixed_size_list(item, *size);
}

Type ParseStruct(std::string_view inside, int depth) {
  arrow::FieldVector fields;
  for (const std::string_view part : SplitOutside(inside)) {
    fields.push_back(ParseField(part, "", depth));
    if (fields.back() == nullptr) return nullptr;
  }
  return arrow::struct_(std::move(fields));
}

/// dictionary<values=TYPE, indices=TYPE, ordered=0>
Type ParseDictionary(std::string_view inside, int depth) {
  const auto parts = SplitOutside(inside);
  if (parts.size() != 3) return nullptr;
  std::string_view values = Trimmed(parts[0]);
  std::string_view indices = Trimmed(parts[1]);
  const std::string_view ordered = Trimmed(parts[2]);
  if (!TakePrefix("values=", &values) || !TakePrefix("indices=", &indices)) return nullptr;
  if (ordered != "ordered=0" && ordered != "ordered=1") return nullptr;
  const Type value_type = Parse(values, depth);
  const Type index_type = Parse(indices, depth);
  if (value_type == nullptr || index_type == nullptr) return nullptr;
  const auto type = arrow::DictionaryType::Make(index_type, value_type, ordered == "ordered=1");
  return type.ok() ? *type : nullptr;
}

Type ParseNested(std::string_view text, int depth) {
  if (const auto inside = Inside(text, "list", '<', '>')) {
    const auto item = ParseField(*inside, "item", depth);
    return item == nullptr ? nullptr : arrow::list(item);
  }
  if (const auto inside = Inside(text, "large_list", '<', '>')) {
    const auto item = ParseField(*inside, "item", depth);
    return item == nullptr ? nullptr : arrow::large_list(item);
  }
  if (const auto inside = Inside(text, "map", '<', '>')) {
    const auto parts = SplitOutside(*inside);
    const Type key = parts.size() == 2 ? Parse(parts[0], depth) : nullptr;
    const Type value = parts.size() == 2 ? Parse(parts[1], depth) : nullptr;
    return key == nullptr || value == nullptr ? nullptr : arrow::map(key, value);
  }
  if (const auto inside = Inside(text, "struct", '<', '>')) return ParseStruct(*inside, depth);
  if (const auto inside = Inside(text, "dictionary", '<', '>')) {
    return ParseDictionary(*inside, depth);
  }
  return ParseFixedSizeList(text, depth);
}

/// \return null for what is no type
Type Parse(std::string_view text, int depth) {
  text = Trimmed(text);
  if (depth > kMaxDepth) return nullptr;
  for (const NamedType& type : kTypes) {
    if (type.name == text) return type.make();
  }
  if (const auto width = Inside(text, "fixed_size_binary", '[', ']')) {
    const auto bytes = ParseNumber(*width);
    return bytes && *bytes > 0 ? arrow::fixed_size_binary(*bytes) : nullptr;
  }
  if (Type time = ParseTime(text)) return time;
  if (Type decimal = ParseDecimal(text)) return decimal;
  return ParseNested(text, depth + 1);
}

}  // namespace

arrow::Result<Type> ParseType(std::string_view text) {
  if (Type type = Parse(text, 0)) return type;
  return arrow::Status::Invalid("\"", text, "\" is no type; allowed: ", kAllowed);
}

arrow::Result<std::map<std::string, Type>> ParseColumnTypes(const std::string& text) {
  std::map<std::string, Type> types;
  for (std::string_view part : SplitOutside(text)) {
    part = Trimmed(part);
    if (part.size() >= 2 && part.front() == '"' && part.back() == '"') {
      part = part.substr(1, part.size() - 2);
    }
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return arrow::Status::Invalid("\"", part, "\" has no name and '='; allowed: COLUMN=TYPE,...");
    }
    std::string name(part.substr(0, equals));
    ARROW_ASSIGN_OR_RAISE(auto type, ParseType(part.substr(equals + 1)));
    if (!types.emplace(name, std::move(type)).second) {
      return arrow::Status::Invalid("column ", name, " has two types");
    }
  }
  return types;
}

}  // namespace lancectl
