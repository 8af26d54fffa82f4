// Which encodings pages get: data and metadata on one side, what the page's message says on the
// other.

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "written_column.h"

namespace lance::format {
namespace {

using arrow::BinaryType;
using arrow::BooleanType;
using arrow::DoubleType;
using arrow::FloatType;
using arrow::Int16Type;
using arrow::Int32Type;
using arrow::Int64Type;
using arrow::Int8Type;
using arrow::LargeStringType;
using arrow::StringType;

constexpr int64_t kRows = 3000;

ArrayPtr Random64() {
  return MakeArrayOf<Int64Type>(
      kRows, [](int64_t i) { return std::optional(static_cast<int64_t>(Scatter(i))); });
}

ArrayPtr Small32() {
  return MakeArrayOf<Int32Type>(
      kRows, [](int64_t i) { return std::optional(static_cast<int32_t>(Scatter(i) % 50)); });
}

ArrayPtr Small32WithNulls() {
  return MakeArrayOf<Int32Type>(kRows, [](int64_t i) -> std::optional<int32_t> {
    if (Scatter(i + 7) % 5 == 0) return std::nullopt;
    return static_cast<int32_t>(Scatter(i) % 50);
  });
}

ArrayPtr Runs16() {
  return MakeArrayOf<Int16Type>(
      kRows, [](int64_t i) { return std::optional(static_cast<int16_t>(i / 100)); });
}

/// Few values that bit packing does not help with.
ArrayPtr FewWide64(int64_t run) {
  return MakeArrayOf<Int64Type>(kRows, [run](int64_t i) {
    return std::optional(
        static_cast<int64_t>(Scatter(static_cast<int64_t>(Scatter(i / run) % 20))));
  });
}

ArrayPtr FewDoubles() {
  return MakeArrayOf<DoubleType>(
      kRows, [](int64_t i) { return std::optional(static_cast<double>(Scatter(i) % 11) / 100); });
}

std::string Word(int64_t i) {
  std::string word;
  for (uint64_t bits = Scatter(i); bits > 1u << 12; bits >>= 5) {
    word += static_cast<char>('a' + bits % 26);
  }
  return word;
}

template <typename Type>
ArrayPtr Words(int64_t count = 8000) {
  return MakeArrayOf<Type>(count, [](int64_t i) { return std::optional(Word(i)); });
}

template <typename Type>
ArrayPtr FewWords() {
  return MakeArrayOf<Type>(
      kRows, [](int64_t i) { return std::optional(Word(static_cast<int64_t>(Scatter(i) % 30))); });
}

ArrayPtr FewNumberedValues() {
  return MakeArrayOf<StringType>(kRows, [](int64_t i) {
    return std::optional("the value of number " + std::to_string(Scatter(i) % 30));
  });
}

template <typename Type>
ArrayPtr LongTexts(int64_t count, size_t length) {
  return MakeArrayOf<Type>(count, [length](int64_t i) {
    std::string text;
    for (int64_t k = 0; text.size() < length; ++k) text += Word(1000 * i + k);
    return std::optional(text);
  });
}

ArrayPtr Repeated(const std::shared_ptr<arrow::DataType>& type, const std::string& json,
                  int64_t count) {
  const auto value = FromJson(type, "[" + json + "]")->GetScalar(0).ValueOrDie();
  return arrow::MakeArrayFromScalar(*value, count).ValueOrDie();
}

ArrayPtr Bools() {
  return MakeArrayOf<BooleanType>(kRows,
                                  [](int64_t i) { return std::optional(Scatter(i) % 2 == 0); });
}

ArrayPtr RoundedDoubles() {
  return MakeArrayOf<DoubleType>(kRows, [](int64_t i) {
    return std::optional(static_cast<double>(Scatter(i) % 100'000) / 100);
  });
}

struct Choice {
  std::string name;
  std::function<ArrayPtr()> make;
  Metadata metadata;
  std::string in_2_1;
  std::string in_2_2;  // empty: the same
};

void PrintTo(const Choice& choice, std::ostream* out) { *out << choice.name; }

class PageChoice : public ::testing::TestWithParam<Choice> {};

TEST_P(PageChoice, In21) {
  const Choice& choice = GetParam();

  EXPECT_EQ(Described(choice.make(), {.version = FileVersion::k2_1, .metadata = choice.metadata}),
            choice.in_2_1);
}

TEST_P(PageChoice, In22) {
  const Choice& choice = GetParam();

  EXPECT_EQ(Described(choice.make(), {.version = FileVersion::k2_2, .metadata = choice.metadata}),
            choice.in_2_2.empty() ? choice.in_2_1 : choice.in_2_2);
}

std::string NameOf(const ::testing::TestParamInfo<Choice>& test) { return test.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Integers, PageChoice,
    ::testing::ValuesIn<Choice>({
        {"RandomAreFlat", Random64, {}, "MiniBlock(Flat{64}, layers [1])", ""},
        {"SmallArePacked", Small32, {}, "MiniBlock(InlineBitpacking{32}, layers [1])", ""},
        {"NullsAreDefinitionLevels",
         Small32WithNulls,
         {},
         "MiniBlock(InlineBitpacking{32}, def OutOfLineBitpacking{16}(Flat{1}), layers [3])",
         ""},
        {"RunsAreRle", Runs16, {}, "MiniBlock(Rle(Flat{16}), layers [1])", ""},
        {"ThresholdSwitchesRleOff",
         Runs16,
         {{"lance-encoding:rle-threshold", "0"}},
         "MiniBlock(InlineBitpacking{16}, layers [1])",
         ""},
        {"NoneIsFlat",
         Small32,
         {{"lance-encoding:compression", "none"}},
         "MiniBlock(Flat{32}, layers [1])",
         ""},
        {"FewOf64BitsHaveADictionaryIn22",
         [] { return FewWide64(1); },
         {},
         "MiniBlock(Flat{64}, layers [1])",
         "MiniBlock(InlineBitpacking{32}, dictionary Flat{64}, layers [1])"},
        {"RunsOf64BitsHaveCodesInRuns",
         [] { return FewWide64(8); },
         {},
         "MiniBlock(Rle(Flat{64}), layers [1])",
         "MiniBlock(Rle(Flat{32}), dictionary Flat{64}, layers [1])"},
        {"FewDoublesHaveADictionaryIn22",
         FewDoubles,
         {},
         "MiniBlock(InlineBitpacking{64}, layers [1])",
         "MiniBlock(InlineBitpacking{32}, dictionary General (lz4)(Flat{64}), layers [1])"},
        {"DivisorSwitchesDictionariesOff",
         FewDoubles,
         {{"lance-encoding:dict-divisor", "3000"}},
         "MiniBlock(InlineBitpacking{64}, layers [1])",
         ""},
        {"BoolsAreBits", Bools, {}, "MiniBlock(Flat{1}, layers [1])", ""},
        {"BoolsAreNeverZipped",
         Bools,
         {{"lance-encoding:structural-encoding", "fullzip"}},
         "MiniBlock(Flat{1}, layers [1])",
         ""},
        {"FullZipByRequest",
         Small32WithNulls,
         {{"lance-encoding:structural-encoding", "fullzip"}},
         "FullZip(Flat{32}, rep 0 bits, def 1 bits, layers [3])",
         ""},
        {"ZstdOfSplitBytes",
         RoundedDoubles,
         {{"lance-encoding:compression", "zstd"}, {"lance-encoding:bss", "on"}},
         "MiniBlock(General (zstd)(ByteStreamSplit(Flat{64})), layers [1])",
         ""},
        {"ZstdOfWholeValues",
         RoundedDoubles,
         {{"lance-encoding:compression", "zstd"}, {"lance-encoding:bss", "off"}},
         "MiniBlock(General (zstd)(Flat{64}), layers [1])",
         ""},
        {"Lz4WhereItPays",
         Small32,
         {{"lance-encoding:compression", "lz4"}},
         "MiniBlock(InlineBitpacking{32}, layers [1])",
         ""},
    }),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Texts, PageChoice,
    ::testing::ValuesIn<Choice>({
        {"WordsAreFsst",
         [] { return Words<StringType>(); },
         {},
         "MiniBlock(Fsst(Variable{32}), layers [1])",
         ""},
        {"LargeWordsHaveWideOffsets",
         [] { return Words<LargeStringType>(); },
         {},
         "MiniBlock(Fsst(Variable{64}), layers [1])",
         ""},
        {"SmallPagesAreVariable",
         [] { return Words<StringType>(90); },
         {},
         "MiniBlock(Variable{32}, layers [1])",
         ""},
        {"FsstByRequest",
         [] { return Words<BinaryType>(3000); },
         {{"lance-encoding:compression", "fsst"}},
         "MiniBlock(Fsst(Variable{32}), layers [1])",
         ""},
        {"NoneIsVariable",
         [] { return Words<StringType>(); },
         {{"lance-encoding:compression", "none"}},
         "MiniBlock(Variable{32}, layers [1])",
         ""},
        {"ZstdByRequest",
         [] { return Words<StringType>(); },
         {{"lance-encoding:compression", "zstd"}},
         "MiniBlock(General (zstd)(Variable{32}), layers [1])",
         ""},
        {"FewHaveADictionary",
         FewWords<StringType>,
         {},
         "MiniBlock(InlineBitpacking{32}, dictionary Variable{32}, layers [1])",
         ""},
        {"DictionaryIsCompressedWhereItPays",
         FewNumberedValues,
         {},
         "MiniBlock(InlineBitpacking{32}, dictionary Variable{32}, layers [1])",
         "MiniBlock(InlineBitpacking{32}, dictionary General (lz4)(Variable{32}), layers [1])"},
        {"DictionaryStaysPlainByRequest",
         FewNumberedValues,
         {{"lance-encoding:dict-values-compression", "none"}},
         "MiniBlock(InlineBitpacking{32}, dictionary Variable{32}, layers [1])",
         ""},
        {"DictionaryZstdByRequest",
         FewWords<LargeStringType>,
         {{"lance-encoding:dict-values-compression", "zstd"}},
         "MiniBlock(InlineBitpacking{32}, dictionary Variable{64}, layers [1])",
         "MiniBlock(InlineBitpacking{32}, dictionary General (zstd)(Variable{64}), layers [1])"},
        {"CodesKeepToNone",
         FewWords<StringType>,
         {{"lance-encoding:compression", "none"},
          {"lance-encoding:dict-values-compression", "none"}},
         "MiniBlock(Flat{32}, dictionary Variable{32}, layers [1])",
         ""},
        {"LongAreZipped",
         [] { return LongTexts<StringType>(20, 400); },
         {},
         "FullZip(Variable{32}, rep 0 bits, def 0 bits, layers [1])",
         ""},
        {"LongPagesAreZippedFsst",
         [] { return LongTexts<StringType>(200, 400); },
         {},
         "FullZip(Fsst(Variable{32}), rep 0 bits, def 0 bits, layers [1])",
         ""},
        {"VeryLongAreZippedZstd",
         [] { return LongTexts<BinaryType>(5, 40'000); },
         {},
         "FullZip(General (zstd)(Variable{32}), rep 0 bits, def 0 bits, layers [1])",
         ""},
        {"LongMiniBlocksByRequest",
         [] { return LongTexts<StringType>(20, 400); },
         {{"lance-encoding:structural-encoding", "miniblock"}},
         "MiniBlock(Variable{32}, layers [1])",
         ""},
        {"TooLongForMiniBlocks",
         [] { return LongTexts<StringType>(3, 9000); },
         {{"lance-encoding:structural-encoding", "miniblock"},
          {"lance-encoding:compression", "none"}},
         "FullZip(Variable{32}, rep 0 bits, def 0 bits, layers [1])",
         "MiniBlock(Variable{32}, layers [1])"},
    }),
    NameOf);

/// Many short values and one that is long.
ArrayPtr OneLong() {
  return MakeArrayOf<StringType>(
      600, [](int64_t i) { return std::optional(i == 300 ? std::string(300, 'q') : Word(i)); });
}

ArrayPtr Decimals(bool few) {
  return MakeArrayOf<arrow::Decimal128Type>(
      kRows,
      [few](int64_t i) {
        const uint64_t value = few ? Scatter(i) % 20 : Scatter(i);
        return std::optional(arrow::Decimal128(static_cast<int64_t>(value), Scatter(few ? 1 : i)));
      },
      arrow::decimal128(38, 0));
}

ArrayPtr Vectors(int32_t dimension, const std::string& null_at) {
  std::string lists;
  for (int i = 0; i < 20; ++i) {
    std::string items;
    for (int32_t k = 0; k < dimension; ++k) {
      const bool is_null = null_at == "items" || (null_at == "item" && i == 3 && k == 0);
      items += (k == 0 ? "" : ",") + (is_null ? std::string("null") : std::to_string(i + k));
    }
    lists += (i == 0 ? "" : ",") + (null_at == "row" && i == 4 ? "null" : "[" + items + "]");
  }
  return FromJson(arrow::fixed_size_list(arrow::float32(), dimension), "[" + lists + "]");
}

INSTANTIATE_TEST_SUITE_P(
    OtherValues, PageChoice,
    ::testing::ValuesIn<Choice>({
        {"FewLongAmongShortAreMiniBlocks", OneLong, {}, "MiniBlock(Variable{32}, layers [1])", ""},
        {"DecimalsAreFlat",
         [] { return Decimals(false); },
         {},
         "MiniBlock(Flat{128}, layers [1])",
         ""},
        {"FewDecimalsHaveADictionary",
         [] { return Decimals(true); },
         {},
         "MiniBlock(InlineBitpacking{32}, dictionary Flat{128}, layers [1])",
         "MiniBlock(InlineBitpacking{32}, dictionary General (lz4)(Flat{128}), layers [1])"},
        {"ShortVectorsAreMiniBlocks",
         [] { return Vectors(4, "nowhere"); },
         {},
         "MiniBlock(FixedSizeList(Flat{32}), layers [1])",
         ""},
        {"NullVectorsAreLevels",
         [] { return Vectors(4, "row"); },
         {},
         "MiniBlock(FixedSizeList(Flat{32}), def Flat{16}, layers [3])",
         "MiniBlock(FixedSizeList(Flat{32}), def Rle(Flat{16}), layers [3])"},
        {"NullItemsAreBits",
         [] { return Vectors(4, "item"); },
         {},
         "MiniBlock(FixedSizeList{validity}(Flat{32}), layers [1])",
         ""},
        {"LongVectorsAreZipped",
         [] { return Vectors(64, "nowhere"); },
         {},
         "FullZip(FixedSizeList(Flat{32}), rep 0 bits, def 0 bits, layers [1])",
         ""},
        {"VectorsOfNullsHaveNoItems",
         [] { return Vectors(4, "items"); },
         {},
         "FullZip(FixedSizeList{validity}(Constant), rep 0 bits, def 0 bits, layers [1])",
         ""},
    }),
    NameOf);

const auto kOneInt = [] { return Repeated(arrow::int32(), "7", kRows); };

INSTANTIATE_TEST_SUITE_P(
    Constants, PageChoice,
    ::testing::ValuesIn<Choice>({
        {"Integers",
         kOneInt,
         {},
         "MiniBlock(Rle(Flat{32}), layers [1])",
         "Constant(inline value, layers [1])"},
        {"Bools",
         [] { return Repeated(arrow::boolean(), "true", kRows); },
         {},
         "MiniBlock(Flat{1}, layers [1])",
         "Constant(inline value, layers [1])"},
        {"Texts",
         [] { return Repeated(arrow::utf8(), "\"abc\"", kRows); },
         {},
         "MiniBlock(InlineBitpacking{32}, dictionary Variable{32}, layers [1])",
         "Constant(layers [1])"},
        {"WideBinary",
         [] {
           return Repeated(arrow::fixed_size_binary(40), "\"" + std::string(40, 'x') + "\"", 9);
         },
         {},
         "MiniBlock(Flat{320}, layers [1])",
         "Constant(layers [1])"},
        {"FewRowsWithANull",
         [] { return FromJson(arrow::int32(), "[5, null, 5]"); },
         {},
         "MiniBlock(Flat{32}, def Flat{16}, layers [3])",
         "Constant(inline value, layers [3])"},
        // The levels of constant pages are stored raw.
        {"ManyRowsWithNulls",
         [] {
           return MakeArrayOf<Int32Type>(kRows, [](int64_t i) {
             return Scatter(i) % 5 == 0 ? std::nullopt : std::optional<int32_t>(7);
           });
         },
         {},
         "MiniBlock(Rle(Flat{32}), def OutOfLineBitpacking{16}(Flat{1}), layers [3])",
         ""},
        {"OnlyNulls",
         [] { return arrow::MakeArrayOfNull(arrow::utf8(), 10).ValueOrDie(); },
         {},
         "Constant(layers [3])",
         ""},
        {"TypeNull",
         [] { return arrow::MakeArrayOfNull(arrow::null(), 10).ValueOrDie(); },
         {},
         "Constant(layers [3])",
         ""},
        {"EmptyStructs",
         [] { return FromJson(arrow::struct_(arrow::FieldVector{}), "[{}, {}]"); },
         {},
         "Constant(layers [3])",
         ""},
    }),
    NameOf);

const auto kList = arrow::list(arrow::int32());
const auto kStruct = arrow::struct_({arrow::field("a", arrow::int32())});

INSTANTIATE_TEST_SUITE_P(
    Nested, PageChoice,
    ::testing::ValuesIn<Choice>({
        {"Lists",
         [] { return FromJson(kList, "[[1, 2], null, [], [3, null]]"); },
         {},
         "MiniBlock(Flat{32}, rep Flat{16}, def Flat{16}, layers [3 6])",
         ""},
        {"EmptyLists",
         [] { return FromJson(kList, "[[], [], []]"); },
         {},
         "Constant(layers [1 5])",
         "Constant(rep Flat{16}, def Flat{16}, layers [1 5])"},
        // The all-null form loses rows in old readers.
        {"ListsOfNulls",
         [] { return FromJson(kList, "[[null], [null, null]]"); },
         {},
         "MiniBlock(InlineBitpacking{32}, rep Flat{16}, def Flat{16}, layers [3 2])",
         "Constant(rep Flat{16}, def Flat{16}, layers [3 2])"},
        {"NullStructs",
         [] { return FromJson(kStruct, "[null, null]"); },
         {},
         "Constant(layers [3 3])",
         "Constant(def Flat{16}, layers [3 3])"},
        {"ManyNullStructs",
         [] { return arrow::MakeArrayOfNull(kStruct, kRows).ValueOrDie(); },
         {},
         "MiniBlock(InlineBitpacking{32}, def OutOfLineBitpacking{16}(Flat{2}), layers [3 3])",
         "Constant(def Rle(Flat{16}), layers [3 3])"},
        // A struct around a list is nullable even where no struct is: pages of other kinds may be.
        {"StructsAroundLists",
         [] { return FromJson(arrow::struct_({arrow::field("l", kList)}), R"([{"l": [1, 2]}])"); },
         {},
         "MiniBlock(Flat{32}, rep Flat{16}, def OutOfLineBitpacking{16}(Flat{0}), layers [3 6 3])",
         ""},
        {"StructsInLists",
         [] { return FromJson(arrow::list(kStruct), R"([[{"a": 1}, {"a": 2}]])"); },
         {},
         "MiniBlock(Flat{32}, rep Flat{16}, layers [1 1 2])",
         ""},
        {"PackedStructs",
         [] { return FromJson(kStruct, R"([{"a": 1}, null])"); },
         {{"lance-encoding:packed", "true"}},
         "MiniBlock(PackedStruct(Flat{32}), def Flat{16}, layers [3])",
         ""},
    }),
    NameOf);

TEST(PageChoice22, PackedStructsOfTextsAreZipped) {
  const auto type =
      arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("s", arrow::utf8())});
  const auto array = FromJson(type, R"([{"a": 1, "s": "abc"}, null])");

  const auto written =
      Write(array, {.version = FileVersion::k2_2, .metadata = {{"lance-encoding:packed", "true"}}});

  EXPECT_EQ(DescribePage(written->page(), FileVersion::k2_2),
            "FullZip(VariablePackedStruct(Flat{32}, Variable{32}), rep 0 bits, def 1 bits, "
            "layers [3])");
  EXPECT_EQ(written->Buffer(0), std::string("\0\x0B\0\0\0\1\0\0\0\3\0\0\0abc\1", 17));
  EXPECT_EQ(written->Buffer(1), std::string("\0\x10\x11", 3));
}

TEST(PageChoice, LevelsOfRegularListsAreRunsIn22) {
  std::string rows = "[";
  for (int i = 0; i < 40; ++i)
    rows += (i == 0 ? "[" : ",[") + std::string("1") + [] {
      std::string rest;
      for (int k = 0; k < 99; ++k) rest += ",1";
      return rest;
    }() + "]";
  const auto array = FromJson(kList, rows + ",[2]]");

  EXPECT_EQ(Described(array, {.version = FileVersion::k2_2}),
            "MiniBlock(Rle(Flat{32}), rep Rle(Flat{16}), layers [1 2])");
}

TEST(PageChoice, ArrowDictionariesKeepTheirIndexWidth) {
  const auto type = arrow::dictionary(arrow::int8(), arrow::utf8());
  const auto array =
      arrow::DictionaryArray::FromArrays(type, FromJson(arrow::int8(), "[1, 0, null]"),
                                         FromJson(arrow::utf8(), R"(["a", "b"])"))
          .ValueOrDie();

  EXPECT_EQ(Described(array),
            "MiniBlock(Flat{8}, dictionary Variable{32}, def Flat{16}, layers [3])");
}

TEST(PageChoice, EqualInputGivesEqualBytes) {
  const auto first = Write(Words<StringType>());
  const auto second = Write(Words<StringType>());

  ASSERT_EQ(first->page().buffers.size(), second->page().buffers.size());
  EXPECT_EQ(first->page().encoding, second->page().encoding);
  EXPECT_EQ(first->Buffer(1), second->Buffer(1));
}

TEST(PageChoice, WhatLiesBehindNullsDoesNotMatter) {
  const auto clean = FromJson(arrow::int32(), "[1, null, 3]");
  auto data = FromJson(arrow::int32(), "[1, 77, 3]")->data()->Copy();
  data->buffers[0] = clean->data()->buffers[0];
  data->SetNullCount(1);

  EXPECT_EQ(Write(arrow::MakeArray(data))->Buffer(1), Write(clean)->Buffer(1));
}

}  // namespace
}  // namespace lance::format
