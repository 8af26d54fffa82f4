#include "lance/table/data_file_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lance/testing/matchers.h"
#include "lance/testing/seeded_random.h"

namespace lance::table {
namespace {

TEST(DataFileNameOf, GivesThePublishedName) {
  LANCE_ASSERT_OK_AND_ASSIGN(const Uuid uuid, Uuid::Parse("8d6219aa-b189-4ff9-b5c3-28b11883dbf1"));

  EXPECT_EQ(DataFileNameOf(uuid), "100011010110001000011001aab1894ff9b5c328b11883dbf1.lance");
}

TEST(MakeDataFileName, IsFreshAndOfAVersion4Uuid) {
  testing::SeededRandom random(1);

  const std::string first = MakeDataFileName(random);

  EXPECT_THAT(first, ::testing::MatchesRegex("[01]{24}[0-9a-f]{6}4[0-9a-f]{3}[89ab][0-9a-f]{15}"
                                             "\\.lance"));
  EXPECT_NE(MakeDataFileName(random), first);
}

}  // namespace
}  // namespace lance::table
