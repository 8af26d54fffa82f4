#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/testing/seeded_random.h"
#include "samples.h"

// Whatever the bytes are, a decoder answers with a status, and values when it says so.

namespace lance::format {
namespace {

using lance::testing::NumRounds;
using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

struct HostileCase {
  std::string name;
  pb::CompressiveEncoding encoding;
  ValueShape shape;
};

std::vector<HostileCase> Cases() {
  const ValueShape wide_text = {.offset_bits = 64};
  const ValueShape lists = {.bits_per_value = 16, .dimensions = {3}};
  const ValueShape nested = {.bits_per_value = 8, .dimensions = {2, 3}};
  const ValueShape bool_lists = {.bits_per_value = 1, .dimensions = {5}};
  const ValueShape rows = {.members = {Single(8), Single(64)}};
  const ValueShape text_rows = {.members = {Single(16), Single(0), lists}};
  const std::string table = SymbolTable({"a", "bcd", "efghijkl"});
  return {
      {"FlatBools", Flat(1), Single(1)},
      {"FlatBytesAsBools", Flat(8), Single(1)},
      {"Flat16", Flat(16), Single(16)},
      {"Variable32", Variable(32), Single(0)},
      {"Variable64", Variable(64), Single(0)},
      {"Variable32Wide", Variable(32), wide_text},
      {"Inline8", Inline(8), Single(8)},
      {"Inline64", Inline(64), Single(64)},
      {"OutOfLine16", OutOfLine(16, 1), Single(16)},
      {"OutOfLineWidth0", OutOfLine(16, 0), Single(16)},
      {"OutOfLine64", OutOfLine(64, 10), Single(64)},
      {"Rle8", Rle(8), Single(8)},
      {"Rle64", Rle(64), Single(64)},
      {"Split32", Split(32), Single(32)},
      {"Split64", Split(64), Single(64)},
      {"Fsst", Fsst(table, Variable(32)), Single(0)},
      {"FsstWide", Fsst(table, Variable(64)), wide_text},
      {"FsstOff", Fsst(SymbolTable({"a"}, 0), Variable(32)), Single(0)},
      {"Lz4Flat", Lz4(Flat(16)), Single(16)},
      {"ZstdFlat", Zstd(Flat(16)), Single(16)},
      {"Lz4Text", Lz4(Variable(32)), Single(0)},
      {"ZstdText", Zstd(Variable(32)), Single(0)},
      {"Lists", ListOf(3, Flat(16)), lists},
      {"ListsWithNulls", ListOf(3, Flat(16), true), lists},
      {"ListsOfNull", ListOf(3, Constant(), true), lists},
      {"NestedLists", ListOf(2, ListOf(3, Flat(8), true), true), nested},
      {"BoolLists", ListOf(5, Flat(1), true), bool_lists},
      {"PackedStruct", Packed({8, 64}, 72), rows},
      {"PackedRows",
       PackedRows({FixedField(Flat(16), 16), SizedField(Variable(32), 32),
                   FixedField(ListOf(3, Flat(16), true), 56)}),
       text_rows},
  };
}

/// Touch all that a buffer says it has.
void ExpectWhole(const ValueBuffer& values, uint64_t num_values) {
  ASSERT_EQ(values.num_values, num_values);
  if (values.is_variable()) {
    for (uint64_t i = 0; i < num_values; ++i) ASSERT_LE(values.offset(i), values.offset(i + 1));
    ASSERT_EQ(values.offset(num_values), values.bytes.size());
  } else if (!values.is_packed()) {
    ASSERT_EQ(values.bytes.size(), (values.num_items() * values.bits_per_value + 7) / 8);
  }
  for (size_t i = 0; i < values.item_validity.size(); ++i) {
    ASSERT_EQ(values.item_validity[i].size(), (num_values * values.level_items[i] + 7) / 8);
  }
  for (const ValueBuffer& member : values.members) ExpectWhole(member, num_values);
}

class HostileBytesTest : public ::testing::TestWithParam<HostileCase> {
 protected:
  /// Bytes that often are small numbers or zeros, as sizes, offsets and lengths are.
  std::string SomeBytes() {
    std::string bytes(random_.Below(random_.OneIn(3) ? 300 : 24), '\0');
    const uint64_t kind = random_.Below(3);
    for (char& byte : bytes) {
      if (kind == 0) byte = static_cast<char>(random_.Below(256));
      if (kind == 1 && random_.OneIn(3)) byte = static_cast<char>(random_.Below(40));
      if (kind == 2 && random_.OneIn(8)) byte = static_cast<char>(random_.Below(300));
    }
    return bytes;
  }

  uint64_t SomeCount() { return random_.OneIn(8) ? random_.Below(1 << 16) : random_.Below(40); }

  void DecodeChunk(const MiniBlockDecoder& decoder) {
    std::vector<std::string> buffers(static_cast<size_t>(decoder.num_buffers()));
    for (std::string& buffer : buffers) buffer = SomeBytes();
    const uint64_t num_values = SomeCount();
    ValueBuffer out(GetParam().shape, nullptr);
    if (random_.OneIn(2)) AppendDummies(3, &out);
    const uint64_t num_before = out.num_values;
    if (decoder.Decode(Views(buffers), num_values, &out).ok()) {
      ExpectWhole(out, num_before + num_values);
    }
  }

  void DecodeBlock(const BlockDecoder& decoder) {
    const uint64_t num_values = random_.OneIn(8) ? random_.Next() : SomeCount();
    ValueBuffer out(GetParam().shape, nullptr);
    if (decoder.Decode(AsBytes(SomeBytes()), num_values, &out).ok()) ExpectWhole(out, num_values);
  }

  void DecodeValues(const PerValueDecoder& decoder) {
    std::vector<std::string> values(random_.Below(6));
    for (std::string& value : values) {
      value = SomeBytes();
      if (decoder.stored_bits() > 0) value.resize(decoder.stored_bits() / 8);
    }
    std::vector<std::span<const std::byte>> views = Views(values);
    if (!views.empty() && random_.OneIn(3)) views[random_.Below(views.size())] = {};
    ValueBuffer out(GetParam().shape, nullptr);
    if (decoder.Decode(views, &out).ok()) ExpectWhole(out, values.size());
  }

  SeededRandom random_;
};

TEST_P(HostileBytesTest, GiveAStatusWhereverTheEncodingStands) {
  SCOPED_TRACE(SeedMessage());
  const auto& [name, encoding, shape] = GetParam();
  const auto mini = MakeMiniBlockDecoder(encoding, shape);
  const auto block = MakeBlockDecoder(encoding, shape);
  const auto per_value = MakePerValueDecoder(encoding, shape);
  ASSERT_TRUE(mini.ok() || block.ok() || per_value.ok());
  for (int round = 0; round < NumRounds(1000); ++round) {
    if (mini.ok()) DecodeChunk(**mini);
    if (block.ok()) DecodeBlock(**block);
    if (per_value.ok()) DecodeValues(**per_value);
  }
}

INSTANTIATE_TEST_SUITE_P(All, HostileBytesTest, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace lance::format
