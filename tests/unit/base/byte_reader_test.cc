#include "lance/base/byte_reader.h"

#include "lance/testing/matchers.h"

namespace lance {
namespace {

using lance::testing::IsOkAndHolds;
using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

constexpr std::string_view kSeven("\x01\x02\x03\x04\x05\x06\x07", 7);

TEST(ByteReader, ReadsLittleEndianNumbersInOrder) {
  ByteReader in(AsBytes(kSeven), "Header");

  EXPECT_THAT(in.Read<uint8_t>("a"), IsOkAndHolds(0x01));
  EXPECT_THAT(in.Read<uint16_t>("b"), IsOkAndHolds(0x0302));
  EXPECT_THAT(in.Read<uint32_t>("c"), IsOkAndHolds(0x07060504u));
  EXPECT_EQ(in.remaining(), 0u);
  EXPECT_TRUE(in.ExpectEnd().ok());
}

TEST(ByteReader, NamesStructureFieldAndOffsetWhenBytesRunOut) {
  ByteReader in(AsBytes(kSeven), "Header");
  ASSERT_TRUE(in.Take(3, "magic").ok());

  EXPECT_THAT(in.Read<uint64_t>("count"),
              IsSerializationError("Header.count at byte 3: needs 8 bytes, 4 are left"));
  EXPECT_EQ(in.offset(), 3u);
}

TEST(ByteReader, RefusesASizeThatWouldWrapTheOffset) {
  ByteReader in(AsBytes(kSeven), "Header");
  ASSERT_TRUE(in.Take(3, "magic").ok());

  EXPECT_THAT(in.Take(UINT64_MAX - 1, "payload"), IsSerializationError(HasSubstr("4 are left")));
}

TEST(ByteReader, TakesAllThatIsLeftAndNothing) {
  ByteReader in(AsBytes(kSeven), "Header");

  LANCE_ASSERT_OK_AND_ASSIGN(const auto all, in.Take(7, "payload"));
  LANCE_ASSERT_OK_AND_ASSIGN(const auto none, in.Take(0, "padding"));

  EXPECT_EQ(all.size(), 7u);
  EXPECT_TRUE(none.empty());
}

TEST(ByteReader, RefusesLeftOverBytes) {
  ByteReader in(AsBytes(kSeven), "Header");
  ASSERT_TRUE(in.Take(5, "magic").ok());

  EXPECT_THAT(in.ExpectEnd(),
              IsSerializationError("Header.end at byte 5: 2 bytes follow the last field"));
}

TEST(AppendLittleEndian, PutsTheLowestByteFirst) {
  std::string out;

  AppendLittleEndian<uint32_t>(0x01020304, &out);

  EXPECT_EQ(out, "\x04\x03\x02\x01");
}

}  // namespace
}  // namespace lance
