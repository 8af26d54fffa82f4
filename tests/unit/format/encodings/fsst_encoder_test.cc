#include "lance/format/encodings/fsst_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "lance/format/encodings/fsst.h"

namespace lance::format {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;

std::span<const std::byte> AsBytes(const std::string& bytes) {
  return std::as_bytes(std::span(bytes));
}

/// Values as Arrow has them. The first offset is not 0, and bytes of others are around.
template <typename Offset>
struct Column {
  std::string bytes = "before";
  std::vector<Offset> offsets = {6};

  explicit Column(const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      bytes += value;
      offsets.push_back(static_cast<Offset>(bytes.size()));
    }
    bytes += "behind";
  }

  uint64_t num_values() const { return offsets.size() - 1; }
  OffsetView view() const { return {std::span<const Offset>(offsets)}; }
  FsstEncoder Train() const { return FsstEncoder::Train(AsBytes(bytes), view(), num_values()); }
};

struct Compressed {
  ByteBuffer bytes;
  std::vector<uint64_t> ends;
};

template <typename Offset>
Compressed Compress(const FsstEncoder& encoder, const Column<Offset>& column) {
  Compressed out;
  encoder.Compress(AsBytes(column.bytes), column.view(), column.num_values(), &out.bytes,
                   &out.ends);
  return out;
}

/// Expand with the reader's table. Values that it refuses come back as a complaint.
std::vector<std::string> Expand(const FsstEncoder& encoder, const Compressed& compressed) {
  const auto table = FsstSymbolTable::Parse(AsBytes(encoder.SerializedTable()));
  if (!table.ok()) return {table.status().ToString()};
  std::vector<std::string> values;
  uint64_t begin = 0;
  for (const uint64_t end : compressed.ends) {
    const auto codes = compressed.bytes.span().subspan(begin, end - begin);
    std::string value(8 * (codes.size() + 1), '\0');
    auto* const first = reinterpret_cast<std::byte*>(value.data());
    const std::byte* const last = table->Expand(codes, first);
    if (last == nullptr) return {"a value with broken codes"};
    value.resize(static_cast<size_t>(last - first));
    values.push_back(value);
    begin = end;
  }
  return values;
}

std::vector<std::string> Many(int count, auto&& make) {
  std::mt19937_64 random(7);
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i) values.push_back(make(random));
  return values;
}

std::string RandomBytes(std::mt19937_64& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Word(std::mt19937_64& random) {
  static const std::vector<std::string> kWords = {"the",    "quick", "brown", "fox",
                                                  "jumped", "over",  "lazy",  "dogs"};
  return kWords[random() % kWords.size()];
}

std::string Hex(std::mt19937_64& random) {
  std::string digits;
  for (int i = 0; i < 32; ++i) digits += "0123456789abcdef"[random() % 16];
  return digits;
}

std::string Url(std::mt19937_64& random) {
  return "https://www.example-" + std::to_string(random() % 97) + ".com/p/" +
         std::to_string(random() % 20000);
}

struct Corpus {
  std::string name;
  std::vector<std::string> values;
  double max_ratio;  // compressed bytes to bytes
};

std::vector<Corpus> Corpora() {
  std::vector<std::string> ends_of_bytes;  // every first and last byte, alone and around others
  for (int byte = 0; byte < 256; ++byte) {
    ends_of_bytes.push_back(std::string(1, static_cast<char>(byte)));
    ends_of_bytes.push_back("abcdefgh" + ends_of_bytes.back());
    ends_of_bytes.push_back(ends_of_bytes[ends_of_bytes.size() - 2] + "abcdefgh");
  }
  std::vector<std::string> mostly_empty(100'000);
  mostly_empty[70'000] = "here";
  return {
      {"NoValues", {}, 0},
      {"OneValue", {"a value, a value, a value, a value, a value"}, 0.7},
      {"OneByte", {"x"}, 1},
      {"OnlyEmptyValues", std::vector<std::string>(1000), 0},
      {"MostlyEmptyValues", mostly_empty, 1},
      {"EqualValues", std::vector<std::string>(10'000, "the same text again"), 0.2},
      {"Words", Many(50'000, Word), 0.35},
      {"Urls", Many(20'000, Url), 0.25},
      {"HexDigits", Many(20'000, Hex), 0.54},
      {"RandomBytes", Many(5'000, [](auto& r) { return RandomBytes(r, r() % 100); }), 2},
      {"EmbeddedZeros", Many(5'000, [](auto& r) { return std::string(r() % 20, '\0') + Word(r); }),
       0.4},
      {"OnlyZeros", Many(5'000, [](auto& r) { return std::string(r() % 50, '\0'); }), 0.2},
      {"OnlyTerminators", Many(5'000, [](auto& r) { return std::string(r() % 50, '\xff'); }), 0.2},
      {"TextThatOnceHasATerminator",
       [] {
         auto values = Many(50'000, Word);
         values[30'000] = "a\xff";
         return values;
       }(),
       0.35},
      {"LongValues", Many(4, [](auto& r) { return RandomBytes(r, 100'000) + Hex(r); }), 2},
      {"LongAndShortValues",
       Many(3'000, [](auto& r) { return std::string(r() % 100 == 0 ? 30'000 : 3, 'a') + Word(r); }),
       0.2},
      {"EveryByteAtBothEnds", ends_of_bytes, 1},
  };
}

class FsstEncoderRoundTrip : public ::testing::TestWithParam<Corpus> {};

TEST_P(FsstEncoderRoundTrip, GivesTheValuesBackAndTakesLittle) {
  const Column<int32_t> column(GetParam().values);
  const FsstEncoder encoder = column.Train();

  const Compressed compressed = Compress(encoder, column);

  ASSERT_EQ(compressed.ends.size(), GetParam().values.size());
  EXPECT_TRUE(Expand(encoder, compressed) == GetParam().values);
  const auto num_bytes = static_cast<double>(column.bytes.size() - 12);
  EXPECT_LE(static_cast<double>(compressed.bytes.size()), GetParam().max_ratio * num_bytes);
}

TEST_P(FsstEncoderRoundTrip, TakesWideOffsetsAlike) {
  const Column<int32_t> narrow(GetParam().values);
  const Column<int64_t> wide(GetParam().values);

  const Compressed from_narrow = Compress(narrow.Train(), narrow);
  const Compressed from_wide = Compress(wide.Train(), wide);

  EXPECT_TRUE(from_narrow.ends == from_wide.ends);
  EXPECT_TRUE(std::ranges::equal(from_narrow.bytes.span(), from_wide.bytes.span()));
}

TEST_P(FsstEncoderRoundTrip, ChoosesSymbolsThatATableMayHave) {
  const FsstEncoder encoder = Column<int32_t>(GetParam().values).Train();

  EXPECT_LE(encoder.symbols().size(), 255);
  std::set<std::string> distinct;
  for (const FsstSymbol& symbol : encoder.symbols()) {
    EXPECT_THAT(symbol.length, AllOf(Ge(1), Le(8)));
    EXPECT_TRUE(symbol.length == 8 || symbol.value >> (8 * symbol.length) == 0);
    distinct.insert({reinterpret_cast<const char*>(&symbol.value), symbol.length});
  }
  EXPECT_EQ(distinct.size(), encoder.symbols().size());
  EXPECT_EQ(encoder.SerializedTable().size(), 2312);
}

INSTANTIATE_TEST_SUITE_P(All, FsstEncoderRoundTrip, ::testing::ValuesIn(Corpora()),
                         [](const auto& test) { return test.param.name; });

TEST(FsstEncoder, WritesTheTableThatReadersExpect) {
  const FsstEncoder encoder({{0x6261, 2}, {0x78, 1}, {0x6867666564636261, 8}});

  std::string expected = std::string("\3\0\0\1", 4) + "TSSF";
  expected += std::string("ab\0\0\0\0\0\0", 8) + std::string("x\0\0\0\0\0\0\0", 8) + "abcdefgh";
  expected += "\2\1\x8";
  expected.resize(2312);
  EXPECT_EQ(encoder.SerializedTable(), expected);
}

TEST(FsstEncoder, TakesTheLongestSymbolThatFitsIntoTheValue) {
  const FsstEncoder encoder({{0x61, 1}, {0x6261, 2}, {0x64636261, 4}});

  const Compressed compressed =
      Compress(encoder, Column<int32_t>({"abcd", "abc", "ab", "a", "abcda", "zab"}));

  const std::string codes(reinterpret_cast<const char*>(compressed.bytes.data()),
                          compressed.bytes.size());
  EXPECT_EQ(codes, std::string("\2"
                               "\1\xff"
                               "c"
                               "\1"
                               "\0"
                               "\2\0"
                               "\xffz\1",
                               11));
  EXPECT_THAT(compressed.ends, ElementsAre(1, 4, 5, 6, 8, 11));
}

TEST(FsstEncoder, DoublesBytesThatNoSymbolCovers) {
  const FsstEncoder encoder({{0x61, 1}});
  const std::vector<std::string> values(1000, "zzzzzzzz");

  const Compressed compressed = Compress(encoder, Column<int32_t>(values));

  EXPECT_EQ(compressed.bytes.size(), 16'000);
  EXPECT_TRUE(Expand(encoder, compressed) == values);
}

TEST(FsstEncoder, AppendsBehindWhatIsThere) {
  const FsstEncoder encoder({{0x6261, 2}});
  const Column<int32_t> column({"abab", "", "ab"});
  Compressed out = Compress(encoder, column);

  encoder.Compress(AsBytes(column.bytes), column.view().Skip(1), 2, &out.bytes, &out.ends);

  EXPECT_THAT(out.ends, ElementsAre(2, 2, 3, 3, 4));
  EXPECT_THAT(Expand(encoder, out), ElementsAre("abab", "", "ab", "", "ab"));
}

TEST(FsstEncoder, HasNoSymbolsWithoutValues) {
  EXPECT_THAT(Column<int32_t>({}).Train().symbols(), IsEmpty());
}

TEST(FsstEncoder, ChoosesTheSameSymbolsEveryTime) {
  const Column<int32_t> column(Many(20'000, Url));

  EXPECT_EQ(column.Train().SerializedTable(), column.Train().SerializedTable());
}

TEST(FsstEncoder, LooksAtTheWholeColumn) {
  std::vector<std::string> values(10'000, "first half");
  values.resize(20'000, "OTHER HALF");
  const Column<int32_t> column(values);

  EXPECT_LE(Compress(column.Train(), column).bytes.size(), 20'000 * 3);
}

}  // namespace
}  // namespace lance::format
