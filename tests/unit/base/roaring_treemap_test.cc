#include "lance/base/roaring_treemap.h"

#include "lance/base/byte_reader.h"
#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance {
namespace {

using lance::testing::IsSerializationError;
using ::testing::HasSubstr;

arrow::Result<RoaringTreemap> Parse(const std::string& bytes) {
  return ParseTreemap(AsBytes(bytes), "addresses");
}

std::string Entry(uint32_t high, const RoaringBitmap& low) {
  std::string bytes;
  AppendLittleEndian(high, &bytes);
  return bytes + low.Serialize();
}

std::string Treemap(uint64_t num_entries, const std::string& entries) {
  std::string bytes;
  AppendLittleEndian(num_entries, &bytes);
  return bytes + entries;
}

TEST(RoaringTreemap, ReadsWhatItWrites) {
  const RoaringTreemap map = {{0, {1, 2, 70000}}, {5, {0}}, {0xffffffff, {0xffffffff}}};

  const std::string bytes = SerializeTreemap(map);

  EXPECT_EQ(bytes, Treemap(3, Entry(0, {1, 2, 70000}) + Entry(5, {0}) +
                                  Entry(0xffffffff, {0xffffffff})));
  EXPECT_EQ(Parse(bytes).ValueOrDie(), map);
}

TEST(RoaringTreemap, LeavesEmptyEntriesOut) {
  EXPECT_EQ(Parse(Treemap(2, Entry(1, {}) + Entry(2, {3}))).ValueOrDie(),
            (RoaringTreemap{{2, {3}}}));
  EXPECT_TRUE(Parse(Treemap(0, "")).ValueOrDie().empty());
}

TEST(RoaringTreemap, RefusesWhatIsMalformed) {
  EXPECT_THAT(Parse(""), IsSerializationError(HasSubstr("addresses.num_entries")));
  EXPECT_THAT(Parse(Treemap(1, "")), IsSerializationError(HasSubstr("0 bytes are left")));
  EXPECT_THAT(Parse(Treemap(~0ull, Entry(1, {2}))), IsSerializationError(HasSubstr("is 18446")));
  EXPECT_THAT(Parse(Treemap(2, Entry(4, {1}) + Entry(4, {2}))),
              IsSerializationError(HasSubstr("are 4 after 4, must ascend")));
  EXPECT_THAT(Parse(Treemap(1, Entry(4, {1}) + "x")), IsSerializationError(HasSubstr("end")));
}

TEST(RoaringTreemap, SurvivesAnyBytes) {
  const std::string good = SerializeTreemap({{0, {1, 2, 70000}}, {5, {0, 9}}});
  testing::SeededRandom random;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good.substr(0, random.Below(good.size() + 1));
    for (int i = 0; i < 3 && !bytes.empty(); ++i) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Below(256));
    }
    const auto parsed = Parse(bytes);  // no crash, and no more than there is
    if (parsed.ok()) EXPECT_EQ(Parse(SerializeTreemap(*parsed)).ValueOrDie(), *parsed);
  }
}

}  // namespace
}  // namespace lance
