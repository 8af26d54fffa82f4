#include "lance/format/encodings/fsst.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "encodings_samples.h"

namespace lance::format {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Build a table by hand: header, symbols, lengths, zeros.
std::string SymbolTable(const std::vector<std::string>& symbols, int switch_byte = 1) {
  std::string table = Bytes({static_cast<int>(symbols.size()), 0, 13, switch_byte}) + "TSSF";
  for (std::string symbol : symbols) {
    symbol.resize(8);
    table += symbol;
  }
  for (const std::string& symbol : symbols) table.push_back(static_cast<char>(symbol.size()));
  table.resize(2312);
  return table;
}

/// A chunk of 32-bit offsets.
std::string Chunk(const std::vector<std::string>& values) {
  std::string offsets;
  std::string bytes;
  const size_t header = 4 * (values.size() + 1);
  for (const std::string& value : values) {
    AppendLittleEndian(static_cast<uint32_t>(header + bytes.size()), &offsets);
    bytes += value;
  }
  AppendLittleEndian(static_cast<uint32_t>(header + bytes.size()), &offsets);
  return offsets + bytes;
}

TEST(FsstDecoder, ExpandsSymbolsAndEscapedBytes) {
  const std::string table = SymbolTable({"a", "http://w", "cat"});
  const std::vector<std::string> codes = {Bytes({1, 2}), "", Bytes({255, 'z', 0, 255, 255}),
                                          Bytes({2})};

  const auto decoded = DecodeMini(Fsst(table, Variable(32)), 0, {Chunk(codes)}, 4);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("http://wcat", "", "za\xff", "cat"));
}

TEST(FsstDecoder, TakesAFullTable) {
  std::vector<std::string> symbols;
  for (int i = 0; i < 255; ++i) symbols.push_back("<" + std::to_string(i) + ">");
  const std::string chunk = Chunk({Bytes({254, 0, 100})});

  const auto decoded = DecodeMini(Fsst(SymbolTable(symbols), Variable(32)), 0, {chunk}, 1);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("<254><0><100>"));
}

TEST(FsstDecoder, TakesValuesAsTheyAreWhenSwitchedOff) {
  const std::string chunk = Chunk({Bytes({255}), "plain"});

  const auto decoded = DecodeMini(Fsst(SymbolTable({"a"}, 0), Variable(32)), 0, {chunk}, 2);

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(Strings(*decoded), ElementsAre("\xff", "plain"));
}

TEST(FsstDecoder, AppendsChunkAfterChunk) {
  const auto decoder = MakeMiniBlockDecoder(Fsst(SymbolTable({"abcdefgh"}), Variable(32)), 0);
  ASSERT_TRUE(decoder.ok()) << decoder.status();
  const std::string chunk = Chunk({Bytes({0}), Bytes({0, 0})});
  const std::span<const std::byte> buffer = AsBytes(chunk);
  ValueBuffer out;

  ASSERT_TRUE((*decoder)->Decode({&buffer, 1}, 2, &out).ok());
  ASSERT_TRUE((*decoder)->Decode({&buffer, 1}, 2, &out).ok());

  EXPECT_THAT(out.offsets, ElementsAre(0, 8, 24, 32, 48));
  EXPECT_EQ(out.bytes, "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh");
}

struct CorruptFsstCase {
  std::string name;
  std::string table;
  std::string codes;  // of the only value
  std::string expected;
};

class FsstCorruptTest : public ::testing::TestWithParam<CorruptFsstCase> {};

TEST_P(FsstCorruptTest, IsRefusedNamingTheFault) {
  const auto decoded =
      DecodeMini(Fsst(GetParam().table, Variable(32)), 0, {Chunk({GetParam().codes})}, 1);

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
