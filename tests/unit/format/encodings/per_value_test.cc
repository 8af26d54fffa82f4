#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lance/testing/matchers.h"
#include "samples.h"

namespace lance::format {
namespace {

using ::lance::testing::HasStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto kCorrupt = arrow::StatusCode::SerializationError;

TEST(FlatPerValueDecoder, CopiesValuesOfEveryWidth) {
  for (const uint32_t bytes : {1, 2, 3, 4, 8, 16, 32, 300}) {
    SCOPED_TRACE(bytes);
    const std::string a(bytes, 'a');
    const std::string b(bytes, 'b');

    const auto decoded = DecodeValues(Flat(8 * bytes), Single(8 * bytes), {a, kNoBytes, b});

    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->num_values, 3u);
    EXPECT_EQ(Text(decoded->bytes), a + std::string(bytes, '\0') + b);
  }
}

TEST(FlatPerValueDecoder, RefusesValuesOfAnotherSize) {
  EXPECT_THAT(DecodeValues(Flat(32), Single(32), {"abcd", "abcde"}),
              HasStatus(kCorrupt, HasSubstr("value 1 has 5 bytes, allowed 4")));
}

TEST(FlatPerValueDecoder, TakesBoolsFromBytes) {
  const std::string one = "\x01";
  const std::string zero(1, '\0');

  const auto decoded =
      DecodeValues(Flat(8), Single(1), {one, zero, one, kNoBytes, one, one, zero, zero, one, one});

  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(Digits(decoded->bytes, 10), "1010110011");
  EXPECT_EQ((*MakePerValueDecoder(Flat(8), Single(1)))->stored_bits(), 8u);
  EXPECT_THAT(DecodeValues(Flat(8), Single(1), {one, "\x02"}),
              HasStatus(kCorrupt, HasSubstr("bool 1 is 2; allowed: 0, 1")));
  EXPECT_THAT(MakePerValueDecoder(Flat(1), Single(1)), HasStatus(kCorrupt));
}

TEST(FlatPerValueDecoder, JoinsBoolsOfSeveralCalls) {
  const auto decoder = MakePerValueDecoder(Flat(8), Single(1));
  ASSERT_TRUE(decoder.ok());
  const std::vector<std::string> values = {Bytes({1}), Bytes({0}), Bytes({1})};
  ValueBuffer out(Single(1), nullptr);

  for (int i = 0; i < 4; ++i) ASSERT_TRUE((*decoder)->Decode(Views(values), &out).ok());

  EXPECT_EQ(Digits(out.bytes, out.num_values), "101101101101");
}

TEST(VariablePerValueDecoder, TakesTheBytesThemselves) {
  const auto narrow = DecodeValues(Variable(32), Single(0), {"abc", kNoBytes, "", "de"});
  const auto wide = DecodeValues(Variable(64), {.offset_bits = 64}, {"abc", "de"});

  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_THAT(Strings(*narrow), ElementsAre("abc", "", "", "de"));
  EXPECT_THAT(IntegersOf<uint32_t>(narrow->offsets), ElementsAre(0, 3, 3, 3, 5));
  ASSERT_TRUE(wide.ok()) << wide.status();
  EXPECT_THAT(IntegersOf<uint64_t>(wide->offsets), ElementsAre(0, 3, 5));
}

TEST(PerValueDecoders, TellTheBitsOfAStoredValue) {
  EXPECT_EQ((*MakePerValueDecoder(Flat(2400), Single(2400)))->stored_bits(), 2400u);
  EXPECT_EQ((*MakePerValueDecoder(Variable(32), Single(0)))->stored_bits(), 0u);
}

TEST(PerValueDecoders, RefuseEncodingsOfChunks) {
  for (const auto& encoding : {Inline(32), Rle(32), Split(32), Packed({32}, 32), Constant()}) {
    EXPECT_THAT(MakePerValueDecoder(encoding, Single(32)),
                HasStatus(kCorrupt, HasSubstr("full-zip values: encoding is")));
  }
}

}  // namespace
}  // namespace lance::format
