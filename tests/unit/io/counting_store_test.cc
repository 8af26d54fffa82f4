#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/util/cancel.h"
#include "lance/io/stores.h"
#include "lance/testing/matchers.h"
#include "lance/testing/store_access.h"

namespace lance {
namespace {

using lance::testing::IsOk;
using lance::testing::ListPaths;
using lance::testing::PutText;

TEST(CountingStore, CountsRangesAndBytesOfGet) {
  const auto counters = std::make_shared<IoCounters>();
  const auto store = MakeCountingStore(MakeMemoryStore(), counters);
  ASSERT_THAT(PutText(*store, "x", "0123456789"), IsOk());

  ASSERT_THAT(store->Get("x", {{0, 4}, {2, 5}, {9, 0}}, arrow::StopToken::Unstoppable()), IsOk());

  EXPECT_EQ(counters->requests, 2u);
  EXPECT_EQ(counters->iops, 3u);
  EXPECT_EQ(counters->bytes_read, 9u);
}

TEST(CountingStore, CountsEveryKindOfCallOnce) {
  const auto counters = std::make_shared<IoCounters>();
  const auto store = MakeCountingStore(MakeMemoryStore(), counters);

  ASSERT_THAT(PutText(*store, "x", "1"), IsOk());
  EXPECT_EQ(counters->requests, 1u);
  ASSERT_THAT(store->Head("x"), IsOk());
  EXPECT_EQ(counters->requests, 2u);
  ASSERT_THAT(ListPaths(*store), IsOk());
  EXPECT_EQ(counters->requests, 3u);
  ASSERT_THAT(store->Delete("x"), IsOk());
  EXPECT_EQ(counters->requests, 4u);
  LANCE_ASSERT_OK_AND_ASSIGN(const auto stream, store->OpenWrite("y"));
  ASSERT_THAT(stream->Close(), IsOk());
  EXPECT_EQ(counters->requests, 5u);

  EXPECT_EQ(counters->iops, 0u);
  EXPECT_EQ(counters->bytes_read, 0u);
}

TEST(CountingStore, CountsFailedCallsButNoBytesOfThem) {
  const auto counters = std::make_shared<IoCounters>();
  const auto store = MakeCountingStore(MakeMemoryStore(), counters);

  ASSERT_FALSE(store->Get("x", {{0, 4}}, arrow::StopToken::Unstoppable()).ok());

  EXPECT_EQ(counters->requests, 1u);
  EXPECT_EQ(counters->iops, 1u);
  EXPECT_EQ(counters->bytes_read, 0u);
}

}  // namespace
}  // namespace lance
