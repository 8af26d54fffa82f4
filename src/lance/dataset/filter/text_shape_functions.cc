#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "lance/dataset/filter/cast_value.h"
#include "lance/dataset/filter/coercion.h"
#include "lance/dataset/filter/functions.h"
#include "lance/dataset/filter/row_values.h"
#include "lance/dataset/filter/utf8.h"

namespace lance::filter {

namespace {

using arrow::Datum;
using arrow::Status;
using Arguments = std::vector<BoundValue>;
using CallResult = arrow::Result<FunctionCall>;
using TypePtr = std::shared_ptr<arrow::DataType>;

// The longest text that padding and repeating make.
constexpr uint64_t kMaxTextBytes = 64 << 20;

/// What the arguments of a call are: 't' a text, 'i' an integer.
arrow::Result<std::vector<TypePtr>> TypesFor(const Arguments& arguments, std::string_view kinds) {
  std::vector<TypePtr> types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const arrow::DataType& type = *arguments[i].type;
    const bool is_text = kinds[i] == 't';
    const bool fits =
        type.id() == arrow::Type::NA || (is_text ? IsTextType(type) : arrow::is_integer(type.id()));
    if (!fits) {
      return Status::Invalid("found a value of type ", type.ToString(), ", expected ",
                             is_text ? "a text" : "an integer");
    }
    types.push_back(is_text ? arrow::utf8() : arrow::int64());
  }
  return types;
}

/// The texts and integers of one row, all of them valid.
struct Row {
  std::vector<std::string_view> texts;
  std::vector<int64_t> integers;
};

/// A function whose result is null where an argument is.
///
/// \param append appends the result of a row to its builder
template <typename Builder, typename Append>
CallResult RowCall(const Arguments& arguments, std::string_view kinds, const TypePtr& result,
                   Append append) {
  ARROW_ASSIGN_OR_RAISE(auto types, TypesFor(arguments, kinds));
  const auto run = [types, append](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    std::vector<TextRows> texts;
    std::vector<NumberRows<arrow::Int64Type>> integers;
    for (size_t i = 0; i < values.size(); ++i) {
      if (types[i]->id() == arrow::Type::STRING) {
        texts.emplace_back(values[i]);
      } else {
        integers.emplace_back(values[i]);
      }
    }
    Builder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      const auto is_valid = [i](const auto& rows) { return rows.IsValid(i); };
      if (!std::ranges::all_of(texts, is_valid) || !std::ranges::all_of(integers, is_valid)) {
        return builder.AppendNull();
      }
      Row row;
      for (const auto& text : texts) row.texts.push_back(text.Value(i));
      for (const auto& integer : integers) row.integers.push_back(integer.Value(i));
      return append(row, &builder);
    });
  };
  return FunctionCall{result, std::move(types), run};
}

template <typename Append>
CallResult TextCall(const Arguments& arguments, std::string_view kinds, Append append) {
  return RowCall<arrow::StringBuilder>(arguments, kinds, arrow::utf8(), append);
}

template <typename Append>
CallResult IntegerCall(const Arguments& arguments, std::string_view kinds, Append append) {
  return RowCall<arrow::Int32Builder>(arguments, kinds, arrow::int32(), append);
}

/// The first n characters, or all but the last -n.
CallResult Left(const Arguments& arguments) {
  return TextCall(arguments, "ti", [](const Row& row, arrow::StringBuilder* out) {
    const std::string_view text = row.texts[0];
    int64_t count = row.integers[0];
    if (count < 0) count += CountCharacters(text);
    return out->Append(text.substr(0, OffsetOfCharacter(text, count)));
  });
}

CallResult Right(const Arguments& arguments) {
  return TextCall(arguments, "ti", [](const Row& row, arrow::StringBuilder* out) {
    const std::string_view text = row.texts[0];
    const int64_t count = row.integers[0];
    const int64_t num_characters = CountCharacters(text);
    // Numbers below leave out all, and the least has no counterpart above zero.
    const int64_t skipped = count < 0 ? -std::max(count, -num_characters) : num_characters - count;
    return out->Append(text.substr(OffsetOfCharacter(text, skipped)));
  });
}

/// The error for so many times a text of so many bytes.
Status TooLong(uint64_t times, size_t bytes) {
  return Status::Invalid("a text of ", times, " times ", bytes,
                         " bytes would be made; allowed: ", kMaxTextBytes, " bytes");
}

/// So many characters, cut or filled with others.
Status Pad(const Row& row, bool is_left, arrow::StringBuilder* out) {
  const std::string_view text = row.texts[0];
  const std::string_view fill = row.texts.size() > 1 ? row.texts[1] : " ";
  const int64_t wanted = std::max<int64_t>(row.integers[0], 0);
  const int64_t missing = wanted - CountCharacters(text);
  if (missing <= 0 || fill.empty()) {
    return out->Append(text.substr(0, OffsetOfCharacter(text, wanted)));
  }
  const int64_t per_fill = CountCharacters(fill);
  const auto fills = static_cast<uint64_t>(missing / per_fill);
  if (fills > kMaxTextBytes / fill.size()) return TooLong(fills, fill.size());
  std::string padding;
  for (int64_t i = 0; i < missing / per_fill; ++i) padding += fill;
  padding += fill.substr(0, OffsetOfCharacter(fill, missing % per_fill));
  return out->Append(is_left ? padding + std::string(text) : std::string(text) + padding);
}

CallResult Lpad(const Arguments& arguments) {
  return TextCall(arguments, "tit", [](const Row& row, arrow::StringBuilder* out) {
    return Pad(row, /*is_left=*/true, out);
  });
}

CallResult Rpad(const Arguments& arguments) {
  return TextCall(arguments, "tit", [](const Row& row, arrow::StringBuilder* out) {
    return Pad(row, /*is_left=*/false, out);
  });
}

CallResult Repeat(const Arguments& arguments) {
  return TextCall(arguments, "ti", [](const Row& row, arrow::StringBuilder* out) -> Status {
    const auto count = static_cast<uint64_t>(std::max<int64_t>(row.integers[0], 0));
    const std::string_view text = row.texts[0];
    if (!text.empty() && count > kMaxTextBytes / text.size()) return TooLong(count, text.size());
    std::string repeated;
    for (uint64_t i = 0; i < (text.empty() ? 0 : count); ++i) repeated += text;
    return out->Append(repeated);
  });
}

/// The pieces of a text between separators.
std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> pieces;
  if (separator.empty()) return {text};
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    pieces.push_back(text.substr(begin, end == text.npos ? text.npos : end - begin));
    if (end == text.npos) return pieces;
    begin = end + separator.size();
  }
}

/// The piece number n, from 1, or from the end when negative.
CallResult SplitPart(const Arguments& arguments) {
  return TextCall(arguments, "tti", [](const Row& row, arrow::StringBuilder* out) -> Status {
    const auto pieces = Split(row.texts[0], row.texts[1]);
    const int64_t place = row.integers[0];
    if (place == 0) return Status::Invalid("split_part() counts pieces from 1, found 0");
    const auto count = static_cast<int64_t>(pieces.size());
    const int64_t i = place > 0 ? place - 1 : count + place;
    return out->Append(i < 0 || i >= count ? std::string_view() : pieces[static_cast<size_t>(i)]);
  });
}

/// What is before the separator number n, or behind it when n counts from the end.
CallResult SubstrIndex(const Arguments& arguments) {
  return TextCall(arguments, "tti", [](const Row& row, arrow::StringBuilder* out) -> Status {
    const std::string_view text = row.texts[0];
    const int64_t count = row.integers[0];
    if (count == 0 || row.texts[1].empty()) return out->Append(std::string_view());
    const auto pieces = Split(text, row.texts[1]);
    const auto num_pieces = static_cast<int64_t>(pieces.size());
    if (count >= num_pieces || count <= -num_pieces) return out->Append(text);
    if (count > 0) {
      const std::string_view last = pieces[static_cast<size_t>(count - 1)];
      return out->Append(text.substr(0, static_cast<size_t>(last.end() - text.begin())));
    }
    const std::string_view first = pieces[static_cast<size_t>(num_pieces + count)];
    return out->Append(text.substr(static_cast<size_t>(first.begin() - text.begin())));
  });
}

/// The place of the first occurrence in characters, from 1; 0: there is none.
CallResult Strpos(const Arguments& arguments) {
  return IntegerCall(arguments, "tt", [](const Row& row, arrow::Int32Builder* out) {
    const size_t found = row.texts[0].find(row.texts[1]);
    if (found == std::string_view::npos) return out->Append(0);
    return out->Append(static_cast<int32_t>(CountCharacters(row.texts[0].substr(0, found)) + 1));
  });
}

/// The place of a text in a list that commas separate, from 1; 0: it is not there.
CallResult FindInSet(const Arguments& arguments) {
  return IntegerCall(arguments, "tt", [](const Row& row, arrow::Int32Builder* out) {
    const auto pieces = Split(row.texts[1], ",");
    const auto found = std::ranges::find(pieces, row.texts[0]);
    return out->Append(found == pieces.end() ? 0
                                             : static_cast<int32_t>(found - pieces.begin() + 1));
  });
}

/// The fewest characters to insert, delete or change.
CallResult Levenshtein(const Arguments& arguments) {
  return IntegerCall(arguments, "tt", [](const Row& row, arrow::Int32Builder* out) {
    const std::vector<uint32_t> left = CharactersOf(row.texts[0]);
    const std::vector<uint32_t> right = CharactersOf(row.texts[1]);
    std::vector<int32_t> distances(right.size() + 1);
    for (size_t j = 0; j < distances.size(); ++j) distances[j] = static_cast<int32_t>(j);
    for (size_t i = 0; i < left.size(); ++i) {
      int32_t diagonal = distances[0]++;
      for (size_t j = 0; j < right.size(); ++j) {
        const int32_t changed = diagonal + (left[i] == right[j] ? 0 : 1);
        diagonal = distances[j + 1];
        distances[j + 1] = std::min({changed, diagonal + 1, distances[j] + 1});
      }
    }
    return out->Append(distances.back());
  });
}

CallResult Ascii(const Arguments& arguments) {
  return IntegerCall(arguments, "t", [](const Row& row, arrow::Int32Builder* out) {
    const auto characters = CharactersOf(row.texts[0].substr(0, 4));
    return out->Append(characters.empty() ? 0 : static_cast<int32_t>(characters.front()));
  });
}

CallResult Chr(const Arguments& arguments) {
  return TextCall(arguments, "i", [](const Row& row, arrow::StringBuilder* out) -> Status {
    const int64_t number = row.integers[0];
    const bool is_surrogate = number >= 0xd800 && number < 0xe000;
    if (number < 0 || number > 0x10ffff || is_surrogate) {
      return Status::Invalid("chr() takes the number of a character, found ", number);
    }
    return out->Append(EncodeCharacter(static_cast<uint32_t>(number)));
  });
}

/// Exchange characters by place; those that have none in the third argument go.
CallResult Translate(const Arguments& arguments) {
  return TextCall(arguments, "ttt", [](const Row& row, arrow::StringBuilder* out) {
    const auto from = CharactersOf(row.texts[1]);
    const auto to = CharactersOf(row.texts[2]);
    std::string translated;
    for (const uint32_t character : CharactersOf(row.texts[0])) {
      const auto found = std::ranges::find(from, character);
      const auto place = static_cast<size_t>(found - from.begin());
      if (found == from.end()) {
        translated += EncodeCharacter(character);
      } else if (place < to.size()) {
        translated += EncodeCharacter(to[place]);
      }
    }
    return out->Append(translated);
  });
}

CallResult ToHex(const Arguments& arguments) {
  return TextCall(arguments, "i", [](const Row& row, arrow::StringBuilder* out) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    auto number = static_cast<uint64_t>(row.integers[0]);
    std::string text;
    do {
      text.insert(text.begin(), kDigits[number & 15]);
      number >>= 4;
    } while (number > 0);
    return out->Append(text);
  });
}

/// Texts with a separator between them; nulls are left out.
CallResult ConcatWithSeparator(const Arguments& arguments) {
  for (const BoundValue& argument : arguments) {
    if (CanCast(*argument.type, *arrow::utf8())) continue;
    return Status::NotImplemented("values of type ", argument.type->ToString(),
                                  " cannot be joined to a text yet");
  }
  const auto run = [](const std::vector<Datum>& values) -> arrow::Result<Datum> {
    std::vector<TextRows> rows;
    for (const Datum& value : values) rows.emplace_back(value);
    arrow::StringBuilder builder;
    return BuildRows(values, &builder, [&](int64_t i) -> Status {
      if (!rows[0].IsValid(i)) return builder.AppendNull();
      std::string joined;
      bool is_first = true;
      for (size_t part = 1; part < rows.size(); ++part) {
        if (!rows[part].IsValid(i)) continue;
        if (!is_first) joined += rows[0].Value(i);
        joined += rows[part].Value(i);
        is_first = false;
      }
      return builder.Append(joined);
    });
  };
  return FunctionCall{arrow::utf8(), std::vector<TypePtr>(arguments.size(), arrow::utf8()), run};
}

/// The first letter of each word large, the others small.
CallResult Initcap(const Arguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto types, TypesFor(arguments, "t"));
  const auto title = ArrowFunction("utf8_title");
  return FunctionCall{arrow::utf8(), std::move(types), title};
}

}  // namespace

std::vector<FunctionEntry> TextShapeFunctions() {
  return {{"left", 2, 2, Left},
          {"right", 2, 2, Right},
          {"lpad", 2, 3, Lpad},
          {"rpad", 2, 3, Rpad},
          {"repeat", 2, 2, Repeat},
          {"split_part", 3, 3, SplitPart},
          {"substr_index", 3, 3, SubstrIndex},
          {"substring_index", 3, 3, SubstrIndex},
          {"strpos", 2, 2, Strpos},
          {"instr", 2, 2, Strpos},
          {"position", 2, 2, Strpos},
          {"find_in_set", 2, 2, FindInSet},
          {"levenshtein", 2, 2, Levenshtein},
          {"ascii", 1, 1, Ascii},
          {"chr", 1, 1, Chr},
          {"translate", 3, 3, Translate},
          {"to_hex", 1, 1, ToHex},
          {"concat_ws", 2, SIZE_MAX, ConcatWithSeparator},
          {"initcap", 1, 1, Initcap}};
}

}  // namespace lance::filter
