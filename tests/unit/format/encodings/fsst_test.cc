#include "lance/format/encodings/fsst.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/testing/seeded_random.h"
#include "samples.h"

namespace lance::format {
namespace {

namespace testing = ::lance::testing;

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FsstDecoder, ExpandsSymbolsAndEscapedBytes) {
  const std::string table = SymbolTable({"a", "http://w", "cat"});
  const std::vector<std::string> codes = {Bytes({1, 2}), "", Bytes({255, 'z', 0, 255, 255}),
                                          Bytes({2})};

  const auto decoded = DecodeMini(Fsst(table, Variable(32)), Single(0), {TextChunk(codes)}, 4);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("http://wcat", "", "za\xff", "cat"));
}

TEST(FsstDecoder, TakesAFullTable) {
  std::vector<std::string> symbols;
  for (int i = 0; i < 255; ++i) symbols.push_back("<" + std::to_string(i) + ">");
  const std::string chunk = TextChunk({Bytes({254, 0, 100})});

  const auto decoded = DecodeMini(Fsst(SymbolTable(symbols), Variable(32)), Single(0), {chunk}, 1);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("<254><0><100>"));
}

TEST(FsstDecoder, TakesValuesAsTheyAreWhenSwitchedOff) {
  const std::string chunk = TextChunk({Bytes({255}), "plain"});

  const auto decoded = DecodeMini(Fsst(SymbolTable({"a"}, 0), Variable(32)), Single(0), {chunk}, 2);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("\xff", "plain"));
}

TEST(FsstDecoder, TakesAChunkOfEmptyValuesFirst) {
  const std::string chunk = TextChunk({"", "", ""});

  const auto decoded = DecodeMini(Fsst(SymbolTable({"a"}), Variable(32)), Single(0), {chunk}, 3);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("", "", ""));
}

TEST(FsstDecoder, AppendsChunkAfterChunk) {
  const auto decoder =
      MakeMiniBlockDecoder(Fsst(SymbolTable({"abcdefgh"}), Variable(32)), Single(0));
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  const std::string chunk = TextChunk({Bytes({0}), Bytes({0, 0})});
  const std::span<const std::byte> buffer = AsBytes(chunk);
  ValueBuffer out;

  ASSERT_TRUE((*decoder)->Decode({&buffer, 1}, 2, &out).ok());
  ASSERT_TRUE((*decoder)->Decode({&buffer, 1}, 2, &out).ok());

  EXPECT_THAT(IntegersOf<uint32_t>(out.offsets), ElementsAre(0, 8, 24, 32, 48));
  EXPECT_EQ(Text(out.bytes), "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh");
}

TEST(FsstDecoder, ExpandsValuesThatAreStoredOneByOne) {
  const auto decoded =
      DecodeValues(Fsst(SymbolTable({"ab", "c"}), Variable(64)), {.offset_bits = 64},
                   {Bytes({0, 0, 1}), kNoBytes, "", Bytes({255, 0})});

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("ababc", "", "", std::string(1, '\0')));
}

TEST(FsstDecoder, RefusesAnEscapeThatReachesIntoTheNextValue) {
  const std::string table = SymbolTable({"a"});
  const std::string chunk = TextChunk({Bytes({0, 255}), Bytes({0, 0, 0, 0, 0, 0, 0, 0})});

  const auto decoded = DecodeMini(Fsst(table, Variable(32)), Single(0), {chunk}, 2);

  ASSERT_TRUE(decoded.status().IsSerializationError()) << decoded.status();
  EXPECT_THAT(decoded.status().message(), HasSubstr("ends in an escape code"));
}

/// Values of any size, of which some do not fit a slice, equal the plain twin's.
TEST(FsstDecoder, ExpandsAsTheScalarTwinDoes) {
  SCOPED_TRACE(testing::SeedMessage());
  testing::SeededRandom random;
  for (int round = 0; round < testing::NumRounds(60); ++round) {
    std::vector<std::string> symbols(random.OneIn(3) ? 255 : 1 + random.Below(254));
    for (std::string& symbol : symbols) symbol.resize(1 + random.Below(8), 'x');
    for (std::string& symbol : symbols) symbol[0] = static_cast<char>(random.Below(256));
    const std::string stored = SymbolTable(symbols);
    const auto table = FsstSymbolTable::Parse(AsBytes(stored));
    ASSERT_TRUE(table.ok()) << table.status();
    const uint64_t escapes = 1 + random.Below(40);
    std::vector<std::string> values(1 + random.Below(50));
    std::vector<std::string> expected;
    for (std::string& codes : values) {
      const uint64_t size = random.OneIn(40) ? random.Below(9000) : random.Below(60);
      while (codes.size() < size) {
        const bool is_escape = random.OneIn(escapes);
        codes.push_back(static_cast<char>(is_escape ? 255 : random.Below(symbols.size())));
        if (is_escape) codes.push_back(static_cast<char>(random.Below(256)));
      }
      std::string expanded(codes.size() * 8, '\0');
      const auto num_bytes =
          table->ExpandScalar(AsBytes(codes), reinterpret_cast<std::byte*>(expanded.data()));
      ASSERT_TRUE(num_bytes.ok()) << num_bytes.status();
      expected.push_back(expanded.substr(0, *num_bytes));
    }
    const std::vector<std::string_view> views(values.begin(), values.end());

    const auto chunk =
        DecodeMini(Fsst(stored, Variable(32)), Single(0), {TextChunk(values)}, values.size());
    const auto wide = DecodeMini(Fsst(stored, Variable(64)), {.offset_bits = 64},
                                 {TextChunk<uint64_t>(values)}, values.size());
    const auto alone = DecodeValues(Fsst(stored, Variable(32)), Single(0), views);

    ASSERT_TRUE(chunk.ok()) << chunk.status();
    ASSERT_EQ(Strings(*chunk), expected);
    ASSERT_TRUE(wide.ok()) << wide.status();
    ASSERT_EQ(Strings(*wide), expected);
    ASSERT_TRUE(alone.ok()) << alone.status();
    ASSERT_EQ(Strings(*alone), expected);
  }
}

/// Behind a block of codes, in it, and as the last byte.
TEST(FsstDecoder, FindsUnknownCodesAnywhere) {
  const std::string stored = SymbolTable({"ab", "c"});
  for (size_t size = 1; size < 40; ++size) {
    for (size_t at = 0; at < size; ++at) {
      std::string codes(size, '\0');
      codes[at] = 2;
      const auto chunk =
          DecodeMini(Fsst(stored, Variable(32)), Single(0), {TextChunk({"", codes, ""})}, 3);
      ASSERT_TRUE(chunk.status().IsSerializationError()) << size << " " << at;
      EXPECT_THAT(chunk.status().message(), HasSubstr("is 2, the table has 2 symbols"));
      const auto alone = DecodeValues(Fsst(stored, Variable(32)), Single(0), {codes});
      ASSERT_TRUE(alone.status().IsSerializationError()) << size << " " << at;
    }
  }
}

TEST(FsstDecoder, TakesAnyByteBehindAnEscape) {
  const std::string codes = Bytes({0, 255, 77, 0, 255, 255, 255, 2, 0, 0, 0, 255, 200});

  const auto decoded =
      DecodeMini(Fsst(SymbolTable({"-"}), Variable(32)), Single(0), {TextChunk({codes})}, 1);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("-M-\xff\x02---\xc8"));
}

struct CorruptFsstCase {
  std::string name;
  std::string table;
  std::string codes;  // of the only value
  std::string expected;
};

class FsstCorruptTest : public ::testing::TestWithParam<CorruptFsstCase> {};

TEST_P(FsstCorruptTest, IsRefusedNamingTheFault) {
  const auto decoded = DecodeMini(Fsst(GetParam().table, Variable(32)), Single(0),
                                  {TextChunk({GetParam().codes})}, 1);

  ASSERT_TRUE(decoded.status().IsSerializationError()) << decoded.status();
  EXPECT_THAT(decoded.status().message(), HasSubstr(GetParam().expected));
}

std::string WithByte(std::string table, size_t at, char byte) {
  table[at] = byte;
  return table;
}

INSTANTIATE_TEST_SUITE_P(All, FsstCorruptTest,
                         ::testing::ValuesIn<CorruptFsstCase>({
                             {"NoTable", "", "", "symbol_table has 0 bytes; allowed: 2312"},
                             {"ShortTable", SymbolTable({"a"}).substr(1), "",
                              "symbol_table has 2311 bytes"},
                             {"NoMagic", WithByte(SymbolTable({"a"}), 4, 'X'), "", "no magic TSSF"},
                             {"LengthZero", WithByte(SymbolTable({"a", "b"}), 8 + 16 + 1, 0), "",
                              "lengths at byte 25: symbol 1 has 0 bytes, allowed 1 to 8"},
                             {"LengthNine", WithByte(SymbolTable({"a", "b"}), 8 + 16, 9), "",
                              "lengths at byte 24: symbol 0 has 9 bytes"},
                             {"UnknownCode", SymbolTable({"a", "b"}), Bytes({0, 2}),
                              "code at byte 1 of a value is 2, the table has 2 symbols"},
                             {"LoneEscape", SymbolTable({"a", "b"}), Bytes({0, 255}),
                              "a value of 2 bytes ends in an escape code"},
                         }),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
