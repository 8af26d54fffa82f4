#include "lance/index/row_set_builder.h"

#include <set>

#include "btree_fixtures.h"
#include "lance/testing/matchers.h"

namespace lance::index {
namespace {

using lance::testing::SeededRandom;
using lance::testing::SeedMessage;

TEST(RowSetBuilder, CollectsRowsInAnyOrder) {
  SCOPED_TRACE(SeedMessage());
  SeededRandom random;
  for (const size_t count : {0, 1, 100, 1023, 1024, 5000, 20000}) {
    RowSetBuilder builder;
    std::set<uint64_t> expected;
    for (int part = 0; part < 3; ++part) {
      RowNumbers rows;
      // Near each other, of a few fragments, anywhere, and all the same.
      const uint64_t mask[] = {0xffff, 0x3000fffff, ~uint64_t{0}, 0};
      const uint64_t bits = mask[random.Below(4)];
      const uint64_t base = random.Next() & ~bits;
      for (size_t i = 0; i < count; ++i) rows.push_back(base | (random.Next() & bits));
      expected.insert(rows.begin(), rows.end());
      builder.Add(rows);
    }
    const RowNumbers found = ToRows(builder.Finish());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end())) << count;
    EXPECT_TRUE(builder.Finish().entries.empty());
  }
}

}  // namespace
}  // namespace lance::index
