#include "lance/format/v20/array_encoding.h"

#include <array>
#include <utility>

namespace lance::format::v20 {
namespace {

std::string Describe(const FixedValues& values) {
  const std::string bits = std::to_string(values.bits_per_value);
  const std::string packed = "{" + std::to_string(values.packed_bits) + " of " + bits + "}";
  switch (values.form) {
    case FixedValues::Form::kBitpacked:
      return "Bitpacked" + packed;
    case FixedValues::Form::kBitpackedForNonNeg:
      return "BitpackedForNonNeg" + packed;
    case FixedValues::Form::kConstant:
      return "Constant";
    case FixedValues::Form::kFlat:
      break;
  }
  constexpr std::array<const char*, 4> kCodecs = {"", ", none", ", lz4", ", zstd"};
  return "Flat{" + bits + kCodecs[static_cast<size_t>(values.codec)] + "}";
}

std::string InNullable(const SlotLevel& level, const std::string& values) {
  if (level.nulls == Nulls::kAll) return "AllNulls";
  return (level.nulls == Nulls::kSome ? "SomeNulls(" : "NoNulls(") + values + ")";
}

/// Names what an encoding is made of.
struct Describer {
  std::string operator()(const FixedWidthEncoding& fixed) const {
    std::string text = fixed.values.has_value() ? Describe(*fixed.values) : "";
    for (size_t i = fixed.levels.size(); i-- > 0;) {
      text = InNullable(fixed.levels[i], text);
      if (i > 0) {
        text = "FixedSizeList{" + std::to_string(fixed.dimensions[i - 1]) + "}(" + text + ")";
      }
    }
    return text;
  }

  std::string operator()(const BinaryEncoding& binary) const {
    const std::string text =
        "Binary(" + Describe(binary.ends) + ", " + Describe(binary.bytes) + ")";
    return binary.symbol_table.empty() ? text : "Fsst(" + text + ")";
  }

  std::string operator()(const FixedSizeBinaryEncoding& binary) const {
    const std::string width = std::to_string(binary.byte_width);
    return InNullable(binary.rows,
                      "FixedSizeBinary{" + width + "}(" + Describe(binary.bytes) + ")");
  }

  std::string operator()(const DictionaryEncoding& dictionary) const {
    return "Dictionary{" + std::to_string(dictionary.num_items) + "}(" +
           (*this)(dictionary.indices) + ", " + v20::Describe(*dictionary.items) + ")";
  }

  std::string operator()(const ListEncoding& list) const {
    return "List{" + std::to_string(list.num_items) + "}(" + Describe(list.ends) + ")";
  }

  std::string operator()(const StructEncoding&) const { return "SimpleStruct"; }

  std::string operator()(const PackedStructEncoding& packed) const {
    std::string text;
    for (const PackedMember& member : packed.members) {
      if (!text.empty()) text += ", ";
      for (const uint32_t dimension : member.dimensions) text += std::to_string(dimension) + "x";
      text += std::to_string(member.bits_per_value);
    }
    return "PackedStruct{" + text + "}";
  }
};

}  // namespace

const char* EncodingName(const ArrayEncoding& encoding) {
  constexpr std::array<const char*, std::variant_size_v<decltype(ArrayEncoding::form)>> kNames = {
      "Nullable", "Binary",       "FixedSizeBinary", "Dictionary",
      "List",     "SimpleStruct", "PackedStruct"};
  return kNames[encoding.form.index()];
}

std::string Describe(const ArrayEncoding& encoding) {
  return std::visit(Describer{}, encoding.form);
}

}  // namespace lance::format::v20
